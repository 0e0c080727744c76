// The sections of a document, beside it: whose each is, how it stands, and whether somebody should look. Never scrolls by itself.

import { h } from "./dom";
import { hintWords } from "./hints";
import { hueOf } from "./people";
import type { Section } from "./sections";
import type { SectionState } from "./view";
import { PHASE_WORDS, phaseTone } from "./words";

/** How many sections are listed; the rest is reached by searching. */
const LISTED_MAX = 1000;

export interface Outline {
  readonly element: HTMLElement;
  show(sections: readonly Section[], stateOf: (title: string) => SectionState): void;
  /** Marks the section that holds the caret. */
  mark(position: number): void;
}

export function openOutline(go: (section: Section) => void): Outline {
  const list = h("ul", {});
  const rest = h("p", { class: "about", hidden: true });
  const element = h("nav", { class: "outline", "aria-label": "Sections", tabindex: "-1" }, h("h2", {}, "Sections"), list, rest);
  let sections: readonly Section[] = [];
  let buttons: readonly HTMLButtonElement[] = [];
  let key = "";
  let marked = -1;

  function row(section: Section, state: SectionState, index: number): HTMLButtonElement {
    return h(
      "button",
      { class: section.isProposal ? "proposed" : "", onclick: () => sections[index] && go(sections[index]) },
      h("span", { class: "line" }, h("span", { class: "name" }, section.title || "Untitled"), section.isProposal ? h("span", { class: "tag" }, "proposal") : null),
      about(state),
      state.hint ? h("span", { class: `hint ${state.hint.kind}`, title: hintWords(state.hint).long }, hintWords(state.hint).short) : null,
    );
  }

  return {
    element,
    show(found, stateOf) {
      sections = found;
      const shown = found.slice(0, LISTED_MAX);
      const states = shown.map(({ title }) => stateOf(title));
      const next = JSON.stringify(shown.map(({ title, level, isProposal }, index) => [title, level, isProposal, states[index]]));
      if (next === key) return;
      key = next;
      buttons = shown.map((section, index) => row(section, states[index] ?? { phase: null, last: null, hint: null }, index));
      list.replaceChildren(...shown.map(({ level }, index) => h("li", { class: `level-${level}` }, buttons[index] ?? null)));
      rest.hidden = found.length <= LISTED_MAX;
      rest.textContent = `and ${(found.length - LISTED_MAX).toLocaleString("en")} more`;
      const again = marked;
      marked = -1;
      point(again);
    },
    mark: (position) => point(sections.findLastIndex(({ start }) => start <= position)),
  };

  function point(index: number): void {
    if (index === marked) return;
    buttons[marked]?.removeAttribute("aria-current");
    buttons[index]?.setAttribute("aria-current", "true");
    marked = index;
  }
}

/** Who is at it or was last, by a square or a round sign and in words. */
function about({ phase, last }: SectionState): HTMLElement | null {
  if (phase) return h("span", { class: `state ${phaseTone(phase.phase)} hue-${hueOf(phase.name)}` }, h("span", { class: "dot agent", "aria-hidden": "true" }), PHASE_WORDS[phase.phase]);
  if (last) return h("span", { class: `state hue-${hueOf(last.name)}`, title: "Who changed it last" }, h("span", { class: last.agent ? "dot agent" : "dot", "aria-hidden": "true" }), `by ${last.name}`);
  return null;
}
