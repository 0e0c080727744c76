// The sections of a text that changes, without reading all of it again: only from the changed line on, until a line is read as it was
// before. Never tells anything but what a look at the whole text would.

import type { ChangeDesc, Text } from "@codemirror/state";

import { type Heading, MARKER_REACH, type Mode, type Section, ended, headingIn, isMarked, modeAfter } from "./sections";

/** A line that is a heading, or behind which lines are read otherwise. */
interface Turn {
  readonly at: number;
  /** How the lines behind it are read. */
  readonly mode: Mode;
  readonly heading: Heading | null;
}

export interface Scan {
  readonly sections: readonly Section[];
  readonly turns: readonly Turn[];
  /** Where the settings at the top end; nowhere if they were begun and have no end, because any change may end them. */
  readonly front: number;
}

/** The first line says whether there are settings, by no more letters than these. */
const FIRST_LINE = 5;

export function scan(doc: Text): Scan {
  const front = frontOf(doc);
  const turns: Turn[] = [];
  read(doc, front === Infinity ? 0 : front, turns, () => false);
  return told(turns, doc, front);
}

/** The scan of a text after changes, from the scan before them. */
export function rescan(old: Scan, changes: ChangeDesc, doc: Text): Scan {
  let [from, to] = [Infinity, 0];
  changes.iterChangedRanges((_fromOld, _toOld, fromNew, toNew) => {
    from = Math.min(from, fromNew);
    to = toNew;
  });
  if (from === Infinity) return old;
  if (from <= Math.max(old.front, FIRST_LINE)) return scan(doc);
  const begun = doc.lineAt(from).from;
  const turns: Turn[] = [];
  for (const turn of old.turns) {
    if (turn.at >= begun) break;
    turns.push(turn);
  }
  markAnew(turns, from, doc);
  const shift = doc.length - changes.length;
  let next = turns.length;
  const isAsBefore = (at: number, mode: Mode): boolean => {
    // Only behind the change: the break before such a line is older than the change, so a line began there before it too.
    if (at <= to) return false;
    while ((old.turns[next]?.at ?? Infinity) < at - shift) next++;
    return (old.turns[next - 1]?.mode ?? "text") === mode;
  };
  const isWhole = read(doc, begun, turns, isAsBefore);
  if (!isWhole) for (const turn of old.turns.slice(next)) turns.push(shift === 0 ? turn : shifted(turn, shift));
  return told(turns, doc, old.front);
}

/** Notes the turns of the text from the beginning of a line on, until `isEnough` at the beginning of another. Says whether it came to the end. */
function read(doc: Text, from: number, turns: Turn[], isEnough: (at: number, mode: Mode) => boolean): boolean {
  let mode = turns.at(-1)?.mode ?? "text";
  let at = from;
  for (const line of doc.iterLines(doc.lineAt(from).number)) {
    if (isEnough(at, mode)) return false;
    const headingEnd = at + line.length;
    const named = mode === "text" ? headingIn(line) : null;
    const after = named ? mode : modeAfter(mode, line);
    const heading = named && { ...named, start: at, headingEnd, isProposal: isProposal(doc, headingEnd) };
    if (heading || after !== mode) turns.push({ at, mode: after, heading });
    mode = after;
    at = headingEnd + 1;
  }
  return true;
}

/** The marker of a heading stands behind it, where the change may be. */
function markAnew(turns: Turn[], from: number, doc: Text): void {
  for (let index = turns.length - 1; index >= 0; index--) {
    const turn = turns[index];
    if (!turn || turn.at + MARKER_REACH + doc.lineAt(turn.at).length < from) return;
    const { heading } = turn;
    if (heading) turns[index] = { ...turn, heading: { ...heading, isProposal: isProposal(doc, heading.headingEnd) } };
  }
}

function isProposal(doc: Text, headingEnd: number): boolean {
  return isMarked(doc.sliceString(headingEnd, headingEnd + MARKER_REACH));
}

function shifted({ at, mode, heading }: Turn, by: number): Turn {
  return { at: at + by, mode, heading: heading && { ...heading, start: heading.start + by, headingEnd: heading.headingEnd + by } };
}

function told(turns: readonly Turn[], doc: Text, front: number): Scan {
  const headings = turns.flatMap(({ heading }) => heading ?? []);
  return { sections: ended(headings, doc.length), turns, front };
}

/** Where the text begins behind the settings. */
function frontOf(doc: Text): number {
  if (doc.lines === 1 || !/^---\r?$/.test(doc.line(1).text)) return 0;
  for (let number = 2; number <= doc.lines; number++) {
    const { text, to } = doc.line(number);
    const isLast = number === doc.lines;
    if ((isLast ? /^---[ \t]*$/ : /^---[ \t]*\r?$/).test(text)) return isLast ? to : to + 1;
  }
  return Infinity;
}
