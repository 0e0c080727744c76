// What a person waits for, beside the way to the server and back, in one run. Prints JSON; never judges.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { PLAN } from "./samples.mjs";
import { Stage } from "./stage.mjs";

const rounds = Number(process.argv[2] ?? 200);
const filler = (bytes) =>
  Array.from({ length: Math.ceil(bytes / 1000) }, (_, number) => `## Part ${number}\n\n${`Words of part ${number}, and **more** of them. `.repeat(21)}\n`).join("\n");
const files = { "small.md": PLAN, "hundred.md": `# Hundred\n\n${filler(100_000)}`, "million.md": `${PLAN}\n${filler(1_000_000)}` };

/** The share of the values that is not above it. */
const share = (values, part) => [...values].sort((one, two) => one - two)[Math.min(values.length - 1, Math.floor(values.length * part))];
const told = (values) => ({ p50: share(values, 0.5), p99: share(values, 0.99), max: Math.max(...values) });

/** From asking the server to write until the words are drawn in the editor, by the page's own clock. */
async function visible(page, token, path, rounds) {
  await page.evaluate(() => document.querySelectorAll(".outline button")[3].click());
  return page.evaluate(
    async ([token, path, rounds]) => {
      const times = { ping: [], dom: [], painted: [], acknowledged: [] };
      const { view } = document.querySelector(".cm-content").cmTile;
      for (let round = 0; round < rounds; round++) {
        times.ping.push(await window.agentDoc.ping());
        const words = `w${round}x${Math.random().toString(36).slice(2)}`;
        const seen = new Promise((answer) => {
          const observer = new MutationObserver(() => {
            if (!document.querySelector(".cm-content").textContent.includes(words)) return;
            observer.disconnect();
            answer(performance.now());
          });
          observer.observe(document.querySelector(".cm-content"), { childList: true, subtree: true, characterData: true });
        });
        const begun = performance.now();
        const body = JSON.stringify({ path, section: "Terminal", change: { kind: "append", content: words } });
        const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
        const asked = fetch("/api/section", { method: "POST", headers, body }).then(() => performance.now());
        times.dom.push((await seen) - begun);
        await new Promise((turn) => requestAnimationFrame(() => setTimeout(turn)));
        times.painted.push(performance.now() - begun);
        times.acknowledged.push((await asked) - begun);
        // The newest words stay on the screen.
        const at = view.state.doc.toString().indexOf(words);
        view.dispatch({ selection: { anchor: at }, scrollIntoView: true });
        await new Promise((turn) => setTimeout(turn, 5));
      }
      return times;
    },
    [token, path, rounds],
  );
}

/** Notes how long the page was busy without a pause, and how far apart its frames were. Long tasks of before are told too. */
const watchFrames = () => {
  const busy = { task: 0, frame: 0 };
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) busy.task = Math.max(busy.task, duration);
  }).observe({ type: "longtask", buffered: true });
  let last = performance.now();
  const beat = () => {
    const now = performance.now();
    busy.frame = Math.max(busy.frame, now - last);
    last = now;
    requestAnimationFrame(beat);
  };
  requestAnimationFrame(() => {
    last = performance.now();
    requestAnimationFrame(beat);
  });
  window.busy = busy;
};

/** From the navigation until the words are on the screen, and how long the page was busy at once meanwhile. */
async function opened(stage, path, length, words) {
  const page = await stage.page(null);
  await page.addInitScript(`(${watchFrames})()`);
  await page.addInitScript(
    ([length, words]) => {
      window.shown = new Promise((answer) => {
        const look = () => {
          const content = document.querySelector(".cm-content");
          const isThere = content?.cmTile?.view.state.doc.length >= length && content.textContent.includes(words);
          if (isThere) requestAnimationFrame(() => setTimeout(() => answer(performance.now())));
          else requestAnimationFrame(look);
        };
        look();
      });
    },
    [length, words],
  );
  await page.goto(stage.linkTo(path));
  const time = await page.evaluate(() => window.shown);
  // What the page does right after it is shown keeps a person waiting as well.
  const busy = await page.evaluate(() => new Promise((answer) => setTimeout(() => answer(window.busy), 500)));
  await page.context().close();
  return { time, ...busy };
}

/** The longest time that a key waited for its letter, in the middle of a document; and how long the page was busy at once meanwhile. */
async function typing(page, letters) {
  await page.evaluate(() => {
    const { view } = document.querySelector(".cm-content").cmTile;
    view.focus();
    view.dispatch({ selection: { anchor: Math.floor(view.state.doc.length / 2) }, scrollIntoView: true });
    window.waits = [];
    document.addEventListener("keydown", () => {
      const begun = performance.now();
      requestAnimationFrame(() => setTimeout(() => window.waits.push(performance.now() - begun)));
    }, { capture: true });
  });
  // The jump to the middle is over before anybody types.
  await page.evaluate(() => new Promise((turn) => requestAnimationFrame(() => requestAnimationFrame(turn))));
  await page.evaluate(`(${watchFrames.toString().replace("buffered: true", "buffered: false")})()`);
  await page.keyboard.type("x".repeat(letters), { delay: 30 });
  return [await page.evaluate(() => window.waits), await page.evaluate(() => window.busy)];
}

const stage = await Stage.open(files);
try {
  const report = {};
  for (const path of ["small.md", "million.md"]) {
    const page = await stage.page(path);
    const times = await visible(page, stage.token, path, rounds);
    report[path] = Object.fromEntries(Object.entries(times).map(([name, values]) => [name, told(values)]));
    const [waits, busy] = await typing(page, Math.min(100, rounds));
    report[path].typing = told(waits);
    report[path].busy = busy;
    await page.context().close();
  }
  report.open = {
    hundred: await opened(stage, "hundred.md", files["hundred.md"].length, "Words of part 0"),
    million: await opened(stage, "million.md", files["million.md"].length, "Moving the release"),
  };
  const sizes = JSON.parse(await readFile("dist/sizes.json", "utf8"));
  report.script = Object.values(sizes).reduce((sum, size) => sum + size, 0);
  report.style = gzipSync(await readFile("dist/style.css")).length;
  const [clients, turns] = rounds < 20 ? ["10", "2"] : ["100", "20"];
  const { stdout } = await promisify(execFile)(process.execPath, ["--experimental-websocket", "--no-warnings", "e2e/crowd.mjs", clients, turns]);
  report.crowd = JSON.parse(stdout);
  console.log(JSON.stringify(report));
} finally {
  await stage.close();
}
