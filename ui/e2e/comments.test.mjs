// What people say about passages, what they take away, and what they begin.
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { PLAN } from "./samples.mjs";
import { Stage, eventually, textOf } from "./stage.mjs";

// One red point.
const PNG = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==", "base64");
const IMAGES = `# Images

![beside](pictures/one.png) ![above](../one.png) ![far](https://track.example/far.png) ![inline](data:image/png;base64,x)

See [the plan](plan.md) and <script>window.harmed = 1</script>.
`;

let stage;
before(async () => {
  stage = await Stage.open({ "talk.md": PLAN, "restart.md": PLAN, "gone.md": PLAN, "export.md": PLAN, "docs/images.md": IMAGES, "docs/plan.md": PLAN });
  await mkdir(join(stage.folder, "docs/pictures"));
  for (const name of ["docs/pictures/one.png", "one.png"]) await writeFile(join(stage.folder, name), PNG);
});
afterEach(() => stage.clear());
after(() => stage.close());

async function select(page, words) {
  await page.evaluate((words) => {
    const { view } = document.querySelector(".cm-content").cmTile;
    const at = view.state.doc.toString().indexOf(words);
    view.focus();
    view.dispatch({ selection: { anchor: at, head: at + words.length } });
  }, words);
}

async function comment(page, words, text) {
  await select(page, words);
  await page.keyboard.press("Alt+m");
  await page.getByLabel("What do you say about it?").fill(text);
  await page.getByRole("button", { name: "Comment", exact: true }).click();
  await page.locator(".thread", { hasText: text }).waitFor();
}
const marked = (page) => page.locator(".commented").allTextContents();

test("a comment stands in the margin of every page, is answered and resolved, and is never in the text", async () => {
  const anna = await stage.page("talk.md", { name: "Anna" });
  const ben = await stage.page("talk.md", { name: "Ben" });
  await comment(anna, "Wednesday noon", "In which zone?");
  await eventually(async () => (await marked(ben)).join() === "Wednesday noon");
  await ben.locator(".comment-sign").first().click();
  await ben.locator(".thread .by-line", { hasText: "Anna" }).waitFor();
  await ben.getByLabel("Reply").fill("UTC.");
  await ben.getByRole("button", { name: "Reply" }).click();
  await anna.locator(".remark", { hasText: "UTC." }).waitFor();
  assert.equal(await stage.read("talk.md"), PLAN);
  await anna.getByRole("button", { name: "Resolve" }).click();
  await eventually(async () => (await marked(ben)).length === 0);
  await anna.getByLabel("Show resolved").check();
  await anna.locator(".thread.resolved", { hasText: "UTC." }).waitFor();
  assert.equal(await stage.read("talk.md"), PLAN);
  assert.deepEqual([...anna.complaints, ...ben.complaints], []);
});

test("a comment moves with its words, through edits of others and a restart of the server", async () => {
  const page = await stage.page("restart.md", { name: "Anna" });
  await comment(page, "compare", "With what?");
  await stage.command("section", "append", "restart.md", "Conductor", "Compare twice.", "--as", "user").catch(() => undefined);
  await stage.write("restart.md", (await stage.read("restart.md")).replace("# Moving", "A line above.\n\n# Moving"));
  await eventually(async () => (await textOf(page)).startsWith("A line above."));
  await eventually(async () => (await marked(page)).join() === "compare");
  await stage.stop("SIGKILL");
  const disk = await stage.read("restart.md");
  await stage.write("restart.md", disk.replace("A line above.", "Two lines above.\n\nWritten while nobody watched."));
  await stage.start();
  const later = await stage.page("restart.md", { name: "Ben" });
  await eventually(async () => (await marked(later)).join() === "compare");
  await eventually(async () => (await marked(page)).join() === "compare");
});

test("a comment whose words are gone says so and is not lost", async () => {
  const page = await stage.page("gone.md");
  await comment(page, "Freeze the format on Tuesday.", "Which one?");
  await select(page, "1. Freeze the format on Tuesday.\n");
  await page.keyboard.press("Delete");
  await page.locator(".save", { hasText: /^Saved$/ }).waitFor();
  const later = await stage.page("gone.md");
  await later.keyboard.press("Alt+c");
  await later.locator(".thread .quote.gone", { hasText: "Freeze the format" }).waitFor();
  assert.deepEqual(await marked(later), []);
});

test("pi-2: images beside the document are shown, others after a click, and those of the net never in the page", async () => {
  const page = await stage.page("docs/images.md", { mode: "preview" });
  await page.locator(".image.shown img[alt=beside]").waitFor();
  assert.equal(await page.locator(".reading img").count(), 1);
  await page.locator(".image", { hasText: "../one.png" }).getByRole("button", { name: "Show" }).click();
  await page.locator("img[alt=above]").waitFor();
  const far = page.locator(".image a");
  assert.deepEqual([await far.getAttribute("href"), await far.getAttribute("rel"), await far.getAttribute("target")], ["https://track.example/far.png", "noopener noreferrer", "_blank"]);
  assert.deepEqual(page.requests.filter((url) => !url.startsWith(stage.origin) && !/^(data|blob):/.test(url)), []);
  assert.deepEqual(page.complaints, []);
});

async function exported(page, kind) {
  await page.keyboard.press("Alt+e");
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: kind, exact: true }).click()]);
  return [download.suggestedFilename(), await readFile(await download.path(), "utf8")];
}

test("a document is exported as it is, and as one page that needs nothing else", async () => {
  const page = await stage.page("docs/images.md");
  assert.deepEqual(await exported(page, "Markdown"), ["images.md", IMAGES]);
  const [name, html] = await exported(page, "HTML");
  assert.equal(name, "images.html");
  assert.ok(html.includes("<style>") && html.includes("Content-Security-Policy") && html.includes("data:image/png;base64,iVBOR"), html);
  assert.ok(html.includes('href="plan.md"'), html);
  assert.ok(!html.includes(stage.token), "the secret is in the file");
  assert.ok(!/<script|<img[^>]+src="(?!data:)/.test(html), html);
  // It opens by itself, without a request and without a script.
  const alone = await page.context().newPage();
  const asked = [];
  alone.on("request", (request) => asked.push(request.url()));
  await alone.route("**/alone.html", (route) => route.fulfill({ contentType: "text/html", body: html }));
  await alone.goto("http://alone.example/alone.html");
  await alone.locator("h1", { hasText: "Images" }).waitFor();
  assert.equal(await alone.evaluate(() => window.harmed), undefined);
  assert.deepEqual(asked.filter((url) => !url.startsWith("data:")), ["http://alone.example/alone.html"]);
});

test("a document is begun from the page, and one that is there is not written over", async () => {
  const page = await stage.page(null);
  await page.getByRole("button", { name: "New document" }).click();
  await page.getByLabel("Its name in this folder").fill("talk");
  await page.keyboard.press("Enter");
  await page.locator("dialog .problem").waitFor();
  assert.equal(await stage.read("talk.md"), PLAN);
  await page.getByLabel("Its name in this folder").fill("notes/new-things");
  await page.keyboard.press("Enter");
  await page.waitForURL(/write\?path=notes\/new-things\.md/);
  await page.waitForSelector("[data-ready]");
  assert.equal(await textOf(page), "# New things\n\n");
  await page.locator(".cm-content").focus();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("Begun.");
  await page.locator(".save", { hasText: /^Saved$/ }).waitFor();
  assert.equal(await stage.read("notes/new-things.md"), "# New things\n\nBegun.");
});
