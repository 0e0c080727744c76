// What runs, workers and turns are called on the screen. Pure.

import type { WireCost, WirePhase, WireRun, WireStatus, WireTurn, WireWorker } from "../wire/wire";

export const STATUS_WORDS: Record<WireStatus, string> = {
  queued: "Queued…",
  running: "Running…",
  waitingForWorker: "Waiting for worker…",
  waitingForUser: "Waiting for you",
  blocked: "Blocked",
  completed: "Completed",
  partial: "Partly done",
  failed: "Failed",
  cancelled: "Cancelled",
};

export const PHASE_WORDS: Record<WirePhase, string> = {
  idle: "Idle",
  working: "Working",
  done: "Done",
  merged: "Merged",
  asking: "Asks you",
  failed: "Failed",
  stopped: "Stopped",
};

/** How a person should take it. */
export type Tone = "busy" | "good" | "bad" | "asks" | "still";

export function toneOf(status: WireStatus): Tone {
  switch (status) {
    case "queued":
    case "running":
    case "waitingForWorker":
      return "busy";
    case "waitingForUser":
      return "asks";
    case "completed":
      return "good";
    case "partial":
    case "cancelled":
      return "still";
    case "blocked":
    case "failed":
      return "bad";
  }
}

export function phaseTone(phase: WirePhase): Tone {
  switch (phase) {
    case "working":
      return "busy";
    case "asking":
      return "asks";
    case "done":
    case "merged":
      return "good";
    case "failed":
      return "bad";
    case "idle":
    case "stopped":
      return "still";
  }
}

/** A length of time, short: 42 s, 3 min 5 s, 2 h 1 min. */
export function lasting(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** What a run took so far, in one line. */
export function spent(run: WireRun, now: number): string {
  const parts = [lasting((run.ended ?? now) - run.begun)];
  const read = run.workers.reduce((sum, { input }) => sum + (input ?? 0), 0);
  const words = tokens(read || null, run.tokens || null);
  if (words) parts.push(words);
  if (run.cost) parts.push(price(run.cost));
  return parts.join(" · ");
}

/** What a worker took so far, in one line; empty while it has taken nothing. */
export function workerSpent({ since, until, input, tokens: output, cost }: WireWorker, now: number): string {
  const parts: string[] = [];
  if (since !== null) parts.push(lasting((until ?? now) - since));
  const words = tokens(input, output);
  if (words) parts.push(words);
  if (cost) parts.push(price(cost));
  return parts.join(" · ");
}

/** Tokens that were read and written. */
function tokens(input: number | null, output: number | null): string {
  const count = (number: number): string => number.toLocaleString("en");
  if (input && output) return `${count(input)} tokens in, ${count(output)} out`;
  return output ? `${count(output)} tokens out` : input ? `${count(input)} tokens in` : "";
}

/** A price with its currency, if the person has named one. */
export function price({ amount, currency }: WireCost): string {
  const number = amount < 0.01 ? "less than 0.01" : amount.toFixed(2);
  return currency ? `${number} ${currency}` : `costs ${number}`;
}

/** Who thinks, for those who have not set it. */
export function modelWords(model: string): string {
  return model === "offline" ? "A planner by rules works here, without a language model: it searches and quotes." : `${model} works here.`;
}

/** How a turn is, in one line. */
export function turnWords(turn: WireTurn, now: number): string {
  const who = turn.agent || "An agent";
  switch (turn.state) {
    case "working": {
      const parts = [`${who} answers`, lasting(now - turn.begun)];
      if (turn.doing) parts.push(turn.doing);
      if (turn.tokens > 0) parts.push(`${turn.tokens.toLocaleString("en")} tokens`);
      return parts.join(" · ");
    }
    case "answered":
      return `${who} answered`;
    case "nothing":
      return "Nothing changed since the last answer";
    case "failed":
      return turn.why ?? "There is no whole answer";
  }
}

/** What a listener should hear of a turn: that it began, or how it ended. Not how long it lasts. */
export function turnNews(turn: WireTurn): string {
  return turn.state === "working" ? `${turn.agent || "An agent"} answers` : turnWords(turn, turn.begun);
}
