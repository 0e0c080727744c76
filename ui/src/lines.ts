// The difference of two texts by lines. Pure, and never used to merge: the server does that.

export interface Line {
  readonly kind: "same" | "added" | "removed";
  readonly text: string;
}

/** A place in a text and what shall stand there. */
export interface Change {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/** Beyond this many cells the changed part is shown as a whole, out and in. */
const CELLS_MAX = 4_000_000;

export function difference(before: string, after: string): Line[] {
  const [old, now] = [before.split("\n"), after.split("\n")];
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head++;
  let tail = 0;
  while (tail < old.length - head && tail < now.length - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  const same = (lines: string[]): Line[] => lines.map((text) => ({ kind: "same", text }));
  const middle = changed(old.slice(head, old.length - tail), now.slice(head, now.length - tail));
  return [...same(old.slice(0, head)), ...middle, ...same(tail === 0 ? [] : old.slice(-tail))];
}

function changed(old: string[], now: string[]): Line[] {
  if ((old.length + 1) * (now.length + 1) > CELLS_MAX) {
    return [
      ...old.map((text): Line => ({ kind: "removed", text })),
      ...now.map((text): Line => ({ kind: "added", text })),
    ];
  }
  const width = now.length + 1;
  const longest = new Uint32Array((old.length + 1) * width);
  const at = (row: number, column: number): number => longest[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row--) {
    for (let column = now.length - 1; column >= 0; column--) {
      longest[row * width + column] =
        old[row] === now[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const lines: Line[] = [];
  let [row, column] = [0, 0];
  while (row < old.length || column < now.length) {
    const [one, two] = [old[row], now[column]];
    if (one !== undefined && one === two) {
      lines.push({ kind: "same", text: one });
      row++;
      column++;
    } else if (two === undefined || (one !== undefined && at(row + 1, column) >= at(row, column + 1))) {
      lines.push({ kind: "removed", text: one ?? "" });
      row++;
    } else {
      lines.push({ kind: "added", text: two });
      column++;
    }
  }
  return lines;
}

/** The few places where two texts differ, each with what stands there in the second. */
export function changesTo(before: string, after: string): Change[] {
  const changes: Change[] = [];
  let at = 0;
  let isOpen = false;
  for (const { kind, text } of difference(before, after)) {
    const length = text.length + 1;
    const last = changes.at(-1);
    if (kind !== "same") {
      const open = isOpen && last ? last : { from: at, to: at, insert: "" };
      const next = kind === "removed" ? { ...open, to: open.to + length } : { ...open, insert: `${open.insert}${text}\n` };
      changes.splice(isOpen ? -1 : changes.length, 1, next);
    }
    isOpen = kind !== "same";
    if (kind !== "added") at += length;
  }
  return changes.map((change) => withoutEnd(change, before.length));
}

/** The last line has no break, so a change that reaches the end does without one: its own, or the one before it. */
function withoutEnd({ from, to, insert }: Change, length: number): Change {
  if (to <= length) return { from, to, insert };
  if (from > length) return { from: length, to: length, insert: `\n${insert.slice(0, -1)}` };
  return insert === "" ? { from: from - 1, to: length, insert } : { from, to: length, insert: insert.slice(0, -1) };
}

/** The changed lines with a few around them; what is left out becomes a gap. */
export function excerpt(lines: readonly Line[], around = 2): (Line | "gap")[] {
  const shown = new Set<number>();
  lines.forEach((line, index) => {
    if (line.kind === "same") return;
    for (let near = index - around; near <= index + around; near++) shown.add(near);
  });
  const parts: (Line | "gap")[] = [];
  lines.forEach((line, index) => {
    if (shown.has(index)) parts.push(line);
    else if (parts.at(-1) !== "gap") parts.push("gap");
  });
  return parts;
}
