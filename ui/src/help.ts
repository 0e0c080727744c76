// The keys, in a dialog and as what they do. Never takes a key that edits text.

import { h, icon, ICONS } from "./dom";

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);
const ALT = isMac ? "⌥" : "Alt+";
const MOD = isMac ? "⌘" : "Ctrl+";

export interface Key {
  readonly keys: string;
  readonly words: string;
  matches(event: KeyboardEvent): boolean;
  run(): void;
}

/** A key with Alt. It is known by its place: on some systems Alt makes other letters. */
export function alt(code: string, shown: string, words: string, run: () => void): Key {
  return {
    keys: `${ALT}${shown}`,
    words,
    matches: (event) => event.altKey && !event.ctrlKey && !event.metaKey && event.code === code,
    run,
  };
}

/** A key that does not type anything by itself. */
export function bare(key: string, words: string, run: () => void): Key {
  // Letters belong to every field, and arrows to one of several lines.
  const fields = key.length === 1 ? "input, textarea, [contenteditable=true]" : key.startsWith("Arrow") ? "textarea" : "";
  const isTyping = ({ target }: KeyboardEvent): boolean => fields !== "" && target instanceof HTMLElement && target.matches(fields);
  return {
    keys: key,
    words,
    matches: (event) => event.key === key && !event.altKey && !event.ctrlKey && !event.metaKey && !isTyping(event),
    run,
  };
}

const OF_THE_EDITOR: readonly (readonly [string, string])[] = [
  [`${MOD}Z`, "Undo your own last words"],
  [`${MOD}${isMac ? "⇧Z" : "Y"}`, "Do them again"],
  [`${MOD}F`, "Find in the text"],
  ["Esc, Tab", "Leave the text with the keyboard"],
];

export function listenToKeys(keys: readonly Key[]): void {
  document.addEventListener(
    "keydown",
    (event) => {
      const found = keys.find((key) => key.matches(event));
      if (!found) return;
      event.preventDefault();
      event.stopPropagation();
      found.run();
    },
    { capture: true },
  );
}

export function helpDialog(keys: readonly Key[], withEditor: boolean): HTMLDialogElement {
  const row = (shown: string, words: string): HTMLElement =>
    h("tr", {}, h("th", { scope: "row" }, h("kbd", {}, shown)), h("td", {}, words));
  const rows = keys.map((key) => row(key.keys, key.words));
  if (withEditor) rows.push(...OF_THE_EDITOR.map(([shown, words]) => row(shown, words)));
  const dialog = h(
    "dialog",
    { class: "help", "aria-labelledby": "help-title" },
    h(
      "header",
      {},
      h("h2", { id: "help-title" }, "Keys"),
      h("button", { class: "quiet", "aria-label": "Close", onclick: () => dialog.close() }, icon(ICONS.close)),
    ),
    h("table", {}, h("tbody", {}, ...rows)),
  );
  document.body.append(dialog);
  return dialog;
}
