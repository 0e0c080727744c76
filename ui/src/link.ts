// The page's end of a document: a Yjs replica kept equal to the server's. Never forgets words that the file may lack, and never
// mixes the words of two sessions: what is unsent when a session ended is merged by the server, from the text it began with.

import * as decoding from "lib0/decoding";
import * as encoding from "lib0/encoding";
import { Awareness, applyAwarenessUpdate, encodeAwarenessUpdate, removeAwarenessStates } from "y-protocols/awareness";
import * as Y from "yjs";

import type { WireEvent } from "../wire/wire";
import { openSocket, rebase } from "./api";
import { forgetDraft, keepDraft, readDraft } from "./draft";
import type { OwnEvent } from "./view";

/** Where the shared text stands in the replica. */
export const ROOT = "text";
const SYNC = 0;
const PRESENCE = 1;
const [STEP_1, STEP_2, UPDATE] = [0, 1, 2];
/** The server will not have this page, whatever it does. */
const CLOSE_REFUSED = 4400;
/** The secret was made anew, or does not let this page write: coming back would not help. */
const CLOSE_FOR_GOOD = [4401, 4403];
const WAIT_MAX = 8000;
/** A frame of the screen, in milliseconds. */
const FRAME = 16;

/** A replica that an editor can be bound to. Another one takes its place when the server began a new session. */
export interface Replica {
  readonly doc: Y.Doc;
  readonly text: Y.Text;
  readonly awareness: Awareness;
}

export interface Listener {
  event(event: WireEvent | OwnEvent): void;
  /** Bind to this replica; it is whole, and nothing is applied to it until that is done. */
  replica(replica: Replica): Promise<void>;
  /** A remote change was applied; these are the places where others last wrote. */
  written(places: ReadonlyMap<number, Y.RelativePosition>): void;
}

export interface Link {
  ping(): Promise<number>;
  /** Joins anew, because there is another secret. */
  rejoin(): void;
  close(): void;
}

/** Whoever applies what the server sent is this. */
export const FROM_SERVER = "server";

export function openLink(path: string, name: string, listener: Listener): Link {
  let replica = newReplica(newClient());
  /** The text as the server is known to have it: its own updates, and ours when they are in the file. */
  let shadow = new Y.Doc();
  let pending: Uint8Array[] = [];
  let sent = 0;
  let confirmed = 0;
  let epoch = "";
  let socket: WebSocket | null = null;
  let isJoined = false;
  /** Whether the server has what was written before it was joined. */
  let isCaughtUp = false;
  let isClosed = false;
  /** Whether the secret is no good any more. */
  let isEnded = false;
  /** The end of binding to the replica. Until then what comes waits. */
  let binding: Promise<void> | null = null;
  let attempts = 0;
  let timer = 0;
  /** The greeting of a server whose text has not come yet, and what was said behind it meanwhile. */
  let greeting: WireEvent | null = null;
  let held: WireEvent[] | null = null;
  let inbox: Uint8Array[] = [];
  let presence: Uint8Array[] = [];
  let frame = 0;
  let drained = 0;
  let pingCount = 0;
  const pings = new Map<number, () => void>();

  const shadowText = (): string => shadow.getText(ROOT).toString();
  const ownText = (): string => replica.text.toString();
  const keep = (): void => {
    // Before the first greeting there is no text of this page that could be kept.
    if (epoch !== "" && (pending.length > 0 || !isJoined)) keepDraft(path, shadowText(), ownText());
  };

  function connect(): void {
    if (isClosed) return;
    const current = openSocket(path, replica.doc.clientID, name, epoch);
    socket = current;
    isJoined = false;
    current.onopen = () => current.send(sync(STEP_1, Y.encodeStateVector(replica.doc)) as Uint8Array<ArrayBuffer>);
    current.onmessage = (message: MessageEvent<ArrayBuffer | string>) => {
      if (current !== socket) return;
      if (typeof message.data === "string") hear(JSON.parse(message.data) as WireEvent);
      else receive(new Uint8Array(message.data), current);
    };
    current.onclose = (event) => {
      if (current === socket) lose(event);
    };
  }

  function lose(event: CloseEvent): void {
    socket = null;
    isJoined = false;
    [greeting, held] = [null, null];
    // Whoever waits for an answer goes on, and finds the connection gone.
    for (const answer of pings.values()) answer();
    pings.clear();
    inbox = [];
    presence = [];
    const others = [...replica.awareness.getStates().keys()].filter((client) => client !== replica.doc.clientID);
    removeAwarenessStates(replica.awareness, others, FROM_SERVER);
    keep();
    if (CLOSE_FOR_GOOD.includes(event.code)) {
      isEnded = true;
      return listener.event({ kind: "refused", reason: `${event.reason}. Open the new link; your words are kept here.` });
    }
    if (event.code === CLOSE_REFUSED) listener.event({ kind: "refused", reason: event.reason });
    else listener.event({ kind: "lost" });
    // Half of the wait is chance, so that many pages do not come back at the same moment.
    const wait = Math.min(WAIT_MAX, 250 * 2 ** attempts) * (0.5 + Math.random() / 2);
    attempts += 1;
    timer = window.setTimeout(connect, wait);
  }

  function hear(event: WireEvent): void {
    if (event.kind === "hello") {
      // The text comes next. An editor that is bound before it is there takes the whole of it for news.
      [greeting, held] = [event, []];
      return;
    }
    if (held && event.kind !== "pong") {
      held.push(event);
      return;
    }
    if (event.kind === "saved") confirm(event.count);
    if (event.kind === "left") removeAwarenessStates(replica.awareness, [event.client], FROM_SERVER);
    if (event.kind === "pong") {
      pings.get(event.at)?.();
      pings.delete(event.at);
    }
    listener.event(event);
  }

  /** Goes on with the session, or begins with a new one when what was unsent is safe. */
  async function greet(newEpoch: string, hello: WireEvent, current: WebSocket): Promise<void> {
    if (binding) await binding;
    const isSame = newEpoch === epoch;
    const draft = epoch === "" ? readDraft(path) : null;
    const wanted = (): string => draft?.text ?? ownText();
    let known = isSame ? null : (draft?.base ?? (epoch === "" ? null : shadowText()));
    // What is typed while words are merged is merged after them, until there is nothing left that the server lacks.
    while (known !== null && known !== wanted()) {
      const text = wanted();
      try {
        await rebase({ path, name, base: known, text });
      } catch {
        // Nothing is forgotten: the old replica stays, and the next connection tries again.
        if (current === socket) current.close();
        return;
      }
      known = text;
      // The words are with the server, also if this connection is not: they must not be sent a second time.
      if (draft === null) shadow = docOf(text);
      forgetDraft(path);
      // What the server says after this comes after the merged words.
      if (current === socket) await ping();
      if (current !== socket) return;
    }
    if (current !== socket) return;
    if (!isSame) {
      const old = replica;
      replica = newReplica(replica.doc.clientID);
      shadow = new Y.Doc();
      epoch = newEpoch;
      old.awareness.destroy();
    }
    [sent, confirmed, pending] = [0, 0, []];
    listener.event(hello);
    [isJoined, isCaughtUp] = [true, false];
    attempts = 0;
    // What was written before this page came is no news.
    drain(false);
    // Nobody can have written in a new replica yet; whoever listens while the text comes has all of it written out for nothing.
    if (!isSame) listenTo(replica);
    listener.event({ kind: "joined" });
    if (!isSame) {
      binding = listener.replica(replica);
      await binding.finally(() => (binding = null));
    }
    if (current !== socket) return;
    sayWhere();
    if (inbox.length > 0) drain(true);
    const behind = held ?? [];
    held = null;
    for (const event of behind) hear(event);
  }

  function ping(): Promise<number> {
    return new Promise((answer) => {
      const begun = performance.now();
      // Whole numbers come back as they went.
      const at = ++pingCount;
      pings.set(at, () => answer(performance.now() - begun));
      tell(JSON.stringify({ kind: "ping", at }));
    });
  }

  /** Shows words at once; when more come within one frame of the screen, they are gathered. */
  function receive(bytes: Uint8Array, current: WebSocket): void {
    inbox.push(bytes);
    if (greeting?.kind === "hello" && isText(bytes)) {
      const hello = greeting;
      greeting = null;
      void greet(hello.epoch, hello, current);
      return;
    }
    if (!isJoined || binding || frame !== 0) return;
    if (performance.now() - drained > FRAME) {
      drain(true);
      return;
    }
    // Not in the frame itself: the editor puts the screen right in the first frame after a change, and that would be the next one.
    frame = window.setTimeout(() => {
      frame = 0;
      if (isJoined && !binding) drain(true);
    }, document.visibilityState === "visible" ? FRAME : 100);
  }

  function drain(isNews: boolean): void {
    const frames = inbox;
    inbox = [];
    drained = performance.now();
    const places = new Map<number, Y.RelativePosition>();
    const watch = (_: Y.YTextEvent, transaction: Y.Transaction): void => notePlaces(transaction, places);
    replica.text.observe(watch);
    replica.doc.transact(() => {
      for (const bytes of frames) take(bytes);
    }, FROM_SERVER);
    replica.text.unobserve(watch);
    // Words that build on others which did not come: the server is asked for all that is missing.
    if (replica.doc.store.pendingStructs !== null) socket?.close();
    // Where others are is said in words of the text, so the text comes first.
    const states = presence;
    presence = [];
    for (const state of states) applyAwarenessUpdate(replica.awareness, state, FROM_SERVER);
    if (isNews && places.size > 0) listener.written(places);
  }

  function take(bytes: Uint8Array): void {
    const decoder = decoding.createDecoder(bytes);
    const kind = decoding.readVarUint(decoder);
    if (kind === PRESENCE) {
      presence.push(decoding.readVarUint8Array(decoder));
      return;
    }
    const step = decoding.readVarUint(decoder);
    const body = decoding.readVarUint8Array(decoder);
    if (step === STEP_1) {
      const missing = Y.encodeStateAsUpdate(replica.doc, body);
      // Two zeros are an update without words.
      if (missing.length > 2) deliver(STEP_2, missing);
      // The server has all of it, also what it had not confirmed when the last connection was lost.
      else Y.applyUpdate(shadow, Y.encodeStateAsUpdate(replica.doc, Y.encodeStateVector(shadow)));
      isCaughtUp = true;
      listener.event({ kind: "caughtUp" });
      return;
    }
    Y.applyUpdate(replica.doc, body, FROM_SERVER);
    Y.applyUpdate(shadow, body);
  }

  /** What is said to a socket that is on its way out is said again after the next joining. */
  function tell(words: string | Uint8Array<ArrayBuffer>): void {
    if (socket?.readyState === WebSocket.OPEN) socket.send(words);
  }

  function deliver(step: number, update: Uint8Array): void {
    pending.push(update);
    sent += 1;
    tell(sync(step, update) as Uint8Array<ArrayBuffer>);
    listener.event({ kind: "sent" });
  }

  function confirm(count: number): void {
    const done = pending.splice(0, count - confirmed);
    confirmed = count;
    for (const update of done) Y.applyUpdate(shadow, update);
    if (pending.length === 0) forgetDraft(path);
  }

  function listenTo({ doc, awareness }: Replica): void {
    doc.on("update", (update: Uint8Array, origin: unknown) => {
      if (origin === FROM_SERVER || doc !== replica.doc) return;
      listener.event({ kind: "typed" });
      // Until the server has said what it lacks, the words wait: they are in what it lacks.
      if (isJoined && isCaughtUp) deliver(UPDATE, update);
      scheduleDraft();
    });
    awareness.on("update", (_: unknown, origin: unknown) => {
      if (origin !== FROM_SERVER && doc === replica.doc) sayWhere();
    });
  }

  function sayWhere(): void {
    if (!isJoined) return;
    const state = encodeAwarenessUpdate(replica.awareness, [replica.doc.clientID]);
    const encoder = encoding.createEncoder();
    encoding.writeVarUint(encoder, PRESENCE);
    encoding.writeVarUint8Array(encoder, state);
    tell(encoding.toUint8Array(encoder) as Uint8Array<ArrayBuffer>);
  }

  let draftTimer = 0;
  function scheduleDraft(): void {
    if (draftTimer === 0) {
      draftTimer = window.setTimeout(() => {
        draftTimer = 0;
        keep();
      }, 500);
    }
  }

  window.addEventListener("pagehide", keep);
  const wake = (): void => {
    if (socket === null && !isClosed && !isEnded && document.visibilityState === "visible") {
      window.clearTimeout(timer);
      attempts = 0;
      connect();
    }
  };
  // A machine that slept, a tab that was behind others, a page that came back from the history: none of them waits out its turn.
  window.addEventListener("online", wake);
  window.addEventListener("pageshow", wake);
  document.addEventListener("visibilitychange", wake);
  connect();
  return {
    ping,
    rejoin() {
      isEnded = false;
      attempts = 0;
      window.clearTimeout(timer);
      if (socket) socket.close();
      else connect();
    },
    close() {
      isClosed = true;
      window.clearTimeout(timer);
      socket?.close();
    },
  };
}

/** Whether a frame is the answer to what the page knows: the text that it lacks. */
function isText(bytes: Uint8Array): boolean {
  return bytes[0] === SYNC && bytes[1] === STEP_2;
}

function newClient(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0] || 1;
}

function newReplica(client: number): Replica {
  const doc = new Y.Doc();
  doc.clientID = client;
  return { doc, text: doc.getText(ROOT), awareness: new Awareness(doc) };
}

function docOf(text: string): Y.Doc {
  const doc = new Y.Doc();
  doc.getText(ROOT).insert(0, text);
  return doc;
}

function sync(step: number, body: Uint8Array): Uint8Array {
  const encoder = encoding.createEncoder();
  encoding.writeVarUint(encoder, SYNC);
  encoding.writeVarUint(encoder, step);
  encoding.writeVarUint8Array(encoder, body);
  return encoding.toUint8Array(encoder);
}

/** The end of what each author inserted last. */
function notePlaces({ beforeState, afterState }: Y.Transaction, places: Map<number, Y.RelativePosition>): void {
  for (const [client, clock] of afterState) {
    if (clock <= (beforeState.get(client) ?? 0)) continue;
    places.set(client, new Y.RelativePosition(null, null, Y.createID(client, clock - 1), -1));
  }
}
