// The sections of a document, beside it. Never scrolls by itself.

import { h } from "./dom";
import type { Section } from "./sections";

export interface Outline {
  readonly element: HTMLElement;
  show(sections: readonly Section[]): void;
  /** Marks the section that holds the caret. */
  mark(position: number): void;
}

export function openOutline(go: (section: Section) => void): Outline {
  const list = h("ul", {});
  const element = h("nav", { class: "outline", "aria-label": "Sections", tabindex: "-1" }, h("h2", {}, "Sections"), list);
  let sections: readonly Section[] = [];
  let key = "";
  let marked = -1;
  return {
    element,
    show(found) {
      sections = found;
      const next = found.map(({ title, level, isProposal }) => `${level}${isProposal}${title}`).join("\n");
      if (next === key) return;
      key = next;
      marked = -1;
      list.replaceChildren(
        ...found.map((section, index) =>
          h(
            "li",
            { class: `level-${section.level}` },
            h(
              "button",
              { class: section.isProposal ? "proposed" : "", onclick: () => sections[index] && go(sections[index]) },
              h("span", { class: "name" }, section.title || "Untitled"),
              section.isProposal ? h("span", { class: "tag" }, "proposal") : null,
            ),
          ),
        ),
      );
    },
    mark(position) {
      const index = sections.findLastIndex(({ start }) => start <= position);
      if (index === marked) return;
      const buttons = list.querySelectorAll("button");
      buttons[marked]?.removeAttribute("aria-current");
      buttons[index]?.setAttribute("aria-current", "true");
      marked = index;
    },
  };
}
