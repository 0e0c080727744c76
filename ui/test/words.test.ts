import assert from "node:assert/strict";
import { test } from "node:test";

import { lasting, turnWords } from "../src/words";
import type { WireTurn } from "../wire/wire";

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
