// Everybody at once in one document, for long; and pages that were away for long.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { after, afterEach, before, test } from "node:test";
import { Stage, eventually, textOf } from "./stage.mjs";

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

const isSaved = (page) => page.locator(".save", { hasText: /^Saved$/ }).waitFor();
const once = (text, words) => text.split(words).length === 2;

async function caretBehind(page, words) {
  await page.evaluate((words) => {
    const { view } = document.querySelector(".cm-content").cmTile;
    view.focus();
    view.dispatch({ selection: { anchor: view.state.doc.toString().indexOf(words) + words.length }, scrollIntoView: true });
  }, words);
}
/** The words before the caret. */
const beforeCaret = (page, count) =>
  page.evaluate((count) => {
    const { view } = document.querySelector(".cm-content").cmTile;
    const { head } = view.state.selection.main;
    return view.state.sliceDoc(head - count, head);
  }, count);

/** A worker with a secret of its own, which writes as other programs do. */
async function worker(name, path) {
  const ask = (token, where, body) =>
    fetch(`${stage.origin}${where}`, { method: "POST", headers: { authorization: `Bearer ${token}`, "content-type": "application/json" }, body: JSON.stringify(body) });
  const { token } = await (await ask(stage.token, "/api/keys", { role: { kind: "worker", name } })).json();
  return async (content) => {
    const answer = await ask(token, "/api/section", { path, section: name, change: { kind: "append", content } });
    assert.equal(answer.status, 200, await answer.text());
  };
}

/** A real vim that loads the file, adds a line, waits, and puts what it wrote in the place of whatever has come meanwhile. */
async function vim(path, line) {
  const beside = `.${path}.vim`;
  // Written under another name and renamed, as vim itself does; under the own name it would ask, because the file has changed.
  const command = `call append(search('^Vim writes here'), '${line}') | sleep 30m | silent! write! ${beside} | call system('mv -f ${beside} ${path}')`;
  const child = spawn("vim", ["-u", "NONE", "-i", "NONE", "-n", "-E", "-s", "-c", command, "-c", "qall!", path], { cwd: stage.folder, stdio: "ignore" });
  await new Promise((answer) => child.on("exit", answer));
}

test("L02 L11: two browsers, a vim and three workers write 2,000 times, and all read the same", async () => {
  const [anna, ben] = await Promise.all([stage.page("all.md", { name: "Anna" }), stage.page("all.md", { name: "Ben" })]);
  await caretBehind(anna, "Anna writes here:");
  await caretBehind(ben, "Ben writes here:");
  const typed = (sign) => Array.from({ length: 50 }, (_, number) => ` ${sign}${String(number).padStart(3, "0")}`).join("");
  const [words, others] = [typed("a"), typed("b")];
  const lines = Array.from({ length: 24 }, (_, number) => `vim line ${number}.`);
  const lines_of = (name) => Array.from({ length: 480 }, (_, number) => `${name} ${number}.`);
  const saving = async () => {
    for (const line of lines) await vim("all.md", line);
  };
  const streaming = async (name) => {
    const write = await worker(name, "all.md");
    for (const line of lines_of(name)) await write(line);
  };
  await Promise.all([
    anna.keyboard.type(words),
    ben.keyboard.type(others),
    saving(),
    ...WORKERS.map(streaming),
  ]);
  const count = words.length + others.length + lines.length + 3 * 480;
  assert.ok(count >= 1800, String(count));
  // The rest by the keyboard, so that there are 2,000.
  const rest = ".".repeat(2000 - count);
  await anna.keyboard.type(rest);
  await Promise.all([isSaved(anna), isSaved(ben)]);
  const whole = await eventually(async () => {
    const [one, two, file] = [await textOf(anna), await textOf(ben), await stage.read("all.md")];
    assert.equal(one, two);
    assert.equal(one, file);
    for (const line of lines) assert.equal(file.split(`${line}\n`).length - 1, 1, `${line}: ${file.slice(file.indexOf("Vim writes"), file.indexOf("## Res"))}`);
    return file;
  }, 30_000);
  // No keystroke is lost, and nobody wrote into the words of another.
  assert.ok(once(whole, `Anna writes here:${words}${rest}`));
  assert.ok(once(whole, `Ben writes here:${others}`));
  for (const name of WORKERS) for (const line of lines_of(name)) assert.ok(once(whole, `\n${line}\n`), line);
  // Each caret is where its owner left it, and in sight.
  assert.equal(await beforeCaret(anna, 8), `${words}${rest}`.slice(-8));
  assert.equal(await beforeCaret(ben, 8), others.slice(-8));
  for (const page of [anna, ben]) {
    const seen = await page.evaluate(() => {
      const { view } = document.querySelector(".cm-content").cmTile;
      const caret = view.coordsAtPos(view.state.selection.main.head);
      const frame = view.scrollDOM.getBoundingClientRect();
      return caret !== null && caret.top >= frame.top && caret.bottom <= frame.bottom;
    });
    assert.equal(seen, true);
  }
  // Undo takes back what Anna typed, and nothing else.
  const without = whole.replace(`${words}${rest}`, "");
  for (let steps = 0; steps < 400 && (await textOf(anna)) !== without; steps++) await anna.keyboard.press("Control+z");
  assert.equal(await textOf(anna), without);
  await isSaved(anna);
  await eventually(async () => (await stage.read("all.md")) === without && (await textOf(ben)) === without);
  assert.deepEqual([...anna.complaints, ...ben.complaints], []);
});

test("L08: what is written above does not move what is read", async () => {
  const page = await stage.page("scroll.md");
  const words = "Paragraph 30 says";
  await caretBehind(page, words);
  const place = () =>
    page.evaluate((words) => {
      const { view } = document.querySelector(".cm-content").cmTile;
      return view.coordsAtPos(view.state.doc.toString().indexOf(words))?.top ?? -1;
    }, words);
  await eventually(async () => (await place()) > 0);
  const begun = await place();
  const write = await worker("Researcher", "scroll.md");
  for (let number = 0; number < 60; number++) await write(`Line ${number} of many words that come in above the place that somebody reads.`);
  await eventually(async () => (await textOf(page)).includes("Line 59 of"));
  await page.evaluate(() => new Promise((turn) => requestAnimationFrame(() => requestAnimationFrame(turn))));
  // A screen scrolls by whole points, and heights of what is not drawn are estimates: of 3,500 points that came in above, a few may show.
  assert.ok(Math.abs((await place()) - begun) < 120, `${begun} became ${await place()}`);
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
  await caretBehind(page, "Anna writes here:");
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
  await caretBehind(page, "Anna writes here:");
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
