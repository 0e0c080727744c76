// The place of a reader: what stands at the top of the screen stays there while others write above it. Never moves what the person
// moves: their own keys come first.

import { EditorState, type Extension, type StateEffect } from "@codemirror/state";
import { type EditorView, ViewPlugin } from "@codemirror/view";

/** By these a person scrolls. */
const MOVES = ["wheel", "touchmove", "pointerdown", "keydown"] as const;

/**
 * The editor keeps its place by itself, but only over one change between two looks at the screen, and not if nothing that is drawn has
 * changed. When several write at once, that is not enough: so the place before the first change is carried along by all that follow.
 */
export function steady(): Extension {
  let view: EditorView | null = null;
  let place: StateEffect<unknown> | null = null;
  /** The person went somewhere, and the screen has not followed yet: until then there is no place to keep. */
  let isGoing = false;
  const followed = { read: (): null => null, write: (): void => void (isGoing = false) };
  // A screen scrolls by whole points. The place is kept as it was seen first: taken anew after each change, it would drift.
  const forget = (): void => void (place = null);
  return [
    EditorState.transactionExtender.of((transaction) => {
      if (!view) return null;
      // What a person does themselves scrolls to where they are.
      const isMove = !transaction.docChanged && transaction.selection !== undefined;
      isGoing ||= isMove || transaction.scrollIntoView || transaction.isUserEvent("input") || transaction.isUserEvent("delete");
      if (isGoing || !transaction.docChanged) {
        if (isGoing) place = null;
        return null;
      }
      place = (place ?? view.scrollSnapshot()).map(transaction.changes) ?? null;
      return place ? { effects: place } : null;
    }),
    ViewPlugin.define((editor) => {
      view = editor;
      for (const kind of MOVES) editor.scrollDOM.addEventListener(kind, forget, { passive: true });
      return {
        update(update) {
          if (update.docChanged || update.selectionSet) update.view.requestMeasure(followed);
        },
        destroy() {
          for (const kind of MOVES) editor.scrollDOM.removeEventListener(kind, forget);
          view = null;
        },
      };
    }),
  ];
}
