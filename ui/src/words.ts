// What runs, workers and turns are called on the screen. Pure.

import type { WirePhase, WireRun, WireStatus, WireTurn, WireWorker } from "../wire/wire";

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
  if (run.tokens > 0) parts.push(`${run.tokens.toLocaleString("en")} tokens`);
  if (run.model) parts.push(run.model);
  return parts.join(" · ");
}

/** What a worker took so far, in one line; empty while it has taken nothing. */
export function workerSpent({ phase, since, tokens, cost }: WireWorker, now: number): string {
  const parts: string[] = [];
  if (phase === "working" && since !== null) parts.push(lasting(now - since));
  if (tokens) parts.push(`${tokens.toLocaleString("en")} tokens`);
  if (cost !== null) parts.push(`costs ${cost < 0.01 ? "less than 0.01" : cost.toFixed(2)}`);
  return parts.join(" · ");
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
