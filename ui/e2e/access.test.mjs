// For those who do not see, do not use a mouse, or see differently.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, afterEach, before, test } from "node:test";
import { conducted, run } from "./conducted.mjs";
import { NOTES, PLAN, RUN, SESSION } from "./samples.mjs";
import { Stage, eventually, textOf } from "./stage.mjs";

const axe = await readFile("node_modules/axe-core/axe.min.js", "utf8");
let stage;
before(async () => {
  stage = await Stage.open({ "plan.md": PLAN, "notes/journals.md": NOTES, "questions.md": SESSION, "runs/r1/draft.md": RUN });
});
afterEach(() => stage.clear());
after(() => stage.close());

async function violations(page) {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { violations } = await window.axe.run(document, {
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => `${node.target} ${node.failureSummary}`).join("; ")}`);
  });
}

for (const theme of ["light", "dark", "contrast"]) {
  test(`the first page has no barrier in ${theme}`, async () => {
    const page = await stage.page(null, { theme });
    await page.locator(".documents").first().waitFor();
    assert.deepEqual(await violations(page), []);
  });
  for (const mode of ["edit", "split", "preview"]) {
    test(`the Writer has no barrier in ${theme}, ${mode}`, async () => {
      const page = await stage.page("plan.md", { theme, mode });
      if (mode !== "edit") await page.locator(".reading h2").first().waitFor();
      assert.deepEqual(await violations(page), []);
      });
  }
}

for (const theme of ["light", "dark", "contrast"]) {
  test(`runs and answers have no barrier in ${theme}`, async () => {
    const proposal = { id: "p1", section: "Researcher", author: "Researcher", text: "Three crates panic." };
    const [page, told] = await conducted(stage, null, { theme });
    await page.locator(".documents .status").waitFor();
    assert.deepEqual(await violations(page), []);
    await page.goto(stage.linkTo("runs/r1/draft.md"));
    await page.waitForSelector("[data-ready]");
    told.tell({ kind: "run", run: run({ status: "waitingForUser", proposals: [proposal], note: "Researcher asks which crates count." }) });
    await page.locator(".proposal").waitFor();
    await page.getByLabel("Say what you want of this run").fill("@");
    await page.locator(".offered button").first().waitFor();
    assert.deepEqual(await violations(page), []);
    const session = await stage.page("questions.md", { theme });
    await session.locator(".turns").waitFor();
    await session.getByRole("button", { name: "Share" }).click();
    assert.deepEqual(await violations(session), []);
  });
}

const question = {
  id: "q1", agent: "Terminal", deed: "execute", title: "git push --force", call: 'Bash {"command":"git push --force"}', why: "no rule covers git push --force", place: "~/.config/agent-doc/permissions.rules",
  options: [
    { id: "Allow", label: "Allow this time", meaning: "allowOnce", rules: [], words: false },
    { id: "AlwaysAllow", label: "Always allow", meaning: "allowAlways", rules: ["allow Bash(git push *)"], words: false },
    { id: "Wait", label: "Wait and tell Terminal what to do differently", meaning: "rejectOnce", rules: [], words: true },
    { id: "Never", label: "Never allow", meaning: "rejectAlways", rules: ["deny Bash(git push *)"], words: false },
  ],
};
const comment = { id: "c1", start: 2, end: 9, quote: "Compare", gone: false, resolved: false, remarks: [{ author: "Anna", time: Date.now(), text: "With what?" }] };

for (const theme of ["light", "dark", "contrast"]) {
  test(`questions, comments, export and a new document have no barrier in ${theme}`, async () => {
    const [page, told] = await conducted(stage, "runs/r1/draft.md", { theme });
    told.tell({ kind: "questions", questions: [question, { ...question, id: "q2" }] });
    await page.getByRole("alertdialog").waitFor();
    assert.deepEqual(await violations(page), []);
    await page.locator(".ask.listens").waitFor();
    await page.getByText("The exact call").click();
    assert.deepEqual(await violations(page), []);
    told.tell({ kind: "questions", questions: [] });
    told.tell({ kind: "comments", revision: 0, comments: [comment, { ...comment, id: "c2", gone: true }, { ...comment, id: "c3", resolved: true }] });
    await page.locator(".commented").waitFor();
    await page.keyboard.press("Alt+c");
    await page.getByLabel("Show resolved").check();
    await page.locator(".thread").nth(2).waitFor();
    assert.deepEqual(await violations(page), []);
    await page.keyboard.press("Alt+e");
    await page.locator("dialog[open]").waitFor();
    assert.deepEqual(await violations(page), []);
    const home = await stage.page(null, { theme });
    await home.getByRole("button", { name: "New document" }).click();
    assert.deepEqual(await violations(home), []);
  });
}

test("dialog, history and authors have no barrier", async () => {
  const page = await stage.page("plan.md", { theme: "dark" });
  await stage.command("section", "append", "plan.md", "Terminal", "One more run.", "--as", "Terminal");
  await page.keyboard.press("Alt+h");
  await page.locator(".version").first().waitFor();
  await page.keyboard.press("Alt+a");
  await page.locator(".line-author").first().waitFor();
  assert.deepEqual(await violations(page), []);
  await page.keyboard.press("F1");
  await page.locator("dialog[open]").waitFor();
  assert.deepEqual(await violations(page), []);
});

test("L13: everything can be done with the keyboard", async () => {
  const page = await stage.page(null);
  await page.locator(".documents").first().waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.type("moving");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForSelector("[data-ready]");
  await page.keyboard.press("Alt+]");
  await page.keyboard.press("End");
  await page.keyboard.type(" by keyboard");
  assert.ok((await textOf(page)).includes("## Conductor by keyboard\n"));
  await page.keyboard.press("Alt+3");
  await page.locator(".reading h2", { hasText: "by keyboard" }).waitFor();
  await page.keyboard.press("?");
  await page.locator("dialog[open]", { hasText: "Next section" }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Alt+1");
  await page.keyboard.press("F6");
  assert.ok(await page.evaluate(() => document.querySelector(".outline").contains(document.activeElement)));
});

test("a phone's width has everything in reach and nothing to scroll sideways", async () => {
  const page = await stage.page("plan.md", { viewport: { width: 360, height: 740 } });
  for (const mode of ["1", "2", "3"]) {
    await page.keyboard.press(`Alt+${mode}`);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, mode);
  }
  await page.getByRole("button", { name: "Sections" }).click();
  await page.locator(".outline button", { hasText: "Terminal" }).click();
  assert.deepEqual(await violations(page), []);
});

test("a run on a phone shows its state, its text and the field for a person's words", async () => {
  const [page, told] = await conducted(stage, "runs/r1/draft.md", { viewport: { width: 360, height: 740 } });
  told.tell({ kind: "run", run: run() });
  await page.locator(".panel.run .status", { hasText: "Running…" }).waitFor();
  const inSight = (selector) => page.locator(selector).evaluate((element) => {
    const { top, bottom, left, right, height } = element.getBoundingClientRect();
    return top >= 0 && left >= 0 && right <= innerWidth + 1 && Math.min(bottom, innerHeight) - top > Math.min(40, height - 1);
  });
  for (const selector of [".panel.run", ".bar .prompt", ".cm-editor"]) assert.equal(await inSight(selector), true, selector);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
});

/** Everything that live regions say from now on. */
async function listening(page) {
  await page.evaluate(() => {
    window.heard = [];
    for (const region of document.querySelectorAll("[role=status], [role=alert], [role=log], [aria-live]")) {
      new MutationObserver(() => window.heard.push(region.textContent)).observe(region, { childList: true, subtree: true, characterData: true });
    }
  });
  return () => page.evaluate(() => window.heard);
}

test("typing announces nothing, and what others write is announced by sections", async () => {
  const page = await stage.page("notes/journals.md");
  const heard = await listening(page);
  await page.locator(".cm-content").focus();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("\n## One\n\nWords.\n\n## Two\n\nMore words.\n");
  await page.locator(".save", { hasText: "Saving" }).waitFor();
  await page.locator(".save", { hasText: /^Saved$/ }).waitFor();
  assert.deepEqual(await heard(), []);
  for (const section of ["One", "Two", "One"]) await stage.command("section", "append", "notes/journals.md", section, "A block.", "--as", section);
  await eventually(async () => (await heard()).length >= 2);
  await eventually(async () => (await heard()).includes("Two wrote in Two"));
  const said = await heard();
  assert.ok(said.length <= 3 && said.every((words) => /^(One wrote in One|Two wrote in Two)$/.test(words)), JSON.stringify(said));
});

test("the seconds of an answer are not announced, its beginning and its end are", async () => {
  const [page, told] = await conducted(stage, "questions.md");
  await page.locator(".turns").waitFor();
  const heard = await listening(page);
  const turn = { agent: "offline", state: "working", why: null, doing: "reading", tokens: 0, begun: Date.now() };
  told.tell({ kind: "turn", turn });
  await page.locator(".turns .status", { hasText: "2 s" }).waitFor();
  told.tell({ kind: "turn", turn: { ...turn, state: "answered" } });
  await page.locator(".turns .status", { hasText: "answered" }).waitFor();
  assert.deepEqual(await heard(), ["offline answers", "offline answered"]);
});

test("whoever asks the system for more contrast gets it, unless they chose a theme", async () => {
  const background = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const asked = await stage.page("plan.md", { theme: "system", contrast: "more" });
  assert.equal(await background(asked), "rgb(0, 0, 0)");
  assert.deepEqual(await violations(asked), []);
  const chosen = await stage.page("plan.md", { theme: "light", contrast: "more" });
  assert.notEqual(await background(chosen), "rgb(0, 0, 0)");
  await chosen.getByRole("button", { name: "Next theme" }).hover();
  assert.equal(await chosen.getByRole("button", { name: "Next theme" }).getAttribute("data-tip"), "Theme: Light");
});
