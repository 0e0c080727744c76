// What an agent asks leave for, as a card with the very bytes and all answers. Never takes the focus, and never takes a key or a click
// for an answer that may have been meant for something else.

import type { AnswerCall, WireOption, WireQuestion } from "../wire/wire";
import { answerQuestion } from "./api";
import { announce, h } from "./dom";
import { guard } from "./guard";
import { hueOf } from "./people";

const DEEDS: Record<string, string> = { execute: "run a command", edit: "change a file", read: "read a file", fetch: "fetch from the web", delete: "delete a file", move: "move a file" };

/** Who asks, also where the name alone would read as an adjective. */
const nameOf = (agent: string): string => (agent === "offline" ? "The offline planner" : agent);

export interface AskCard {
  readonly element: HTMLElement;
  /** All that waits; the first is shown, the others wait for their turn. Whether it is another one than before. */
  show(questions: readonly WireQuestion[]): boolean;
  /** Leads the keyboard to the question. */
  focus(): void;
}

export function askCard(): AskCard {
  let shown: WireQuestion | null = null;
  let isSending = false;
  const armed = guard();
  const element = h("section", { class: "ask", role: "alertdialog", "aria-labelledby": "ask-title", "aria-describedby": "ask-call", tabindex: "-1", hidden: true });
  let timer = 0;

  const isOpen = (): boolean => armed.isOpen(performance.now()) && !isSending;
  /** Shows whether the card listens. */
  function tell(): void {
    window.clearTimeout(timer);
    element.classList.toggle("listens", isOpen());
    for (const button of element.querySelectorAll(".options button")) button.setAttribute("aria-disabled", String(!isOpen()));
    if (!isOpen()) timer = window.setTimeout(tell, 50);
  }

  document.addEventListener(
    "keydown",
    (event) => {
      if (!shown) return;
      const isInside = event.target instanceof Node && element.contains(event.target);
      if (!isInside) {
        armed.typed(performance.now());
        tell();
        return;
      }
      // A held key is nobody's answer.
      if (event.repeat && event.key !== "Tab") return event.preventDefault();
      const isField = event.target instanceof HTMLTextAreaElement;
      const option = isField || event.altKey || event.ctrlKey || event.metaKey ? undefined : shown.options[Number(event.key) - 1];
      if (!option || !/^[1-9]$/.test(event.key)) return;
      event.preventDefault();
      void answer(option);
    },
    { capture: true },
  );

  async function answer(option: WireOption): Promise<void> {
    if (!shown || !isOpen()) return;
    const { id, agent } = shown;
    const words = option.words ? (element.querySelector("textarea")?.value.trim() ?? "") : "";
    const problem = element.querySelector<HTMLElement>(".problem");
    isSending = true;
    tell();
    try {
      // The name of the request is that of the answer, so that a second click sends the same.
      const call: AnswerCall = { option: option.id, words };
      await answerQuestion(id, call, `${id}-${option.id}`);
      announce(`${agent}: ${option.label}`, true);
    } catch (error) {
      if (problem && shown?.id === id) {
        problem.textContent = error instanceof Error ? error.message : "The server did not answer.";
        problem.hidden = false;
      }
    } finally {
      isSending = false;
      tell();
    }
  }

  function row(option: WireOption, index: number, place: string): HTMLElement {
    const button = h("button", { class: "plain", onclick: () => void answer(option) }, h("kbd", { "aria-hidden": "true" }, String(index + 1)), option.label);
    const always = option.meaning === "allowAlways" || option.meaning === "rejectAlways";
    const kept = option.rules.length > 0 ? h("p", { class: "kept" }, "Keeps ", ...option.rules.flatMap((rule, at) => [at > 0 ? ", " : "", h("code", {}, rule)]), " in ", h("code", {}, place)) : null;
    const none = always && option.rules.length === 0 ? h("p", { class: "kept" }, "Keeps no rule here; the agent remembers it by itself.") : null;
    if (!option.words) return h("li", {}, button, kept ?? none);
    const words = h("textarea", { rows: "2", "aria-label": "What it shall do instead", placeholder: "What shall it do instead? Without words, it stops." });
    return h("li", {}, button, words);
  }

  function draw({ agent, deed, title, call, why, place, options }: WireQuestion, waiting: number): void {
    element.className = `ask hue-${hueOf(agent)}`;
    const parts: readonly (Node | null)[] = [
      h(
        "div",
        { class: "head" },
        h("h2", { id: "ask-title" }, h("strong", { class: "who-asks" }, nameOf(agent)), ` wants to ${DEEDS[deed] ?? "do this"}`),
        waiting > 1 ? h("p", { class: "queue" }, `1 of ${waiting}`) : null,
      ),
      h("pre", { id: "ask-call", tabindex: "0", "aria-label": "What would be done" }, title),
      call && call !== title ? h("details", {}, h("summary", {}, "The exact call"), h("pre", { tabindex: "0", "aria-label": "The exact call" }, call)) : null,
      why ? h("p", { class: "why" }, `Asked because ${why}.`) : null,
      h("ol", { class: "options" }, ...options.map((option, index) => row(option, index, place))),
      h("p", { class: "problem", role: "alert", hidden: true }),
    ];
    element.replaceChildren(...parts.filter((part) => part !== null));
  }

  return {
    element,
    show(questions) {
      const next = questions[0] ?? null;
      const queue = element.querySelector(".queue");
      if (next?.id === shown?.id) {
        // Others came or went behind it: what stands here stays as it is, with what was typed.
        if (next && questions.length > 1 && !queue) element.querySelector(".head")?.append(h("p", { class: "queue" }, `1 of ${questions.length}`));
        else if (queue) queue.textContent = questions.length > 1 ? `1 of ${questions.length}` : "";
        return false;
      }
      const hadFocus = element.contains(document.activeElement);
      shown = next;
      element.hidden = next === null;
      if (!next) {
        element.replaceChildren();
        return false;
      }
      armed.appeared(performance.now());
      draw(next, questions.length);
      tell();
      // One that takes the place of an answered one keeps the keyboard, and lies open to no key that was meant for that.
      if (hadFocus) element.focus();
      announce(`${nameOf(next.agent)} asks whether it may ${DEEDS[next.deed] ?? "do this"}: ${next.title.slice(0, 120)}`, true);
      return true;
    },
    focus() {
      if (shown) element.focus();
    },
  };
}
