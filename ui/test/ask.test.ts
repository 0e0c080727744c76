import assert from "node:assert/strict";
import { test } from "node:test";

import { GUARD, guard } from "../src/guard";
import { pathOf, whereIs } from "../src/paths";

test("a card listens only when it has stood there a while and nobody types elsewhere", () => {
  const card = guard();
  card.appeared(1000);
  assert.equal(card.isOpen(1000), false);
  assert.equal(card.isOpen(1000 + GUARD - 1), false);
  assert.equal(card.isOpen(1000 + GUARD), true);
  card.typed(1700);
  assert.equal(card.isOpen(1750), false);
  assert.equal(card.isOpen(1700 + GUARD), true);
  // What is known late does not open it early.
  card.appeared(500);
  assert.equal(card.isOpen(1700 + GUARD - 1), false);
});

test("an image is shown unasked only if it lies beside the document", () => {
  const places = { "a.png": "beside", "./b/c.png": "beside", "b/../a.png": "beside", "../a.png": "elsewhere", "b/../../a.png": "elsewhere" };
  for (const [source, where] of Object.entries(places)) assert.equal(whereIs(source), where, source);
  assert.equal(whereIs("https://track.example/a.png"), "net");
  for (const source of ["", "//track.example/a.png", "/etc/a.png", "\\\\host\\a.png", "data:image/png;base64,x", "javascript:x", "file:///a.png"]) {
    assert.equal(whereIs(source), "nowhere", source);
  }
});

test("the name of a new document is a path to a markdown file", () => {
  assert.equal(pathOf(" notes/friday "), "notes/friday.md");
  assert.equal(pathOf("/a.MD"), "a.MD");
  assert.equal(pathOf("  "), "");
});
