// How those who write are shown: a name, a hue, a round sign for people and a square one for agents. Never colour alone.

import type { WireVisitor } from "../wire/wire";
import { h } from "./dom";

const HUES = 6;

/** The same name has the same hue in every page. */
export function hueOf(name: string): number {
  let sum = 0;
  for (const letter of name) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) >>> 0;
  return sum % HUES;
}

/** Two letters that stand for a name: of its words, or its first two. */
export function initialsOf(name: string): string {
  const words = name.trim().split(/[\s_-]+/);
  const [first, second] = words.length > 1 ? words.map((word) => Array.from(word)[0]) : Array.from(words[0] ?? "");
  return first ? `${first.toUpperCase()}${second?.toLowerCase() ?? ""}` : "?";
}

/** One who is here; several pages of one name are one sign with their number. */
export function badge(visitor: WireVisitor, own: boolean, count = 1): HTMLElement {
  const kind = visitor.agent ? "agent" : "person";
  const many = count > 1 ? `, ${count} pages` : "";
  const words = own ? `${visitor.name} (you)` : `${visitor.name} (${kind}${many})`;
  return h(
    "li",
    { class: `badge ${kind} hue-${hueOf(visitor.name)} ${own ? "own" : ""}`, title: words },
    h("span", { "aria-hidden": "true" }, own ? "You" : `${initialsOf(visitor.name)}${count > 1 ? `×${count}` : ""}`),
    h("span", { class: "out-of-sight" }, words),
  );
}
