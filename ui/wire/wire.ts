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
 * Everybody who wrote.
 */
visitors: Array<WireVisitor>, 
/**
 * Why the file lacks words, if it does.
 */
unsaved: string | null, } | { "kind": "saved", 
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
reason: string, } | { "kind": "visitors", 
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
section: string | null, } | { "kind": "resync", 
/**
 * Why.
 */
reason: string, } | { "kind": "pong", 
/**
 * What the ping said.
 */
at: number, };

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
 * Who asks: `conductor`, the name of a worker, or nothing for a person.
 */
writer: string | null, 
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
revision: number, };

export type Problem = { 
/**
 * What is wrong, where, and what to do next.
 */
message: string, 
/**
 * The text that stands there now, if another one was expected.
 */
current: VersionText | null, };
