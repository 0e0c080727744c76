// The pictures of the README, taken of the living page. `cargo xtask pictures` keeps them; a test only takes them.
import { mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { conducted, run } from "./conducted.mjs";
import { COMMANDS, NOTES, PLAN, RUN, SESSION } from "./samples.mjs";
import { Stage, eventually, textOf } from "./stage.mjs";

const out = process.env.PICTURES ?? (await mkdtemp(join(tmpdir(), "pictures-")));
let stage;
before(async () => {
  await mkdir(out, { recursive: true });
  stage = await Stage.open({
    "plan.md": PLAN,
    "notes/journals.md": `${NOTES}\nA rename is not enough, because another program may save in between.\n`,
    "questions.md": SESSION,
    "runs/r1/draft.md": `${RUN}\nFour crates return their own error types; \`tools\` names the field that is wrong.\n\nTwo pass on what the system said: \`store\` and \`web\`. Both lose the path on the way.\n`,
  });
});
afterEach(() => stage.clear());
after(() => stage.close());

/** Somebody else is here, and a worker writes. */
async function company(page) {
  const anna = await stage.page("plan.md", { name: "Anna" });
  await anna.evaluate(() => {
    const { view } = document.querySelector(".cm-content").cmTile;
    view.focus();
    const at = view.state.doc.toString().indexOf("Wednesday noon");
    view.dispatch({ selection: { anchor: at, head: at + 14 } });
  });
  await page.locator(".caret", { hasText: "Anna" }).waitFor();
  return anna;
}

for (const theme of ["light", "dark"]) {
  test(`home and Writer in ${theme}`, async () => {
    const [home] = await conducted(stage, null, { theme });
    await home.locator(".documents .status").first().waitFor();
    await home.evaluate(() => document.fonts.ready);
    await home.evaluate(() => (document.querySelector(".folder strong").textContent = "release"));
    await home.screenshot({ path: `${out}/home-${theme}.png` });
    const page = await stage.page("plan.md", { theme, mode: "split", viewport: { width: 1400, height: 960 } });
    const anna = await company(page);
    const words = `Checked on ${theme === "light" ? "200" : "400"} copies: equal.`;
    await page.locator(".reading h2").first().waitFor();
    await page.locator(".caret.person:not(.named)").waitFor();
    await stage.command("section", "append", "plan.md", "Researcher", words, "--as", "Researcher");
    await eventually(async () => (await textOf(page)).includes(words));
    await page.locator(".caret.agent", { hasText: "Researcher" }).waitFor();
    await page.evaluate(() => document.fonts.ready);
    await page.screenshot({ path: `${out}/writer-${theme}.png` });
    await stage.command("section", "append", "plan.md", "Terminal", "Ran once more, the same.", "--as", "Terminal");
    await page.locator(".badge.agent", { hasText: "Terminal" }).waitFor();
    await page.keyboard.press("Alt+1");
    await page.keyboard.press("Alt+a");
    await page.locator(".line-author").first().waitFor();
    await page.keyboard.press("Alt+h");
    await page.locator(".version", { hasText: "Researcher" }).last().click();
    await page.locator(".difference .added").first().waitFor();
    await page.evaluate(() => document.activeElement?.blur());
    await page.screenshot({ path: `${out}/history-${theme}.png` });
    await anna.context().close();
    await page.context().close();
  });
}

for (const theme of ["light", "dark"]) {
  test(`a run in ${theme}`, async () => {
    const page = await stage.page(null, { theme, mode: "split", viewport: { width: 1400, height: 900 } });
    await page.getByLabel("What should agents do?").fill("Where is it said why a rename is not enough?");
    await page.keyboard.press("Enter");
    await page.waitForURL(/write\?path=runs\//);
    await page.waitForSelector("[data-ready]");
    await page.locator(".panel.run .status", { hasText: /Completed|Partly done|Waiting for you/ }).waitFor();
    await page.locator(".reading h2").first().waitFor();
    await page.locator(".caret.named").waitFor({ state: "detached" });
    await page.evaluate(() => document.fonts.ready);
    await page.screenshot({ path: `${out}/run-${theme}.png` });
    const session = await stage.page("questions.md", { theme, mode: "edit", viewport: { width: 1100, height: 640 } });
    await session.locator(".turns").waitFor();
    await session.evaluate(() => document.fonts.ready);
    await session.screenshot({ path: `${out}/session-${theme}.png` });
  });
}

for (const theme of ["light", "dark"]) {
  test(`a question and a comment in ${theme}`, async () => {
    await stage.write(`switching-${theme}.md`, COMMANDS);
    await stage.write("talk.md", PLAN);
    const page = await stage.page(`switching-${theme}.md`, { theme, viewport: { width: 1200, height: 860 } });
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.locator(".ask.listens").waitFor();
    await page.evaluate(() => document.fonts.ready);
    // Where the folder of a test lies is of no interest.
    await page.locator(".kept code:last-child").evaluateAll((places) => places.forEach((place) => (place.textContent = "~/.config/agent-doc/projects/release/permissions.rules")));
    await page.screenshot({ path: `${out}/ask-${theme}.png` });
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await page.getByRole("alertdialog").waitFor({ state: "hidden" });
    const talk = await stage.page("talk.md", { theme, name: "Anna", viewport: { width: 1300, height: 820 } });
    await talk.evaluate(() => {
      const { view } = document.querySelector(".cm-content").cmTile;
      const at = view.state.doc.toString().indexOf("Wednesday noon");
      view.focus();
      view.dispatch({ selection: { anchor: at, head: at + 14 } });
    });
    await talk.keyboard.press("Alt+m");
    await talk.getByLabel("What do you say about it?").fill("In which zone?");
    await talk.getByRole("button", { name: "Comment", exact: true }).click();
    await talk.locator(".thread").first().waitFor();
    await talk.screenshot({ path: `${out}/comments-${theme}.png` });
    await talk.getByRole("button", { name: /^Delete/ }).click();
    await talk.locator(".thread").waitFor({ state: "detached" });
  });
}

test("a run on a phone", async () => {
  const [page, told] = await conducted(stage, "runs/r1/draft.md", { theme: "light", viewport: { width: 390, height: 780 } });
  told.tell({ kind: "run", run: run() });
  await page.locator(".panel.run .status").waitFor();
  await page.evaluate(() => document.fonts.ready);
  await page.screenshot({ path: `${out}/phone-run.png` });
});

test("a phone in the dark", async () => {
  const page = await stage.page("plan.md", { theme: "dark", mode: "preview", viewport: { width: 390, height: 780 } });
  await page.locator(".reading h2").first().waitFor();
  await page.evaluate(() => document.fonts.ready);
  await page.screenshot({ path: `${out}/phone-dark.png` });
});
