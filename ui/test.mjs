// Runs the tests of the page's pure parts: bundles them, because Node does not read TypeScript, and lets Node run them.
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { build } from "esbuild";

const out = await mkdtemp(join(tmpdir(), "writer-test-"));
const names = (await readdir("test")).filter((name) => name.endsWith(".test.ts"));
await build({ entryPoints: names.map((name) => join("test", name)), bundle: true, platform: "node", format: "esm", outdir: out, outExtension: { ".js": ".mjs" }, logLevel: "warning" });
const files = names.map((name) => join(out, name.replace(/\.ts$/, ".mjs")));
const { status } = spawnSync(process.execPath, ["--test", ...files], { stdio: "inherit" });
await rm(out, { recursive: true });
process.exit(status ?? 1);
