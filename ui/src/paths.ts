// What a path in a document or of a person means. Pure.

/** Where an image is. */
export type Where = "beside" | "elsewhere" | "net" | "nowhere";

export function whereIs(source: string): Where {
  if (/^https?:\/\//i.test(source)) return "net";
  if (source === "" || /^[a-z][a-z0-9+.-]*:/i.test(source) || /^[/\\]/.test(source)) return "nowhere";
  let depth = 0;
  for (const part of source.split("/")) {
    depth += part === ".." ? -1 : part === "." || part === "" ? 0 : 1;
    if (depth < 0) return "elsewhere";
  }
  return "beside";
}

/** The path that a person means by a name. */
export function pathOf(name: string): string {
  const path = name.trim().replace(/^\/+/, "");
  return path === "" || /\.md$/i.test(path) ? path : `${path}.md`;
}
