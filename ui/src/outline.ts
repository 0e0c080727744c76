// The sections of a document, beside it: whose each is, how it stands, and whether somebody should look. Never scrolls by itself.

import { h } from "./dom";
import { nextFrame } from "./frames";
import { hintWords } from "./hints";
import { hueOf } from "./people";
import type { Section } from "./sections";
import type { SectionState } from "./view";
import { PHASE_WORDS, phaseTone } from "./words";

/** How many sections are listed; the rest is reached by searching. */
const LISTED_MAX = 1000;
/** How many rows are made at once in any case, and how long more of them may be made before the page gets a turn, in milliseconds. */
const AT_ONCE = 30;
const SLICE = 6;

export interface Outline {
  readonly element: HTMLElement;
  show(sections: readonly Section[], stateOf: (title: string) => SectionState): void;
  /** Marks the section that holds the caret. */
  mark(position: number): void;
}

/** What a row shows, and its elements. */
interface Row {
  readonly section: Section;
  readonly state: SectionState;
  readonly item: HTMLLIElement;
  readonly button: HTMLButtonElement;
}

export function openOutline(go: (section: Section) => void): Outline {
  const list = h("ul", {});
  const rest = h("p", { class: "about", hidden: true });
  const element = h("nav", { class: "outline", "aria-label": "Sections", tabindex: "-1" }, h("h2", {}, "Sections"), list, rest);
  let sections: readonly Section[] = [];
  let rows: Row[] = [];
  /** Rows that are not made yet: where, and how many. */
  let gap = { at: 0, size: 0 };
  let round = 0;
  let marked = -1;
  let current: HTMLButtonElement | undefined;

  function rowOf(section: Section, state: SectionState): Row {
    const button = h(
      "button",
      { class: section.isProposal ? "proposed" : "", onclick: () => choose(button) },
      h("span", { class: "line" }, h("span", { class: "name" }, section.title || "Untitled"), section.isProposal ? h("span", { class: "tag" }, "proposal") : null),
      about(state),
      state.hint ? h("span", { class: `hint ${state.hint.kind}`, title: hintWords(state.hint).long }, hintWords(state.hint).short) : null,
    );
    return { section, state, button, item: h("li", { class: `level-${section.level}` }, button) };
  }

  function choose(button: HTMLButtonElement): void {
    const index = rows.findIndex((row) => row.button === button);
    const section = sections[index < gap.at ? index : index + gap.size];
    if (section) go(section);
  }

  /** Makes missing rows, as many as fit into a slice; the others after the next frame. */
  function fill(wanted: readonly SectionState[], own: number): void {
    const until = performance.now() + SLICE;
    const made: Row[] = [];
    while (gap.size > made.length && (made.length < AT_ONCE || performance.now() < until)) {
      const index = gap.at + made.length;
      const [section, state] = [sections[index], wanted[index]];
      if (!section || !state) break;
      made.push(rowOf(section, state));
    }
    const before = rows[gap.at]?.item ?? null;
    for (const { item } of made) list.insertBefore(item, before);
    rows.splice(gap.at, 0, ...made);
    gap = { at: gap.at + made.length, size: gap.size - made.length };
    point(marked);
    if (gap.size > 0) void nextFrame().then(() => own === round && fill(wanted, own));
  }

  return {
    element,
    show(found, stateOf) {
      sections = found;
      const wanted = found.slice(0, LISTED_MAX).map(({ title }) => stateOf(title));
      // What is equal at both ends stays; what differs between them is made anew.
      const most = Math.min(rows.length, wanted.length);
      const isSame = (row: number, index: number): boolean => isAsShown(rows[row], found[index], wanted[index]);
      let head = 0;
      while (head < most && isSame(head, head)) head++;
      let tail = 0;
      while (tail < most - head && isSame(rows.length - 1 - tail, wanted.length - 1 - tail)) tail++;
      for (const { item } of rows.splice(head, rows.length - tail - head)) item.remove();
      gap = { at: head, size: wanted.length - tail - head };
      fill(wanted, ++round);
      rest.hidden = found.length <= LISTED_MAX;
      // By hand: to load the ways in which languages write numbers takes longer than the whole outline.
      if (!rest.hidden) rest.textContent = `and ${String(found.length - LISTED_MAX).replaceAll(/\B(?=(\d{3})+$)/g, ",")} more`;
    },
    mark: (position) => point(sections.findLastIndex(({ start }) => start <= position)),
  };

  function point(index: number): void {
    marked = index;
    const isMissing = index >= gap.at && index < gap.at + gap.size;
    const button = isMissing ? undefined : rows[index < gap.at ? index : index - gap.size]?.button;
    if (button === current) return;
    current?.removeAttribute("aria-current");
    button?.setAttribute("aria-current", "true");
    current = button;
  }
}

/** Whether a row shows this already, wherever it stands. */
function isAsShown(row: Row | undefined, section: Section | undefined, state: SectionState | undefined): boolean {
  if (!row || !section || !state) return false;
  const { section: oldSection, state: old } = row;
  const isSection = oldSection.title === section.title && oldSection.level === section.level && oldSection.isProposal === section.isProposal;
  const isPhase = old.phase?.name === state.phase?.name && old.phase?.phase === state.phase?.phase;
  const isLast = old.last?.name === state.last?.name && old.last?.agent === state.last?.agent;
  return isSection && isPhase && isLast && (old.hint === state.hint || JSON.stringify(old.hint) === JSON.stringify(state.hint));
}

/** Who is at it or was last, by a square or a round sign and in words. */
function about({ phase, last }: SectionState): HTMLElement | null {
  if (phase) return h("span", { class: `state ${phaseTone(phase.phase)} hue-${hueOf(phase.name)}` }, h("span", { class: "dot agent", "aria-hidden": "true" }), PHASE_WORDS[phase.phase]);
  if (last) return h("span", { class: `state hue-${hueOf(last.name)}`, title: "Who changed it last" }, h("span", { class: last.agent ? "dot agent" : "dot", "aria-hidden": "true" }), `by ${last.name}`);
  return null;
}
