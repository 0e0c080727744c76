// Connections that are cut at any moment, and pages that were away for long.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { PLAN } from "./samples.mjs";
import { Stage, caretBehind, eventually, isSaved, textOf } from "./stage.mjs";
import { worker } from "./worker.mjs";

let stage;
before(async () => {
  const names = ["typing-1", "typing-2", "typing-3", "rebasing-1", "rebasing-2", "rebasing-3", "slept", "idle"];
  stage = await Stage.open(Object.fromEntries(names.map((name) => [`${name}.md`, PLAN])));
});
afterEach(() => stage.clear());
after(() => stage.close());

const says = (page, words) => page.locator(".save", { hasText: words }).waitFor();
const PLACE = "slow disks.";
/** How often each connection is cut at least. */
const CUTS = 8;
const numbered = (sign, count) => Array.from({ length: count }, (_, number) => ` ${sign}${String(number).padStart(3, "0")}`).join("");

/** Numbers that look like chance and are the same every time. */
function chance(seed) {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

/**
 * From now on each connection of the page is cut after a number of frames that chance gives; the last frame may still arrive, so that the
 * other side has words that this one does not know of. `over` ends that.
 */
async function cutting(page, next, frames) {
  const line = { cuts: 0, isOver: false, open: new Set() };
  await page.routeWebSocket(/\/ws\?/, (socket) => {
    const server = socket.connectToServer();
    line.open.add(socket);
    let left = line.isOver ? Infinity : 1 + next(frames);
    const cut = () => {
      line.cuts += 1;
      line.open.delete(socket);
      void server.close({ code: 1000 });
      void socket.close({ code: 1011 });
    };
    const pass = (to) => (message) => {
      if (left <= 0) return;
      left -= 1;
      if (left > 0 || next(2) === 0) to.send(message);
      if (left <= 0) cut();
    };
    server.onMessage(pass(socket));
    socket.onMessage(pass(server));
    server.onClose((code, reason) => {
      line.open.delete(socket);
      void socket.close({ code: code === 1006 || code === undefined ? 1011 : code, reason });
    });
  });
  line.over = () => (line.isOver = true);
  return line;
}

/** The page and the file hold the same text, and in it each of these once. */
async function assertWhole(page, path, all) {
  await isSaved(page);
  const text = await eventually(async () => {
    const [here, file] = [await textOf(page), await stage.read(path)];
    assert.equal(here, file);
    return file;
  });
  for (const words of all) assert.equal(text.split(words).length - 1, 1, `${JSON.stringify(words.slice(0, 300))} in ${JSON.stringify(text.slice(0, 1500))}`);
  return text;
}

for (const seed of [1, 2, 3]) {
  test(`a connection that is cut at moments of chance, ${seed}, loses no letter and doubles none`, async () => {
    const path = `typing-${seed}.md`;
    const page = await stage.page(null, { name: "Anna" });
    const line = await cutting(page, chance(seed), 40);
    await page.goto(stage.linkTo(path));
    await page.waitForSelector("[data-ready]");
    await caretBehind(page, PLACE);
    const words = numbered("c", 40);
    const write = await worker(stage, "Terminal", path);
    const meanwhile = async () => {
      for (let number = 0; number < 10; number++) await write(`Meanwhile ${number}.`);
    };
    await Promise.all([page.keyboard.type(words), meanwhile()]);
    // It goes on until it was cut often enough, whatever the machine does.
    for (let more = 0; line.cuts < CUTS; more++) await page.keyboard.type(` more${more}`);
    line.over();
    const text = await assertWhole(page, path, [`${PLACE}${words}`, ...Array.from({ length: 10 }, (_, number) => `\nMeanwhile ${number}.\n`)]);
    assert.match(text.slice(text.indexOf(words) + words.length), /^( more\d+)*\n/);
  });
}

for (const seed of [1, 2, 3]) {
  test(`what was written while the server was away is merged once, however often that is cut off, ${seed}`, async () => {
    const path = `rebasing-${seed}.md`;
    const page = await stage.page(null, { name: "Anna" });
    const next = chance(100 + seed);
    const line = await cutting(page, next, 12);
    line.over();
    let asked = 0;
    await page.route("**/api/rebase", async (route) => {
      asked += 1;
      if (line.isOver) return route.continue();
      const outcome = next(4);
      // It does not arrive; it arrives and the answer does not; it arrives and the connection is gone by then; it arrives.
      if (outcome === 0) return route.abort();
      const answer = await route.fetch().catch(() => null);
      if (answer === null || outcome === 1) return route.abort();
      if (outcome === 2) for (const socket of line.open) void socket.close({ code: 1011 });
      return route.fulfill({ response: answer });
    });
    await page.goto(stage.linkTo(path));
    await page.waitForSelector("[data-ready]");
    await caretBehind(page, PLACE);
    let all = "";
    const type = async (words) => {
      await page.keyboard.type(words);
      all += words;
    };
    for (let round = 0; round < 3; round++) {
      await type(` before${round}`);
      await stage.stop("SIGKILL");
      await says(page, /Offline|Not saved/);
      await type(` away${round} Größe 😀`);
      const disk = await stage.read(path);
      await stage.write(path, disk.replace("## User", `Edited meanwhile, ${round}.\n\n## User`));
      line.isOver = false;
      asked = 0;
      await stage.start();
      await page.evaluate(() => window.dispatchEvent(new Event("online")));
      // When it is through, or has been tried often enough, nothing is cut off any more.
      await eventually(async () => asked >= 3 || (await page.locator(".save").textContent()) === "Saved");
      line.over();
      await isSaved(page);
      await caretBehind(page, `away${round} Größe 😀`);
    }
    await assertWhole(page, path, [`${PLACE}${all}\n`, "# Moving the release", ...[0, 1, 2].map((round) => `Edited meanwhile, ${round}.`)]);
  });
}

/** A page whose clock is in the hands of the test, and whose connection too. */
async function away(path, name) {
  const page = await stage.page(null, { name });
  await page.clock.install();
  const line = { isCut: false, open: new Set(), tries: 0 };
  await page.routeWebSocket(/\/ws\?/, (socket) => {
    line.tries += 1;
    if (line.isCut) return void socket.close({ code: 1011 });
    const server = socket.connectToServer();
    line.open.add(socket);
    server.onMessage((message) => socket.send(message));
    socket.onMessage((message) => server.send(message));
    server.onClose((code, reason) => void socket.close({ code: code === 1006 || code === undefined ? 1011 : code, reason }));
  });
  await page.goto(stage.linkTo(path));
  await page.waitForSelector("[data-ready]");
  await isSaved(page);
  line.cut = async () => {
    line.isCut = true;
    await Promise.all([...line.open].map((socket) => socket.close({ code: 1011 })));
    line.open.clear();
  };
  return [page, line];
}

test("L04: a page that slept for an hour over unsent words says so all the while, and then sends them", async () => {
  const [page, line] = await away("slept.md", "Anna");
  await caretBehind(page, PLACE);
  await line.cut();
  await says(page, "Offline");
  await page.keyboard.type(" Before the sleep.");
  await says(page, "Not saved");
  for (let minutes = 0; minutes < 60; minutes += 10) {
    await page.clock.fastForward(10 * 60 * 1000);
    assert.equal(await page.locator(".save").textContent(), "Not saved");
    assert.equal(await page.locator(".banner").isVisible(), true);
  }
  await (await worker(stage, "Terminal", "slept.md"))("Written in the night.");
  assert.ok(!(await textOf(page)).includes("Written in the night."));
  line.isCut = false;
  await page.clock.fastForward(10_000);
  await assertWhole(page, "slept.md", [`${PLACE} Before the sleep.`, "\nWritten in the night.\n"]);
  assert.equal(await page.locator(".banner").isVisible(), false);
});

test("L04: an idle page finds the server again by itself, after a long drop and after a restart, and shows what it missed", async () => {
  const [page, line] = await away("idle.md", "Anna");
  await line.cut();
  await says(page, "Offline");
  await page.locator(".banner", { hasText: "does not answer" }).waitFor();
  const before = line.tries;
  // Half a minute, as it passes for the page: it tries now and then, not all the time.
  for (let seconds = 0; seconds < 30; seconds += 2) {
    await page.clock.runFor(2000);
    await page.evaluate(() => undefined);
  }
  assert.ok(line.tries > before && line.tries - before <= 15, `${line.tries - before} tries in 30 s`);
  await (await worker(stage, "Terminal", "idle.md"))("While it was cut.");
  line.isCut = false;
  await page.clock.runFor(10_000);
  await eventually(async () => (await textOf(page)).includes("While it was cut."));
  await isSaved(page);
  await stage.stop("SIGKILL");
  await says(page, "Offline");
  await stage.write("idle.md", (await stage.read("idle.md")).replace("## User", "While it was down.\n\n## User"));
  await stage.start();
  await page.clock.runFor(10_000);
  await assertWhole(page, "idle.md", ["\nWhile it was cut.\n", "\nWhile it was down.\n"]);
});
