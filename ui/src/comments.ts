// What people say about passages: marks in the text, signs in the margin, and a panel of threads. Never part of the text, and never
// moves a mark but with its words.

import { type Extension, type Range, RangeSet, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, GutterMarker, gutter } from "@codemirror/view";
import * as Y from "yjs";

import type { CommentChange, WireComment } from "../wire/wire";
import { changeComment } from "./api";
import { ICONS, announce, h, icon } from "./dom";
import { ago } from "./home";
import type { Replica } from "./link";
import { hueOf } from "./people";

/** A passage in the text as it is now. */
interface Passage {
  readonly id: string;
  readonly from: number;
  readonly to: number;
}

const setPassages = StateEffect.define<readonly Passage[]>();

const passages = StateField.define<readonly Passage[]>({
  create: () => [],
  update(known, transaction) {
    for (const effect of transaction.effects) if (effect.is(setPassages)) return effect.value;
    if (!transaction.docChanged) return known;
    return known.map(({ id, from, to }) => {
      const start = transaction.changes.mapPos(from, 1);
      return { id, from: start, to: Math.max(start, transaction.changes.mapPos(to, -1)) };
    });
  },
  provide: (field) => EditorView.decorations.from(field, drawn),
});

function drawn(all: readonly Passage[]): DecorationSet {
  const ranges: Range<Decoration>[] = all.filter(({ from, to }) => from < to).map(({ id, from, to }) => Decoration.mark({ class: "commented", attributes: { "data-comment": id } }).range(from, to));
  return Decoration.set(ranges, true);
}

class Sign extends GutterMarker {
  constructor(
    readonly id: string,
    readonly open: (id: string) => void,
  ) {
    super();
  }
  override eq(other: Sign): boolean {
    return other.id === this.id;
  }
  override toDOM(): HTMLElement {
    // The panel has the same for the keyboard.
    return h("button", { class: "comment-sign", tabindex: "-1", "aria-label": "Comment", onclick: () => this.open(this.id) }, icon(ICONS.comment));
  }
}

export interface Comments {
  readonly element: HTMLElement;
  /** For the editor over this replica. */
  extension(replica: Replica): Extension;
  /** The editor that shows the marks. */
  bind(view: EditorView, replica: Replica): void;
  show(comments: readonly WireComment[], writes: boolean): void;
  /** Begins a comment on what is selected. */
  begin(): void;
  toggle(): void;
}

export function commentsPanel(path: string, name: () => string, changed: () => void): Comments {
  let all: readonly WireComment[] = [];
  let writes = true;
  let view: EditorView | null = null;
  let replica: Replica | null = null;
  /** Where passages are in the replica: their words may move before the server says so. */
  let anchors = new Map<string, readonly [Y.RelativePosition, Y.RelativePosition]>();
  let draft: { start: number; quote: string } | null = null;
  const list = h("ol", { class: "threads" });
  const about = h("p", { class: "about" });
  const problem = h("p", { class: "problem", role: "alert", hidden: true });
  const withResolved = h("input", { type: "checkbox", id: "with-resolved", onchange: () => draw() });
  const resolvedRow = h("p", { class: "row" }, withResolved, h("label", { for: "with-resolved" }, "Show resolved"));
  const compose = h("div", { class: "compose", hidden: true });
  const element = h(
    "aside",
    { class: "panel comments", "aria-label": "Comments", hidden: true },
    h("header", {}, h("h2", {}, "Comments"), h("button", { class: "quiet", "aria-label": "Close comments", onclick: () => toggle(false) }, icon(ICONS.close))),
    about,
    compose,
    problem,
    list,
    resolvedRow,
  );

  async function send(change: CommentChange, request: string, done: string): Promise<boolean> {
    problem.hidden = true;
    try {
      await changeComment({ path, name: name(), change }, request);
      announce(done, true);
      return true;
    } catch (error) {
      problem.textContent = error instanceof Error ? error.message : "The server did not answer.";
      problem.hidden = false;
      return false;
    }
  }

  /** A field and a button that sends once, and keeps the words if that fails. */
  function field(label: string, button: string, act: (text: string, request: string) => Promise<boolean>): HTMLFormElement {
    let request = crypto.randomUUID();
    const words = h("textarea", { rows: "2", "aria-label": label, placeholder: label });
    const form = h("form", {}, words, h("button", { class: "plain", type: "submit" }, button));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (!words.value.trim()) return;
      void act(words.value.trim(), request).then((isDone) => {
        if (!isDone) return;
        words.value = "";
        request = crypto.randomUUID();
      });
    });
    words.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
    });
    return form;
  }

  function begin(): void {
    if (!view || !writes) return;
    const { from, to } = view.state.selection.main;
    if (from === to) {
      toggle(true);
      about.textContent = "Select the words that you want to say something about first.";
      return;
    }
    draft = { start: from, quote: view.state.sliceDoc(from, to) };
    toggle(true);
    const form = field("What do you say about it?", "Comment", (text, request) => add(text, request));
    compose.replaceChildren(h("blockquote", {}, excerpt(draft.quote)), form);
    compose.hidden = false;
    form.querySelector("textarea")?.focus();
  }

  async function add(text: string, request: string): Promise<boolean> {
    if (!draft) return false;
    const isDone = await send({ kind: "add", ...draft, text }, request, "Commented");
    if (isDone) {
      draft = null;
      compose.hidden = true;
      view?.focus();
    }
    return isDone;
  }

  function thread({ id, quote, gone, resolved, remarks }: WireComment): HTMLElement {
    const said = remarks.map(({ author, time, text }) =>
      h("li", {}, h("p", { class: `by-line hue-${hueOf(author)}` }, author, h("time", { datetime: new Date(time).toISOString() }, ago(time))), h("p", { class: "remark" }, text)),
    );
    const buttons = h(
      "div",
      { class: "row" },
      h("button", { class: "plain", onclick: () => void send({ kind: "resolve", id, resolved: !resolved }, crypto.randomUUID(), resolved ? "Open again" : "Resolved") }, resolved ? "Open again" : "Resolve"),
      h("button", { class: "plain", "aria-label": `Delete the comment on ${quote.slice(0, 40)}`, onclick: () => void send({ kind: "remove", id }, crypto.randomUUID(), "Deleted") }, "Delete"),
    );
    return h(
      "li",
      { class: `thread${resolved ? " resolved" : ""}`, "data-thread": id },
      h("button", { class: `quote${gone ? " gone" : ""}`, title: gone ? "These words are gone" : "Show these words", onclick: () => goTo(id) }, gone ? h("span", { class: "out-of-sight" }, "gone: ") : null, excerpt(quote)),
      h("ol", { class: "remarks" }, ...said),
      writes ? field("Reply", "Reply", (text, request) => send({ kind: "reply", id, text }, request, "Replied")) : null,
      writes ? buttons : null,
    );
  }

  function goTo(id: string): void {
    const found = view?.state.field(passages, false)?.find((one) => one.id === id);
    if (!view || !found) return;
    view.dispatch({ selection: { anchor: found.from, head: found.to }, effects: EditorView.scrollIntoView(found.from, { y: "center" }) });
    view.focus();
  }

  function open(id: string): void {
    toggle(true);
    const card = [...list.children].find((one) => one.getAttribute("data-thread") === id);
    card?.scrollIntoView({ block: "nearest" });
    card?.querySelector<HTMLElement>("textarea")?.focus();
  }

  let drawnKey = "";
  function draw(): void {
    const shown = all.filter(({ resolved }) => !resolved || withResolved.checked);
    const resolved = all.filter((one) => one.resolved).length;
    resolvedRow.hidden = resolved === 0;
    about.textContent = shown.length === 0 ? (writes ? "Select words and press Alt+M to say something about them." : "Nobody has said anything about this text.") : "";
    about.hidden = about.textContent === "";
    const key = JSON.stringify([shown, writes]);
    if (key === drawnKey) return;
    drawnKey = key;
    // What somebody types in a reply stays when others say something.
    const typed = new Map([...list.children].map((one) => [one.getAttribute("data-thread"), one.querySelector("textarea")?.value ?? ""]));
    const focused = document.activeElement?.closest("[data-thread]")?.getAttribute("data-thread");
    list.replaceChildren(...[...shown].sort((one, two) => one.start - two.start).map(thread));
    for (const card of list.children) {
      const words = card.querySelector("textarea");
      if (words) words.value = typed.get(card.getAttribute("data-thread")) ?? "";
      if (focused && card.getAttribute("data-thread") === focused) words?.focus();
    }
  }

  /** Puts marks where the passages are, by the replica's own count. */
  function place(): void {
    if (!view || !replica) return;
    const text = replica.text.toString();
    const known = anchors;
    anchors = new Map();
    const shown: Passage[] = [];
    for (const { id, start, end, quote, gone, resolved } of all) {
      if (gone || resolved) continue;
      const anchor = known.get(id) ?? anchored(replica, text, start, end, quote);
      anchors.set(id, anchor);
      const [from, to] = anchor.map((position) => Y.createAbsolutePositionFromRelativePosition(position, replica?.doc ?? new Y.Doc())?.index ?? 0);
      if (from !== undefined && to !== undefined && from < to && to <= view.state.doc.length) shown.push({ id, from, to });
    }
    view.dispatch({ effects: setPassages.of(shown) });
  }

  function toggle(next = element.hidden): void {
    element.hidden = !next;
    if (!next) compose.hidden = true;
    draw();
    changed();
  }

  return {
    element,
    extension: () => [
      passages,
      gutter({
        class: "comment-gutter",
        markers(editor) {
          const lines = new Map<number, string>();
          for (const { id, from } of editor.state.field(passages)) lines.set(editor.state.doc.lineAt(from).from, id);
          return RangeSet.of([...lines].map(([at, id]) => new Sign(id, open).range(at)), true);
        },
      }),
      EditorView.domEventHandlers({
        click(event) {
          const id = event.target instanceof Element ? event.target.closest("[data-comment]")?.getAttribute("data-comment") : null;
          if (id && !element.hidden) open(id);
        },
      }),
    ],
    bind(nextView, nextReplica) {
      [view, replica] = [nextView, nextReplica];
      anchors = new Map();
      place();
    },
    show(comments, may) {
      if (comments === all && may === writes) return;
      [all, writes] = [comments, may];
      draw();
      place();
      changed();
    },
    begin,
    toggle: () => toggle(),
  };
}

/** A passage as places in the replica. The server counted in its own text, which may be older or newer than ours. */
function anchored({ text }: Replica, whole: string, start: number, end: number, quote: string): readonly [Y.RelativePosition, Y.RelativePosition] {
  let [from, to] = [start, end];
  const length = end - start;
  const words = quote.length >= length ? quote.slice(0, length) : quote;
  if (words && whole.slice(start, start + words.length) !== words) {
    const after = whole.indexOf(words, start);
    const before = whole.lastIndexOf(words, start);
    const found = before < 0 ? after : after < 0 || start - before <= after - start ? before : after;
    if (found >= 0) [from, to] = [found, found + length];
  }
  const at = (index: number, side: number): Y.RelativePosition => Y.createRelativePositionFromTypeIndex(text, Math.min(index, whole.length), side);
  return [at(from, 0), at(to, -1)];
}

function excerpt(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
}
