// A field for a few words to agents, with a button. Sends each text once, and keeps it if that fails.

import { h } from "./dom";

export interface Prompt {
  readonly element: HTMLFormElement;
  focus(): void;
}

export interface PromptOptions {
  readonly label: string;
  readonly placeholder: string;
  readonly button: string;
  /** Sends the text under a name, which stays the same until it went well. */
  send(text: string, name: string): Promise<void>;
  /** What can be completed, as it is now. */
  readonly completions?: () => readonly string[];
}

export function openPrompt({ label, placeholder, button, send, completions }: PromptOptions): Prompt {
  let name = crypto.randomUUID();
  const id = `prompt-${name}`;
  const words = h("textarea", { id, rows: "1", placeholder, "aria-describedby": `${id}-problem` });
  const go = h("button", { class: "main", type: "submit" }, button);
  const problem = h("p", { class: "problem", id: `${id}-problem`, role: "alert", hidden: true });
  const offered = h("ul", { class: "offered", "aria-label": "Completions", hidden: true });
  const element = h(
    "form",
    { class: "prompt" },
    h("label", { class: "out-of-sight", for: id }, label),
    h("div", { class: "field" }, words, go),
    offered,
    problem,
  );

  function grow(): void {
    words.style.height = "auto";
    words.style.height = `${Math.min(words.scrollHeight, 240)}px`;
  }

  /** What was begun with @ or / and has no blank yet. */
  function offer(): void {
    const begun = /^[@/]\S*$/.test(words.value) ? words.value.toLowerCase() : "";
    const fitting = begun === "" ? [] : (completions?.() ?? []).filter((word) => word.toLowerCase().startsWith(begun) && word !== words.value);
    offered.replaceChildren(...fitting.map((word) => h("li", {}, h("button", { type: "button", class: "quiet", onclick: () => take(word) }, word))));
    offered.hidden = fitting.length === 0;
  }

  function take(word: string): void {
    words.value = `${word} `;
    offer();
    words.focus();
  }

  async function submit(): Promise<void> {
    const text = words.value.trim();
    if (text === "" || go.disabled) return;
    go.disabled = true;
    problem.hidden = true;
    try {
      await send(text, name);
      words.value = "";
      name = crypto.randomUUID();
      grow();
    } catch (error) {
      problem.textContent = error instanceof Error ? error.message : "The server did not answer.";
      problem.hidden = false;
    } finally {
      go.disabled = false;
    }
  }

  words.addEventListener("input", () => {
    grow();
    offer();
  });
  words.addEventListener("keydown", (event) => {
    // A line that is still being composed is not sent.
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      void submit();
    }
    const first = offered.querySelector("button");
    if (event.key === "Tab" && !event.shiftKey && first && !offered.hidden) {
      event.preventDefault();
      take(first.textContent ?? "");
    }
  });
  element.addEventListener("submit", (event) => {
    event.preventDefault();
    void submit();
  });
  return { element, focus: () => words.focus() };
}
