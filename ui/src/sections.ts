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

/** A heading without what follows from the others: where its section ends. */
export type Heading = Omit<Section, "end">;

/** How a line is read: as text, inside of a comment, or inside of a fence, which is closed by the same letters. */
export type Mode = "text" | "comment" | `\`${string}` | `~${string}`;

const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const MARKER = /^\s*<!--\s*proposal\s*-->/;
/** How far behind a heading its marker may stand. */
export const MARKER_REACH = 200;

export function sectionsOf(text: string): Section[] {
  const found: Heading[] = [];
  let mode: Mode = "text";
  let at = 0;
  if (text.startsWith("---\n") || text.startsWith("---\r\n")) {
    const close = /\r?\n---[ \t]*(\r?\n|$)/.exec(text);
    if (close) at = close.index + close[0].length;
  }
  while (at < text.length) {
    const next = text.indexOf("\n", at);
    const headingEnd = next < 0 ? text.length : next;
    const line = text.slice(at, headingEnd);
    const heading = mode === "text" ? headingIn(line) : null;
    if (heading) found.push({ ...heading, start: at, headingEnd, isProposal: isMarked(text.slice(headingEnd, headingEnd + MARKER_REACH)) });
    else mode = modeAfter(mode, line);
    at = headingEnd + 1;
  }
  return ended(found, text.length);
}

/** The heading that a line of text is. */
export function headingIn(line: string): Pick<Heading, "title" | "level"> | null {
  const heading = HEADING.exec(withoutReturn(line));
  return heading?.[1] ? { title: heading[2] ?? "", level: heading[1].length } : null;
}

/** How the next line is read. */
export function modeAfter(mode: Mode, ended: string): Mode {
  if (mode === "comment") return ended.includes("-->") ? "text" : "comment";
  const line = withoutReturn(ended);
  const mark = FENCE.exec(line)?.[1] as Mode | undefined;
  if (mode !== "text") return mark?.startsWith(mode) && line.trim() === mark ? "text" : mode;
  if (mark) return mark;
  return /^ {0,3}<!--/.test(line) && !line.includes("-->") ? "comment" : "text";
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

/** Whether what stands behind a heading makes a proposal of its section. */
export function isMarked(behind: string): boolean {
  return MARKER.test(behind);
}

/** Each heading with the end of its section: the next one of its rank or a higher one. From the back, so that each is looked at once. */
export function ended(headings: readonly Heading[], length: number): Section[] {
  /** Where the next heading of each rank or a higher one begins. */
  const next = Array<number>(7).fill(length);
  const sections = Array<Section>(headings.length);
  for (let index = headings.length - 1; index >= 0; index--) {
    const heading = headings[index];
    if (!heading) continue;
    sections[index] = { ...heading, end: next[heading.level] ?? length };
    next.fill(heading.start, heading.level);
  }
  return sections;
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
