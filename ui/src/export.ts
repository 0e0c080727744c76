// The document as a file to give away: the markdown as it is, or one page of HTML that needs nothing else. Never carries the secret, a
// script, or anything that would be fetched.

import { ICONS, h, icon } from "./dom";
import { asData } from "./pictures";
import { renderedParts } from "./preview";

const STYLE = `:root{color-scheme:light dark;--ink:light-dark(#1b1c20,#eceef2);--soft:light-dark(#595e69,#a3abba);--line:light-dark(#8d8778,#6b7386);--panel:light-dark(#f5f3ec,#1a1d24);--accent:light-dark(#4b3fd1,#a99cff)}
body{margin:0;background:light-dark(#fdfcf8,#14161b);color:var(--ink);font:1.1rem/1.62 "Source Serif 4","Iowan Old Style",Palatino,Georgia,serif}
main{max-width:40rem;margin:0 auto;padding:4rem 1.5rem 6rem;overflow-wrap:anywhere}section{border-left:2px solid transparent;padding-left:1.1rem}
section.in-proposal{border-left-color:var(--line);color:var(--soft)}h1,h2,h3{line-height:1.3;letter-spacing:-.012em;color:var(--ink)}h1{font-size:2rem}h2{font-size:1.5rem;padding-top:1rem}
.label-proposal{margin-left:.7rem;font:600 .78rem/1.4 system-ui,sans-serif;color:var(--accent);border:1px dashed;border-radius:4px;padding:0 .4rem;vertical-align:middle}
a{color:var(--accent)}code,pre{font-family:ui-monospace,monospace;font-size:.86em;background:var(--panel);border-radius:4px}code{padding:.1em .3em}pre{padding:.9rem 1.1rem;overflow:auto}pre code{padding:0}
blockquote{margin:0 0 1rem;border-left:2px solid var(--line);padding-left:1rem;color:var(--soft)}table{border-collapse:collapse;font:.95rem/1.5 system-ui,sans-serif}
th,td{border-bottom:1px solid var(--line);padding:.4rem 1rem .4rem 0;text-align:left}img{max-width:100%}.image{border:1px dashed var(--line);border-radius:5px;padding:.1rem .5rem}.image:has(img){border:0;padding:0}
.text-proposed-deleted{text-decoration:line-through}.out-of-sight{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}@media print{main{padding:0}}`;
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/** The document as one page of HTML. */
export async function standalone(path: string, text: string, title: string): Promise<string> {
  const main = document.createElement("main");
  for (const part of renderedParts(text)) main.append(part);
  for (const link of main.querySelectorAll("a")) {
    // In the page a link to another document carries the secret. The file gets what the document says.
    if (link.hasAttribute("href")) link.setAttribute("href", link.title);
    link.removeAttribute("target");
  }
  for (const place of main.querySelectorAll<HTMLElement>(".image")) {
    const source = place.title;
    const data = await asData(path, source);
    const words = place.dataset["words"] ?? "";
    if (data) place.replaceChildren(h("img", { src: data, alt: words }));
    place.removeAttribute("data-words");
  }
  const escaped = h("span", {}, title).innerHTML;
  return `<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="${POLICY}">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>${escaped}</title>\n<style>${STYLE}</style>\n</head>\n<body>\n${main.outerHTML}\n</body>\n</html>\n`;
}

/** Hands a file to the person. */
export function give(name: string, kind: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: kind }));
  const link = h("a", { href: address, download: name });
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

export interface Export {
  open(): void;
}

export function exportDialog(path: string, now: () => { text: string; title: string }): Export {
  const name = (path.split("/").at(-1) ?? "document").replace(/\.md$/, "");
  const markdown = (): void => {
    give(`${name}.md`, "text/markdown;charset=utf-8", now().text);
    dialog.close();
  };
  const html = async (): Promise<void> => {
    const { text, title } = now();
    give(`${name}.html`, "text/html;charset=utf-8", await standalone(path, text, title));
    dialog.close();
  };
  const printed = (): void => {
    dialog.close();
    window.print();
  };
  const dialog = h(
    "dialog",
    { class: "help export", "aria-labelledby": "export-title" },
    h("header", {}, h("h2", { id: "export-title" }, "Export"), h("button", { class: "quiet", "aria-label": "Close", onclick: () => dialog.close() }, icon(ICONS.close))),
    h("p", { class: "about" }, "A copy of the text as it is now. Comments stay here."),
    h(
      "div",
      { class: "row" },
      h("button", { class: "main", onclick: markdown }, "Markdown"),
      h("button", { class: "plain", onclick: () => void html() }, "HTML"),
      h("button", { class: "plain", onclick: () => printed() }, "Print"),
    ),
  );
  document.body.append(dialog);
  return { open: () => dialog.showModal() };
}
