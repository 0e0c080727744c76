// The place of a reader: what stands at the top of the screen stays there while others write above it. Never moves what the person
// moves: their own keys come first.

import { EditorState, type Extension, type StateEffect } from "@codemirror/state";
import { type EditorView, ViewPlugin } from "@codemirror/view";

/**
 * The editor keeps its place by itself, but only over one change between two looks at the screen, and not if nothing that is drawn has
 * changed. When several write at once, that is not enough: so the place before the first change is carried along by all that follow.
 */
export function steady(): Extension {
  let view: EditorView | null = null;
  let place: StateEffect<unknown> | null = null;
  const forget = { read: (): null => null, write: (): void => void (place = null) };
  return [
    EditorState.transactionExtender.of((transaction) => {
      if (!transaction.docChanged || !view) return null;
      // What a person does themselves scrolls to where they are.
      const isOwn = transaction.isUserEvent("input") || transaction.isUserEvent("delete") || transaction.scrollIntoView;
      place = isOwn ? null : ((place ?? view.scrollSnapshot()).map(transaction.changes) ?? null);
      return place ? { effects: place } : null;
    }),
    ViewPlugin.define((editor) => {
      view = editor;
      return {
        update(update) {
          if (update.docChanged) update.view.requestMeasure(forget);
        },
        destroy: () => void (view = null),
      };
    }),
  ];
}
