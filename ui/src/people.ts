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

export function initialOf(name: string): string {
  return (Array.from(name.trim())[0] ?? "?").toUpperCase();
}

export function badge(visitor: WireVisitor, own: boolean): HTMLElement {
  const kind = visitor.agent ? "agent" : "person";
  const words = own ? `${visitor.name} (you)` : `${visitor.name} (${kind})`;
  return h(
    "li",
    { class: `badge ${kind} hue-${hueOf(visitor.name)}`, title: words },
    h("span", { "aria-hidden": "true" }, initialOf(visitor.name)),
    h("span", { class: "out-of-sight" }, words),
  );
}
