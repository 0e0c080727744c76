// The bar under a session document: answer what was changed, at once or word by word, and stop. Never answers by itself.

import type { WireTurn } from "../wire/wire";
import { beginTurn, stopTurn } from "./api";
import { announce, h } from "./dom";
import { turnNews, turnWords } from "./words";

export interface TurnBar {
  readonly element: HTMLElement;
  show(turn: WireTurn | null): void;
  tick(): void;
  /** Answers word by word, if nobody does already. */
  stream(): void;
}

export function turnBar(path: string, isSaved: () => boolean): TurnBar {
  let turn: WireTurn | null = null;
  // Not a live region: it counts seconds. Beginning and end are announced.
  const words = h("p", { class: "status" });
  const run = h("button", { class: "plain", title: "Answer when the whole answer is there", onclick: () => void begin("whole") }, "Run");
  const stream = h("button", { class: "main", title: "Answer word by word (Alt+Enter)", onclick: () => void begin("streamed") }, "Stream");
  const stop = h("button", { class: "plain", hidden: true, onclick: () => void end() }, "Stop");
  const element = h("div", { class: "turns", role: "group", "aria-label": "Answer" }, words, run, stream, stop);

  async function begin(pace: "whole" | "streamed"): Promise<void> {
    if (turn?.state === "working") return;
    // What was typed last must be in the text that is answered.
    for (let waits = 0; waits < 40 && !isSaved(); waits++) await new Promise((turn) => setTimeout(turn, 50));
    await asked(beginTurn({ path, pace }));
  }

  async function end(): Promise<void> {
    await asked(stopTurn(path));
  }

  async function asked(work: Promise<unknown>): Promise<void> {
    try {
      await work;
    } catch (error) {
      words.className = "status bad";
      words.textContent = error instanceof Error ? error.message : "The server did not answer.";
      announce(words.textContent, true);
    }
  }

  function tell(): void {
    const next = turn ? turnWords(turn, Date.now()) : "Write below your last words, then let an agent answer.";
    if (words.textContent !== next) words.textContent = next;
  }

  return {
    element,
    show(next) {
      if (next && next.state !== turn?.state && (turn !== null || next.state === "working")) announce(turnNews(next), true);
      turn = next;
      const isWorking = next?.state === "working";
      words.className = `status ${isWorking ? "busy" : next?.state === "failed" ? "bad" : next?.state === "answered" ? "good" : "still"}`;
      [run.hidden, stream.hidden, stop.hidden] = [isWorking, isWorking, !isWorking];
      tell();
    },
    tick() {
      if (turn?.state === "working") tell();
    },
    stream: () => void begin("streamed"),
  };
}
