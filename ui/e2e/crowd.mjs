// A hundred clients in one document: whether all read the same at the end, and what the server's memory does meanwhile. Prints JSON; never
// judges. Run with `--experimental-websocket` where Node has none of its own.
import { readFile } from "node:fs/promises";
import * as Y from "yjs";
import * as decoding from "lib0/decoding";
import * as encoding from "lib0/encoding";
import { PLAN } from "./samples.mjs";
import { Stage, eventually } from "./stage.mjs";

const clients = Number(process.argv[2] ?? 100);
const rounds = Number(process.argv[3] ?? 5);

const frame = (step, body) => {
  const encoder = encoding.createEncoder();
  encoding.writeVarUint(encoder, 0);
  encoding.writeVarUint(encoder, step);
  encoding.writeVarUint8Array(encoder, body);
  return encoding.toUint8Array(encoder);
};

/** A client with a replica, as a page is. */
function join(stage, number) {
  const doc = new Y.Doc();
  doc.clientID = 1000 + number;
  const asked = new URLSearchParams({ path: "plan.md", client: String(doc.clientID), name: `Guest ${number}`, frames: "binary" });
  const socket = new WebSocket(`${stage.origin.replace("http", "ws")}/ws?${asked}`, ["agent-doc", `bearer.${stage.token}`]);
  socket.binaryType = "arraybuffer";
  socket.onopen = () => socket.send(frame(0, Y.encodeStateVector(doc)));
  socket.onmessage = ({ data }) => {
    const decoder = decoding.createDecoder(new Uint8Array(data));
    if (decoding.readVarUint(decoder) !== 0) return;
    const step = decoding.readVarUint(decoder);
    const body = decoding.readVarUint8Array(decoder);
    if (step !== 0) Y.applyUpdate(doc, body, "server");
  };
  doc.on("update", (update, origin) => origin !== "server" && socket.send(frame(2, update)));
  return { doc, text: doc.getText("text"), socket };
}

const memory = async (pid) => Number((await readFile(`/proc/${pid}/status`, "utf8")).match(/VmRSS:\s+(\d+)/)[1]) * 1024;

const stage = await Stage.open({ "plan.md": PLAN }, { browser: false });
try {
  const all = Array.from({ length: clients }, (_, number) => join(stage, number));
  await eventually(() => all.every(({ text }) => text.length > 0));
  const memories = [await memory(stage.pid)];
  const times = [];
  for (let round = 0; round < rounds; round++) {
    const begun = performance.now();
    for (const [number, { text }] of all.entries()) {
      // Each writes a word and takes its last one away, so that the text stays as long as it is.
      const old = text.toString().indexOf(` g${number}r${round - 1};`);
      if (old >= 0) text.delete(old, ` g${number}r${round - 1};`.length);
      text.insert(text.toString().indexOf("slow disks."), ` g${number}r${round};`);
    }
    const words = Array.from({ length: clients }, (_, number) => ` g${number}r${round};`);
    await eventually(async () => {
      const file = await stage.read("plan.md");
      return words.every((word) => file.split(word).length === 2) && all.every(({ text }) => text.toString() === file);
    });
    times.push(performance.now() - begun);
    memories.push(await memory(stage.pid));
  }
  all.forEach(({ socket }) => socket.close());
  console.log(JSON.stringify({ clients, rounds, equal: true, memories, times }));
} finally {
  await stage.close();
}
process.exit(0);
