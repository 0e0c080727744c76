// A run beside its document: how it is, who works, what waits for a word. Never decides anything itself; the server is asked.

import type { WireProposal, WireRun, WireWorker } from "../wire/wire";
import { cancelRun, decideOn, directRun, resumeRun, stopWorker } from "./api";
import { ICONS, announce, h, icon } from "./dom";
import { hueOf } from "./people";
import { type Prompt, openPrompt } from "./prompt";
import { PHASE_WORDS, STATUS_WORDS, phaseTone, spent, toneOf, workerSpent } from "./words";

/** How much of a proposal is shown before its button. */
const EXCERPT = 240;

export interface RunPanel {
  readonly element: HTMLElement;
  readonly prompt: Prompt;
  show(run: WireRun, writes: boolean): void;
  /** What moves by itself: how long it has been. */
  tick(): void;
}

export function runPanel(): RunPanel {
  let run: WireRun | null = null;
  let key = "";
  const status = h("p", { class: "status", role: "status" });
  const note = h("p", { class: "about" });
  const took = h("p", { class: "took" });
  const workers = h("ul", { class: "workers", "aria-label": "Agents" });
  const proposals = h("ul", { class: "proposals", "aria-label": "Proposals" });
  const problem = h("p", { class: "problem", role: "alert", hidden: true });
  const stop = h("button", { class: "plain", onclick: () => act((id) => cancelRun(id), "The run is being ended") }, "Stop all");
  const again = h("button", { class: "plain", onclick: () => act((id) => resumeRun(id), "The run goes on") }, "Go on");
  const acceptAll = h("button", { class: "plain", onclick: () => decide(null, true) }, "Accept all");
  const rejectAll = h("button", { class: "plain", onclick: () => decide(null, false) }, "Reject all");
  const deciding = h("div", { class: "row" }, acceptAll, rejectAll);
  const waiting = h("section", {}, h("h3", {}, "Proposals"), deciding, proposals);
  const element = h(
    "aside",
    { class: "panel run", "aria-label": "Run", hidden: true },
    h("header", {}, h("h2", {}, "Run"), h("div", { class: "row" }, again, stop)),
    status,
    took,
    note,
    problem,
    h("section", {}, h("h3", {}, "Agents"), workers),
    waiting,
  );
  const prompt = openPrompt({
    label: "Say what you want of this run",
    placeholder: "Say something to the run",
    button: "Send",
    completions: () => [...(run?.workers.map(({ name }) => `@${name}`) ?? []), "/also", "/cancel"],
    send: async (text, name) => {
      if (run) await directRun(run.id, text, name);
      announce("Sent", true);
    },
  });
  prompt.element.hidden = true;

  function act(work: (id: string) => Promise<unknown>, done: string): void {
    if (!run) return;
    problem.hidden = true;
    work(run.id).then(
      () => announce(done, true),
      (error: unknown) => {
        problem.textContent = error instanceof Error ? error.message : "The server did not answer.";
        problem.hidden = false;
      },
    );
  }

  function decide(proposal: string | null, accept: boolean): void {
    act((id) => decideOn(id, { proposal, accept }), accept ? "Accepted" : "Rejected");
  }

  function proposed({ id, author, section, text }: WireProposal, writes: boolean): HTMLElement {
    const words = text.length > EXCERPT ? `${text.slice(0, EXCERPT)}…` : text;
    return h(
      "li",
      { class: "proposal" },
      h("p", { class: `by-line hue-${hueOf(author)}` }, author === section ? author : `${author} in ${section}`),
      h("p", { class: "text-proposed" }, words),
      writes
        ? h(
            "div",
            { class: "row" },
            h("button", { class: "plain", "aria-label": `Accept what ${author} wrote: ${words.slice(0, 60)}`, onclick: () => decide(id, true) }, "Accept"),
            h("button", { class: "plain", "aria-label": `Reject what ${author} wrote: ${words.slice(0, 60)}`, onclick: () => decide(id, false) }, "Reject"),
          )
        : null,
    );
  }

  function row(worker: WireWorker, canStop: boolean): HTMLElement {
    const { name, phase, doing, question } = worker;
    const line = question ?? doing;
    const stop = h("button", { class: "quiet stop", title: `Stop ${name}`, "aria-label": `Stop ${name}`, onclick: () => act((id) => stopWorker(id, name), `${name} is being stopped`) }, icon(ICONS.stop));
    return h(
      "li",
      { class: "worker" },
      h("span", { class: `dot hue-${hueOf(name)}`, "aria-hidden": "true" }),
      h("span", { class: "name" }, name),
      h("span", { class: `phase ${phaseTone(phase)}` }, PHASE_WORDS[phase]),
      canStop && (phase === "working" || phase === "asking") ? stop : null,
      line ? h("span", { class: "doing" }, line) : null,
      h("span", { class: "took", "data-worker": name }, workerSpent(worker, Date.now())),
    );
  }

  return {
    element,
    prompt,
    show(next, writes) {
      const nextKey = JSON.stringify([next, writes]);
      if (nextKey === key) return;
      if (run && run.status !== next.status) announce(`The run is: ${STATUS_WORDS[next.status]}`, true);
      [run, key] = [next, nextKey];
      element.hidden = false;
      prompt.element.hidden = !writes;
      const isInterrupted = !next.over && !next.live;
      status.className = `status ${isInterrupted ? "still" : toneOf(next.status)}`;
      status.textContent = isInterrupted ? "Interrupted" : STATUS_WORDS[next.status];
      note.textContent = next.note ?? "";
      note.hidden = !next.note;
      stop.hidden = next.over || !writes;
      again.hidden = next.live || next.status === "completed" || !writes;
      workers.replaceChildren(...next.workers.map((worker) => row(worker, writes && !next.over)));
      waiting.hidden = next.proposals.length === 0;
      deciding.hidden = !writes;
      proposals.replaceChildren(...next.proposals.map((proposal) => proposed(proposal, writes)));
      took.textContent = spent(next, Date.now());
    },
    tick() {
      if (!run?.live) return;
      took.textContent = spent(run, Date.now());
      for (const worker of run.workers) {
        const line = [...workers.querySelectorAll<HTMLElement>(".took")].find((line) => line.dataset["worker"] === worker.name);
        if (line) line.textContent = workerSpent(worker, Date.now());
      }
    },
  };
}
