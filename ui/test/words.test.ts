import assert from "node:assert/strict";
import { test } from "node:test";

import { lasting, turnWords, workerSpent } from "../src/words";
import type { WireTurn, WireWorker } from "../wire/wire";

test("a length of time is short to read", () => {
  assert.deepEqual([-5, 0, 59_999, 60_000, 185_000, 3_600_000, 7_320_000].map(lasting), ["0 s", "0 s", "59 s", "1 min 0 s", "3 min 5 s", "1 h 0 min", "2 h 2 min"]);
});

test("a turn says who answers, since when, and what came of it", () => {
  const turn: WireTurn = { agent: "offline", state: "working", why: null, doing: "writing", tokens: 0, begun: 1000 };
  assert.equal(turnWords(turn, 4000), "offline answers · 3 s · writing");
  assert.equal(turnWords({ ...turn, agent: "", doing: "", tokens: 1200 }, 1000), "An agent answers · 0 s · 1,200 tokens");
  assert.equal(turnWords({ ...turn, state: "answered" }, 4000), "offline answered");
  assert.equal(turnWords({ ...turn, state: "failed", why: "stopped" }, 4000), "stopped");
});

test("a worker says how long it took also when it is done, what it read and wrote, and what that cost", () => {
  const worker: WireWorker = { name: "Terminal", phase: "working", doing: "", since: 1000, until: null, input: 12_000, tokens: 345, cost: { amount: 0.0712, currency: "EUR" }, question: null };
  assert.equal(workerSpent(worker, 61_000), "1 min 0 s · 12,000 tokens in, 345 out · 0.07 EUR");
  assert.equal(workerSpent({ ...worker, phase: "done", until: 4000, input: null, cost: { amount: 0.001, currency: "" } }, 999_000), "3 s · 345 tokens out · costs less than 0.01");
  assert.equal(workerSpent({ ...worker, since: null, input: null, tokens: null, cost: null }, 0), "");
});
