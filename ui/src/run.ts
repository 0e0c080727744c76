// A run beside its document: how it is, who works, what waits for a word. Never decides anything itself; the server is asked.

import type { WireProposal, WireRun, WireWorker } from "../wire/wire";
import { cancelRun, decideOn, directRun, resumeRun, stopWorker } from "./api";
import { ICONS, announce, h, icon } from "./dom";
import { hueOf } from "./people";
import { type Prompt, openPrompt } from "./prompt";
import { PHASE_WORDS, STATUS_WORDS, modelWords, phaseTone, spent, toneOf, workerSpent } from "./words";

/** How much of a proposal is shown before somebody asks for the rest. */
const EXCERPT = 600;

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
  const status = h("p", { class: "status" });
  const note = h("p", { class: "about" });
  const took = h("p", { class: "took" });
  const thinks = h("p", { class: "about thinks" });
  const workers = h("ul", { class: "workers", "aria-label": "Agents" });
  const proposals = h("ul", { class: "proposals", "aria-label": "Proposals" });
  const problem = h("p", { class: "problem", role: "alert", hidden: true });
  const stop = h("button", { class: "plain", onclick: () => act((id) => cancelRun(id), "The run is being ended") }, "Stop all");
  const again = h("button", { class: "plain", onclick: () => act((id) => resumeRun(id), "The run goes on") }, "Go on");
  // All means those that are shown: what comes while the pointer is on its way is not decided unseen.
  const shown = (): string[] => run?.proposals.map(({ id }) => id) ?? [];
  const acceptAll = h("button", { class: "plain", onclick: () => decide(shown(), true) }, "Accept all");
  const rejectAll = h("button", { class: "plain", onclick: () => decide(shown(), false) }, "Reject all");
  const deciding = h("div", { class: "row" }, acceptAll, rejectAll);
  const waiting = h("section", {}, h("h3", {}, "Proposals"), deciding, proposals);
  const folds = h("button", { class: "plain narrow-only", "aria-expanded": "false", onclick: () => fold() }, "Details");
  const element = h(
    "aside",
    { class: "panel run folded", "aria-label": "Run", hidden: true },
    h("header", {}, h("h2", {}, "Run"), status, h("div", { class: "row" }, folds, again, stop)),
    took,
    thinks,
    note,
    problem,
    h("section", {}, h("h3", {}, "Agents"), workers),
    waiting,
  );
  /** On a phone the text has the room; the rest unfolds. */
  function fold(): void {
    const isFolded = element.classList.toggle("folded");
    folds.setAttribute("aria-expanded", String(!isFolded));
  }
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

  function decide(proposals: string[], accept: boolean): void {
    if (proposals.length > 0) act((id) => decideOn(id, { proposals, accept }), accept ? "Accepted" : "Rejected");
  }

  function proposed({ id, author, section, text }: WireProposal, writes: boolean): HTMLElement {
    const words = text.replaceAll(/\s+/g, " ").trim();
    const passage = h("div", { class: "passage text-proposed" }, words.slice(0, EXCERPT));
    void import("./preview").then(({ renderedParts }) => passage.replaceChildren(...renderedParts(text)));
    const more = h("button", { class: "quiet more", onclick: () => more.setAttribute("aria-expanded", String(passage.classList.toggle("whole"))), "aria-expanded": "false" }, "More");
    return h(
      "li",
      { class: "proposal" },
      h("p", { class: `by-line hue-${hueOf(author)}` }, author === section ? author : `${author} in ${section}`),
      passage,
      text.length > EXCERPT ? more : null,
      writes
        ? h(
            "div",
            { class: "row" },
            h("button", { class: "plain", "aria-label": `Accept what ${author} wrote: ${words.slice(0, 60)}`, onclick: () => decide([id], true) }, "Accept"),
            h("button", { class: "plain", "aria-label": `Reject what ${author} wrote: ${words.slice(0, 60)}`, onclick: () => decide([id], false) }, "Reject"),
          )
        : null,
    );
  }

  function row(worker: WireWorker, canStop: boolean): HTMLElement {
    const { name, phase, doing, question } = worker;
    const line = question ?? doing;
    const stop = h("button", { class: "plain stop", "aria-label": `Stop ${name}`, title: `Stop ${name}; what it wrote stays`, onclick: () => act((id) => stopWorker(id, name), `${name} is being stopped`) }, icon(ICONS.stop), "Stop");
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
      for (const { name, phase } of next.workers) {
        const before = run?.workers.find((worker) => worker.name === name)?.phase;
        if (before && before !== phase) announce(`${name}: ${PHASE_WORDS[phase]}`, false, `worker ${name}`);
      }
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
      thinks.textContent = next.model ? modelWords(next.model) : "";
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
