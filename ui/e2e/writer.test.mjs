// People, agents and other programs in one document, as a person sees it.
import assert from "node:assert/strict";
import { readFile, rename, unlink } from "node:fs/promises";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { PLAN } from "./samples.mjs";
import { Stage, caretBehind, eventually, isSaved, textOf } from "./stage.mjs";

let stage;
const names = ["type", "outside", "append", "two", "restart", "undo", "history", "proposal", "gone", "moved", "authors", "print"];
const LONG = `# Long\n\n${Array.from({ length: 400 }, (_, index) => `Paragraph ${index} has a few words, and **some** of them are strong.\n`).join("\n")}`;
const PARTS = `# Parts\n\n${Array.from({ length: 1500 }, (_, index) => `## Part ${index}\n\nA few words, and **some** of them are strong.\n`).join("\n")}`;
before(async () => {
  const files = Object.fromEntries(names.map((name) => [`${name}.md`, PLAN]));
  stage = await Stage.open({ ...files, "windows.md": "# One\r\n\r\nTwo\r\n", "long.md": LONG, "parts.md": PARTS, "struck.md": "# Struck\n\n~~Ten~~ Nine of them.\n\n## Researcher\n<!-- proposal -->\n\n~~Old way.~~ New way.\n" });
});
afterEach(() => stage.clear());
after(() => stage.close());

const editor = (page) => page.locator(".cm-content");

test("what a person types is in the file, and the page says so only then", async () => {
  const page = await stage.page("type.md");
  await caretBehind(page, "slow disks.");
  await page.keyboard.type(" It was seen twice. Größe 😀");
  await page.locator(".save", { hasText: "Saving" }).waitFor();
  await isSaved(page);
  const text = await stage.read("type.md");
  assert.equal(text, PLAN.replace("slow disks.", "slow disks. It was seen twice. Größe 😀"));
  assert.equal(await textOf(page), text);
  assert.deepEqual(page.complaints, []);
});

test("L07 L08: a save with another program appears in the page, and the caret stays with its words", async () => {
  const page = await stage.page("outside.md");
  await caretBehind(page, "slow disks.");
  await stage.write("outside.md", PLAN.replace("# Moving", "A line above.\n\n# Moving"));
  await eventually(async () => (await textOf(page)).startsWith("A line above."));
  await page.keyboard.type(" Typed here.");
  await eventually(async () => (await stage.read("outside.md")).includes("slow disks. Typed here."));
});

test("L02: a worker's words appear live, with its name, in its section", async () => {
  const page = await stage.page("append.md");
  await page.evaluate(() => document.querySelectorAll(".outline button")[2].click());
  await stage.command("section", "append", "append.md", "Researcher", "Tried on 200 journals.", "--as", "Researcher");
  await page.getByText("Tried on 200 journals.").waitFor();
  await page.locator(".caret.agent", { hasText: "Researcher" }).waitFor();
  await page.locator(".badge.agent", { hasText: "Researcher" }).waitFor();
  await eventually(async () => (await page.locator("#announcer").textContent()).includes("Researcher wrote in Researcher"));
});

test("L11: two people and a worker write at once, and all see the same", async () => {
  const [anna, ben] = await Promise.all([stage.page("two.md", { name: "Anna" }), stage.page("two.md", { name: "Ben" })]);
  await Promise.all([caretBehind(anna, "slow disks."), caretBehind(ben, "keep the old files for a month.")]);
  await ben.locator(".caret", { hasText: "Anna" }).waitFor();
  const agent = async () => {
    for (let count = 0; count < 5; count++) {
      await stage.command("section", "append", "two.md", "Terminal", `Run ${count} is done.`, "--as", "Terminal");
    }
  };
  await Promise.all([anna.keyboard.type(" Anna says that it is fine."), ben.keyboard.type(" Ben thinks of a year."), agent()]);
  await Promise.all([isSaved(anna), isSaved(ben)]);
  await eventually(async () => (await textOf(anna)) === (await textOf(ben)));
  const text = await textOf(anna);
  await eventually(async () => (await stage.read("two.md")) === text);
  for (const words of [" Anna says that it is fine.", " Ben thinks of a year.", ...[0, 1, 2, 3, 4].map((n) => `Run ${n} is done.`)]) {
    assert.equal(text.split(words).length, 2, words);
  }
  assert.deepEqual([...anna.complaints, ...ben.complaints], []);
});

for (const signal of ["SIGKILL", "SIGTERM"]) {
  test(`L04: after ${signal} and a restart nothing that was typed is lost, and nothing is there twice`, async () => {
    const page = await stage.page("restart.md", { name: "Anna" });
    await caretBehind(page, "slow disks.");
    await page.keyboard.type(` Before ${signal}.`);
    await isSaved(page);
    await stage.stop(signal);
    await page.locator(".save", { hasText: "Offline" }).waitFor();
    await page.keyboard.type(` While it was away, after ${signal}.`);
    await page.locator(".save", { hasText: "Not saved" }).waitFor();
    await page.getByText("Your words are kept here").waitFor();
    const disk = await stage.read("restart.md");
    await stage.write("restart.md", disk.replace("## User", `Edited meanwhile, ${signal}.\n\n## User`));
    await stage.start();
    await isSaved(page);
    const text = await textOf(page);
    assert.equal(await stage.read("restart.md"), text);
    for (const words of [` Before ${signal}. While it was away, after ${signal}.`, `Edited meanwhile, ${signal}.`, "# Moving the release"]) {
      assert.equal(text.split(words).length, 2, words);
    }
    await page.keyboard.type(" And on.");
    await isSaved(page);
    await eventually(async () => (await stage.read("restart.md")).includes(`after ${signal}. And on.`));
  });
}

test("a page that is opened has the whole text, and nobody's caret stands in it", async () => {
  const page = await stage.page("long.md");
  // Ready means that the text is there.
  assert.equal(await textOf(page), LONG);
  await page.locator(".save", { hasText: /^Saved$/ }).waitFor();
  assert.equal(await page.locator(".caret").count(), 0);
});

for (const signal of ["SIGKILL", "SIGTERM"]) {
  test(`after ${signal} and a restart an idle page stands where it stood`, async () => {
    const page = await stage.page("long.md");
    const place = () => page.evaluate(() => {
      const { view } = document.querySelector(".cm-content").cmTile;
      const top = view.scrollDOM.getBoundingClientRect().top;
      const [line] = [...document.querySelectorAll(".cm-line")].filter((line) => line.getBoundingClientRect().bottom > top);
      return { caret: view.state.selection.main.head, scrollTop: Math.round(view.scrollDOM.scrollTop), line: line.textContent, focus: view.hasFocus };
    });
    await caretBehind(page, "Paragraph 201 has");
    await page.evaluate(() => {
      const { view } = document.querySelector(".cm-content").cmTile;
      view.scrollDOM.scrollTop = view.lineBlockAt(view.state.selection.main.head).top - 300;
    });
    await page.waitForTimeout(200);
    const before = await place();
    assert.ok(before.scrollTop > 1000, JSON.stringify(before));
    await stage.stop(signal);
    await page.locator(".save", { hasText: "Offline" }).waitFor();
    await stage.start();
    await isSaved(page);
    assert.equal(await page.locator(".caret").count(), 0);
    assert.deepEqual(await place(), before);
    // The page is bound to the new session: what is typed now arrives.
    await page.keyboard.type(`, after ${signal},`);
    await isSaved(page);
    await eventually(async () => (await stage.read("long.md")).includes(`Paragraph 201 has, after ${signal},`));
    assert.deepEqual(page.complaints.filter((words) => !words.includes("WebSocket")), []);
    await stage.write("long.md", LONG);
  });
}

for (const theme of ["light", "dark", "contrast"]) {
  test(`print from ${theme} is dark ink on white paper, and the text as it is at that moment`, async () => {
    const page = await stage.page("print.md", { theme });
    await caretBehind(page, "slow disks.");
    await page.keyboard.type(` Printed from ${theme}.`);
    await page.emulateMedia({ media: "print" });
    // Nothing may be waited for between the event and the paper.
    const printed = await page.evaluate(() => {
      window.dispatchEvent(new Event("beforeprint"));
      const reading = document.querySelector(".reading");
      const brightness = (colour) => Math.max(...colour.match(/\d+/g).slice(0, 3).map(Number));
      const inks = [...reading.querySelectorAll("*")].map((element) => brightness(getComputedStyle(element).color));
      return { text: reading.textContent, ink: Math.max(...inks), paper: getComputedStyle(document.body).backgroundColor, isShown: reading.offsetHeight > 0 };
    });
    assert.ok(printed.text.includes(`Printed from ${theme}.`), printed.text);
    assert.ok(printed.isShown);
    assert.equal(printed.paper, "rgb(255, 255, 255)");
    assert.ok(printed.ink < 160, `an ink of ${printed.ink}`);
    await page.emulateMedia({ media: null });
    await isSaved(page);
  });
}

test("what was typed while the preview was fetched is what it shows", async () => {
  const page = await stage.page(null);
  let [isHeld, go] = [false, () => undefined];
  const gone = new Promise((answer) => (go = answer));
  await page.route("**/chunk-*.js", async (route) => {
    if (isHeld) await gone;
    await route.continue();
  });
  await page.goto(stage.linkTo("parts.md"));
  await page.waitForSelector("[data-ready]");
  isHeld = true;
  await page.getByRole("button", { name: "Split" }).click();
  const frames = () => page.evaluate(() => new Promise((turn) => requestAnimationFrame(() => requestAnimationFrame(turn))));
  await frames();
  await editor(page).focus();
  await page.keyboard.press("Control+A");
  await page.keyboard.type("Short.");
  await frames();
  go();
  await page.locator(".reading", { hasText: /^\s*Short\.\s*$/ }).waitFor();
  // A long text that was begun before would come now.
  await isSaved(page);
  await page.waitForTimeout(1000);
  assert.equal((await page.locator(".reading").textContent()).trim(), "Short.");
});

test("undo takes back one's own words only", async () => {
  const page = await stage.page("undo.md");
  await caretBehind(page, "slow disks.");
  await page.keyboard.type(" Mine.");
  await isSaved(page);
  await stage.command("section", "append", "undo.md", "Terminal", "Not mine.", "--as", "Terminal");
  await eventually(async () => (await textOf(page)).includes("Not mine."));
  await page.keyboard.press("Control+z");
  await eventually(async () => !(await textOf(page)).includes(" Mine."));
  assert.ok((await textOf(page)).includes("Not mine."));
  await isSaved(page);
});

test("the line endings of another system stay", async () => {
  const page = await stage.page("windows.md");
  await editor(page).click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("Three\nFour");
  await isSaved(page);
  assert.equal(await stage.read("windows.md"), "# One\r\n\r\nTwo\r\nThree\r\nFour");
});

test("an older version can be seen and brought back, as a new one", async () => {
  const page = await stage.page("history.md");
  await stage.command("section", "append", "history.md", "Terminal", "First run.", "--as", "Terminal");
  await stage.command("section", "append", "history.md", "Researcher", "Second thought.", "--as", "Researcher");
  await eventually(async () => (await textOf(page)).includes("Second thought."));
  await page.keyboard.press("Alt+h");
  await page.locator(".version", { hasText: "Terminal" }).click();
  await page.locator(".difference .added", { hasText: "Second thought." }).waitFor();
  await page.getByRole("button", { name: "Bring this version back" }).click();
  await eventually(async () => !(await textOf(page)).includes("Second thought."));
  await eventually(async () => (await stage.read("history.md")).includes("First run."));
});

test("L09: proposals are told apart from canon, in every view and theme, without colour too", async () => {
  const page = await stage.page("proposal.md", { mode: "split" });
  const proposed = page.locator(".reading section.text-proposed", { hasText: "Found three ways" });
  await proposed.waitFor();
  await proposed.locator(".label-proposal").waitFor();
  assert.equal(await page.locator(".reading .text-proposed-deleted").count(), 1);
  assert.ok((await page.locator(".cm-line.text-proposed").count()) > 2);
  assert.ok((await page.locator(".cm-line.text-canon").count()) > 2);
  const colours = async () =>
    page.evaluate(() => [".text-canon", ".text-proposed"].map((one) => getComputedStyle(document.querySelector(`.reading ${one}`)).color));
  const light = await colours();
  assert.notEqual(light[0], light[1]);
  await page.evaluate(() => (document.documentElement.dataset.theme = "dark"));
  const dark = await colours();
  assert.notEqual(dark[0], dark[1]);
  assert.notDeepEqual(light, dark);
});

test("L12: a document that is deleted while it is open is said to be gone, and its text stays", async () => {
  const page = await stage.page("gone.md");
  await unlink(join(stage.folder, "gone.md"));
  await caretBehind(page, "slow disks.");
  await page.keyboard.type(" Kept.");
  await page.locator(".banner", { hasText: "gone" }).waitFor();
  assert.ok((await textOf(page)).includes("slow disks. Kept."));
});

test("L12: a document that was moved away can be written back, and nothing that was typed is lost", async () => {
  const page = await stage.page("moved.md");
  await rename(join(stage.folder, "moved.md"), join(stage.folder, "elsewhere.md"));
  await caretBehind(page, "slow disks.");
  await page.keyboard.type(" Typed without a file.");
  await page.locator(".banner", { hasText: "deleted or moved" }).waitFor();
  const [copy] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save a copy" }).click()]);
  assert.ok((await readFile(await copy.path(), "utf8")).includes("slow disks. Typed without a file."));
  await page.getByRole("button", { name: "Write it back" }).click();
  await isSaved(page);
  assert.equal(await page.locator(".banner").isVisible(), false);
  const text = PLAN.replace("slow disks.", "slow disks. Typed without a file.");
  assert.equal(await stage.read("moved.md"), text);
  assert.equal(await stage.read("elsewhere.md"), PLAN);
  await caretBehind(page, "without a file.");
  await page.keyboard.type(" And on.");
  await isSaved(page);
  await eventually(async () => (await stage.read("moved.md")) === text.replace("file.", "file. And on."));
});

test("L09: struck out is what a proposal takes away, and in the canon the strokes are letters", async () => {
  const page = await stage.page("struck.md", { mode: "split" });
  await page.locator(".reading .text-proposed-deleted", { hasText: "Old way." }).waitFor();
  await page.locator(".reading .text-canon", { hasText: "~~Ten~~ Nine of them." }).waitFor();
  assert.equal(await page.locator(".reading s:not(.text-proposed-deleted), .reading del:not(.text-proposed-deleted)").count(), 0);
  const struck = await page.locator(".cm-content span").evaluateAll((all) => all.filter((one) => getComputedStyle(one).textDecorationLine === "line-through").map((one) => one.textContent).join(""));
  assert.ok(struck.includes("Old way.") && !struck.includes("Ten"), struck);
});

test("the margin shows who wrote what", async () => {
  const page = await stage.page("authors.md", { name: "Anna" });
  await caretBehind(page, "slow disks.");
  await page.keyboard.type(" By Anna.");
  await stage.command("section", "append", "authors.md", "Terminal", "By the worker.", "--as", "Terminal");
  await eventually(async () => (await textOf(page)).includes("By the worker."));
  await page.keyboard.press("Alt+a");
  await page.locator(".by[title=Anna]", { hasText: " By Anna." }).waitFor();
  await page.locator(".line-author").first().waitFor();
});
