// Everybody at once in one document, for long; and pages that were away for long.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { after, afterEach, before, test } from "node:test";
import { Stage, beforeCaret, caretBehind, eventually, isSaved, textOf } from "./stage.mjs";
import { worker as workerOf } from "./worker.mjs";

const FILLER = Array.from({ length: 60 }, (_, number) => `Paragraph ${number} says nothing in particular, and says it at some length so that it fills a line or two.\n`).join("\n");
const WORKERS = ["Researcher", "Terminal", "Reviewer"];
const DOCUMENT = `# Together

Anna writes here:

Vim writes here:

${WORKERS.map((name) => `## ${name}\n<!-- proposal -->\n`).join("\n")}
## Middle

${FILLER}
## Ben

Ben writes here:
`;
let stage;
before(async () => {
  stage = await Stage.open({ "all.md": DOCUMENT, "away.md": DOCUMENT, "scroll.md": DOCUMENT, "burst.md": DOCUMENT });
});
afterEach(() => stage.clear());
after(() => stage.close());

const worker = (name, path) => workerOf(stage, name, path);
const once = (text, words) => text.split(words).length === 2;

/** A real vim that loads the file, adds a line, waits, and puts what it wrote in the place of whatever has come meanwhile. */
async function vim(path, line) {
  const beside = `.${path}.vim`;
  // Written under another name and renamed, as vim itself does; under the own name it would ask, because the file has changed.
  const command = `call append(search('^Vim writes here'), '${line}') | sleep 30m | write! ${beside} | call system('mv -f ${beside} ${path}') | if v:shell_error | cquit | endif`;
  const child = spawn("vim", ["-u", "NONE", "-i", "NONE", "-n", "-E", "-s", "-c", command, "-c", "qall!", path], { cwd: stage.folder, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => (said += bytes));
  const code = await new Promise((answer) => child.on("close", answer));
  assert.equal(code, 0, `vim could not save "${line}": ${said}`);
}

/** How far the workers are. Whoever keeps step with them writes from their first line to their last, on every machine. */
class Pace {
  #done = 0;
  #waiting = [];
  step() {
    this.#done += 1;
    for (const { at, go } of this.#waiting.filter(({ at }) => at <= this.#done)) go(at);
    this.#waiting = this.#waiting.filter(({ at }) => at > this.#done);
  }
  reached(at) {
    return at <= this.#done ? Promise.resolve() : new Promise((go) => this.#waiting.push({ at, go }));
  }
}

/** Where two texts part, in so many words that a person can see what happened. */
function parting(one, two) {
  let at = 0;
  while (at < one.length && one[at] === two[at]) at += 1;
  const around = (text) => JSON.stringify(text.slice(Math.max(0, at - 120), at + 120));
  return `they part at ${at} of ${one.length} and ${two.length}:\n${around(one)}\n${around(two)}`;
}
function sameText(one, two, who) {
  assert.ok(one === two, `${who}: ${parting(one, two)}`);
}
/** Each of these stands in the text once; else says where they are and what stands around the place where they belong. */
function assertOnce(text, words, place) {
  const count = text.split(words).length - 1;
  const at = text.indexOf(place);
  assert.equal(count, 1, `${JSON.stringify(words.slice(0, 200))} stands there ${count} times; around its place: ${JSON.stringify(text.slice(Math.max(0, at - 200), at + 600))}`);
}

/** From now on notes in every frame how far the line that begins with these words is from where it was; as it is painted, not before. */
const watchPlace = (page, words) =>
  page.evaluate((words) => {
    const line = () => [...document.querySelectorAll(".cm-line")].find((line) => line.textContent.startsWith(words))?.getBoundingClientRect().top;
    const seen = { begun: line(), last: 0, frames: 0, moved: 0, unseen: 0, path: [] };
    window.seen = seen;
    // Observers of sizes are told after all else that happens in a frame, right before it is painted.
    const pulse = document.createElement("div");
    pulse.style.cssText = "position: fixed; inset: auto auto 0 0; height: 1px; visibility: hidden; pointer-events: none";
    document.body.append(pulse);
    new ResizeObserver(() => {
      const now = line();
      seen.frames += 1;
      if (now === undefined) return void (seen.unseen += 1);
      seen.last = now - seen.begun;
      if (Math.abs(seen.last) <= 2) return;
      seen.moved += 1;
      if (seen.path.length < 20) seen.path.push([seen.frames, Math.round(seen.last)]);
    }).observe(pulse);
    const beat = () => {
      pulse.style.width = pulse.style.width === "1px" ? "2px" : "1px";
      requestAnimationFrame(beat);
    };
    beat();
  }, words);

/** What is read stood where it stood. On a machine that does much else one frame of a hundred may come before the screen was put right. */
async function assertStill(page) {
  await frames(page, 4);
  const seen = await page.evaluate(() => window.seen);
  assert.ok(seen.frames > 10 && seen.unseen === 0 && Math.abs(seen.last) <= 2 && seen.moved * 100 <= seen.frames, JSON.stringify(seen));
}

/** Puts a line at the top of the screen, for somebody who only reads. */
async function readFrom(page, words) {
  await page.evaluate((words) => {
    const { view } = document.querySelector(".cm-content").cmTile;
    view.dispatch({ selection: { anchor: view.state.doc.toString().indexOf(words) }, scrollIntoView: true });
    const { top } = view.coordsAtPos(view.state.doc.toString().indexOf(words));
    view.scrollDOM.scrollTop += top - view.scrollDOM.getBoundingClientRect().top - 4;
  }, words);
  await eventually(() => page.evaluate((words) => [...document.querySelectorAll(".cm-line")].some((line) => line.textContent.startsWith(words)), words));
  await frames(page, 4);
}
const frames = (page, count) =>
  page.evaluate((count) => new Promise((turn) => {
    const next = (left) => (left === 0 ? turn() : requestAnimationFrame(() => next(left - 1)));
    next(count);
  }), count);

test("L02 L11: two browsers, a vim and three workers write 2,000 times, a third reads, and all read the same", async () => {
  const [anna, ben, reader] = await Promise.all(["Anna", "Ben", "Carl"].map((name) => stage.page("all.md", { name })));
  await caretBehind(anna, "Anna writes here:", { scrollIntoView: true });
  await caretBehind(ben, "Ben writes here:", { scrollIntoView: true });
  await readFrom(reader, "Paragraph 30 says");
  await watchPlace(reader, "Paragraph 30 says");
  const ROUNDS = 50;
  const APPENDS = 480;
  const typed = (sign) => Array.from({ length: ROUNDS }, (_, number) => ` ${sign}${String(number).padStart(3, "0")}`);
  const [words, others] = [typed("a"), typed("b")];
  const lines = Array.from({ length: 24 }, (_, number) => `vim line ${number}.`);
  const lines_of = (name) => Array.from({ length: APPENDS }, (_, number) => `${name} ${number}.`);
  const pace = new Pace();
  const inStep = async (all, work) => {
    for (const [number, one] of all.entries()) {
      await pace.reached((number / all.length) * WORKERS.length * APPENDS);
      await work(one, number);
    }
  };
  const streaming = async (name) => {
    const write = await worker(name, "all.md");
    for (const line of lines_of(name)) {
      await write(line);
      pace.step();
    }
  };
  const benText = async () => (await textOf(ben)).match(/\nBen writes here:(.*)/)[1];
  /** In the middle of it all Ben takes back what he typed last, and then thinks better of it. */
  const secondThought = async () => {
    const before = await benText();
    await ben.keyboard.press("Control+z");
    const after = await benText();
    assert.ok(after.length < before.length && before.startsWith(after), `undo made ${JSON.stringify(after)} of ${JSON.stringify(before)}`);
    await ben.keyboard.press("Control+y");
    assert.equal(await benText(), before);
    await caretBehind(ben, before, { scrollIntoView: true });
  };
  await Promise.all([
    inStep(words, (word) => anna.keyboard.type(word)),
    inStep(others, async (word, number) => {
      await ben.keyboard.type(word);
      if (number === ROUNDS / 2) await secondThought();
    }),
    inStep(lines, (line) => vim("all.md", line)),
    ...WORKERS.map(streaming),
  ]);
  const [own, his] = [words.join(""), others.join("")];
  const count = own.length + his.length + lines.length + WORKERS.length * APPENDS;
  assert.ok(count >= 1800, String(count));
  // The rest by the keyboard, so that there are 2,000.
  const rest = ".".repeat(2000 - count);
  await anna.keyboard.type(rest);
  await Promise.all([isSaved(anna), isSaved(ben)]);
  const whole = await eventually(async () => {
    const [one, two, three, file] = [await textOf(anna), await textOf(ben), await textOf(reader), await stage.read("all.md")];
    sameText(one, two, "Anna and Ben");
    sameText(one, three, "Anna and the reader");
    sameText(one, file, "Anna and the file");
    // What vim saved last is taken in when the file is looked at.
    for (const line of lines) assertOnce(file, `\n${line}\n`, "Vim writes here");
    return file;
  });
  // No keystroke is lost, and nobody wrote into the words of another.
  assertOnce(whole, `\nAnna writes here:${own}${rest}\n`, "Anna writes here");
  assertOnce(whole, `\nBen writes here:${his}\n`, "Ben writes here");
  for (const name of WORKERS) for (const line of lines_of(name)) assertOnce(whole, `\n${line}\n`, `## ${name}`);
  // Each caret is where its owner left it, and in sight.
  assert.equal(await beforeCaret(anna, 8), `${own}${rest}`.slice(-8));
  assert.equal(await beforeCaret(ben, 8), his.slice(-8));
  for (const page of [anna, ben]) {
    const { caret, frame } = await page.evaluate(() => {
      const { view } = document.querySelector(".cm-content").cmTile;
      const sides = (box) => box && { top: box.top, bottom: box.bottom };
      return { caret: sides(view.coordsAtPos(view.state.selection.main.head)), frame: sides(view.scrollDOM.getBoundingClientRect()) };
    });
    assert.ok(caret && caret.top >= frame.top && caret.bottom <= frame.bottom, `${page === anna ? "Anna" : "Ben"}: ${JSON.stringify({ caret, frame })}`);
  }
  await assertStill(reader);
  // Undo takes back what Anna typed, and nothing else.
  const without = whole.replace(`${own}${rest}`, "");
  for (let steps = 0; steps < 400 && (await textOf(anna)) !== without; steps++) await anna.keyboard.press("Control+z");
  sameText(await textOf(anna), without, "after all was undone");
  await isSaved(anna);
  await eventually(async () => (await stage.read("all.md")) === without && (await textOf(ben)) === without);
  assert.deepEqual([...anna.complaints, ...ben.complaints, ...reader.complaints], []);
});

test("L08: what is written above does not move what is read", async () => {
  const page = await stage.page("scroll.md");
  const words = "Paragraph 30 says";
  await readFrom(page, words);
  await watchPlace(page, words);
  const write = await worker("Researcher", "scroll.md");
  for (let number = 0; number < 60; number++) await write(`Line ${number} of many words that come in above the place that somebody reads.`);
  await eventually(async () => (await textOf(page)).includes("Line 59 of"));
  await frames(page, 4);
  await assertStill(page);
});

test("L06: a burst of 1,000 writes leaves the page alive, and all of them are there", async () => {
  const page = await stage.page("burst.md", { mode: "split" });
  const writers = await Promise.all(WORKERS.map((name) => worker(name, "burst.md")));
  await Promise.all(writers.map(async (write, index) => {
    for (let number = index; number < 1000; number += 3) await write(`Burst ${number}.`);
  }));
  await eventually(async () => {
    const text = await textOf(page);
    for (let number = 0; number < 1000; number++) assert.ok(once(text, `\nBurst ${number}.\n`), String(number));
    assert.equal(await stage.read("burst.md"), text);
    return true;
  });
  // It is alive: a key is a letter.
  await caretBehind(page, "Anna writes here:", { scrollIntoView: true });
  await page.keyboard.type(" Alive.");
  await isSaved(page);
  assert.ok((await stage.read("burst.md")).includes("Anna writes here: Alive."));
});

test("FT-20: a page that was away while 500 edits were made here and 500 there loses none of them", async () => {
  const page = await stage.page(null, { name: "Anna" });
  let isCut = false;
  const open = new Set();
  await page.routeWebSocket(/\/ws\?/, (socket) => {
    if (isCut) return socket.close({ code: 1011 });
    const server = socket.connectToServer();
    open.add(socket);
    server.onMessage((message) => socket.send(message));
    socket.onMessage((message) => server.send(message));
    server.onClose((code, reason) => socket.close({ code: code === 1006 ? 1011 : code, reason }));
  });
  await page.goto(stage.linkTo("away.md"));
  await page.waitForSelector("[data-ready]");
  await caretBehind(page, "Anna writes here:", { scrollIntoView: true });
  isCut = true;
  await Promise.all([...open].map((socket) => socket.close({ code: 1011 })));
  await page.locator(".save", { hasText: /Offline|Not saved/ }).waitFor();
  const words = Array.from({ length: 100 }, (_, number) => ` o${String(number).padStart(3, "0")}`).join("");
  const write = await worker("Terminal", "away.md");
  const streaming = async () => {
    for (let number = 0; number < 500; number++) await write(`There ${number}.`);
  };
  await Promise.all([page.keyboard.type(words), streaming()]);
  await page.locator(".save", { hasText: "Not saved" }).waitFor();
  isCut = false;
  await page.evaluate(() => window.dispatchEvent(new Event("online")));
  await isSaved(page);
  const text = await textOf(page);
  assert.equal(await stage.read("away.md"), text);
  assert.ok(once(text, `Anna writes here:${words}`));
  for (let number = 0; number < 500; number++) assert.ok(once(text, `\nThere ${number}.\n`), String(number));
});
