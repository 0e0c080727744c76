// Who wrote this: read off the replica, where every word carries the number of its author. Never guesses, and never can be lost.

import { type Extension, RangeSet, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, GutterMarker, gutter, hoverTooltip } from "@codemirror/view";
import * as Y from "yjs";

import type { WireVisitor } from "../wire/wire";
import { h } from "./dom";
import { hueOf } from "./people";

interface Span {
  readonly from: number;
  readonly to: number;
  readonly client: number;
}

/** Who wrote which span, in the order of the text. */
export function spansOf(text: Y.Text): Span[] {
  const spans: Span[] = [];
  let at = 0;
  for (let item = text._start; item !== null; item = item.right) {
    if (item.deleted || !item.countable) continue;
    const last = spans.at(-1);
    if (last && last.client === item.id.client) spans[spans.length - 1] = { ...last, to: at + item.length };
    else spans.push({ from: at, to: at + item.length, client: item.id.client });
    at += item.length;
  }
  return spans;
}

/** Who wrote the most: the ground that the others stand out from. */
function mostOf(spans: readonly Span[]): number | null {
  const sums = new Map<number, number>();
  for (const { from, to, client } of spans) sums.set(client, (sums.get(client) ?? 0) + to - from);
  return [...sums.entries()].sort((one, two) => two[1] - one[1])[0]?.[0] ?? null;
}

class NameMarker extends GutterMarker {
  constructor(
    readonly name: string,
    readonly agent: boolean,
  ) {
    super();
  }
  override toDOM(): Node {
    return h("span", { class: `line-author hue-${hueOf(this.name)} ${this.agent ? "agent" : "person"}` }, this.name);
  }
  override eq(other: NameMarker): boolean {
    return other.name === this.name && other.agent === this.agent;
  }
}

/** Shows or hides the margin. */
export const showAuthors = StateEffect.define<boolean>();

export function authors(text: Y.Text, visitors: () => ReadonlyMap<number, WireVisitor>): Extension {
  const whoAt = (position: number): WireVisitor | undefined => {
    const span = spansOf(text).find(({ from, to }) => from <= position && position < to);
    return span && visitors().get(span.client);
  };

  const isShown = StateField.define<boolean>({
    create: () => false,
    update: (shown, transaction) =>
      transaction.effects.reduce((value, effect) => (effect.is(showAuthors) ? effect.value : value), shown),
  });

  const marks = StateField.define<DecorationSet>({
    create: () => Decoration.none,
    update(set, transaction) {
      if (!transaction.state.field(isShown)) return Decoration.none;
      const isToggled = transaction.effects.some((effect) => effect.is(showAuthors));
      if (!transaction.docChanged && !isToggled) return set;
      const length = transaction.state.doc.length;
      const spans = spansOf(text);
      const most = mostOf(spans);
      const ranges = spans.flatMap(({ from, to, client }) => {
        const who = visitors().get(client);
        const end = Math.min(to, length);
        return who && from < end && client !== most
          ? [Decoration.mark({ class: `by hue-${hueOf(who.name)}`, attributes: { title: who.name } }).range(from, end)]
          : [];
      });
      return Decoration.set(ranges);
    },
    provide: (field) => EditorView.decorations.from(field),
  });

  const names = gutter({
    class: "authors",
    markers(view) {
      if (!view.state.field(isShown)) return RangeSet.empty;
      const found = [];
      const spans = spansOf(text);
      let index = 0;
      let last = "";
      for (let number = 1; number <= view.state.doc.lines; number++) {
        const line = view.state.doc.line(number);
        if (line.length === 0) continue;
        while ((spans[index]?.to ?? Infinity) <= line.from) index++;
        const who = visitors().get(spans[index]?.client ?? 0);
        if (who && who.name !== last) found.push(new NameMarker(who.name, who.agent).range(line.from));
        last = who?.name ?? "";
      }
      return RangeSet.of(found);
    },
    lineMarkerChange: (update) =>
      update.docChanged || update.transactions.some((one) => one.effects.some((effect) => effect.is(showAuthors))),
  });

  const hover = hoverTooltip(
    (_, position) => {
      const who = whoAt(position);
      if (!who) return null;
      const words = who.agent ? `${who.name} (agent) wrote this` : `${who.name} wrote this`;
      return { pos: position, above: true, create: () => ({ dom: h("div", { class: "who" }, words) }) };
    },
    { hoverTime: 600 },
  );

  return [isShown, marks, names, hover];
}
