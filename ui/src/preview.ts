// The document as it reads. Markdown is hostile: raw HTML is shown and never run, nothing is fetched, and what is left passes a
// sanitiser before it meets the page.

import DOMPurify from "dompurify";
import MarkdownIt from "markdown-it";

import { h } from "./dom";
import { linkTo } from "./api";
import { hang } from "./pictures";
import { type Section, isTooDeep, sectionsOf } from "./sections";

/** Blocks inside of blocks beyond this are dropped by the parser, words and all. */
const NESTING_MAX = 60;
const markdown = new MarkdownIt({ html: true, linkify: false, typographer: false, maxNesting: NESTING_MAX });
const escape = markdown.utils.escapeHtml;
const isComment = (source: string): boolean => /^\s*<!--[\s\S]*-->\s*$/.test(source);

markdown.renderer.rules["html_block"] = (tokens, index) => {
  const source = tokens[index]?.content ?? "";
  return isComment(source) ? "" : `<pre class="raw">${escape(source)}</pre>`;
};
markdown.renderer.rules["html_inline"] = (tokens, index) => {
  const source = tokens[index]?.content ?? "";
  return isComment(source) ? "" : `<code class="raw">${escape(source)}</code>`;
};
// An image of the net would be fetched, and whoever is asked for it learns that it was read. What lies beside the document is put in later.
markdown.renderer.rules["image"] = (tokens, index) => {
  const token = tokens[index];
  const source = String(token?.attrGet("src") ?? "");
  const words = token?.content ?? "";
  return `<span class="image" title="${escape(source)}" data-words="${escape(words)}">${escape(words || "image")}<span class="image-place"> ${escape(source)}</span></span>`;
};
markdown.validateLink = (url) => /^(https?:|mailto:|#|[^:]*$)/i.test(url.trim()) && !/^\s*[/\\]{2}/.test(url);

const TAGS = [
  ..."a blockquote br code del em h1 h2 h3 h4 h5 h6 hr li ol p pre s span strong table tbody td th thead tr ul".split(" "),
];

/** How much of a frame may be spent before the page gets a turn. */
const SLICE = 12;
/** A passage longer than this is shown as it is written. */
const PASSAGE_MAX = 400_000;

interface Part {
  readonly source: string;
  readonly isProposal: boolean;
  readonly title: string;
}

/** The text in parts that are rendered each on its own: what is before the first heading, and each section of the upper ranks. */
function partsOf(text: string): Part[] {
  const sections = sectionsOf(text).filter((section) => section.level <= 2);
  const first = sections[0]?.start ?? text.length;
  const parts: Part[] = [{ source: withoutFrontmatter(text.slice(0, first)), isProposal: false, title: "" }];
  sections.forEach((section: Section, index) => {
    const end = sections[index + 1]?.start ?? text.length;
    parts.push({ source: text.slice(section.start, end), isProposal: section.isProposal, title: section.title });
  });
  return parts.filter((part) => part.source.trim() !== "");
}

function withoutFrontmatter(text: string): string {
  return text.replace(/^---\r?\n[\s\S]*?\r?\n---[ \t]*(\r?\n|$)/, "");
}

function rendered({ source, isProposal, title }: Part, references: string): HTMLElement {
  const element = h("section", { class: isProposal ? "in-proposal text-proposed" : "text-canon" });
  if (title) element.setAttribute("data-title", title);
  const html = source.length > PASSAGE_MAX || isTooDeep(source) ? null : htmlOf(`${source}\n\n${references}`);
  if (html === null) {
    element.append(h("pre", {}, source));
    return element;
  }
  const clean = DOMPurify.sanitize(html, {
    RETURN_DOM_FRAGMENT: true,
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ["href", "title", "class", "start", "align"],
  });
  for (const link of clean.querySelectorAll("a")) dress(link);
  for (const image of clean.querySelectorAll<HTMLElement>("span.image")) hang(image, here(), image.title, image.dataset["words"] ?? "");
  // Struck out is what a proposal takes away. In the canon the strokes are letters as others are.
  if (!isProposal) for (const struck of clean.querySelectorAll("s, del")) struck.replaceWith("~~", ...struck.childNodes, "~~");
  else {
    for (const struck of clean.querySelectorAll("s, del")) {
      struck.classList.add("text-proposed-deleted");
      struck.prepend(h("span", { class: "out-of-sight" }, "deleted: "));
    }
    clean.querySelector("h1, h2")?.append(h("span", { class: "label-proposal" }, "Proposal"));
  }
  for (const head of clean.querySelectorAll("th")) if (!head.textContent?.trim()) head.replaceWith(h("td"));
  element.append(clean);
  return element;
}

/** The markdown as HTML; null if it is nested so deep that words would be missing. */
function htmlOf(source: string): string | null {
  const environment = {};
  const tokens = markdown.parse(source, environment);
  if (tokens.some(({ level }) => level >= NESTING_MAX - 1)) return null;
  return markdown.renderer.render(tokens, markdown.options, environment);
}

/** The document that is shown. */
const here = (): string => new URLSearchParams(location.search).get("path") ?? "";

/** A link says where it leads, and opens in a tab that knows nothing of this one. */
function dress(link: HTMLAnchorElement): void {
  const target = link.getAttribute("href") ?? "";
  link.title = target;
  if (/^[^:#?]+\.md$/i.test(target)) {
    const path = documentAt(target);
    if (path === null) link.removeAttribute("href");
    else link.href = linkTo(path);
  } else if (!target.startsWith("#")) {
    link.target = "_blank";
    link.rel = "noopener noreferrer";
  }
}

/** The document that a link means; null where it means none, such as behind an escape that stands for no letter. */
function documentAt(target: string): string | null {
  try {
    return decodeURIComponent(new URL(target, `http://x/${here()}`).pathname.slice(1));
  } catch {
    return null;
  }
}

/** The whole text as it reads, made anew. */
export function renderedParts(text: string): HTMLElement[] {
  const references = referencesOf(text);
  return partsOf(text).map((part) => rendered(part, references));
}

function referencesOf(text: string): string {
  return text.match(/^ {0,3}\[[^\]\n]+\]:[ \t]+\S.*$/gm)?.slice(0, 200).join("\n") ?? "";
}

export interface Preview {
  /** Shows the text soon, and lets the page live meanwhile. */
  show(text: string): void;
  /** Shows the text before this returns: printing does not wait. */
  showNow(text: string): void;
  scrollTo(title: string): void;
}

export function openPreview(parent: HTMLElement): Preview {
  let cache = new Map<string, HTMLElement>();
  let round = 0;

  /** Makes one part after the other; puts them in place when all are made. */
  function* steps(text: string): Generator<void> {
    const references = referencesOf(text);
    const next = new Map<string, HTMLElement>();
    const elements: HTMLElement[] = [];
    for (const part of partsOf(text)) {
      const key = `${part.isProposal}\n${references}\n${part.source}`;
      const element = next.has(key) ? rendered(part, references) : (cache.get(key) ?? rendered(part, references));
      next.set(key, element);
      elements.push(element);
      yield;
    }
    cache = next;
    place(parent, elements);
  }

  async function show(text: string): Promise<void> {
    const own = ++round;
    let until = performance.now() + SLICE;
    for (const _ of steps(text)) {
      if (performance.now() <= until) continue;
      await new Promise((turn) => setTimeout(turn));
      if (own !== round) return;
      until = performance.now() + SLICE;
    }
  }

  function showNow(text: string): void {
    round++;
    for (const _ of steps(text));
  }

  return {
    show: (text) => void show(text),
    showNow,
    scrollTo(title) {
      const found = [...parent.children].find((element) => element.getAttribute("data-title") === title);
      found?.scrollIntoView({ block: "start" });
    },
  };
}

/** Puts the elements in place and leaves alone those that stand there already, so that nothing jumps. */
function place(parent: HTMLElement, elements: readonly HTMLElement[]): void {
  const wanted = new Set<Element>(elements);
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove();
  elements.forEach((element, index) => {
    if (parent.children[index] !== element) parent.insertBefore(element, parent.children[index] ?? null);
  });
}
