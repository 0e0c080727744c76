// Elements without a framework. Never takes markup: text is text.

import { announcer } from "./announce";

type Attributes = Record<string, string | boolean | ((event: Event) => void)>;
type Child = Node | string | null;

/** An element with attributes, listeners (`onclick`) and children. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (typeof value === "boolean") element.toggleAttribute(name, value);
    else element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

/** A line drawing of 16 × 16 units. */
export function icon(path: string): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  svg.classList.add("icon");
  const line = document.createElementNS(SVG, "path");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}

export const ICONS = {
  mark: "M2.5 2.5h7v11h-7zM11.5 5.5h2v8h-6",
  authors: "M3 13.5c0-3 2-4.5 4-4.5s4 1.5 4 4.5M7 7a2.2 2.2 0 1 0 0-4.4A2.2 2.2 0 0 0 7 7zM11 3.2a2 2 0 0 1 0 3.6M12 9.4c1.2.6 2 2 2 4.1",
  history: "M3 8a5 5 0 1 0 1.6-3.7M3 2.8v2.4h2.4M8 5.2V8l2 1.4",
  themeSystem: "M2.5 3.5h11v7h-11zM6 13h4M8 10.5V13",
  themeLight: "M8 5.2a2.8 2.8 0 1 1 0 5.6 2.8 2.8 0 0 1 0-5.6zM8 1.8v1.4M8 12.8v1.4M1.8 8h1.4M12.8 8h1.4M3.6 3.6l1 1M11.4 11.4l1 1M3.6 12.4l1-1M11.4 4.6l1-1",
  themeDark: "M12.8 9.6A5.3 5.3 0 0 1 6.4 3.2a5.3 5.3 0 1 0 6.4 6.4z",
  themeContrast: "M8 2.5v11M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11zM8 5.2h4M8 8h5M8 10.8h4",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  help: "M8 13.6A5.6 5.6 0 1 0 8 2.4a5.6 5.6 0 0 0 0 11.2zM6.4 6.4c0-1 .7-1.6 1.6-1.6s1.6.6 1.6 1.4c0 1.2-1.6 1.2-1.6 2.4M8 10.9v.2",
  outline: "M3 4h10M3 8h7M3 12h9",
  close: "M4 4l8 8M12 4l-8 8",
  share: "M11 5.5a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6zM5 9.8a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6zM11 14.1a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6zM6.6 7.1l2.8-2.2M6.6 8.9l2.8 2.2",
  stop: "M4.5 4.5h7v7h-7z",
  comment: "M3 3.5h10v7H8l-3 2.5v-2.5H3z",
  export: "M8 2.5v7M5 6.8 8 9.8l3-3M3 12.5h10",
  back: "M9.5 3.5 5 8l4.5 4.5",
};

/** The element that must be in the page. */
export function need(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
}

const said = announcer(
  (text) => (need("announcer").textContent = text),
  () => Date.now(),
  (work, milliseconds) => window.setTimeout(work, milliseconds),
);

/** Says something to those who listen instead of looking: at once what they asked for, the rest as they can hear it. */
export function announce(text: string, urgent = false, about = text): void {
  said.say(text, about, urgent);
}
