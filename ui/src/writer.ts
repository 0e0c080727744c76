// The Writer: one document, its editor and preview, and what is known about it. Puts the parts together; never holds text itself.

import { EditorView } from "@codemirror/view";
import * as Y from "yjs";

import type { WireEvent } from "../wire/wire";
import { fetchHistory, linkTo, onNewLink } from "./api";
import { askCard } from "./ask";
import { bannerOf } from "./banner";
import { authors, showAuthors } from "./authors";
import { type Carets, carets } from "./carets";
import { commentsPanel } from "./comments";
import type { Preview } from "./preview";
import { ICONS, announce, h, icon } from "./dom";
import { type Editor, openEditor } from "./editor";
import { alt, bare, helpDialog, listenToKeys } from "./help";
import type { Export } from "./export";
import { NAME_KEPT } from "./home";
import { historyPanel } from "./history";
import { nextFrame } from "./frames";
import { hints, setHints } from "./hints";
import { type Replica, openLink } from "./link";
import { openOutline } from "./outline";
import { openPresent } from "./present";
import { sectionsIn } from "./proposals";
import { runPanel } from "./run";
import type { Section } from "./sections";
import { type Share, shareDialog } from "./share";
import { themeTool, tool } from "./tools";
import { turnBar } from "./turn";
import { BEGINNING, type OwnEvent, type SaveState, type View, fold, isSaved, saveNews, saveState, sectionState } from "./view";

const MODES = ["edit", "split", "preview"] as const;
type Mode = (typeof MODES)[number];
/** How long a section is said to have newer text, in milliseconds. */
const NEWER_SHOWN = 15_000;
/** When what is not needed at once is fetched: after this, when the text has not changed for that long; and at the latest. In milliseconds. */
const [REST_AFTER, QUIET, REST_LATEST] = [2000, 1000, 30_000];
const MODE_KEPT = "agent-doc-mode";
const MODE_NAMES: Record<Mode, string> = { edit: "Edit", split: "Split", preview: "Preview" };

export function openWriter(page: HTMLElement, path: string): void {
  let view: View = BEGINNING;
  let editor: Editor | null = null;
  let replica: Replica | null = null;
  let shownCarets: Carets | null = null;
  let preview: Preview | null = null;
  let withAuthors = false;
  /** When the text last changed. */
  let changed = -Infinity;

  const paper = h("div", { class: "paper", id: "editor" });
  const reading = h("article", { class: "reading", "aria-label": "Preview", tabindex: "0" });
  const outline = openOutline((section) => go(section));
  const history = historyPanel(
    path,
    () => ({ text: text(), revision: view.revision }),
    () => historyButton.setAttribute("aria-expanded", String(!history.element.hidden)),
  );
  const comments = commentsPanel(path, () => localStorage.getItem(NAME_KEPT) ?? "", () => {
    commentsButton.setAttribute("aria-expanded", String(!comments.element.hidden));
    if (!comments.element.hidden && !history.element.hidden) history.toggle();
  });
  const run = runPanel();
  const turns = turnBar(path, () => isSaved(view));
  turns.element.hidden = true;
  const ask = askCard();
  const bar = h("footer", { class: "bar" }, ask.element, run.prompt.element, turns.element);
  let share: Share | null = null;
  let exporting: Export | null = null;
  // Not a live region: it changes with every key. What a listener must know of it is announced.
  const saved = h("p", { class: "save" });
  const title = h("h1", {}, nameOf(path));
  const text = (): string => replica?.text.toString() ?? "";
  const banner = bannerOf(path, text, (name, words) => void import("./export").then(({ give }) => give(name, "text/markdown;charset=utf-8", words)));
  const present = openPresent();
  const modes = MODES.map((mode) => h("button", { "aria-pressed": "false", onclick: () => setMode(mode) }, MODE_NAMES[mode]));
  const authorsButton = tool("Who wrote this", ICONS.authors, () => toggleAuthors(), { "aria-pressed": "false" });
  const historyButton = tool("History", ICONS.history, () => history.toggle(), { "aria-expanded": "false" });
  const commentsButton = tool("Comments", ICONS.comment, () => comments.toggle(), { "aria-expanded": "false" });
  const exportButton = tool("Export", ICONS.export, () => void openExport());
  const shareButton = tool("Share", ICONS.share, () => (share ??= shareDialog(path)).open());
  const themeButton = themeTool();
  const outlineButton = tool("Sections", ICONS.outline, () => page.classList.toggle("with-outline"));
  outlineButton.classList.add("narrow-only");
  const moreButton = tool("More", ICONS.more, () => moreButton.setAttribute("aria-expanded", String(page.classList.toggle("with-tools"))), { "aria-expanded": "false" });
  moreButton.classList.add("narrow-only");
  const regions = [paper, bar, outline.element, reading, run.element, comments.element, history.element];
  const keys = [
    ...MODES.map((mode, index) => alt(`Digit${index + 1}`, String(index + 1), `${MODE_NAMES[mode]} view`, () => setMode(mode))),
    alt("BracketRight", "]", "Next section", () => step(1)),
    alt("BracketLeft", "[", "Previous section", () => step(-1)),
    alt("Enter", "Enter", "Answer word by word", () => turns.element.hidden || turns.stream()),
    alt("KeyP", "P", "Say something to the run", () => run.prompt.focus()),
    alt("KeyQ", "Q", "To the question of an agent", () => ask.focus()),
    alt("KeyA", "A", "Who wrote this", () => toggleAuthors()),
    alt("KeyM", "M", "Comment on what is selected", () => comments.begin()),
    alt("KeyC", "C", "Comments", () => comments.toggle()),
    alt("KeyH", "H", "History", () => history.toggle()),
    alt("KeyE", "E", "Export", () => void openExport()),
    alt("KeyT", "T", "Next theme", () => themeButton.click()),
    bare("F6", "Next part of the page", () => nextRegion()),
    bare("?", "These keys (outside of the text)", () => help.showModal()),
    bare("F1", "These keys", () => help.showModal()),
  ];
  const help = helpDialog(keys, true);
  const helpButton = tool("Keys", ICONS.help, () => help.showModal());
  listenToKeys(keys);
  for (const rare of [authorsButton, exportButton, shareButton, themeButton, helpButton]) rare.classList.add("rare");

  page.className = "writer";
  page.replaceChildren(
    h(
      "header",
      { class: "top" },
      h("a", { class: "brand", href: linkTo(null), "aria-label": "All documents" }, icon(ICONS.mark)),
      h("div", { class: "where" }, title, h("p", { class: "path" }, path)),
      saved,
      h("div", { class: "modes", role: "group", "aria-label": "View" }, ...modes),
      present.element,
      h("div", { class: "tools" }, outlineButton, authorsButton, commentsButton, historyButton, exportButton, shareButton, themeButton, helpButton, moreButton),
    ),
    banner.element,
    outline.element,
    h("main", { class: "sheets" }, paper, reading),
    bar,
    run.element,
    comments.element,
    history.element,
  );

  const link = openLink(path, localStorage.getItem(NAME_KEPT) ?? "", {
    event: hear,
    replica: bind,
    written(places) {
      shownCarets?.wrote(places);
      for (const [client, place] of places) tellOfSection(client, place);
    },
  });
  onNewLink(() => link.rejoin());
  // For measuring from outside: how long the way to the server takes.
  Object.assign(window, { agentDoc: { ping: () => link.ping() } });

  function hear(event: WireEvent | OwnEvent): void {
    view = fold(view, event);
    if (event.kind === "visitors") shownCarets?.show();
    if (event.kind === "changed" && event.author !== ownName()) {
      const what = event.section ? `${event.author} wrote in ${event.section}` : `${event.author} changed the document`;
      announce(what, false, `section ${event.section ?? ""}`);
    }
    render();
  }

  /** Puts an editor over a replica; when another one takes its place, the editor goes on where it is. */
  async function bind(next: Replica): Promise<void> {
    replica = next;
    const visitors = (): View["visitors"] => view.visitors;
    shownCarets = carets(next, visitors);
    const more = [
      shownCarets.extension,
      authors(next.text, visitors),
      comments.extension(next),
      hints((section) => hear({ kind: "seen", section })),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) {
          changed = performance.now();
          refresh();
        }
        if (update.selectionSet || update.docChanged) outline.mark(update.state.selection.main.head);
        if (update.selectionSet || update.docChanged || update.focusChanged) soonHere();
      }),
    ];
    const isFirst = editor === null;
    // Without a pause where there is an editor: what is typed in one belongs to the replica that it is bound to.
    if (editor) editor.bind(next, more);
    else {
      editor = await openEditor(paper, next, more);
      await nextFrame();
    }
    next.awareness.on("change", render);
    comments.bind(editor.view, next);
    if (isFirst && mode() !== "preview") editor.view.focus();
    if (withAuthors) editor.view.dispatch({ effects: showAuthors.of(true) });
    editor.view.dispatch({ effects: setHints.of(view.hints) });
    showOutline(editor);
    refresh();
    render();
    page.setAttribute("data-ready", "true");
    if (isFirst) fetchRest();
  }

  /** Printing cannot wait, so what it needs is fetched while nothing else happens; so is who wrote where. */
  function fetchRest(): void {
    window.setTimeout(async () => {
      const isQuiet = performance.now() - changed > QUIET;
      if (!isQuiet && performance.now() < REST_LATEST) return fetchRest();
      await thePreview().then(nextFrame, () => undefined);
      fetchHistory(path).then(({ versions }) => hear({ kind: "past", versions }), () => undefined);
    }, REST_AFTER);
  }

  /** The innermost section at a place. */
  const sectionAt = (index: number): string | null => (editor ? sectionsIn(editor.view.state).findLast(({ start }) => start <= index)?.title : null) ?? null;

  let isSoon = false;
  /** Says where the caret is, when the editor is done with what it does. */
  function soonHere(): void {
    if (isSoon) return;
    isSoon = true;
    queueMicrotask(() => {
      isSoon = false;
      if (!editor) return;
      const section = editor.view.hasFocus ? sectionAt(editor.view.state.selection.main.head) : null;
      if (section !== view.here) hear({ kind: "here", section });
    });
  }

  /** Somebody else wrote at a place. What is news only while it is new goes away by itself. */
  function tellOfSection(client: number, place: Y.RelativePosition): void {
    const who = view.visitors.get(client)?.name;
    const at = replica && Y.createAbsolutePositionFromRelativePosition(place, replica.doc);
    const section = at && sectionAt(at.index);
    if (!who || !section || client === replica?.doc.clientID) return;
    hear({ kind: "wrote", section, author: who });
    window.clearTimeout(fading.get(section));
    const isNewer = (): boolean => view.hints.get(section)?.kind === "newer";
    fading.set(section, window.setTimeout(() => isNewer() && hear({ kind: "seen", section }), NEWER_SHOWN));
  }

  const fading = new Map<string, number>();
  let isWaiting = false;
  /** Outline and preview follow the text, at most once in a frame. */
  function refresh(): void {
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(() => {
      isWaiting = false;
      if (!editor) return;
      showOutline(editor);
      if (mode() !== "edit") void showPreview();
    });
  }

  let outlined: { sections: readonly Section[]; of: View } | null = null;
  /** The outline and the title, if what they show became another. */
  function showOutline({ view: { state } }: Editor): void {
    const sections = sectionsIn(state);
    if (outlined?.sections === sections && isOutlined()) return;
    outlined = { sections, of: view };
    outline.show(sections, (title) => sectionState(view, title));
    title.textContent = sections.find(({ level }) => level === 1)?.title || nameOf(path);
    nameTab();
  }

  /** Whether the outline shows all that is known besides the text. */
  function isOutlined(): boolean {
    const of = outlined?.of;
    return of !== undefined && of.run === view.run && of.lastAuthors === view.lastAuthors && of.hints === view.hints && of.visitors === view.visitors;
  }

  /** The name of the tab says that somebody waits, because nobody sees a card in a tab behind. */
  function nameTab(): void {
    const waiting = view.questions.length > 0 ? `(${view.questions.length}) ` : "";
    const name = `${waiting}${title.textContent} · agent-doc`;
    if (document.title !== name) document.title = name;
  }

  async function openExport(): Promise<void> {
    const now = (): { text: string; title: string } => ({ text: text(), title: title.textContent ?? "" });
    const { exportDialog } = await import("./export");
    await thePreview();
    exporting ??= exportDialog(path, now);
    exporting.open();
  }

  /** What is printed is the text as it is now. What shows it may not have been fetched; then the text is printed as it is written. */
  function forPaper(): void {
    if (preview) preview.showNow(text());
    else reading.replaceChildren(h("pre", {}, text()));
  }

  async function showPreview(): Promise<void> {
    (await thePreview()).show(text());
  }

  /** The one preview. Two that were made while the first was fetched would put older text in place of newer. */
  async function thePreview(): Promise<Preview> {
    const { openPreview } = await import("./preview");
    return (preview ??= openPreview(reading));
  }

  let shownHints = view.hints;
  let shownTone: SaveState["tone"] = "busy";
  function render(): void {
    const state = saveState(view);
    const news = saveNews(shownTone, state);
    if (news) announce(news, true);
    shownTone = state.tone;
    saved.className = `save ${state.tone}`;
    if (saved.textContent !== state.words) saved.textContent = state.words;
    saved.title = state.detail;
    banner.show(view);
    if (view.run) run.show(view.run, view.writes);
    if (editor && shownHints !== view.hints) editor.view.dispatch({ effects: setHints.of((shownHints = view.hints)) });
    if (!isOutlined()) refresh();
    turns.element.hidden = !view.session || !view.writes;
    turns.show(view.turn);
    showQuestions();
    comments.show(view.comments, view.writes);
    commentsButton.classList.toggle("news", view.comments.some(({ resolved }) => !resolved));
    nameTab();
    shareButton.hidden = !view.writes;
    editor?.allow(view.writes);
    present.show(view.visitors, replica);
  }

  /** The card takes room; the line that it is about stays in sight, if it was. */
  function showQuestions(): void {
    const [first] = view.questions;
    if (!ask.show(view.questions) || !first || !editor) return;
    const at = editor.view.state.doc.toString().lastIndexOf(first.title);
    if (at < 0) return;
    editor.view.dispatch({ effects: EditorView.scrollIntoView(at, { y: "end", yMargin: 48 }) });
  }

  const ownName = (): string => view.visitors.get(replica?.doc.clientID ?? 0)?.name ?? "";
  const mode = (): Mode => MODES.find((known) => known === page.dataset["mode"]) ?? "edit";

  function setMode(next: Mode): void {
    page.dataset["mode"] = next;
    localStorage.setItem(MODE_KEPT, next);
    modes.forEach((button, index) => button.setAttribute("aria-pressed", String(MODES[index] === next)));
    refresh();
    // At the beginning there is nothing to leave, and a ring around everything helps nobody.
    if (next !== "preview") editor?.view.focus();
    else if (editor) reading.focus();
  }

  function go(section: Section): void {
    if (mode() !== "edit") preview?.scrollTo(section.title);
    if (mode() === "preview" || !editor) return;
    editor.view.dispatch({
      selection: { anchor: section.start },
      effects: EditorView.scrollIntoView(section.start, { y: "start", yMargin: 24 }),
    });
    editor.view.focus();
  }

  function step(by: number): void {
    if (!editor) return;
    const sections = sectionsIn(editor.view.state);
    const here = sections.findLastIndex(({ start }) => start <= (editor?.view.state.selection.main.head ?? 0));
    const next = sections[Math.max(0, Math.min(sections.length - 1, here + by))];
    if (next) go(next);
  }

  function toggleAuthors(): void {
    withAuthors = !withAuthors;
    authorsButton.setAttribute("aria-pressed", String(withAuthors));
    editor?.view.dispatch({ effects: showAuthors.of(withAuthors) });
    announce(withAuthors ? "Authors are shown" : "Authors are hidden", true);
  }

  function nextRegion(): void {
    const shown = regions.filter((region) => region.offsetParent !== null);
    const now = shown.findIndex((region) => region.contains(document.activeElement));
    const next = shown[(now + 1) % shown.length];
    if (next === paper) editor?.view.focus();
    else next?.querySelector<HTMLElement>("button, input, textarea")?.focus();
    if (next === reading) reading.focus();
  }

  window.addEventListener("beforeprint", forPaper);
  window.addEventListener("beforeunload", (event) => {
    if (!isSaved(view)) event.preventDefault();
  });
  window.setInterval(() => {
    run.tick();
    turns.tick();
  }, 1000);
  const kept = localStorage.getItem(MODE_KEPT);
  setMode(MODES.find((known) => known === kept) ?? "edit");
  render();
}

function nameOf(path: string): string {
  const parts = path.split("/");
  const name = parts.at(-1) ?? path;
  return name === "draft.md" ? (parts.at(-2) ?? name) : name.replace(/\.md$/, "");
}
