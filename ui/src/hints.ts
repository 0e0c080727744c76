// What a person should look at in a section, as a pill behind its heading: somebody else changed it while they are in it, or two changed
// the same words. Never part of the text.

import { type Extension, type Range, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, WidgetType } from "@codemirror/view";

import { h } from "./dom";
import { scanField, sectionsIn } from "./proposals";
import type { Hint } from "./view";

/** A hint in a few words, and in more. */
export function hintWords(hint: Hint): { short: string; long: string } {
  if (hint.kind === "newer") return { short: `Newer text by ${hint.author}`, long: `${hint.author} changed this section while you are in it.` };
  const both = hint.both ? "Both versions stand in the text; keep the one you want." : "One of them gave way; the history has both.";
  return { short: "Changed twice", long: `Two changed the same words at once. ${both}\n\nHere: ${hint.ours.trim()}\n\nThere: ${hint.theirs.trim()}` };
}

class Pill extends WidgetType {
  constructor(
    readonly section: string,
    readonly hint: Hint,
    readonly seen: (section: string) => void,
  ) {
    super();
  }
  override eq(other: Pill): boolean {
    return other.section === this.section && JSON.stringify(other.hint) === JSON.stringify(this.hint);
  }
  override toDOM(): HTMLElement {
    const { short, long } = hintWords(this.hint);
    return h("button", { class: `hint ${this.hint.kind}`, title: `${long}\n\nClick to put this away.`, tabindex: "-1", onclick: () => this.seen(this.section) }, short);
  }
  override ignoreEvent(): boolean {
    return true;
  }
}

/** From now on these are the hints, by the titles of their sections. */
export const setHints = StateEffect.define<ReadonlyMap<string, Hint>>();

/** Pills in the editor; `seen` puts one away. */
export function hints(seen: (section: string) => void): Extension {
  const known = StateField.define<ReadonlyMap<string, Hint>>({
    create: () => new Map(),
    update: (all, transaction) => transaction.effects.reduce((last, effect) => (effect.is(setHints) ? effect.value : last), all),
  });
  const pills = EditorView.decorations.compute([known, scanField], (state): DecorationSet => {
    const all = state.field(known);
    if (all.size === 0) return Decoration.none;
    const ranges: Range<Decoration>[] = sectionsIn(state).flatMap(({ title, headingEnd }) => {
      const hint = all.get(title);
      return hint ? [Decoration.widget({ widget: new Pill(title, hint, seen), side: 2 }).range(Math.min(headingEnd, state.doc.length))] : [];
    });
    return Decoration.set(ranges, true);
  });
  return [known, pills];
}
