// Requests to the server that the page came from. Never puts the secret anywhere but into a header.

import type {
  AnswerCall,
  CommentCall,
  DecisionCall,
  Done,
  Home,
  KeyCall,
  KeyGiven,
  Nothing,
  Past,
  Problem,
  Rebase,
  Restore,
  RunCall,
  TurnCall,
  VersionText,
  WireStarted,
  WriteCall,
} from "../wire/wire";

const KEPT = "agent-doc-token";

/** The secret from the link, which is taken out of the address at once; null if the address has none. */
function given(): string | null {
  const found = new URLSearchParams(location.hash.slice(1)).get("token");
  if (found) {
    sessionStorage.setItem(KEPT, found);
    history.replaceState(null, "", location.pathname + location.search);
  }
  return found;
}

let token = given() ?? sessionStorage.getItem(KEPT) ?? "";

/** Another link to the same place changes nothing but the secret: the browser loads no page for it. */
export function onNewLink(act: () => void): void {
  window.addEventListener("hashchange", () => {
    const next = given();
    // A link inside of the page has the secret that is known.
    if (!next || next === token) return;
    token = next;
    act();
  });
}

/** From now on the page knows another secret. */
export function useToken(next: string): void {
  token = next;
  sessionStorage.setItem(KEPT, next);
}

/** A link inside the Writer. It carries a secret, so that it opens in a new tab too. */
export function linkTo(path: string | null, secret = token): string {
  const place = path === null ? "/" : `/write?path=${encodeURIComponent(path).replaceAll("%2F", "/")}`;
  return `${place}#token=${secret}`;
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

async function ask<T>(path: string, body?: object, base?: number, name = crypto.randomUUID() as string, method = "POST"): Promise<T> {
  const headers: Record<string, string> = { authorization: `Bearer ${token}` };
  if (base !== undefined) headers["if-match"] = `"${base}"`;
  const options: RequestInit = { headers, credentials: "omit", cache: "no-store" };
  if (body) {
    headers["content-type"] = "application/json";
    headers["idempotency-key"] = name;
    options.method = method;
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

/** Begins a run. The same name again is the same run, so that a second click begins no second one. */
export const startRun = (asked: RunCall, name: string): Promise<WireStarted> => ask<WireStarted>("/api/runs", asked, undefined, name);
const ofRun = (id: string, what: string): string => `/api/runs/${encodeURIComponent(id)}/${what}`;
export const cancelRun = (id: string): Promise<Nothing> => ask<Nothing>(ofRun(id, "cancel"), {});
export const stopWorker = (id: string, worker: string): Promise<Nothing> => ask<Nothing>(ofRun(id, "stop"), { worker });
export const resumeRun = (id: string): Promise<Nothing> => ask<Nothing>(ofRun(id, "resume"), {});
export const directRun = (id: string, text: string, name: string): Promise<Nothing> =>
  ask<Nothing>(ofRun(id, "directives"), { text }, undefined, name);
export const decideOn = (id: string, asked: DecisionCall): Promise<Done> => ask<Done>(ofRun(id, "proposals"), asked);
export const beginTurn = (asked: TurnCall): Promise<Nothing> => ask<Nothing>("/api/turns", asked);
export const stopTurn = (path: string): Promise<Nothing> => ask<Nothing>("/api/turns/stop", { path });
export const answerQuestion = (id: string, asked: AnswerCall, name: string): Promise<Nothing> =>
  ask<Nothing>(`/api/questions/${encodeURIComponent(id)}`, asked, undefined, name);
export const giveKey = (asked: KeyCall): Promise<KeyGiven> => ask<KeyGiven>("/api/keys", asked);
export const renewKeys = (): Promise<KeyGiven> => ask<KeyGiven>("/api/keys/renew", {});

export const changeComment = (asked: CommentCall, name: string): Promise<Nothing> => ask<Nothing>("/api/comments", asked, undefined, name);

/** Makes a document; one that is there is not touched. */
export const createDocument = (asked: WriteCall): Promise<Done> => ask<Done>("/api/document", asked, undefined, crypto.randomUUID(), "PUT");

/** The bytes of an image that lies beside a document. */
export async function fetchImage(path: string, source: string, elsewhere: boolean): Promise<Blob | null> {
  const asked = new URLSearchParams({ path, source, elsewhere: String(elsewhere) });
  const answer = await fetch(`/api/image?${asked}`, { headers: { authorization: `Bearer ${token}` }, credentials: "omit" });
  return answer.ok ? answer.blob() : null;
}

/** A socket that tells how all runs are. */
export const openRunsSocket = (): WebSocket => new WebSocket(`ws://${location.host}/ws/runs`, ["agent-doc", `bearer.${token}`]);

/** A socket for a document. The secret goes where a page can put it: among the protocols. */
export function openSocket(path: string, client: number, name: string, epoch: string): WebSocket {
  const asked = new URLSearchParams({ path, client: String(client), name, epoch });
  const socket = new WebSocket(`ws://${location.host}/ws?${asked}`, ["agent-doc", `bearer.${token}`]);
  socket.binaryType = "arraybuffer";
  return socket;
}
