import assert from "node:assert/strict";
import { test } from "node:test";

import { changesTo, difference, excerpt } from "../src/lines";
import { isTooDeep, proposedSpans, sectionsOf } from "../src/sections";

test("headings in fences, comments and frontmatter are none", () => {
  const text = "---\n# a: 1\n---\n# One\n```\n# no\n```\n<!--\n# no\n-->\n## Two ##\n<!-- proposal -->\nx\n### Three\n## Four\n";
  const found = sectionsOf(text).map(({ title, level, isProposal }) => `${level} ${title}${isProposal ? " *" : ""}`);
  assert.deepEqual(found, ["1 One", "2 Two *", "3 Three", "2 Four"]);
  const [span] = proposedSpans(sectionsOf(text));
  assert.equal(text.slice(span?.from, span?.to), "## Two ##\n<!-- proposal -->\nx\n### Three\n");
});

test("line endings of other systems make no difference", () => {
  assert.deepEqual(sectionsOf("# One\r\n\r\n## Two\r\n").map(({ title }) => title), ["One", "Two"]);
});

test("a difference names every line once, and gives both texts back", () => {
  const [before, after] = ["a\nb\nc\nd\ne", "a\nc\nx\nd\ny"];
  const lines = difference(before, after);
  const without = (kind: string): string => lines.filter((line) => line.kind !== kind).map(({ text }) => text).join("\n");
  assert.deepEqual([without("added"), without("removed")], [before, after]);
  assert.equal(lines.filter(({ kind }) => kind === "same").length, 3);
});

test("an excerpt leaves out what did not change", () => {
  const many = Array.from({ length: 50 }, (_, index) => `line ${index}`);
  const lines = excerpt(difference(many.join("\n"), many.with(25, "changed").join("\n")), 1);
  assert.deepEqual(lines.map((line) => (line === "gap" ? "⋯" : line.text)), ["⋯", "line 24", "line 25", "changed", "line 26", "⋯"]);
});

test("the changes to a text are few and give the text, also at its end", () => {
  const texts = ["", "\n", "a", "a\n", "a\nb", "a\nb\n", "b\na\n\nc", "a\nx\nb\ny\nc\n", "\n\na", "a\r\nb\r\n"];
  for (const before of texts) {
    for (const after of texts) {
      const made = changesTo(before, after).reduceRight((text, { from, to, insert }) => text.slice(0, from) + insert + text.slice(to), before);
      assert.equal(made, after, JSON.stringify([before, after]));
    }
  }
  assert.deepEqual(changesTo("one\ntwo\nthree\n", "one\n2\nthree\n"), [{ from: 4, to: 8, insert: "2\n" }]);
});

test("a hundred thousand headings are read in one pass", () => {
  const count = 100_000;
  const text = Array.from({ length: count }, (_, index) => `${"#".repeat(1 + (index % 6))} H${index}\n`).join("");
  const begun = performance.now();
  const sections = sectionsOf(`# Top\n${text.replaceAll(/^#/gm, "##").replaceAll(/^#{7}/gm, "######")}`);
  assert.ok(performance.now() - begun < 5000, "it takes longer than one pass can");
  assert.equal(sections.length, count + 1);
  assert.equal(sections[0]?.end, sections.at(-1)?.end);
});

test("a section ends where the next of its rank or a higher one begins", () => {
  const text = "## A\n#### B\n### C\n## D\n# E\n";
  const spans = sectionsOf(text).map(({ start, end }) => text.slice(start, end));
  assert.deepEqual(spans, ["## A\n#### B\n### C\n", "#### B\n", "### C\n", "## D\n", "# E\n"]);
});

test("nesting that no parser should read is known, whatever it is made of, and a ruled line is none", () => {
  for (const mark of ["- ", "> ", ">", "> - ", "1. ", "* > "]) assert.equal(isTooDeep(`words\n${mark.repeat(5000)}x\n`), true, mark);
  for (const fine of ["- - - - -", "- ".repeat(40), "> > > - a", "1. 2. 3. b", "-".repeat(500)]) assert.equal(isTooDeep(fine), false, fine);
});
