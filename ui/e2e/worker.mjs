// A worker with a secret of its own, which writes over HTTP as other programs do. Never starts a process: a test has many of its words.
import assert from "node:assert/strict";

/** Gives a function that appends a line to the worker's section, and comes back when the file holds it. */
export async function worker(stage, name, path) {
  const ask = (token, where, body) =>
    fetch(`${stage.origin}${where}`, { method: "POST", headers: { authorization: `Bearer ${token}`, "content-type": "application/json" }, body: JSON.stringify(body) });
  const { token } = await (await ask(stage.token, "/api/keys", { role: { kind: "worker", name } })).json();
  return async (content) => {
    const answer = await ask(token, "/api/section", { path, section: name, change: { kind: "append", content } });
    assert.equal(answer.status, 200, await answer.text());
  };
}
