// What the page knows besides the text, as a fold over what it hears. Pure: never touches the DOM, a socket or a clock.

import type { WireComment, WireEvent, WireQuestion, WireRun, WireTurn, WireVisitor } from "../wire/wire";

/** How the page stands with the server. */
export type Connection = "connecting" | "online" | "offline" | "refused";

export interface View {
  readonly connection: Connection;
  /** Why the server will not have us. */
  readonly refusal: string | null;
  readonly revision: number;
  /** Updates of ours that were sent on this connection, and those that the file holds. */
  readonly sent: number;
  readonly saved: number;
  /** Whether something was typed that no connection has taken yet. */
  readonly unsent: boolean;
  /** Why the file lacks words although the server has them. */
  readonly trouble: string | null;
  readonly visitors: ReadonlyMap<number, WireVisitor>;
  /** Whether this page may write, and whether agents answer in the document. */
  readonly writes: boolean;
  readonly session: boolean;
  /** The run that the document is the draft of, and the turn that answers it. */
  readonly run: WireRun | null;
  readonly turn: WireTurn | null;
  /** What agents ask, the oldest first. */
  readonly questions: readonly WireQuestion[];
  /** What people say about passages. */
  readonly comments: readonly WireComment[];
}

export const BEGINNING: View = {
  connection: "connecting",
  refusal: null,
  revision: 0,
  sent: 0,
  saved: 0,
  unsent: false,
  trouble: null,
  visitors: new Map(),
  writes: true,
  session: false,
  run: null,
  turn: null,
  questions: [],
  comments: [],
};

/** What happens in the page itself. */
export type OwnEvent =
  | { kind: "joined" }
  | { kind: "caughtUp" }
  | { kind: "lost" }
  | { kind: "refused"; reason: string }
  | { kind: "typed" }
  | { kind: "sent" };

/** The next view after one event. */
export function fold(view: View, event: WireEvent | OwnEvent): View {
  switch (event.kind) {
    case "hello":
      return {
        ...view,
        revision: event.revision,
        sent: 0,
        saved: 0,
        trouble: event.unsaved,
        writes: event.writes,
        session: event.session,
        visitors: byClient(event.visitors),
        // Told again if there are any.
        questions: [],
        comments: [],
      };
    case "joined":
      return { ...view, connection: "online", refusal: null };
    case "caughtUp":
      // Whatever the server lacked was sent.
      return { ...view, unsent: false };
    case "lost": {
      const unsent = view.unsent || view.sent > view.saved;
      return { ...view, connection: "offline", unsent };
    }
    case "refused":
      return { ...view, connection: "refused", refusal: event.reason };
    case "typed":
      return { ...view, unsent: true };
    case "sent":
      return { ...view, sent: view.sent + 1, unsent: false };
    case "saved":
      return { ...view, saved: event.count, revision: event.revision, trouble: null };
    case "unsaved":
      return { ...view, trouble: event.reason };
    case "visitors":
      return { ...view, visitors: byClient(event.visitors) };
    case "changed":
      return { ...view, revision: Math.max(view.revision, event.revision) };
    case "run":
      return { ...view, run: event.run };
    case "turn":
      return { ...view, turn: event.turn };
    case "questions":
      return { ...view, questions: event.questions };
    case "comments":
      return { ...view, comments: event.comments };
    case "left":
    case "resync":
    case "pong":
      return view;
    default:
      return unreachable(event);
  }
}

/** Whether everything that was typed here is in the file. */
export function isSaved(view: View): boolean {
  return !view.unsent && view.sent <= view.saved && view.trouble === null;
}

export interface SaveState {
  readonly tone: "good" | "busy" | "bad";
  readonly words: string;
  readonly detail: string;
}

/** What the page says about the text being safe. */
export function saveState(view: View): SaveState {
  const isSafe = isSaved(view);
  if (view.connection === "refused") {
    return { tone: "bad", words: "Not connected", detail: view.refusal ?? "The server refused this page." };
  }
  if (view.connection === "offline") {
    return isSafe
      ? { tone: "bad", words: "Offline", detail: "The server does not answer. You can keep writing." }
      : { tone: "bad", words: "Not saved", detail: "The server does not answer. Your words are kept here and sent when it is back." };
  }
  if (view.trouble !== null) return { tone: "bad", words: "Not saved", detail: view.trouble };
  if (!view.writes && view.connection === "online") return { tone: "good", words: "Reading", detail: "This link is for reading." };
  if (view.connection === "connecting") return { tone: "busy", words: "Connecting…", detail: "" };
  if (!isSafe) return { tone: "busy", words: "Saving…", detail: "Your last words are on their way into the file." };
  return { tone: "good", words: "Saved", detail: "Everything you see is in the file." };
}

function byClient(visitors: readonly WireVisitor[]): Map<number, WireVisitor> {
  return new Map(visitors.map((visitor) => [visitor.client, visitor]));
}

function unreachable(value: never): never {
  throw new Error(`no such event: ${JSON.stringify(value)}`);
}
