// Builds the page into dist/: one script, the preview on demand, one style sheet, the fonts. Never fetches anything.
import { cp, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

// Made beside the old page and then put in its place, so that a server never serves half of one.
const out = `dist.new-${process.pid}`;
await mkdir(`${out}/fonts`, { recursive: true });

// Raw HTML in a document is shown, never run, so the grammars of HTML, CSS and JavaScript (65 kB) are left out.
const withoutHtml = {
  name: "without-html",
  setup(builder) {
    builder.onResolve({ filter: /^@codemirror\/lang-html$/ }, () => ({ path: "html", namespace: "stub" }));
    builder.onLoad({ filter: /.*/, namespace: "stub" }, () => ({
      contents: `
        import { LanguageSupport, StreamLanguage } from "@codemirror/language";
        const plain = StreamLanguage.define({ token(stream) { stream.skipToEnd(); return null; } });
        export function html() { return new LanguageSupport(plain); }
        export const htmlCompletionSource = () => null;
      `,
      resolveDir: process.cwd(),
    }));
  },
};

const result = await build({
  entryPoints: { app: "src/main.ts", style: "style.css" },
  bundle: true,
  splitting: true,
  format: "esm",
  target: "es2022",
  minify: true,
  legalComments: "none",
  outdir: out,
  chunkNames: "chunk-[hash]",
  external: ["/fonts/*"],
  plugins: [withoutHtml],
  // Where a browser tells of waiting keys, the editor reads ahead for a tenth of a second at once, and words that come wait for it.
  // Whoever moves by parts of words needs a segmenter; no key here does, and to make one takes as long as all the rest of the script.
  define: { "navigator.scheduling": "undefined", "Intl.Segmenter": "undefined" },
  metafile: true,
  logLevel: "warning",
});

const font = (family, file, name) => cp(`node_modules/@fontsource-variable/${family}/files/${file}`, `${out}/fonts/${name}`);
await font("source-serif-4", "source-serif-4-latin-opsz-normal.woff2", "serif.woff2");
await font("source-serif-4", "source-serif-4-latin-opsz-italic.woff2", "serif-italic.woff2");
await font("source-serif-4", "source-serif-4-latin-ext-opsz-normal.woff2", "serif-ext.woff2");
await font("instrument-sans", "instrument-sans-latin-wght-normal.woff2", "sans.woff2");
await font("instrument-sans", "instrument-sans-latin-ext-wght-normal.woff2", "sans-ext.woff2");
await font("jetbrains-mono", "jetbrains-mono-latin-wght-normal.woff2", "mono.woff2");

await cp("index.html", `${out}/index.html`);

const sizes = {};
for (const path of Object.keys(result.metafile.outputs).filter((path) => path.endsWith(".js"))) {
  sizes[path.slice(out.length + 1)] = gzipSync(await readFile(path), { level: 9 }).length;
}
await writeFile(`${out}/sizes.json`, JSON.stringify(sizes, null, 2));

await rm("dist", { recursive: true, force: true });
await rename(out, "dist");
