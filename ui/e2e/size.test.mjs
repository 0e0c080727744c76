// How much a browser has to load before somebody can write.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

test("all script of the page together has at most 300 KB, compressed", async () => {
  const sizes = JSON.parse(await readFile("dist/sizes.json", "utf8"));
  const sum = Object.values(sizes).reduce((sum, size) => sum + size, 0);
  assert.ok(sum > 0 && sum <= 300_000, `${sum} bytes: ${JSON.stringify(sizes)}`);
});
