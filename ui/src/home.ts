// The first page: what can be begun and what can be opened. Never waits for anything but the list.

import type { Home, ListedDocument, Role, WireRun, WireRunEvent } from "../wire/wire";
import { fetchHome, linkTo, onNewLink, openRunsSocket, startRun } from "./api";
import { type Creation, createDialog } from "./create";
import { ICONS, announce, h, icon } from "./dom";
import { alt, bare, helpDialog, listenToKeys } from "./help";
import { type Prompt, openPrompt } from "./prompt";
import { themeTool, tool } from "./tools";
import { STATUS_WORDS, toneOf } from "./words";

/** The name that others see. */
export const NAME_KEPT = "agent-doc-name";

/** The groups in the order in which they are shown. Runs come first: they are what happens now. */
const GROUPS: readonly (readonly [Role, string, string])[] = [
  ["run", "Runs", "Agents at work on an objective"],
  ["session", "Session documents", "Agents answer in these"],
  ["plain", "Documents", "Markdown files of this folder"],
];

export async function openHome(page: HTMLElement): Promise<void> {
  document.title = "agent-doc";
  onNewLink(() => location.reload());
  const search = h("input", {
    type: "search",
    placeholder: "Search by title or path",
    "aria-label": "Search documents",
    oninput: () => show(),
  });
  const list = h("div", { class: "lists" });
  const name = h("input", {
    id: "name",
    autocomplete: "nickname",
    maxlength: "40",
    onchange: () => (name.value.trim() ? localStorage.setItem(NAME_KEPT, name.value.trim()) : localStorage.removeItem(NAME_KEPT)),
  });
  name.value = localStorage.getItem(NAME_KEPT) ?? "";
  const folder = h("p", { class: "folder" });
  const begin = h("div", { class: "begin" });
  let creation: Creation | null = null;
  const fresh = h("button", { class: "plain", hidden: true, onclick: () => (creation ??= createDialog()).open() }, "New document");
  let prompt: Prompt | null = null;
  let runs = new Map<string, WireRun>();
  let waiting = new Map<string, number>();
  const themeButton = themeTool();
  const keys = [
    bare("n", "New run", () => prompt?.focus()),
    bare("c", "New document", () => fresh.hidden || fresh.click()),
    bare("/", "Search", () => search.focus()),
    bare("ArrowDown", "Next document", () => step(1)),
    bare("ArrowUp", "Previous document", () => step(-1)),
    alt("KeyT", "T", "Next theme", () => themeButton.click()),
    bare("?", "These keys", () => help.showModal()),
  ];
  const help = helpDialog(keys, false);
  listenToKeys(keys);
  page.className = "home";
  page.replaceChildren(
    h(
      "header",
      { class: "top" },
      h("div", { class: "brand" }, icon(ICONS.mark), h("span", {}, "agent-doc")),
      h(
        "div",
        { class: "tools" },
        h("label", { class: "name" }, "You write as ", name),
        themeButton,
        tool("Keys", ICONS.help, () => help.showModal()),
      ),
    ),
    h("main", {}, h("h1", {}, "What are you writing?"), folder, begin, h("div", { class: "seek" }, search, fresh), list),
  );

  let home: Home;
  try {
    home = await fetchHome();
  } catch (error) {
    list.replaceChildren(h("p", { class: "notice", role: "alert" }, error instanceof Error ? error.message : "The server did not answer."));
    return;
  }
  fresh.hidden = !home.writes;
  name.placeholder = home.person;
  folder.replaceChildren("In the folder ", h("strong", {}, home.folder));
  if (home.runs && home.writes) {
    prompt = openPrompt({
      label: "What should agents do?",
      placeholder: "Say what you want; agents write it while you watch",
      button: "Start",
      send: async (objective, name) => {
        const { path } = await startRun({ objective, workers: [] }, name);
        location.assign(linkTo(path));
      },
    });
    begin.replaceChildren(prompt.element);
  }
  begin.append(modelNote(home));
  follow();

  function show(): void {
    const wanted = search.value.trim().toLowerCase();
    const isWanted = ({ title, path }: ListedDocument): boolean =>
      wanted.split(/\s+/).every((word) => title.toLowerCase().includes(word) || path.toLowerCase().includes(word));
    const found = home.documents.filter(isWanted);
    const groups = GROUPS.flatMap(([role, title, about]) => {
      const documents = found.filter((document) => document.role === role);
      return documents.length > 0 ? [group(title, about, documents, runs, waiting)] : [];
    });
    const empty =
      home.documents.length === 0
        ? "There is no markdown file here yet. Make one here, or with any editor."
        : "Nothing matches.";
    list.replaceChildren(...(groups.length > 0 ? groups : [h("p", { class: "notice" }, empty)]));
    if (wanted) announce(`${found.length} found`, false, "found");
  }

  /** Runs as they are now; after the connection is lost they are shown as they were, until it is back. */
  function follow(attempts = 0): void {
    const socket = openRunsSocket();
    let tries = attempts;
    socket.onmessage = (message: MessageEvent<string>) => {
      tries = 0;
      const event = JSON.parse(message.data) as WireRunEvent;
      if (event.kind === "all") runs = new Map(event.runs.map((run) => [run.path, run]));
      else if (event.kind === "waiting") {
        waiting = new Map(event.documents.map(({ path, count }) => [path, count]));
        document.title = waiting.size > 0 ? `(${waiting.size}) agent-doc` : "agent-doc";
      } else {
        const isNew = !home.documents.some(({ path }) => path === event.run.path);
        if (isNew) home.documents.unshift({ path: event.run.path, title: event.run.objective, role: "run", length: 0, modified: event.run.begun });
        runs.set(event.run.path, event.run);
      }
      show();
    };
    socket.onclose = () => window.setTimeout(() => follow(tries + 1), Math.min(8000, 250 * 2 ** tries));
  }

  function step(by: number): void {
    const links = [...list.querySelectorAll("a")];
    const now = links.indexOf(document.activeElement as HTMLAnchorElement);
    const next = links[Math.max(0, Math.min(links.length - 1, now + by))];
    if (now + by < 0) search.focus();
    else next?.focus();
  }

  show();
  if (prompt) prompt.focus();
  else search.focus();
}

/** Who answers, and what to do for another one. */
function modelNote({ offline, model }: Home): HTMLElement {
  if (!offline) return h("p", { class: "model" }, model ? `${model} answers.` : "");
  return h(
    "p",
    { class: "model" },
    "No key is set, so a planner by rules answers: it searches and quotes. For a language model set ",
    h("code", {}, "ANTHROPIC_API_KEY"),
    " or ",
    h("code", {}, "OPENAI_API_KEY"),
    " and start again.",
  );
}

function group(title: string, about: string, documents: readonly ListedDocument[], runs: ReadonlyMap<string, WireRun>, waiting: ReadonlyMap<string, number>): HTMLElement {
  const id = `group-${title.toLowerCase().replaceAll(" ", "-")}`;
  return h(
    "section",
    { "aria-labelledby": id },
    h("h2", { id }, title),
    h("p", { class: "about" }, about),
    h("ul", { class: "documents" }, ...documents.map((document) => row(document, runs.get(document.path) ?? null, waiting.has(document.path)))),
  );
}

function row({ title, path, modified }: ListedDocument, run: WireRun | null, asks: boolean): HTMLElement {
  const status = run ? h("span", { class: `status ${run.over || run.live ? toneOf(run.status) : "still"}` }, run.over || run.live ? STATUS_WORDS[run.status] : "Interrupted") : null;
  return h(
    "li",
    {},
    h(
      "a",
      { href: linkTo(path) },
      h("span", { class: "title" }, title),
      h("span", { class: "path" }, path),
      asks ? h("span", { class: "status asks" }, "An agent asks you") : status,
      h("time", { datetime: new Date(modified).toISOString() }, ago(modified)),
    ),
  );
}

/** How long ago, in the words of a person. */
export function ago(time: number, now = Date.now()): string {
  const seconds = Math.max(0, Math.round((now - time) / 1000));
  if (seconds < 60) return "just now";
  const steps: readonly (readonly [number, string])[] = [
    [60, "minute"],
    [24, "hour"],
    [7, "day"],
    [5, "week"],
    [12, "month"],
    [Infinity, "year"],
  ];
  let value = seconds / 60;
  for (const [size, name] of steps) {
    if (value < size) return `${Math.floor(value)} ${name}${Math.floor(value) === 1 ? "" : "s"} ago`;
    value /= size;
  }
  return "long ago";
}
