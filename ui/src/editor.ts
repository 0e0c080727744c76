// The editor: CodeMirror bound to a replica. Never made while the replica is being changed, or it would hear the same words twice.

import { defaultKeymap, indentLess, indentMore } from "@codemirror/commands";
import { markdown, markdownLanguage } from "@codemirror/lang-markdown";
import { HighlightStyle, syntaxHighlighting, syntaxTree } from "@codemirror/language";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, type Extension, RangeSetBuilder } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  EditorView,
  type KeyBinding,
  ViewPlugin,
  type ViewUpdate,
  drawSelection,
  keymap,
} from "@codemirror/view";
import { NodeType, type ParseWrapper, Tree } from "@lezer/common";
import { tags } from "@lezer/highlight";
import { yCollab, yUndoManagerKeymap } from "y-codemirror.next";
import * as Y from "yjs";

import { nextFrame } from "./frames";
import type { Replica } from "./link";
import { changesTo } from "./lines";
import { steady } from "./place";
import { proposals } from "./proposals";
import { isTooDeep } from "./sections";

const words = HighlightStyle.define([
  { tag: tags.heading1, class: "md-h1" },
  { tag: tags.heading2, class: "md-h2" },
  { tag: tags.heading3, class: "md-h3" },
  { tag: [tags.heading4, tags.heading5, tags.heading6], class: "md-h4" },
  { tag: tags.strong, class: "md-strong" },
  { tag: tags.emphasis, class: "md-emphasis" },
  { tag: tags.monospace, class: "md-code" },
  { tag: tags.link, class: "md-link" },
  { tag: tags.url, class: "md-url" },
  { tag: tags.quote, class: "md-quote" },
  { tag: tags.processingInstruction, class: "md-mark" },
  { tag: tags.comment, class: "md-comment" },
  { tag: tags.contentSeparator, class: "md-mark" },
]);

/** What is nested so deep that the parser has no stack for it is text without colours. An error in the middle of a change would part the editor from the replica. */
const guarded: ParseWrapper = (inner, input) => ({
  advance() {
    try {
      return inner.advance();
    } catch {
      return new Tree(NodeType.none, [], [], input.length);
    }
  },
  get parsedPos() {
    return inner.parsedPos;
  },
  get stoppedAt() {
    return inner.stoppedAt;
  },
  stopAt: (position) => inner.stopAt(position),
});

const highlighted: Extension = [markdown({ base: markdownLanguage, extensions: [{ wrap: guarded }] }), syntaxHighlighting(words)];

/** Whether a change brought in what no parser should be asked to read. */
function isDeepened(update: ViewUpdate): boolean {
  let is = false;
  update.changes.iterChanges((_from, _to, from, to) => {
    const { doc } = update.state;
    is ||= isTooDeep(doc.sliceString(doc.lineAt(from).from, Math.min(doc.length, to + 200)));
  });
  return is;
}

/** How far down the end of the settings is looked for. */
const FRONT_MAX = 200;
/** Code and tables keep their columns. */
const MONOSPACED = new Set(["FencedCode", "CodeBlock", "Table"]);
const mono = Decoration.line({ class: "md-block-code" });
const front = Decoration.line({ class: "md-front" });
const carriageReturn = Decoration.replace({});

/** How many lines at the top are settings and no text: those between two lines of three hyphens. */
function frontLines(view: EditorView): number {
  const { doc } = view.state;
  if (doc.line(1).text.trimEnd() !== "---") return 0;
  for (let number = 2; number <= Math.min(doc.lines, FRONT_MAX); number++) {
    if (doc.line(number).text.trimEnd() === "---") return number;
  }
  return 0;
}

/** Lines of code and tables, and the ends of lines from other systems, as far as they are on the screen. */
const blocks = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = decorate(view);
    }
    update(update: ViewUpdate): void {
      const isParsed = syntaxTree(update.startState) !== syntaxTree(update.state);
      if (update.docChanged || update.viewportChanged || isParsed) this.decorations = decorate(update.view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

function decorate(view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  const { doc } = view.state;
  const fronts = frontLines(view);
  for (const { from, to } of view.visibleRanges) {
    const coded = new Set<number>();
    syntaxTree(view.state).iterate({
      from,
      to,
      enter(node) {
        if (!MONOSPACED.has(node.name)) return;
        const last = doc.lineAt(Math.min(node.to, to)).number;
        for (let number = doc.lineAt(Math.max(node.from, from)).number; number <= last; number++) coded.add(number);
      },
    });
    for (let number = doc.lineAt(from).number; number <= doc.lineAt(to).number; number++) {
      const line = doc.line(number);
      if (number <= fronts) builder.add(line.from, line.from, front);
      else if (coded.has(number)) builder.add(line.from, line.from, mono);
      if (line.text.endsWith("\r")) builder.add(line.to - 1, line.to, carriageReturn);
    }
  }
  return builder.finish();
}

/** New lines end as the others of the document do. */
const lineEndings = EditorState.transactionFilter.of((transaction) => {
  if (!transaction.docChanged || !transaction.isUserEvent("input")) return transaction;
  if (!transaction.startState.doc.line(1).text.endsWith("\r")) return transaction;
  const changes: { from: number; to: number; insert: string }[] = [];
  transaction.changes.iterChanges((from, to, _from, _to, inserted) => {
    changes.push({ from, to, insert: inserted.toString().replace(/\r?\n/g, "\r\n") });
  });
  const grown = changes.reduce((sum, { from, to, insert }) => sum + insert.length - (to - from), 0);
  const last = changes.at(-1);
  return [{ changes, ...(last ? { selection: { anchor: last.to + grown } } : {}), userEvent: "input" }];
});

/** Tab moves the focus, as everywhere; only in a list it moves the item. */
const listKeys: KeyBinding[] = [
  { key: "Tab", run: (view) => isInList(view.state) && indentMore(view) },
  { key: "Shift-Tab", run: (view) => isInList(view.state) && indentLess(view) },
];

function isInList(state: EditorState): boolean {
  const line = state.doc.lineAt(state.selection.main.head);
  return /^\s*([-*+]|\d+[.)])\s/.test(line.text);
}

export interface Editor {
  readonly view: EditorView;
  /** Goes on with another replica: what differs is changed, and everything else stays, the caret and the place too. */
  bind(replica: Replica, more: Extension): void;
  /** Lets the person write, or only read. */
  allow(writes: boolean): void;
}

/** Makes the editor in pieces. The replica must stay as it is meanwhile. */
export async function openEditor(parent: HTMLElement, replica: Replica, more: Extension): Promise<Editor> {
  await nextFrame();
  let undoManager = new Y.UndoManager(replica.text);
  const writable = new Compartment();
  const bound = new Compartment();
  const language = new Compartment();
  const text = replica.text.toString();
  const nonce = document.querySelector<HTMLMetaElement>("meta[name=csp-nonce]")?.content ?? "";
  const state = EditorState.create({
    doc: text,
    extensions: [
      EditorView.cspNonce.of(nonce),
      // A carriage return stays a character, so that places mean the same here and in the replica.
      EditorState.lineSeparator.of("\n"),
      writable.of([]),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ "aria-label": "Document", tabindex: "0", spellcheck: "true", autocapitalize: "sentences" }),
      drawSelection(),
      search({ top: true }),
      highlightSelectionMatches(),
      language.of(isTooDeep(text) ? [] : highlighted),
      EditorView.updateListener.of((update) => {
        if (update.docChanged && isDeepened(update)) {
          queueMicrotask(() => update.view.dispatch({ effects: language.reconfigure([]) }));
        }
      }),
      blocks,
      lineEndings,
      proposals,
      steady(),
      keymap.of([...yUndoManagerKeymap, ...listKeys, ...searchKeymap, ...defaultKeymap]),
      bound.of([yCollab(replica.text, null, { undoManager }), more]),
    ],
  });
  await nextFrame();
  const view = new EditorView({ state, parent });
  return {
    view,
    bind(next, others) {
      undoManager.destroy();
      undoManager = new Y.UndoManager(next.text);
      // Nobody listens while the text is made equal, so that no replica hears what both already know.
      view.dispatch({ effects: bound.reconfigure([]) });
      view.dispatch({ changes: changesTo(view.state.doc.toString(), next.text.toString()) });
      view.dispatch({ effects: [bound.reconfigure([yCollab(next.text, null, { undoManager }), others]), writable.reconfigure([])] });
    },
    allow(writes) {
      if (view.state.readOnly === writes) view.dispatch({ effects: writable.reconfigure(writes ? [] : EditorState.readOnly.of(true)) });
    },
  };
}
