// Agents that answer and work, as a person sees and steers them.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { conducted, run } from "./conducted.mjs";
import { NOTES, PLAN, RUN, SESSION } from "./samples.mjs";
import { Stage, eventually, textOf } from "./stage.mjs";

let stage;
before(async () => {
  stage = await Stage.open({
    "plan.md": PLAN,
    "notes/journals.md": `${NOTES}\nA rename is not enough, because another program may save in between.\n`,
    "questions.md": SESSION,
    "again.md": SESSION,
    "runs/r1/draft.md": RUN,
  });
});
afterEach(() => stage.clear());
after(() => stage.close());

test("a question in a session document is answered in it, without a key", async () => {
  const page = await stage.page("questions.md");
  await page.getByRole("button", { name: "Stream" }).click();
  await page.locator(".turns .status", { hasText: "offline answered" }).waitFor();
  // The text comes another way than the word that it is whole.
  const text = await stage.read("questions.md");
  await eventually(async () => (await textOf(page)) === text);
  assert.ok(text.includes("## Assistant"), text);
  assert.ok(text.includes("offline model"), text);
  assert.ok(text.includes("notes/journals.md"), text);
  assert.equal(text.split("\nWhere is it said").length, 2, text);
  // There is nothing new to answer, and the page says so.
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.locator(".turns .status", { hasText: "Nothing changed" }).waitFor();
  assert.deepEqual(page.complaints, []);
});

test("what is typed while an agent answers stays, and two pages see the same turn", async () => {
  const [one, two] = [await stage.page("again.md"), await stage.page("again.md", { name: "Ben" })];
  await one.locator(".turns").waitFor();
  await one.keyboard.press("Control+Home");
  await one.keyboard.press("Alt+Enter");
  await two.locator(".cm-content").focus();
  await two.keyboard.press("Control+End");
  await two.keyboard.type("Typed meanwhile.");
  await Promise.all([one, two].map((page) => page.locator(".turns .status", { hasText: "offline answered" }).waitFor()));
  await eventually(async () => (await textOf(one)) === (await textOf(two)));
  const text = await textOf(one);
  // An agent that begins late quotes it as well, but not at the beginning of a line.
  assert.equal(text.split("\nTyped meanwhile.").length, 2, text);
  assert.ok(text.includes("## Assistant"), text);
});

test("a document that is none of a session has no bar to answer it", async () => {
  const page = await stage.page("plan.md");
  assert.equal(await page.locator(".turns").isVisible(), false);
  assert.equal(await page.locator(".bar").isVisible(), false);
});

test("a link to read shows the document as it grows and lets nobody write", async () => {
  const page = await stage.page("plan.md");
  await page.getByRole("button", { name: "Share" }).click();
  const link = page.getByLabel("Link to read");
  await eventually(async () => (await link.inputValue()).includes("#token="));
  const guest = await stage.page(null, {});
  await guest.goto(await link.inputValue());
  await guest.waitForSelector("[data-ready]");
  await guest.locator(".save", { hasText: "Reading" }).waitFor();
  assert.equal(await guest.getByRole("button", { name: "Share" }).count(), 0);
  await guest.locator(".cm-content").click();
  await guest.keyboard.type("Harm.");
  await stage.command("section", "append", "plan.md", "Terminal", "Seen by the guest.", "--as", "Terminal");
  await guest.getByText("Seen by the guest.").waitFor();
  assert.ok(!(await textOf(guest)).includes("Harm."));
  assert.ok(!(await stage.read("plan.md")).includes("Harm."));
});

test("when all links are ended, other pages close and the own one goes on", async () => {
  const page = await stage.page("plan.md");
  const other = await stage.page("plan.md", { name: "Ben" });
  await page.getByRole("button", { name: "Share" }).click();
  await Promise.all([page.waitForEvent("load"), page.getByRole("button", { name: "End all links" }).click()]);
  await other.locator(".banner", { hasText: "the secret was made anew" }).waitFor();
  await page.waitForSelector("[data-ready]");
  await page.locator(".save", { hasText: /^Saved$/ }).waitFor();
  // The other tests go on with the new secret.
  stage.link = `${stage.origin}/#token=${await page.evaluate(() => sessionStorage.getItem("agent-doc-token"))}`;
});

test("L01 L10: an objective becomes a run of real agents, without a key, and all that they found is in the file", async () => {
  const page = await stage.page(null);
  await page.getByText("No key is set").waitFor();
  await page.getByLabel("What should agents do?").fill("Where is it said why a rename is not enough?");
  await page.keyboard.press("Enter");
  await page.waitForURL(/write\?path=runs\//);
  await page.waitForSelector("[data-ready]");
  const panel = page.getByRole("complementary", { name: "Run" });
  await panel.locator(".status", { hasText: /Completed|Partly done/ }).waitFor();
  const path = new URL(page.url()).searchParams.get("path");
  await eventually(async () => (await stage.read(path)) === (await textOf(page)));
  const text = await textOf(page);
  assert.ok(text.includes("notes/journals.md"), text);
  assert.ok(!/## Conductor\s*\n## /.test(text), "the canon is blank");
  await page.goto(stage.linkTo(null));
  await page.locator(".documents li", { hasText: path }).locator(".status", { hasText: /Completed|Partly done/ }).waitFor();
  assert.deepEqual(page.complaints, []);
});

test("L01: an objective opens the Writer at once", async () => {
  const [page, told] = await conducted(stage, null);
  await page.locator(".documents .status", { hasText: "Running…" }).waitFor();
  await page.getByLabel("What should agents do?").fill("Compare the error handling of the crates");
  await page.keyboard.press("Enter");
  await page.waitForURL(/write\?path=runs\/r1\/draft\.md/);
  await page.waitForSelector("[data-ready]");
  assert.equal(told.asked.length, 1);
  assert.deepEqual(told.asked[0].slice(0, 2), ["/api/runs", { objective: "Compare the error handling of the crates", workers: [] }]);
  assert.ok((await textOf(page)).startsWith("# Compare"));
});

test("each worker shows how long it works and what it took, and can be stopped by itself", async () => {
  const [page, told] = await conducted(stage, "runs/r1/draft.md");
  const [researcher, terminal] = run().workers;
  const working = { ...researcher, since: Date.now() - 125_000, input: 54_321, tokens: 4321, cost: { amount: 0.0712, currency: "EUR" } };
  told.tell({ kind: "run", run: run({ workers: [working, { ...terminal, phase: "working", since: Date.now(), tokens: 12, cost: null }], cost: { amount: 0.0712, currency: "EUR" } }) });
  const row = (name) => page.locator(".worker", { hasText: name });
  await row("Researcher").locator(".took", { hasText: /^2 min \d+ s · 54,321 tokens in, 4,321 out · 0\.07 EUR$/ }).waitFor();
  // Where no price is known, no cost is shown.
  await row("Terminal").locator(".took", { hasText: /^\d+ s · 12 tokens out$/ }).waitFor();
  await page.locator(".panel.run > .took", { hasText: "54,321 tokens in, 1,234 out · 0.07 EUR" }).waitFor();
  await page.getByRole("button", { name: "Stop Researcher" }).click();
  await eventually(() => told.asked.length === 1);
  assert.deepEqual(told.asked[0].slice(0, 2), ["/api/runs/r1/stop", { worker: "Researcher" }]);
  assert.ok(told.asked[0][2], "the request has no name");
  // When it is done, what it took stays.
  told.tell({ kind: "run", run: run({ workers: [{ ...working, phase: "done", until: working.since + 61_000 }, terminal] }) });
  await row("Researcher").locator(".took", { hasText: /^1 min 1 s · 54,321 tokens in/ }).waitFor();
  // The outline says the same of each section.
  await page.locator(".outline button", { hasText: "Researcher" }).locator(".state", { hasText: "Done" }).waitFor();
});

test("a section that somebody else changes under the caret says so, in the text and in the outline", async () => {
  const page = await stage.page("plan.md", { name: "Anna" });
  await page.evaluate(() => {
    const { view } = document.querySelector(".cm-content").cmTile;
    view.focus();
    view.dispatch({ selection: { anchor: view.state.doc.toString().indexOf("Note to Researcher") } });
  });
  await stage.command("section", "append", "plan.md", "Researcher", "Far from the caret.", "--as", "Researcher");
  await page.locator(".outline button", { hasText: "Researcher" }).locator(".state", { hasText: "by Researcher" }).waitFor();
  assert.equal(await page.locator(".hint").count(), 0);
  await stage.command("section", "append", "plan.md", "Terminal", "Where the caret is.", "--as", "Terminal");
  await page.locator(".cm-line .hint", { hasText: "Newer text by Terminal" }).waitFor();
  await page.locator(".outline .hint", { hasText: "Newer text by Terminal" }).waitFor();
  await page.locator(".cm-line .hint").click();
  await eventually(async () => (await page.locator(".hint").count()) === 0);
});

test("words that two changed at once are marked in their section", async () => {
  const [page, told] = await conducted(stage, "plan.md");
  told.tell({ kind: "clashed", section: "Conductor", both: true, ours: "noon", theirs: "night" });
  await page.locator(".outline .hint.clash", { hasText: "Changed twice" }).waitFor();
  assert.ok((await page.locator(".cm-line .hint.clash").getAttribute("title")).includes("night"));
});

test("a server that has to look for saves says so once", async () => {
  const [page, told] = await conducted(stage, "plan.md");
  assert.equal(await page.locator(".banner").isVisible(), false);
  told.tell({ kind: "watched", watched: "looking" });
  await page.locator(".banner.note", { hasText: "looks every few seconds" }).waitFor();
  await page.getByRole("button", { name: "All right" }).click();
  assert.equal(await page.locator(".banner").isVisible(), false);
});

test("L10: a run shows who works and what waits, and takes a person's words", async () => {
  const [page, told] = await conducted(stage, "runs/r1/draft.md");
  told.tell({ kind: "run", run: run() });
  const panel = page.getByRole("complementary", { name: "Run" });
  await panel.locator(".status", { hasText: "Running…" }).waitFor();
  await panel.locator(".worker", { hasText: "reading crates/web/src/lib.rs" }).waitFor();
  await page.getByLabel("Say what you want of this run").fill("@Res");
  await page.keyboard.press("Tab");
  await page.keyboard.type("look at the tests");
  await page.keyboard.press("Enter");
  await eventually(() => told.asked.length === 1);
  assert.deepEqual(told.asked[0].slice(0, 2), ["/api/runs/r1/directives", { text: "@Researcher look at the tests" }]);
  const proposal = { id: "p1", section: "Researcher", author: "Researcher", text: "Three crates panic." };
  told.tell({ kind: "run", run: run({ status: "waitingForUser", proposals: [proposal] }) });
  await panel.getByRole("button", { name: /^Accept what Researcher wrote/ }).click();
  await panel.getByRole("button", { name: "Reject all" }).click();
  await panel.getByRole("button", { name: "Stop all" }).click();
  await eventually(async () => (await page.locator("#announcer").textContent()).includes("being ended"));
  assert.deepEqual(told.asked.slice(1).map(([path, body]) => [path, body]), [
    ["/api/runs/r1/proposals", { proposals: ["p1"], accept: true }],
    ["/api/runs/r1/proposals", { proposals: ["p1"], accept: false }],
    ["/api/runs/r1/cancel", {}],
  ]);
  told.tell({ kind: "run", run: run({ status: "cancelled", over: true, ended: Date.now() }) });
  await panel.locator(".status", { hasText: "Cancelled" }).waitFor();
  await eventually(async () => (await page.locator("#announcer").textContent()).includes("Cancelled"));
  assert.deepEqual(page.complaints, []);
});

