// The past of a document in a panel: who changed what when, what differs from now, and the way back. Never changes the past: what is
// brought back is a new version.

import type { PastVersion } from "../wire/wire";
import { fetchHistory, fetchVersion, restore } from "./api";
import { ICONS, announce, h, icon } from "./dom";
import { ago } from "./home";
import { difference, excerpt } from "./lines";
import { hueOf } from "./people";

/** What one author did without a longer rest is one step. */
const REST = 5 * 60 * 1000;

export interface HistoryPanel {
  readonly element: HTMLElement;
  toggle(): void;
}

export function historyPanel(path: string, now: () => { text: string; revision: number }, changed: () => void): HistoryPanel {
  const list = h("ol", { class: "versions" });
  const slider = h("input", { type: "range", min: "0", value: "0", "aria-label": "Version", oninput: () => choose(Number(slider.value)) });
  const ends = h("p", { class: "ends", "aria-hidden": "true" }, h("span", {}, "Now"), h("span", {}, "Earlier"));
  const shown = h("div", { class: "difference", tabindex: "0", role: "region", "aria-label": "What this version had otherwise" });
  const words = h("p", { class: "about" });
  const back = h("button", { class: "main", onclick: () => void bringBack() }, "Bring this version back");
  const element = h(
    "aside",
    { class: "panel history", "aria-label": "History", hidden: true },
    h("header", {}, h("h2", {}, "History"), h("button", { class: "quiet", "aria-label": "Close history", onclick: () => close() }, icon(ICONS.close))),
    slider,
    ends,
    list,
    words,
    shown,
    back,
  );
  let versions: PastVersion[] = [];
  let chosen: PastVersion | null = null;

  async function open(): Promise<void> {
    element.hidden = false;
    changed();
    chosen = null;
    shown.replaceChildren();
    back.hidden = true;
    try {
      versions = steps((await fetchHistory(path)).versions);
    } catch (error) {
      words.textContent = error instanceof Error ? error.message : "The server did not answer.";
      return;
    }
    slider.max = String(Math.max(0, versions.length - 1));
    slider.value = "0";
    slider.hidden = ends.hidden = versions.length < 2;
    words.textContent = versions.length === 0 ? "Nothing was changed since this document is kept here." : "Choose a version to see what differs from now.";
    list.replaceChildren(...versions.map(row));
    slider.focus();
  }

  function row(version: PastVersion, index: number): HTMLElement {
    const where = version.section && version.section !== version.author ? ` in ${version.section}` : "";
    return h(
      "li",
      {},
      h(
        "button",
        { class: "version", "aria-pressed": "false", onclick: () => choose(index) },
        h("span", { class: `dot hue-${hueOf(version.author)}`, "aria-hidden": "true" }),
        h("span", { class: "who-when" }, `${version.author}${where}`, h("time", { datetime: new Date(version.time).toISOString() }, ago(version.time))),
        h("span", { class: "amount" }, `+${version.added} −${version.removed}`),
      ),
    );
  }

  function choose(index: number): void {
    const version = versions[index];
    if (!version) return;
    chosen = version;
    slider.value = String(index);
    slider.setAttribute("aria-valuetext", `${version.author}, ${ago(version.time)}`);
    [...list.querySelectorAll("button")].forEach((button, at) => button.setAttribute("aria-pressed", String(at === index)));
    void compare(version);
  }

  async function compare(version: PastVersion): Promise<void> {
    const { text } = await fetchVersion(path, version.revision);
    if (chosen !== version) return;
    const lines = excerpt(difference(text, now().text));
    const isSame = lines.every((line) => line === "gap" || line.kind === "same");
    words.textContent = isSame ? "This is the text as it is now." : "Struck out: what this version had. Underlined: what came since.";
    back.hidden = isSame;
    shown.replaceChildren(
      ...lines.map((line) => {
        if (line === "gap") return h("div", { class: "gap", "aria-hidden": "true" }, "⋯");
        const tag = line.kind === "same" ? "div" : line.kind === "added" ? "ins" : "del";
        return h(tag, { class: `line ${line.kind}` }, line.text || "\u200b");
      }),
    );
  }

  async function bringBack(): Promise<void> {
    if (!chosen) return;
    try {
      await restore({ path, revision: chosen.revision }, now().revision);
      announce("The version was brought back", true);
      await open();
    } catch (error) {
      words.textContent = error instanceof Error ? error.message : "The server did not answer.";
    }
  }

  function close(): void {
    element.hidden = true;
    changed();
  }

  element.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
  });
  return { element, toggle: () => (element.hidden ? void open() : close()) };
}

/** The latest version of each step, with the sum of what the step did. */
function steps(versions: readonly PastVersion[]): PastVersion[] {
  const found: PastVersion[] = [];
  let begun = 0;
  for (const version of versions) {
    const last = found.at(-1);
    if (last && last.author === version.author && begun - version.time < REST && last.section === version.section) {
      found[found.length - 1] = { ...last, added: last.added + version.added, removed: last.removed + version.removed };
    } else {
      found.push(version);
    }
    begun = version.time;
  }
  return found;
}
