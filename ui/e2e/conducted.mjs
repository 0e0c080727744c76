// A server that conducts runs, played by the test: what it would tell and what it is asked is in the hands of the test.

/** A run as the server tells it. */
export const run = (more) => ({
  id: "r1", path: "runs/r1/draft.md", objective: "Compare the error handling", status: "running", over: false, live: true, note: null, model: "offline",
  begun: Date.now() - 65_000, ended: null, tokens: 1234, cost: null, proposals: [],
  workers: [
    { name: "Researcher", phase: "working", doing: "reading crates/web/src/lib.rs", since: null, until: null, input: null, tokens: null, cost: null, question: null },
    { name: "Terminal", phase: "idle", doing: "", since: null, until: null, input: null, tokens: null, cost: null, question: null },
  ],
  ...more,
});

/** A page whose server conducts runs: what it would tell and is asked is in the hands of the test. */
export async function conducted(stage, path, options = {}) {
  const told = { asked: [], tell: null };
  const page = await stage.page(null, options);
  await page.route("**/api/home", async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...(await answer.json()), runs: true } });
  });
  await page.route("**/api/runs**", async (route) => {
    const request = route.request();
    told.asked.push([new URL(request.url()).pathname, request.postDataJSON(), request.headers()["idempotency-key"]]);
    const isStart = new URL(request.url()).pathname === "/api/runs";
    await route.fulfill({ status: isStart ? 201 : 200, json: isStart ? { id: "r1", path: "runs/r1/draft.md", revision: 0, status: "queued" } : {} });
  });
  await page.routeWebSocket(/\/ws\/runs/, (socket) => socket.send(JSON.stringify({ kind: "all", runs: [run()] })));
  await page.routeWebSocket(/\/ws\?/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((message) => socket.send(message));
    socket.onMessage((message) => server.send(message));
    told.tell = (event) => socket.send(JSON.stringify(event));
  });
  await page.goto(`${stage.origin}/?conducted#token=${stage.token}`);
  await page.locator(".documents").first().waitFor();
  if (path) {
    await page.goto(stage.linkTo(path));
    await page.waitForSelector("[data-ready]");
  }
  return [page, told];
}
