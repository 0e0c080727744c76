// What comes to a page after the whole text: in order, twice, swapped, or not at all. A page that joins in the middle misses nothing.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { PLAN } from "./samples.mjs";
import { Stage, eventually, isSaved, textOf } from "./stage.mjs";
import { worker } from "./worker.mjs";

let stage;
const names = ["joined", "doubled", "swapped", "dropped"];
before(async () => {
  stage = await Stage.open(Object.fromEntries(names.map((name) => [`${name}.md`, PLAN])));
});
afterEach(() => stage.clear());
after(() => stage.close());

/** The numbers of the worker's lines, in the order of the text. */
const numbers = (text) => Array.from(text.matchAll(/^Finding (\d+)\.$/gm), ([, number]) => Number(number));
const upTo = (count) => Array.from({ length: count }, (_, number) => number);

test("L03: a page that is opened, loaded again or opened twice in the middle has the text with its revision first, and then misses nothing", async () => {
  const append = await worker(stage, "Researcher", "joined.md");
  let [written, isOver] = [0, false];
  const writing = (async () => {
    for (; !isOver; written++) await append(`Finding ${written}.`);
  })();
  const first = [];
  const page = await stage.page(null);
  page.on("websocket", (socket) => {
    if (!socket.url().includes("/ws?")) return;
    const frames = [];
    first.push(frames);
    socket.on("framereceived", ({ payload }) => frames.length < 2 && frames.push(payload));
  });
  await page.goto(stage.linkTo("joined.md"));
  for (let round = 0; round < 4; round++) {
    await page.waitForSelector("[data-ready]");
    const known = written;
    const seen = numbers(await textOf(page));
    assert.deepEqual(seen, upTo(seen.length));
    // All that was in the file when the page was ready is on its way at least; nothing between is missing.
    await eventually(async () => numbers(await textOf(page)).length >= known + 3);
    const later = numbers(await textOf(page));
    assert.deepEqual(later, upTo(later.length));
    await page.reload();
  }
  const other = await stage.page("joined.md", { name: "Ben" });
  isOver = true;
  await writing;
  const text = await stage.read("joined.md");
  assert.deepEqual(numbers(text), upTo(written));
  await page.waitForSelector("[data-ready]");
  for (const shown of [page, other]) await eventually(async () => (await textOf(shown)) === text);
  assert.ok(first.length >= 5);
  for (const [hello, body] of first.filter((frames) => frames.length === 2)) {
    const { kind, revision } = JSON.parse(hello);
    assert.equal(kind, "hello");
    assert.ok(Number.isInteger(revision), hello);
    assert.ok(typeof body !== "string", "the text comes right behind it");
  }
  assert.deepEqual(page.complaints, []);
});

/** A page whose frames with words pass through `change`, which gives those that come instead. Counts how often it joined. */
async function tampered(path, change) {
  const page = await stage.page(null);
  page.joined = 0;
  await page.routeWebSocket(/\/ws\?/, (socket) => {
    page.joined++;
    const server = socket.connectToServer();
    let count = 0;
    socket.onMessage((message) => server.send(message));
    server.onMessage((message) => {
      // 0 and 2 begin an update of the text; what comes in answer to joining begins with 0 and 1.
      const isWords = typeof message !== "string" && message[0] === 0 && message[1] === 2;
      const frames = isWords ? change(message, count++, page.joined) : [message];
      for (const frame of frames) socket.send(frame);
    });
  });
  await page.goto(stage.linkTo(path));
  await page.waitForSelector("[data-ready]");
  return page;
}

async function written(path, count) {
  const append = await worker(stage, "Researcher", path);
  for (let number = 0; number < count; number++) await append(`Finding ${number}.`);
  return stage.read(path);
}

test("L05: words that come twice are there once", async () => {
  const page = await tampered("doubled.md", (frame) => [frame, frame]);
  const text = await written("doubled.md", 20);
  await eventually(async () => (await textOf(page)) === text);
  assert.deepEqual(numbers(await textOf(page)), upTo(20));
  assert.equal(page.joined, 1);
});

test("L05: words that come in the wrong order stand in the right one", async () => {
  let held = null;
  const page = await tampered("swapped.md", (frame, count) => {
    if (count % 2 === 0) {
      held = frame;
      return [];
    }
    return [frame, held];
  });
  const text = await written("swapped.md", 20);
  await eventually(async () => (await textOf(page)) === text);
  assert.deepEqual(numbers(await textOf(page)), upTo(20));
});

test("L05: words that do not come are asked for, and what is typed meanwhile stays", async () => {
  const page = await tampered("dropped.md", (frame, count, joined) => (joined === 1 && count === 5 ? [] : [frame]));
  await page.locator(".cm-content").focus();
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("Typed. ");
  await isSaved(page);
  const writing = written("dropped.md", 20);
  await page.keyboard.type("Typed meanwhile. ");
  await writing;
  await isSaved(page);
  await eventually(async () => (await textOf(page)) === (await stage.read("dropped.md")));
  const text = await textOf(page);
  assert.deepEqual(numbers(text), upTo(20));
  assert.ok(text.startsWith("Typed. Typed meanwhile. "), text.slice(0, 80));
  assert.ok(page.joined >= 2, "it never joined again");
});
