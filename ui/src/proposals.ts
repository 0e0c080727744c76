// Proposals in the editor: softer ink, a dashed rule and a label, so that they are told apart without colour too. Never changes text.

import { syntaxTree } from "@codemirror/language";
import { type EditorState, type Extension, type Range, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, WidgetType } from "@codemirror/view";

import { h } from "./dom";
import { type Section, proposedSpans, sectionsOf } from "./sections";

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

function decorate(state: EditorState, sections: readonly Section[]): DecorationSet {
  const ranges: Range<Decoration>[] = [];
  const spans = proposedSpans(sections);
  let span = 0;
  for (let number = 1; number <= state.doc.lines; number++) {
    const { from, text } = state.doc.line(number);
    while ((spans[span]?.to ?? Infinity) <= from && from > (spans[span]?.from ?? 0)) span++;
    const current = spans[span];
    if (!current || from < current.from) ranges.push(canon.range(from));
    else if (from === current.from) ranges.push(headingLine.range(from));
    else ranges.push((MARKER.test(text) ? marker : line).range(from));
  }
  for (const section of sections) {
    if (section.isProposal) ranges.push(label.range(state.doc.lineAt(section.start).to));
  }
  for (const { from, to } of spans) {
    syntaxTree(state).iterate({
      from,
      to,
      enter(node) {
        if (node.name === "Strikethrough") ranges.push(deleted.range(node.from, node.to));
      },
    });
  }
  return Decoration.set(ranges, true);
}

/** The sections of the text in the editor. */
export const sectionField = StateField.define<readonly Section[]>({
  create: (state) => sectionsOf(state.doc.toString()),
  update: (sections, transaction) =>
    transaction.docChanged ? sectionsOf(transaction.state.doc.toString()) : sections,
});

const decorations = StateField.define<DecorationSet>({
  create: (state) => decorate(state, state.field(sectionField)),
  update(set, transaction) {
    const isParsed = syntaxTree(transaction.startState) !== syntaxTree(transaction.state);
    return transaction.docChanged || isParsed
      ? decorate(transaction.state, transaction.state.field(sectionField))
      : set;
  },
  provide: (field) => EditorView.decorations.from(field),
});

export const proposals: Extension = [sectionField, decorations];
