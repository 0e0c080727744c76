// Agents that ask before they act, and a person who answers in the page. The agents are real; the model is the one by rules.
import assert from "node:assert/strict";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { Stage, eventually, textOf } from "./stage.mjs";

const asking = (...commands) => `---\nagent: offline\nagent_doc_mode: append\n---\n\n# Commands\n\n## User\n\n${commands.map((command) => `$ ${command}`).join("\n")}\n`;
let stage;
before(async () => {
  stage = await Stage.open({
    "allow.md": asking("touch allowed.txt"),
    "typing.md": asking("mkdir typing.txt"),
    "wait.md": asking("ln -s wait.md waited.txt"),
    "always.md": asking("cp always.md always.txt"),
    "stop.md": asking("mv stop.md stopped.txt"),
    "later.md": asking("install later.md later.txt"),
    "queue.md": asking("tee queue-1.txt", "truncate -s 0 queue-2.txt"),
    "hidden.md": asking("touch hid\u200bden.txt"),
  });
});
afterEach(() => stage.clear());
after(() => stage.close());

const card = (page) => page.getByRole("alertdialog");
const exists = (name) => access(join(stage.folder, name)).then(() => true, () => false);
const begin = (page) => page.getByRole("button", { name: "Run", exact: true }).click();
const answered = (page) => page.locator(".turns .status", { hasText: "offline answered" }).waitFor();
/** Answers as a person does: after the card has stood there long enough to be read. */
async function answer(page, name) {
  await card(page).locator(".options button:not([aria-disabled=true])").first().waitFor();
  await card(page).getByRole("button", { name }).click();
}

test("what needs leave is asked in the page with the very bytes, and runs when it is allowed", async () => {
  const page = await stage.page("allow.md");
  await begin(page);
  await card(page).waitFor();
  assert.equal(await card(page).locator("pre").first().textContent(), "touch allowed.txt");
  assert.match(await card(page).locator("h2").textContent(), /^The offline planner wants to run a command$/);
  assert.equal(await card(page).locator(".options button").count(), 4);
  assert.match(await page.title(), /^\(1\) /);
  assert.equal(await exists("allowed.txt"), false);
  await eventually(async () => (await page.locator("#announcer").textContent()).includes("The offline planner asks whether it may run a command: touch allowed.txt"));
  await answer(page, /Allow this time/);
  await answered(page);
  assert.equal(await exists("allowed.txt"), true);
  assert.equal(await card(page).count(), 0);
  assert.deepEqual(page.complaints, []);
});

test("keys that are typed into the text answer nothing, and a card that has just appeared takes no key and no click", async () => {
  const page = await stage.page("typing.md");
  await begin(page);
  await page.locator(".cm-content").focus();
  await page.keyboard.press("Control+End");
  for (let count = 0; count < 3 || (count < 40 && (await card(page).count()) === 0); count++) await page.keyboard.type("1 2\n", { delay: 20 });
  await card(page).waitFor();
  // Still typing: Enter, space and numbers go into the text, and the focus stays there.
  await page.keyboard.type("1\n 1\n", { delay: 10 });
  assert.equal(await page.evaluate(() => document.activeElement.classList.contains("cm-content")), true);
  // A click in the first moment after a key is not taken either.
  await page.keyboard.type("1");
  await card(page).locator(".options button").first().dispatchEvent("click");
  assert.equal(await exists("typing.txt"), false);
  assert.equal(await card(page).count(), 1);
  // By the keyboard: to the card, and then the number of the option.
  await page.keyboard.press("Alt+q");
  await card(page).locator(".options button:not([aria-disabled=true])").first().waitFor();
  await page.keyboard.press("4");
  await answered(page);
  assert.equal(await exists("typing.txt"), false);
  assert.ok((await textOf(page)).includes("1 2\n"), await textOf(page));
});

test("one who waits is told what to do instead, and nothing has run", async () => {
  const page = await stage.page("wait.md");
  await begin(page);
  await card(page).getByLabel("What it shall do instead").fill("Leave it.");
  // Numbers in the field are words.
  await page.keyboard.type(" 1");
  await answer(page, /Wait and tell offline/);
  await page.locator(".turns .status:not(.busy)").waitFor();
  await card(page).waitFor({ state: "hidden" });
  assert.equal(await exists("waited.txt"), false);
  assert.ok((await textOf(page)).includes("Leave it. 1") || (await textOf(page)).includes("## Assistant"), await textOf(page));
});

test("'always' says which rule it keeps and where, and then it is asked no more", async () => {
  const page = await stage.page("always.md");
  await begin(page);
  const option = card(page).locator(".options li").nth(1);
  await option.waitFor();
  const kept = await option.locator(".kept").textContent();
  const [rule, place] = await option.locator(".kept code").allTextContents();
  assert.match(kept, /^Keeps allow Bash\(cp .*\) in .*permissions\.rules$/);
  await answer(page, /Always allow/);
  await answered(page);
  assert.equal(await exists("always.txt"), true);
  assert.ok((await stage.read(place.replace(/^~\//, ""))).includes(rule));
  await page.locator(".cm-content").focus();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("\n$ cp always.md always.txt\n");
  await page.locator(".save", { hasText: /^Saved$/ }).waitFor();
  await begin(page);
  await answered(page);
  assert.equal(await card(page).count(), 0);
});

test("a question waits for a page that comes later, not for one that may only read, and goes everywhere when it is answered", async () => {
  const one = await stage.page("later.md");
  await begin(one);
  await card(one).waitFor();
  const two = await stage.page("later.md", { name: "Ben" });
  await card(two).waitFor();
  const home = await stage.page(null);
  await home.locator(".documents li", { hasText: "later.md" }).locator(".status", { hasText: "An agent asks you" }).waitFor();
  const reply = await one.evaluate(async (token) => (await fetch("/api/keys", { method: "POST", headers: { authorization: `Bearer ${token}`, "content-type": "application/json" }, body: '{"role":{"kind":"reader"}}' })).json(), stage.token);
  const guest = await stage.page(null);
  await guest.goto(`${stage.origin}/write?path=later.md#token=${reply.token}`);
  await guest.waitForSelector("[data-ready]");
  await guest.locator(".save", { hasText: "Reading" }).waitFor();
  assert.equal(await card(guest).count(), 0);
  await answer(two, /Never allow/);
  await card(one).waitFor({ state: "hidden" });
  await answered(one);
  assert.equal(await exists("later.txt"), false);
  await home.locator(".documents li", { hasText: "later.md" }).locator(".status").waitFor({ state: "detached" });
});

test("a question is taken back when the turn is stopped", async () => {
  const page = await stage.page("stop.md");
  await begin(page);
  await card(page).waitFor();
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await card(page).waitFor({ state: "hidden" });
  await page.locator(".turns .status:not(.busy)").waitFor();
  assert.equal(await exists("stopped.txt"), false);
});

test("questions wait for their turn, and the answer to one is none to the next", async () => {
  const page = await stage.page("queue.md");
  await begin(page);
  await card(page).waitFor();
  await page.keyboard.press("Alt+q");
  await card(page).locator(".options button:not([aria-disabled=true])").first().waitFor();
  // A key that is held down, or pressed twice, answers the first question only.
  for (let count = 0; count < 5; count++) await page.keyboard.press("1");
  await eventually(async () => (await card(page).locator("pre").first().textContent()) === "truncate -s 0 queue-2.txt");
  assert.equal(await exists("queue-1.txt"), true);
  assert.equal(await exists("queue-2.txt"), false);
  await answer(page, /Never allow/);
  await answered(page);
  assert.equal(await exists("queue-2.txt"), false);
});

test("letters that cannot be seen are shown by their numbers", async () => {
  const page = await stage.page("hidden.md");
  await begin(page);
  await card(page).waitFor();
  assert.ok((await card(page).locator("pre").first().textContent()).includes("hid\\u{200b}den.txt"));
  await answer(page, /Never allow/);
  await answered(page);
});

test("a worker of a run asks too; stopped by itself it ends, its words stay, and the run goes on", async () => {
  const page = await stage.page(null);
  await page.getByLabel("What should agents do?").fill("What is said about commands?\n$ touch run.txt");
  await page.getByRole("button", { name: "Start" }).click();
  await page.waitForURL(/write\?path=runs\//);
  await page.waitForSelector("[data-ready]");
  await card(page).waitFor();
  assert.match(await card(page).locator("h2").textContent(), /^Terminal wants to run a command$/);
  const panel = page.getByRole("complementary", { name: "Run" });
  await panel.getByRole("button", { name: "Stop Terminal" }).click();
  await card(page).waitFor({ state: "hidden" });
  await panel.locator(".worker", { hasText: "Terminal" }).locator(".phase", { hasText: "Stopped" }).waitFor();
  await panel.locator(".status", { hasText: "Partly done" }).waitFor();
  assert.equal(await exists("run.txt"), false);
  const text = await textOf(page);
  assert.ok(/## Researcher\n<!-- proposal -->\n\d+ lines of/.test(text), text);
  assert.deepEqual(page.complaints, []);
});
