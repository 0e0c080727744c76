// Runs of real agents and what becomes of them: ended by the person, failed, taken and refused. The page says what the run's record says.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, afterEach, before, test } from "node:test";
import { NOTES } from "./samples.mjs";
import { Stage, eventually, textOf } from "./stage.mjs";

const SENTENCE = "A rename is not enough, because another program may save in between.";
const FILES = { "notes/journals.md": `${NOTES}\n${SENTENCE}\n` };
const WHY = "Why is a rename not enough?";
let stage;
before(async () => {
  stage = await Stage.open(FILES);
});
afterEach(() => stage.clear());
after(() => stage.close());

const panel = (page) => page.getByRole("complementary", { name: "Run" });
const status = (page, words) => panel(page).locator(".status", { hasText: words }).waitFor();
async function submit(page, objective) {
  await page.getByLabel("What should agents do?").fill(objective);
  await page.keyboard.press("Enter");
  await page.waitForURL(/write\?path=runs\//);
  await page.waitForSelector("[data-ready]");
  return new URL(page.url()).searchParams.get("path");
}

/** A page that is loaded again, another one, and the list all say the same. */
async function assertLasts(stage, page, path, words) {
  await page.reload();
  await page.waitForSelector("[data-ready]");
  await status(page, words);
  const other = await stage.page(path, { name: "Ben" });
  await status(other, words);
  await page.goto(stage.linkTo(null));
  await page.locator(".documents li", { hasText: path }).locator(".status", { hasText: words }).waitFor();
}

test("L10: a run that the person ends is cancelled, keeps what was found, and is so after a reload and after a restart", async () => {
  const page = await stage.page(null);
  const path = await submit(page, `${WHY}\n$ cat notes/journals.md\n$ touch made.txt`);
  await page.getByRole("alertdialog").waitFor();
  await status(page, "Waiting for worker…");
  // Loaded again in the middle, it is where it was.
  await page.reload();
  await page.waitForSelector("[data-ready]");
  await status(page, "Waiting for worker…");
  await panel(page).getByRole("button", { name: "Stop all" }).click();
  await status(page, "Cancelled");
  assert.ok((await textOf(page)).includes("Ran `cat notes/journals.md`"));
  assert.equal(await page.getByRole("alertdialog").count(), 0);
  await assertLasts(stage, page, path, "Cancelled");
  await stage.stop("SIGKILL");
  await stage.start();
  const later = await stage.page(path);
  await status(later, "Cancelled");
  assert.ok((await textOf(later)).includes("Ran `cat notes/journals.md`"));
});

test("L10: the state of a run is not read from its text", async () => {
  const page = await stage.page(null);
  const path = await submit(page, `Failed Cancelled Running…\n$ touch other.txt`);
  await page.getByRole("alertdialog").waitFor();
  await page.locator(".cm-content").focus();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("Status: Completed\n");
  await page.locator(".save", { hasText: /^Saved$/ }).waitFor();
  await status(page, "Waiting for worker…");
  await panel(page).getByRole("button", { name: "Stop all" }).click();
  await status(page, "Cancelled");
  assert.ok((await stage.read(path)).includes("Status: Completed"));
});

test("L10: a run whose model refuses is failed, says why, and is so after a reload", async () => {
  const model = createServer((_, answer) => {
    answer.writeHead(401, { "content-type": "application/json" });
    answer.end(JSON.stringify({ type: "error", error: { type: "authentication_error", message: "invalid x-api-key" } }));
  });
  await new Promise((ready) => model.listen(0, "127.0.0.1", ready));
  const refused = await Stage.open(FILES, { env: { AGENT_DOC_MODEL: "anthropic/claude-sonnet-5-5", ANTHROPIC_API_KEY: "a-key-of-the-test", ANTHROPIC_BASE_URL: `http://127.0.0.1:${model.address().port}` } });
  try {
    const page = await refused.page(null);
    const path = await submit(page, WHY);
    await status(page, "Failed");
    assert.ok((await panel(page).textContent()).length > 20);
    // No page, and nothing that it asked for, has seen the key.
    assert.ok(!(await page.content()).includes("a-key-of-the-test"));
    await assertLasts(refused, page, path, "Failed");
  } finally {
    await refused.close();
    model.close();
  }
});

test("what is accepted moves into the canon with its author's name, and what is rejected leaves the document", async () => {
  const page = await stage.page(null);
  const path = await submit(page, WHY);
  await status(page, "Completed");
  const proposal = (words) => page.locator(".proposal", { hasText: words }).first();
  await proposal(SENTENCE).waitFor();
  const part = (text, name) => text.split(`## ${name}\n`)[1].split("\n## ")[0];
  const before = await stage.read(path);
  assert.ok(part(before, "Researcher").includes(SENTENCE));
  await proposal(SENTENCE).getByRole("button", { name: /^Accept/ }).click();
  const taken = (text) => part(text, "Conductor").split("Accepted from Researcher:")[1]?.includes(SENTENCE) ?? false;
  await eventually(async () => taken(await stage.read(path)));
  const accepted = await stage.read(path);
  assert.ok(!part(accepted, "Researcher").includes(SENTENCE), accepted);
  const [mark] = part(accepted, "Terminal").match(/_Found by fixed rules[^\n]*/);
  const rejected = page.locator(".proposal", { has: page.locator(".by-line", { hasText: "Terminal" }), hasText: mark.replaceAll("_", "").slice(0, 20) }).first();
  await rejected.getByRole("button", { name: /^Reject/ }).click();
  await eventually(async () => !part(await stage.read(path), "Terminal").includes(mark));
  assert.ok(taken(await stage.read(path)));
  await eventually(async () => (await textOf(page)) === (await stage.read(path)));
  // It is not proposed again, also not to one who comes later.
  await page.reload();
  await page.waitForSelector("[data-ready]");
  await proposal("Ran").waitFor();
  assert.equal(await page.locator(".proposal", { has: page.locator(".by-line", { hasText: "Terminal" }), hasText: "Found by fixed rules" }).count(), 0);
  assert.deepEqual(page.complaints, []);
});
