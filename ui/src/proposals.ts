// Proposals in the editor: softer ink, a dashed rule and a label, so that they are told apart without colour too. Never changes text.

import { syntaxTree } from "@codemirror/language";
import { type EditorState, type Extension, type Range, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, type EditorView, ViewPlugin, type ViewUpdate, WidgetType } from "@codemirror/view";

import { h } from "./dom";
import { type Scan, rescan, scan } from "./rescan";
import { type Section, proposedSpans } from "./sections";

const MARKER = /^\s*<!--\s*proposal\s*-->\s*$/;

class Label extends WidgetType {
  override toDOM(): HTMLElement {
    return h("span", { class: "label-proposal" }, "Proposal");
  }
  override eq(): boolean {
    return true;
  }
}

const line = Decoration.line({ class: "text-proposed in-proposal" });
const headingLine = Decoration.line({ class: "in-proposal" });
const marker = Decoration.line({ class: "text-proposed in-proposal marker" });
const canon = Decoration.line({ class: "text-canon" });
const label = Decoration.widget({ widget: new Label(), side: 1 });
const deleted = Decoration.mark({ class: "text-proposed-deleted" });

/** What of the text is drawn gets its decorations. A long document has tens of thousands of lines, of which a screen shows fifty. */
function decorate(view: EditorView): DecorationSet {
  const { state } = view;
  const sections = sectionsIn(state);
  const spans = proposedSpans(sections);
  const ranges: Range<Decoration>[] = [];
  let done = -1;
  for (const visible of view.visibleRanges) {
    let span = 0;
    for (let at = visible.from; at <= visible.to; ) {
      const { from, to, text } = state.doc.lineAt(at);
      at = to + 1;
      // A very long line is drawn in parts.
      if (from <= done) continue;
      done = from;
      while ((spans[span]?.to ?? Infinity) <= from && from > (spans[span]?.from ?? 0)) span++;
      const current = spans[span];
      if (!current || from < current.from) ranges.push(canon.range(from));
      else if (from === current.from) ranges.push(headingLine.range(from));
      else ranges.push((MARKER.test(text) ? marker : line).range(from));
    }
    for (const { from, to } of spans) {
      if (to < visible.from || from > visible.to) continue;
      syntaxTree(state).iterate({
        from: Math.max(from, visible.from),
        to: Math.min(to, visible.to),
        enter(node) {
          if (node.name === "Strikethrough") ranges.push(deleted.range(node.from, node.to));
        },
      });
    }
  }
  for (const section of sections) {
    if (!section.isProposal) continue;
    const isDrawn = view.visibleRanges.some(({ from, to }) => from <= section.start && section.start <= to);
    if (isDrawn) ranges.push(label.range(state.doc.lineAt(section.start).to));
  }
  return Decoration.set(ranges, true);
}

/** What is known of the lines of the text in the editor. */
export const scanField = StateField.define<Scan>({
  create: ({ doc }) => scan(doc),
  update: (old, { docChanged, changes, state }) => (docChanged ? rescan(old, changes, state.doc) : old),
});

/** The sections of the text in the editor. */
export function sectionsIn(state: EditorState): readonly Section[] {
  return state.field(scanField).sections;
}

const decorations = ViewPlugin.define(
  (view) => ({
    set: decorate(view),
    update(update: ViewUpdate): void {
      const isParsed = syntaxTree(update.startState) !== syntaxTree(update.state);
      if (update.docChanged || update.viewportChanged || isParsed) this.set = decorate(update.view);
    },
  }),
  { decorations: (plugin) => plugin.set },
);

export const proposals: Extension = [scanField, decorations];
