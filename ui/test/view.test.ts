import assert from "node:assert/strict";
import { test } from "node:test";

import { BEGINNING, type OwnEvent, type View, fold, isSaved, saveState } from "../src/view";
import type { WireEvent, WireRun } from "../wire/wire";

const HELLO: WireEvent = { kind: "hello", path: "a.md", epoch: "1", revision: 3, writes: true, session: false, visitors: [], unsaved: null };

const RUN: WireRun = {
  id: "r", path: "runs/r/draft.md", objective: "Compare", status: "running", over: false, live: true, note: null, model: "offline", begun: 0, ended: null,
  tokens: 0, workers: [], proposals: [],
};

function after(...events: (WireEvent | OwnEvent)[]): View {
  return events.reduce(fold, BEGINNING);
}

test("words are saved when the file has them, and not before", () => {
  const typed = after(HELLO, { kind: "joined" }, { kind: "typed" }, { kind: "sent" }, { kind: "typed" }, { kind: "sent" });
  assert.equal(saveState(typed).words, "Saving…");
  const half = fold(typed, { kind: "saved", count: 1, revision: 4 });
  assert.equal(isSaved(half), false);
  const all = fold(half, { kind: "saved", count: 2, revision: 5 });
  assert.deepEqual([isSaved(all), saveState(all).words, all.revision], [true, "Saved", 5]);
});

test("what was on its way when the connection broke is not saved", () => {
  const lost = after(HELLO, { kind: "joined" }, { kind: "typed" }, { kind: "sent" }, { kind: "lost" });
  assert.equal(saveState(lost).words, "Not saved");
  const quiet = after(HELLO, { kind: "joined" }, { kind: "lost" });
  assert.equal(saveState(quiet).words, "Offline");
});

test("a new connection counts anew, and has sent what was lacking when it has joined", () => {
  const lost = after(HELLO, { kind: "joined" }, { kind: "typed" }, { kind: "sent" }, { kind: "lost" });
  const again = [HELLO, { kind: "sent" } as const, { kind: "joined" } as const].reduce<View>(fold, lost);
  assert.equal(saveState(again).words, "Saving…");
  assert.equal(saveState(fold(again, { kind: "saved", count: 1, revision: 9 })).words, "Saved");
});

test("a disk that fails is told, until it works again", () => {
  const failed = after(HELLO, { kind: "joined" }, { kind: "typed" }, { kind: "sent" }, { kind: "unsaved", reason: "the disk is full" });
  assert.deepEqual([saveState(failed).words, saveState(failed).detail], ["Not saved", "the disk is full"]);
  assert.equal(isSaved(fold(failed, { kind: "saved", count: 1, revision: 4 })), true);
});

test("a page that may only read says so, and a run is folded in as it comes", () => {
  const reading = after({ ...HELLO, writes: false }, { kind: "joined" });
  assert.equal(saveState(reading).words, "Reading");
  const run = { ...RUN, status: "completed" as const, over: true };
  assert.deepEqual(fold(fold(reading, { kind: "run", run: RUN }), { kind: "run", run }).run, run);
});

test("what was typed while the server was away is not saved before the server has it", () => {
  const away = after(HELLO, { kind: "joined" }, { kind: "caughtUp" }, { kind: "lost" }, { kind: "typed" });
  assert.equal(saveState(away).words, "Not saved");
  const back = [HELLO, { kind: "joined" } as const].reduce<View>(fold, away);
  assert.equal(saveState(back).words, "Saving…");
  const sent = [{ kind: "sent" } as const, { kind: "caughtUp" } as const].reduce<View>(fold, back);
  assert.equal(saveState(sent).words, "Saving…");
  assert.equal(saveState(fold(sent, { kind: "saved", count: 1, revision: 4 })).words, "Saved");
});

test("questions and comments are told again after each greeting", () => {
  const comment = { id: "c", start: 0, end: 1, quote: "a", gone: false, resolved: false, remarks: [] };
  const told = after(HELLO, { kind: "comments", revision: 3, comments: [comment] });
  assert.equal(told.comments.length, 1);
  assert.equal(fold(told, HELLO).comments.length, 0);
});
