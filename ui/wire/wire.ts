// Generated from crates/web/src/wire.rs by `cargo xtask codegen`. Do not edit.

export type WireEvent = { "kind": "hello", 
/**
 * The document, in its plain form.
 */
path: string, 
/**
 * The session; with another one the page begins anew.
 */
epoch: string, 
/**
 * The revision now.
 */
revision: number, 
/**
 * Whether the page may write.
 */
writes: boolean, 
/**
 * Whether agents answer in it.
 */
session: boolean, 
/**
 * Everybody who wrote.
 */
visitors: Array<WireVisitor>, 
/**
 * Why the file lacks words, if it does.
 */
unsaved: string | null, 
/**
 * Whether there is no file any more.
 */
gone: boolean, 
/**
 * How the server learns what other programs save.
 */
watched: WireWatched, } | { "kind": "saved", 
/**
 * How many.
 */
count: number, 
/**
 * The revision that holds them.
 */
revision: number, } | { "kind": "unsaved", 
/**
 * Why.
 */
reason: string, 
/**
 * Whether there is no file any more.
 */
gone: boolean, } | { "kind": "watched", 
/**
 * In which.
 */
watched: WireWatched, } | { "kind": "clashed", 
/**
 * The section, if it is in one.
 */
section: string | null, 
/**
 * Whether both versions stand in the text; else one of them is only here.
 */
both: boolean, 
/**
 * What stood in the document.
 */
ours: string, 
/**
 * What the other one saved, or wrote while they were away.
 */
theirs: string, } | { "kind": "visitors", 
/**
 * All of them.
 */
visitors: Array<WireVisitor>, } | { "kind": "left", 
/**
 * Its number.
 */
client: number, } | { "kind": "changed", 
/**
 * It.
 */
revision: number, 
/**
 * Who wrote.
 */
author: string, 
/**
 * Where, if that is one section.
 */
section: string | null, } | { "kind": "run", 
/**
 * The whole of it.
 */
run: WireRun, } | { "kind": "turn", 
/**
 * The whole of it.
 */
turn: WireTurn, } | { "kind": "questions", 
/**
 * The oldest first.
 */
questions: Array<WireQuestion>, } | { "kind": "comments", 
/**
 * The revision in which the passages are where it is said.
 */
revision: number, 
/**
 * All of them.
 */
comments: Array<WireComment>, } | { "kind": "resync", 
/**
 * Why.
 */
reason: string, } | { "kind": "pong", 
/**
 * What the ping said.
 */
at: number, };

export type WireWatched = "told" | "looking" | "unwatched";

export type WireCall = { "kind": "ping", 
/**
 * Given back.
 */
at: number, };

export type WireVisitor = { 
/**
 * The number in the updates.
 */
client: number, 
/**
 * The name.
 */
name: string, 
/**
 * A program that writes by itself.
 */
agent: boolean, };

export type Home = { 
/**
 * The name of the folder.
 */
folder: string, 
/**
 * Who saves the files.
 */
person: string, 
/**
 * The version of the program.
 */
version: string, 
/**
 * Whether the page may change anything.
 */
writes: boolean, 
/**
 * Whether runs can be begun.
 */
runs: boolean, 
/**
 * The model that answers.
 */
model: string, 
/**
 * It is the built-in planner, because there is no key.
 */
offline: boolean, 
/**
 * The documents, the latest first.
 */
documents: Array<ListedDocument>, };

export type ListedDocument = { 
/**
 * Relative to the folder.
 */
path: string, 
/**
 * Its first heading, or its name.
 */
title: string, 
/**
 * What it is.
 */
role: Role, 
/**
 * Bytes.
 */
length: number, 
/**
 * Milliseconds since 1970.
 */
modified: number, };

export type Role = "run" | "session" | "plain";

export type VersionText = { 
/**
 * The revision.
 */
revision: number, 
/**
 * The whole text.
 */
text: string, };

export type Past = { 
/**
 * The latest first.
 */
versions: Array<PastVersion>, };

export type PastVersion = { 
/**
 * The revision that it made.
 */
revision: number, 
/**
 * Who did it.
 */
author: string, 
/**
 * Milliseconds since 1970.
 */
time: number, 
/**
 * Where, if that is one section.
 */
section: string | null, 
/**
 * Bytes that came in.
 */
added: number, 
/**
 * Bytes that went out.
 */
removed: number, };

export type Restore = { 
/**
 * The document.
 */
path: string, 
/**
 * The old version.
 */
revision: number, };

export type Rebase = { 
/**
 * The document.
 */
path: string, 
/**
 * Who wrote.
 */
name: string, 
/**
 * The last text that the server had.
 */
base: string, 
/**
 * The text in the page.
 */
text: string, };

export type WriteCall = { 
/**
 * The document.
 */
path: string, 
/**
 * The text.
 */
text: string, };

export type SectionCall = { 
/**
 * The document.
 */
path: string, 
/**
 * The title.
 */
section: string, 
/**
 * What to do.
 */
change: SectionChange, };

export type SectionChange = { "kind": "append", 
/**
 * The block.
 */
content: string, } | { "kind": "write", 
/**
 * The new content.
 */
content: string, } | { "kind": "edit", 
/**
 * What stands there, exactly once.
 */
old: string, 
/**
 * What shall stand there.
 */
new: string, };

export type Done = { 
/**
 * The revision now.
 */
revision: number, 
/**
 * The same request was done before; nothing was done again.
 */
repeated: boolean, };

export type Nothing = Record<symbol, never>;

export type Problem = { 
/**
 * What is wrong, where, and what to do next.
 */
message: string, 
/**
 * The text that stands there now, if another one was expected.
 */
current: VersionText | null, };

export type WireRunEvent = { "kind": "all", 
/**
 * The latest first.
 */
runs: Array<WireRun>, } | { "kind": "one", 
/**
 * The whole of it.
 */
run: WireRun, } | { "kind": "waiting", 
/**
 * The documents.
 */
documents: Array<WireWaiting>, };

export type WireRun = { 
/**
 * Its name.
 */
id: string, 
/**
 * Its document.
 */
path: string, 
/**
 * What it is for.
 */
objective: string, 
/**
 * How it is.
 */
status: WireStatus, 
/**
 * Whether nothing more happens by itself.
 */
over: boolean, 
/**
 * Whether somebody works on it now.
 */
live: boolean, 
/**
 * Why it is so.
 */
note: string | null, 
/**
 * The name of the model.
 */
model: string, 
/**
 * Milliseconds since 1970.
 */
begun: number, 
/**
 * The same.
 */
ended: number | null, 
/**
 * Tokens that models wrote for it.
 */
tokens: number, 
/**
 * What all tokens of it cost, where a price is known.
 */
cost: WireCost | null, 
/**
 * Who works.
 */
workers: Array<WireWorker>, 
/**
 * What waits for the person's word.
 */
proposals: Array<WireProposal>, };

export type WireWorker = { 
/**
 * The name.
 */
name: string, 
/**
 * How it is.
 */
phase: WirePhase, 
/**
 * What it is doing.
 */
doing: string, 
/**
 * Milliseconds since 1970.
 */
since: number | null, 
/**
 * When it was done with it, the same.
 */
until: number | null, 
/**
 * Tokens that its model read, if that is counted.
 */
input: number | null, 
/**
 * Tokens that its model wrote, if that is counted.
 */
tokens: number | null, 
/**
 * What all its tokens cost, where a price is known.
 */
cost: WireCost | null, 
/**
 * Its question to the person.
 */
question: string | null, };

export type WireCost = { 
/**
 * How much.
 */
amount: number, 
/**
 * Of what; empty if the person did not say.
 */
currency: string, };

export type WireProposal = { 
/**
 * Its name.
 */
id: string, 
/**
 * Where it stands.
 */
section: string, 
/**
 * Who wrote it.
 */
author: string, 
/**
 * Its words.
 */
text: string, };

export type WireStatus = "queued" | "running" | "waitingForWorker" | "waitingForUser" | "blocked" | "completed" | "partial" | "failed" | "cancelled";

export type WirePhase = "idle" | "working" | "done" | "merged" | "asking" | "failed" | "stopped";

export type RunCall = { 
/**
 * What it is for.
 */
objective: string, 
/**
 * Who is to work; nobody named means whoever usually does.
 */
workers: Array<string>, };

export type WireStarted = { 
/**
 * Its name.
 */
id: string, 
/**
 * Its document.
 */
path: string, 
/**
 * The revision of the document.
 */
revision: number, 
/**
 * How it is.
 */
status: WireStatus, };

export type StopCall = { 
/**
 * Its name.
 */
worker: string, };

export type DirectiveCall = { 
/**
 * In the person's words.
 */
text: string, };

export type DecisionCall = { 
/**
 * Which.
 */
proposals: Array<string>, 
/**
 * Whether it becomes canon.
 */
accept: boolean, };

export type KeyCall = { 
/**
 * What it shall open.
 */
role: KeyRole, };

export type KeyRole = { "kind": "reader" } | { "kind": "worker", 
/**
 * The name.
 */
name: string, };

export type KeyGiven = { 
/**
 * It.
 */
token: string, };

export type WireTurn = { 
/**
 * Who answers.
 */
agent: string, 
/**
 * How it is.
 */
state: WireTurnState, 
/**
 * Why there is no whole answer.
 */
why: string | null, 
/**
 * What the agent is doing.
 */
doing: string, 
/**
 * What it took.
 */
tokens: number, 
/**
 * Milliseconds since 1970.
 */
begun: number, };

export type WireTurnState = "working" | "answered" | "nothing" | "failed";

export type TurnCall = { 
/**
 * The document.
 */
path: string, 
/**
 * When the answer is brought into it.
 */
pace: WirePace, };

export type WirePace = "whole" | "streamed";

export type TurnStop = { 
/**
 * The document.
 */
path: string, };

export type WireQuestion = { 
/**
 * Its name.
 */
id: string, 
/**
 * Who asks.
 */
agent: string, 
/**
 * What kind of deed it is, such as `execute` or `edit`.
 */
deed: string, 
/**
 * What would be done, in letters that can all be seen.
 */
title: string, 
/**
 * The call of the tool, byte for byte, in letters that can all be seen.
 */
call: string, 
/**
 * Why it is asked.
 */
why: string, 
/**
 * Where the rules of an answer are kept.
 */
place: string, 
/**
 * What can be answered.
 */
options: Array<WireOption>, };

export type WireOption = { 
/**
 * Its name.
 */
id: string, 
/**
 * How it is shown.
 */
label: string, 
/**
 * What it means.
 */
meaning: WireMeaning, 
/**
 * The rules that it would keep.
 */
rules: Array<string>, 
/**
 * Whether the agent can be told something with it.
 */
words: boolean, };

export type WireMeaning = "allowOnce" | "allowAlways" | "rejectOnce" | "rejectAlways";

export type AnswerCall = { 
/**
 * The option.
 */
option: string, 
/**
 * What the agent is told, with the option that takes words.
 */
words: string, };

export type WireWaiting = { 
/**
 * The document.
 */
path: string, 
/**
 * How many questions.
 */
count: number, };

export type WireComment = { 
/**
 * Its name.
 */
id: string, 
/**
 * Where the passage begins.
 */
start: number, 
/**
 * Where it ends.
 */
end: number, 
/**
 * How it read when it was commented on.
 */
quote: string, 
/**
 * Its words are gone.
 */
gone: boolean, 
/**
 * Nothing more is to be done about it.
 */
resolved: boolean, 
/**
 * What was said, in order.
 */
remarks: Array<WireRemark>, };

export type WireRemark = { 
/**
 * Who.
 */
author: string, 
/**
 * Milliseconds since 1970.
 */
time: number, 
/**
 * What.
 */
text: string, };

export type CommentCall = { 
/**
 * The document.
 */
path: string, 
/**
 * Who says it.
 */
name: string, 
/**
 * What to do.
 */
change: CommentChange, };

export type CommentChange = { "kind": "add", 
/**
 * Where the passage begins in the page.
 */
start: number, 
/**
 * The passage.
 */
quote: string, 
/**
 * What is said about it.
 */
text: string, } | { "kind": "reply", 
/**
 * The comment.
 */
id: string, 
/**
 * What is said.
 */
text: string, } | { "kind": "resolve", 
/**
 * The comment.
 */
id: string, 
/**
 * Whether nothing is.
 */
resolved: boolean, } | { "kind": "remove", 
/**
 * The comment.
 */
id: string, };
