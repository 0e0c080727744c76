// Requests to the server that the page came from. Never puts the secret anywhere but into a header.

import type { Done, Home, Past, Problem, Rebase, Restore, VersionText } from "../wire/wire";

const KEPT = "agent-doc-token";

/** The secret from the link, which is taken out of the address at once. */
function secret(): string {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given) {
    sessionStorage.setItem(KEPT, given);
    history.replaceState(null, "", location.pathname + location.search);
  }
  return given ?? sessionStorage.getItem(KEPT) ?? "";
}

export const token = secret();

/** A link inside the Writer. It carries the secret, so that it opens in a new tab too. */
export function linkTo(path: string | null): string {
  const place = path === null ? "/" : `/write?path=${encodeURIComponent(path).replaceAll("%2F", "/")}`;
  return `${place}#token=${token}`;
}

/** Why the server did not do it. */
export class Refused extends Error {
  readonly status: number;
  readonly current: VersionText | null;
  constructor(status: number, problem: Problem) {
    super(problem.message);
    this.status = status;
    this.current = problem.current;
  }
}

async function ask<T>(path: string, body?: object, base?: number): Promise<T> {
  const headers: Record<string, string> = { authorization: `Bearer ${token}` };
  if (base !== undefined) headers["if-match"] = `"${base}"`;
  const options: RequestInit = { headers, credentials: "omit", cache: "no-store" };
  if (body) {
    headers["content-type"] = "application/json";
    headers["idempotency-key"] = crypto.randomUUID();
    options.method = "POST";
    options.body = JSON.stringify(body);
  }
  const answer = await fetch(path, options);
  const text = await answer.text();
  if (answer.ok) return JSON.parse(text) as T;
  throw new Refused(answer.status, problemOf(text));
}

function problemOf(text: string): Problem {
  try {
    const problem = JSON.parse(text) as Problem;
    if (typeof problem.message === "string") return problem;
  } catch {
    // Not every refusal is JSON: the guard's are plain words.
  }
  return { message: text.trim() || "the server refused", current: null };
}

const query = (path: string): string => `path=${encodeURIComponent(path)}`;

export const fetchHome = (): Promise<Home> => ask<Home>("/api/home");
export const fetchHistory = (path: string): Promise<Past> => ask<Past>(`/api/history?${query(path)}`);
export const fetchVersion = (path: string, revision: number): Promise<VersionText> =>
  ask<VersionText>(`/api/version?${query(path)}&revision=${revision}`);
export const restore = (asked: Restore, base: number): Promise<Done> => ask<Done>("/api/restore", asked, base);
export const rebase = (asked: Rebase): Promise<Done> => ask<Done>("/api/rebase", asked);

/** A socket for a document. The secret goes where a page can put it: among the protocols. */
export function openSocket(path: string, client: number, name: string, epoch: string): WebSocket {
  const asked = new URLSearchParams({ path, client: String(client), name, epoch });
  const socket = new WebSocket(`ws://${location.host}/ws?${asked}`, ["agent-doc", `bearer.${token}`]);
  socket.binaryType = "arraybuffer";
  return socket;
}
