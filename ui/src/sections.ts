// The headings of a document, as the outline and the preview need them. Never sees a heading inside a fence or a comment.

export interface Section {
  readonly title: string;
  readonly level: number;
  /** Where the heading begins, where its line ends, and where the section ends. */
  readonly start: number;
  readonly headingEnd: number;
  readonly end: number;
  readonly isProposal: boolean;
}

const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const MARKER = /^\s*<!--\s*proposal\s*-->/;
/** How far behind a heading its marker may stand. */
const MARKER_REACH = 200;

export function sectionsOf(text: string): Section[] {
  const found: Heading[] = [];
  let fence: string | null = null;
  let isComment = false;
  let at = 0;
  if (text.startsWith("---\n") || text.startsWith("---\r\n")) {
    const close = /\r?\n---[ \t]*(\r?\n|$)/.exec(text);
    if (close) at = close.index + close[0].length;
  }
  while (at < text.length) {
    const next = text.indexOf("\n", at);
    const lineEnd = next < 0 ? text.length : next;
    const line = text.slice(at, lineEnd).replace(/\r$/, "");
    const mark = FENCE.exec(line)?.[1];
    if (fence !== null) {
      if (mark?.startsWith(fence) && line.trim() === mark) fence = null;
    } else if (isComment) {
      isComment = !line.includes("-->");
    } else if (mark) {
      fence = mark;
    } else if (/^ {0,3}<!--/.test(line) && !line.includes("-->")) {
      isComment = true;
    } else {
      const heading = HEADING.exec(line);
      if (heading?.[1]) {
        found.push({ title: heading[2] ?? "", level: heading[1].length, start: at, headingEnd: lineEnd });
      }
    }
    at = lineEnd + 1;
  }
  return ended(found, text);
}

type Heading = Omit<Section, "end" | "isProposal">;

/** Each heading with the end of its section: the next one of its rank or a higher one. From the back, so that each is looked at once. */
function ended(headings: readonly Heading[], text: string): Section[] {
  /** Where the next heading of each rank begins. */
  const next = Array<number>(7).fill(text.length);
  const sections: Section[] = [];
  for (const heading of headings.toReversed()) {
    const isProposal = MARKER.test(text.slice(heading.headingEnd, heading.headingEnd + MARKER_REACH));
    sections.push({ ...heading, end: Math.min(...next.slice(0, heading.level + 1)), isProposal });
    next[heading.level] = heading.start;
  }
  return sections.reverse();
}

/** The spans that are proposals, without overlaps. */
export function proposedSpans(sections: readonly Section[]): { from: number; to: number; title: string }[] {
  const spans: { from: number; to: number; title: string }[] = [];
  for (const section of sections) {
    const last = spans.at(-1);
    if (section.isProposal && !(last && section.start < last.to)) {
      spans.push({ from: section.start, to: section.end, title: section.title });
    }
  }
  return spans;
}

/** Quotes and lists nested so deep that nobody reads them, and that a parser needs minutes or more stack than there is for. */
const TOO_DEEP = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]))){60}|^[ \t]{100,}(?:[-*+]|\d+[.)])[ \t]/m;

/** Whether a text is better shown as it is written. */
export function isTooDeep(text: string): boolean {
  return TOO_DEEP.test(text);
}
