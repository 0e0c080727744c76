// Where others are: the carets of pages, and the places where agents last wrote. Never throws for a place that is gone, and never
// lets a peer's words reach a style.

import { type Extension, type Range, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, ViewPlugin, WidgetType } from "@codemirror/view";
import * as Y from "yjs";

import type { WireVisitor } from "../wire/wire";
import { h } from "./dom";
import type { Replica } from "./link";
import { hueOf } from "./people";

/** How long an agent's place is shown after its last word. */
const SHOWN = 5000;
/** How long a name stands at a caret that came or moved. Afterwards it covers no words, unless the pointer asks for it. */
const NAMED = 2000;

interface Caret {
  readonly from: number;
  readonly to: number;
  readonly name: string;
  readonly agent: boolean;
}

class CaretSign extends WidgetType {
  constructor(
    readonly name: string,
    readonly agent: boolean,
  ) {
    super();
  }
  override toDOM(): HTMLElement {
    const kind = this.agent ? "agent" : "person";
    const sign = h(
      "span",
      { class: `caret ${kind} hue-${hueOf(this.name)} named`, "aria-hidden": "true" },
      h("span", { class: "caret-name" }, this.name),
    );
    window.setTimeout(() => sign.classList.remove("named"), NAMED);
    return sign;
  }
  override eq(other: CaretSign): boolean {
    return other.name === this.name && other.agent === this.agent;
  }
  override ignoreEvent(): boolean {
    return true;
  }
}

const setCarets = StateEffect.define<readonly Caret[]>();

const field = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(set, transaction) {
    let next = set.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(setCarets)) next = drawn(effect.value, transaction.state.doc.length);
    }
    return next;
  },
  provide: (carets) => EditorView.decorations.from(carets),
});

function drawn(carets: readonly Caret[], length: number): DecorationSet {
  const ranges: Range<Decoration>[] = [];
  for (const { from, to, name, agent } of carets) {
    if (from > length || to > length) continue;
    if (from < to) ranges.push(Decoration.mark({ class: `selected hue-${hueOf(name)}` }).range(from, to));
    ranges.push(Decoration.widget({ widget: new CaretSign(name, agent), side: 1 }).range(to));
  }
  return Decoration.set(ranges, true);
}

export interface Carets {
  readonly extension: Extension;
  /** Draws anew, because names became known. */
  show(): void;
  /** Agents wrote at these places. */
  wrote(places: ReadonlyMap<number, Y.RelativePosition>): void;
}

/** Carets over a replica; `visitors` says who is who. */
export function carets(replica: Replica, visitors: () => ReadonlyMap<number, WireVisitor>): Carets {
  const { doc, awareness, text } = replica;
  const written = new Map<number, { place: Y.RelativePosition; until: number }>();
  let editor: EditorView | null = null;
  let timer = 0;
  let frame = 0;

  const at = (place: Y.RelativePosition): number | null => {
    const found = Y.createAbsolutePositionFromRelativePosition(place, doc);
    return found && found.type === text ? found.index : null;
  };

  /** A block ends with line breaks; its writer is shown behind its words. */
  const behindWords = (index: number): number => {
    const before = editor?.state.sliceDoc(Math.max(0, index - 16), index) ?? "";
    return index - (before.length - before.trimEnd().length);
  };

  function show(): void {
    window.clearTimeout(timer);
    const now = performance.now();
    const shown: Caret[] = [];
    for (const [client, state] of awareness.getStates()) {
      const cursor = client === doc.clientID ? null : cursorOf(state);
      const who = visitors().get(client);
      const [anchor, head] = cursor ? [at(cursor.anchor), at(cursor.head)] : [null, null];
      if (anchor === null || head === null) continue;
      shown.push({ from: Math.min(anchor, head), to: Math.max(anchor, head), name: who?.name ?? "Someone", agent: false });
    }
    for (const [client, { place, until }] of written) {
      const who = visitors().get(client);
      const index = at(place);
      if (until < now || index === null) written.delete(client);
      else if (who && client !== doc.clientID && !awareness.getStates().has(client)) {
        const end = behindWords(index);
        shown.push({ from: end, to: end, name: who.name, agent: who.agent });
      }
    }
    editor?.dispatch({ effects: setCarets.of(shown) });
    if (written.size > 0) timer = window.setTimeout(show, SHOWN + 50);
  }

  /** Draws once in a frame, however many words have come. An editor may not be told anything in the middle of an update. */
  function soon(): void {
    if (frame !== 0) return;
    frame = requestAnimationFrame(() => {
      frame = 0;
      if (editor) show();
    });
  }

  const plugin = ViewPlugin.define((view) => {
    editor = view;
    awareness.on("change", soon);
    soon();
    return {
      update(update) {
        if (update.selectionSet || update.focusChanged || update.docChanged) say(update.view);
      },
      destroy() {
        awareness.off("change", soon);
        cancelAnimationFrame(frame);
        window.clearTimeout(timer);
        editor = null;
      },
    };
  });

  function say(view: EditorView): void {
    const { anchor, head } = view.state.selection.main;
    const place = (index: number): object =>
      Y.relativePositionToJSON(Y.createRelativePositionFromTypeIndex(text, index)) as object;
    const length = text.length;
    const cursor =
      view.hasFocus && anchor <= length && head <= length ? { anchor: place(anchor), head: place(head) } : null;
    const old = JSON.stringify(awareness.getLocalState()?.["cursor"] ?? null);
    if (old !== JSON.stringify(cursor)) awareness.setLocalState({ cursor });
  }

  return {
    extension: [field, plugin],
    show: soon,
    wrote(places) {
      const until = performance.now() + SHOWN;
      for (const [client, place] of places) written.set(client, { place, until });
      soon();
    },
  };
}

function cursorOf(state: Record<string, unknown>): { anchor: Y.RelativePosition; head: Y.RelativePosition } | null {
  const cursor = state["cursor"];
  if (typeof cursor !== "object" || cursor === null) return null;
  try {
    const { anchor, head } = cursor as Record<string, unknown>;
    return {
      anchor: Y.createRelativePositionFromJSON(anchor),
      head: Y.createRelativePositionFromJSON(head),
    };
  } catch {
    return null;
  }
}
