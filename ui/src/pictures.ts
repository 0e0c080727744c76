// Images of a document. Those that lie beside it are shown; those elsewhere in the folder after a click; those of the net only in a tab
// of their own, because whoever keeps them learns that they were looked at.

import { fetchImage } from "./api";
import { h } from "./dom";
import { whereIs } from "./paths";

/** How many images are kept at hand. */
const KEPT_MAX = 200;
const kept = new Map<string, Promise<Blob | null>>();

function load(path: string, source: string, elsewhere: boolean): Promise<Blob | null> {
  const key = `${path}\n${source}`;
  const known = kept.get(key);
  if (known) return known;
  if (kept.size >= KEPT_MAX) kept.clear();
  const loading = fetchImage(path, source, elsewhere).catch(() => null);
  kept.set(key, loading);
  return loading;
}

/** Puts something better in the place of an image's words. */
export function hang(place: HTMLElement, path: string, source: string, words: string): void {
  const where = whereIs(source);
  if (where === "beside") void show(place, path, source, words, false);
  else if (where === "elsewhere") {
    place.append(h("button", { class: "plain", onclick: () => void show(place, path, source, words, true) }, "Show"));
  } else if (where === "net") {
    const link = h("a", { href: source, title: source, target: "_blank", rel: "noopener noreferrer" }, `${words || "image"} `, h("span", { class: "image-place" }, source));
    place.replaceChildren(link);
  }
}

async function show(place: HTMLElement, path: string, source: string, words: string, elsewhere: boolean): Promise<void> {
  const blob = await load(path, source, elsewhere);
  if (!blob) return;
  const image = h("img", { src: URL.createObjectURL(blob), alt: words, title: source, loading: "lazy" });
  image.addEventListener("load", () => URL.revokeObjectURL(image.src), { once: true });
  place.replaceChildren(image);
  place.classList.add("shown");
}

/** An image as it can stand in a file of its own; null if it is not there. */
export async function asData(path: string, source: string): Promise<string | null> {
  if (whereIs(source) !== "beside") return null;
  const blob = await load(path, source, false);
  if (!blob) return null;
  return new Promise((answer) => {
    const reader = new FileReader();
    reader.onload = () => answer(typeof reader.result === "string" ? reader.result : null);
    reader.onerror = () => answer(null);
    reader.readAsDataURL(blob);
  });
}
