import assert from "node:assert/strict";
import { test } from "node:test";

import { PAUSE, announcer } from "../src/announce";
import { BEGINNING, type OwnEvent, type SaveState, type View, fold, isSaved, saveNews, saveState, sectionState, watchedWords } from "../src/view";
import type { WireEvent, WireRun } from "../wire/wire";

const HELLO: WireEvent = { kind: "hello", path: "a.md", epoch: "1", revision: 3, writes: true, session: false, visitors: [], unsaved: null, gone: false, watched: "told" };

const RUN: WireRun = {
  id: "r", path: "runs/r/draft.md", objective: "Compare", status: "running", over: false, live: true, note: null, model: "offline", begun: 0, ended: null,
  tokens: 0, cost: null, workers: [], proposals: [],
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
  const failed = after(HELLO, { kind: "joined" }, { kind: "typed" }, { kind: "sent" }, { kind: "unsaved", reason: "the disk is full", gone: false });
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

test("a listener hears that words are not safe and that they are again, and nothing of typing", () => {
  const states = [
    after(HELLO, { kind: "joined" }),
    after(HELLO, { kind: "joined" }, { kind: "typed" }, { kind: "sent" }),
    after(HELLO, { kind: "joined" }, { kind: "typed" }, { kind: "sent" }, { kind: "saved", count: 1, revision: 4 }),
    after(HELLO, { kind: "joined" }, { kind: "lost" }),
    after(HELLO, { kind: "joined" }, { kind: "lost" }, { kind: "typed" }),
    after(HELLO, { kind: "joined" }),
  ].map(saveState);
  let tone: SaveState["tone"] = "busy";
  const heard = states.flatMap((state) => {
    const news = saveNews(tone, state);
    tone = state.tone;
    return news ? [news] : [];
  });
  assert.deepEqual(heard, ["Offline. The server does not answer. You can keep writing.", "Saved"]);
});

test("nothing that is announced is dropped: it waits, the newest of each section, and what was asked for comes at once", () => {
  let time = 0;
  const timers: { at: number; work: () => void }[] = [];
  const heard: string[] = [];
  const { say } = announcer((text) => heard.push(text), () => time, (work, wait) => timers.push({ at: time + wait, work }));
  const until = (end: number): void => {
    for (let timer = timers.shift(); timer; timer = timers.shift()) {
      time = timer.at;
      timer.work();
    }
    time = end;
  };
  say("Researcher wrote in Researcher", "Researcher", false);
  say("Terminal wrote in Terminal", "Terminal", false);
  say("Anna wrote in Researcher", "Researcher", false);
  say("Ben wrote in Terminal", "Terminal", false);
  assert.deepEqual(heard, ["Researcher wrote in Researcher"]);
  say("Sent", "Sent", true);
  until(3 * PAUSE);
  assert.deepEqual(heard, ["Researcher wrote in Researcher", "Sent", "Ben wrote in Terminal", "Anna wrote in Researcher"]);
});

test("a section says whose it is, who changed it last, and that somebody else changed it under the caret", () => {
  const worker = { name: "Researcher", phase: "working" as const, doing: "", since: null, until: null, input: null, tokens: null, cost: null, question: null };
  const past = { revision: 1, author: "Anna", time: 0, section: "User", added: 1, removed: 0 };
  const known = after(HELLO, { kind: "run", run: { ...RUN, workers: [worker] } }, { kind: "past", versions: [past] }, { kind: "here", section: "User" });
  assert.deepEqual(sectionState(known, "Researcher"), { phase: { name: "Researcher", phase: "working" }, last: null, hint: null });
  assert.deepEqual(sectionState(known, "User"), { phase: null, last: { name: "Anna", agent: false }, hint: null });
  const elsewhere = fold(known, { kind: "wrote", section: "Researcher", author: "Researcher" });
  assert.equal(elsewhere.hints.size, 0);
  const newer = fold(elsewhere, { kind: "wrote", section: "User", author: "Ben" });
  assert.deepEqual(sectionState(newer, "User"), { phase: null, last: { name: "Ben", agent: false }, hint: { kind: "newer", author: "Ben" } });
  assert.equal(fold(newer, { kind: "here", section: "Researcher" }).hints.size, 0);
  assert.equal(fold(newer, { kind: "seen", section: "User" }).hints.size, 0);
  // That two changed the same words stays until somebody has seen it.
  const clashed = fold(newer, { kind: "clashed", section: "User", both: true, ours: "a", theirs: "b" });
  const left = [{ kind: "wrote", section: "User", author: "Ben" } as const, { kind: "here", section: null } as const].reduce<View>(fold, clashed);
  assert.equal(sectionState(left, "User").hint?.kind, "clash");
});

test("a file that is gone is said to be gone until it is there again", () => {
  const gone = after(HELLO, { kind: "joined" }, { kind: "unsaved", reason: "no file", gone: true });
  assert.deepEqual([gone.gone, saveState(gone).words], [true, "Not saved"]);
  assert.equal(fold(gone, { kind: "saved", count: 0, revision: 4 }).gone, false);
  assert.equal(watchedWords("told"), null);
  assert.ok(watchedWords(fold(gone, { kind: "watched", watched: "looking" }).watched)?.includes("looks every few seconds"));
});
