// What stands above everything else when something is wrong, and what can be done about it. Never hides that words are not saved.

import { createDocument } from "./api";
import { announce, h } from "./dom";
import { type View, isSaved, saveState, watchedWords } from "./view";

export interface Banner {
  readonly element: HTMLElement;
  show(view: View): void;
}

/** `text` is what the page holds; `give` hands it to the person as a file. */
export function bannerOf(path: string, text: () => string, give: (name: string, text: string) => void): Banner {
  // Not a live region: that words are not saved is announced already, once.
  const words = h("p", {});
  const back = h("button", { class: "plain", onclick: () => void writeBack() }, "Write it back");
  const copy = h("button", { class: "plain", onclick: () => give(path.split("/").at(-1) ?? path, text()) }, "Save a copy");
  const close = h("button", { class: "plain", onclick: () => void ((isRead = true), (element.hidden = true)) }, "All right");
  const element = h("div", { class: "banner", hidden: true }, words, h("div", { class: "row" }, back, copy, close));
  let isRead = false;

  async function writeBack(): Promise<void> {
    try {
      await createDocument({ path, text: text() });
      announce("The file is there again", true);
    } catch (error) {
      words.textContent = error instanceof Error ? error.message : "The server did not answer.";
    }
  }

  return {
    element,
    show(view) {
      const { tone, detail } = saveState(view);
      const note = tone === "bad" ? null : watchedWords(view.watched);
      element.hidden = tone !== "bad" && (note === null || isRead);
      element.classList.toggle("note", tone !== "bad");
      const next = note ?? detail;
      if (words.textContent !== next && !element.hidden) {
        words.textContent = next;
        if (note) announce(note);
      }
      back.hidden = !view.gone || !view.writes;
      copy.hidden = tone !== "bad" || (!view.gone && isSaved(view));
      close.hidden = tone === "bad";
    },
  };
}
