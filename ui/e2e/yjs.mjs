// Peers that others wrote for Yjs at a document of ours: the provider y-websocket, and pycrdt in Python. Prints one line of JSON for each
// check. Arguments: the folder with the packages of npm, and a Python with pycrdt.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { PLAN } from "./samples.mjs";
import { Stage, eventually } from "./stage.mjs";

const [packages, python] = process.argv.slice(2);
const require = createRequire(join(resolve(packages), "package.json"));
const Y = require("yjs");
const { WebsocketProvider } = require("y-websocket");
const { WebSocket } = require("ws");
const EDITS = 200;
const version = (name) => require(`${name}/package.json`).version;

let failures = 0;
async function check(name, work) {
  try {
    console.log(JSON.stringify({ check: name, passed: true, detail: (await work()) ?? "" }));
  } catch (error) {
    failures += 1;
    console.log(JSON.stringify({ check: name, passed: false, detail: String(error).slice(0, 300) }));
  }
}

/** The provider as its makers wrote it: the document and the own number are parameters, the secret is a protocol. */
function provider(stage, doc, name) {
  return new WebsocketProvider(stage.origin.replace("http", "ws"), "ws", doc, {
    params: { path: "plan.md", client: String(doc.clientID), name, frames: "binary" },
    protocols: ["agent-doc", `bearer.${stage.token}`],
    WebSocketPolyfill: WebSocket,
    disableBc: true,
  });
}
const synced = (one) => eventually(() => one.synced);

/** Writes short words in many places. */
async function write(text, sign, count) {
  for (let number = 0; number < count; number++) {
    // At the end of plain lines: headings name the sections that the worker writes in.
    const lines = [...text.toString().matchAll(/^[A-Za-z].*(?=\n)/gm)].map((line) => line.index + line[0].length);
    text.insert(lines[(number * 7) % lines.length] ?? 0, ` ${sign}${number};`);
    if (number % 20 === 0) await new Promise((turn) => setTimeout(turn, 5));
  }
}

/** Python at the same document; what it prints at the end is its text. */
function pythonPeer(stage) {
  const child = spawn(python, ["e2e/yjs_peer.py", stage.origin.replace("http", "ws"), stage.token, "plan.md", String(EDITS)], { stdio: ["pipe", "pipe", "inherit"] });
  let said = "";
  child.stdout.on("data", (bytes) => (said += bytes));
  const ended = new Promise((answer, fail) => child.on("exit", (code) => (code === 0 ? answer() : fail(new Error(`python ended with ${code}`)))));
  return {
    line: (kind) => eventually(() => said.split("\n").filter(Boolean).map((line) => JSON.parse(line)).findLast((line) => line.kind === kind)),
    ask: (word) => child.stdin.write(`${word}\n`),
    async end() {
      child.stdin.end();
      await ended;
    },
  };
}

const stage = await Stage.open({ "plan.md": `${PLAN}\nGrößen: 😀 αβγ\n` }, { browser: false });
const [one, two] = [new Y.Doc(), new Y.Doc()];
const providers = [provider(stage, one, "Anna"), provider(stage, two, "Ben")];
const [anna, ben] = [one.getText("text"), two.getText("text")];
const guest = pythonPeer(stage);
try {
  await check("y-websocket reads the document", async () => {
    await Promise.all(providers.map(synced));
    if (anna.toString() !== (await stage.read("plan.md"))) throw new Error("it reads otherwise");
    return `y-websocket ${version("y-websocket")}, yjs ${version("yjs")}`;
  });
  await check("pycrdt reads the document", async () => {
    const { text, version } = await guest.line("read");
    if (text !== (await stage.read("plan.md"))) throw new Error("it reads otherwise");
    return `pycrdt ${version}`;
  });
  await check("all write at once with a worker and an editor, and all read the same", async () => {
    const worker = async () => {
      for (let number = 0; number < 5; number++) await stage.command("section", "append", "plan.md", "Terminal", `Run ${number}.`, "--as", "Terminal");
    };
    const editor = async () => stage.write("plan.md", (await stage.read("plan.md")).replace("# Moving", "Saved by an editor.\n\n# Moving"));
    guest.ask("write");
    await Promise.all([write(anna, "a", EDITS), write(ben, "b", EDITS), worker(), editor()]);
    await guest.line("written");
    const words = [...["a", "b", "p"].flatMap((sign) => Array.from({ length: EDITS }, (_, number) => ` ${sign}${number};`)), ...[0, 1, 2, 3, 4].map((number) => `Run ${number}.`), "Saved by an editor.", "Größen: 😀 αβγ"];
    const texts = await eventually(async () => {
      guest.ask("text");
      const { text } = await guest.line("text");
      const all = [anna.toString(), ben.toString(), text, await stage.read("plan.md")];
      const lacks = words.filter((one) => all.some((text) => text.split(one).length !== 2));
      if (lacks.length > 0) throw new Error(`not once in all: ${lacks.slice(0, 5)}`);
      if (new Set(all).size !== 1) throw new Error("they read differently");
      return all;
    }, 60_000);
    return `${3 * EDITS} edits, ${texts[0].length} letters`;
  });
  await check("what is written while the provider is away comes with it when it is back", async () => {
    providers[0].disconnect();
    anna.insert(0, "Written offline. ");
    await stage.command("section", "append", "plan.md", "Terminal", "Meanwhile.", "--as", "Terminal");
    providers[0].connect();
    await eventually(async () => ["Written offline. ", "Meanwhile."].every((words) => anna.toString().split(words).length === 2 && ben.toString().split(words).length === 2) && anna.toString() === ben.toString());
    await eventually(async () => (await stage.read("plan.md")) === anna.toString());
  });
  await check("undo in a foreign peer takes back its own words only", async () => {
    const manager = new Y.UndoManager(ben);
    ben.insert(0, "Mine. ");
    anna.insert(anna.length, "Not mine.");
    await eventually(() => ben.toString().endsWith("Not mine."));
    manager.undo();
    await eventually(async () => !(await stage.read("plan.md")).includes("Mine. ") && (await stage.read("plan.md")).endsWith("Not mine."));
  });
  await check("a wrong secret keeps the provider out", async () => {
    const doc = new Y.Doc();
    const stranger = new WebsocketProvider(stage.origin.replace("http", "ws"), "ws", doc, {
      params: { path: "plan.md", client: String(doc.clientID), frames: "binary" }, protocols: ["agent-doc", "bearer.no"], WebSocketPolyfill: WebSocket, disableBc: true,
    });
    await new Promise((answer) => stranger.once("connection-error", answer));
    stranger.destroy();
    if (doc.getText("text").length > 0) throw new Error("it was told something");
  });
} finally {
  providers.forEach((one) => one.destroy());
  await guest.end().catch(() => undefined);
  await stage.close();
}
process.exit(failures === 0 ? 0 : 1);
