// The Writer: one document, its editor and preview, and what is known about it. Puts the parts together; never holds text itself.

import { EditorView } from "@codemirror/view";

import type { WireEvent } from "../wire/wire";
import { linkTo } from "./api";
import { askCard } from "./ask";
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
import { type Replica, openLink } from "./link";
import { openOutline } from "./outline";
import { badge } from "./people";
import { sectionField } from "./proposals";
import { runPanel } from "./run";
import type { Section } from "./sections";
import { type Share, shareDialog } from "./share";
import { THEME_NAMES, nextTheme } from "./theme";
import { turnBar } from "./turn";
import { BEGINNING, type OwnEvent, type View, fold, isSaved, saveState } from "./view";

const MODES = ["edit", "split", "preview"] as const;
type Mode = (typeof MODES)[number];
const MODE_KEPT = "agent-doc-mode";
const MODE_NAMES: Record<Mode, string> = { edit: "Edit", split: "Split", preview: "Preview" };

export function openWriter(page: HTMLElement, path: string): void {
  let view: View = BEGINNING;
  let editor: Editor | null = null;
  let replica: Replica | null = null;
  let shownCarets: Carets | null = null;
  let preview: Preview | null = null;
  let withAuthors = false;

  const paper = h("div", { class: "paper", id: "editor" });
  const reading = h("article", { class: "reading", "aria-label": "Preview", tabindex: "0" });
  const outline = openOutline((section) => go(section));
  const history = historyPanel(
    path,
    () => ({ text: replica?.text.toString() ?? "", revision: view.revision }),
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
  const saved = h("p", { class: "save", role: "status" });
  const title = h("h1", {}, nameOf(path));
  const banner = h("p", { class: "banner", role: "alert", hidden: true });
  const present = h("ul", { class: "present", "aria-label": "Who is here" });
  const modes = MODES.map((mode) => h("button", { "aria-pressed": "false", onclick: () => setMode(mode) }, MODE_NAMES[mode]));
  const authorsButton = tool("Who wrote this", ICONS.authors, () => toggleAuthors(), { "aria-pressed": "false" });
  const historyButton = tool("History", ICONS.history, () => history.toggle(), { "aria-expanded": "false" });
  const commentsButton = tool("Comments", ICONS.comment, () => comments.toggle(), { "aria-expanded": "false" });
  const exportButton = tool("Export", ICONS.export, () => void openExport());
  const shareButton = tool("Share", ICONS.share, () => (share ??= shareDialog(path)).open());
  const themeButton = tool("Next theme", ICONS.theme, () => announce(`Theme: ${THEME_NAMES[nextTheme()]}`, true));
  const outlineButton = tool("Sections", ICONS.outline, () => page.classList.toggle("with-outline"));
  outlineButton.classList.add("narrow-only");
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

  page.className = "writer";
  page.replaceChildren(
    h(
      "header",
      { class: "top" },
      h("a", { class: "brand", href: linkTo(null), "aria-label": "All documents" }, icon(ICONS.mark)),
      h("div", { class: "where" }, title, h("p", { class: "path" }, path)),
      saved,
      h("div", { class: "modes", role: "group", "aria-label": "View" }, ...modes),
      present,
      h("div", { class: "tools" }, outlineButton, authorsButton, commentsButton, historyButton, exportButton, shareButton, themeButton, helpButton),
    ),
    banner,
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
    written: (places) => shownCarets?.wrote(places),
  });
  // For measuring from outside: how long the way to the server takes.
  Object.assign(window, { agentDoc: { ping: () => link.ping() } });

  function hear(event: WireEvent | OwnEvent): void {
    view = fold(view, event);
    if (event.kind === "visitors") shownCarets?.show();
    if (event.kind === "changed" && event.author !== ownName()) {
      announce(event.section ? `${event.author} wrote in ${event.section}` : `${event.author} changed the document`);
    }
    render();
  }

  /** Puts an editor over a replica; an older one gives way with its caret and its place. */
  function bind(next: Replica): void {
    const old = editor?.view;
    const kept = old ? { ...placeOf(old), top: old.scrollDOM.scrollTop, focus: old.hasFocus } : null;
    editor?.destroy();
    replica = next;
    const visitors = (): View["visitors"] => view.visitors;
    shownCarets = carets(next, visitors);
    editor = openEditor(paper, next, [
      shownCarets.extension,
      authors(next.text, visitors),
      comments.extension(next),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) refresh();
        if (update.selectionSet || update.docChanged) outline.mark(update.state.selection.main.head);
      }),
    ]);
    next.awareness.on("change", render);
    comments.bind(editor.view, next);
    if (kept) {
      editor.view.dispatch({ selection: { anchor: foundAgain(kept, next.text.toString()) } });
      editor.view.scrollDOM.scrollTop = kept.top;
    }
    if (kept?.focus ?? mode() !== "preview") editor.view.focus();
    if (withAuthors) editor.view.dispatch({ effects: showAuthors.of(true) });
    refresh();
    page.setAttribute("data-ready", "true");
    // Printing cannot wait, so what it needs is fetched while nothing else happens.
    window.setTimeout(() => void import("./preview").then((module) => (preview ??= module.openPreview(reading))), 2000);
  }

  let isWaiting = false;
  /** Outline and preview follow the text, at most once in a frame. */
  function refresh(): void {
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(() => {
      isWaiting = false;
      if (!editor) return;
      const sections = editor.view.state.field(sectionField);
      outline.show(sections);
      title.textContent = sections.find(({ level }) => level === 1)?.title || nameOf(path);
      nameTab();
      if (mode() !== "edit") void showPreview(editor.view.state.doc.toString());
    });
  }

  /** The name of the tab says that somebody waits, because nobody sees a card in a tab behind. */
  function nameTab(): void {
    const waiting = view.questions.length > 0 ? `(${view.questions.length}) ` : "";
    const name = `${waiting}${title.textContent} · agent-doc`;
    if (document.title !== name) document.title = name;
  }

  async function openExport(): Promise<void> {
    exporting ??= (await import("./export")).exportDialog(path, () => ({ text: replica?.text.toString() ?? "", title: title.textContent ?? "" }));
    exporting.open();
  }

  async function showPreview(text: string): Promise<void> {
    preview ??= (await import("./preview")).openPreview(reading);
    preview.show(text);
  }

  function render(): void {
    const state = saveState(view);
    saved.className = `save ${state.tone}`;
    if (saved.textContent !== state.words) saved.textContent = state.words;
    saved.title = state.detail;
    banner.hidden = state.tone !== "bad";
    if (banner.textContent !== state.detail) banner.textContent = state.detail;
    if (view.run) run.show(view.run, view.writes);
    turns.element.hidden = !view.session || !view.writes;
    turns.show(view.turn);
    ask.show(view.questions);
    comments.show(view.comments, view.writes);
    commentsButton.classList.toggle("news", view.comments.some(({ resolved }) => !resolved));
    nameTab();
    shareButton.hidden = !view.writes;
    if (!view.writes) editor?.freeze();
    renderPresent();
  }

  let shownPresent = "";
  function renderPresent(): void {
    const own = replica?.doc.clientID ?? 0;
    const here = new Set(replica?.awareness.getStates().keys() ?? []);
    const seen = new Map<string, { client: number; name: string; agent: boolean }>();
    for (const client of [own, ...here]) {
      const visitor = view.visitors.get(client) ?? { client, name: client === own ? "You" : "Someone", agent: false };
      if (client !== 0) seen.set(client === own ? "own" : String(client), visitor);
    }
    for (const visitor of view.visitors.values()) if (visitor.agent) seen.set(visitor.name, visitor);
    const key = JSON.stringify([...seen]);
    if (key === shownPresent) return;
    shownPresent = key;
    present.replaceChildren(...[...seen.entries()].map(([kind, visitor]) => badge(visitor, kind === "own")));
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
    const sections = editor.view.state.field(sectionField);
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

  window.addEventListener("beforeprint", () => preview?.show(replica?.text.toString() ?? ""));
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

/** How many letters before the caret tell where it is. */
const CONTEXT = 48;

function placeOf(view: EditorView): { head: number; before: string } {
  const { head } = view.state.selection.main;
  return { head, before: view.state.sliceDoc(Math.max(0, head - CONTEXT), head) };
}

/** Where the caret belongs in another text: behind the same words, as near as possible to where it was. */
function foundAgain({ head, before }: { head: number; before: string }, text: string): number {
  let best = -1;
  for (let at = text.indexOf(before); before !== "" && at >= 0; at = text.indexOf(before, at + 1)) {
    if (best < 0 || Math.abs(at + before.length - head) < Math.abs(best - head)) best = at + before.length;
  }
  return best >= 0 ? best : Math.min(head, text.length);
}

function tool(words: string, path: string, run: () => void, more: Record<string, string> = {}): HTMLButtonElement {
  return h("button", { class: "quiet", title: words, "aria-label": words, onclick: run, ...more }, icon(path));
}

function nameOf(path: string): string {
  const parts = path.split("/");
  const name = parts.at(-1) ?? path;
  return name === "draft.md" ? (parts.at(-2) ?? name) : name.replace(/\.md$/, "");
}
