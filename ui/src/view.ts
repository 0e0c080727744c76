// What the page knows besides the text, as a fold over what it hears. Pure: never touches the DOM, a socket or a clock.

import type { PastVersion, WireComment, WireEvent, WirePhase, WireQuestion, WireRun, WireTurn, WireVisitor, WireWatched } from "../wire/wire";

/** How the page stands with the server. */
export type Connection = "connecting" | "online" | "offline" | "refused";

/** Why somebody should look at a section. */
export type Hint =
  | { readonly kind: "newer"; readonly author: string }
  | { readonly kind: "clash"; readonly both: boolean; readonly ours: string; readonly theirs: string };

/** What is known of a section besides its text: the agent whose it is, who changed it last, and whether somebody should look. */
export interface SectionState {
  readonly phase: { readonly name: string; readonly phase: WirePhase } | null;
  readonly last: { readonly name: string; readonly agent: boolean } | null;
  readonly hint: Hint | null;
}

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
  /** Whether there is no file any more, and how the server learns what other programs save. */
  readonly gone: boolean;
  readonly watched: WireWatched;
  /** The section that holds the caret, who changed each section last, and which of them should be looked at; by their titles. */
  readonly here: string | null;
  readonly lastAuthors: ReadonlyMap<string, string>;
  readonly hints: ReadonlyMap<string, Hint>;
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
  gone: false,
  watched: "told",
  here: null,
  lastAuthors: new Map(),
  hints: new Map(),
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
  | { kind: "sent" }
  | { kind: "here"; section: string | null }
  | { kind: "past"; versions: readonly PastVersion[] }
  /** Somebody else wrote in a section. */
  | { kind: "wrote"; section: string; author: string }
  | { kind: "seen"; section: string };

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
        gone: event.gone,
        watched: event.watched,
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
      return { ...view, saved: event.count, revision: event.revision, trouble: null, gone: false };
    case "unsaved":
      return { ...view, trouble: event.reason, gone: event.gone };
    case "watched":
      return { ...view, watched: event.watched };
    case "clashed": {
      const { both, ours, theirs, section } = event;
      return hinted(view, section ?? view.here ?? "", { kind: "clash", both, ours, theirs });
    }
    case "here": {
      // Whoever leaves a section has seen it.
      const isLeft = event.section !== view.here && view.here !== null && view.hints.get(view.here)?.kind === "newer";
      return { ...view, here: event.section, hints: isLeft ? without(view.hints, view.here ?? "") : view.hints };
    }
    case "past": {
      const known = new Map<string, string>();
      for (const { section, author } of event.versions) if (section !== null && !known.has(section)) known.set(section, author);
      return { ...view, lastAuthors: new Map([...known, ...view.lastAuthors]) };
    }
    case "wrote": {
      const lastAuthors = authored(view.lastAuthors, event.section, event.author);
      const isNews = event.section === view.here && view.hints.get(event.section)?.kind !== "clash";
      return isNews ? hinted({ ...view, lastAuthors }, event.section, { kind: "newer", author: event.author }) : { ...view, lastAuthors };
    }
    case "seen":
      return { ...view, hints: without(view.hints, event.section) };
    case "visitors":
      return { ...view, visitors: byClient(event.visitors) };
    case "changed":
      return {
        ...view,
        revision: Math.max(view.revision, event.revision),
        lastAuthors: event.section === null ? view.lastAuthors : authored(view.lastAuthors, event.section, event.author),
      };
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

/** The same map if it says so already: whoever shows it sees by that that there is nothing to do. */
function authored(known: View["lastAuthors"], section: string, author: string): View["lastAuthors"] {
  return known.get(section) === author ? known : new Map(known).set(section, author);
}

function hinted(view: View, section: string, hint: Hint): View {
  return { ...view, hints: new Map(view.hints).set(section, hint) };
}

function without(hints: View["hints"], section: string): View["hints"] {
  return hints.has(section) ? new Map([...hints].filter(([title]) => title !== section)) : hints;
}

/** What is known of the section of a title. A worker's has its name. */
export function sectionState({ run, lastAuthors, hints, visitors }: View, title: string): SectionState {
  const worker = run?.workers.find(({ name }) => name.toLowerCase() === title.toLowerCase());
  const name = lastAuthors.get(title);
  const agent = name !== undefined && [...visitors.values()].some((visitor) => visitor.agent && visitor.name === name);
  return { phase: worker ? { name: worker.name, phase: worker.phase } : null, last: name ? { name, agent } : null, hint: hints.get(title) ?? null };
}

/** What a person should know about outside saves; nothing while the system tells of them. */
export function watchedWords(watched: WireWatched): string | null {
  switch (watched) {
    case "told":
      return null;
    case "looking":
      return "The system does not tell when other programs save this file, so the server looks every few seconds. Their words come a little later.";
    case "unwatched":
      return "The folder of this file cannot be watched. What other programs save appears when somebody writes here.";
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
  if (view.gone) {
    const detail = "The file is gone: somebody deleted or moved it. The text is here and kept for recovery.";
    return { tone: "bad", words: "Not saved", detail };
  }
  if (view.trouble !== null) return { tone: "bad", words: "Not saved", detail: view.trouble };
  if (!view.writes && view.connection === "online") return { tone: "good", words: "Reading", detail: "This link is for reading." };
  if (view.connection === "connecting") return { tone: "busy", words: "Connecting…", detail: "" };
  if (!isSafe) return { tone: "busy", words: "Saving…", detail: "Your last words are on their way into the file." };
  return { tone: "good", words: "Saved", detail: "Everything you see is in the file." };
}

/** What a listener should hear when the state of the text became another one; nothing while all goes well. */
export function saveNews(before: SaveState["tone"], { tone, words, detail }: SaveState): string | null {
  if (tone === "bad" && before !== "bad") return `${words}. ${detail}`;
  return tone === "good" && before === "bad" ? words : null;
}

function byClient(visitors: readonly WireVisitor[]): Map<number, WireVisitor> {
  return new Map(visitors.map((visitor) => [visitor.client, visitor]));
}

function unreachable(value: never): never {
  throw new Error(`no such event: ${JSON.stringify(value)}`);
}
