import assert from "node:assert/strict";
import { test } from "node:test";

import { difference, excerpt } from "../src/lines";
import { proposedSpans, sectionsOf } from "../src/sections";

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
