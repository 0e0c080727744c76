// What access.test.mjs asks of the page at rest, asked of everything that opens over it, in every theme; and of runs, in every view.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, afterEach, before, test } from "node:test";
import { conducted, run } from "./conducted.mjs";
import { PLAN, RUN } from "./samples.mjs";
import { Stage, eventually, textOf } from "./stage.mjs";
import { worker } from "./worker.mjs";

const axe = await readFile("node_modules/axe-core/axe.min.js", "utf8");
let stage;
before(async () => {
  stage = await Stage.open({ "plan.md": PLAN, "hover.md": PLAN, "motion.md": PLAN, "runs/r1/draft.md": RUN });
});
afterEach(() => stage.clear());
after(() => stage.close());

async function violations(page) {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { violations } = await window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => `${node.target} ${node.failureSummary}`).join("; ")}`);
  });
}

for (const theme of ["light", "dark", "contrast"]) {
  test(`help, history, authors and every dialog have no barrier in ${theme}`, async () => {
    await (await worker(stage, "Terminal", "plan.md"))(`One more run, ${theme}.`);
    const page = await stage.page("plan.md", { theme });
    await page.keyboard.press("Alt+h");
    await page.locator(".version").first().click();
    await page.locator(".difference").waitFor();
    assert.deepEqual(await violations(page), [], "history");
    await page.keyboard.press("Alt+h");
    await page.keyboard.press("Alt+a");
    await page.locator(".line-author").first().waitFor();
    assert.deepEqual(await violations(page), [], "authors");
    const dialogs = [
      ["help", () => page.getByRole("button", { name: "Keys" }).click()],
      ["export", () => page.getByRole("button", { name: "Export" }).click()],
      ["share", () => page.getByRole("button", { name: "Share" }).click()],
    ];
    for (const [name, open] of dialogs) {
      await open();
      await page.locator("dialog[open]").waitFor();
      assert.deepEqual(await violations(page), [], name);
      await page.keyboard.press("Escape");
      await page.locator("dialog[open]").waitFor({ state: "hidden" });
    }
    const home = await stage.page(null, { theme });
    for (const name of ["New document", "Keys"]) {
      await home.getByRole("button", { name }).click();
      await home.locator("dialog[open]").waitFor();
      assert.deepEqual(await violations(home), [], name);
      await home.keyboard.press("Escape");
    }
  });
  for (const mode of ["edit", "split", "preview"]) {
    test(`a run has no barrier in ${theme}, ${mode}`, async () => {
      const proposal = { id: "p1", section: "Researcher", author: "Researcher", text: "Three crates panic." };
      const [page, told] = await conducted(stage, "runs/r1/draft.md", { theme, mode });
      for (const status of ["running", "waitingForUser", "failed"]) {
        told.tell({ kind: "run", run: run({ status, over: status === "failed", note: "A worker could not do its work.", proposals: [proposal] }) });
        await page.locator(".panel.run .status", { hasText: { running: "Running…", waitingForUser: "Waiting for you", failed: "Failed" }[status] }).waitFor();
        if (mode !== "edit") await page.locator(".reading h2").first().waitFor();
        assert.deepEqual(await violations(page), [], status);
      }
    });
  }
}

test("who wrote a word is said when the pointer rests on it", async () => {
  await (await worker(stage, "Terminal", "hover.md"))("Said by the worker.");
  const page = await stage.page("hover.md", { name: "Anna" });
  await eventually(async () => (await textOf(page)).includes("Said by the worker."));
  await page.keyboard.press("Alt+a");
  const words = page.locator(".by", { hasText: "Said by the worker." }).first();
  await words.hover();
  assert.equal(await words.getAttribute("title"), "Terminal");
});

/** What moves longer than an eye notices. */
const moving = (page) =>
  page.evaluate(() => {
    const seconds = (list) => Math.max(...list.split(",").map((time) => (time.trim().endsWith("ms") ? parseFloat(time) / 1000 : parseFloat(time))));
    return [...document.querySelectorAll("*")]
      .filter((element) => {
        const style = getComputedStyle(element);
        const isAnimated = style.animationName !== "none" && seconds(style.animationDuration) > 0.05;
        const isMoved = style.transitionProperty !== "none" && seconds(style.transitionDuration) > 0.05;
        return isAnimated || isMoved || style.scrollBehavior === "smooth";
      })
      .map((element) => `${element.localName}.${element.className}`);
  });

test("nothing moves for those who want no motion", async () => {
  const page = await stage.page("motion.md", { reducedMotion: "reduce", mode: "split" });
  await page.locator(".reading h2").first().waitFor();
  await page.locator(".cm-content").focus();
  await page.locator(".cm-editor.cm-focused").waitFor();
  assert.deepEqual(await moving(page), [], "the caret does not blink");
  await page.keyboard.press("F1");
  await page.locator("dialog[open]").waitFor();
  assert.deepEqual(await moving(page), []);
});

test("the caret blinks for everybody else", async () => {
  const page = await stage.page("motion.md", { reducedMotion: "no-preference" });
  await page.locator(".cm-content").focus();
  await page.locator(".cm-editor.cm-focused").waitFor();
  assert.deepEqual((await moving(page)).filter((element) => element.includes("cm-cursorLayer")).length, 1);
});
