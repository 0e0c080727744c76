import assert from "node:assert/strict";
import { test } from "node:test";

import { ChangeSet, type Text, Text as Texts } from "@codemirror/state";

import { type Scan, rescan, scan } from "../src/rescan";
import { sectionsOf } from "../src/sections";

/** What a document is made of, and what breaks it: everything that a scan looks at, and letters beside it. */
const PARTS = [
  "\n", "\n", "\n\n", "\r\n", "# One\n", "## Two ##\n", "### Three", "#", " ", "   ", "    ", "```\n", "````\n", "``", "`", "~~~\n", "~", "<!-- proposal -->\n", "<!--\n", "-->\n", "<!--", "-->",
  "---\n", "---", "--- \n", "---\r\n", "-", "\r", "\t", "words", "é", "🙂", "x".repeat(190), "\n## Four\n<!-- proposal -->\n", "\n```\n# none\n```\n", "\n<!--\n# none\n-->\n",
];
const ROUNDS = 20_000;

/** Numbers by chance that are the same in every run. */
function chance(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const docOf = (text: string): Text => Texts.of(text.split("\n"));

function check(found: Scan, doc: Text): void {
  assert.deepEqual(found.sections, sectionsOf(doc.toString()), JSON.stringify(doc.toString()));
}

test("a scan finds what a look at the whole text finds, after every change of many", () => {
  const next = chance(7);
  const part = (): string => PARTS[next(PARTS.length)] ?? "";
  let doc = docOf("");
  let known = scan(doc);
  for (let round = 0; round < ROUNDS; round++) {
    // Begun anew now and then, so that there are short texts too, and texts with settings and without.
    if (round % 200 === 0) {
      doc = docOf(["", "--", "---", "---x\n", "---\n", "---\r\n"][next(6)] + Array.from({ length: next(30) }, part).join(""));
      known = scan(doc);
      check(known, doc);
    }
    const edits = Array.from({ length: 1 + next(3) }, () => {
      // The first line is changed more often than others, because it decides about all of them.
      const from = next(1 + (next(4) === 0 ? Math.min(8, doc.length) : doc.length));
      const to = next(2) === 0 ? from : Math.min(doc.length, from + next(12));
      return { from, to, insert: docOf(next(4) === 0 ? "" : part()) };
    });
    let changes = ChangeSet.of([], doc.length);
    for (const { from, to, insert } of edits) {
      const one = ChangeSet.of({ from: changes.mapPos(from), to: changes.mapPos(to, 1), insert }, changes.newLength, "\n");
      changes = changes.compose(one);
    }
    doc = changes.apply(doc);
    known = rescan(known, changes, doc);
    check(known, doc);
    // What the next change builds on is what a scan from the beginning has.
    assert.deepEqual(known, scan(doc));
  }
});

test("a word in a long text moves what stands behind it, and nothing is read again", () => {
  const before = docOf(Array.from({ length: 1000 }, (_, number) => `## Part ${number}\n\nWords\n`).join("\n"));
  const changes = ChangeSet.of({ from: 20, insert: "more " }, before.length);
  const after = changes.apply(before);
  const old = scan(before);
  let read = 0;
  const counted = Object.create(after, {
    iterLines: {
      *value(from: number) {
        for (const line of after.iterLines(from)) {
          read++;
          yield line;
        }
      },
    },
  }) as Text;
  check(rescan(old, changes, counted), after);
  assert.ok(read < 5, `${read} lines were read`);
});
