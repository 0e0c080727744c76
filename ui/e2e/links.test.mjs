// What a page does when its link is ended or another one is given, and while it opens and others write: no word is lost.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { PLAN } from "./samples.mjs";
import { Stage, beforeCaret, caretBehind, eventually, isSaved, textOf } from "./stage.mjs";
import { worker } from "./worker.mjs";

const LONG = `${PLAN}\n${Array.from({ length: 1000 }, (_, number) => `## Part ${number}\n\n${`Words of part ${number}. `.repeat(40)}\n`).join("\n")}`;

let stage;
before(async () => {
  stage = await Stage.open({ "plan.md": PLAN, "typed.md": PLAN, "given.md": PLAN, "read.md": PLAN, "long.md": LONG, "cut.md": LONG });
});
afterEach(() => stage.clear());
after(() => stage.close());

const post = (where, body) =>
  fetch(`${stage.origin}${where}`, { method: "POST", headers: { authorization: `Bearer ${stage.token}`, "content-type": "application/json" }, body: JSON.stringify(body) });

/** Ends all links, from outside of the page; the stage goes on with the new one. */
async function endLinks() {
  const { token } = await (await post("/api/keys/renew", {})).json();
  stage.link = `${stage.origin}/#token=${token}`;
}

/** What pasting a link into the bar of the same tab does. */
const paste = (page, link) => page.evaluate((link) => void (location.href = link), link);

test("every key stays while merges change the section above, below and around the caret, and the caret stays behind the last one", async () => {
  const page = await stage.page("typed.md");
  const place = "Two things stand in the way";
  await caretBehind(page, place);
  const words = Array.from({ length: 40 }, (_, number) => ` k${number}`).join("");
  let isTyping = true;
  const merges = (async () => {
    for (let round = 0; isTyping; round++) {
      // The server merges a whole text into what has come meanwhile, as the conductor does with its canon.
      const text = await stage.read("typed.md");
      const next = text.replace(/^# Moving.*$/m, `# Moving the release, round ${round}`).replace(/^The store is ready.*$/m, `The store is ready in round ${round}.`);
      const answer = await post("/api/rebase", { path: "typed.md", name: "Conductor", base: text, text: next });
      assert.equal(answer.status, 200, await answer.text());
    }
    return stage.read("typed.md");
  })();
  await page.keyboard.type(words, { delay: 15 });
  isTyping = false;
  await merges;
  await isSaved(page);
  await eventually(async () => (await stage.read("typed.md")) === (await textOf(page)));
  const text = await textOf(page);
  assert.ok(text.includes(`${place}${words}:`), text.slice(0, 800));
  assert.match(text, /round \d+\.$/m);
  assert.equal(await beforeCaret(page, words.length), words);
  assert.deepEqual(page.complaints, []);
});

test("words that were not sent when all links were ended stay in the page, and a new link in the same tab sends them", async () => {
  const page = await stage.page(null);
  let isHeld = false;
  await page.routeWebSocket(/\/ws\?/, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((message) => {
      if (!isHeld) server.send(message);
    });
  });
  await page.goto(stage.linkTo("given.md"));
  await page.waitForSelector("[data-ready]");
  await caretBehind(page, "Note to Researcher");
  isHeld = true;
  await page.keyboard.type(" before");
  await endLinks();
  await page.locator(".banner", { hasText: "Open the new link; your words are kept here" }).waitFor();
  isHeld = false;
  await page.keyboard.type(" and after");
  await page.getByRole("button", { name: "Save a copy" }).waitFor();
  // Whoever goes for the new link comes back to the tab. The page still says what to do.
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await page.locator(".banner", { hasText: "Open the new link" }).waitFor();
  assert.ok((await textOf(page)).includes("Note to Researcher before and after:"));
  assert.ok(!(await stage.read("given.md")).includes("before and after"));
  await paste(page, stage.linkTo("given.md"));
  await isSaved(page);
  assert.ok((await stage.read("given.md")).includes("Note to Researcher before and after:"));
  assert.equal(await beforeCaret(page, 17), " before and after");
  assert.equal(await page.evaluate(() => location.hash), "");
});

test("words that were not sent when all links were ended are there after the page was closed and the new link opened", async () => {
  const page = await stage.page("plan.md");
  await caretBehind(page, "Note to Researcher");
  await endLinks();
  await page.locator(".banner", { hasText: "Open the new link" }).waitFor();
  await page.keyboard.type(" once more");
  page.on("dialog", (dialog) => void dialog.accept());
  await page.goto(stage.link);
  await page.goto(stage.linkTo("plan.md"));
  await page.waitForSelector("[data-ready]");
  await eventually(async () => (await stage.read("plan.md")).includes("Note to Researcher once more:"));
  assert.ok((await textOf(page)).includes("Note to Researcher once more:"));
});

test("another link in the same tab is taken at once: to read only, and to write again", async () => {
  const page = await stage.page("read.md");
  const { token } = await (await post("/api/keys", { role: { kind: "reader" } })).json();
  await paste(page, stage.linkTo("read.md").replace(stage.token, token));
  await page.locator(".save", { hasText: "Reading" }).waitFor();
  await caretBehind(page, "Note to Researcher");
  await page.keyboard.type(" harm");
  assert.ok(!(await textOf(page)).includes("harm"));
  await paste(page, stage.linkTo("read.md"));
  await isSaved(page);
  await page.keyboard.type(" good");
  await eventually(async () => (await stage.read("read.md")).includes("Note to Researcher good:"));
  // The first page takes it too.
  const home = await stage.page(null);
  await paste(home, stage.link.replace(stage.token, "0".repeat(32)));
  await home.getByRole("alert").filter({ hasText: "open the link that 'agent-doc serve' printed" }).waitFor();
  await paste(home, stage.link);
  await home.getByRole("link", { name: /read\.md/ }).waitFor();
});

test("a long document that others write in while it opens is whole, and what is typed at once is kept", async () => {
  const write = await worker(stage, "Terminal", "long.md");
  for (let round = 0; round < 5; round++) {
    let isOpening = true;
    const writing = (async () => {
      for (let count = 0; isOpening; count++) await write(`r${round}w${count}.`);
    })();
    const page = await stage.page("long.md");
    await page.keyboard.type(`typed${round} `);
    isOpening = false;
    await writing;
    await isSaved(page);
    await eventually(async () => (await stage.read("long.md")) === (await textOf(page)));
    assert.equal((await textOf(page)).split(`typed${round} `).length, 2);
    await eventually(async () => (await page.locator(".outline li").count()) === 1000);
    assert.deepEqual(page.complaints, []);
    await stage.clear();
  }
});

test("a page whose connection is lost while it opens shows the text, and joins again", async () => {
  const page = await stage.page(null);
  let cuts = 0;
  await page.routeWebSocket(/\/ws\?/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((message) => {
      socket.send(message);
      // The text has come, and is being shown.
      if (typeof message === "string" || message.length < 100_000 || cuts > 0) return;
      cuts += 1;
      void server.close({ code: 1000 });
      void socket.close({ code: 1011 });
    });
  });
  await page.goto(stage.linkTo("cut.md"));
  await page.waitForSelector("[data-ready]");
  assert.equal(cuts, 1);
  await page.keyboard.type("typed ");
  await eventually(async () => (await stage.read("cut.md")).startsWith("typed "));
  await isSaved(page);
  assert.equal(await textOf(page), await stage.read("cut.md"));
});
