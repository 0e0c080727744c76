// Documents, sites and frames that mean harm.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { after, afterEach, before, test } from "node:test";
import { PLAN } from "./samples.mjs";
import { Stage, eventually, textOf } from "./stage.mjs";

const HOSTILE = `# Hostile <script>window.harmed = 1</script>

<script>window.harmed = 2</script>
<img src="https://track.example/1.png" onerror="window.harmed = 3">
<svg onload="window.harmed = 4"><use href="https://track.example/x.svg#a"></use></svg>
<iframe srcdoc="<script>parent.harmed = 5</script>"></iframe>
<style>body { background: url(https://track.example/2.png) }</style>
<a href="javascript:window.harmed=6">click</a> <math><mtext></mtext><mglyph><style><img src=x onerror=window.harmed=7></style></mglyph></math>
<form action="https://evil.example"><input name=a></form>

![one](https://track.example/3.png) ![two][ref] ![three](//track.example/4.png) ![four](data:image/svg+xml,<svg/onload=alert(1)>)
[five](javascript:window.harmed=8) [six](JaVaScRiPt:window.harmed=9) [seven](&#106;avascript:window.harmed=10) [eight](vbscript:x)
[nine](data:text/html,<script>x</script>) <javascript:window.harmed=11> [fine](https://fine.example/page)

[ref]: https://track.example/5.png

\`\`\`mermaid
click A "javascript:window.harmed=12"
\`\`\`
`;

let stage;
before(async () => {
  const nested = Array.from({ length: 5000 }, (_, depth) => `${" ".repeat(Math.min(depth, 120) * 2)}- x`).join("\n");
  stage = await Stage.open({
    "hostile.md": HOSTILE,
    "plan.md": PLAN,
    "links.md": "# Links\n\n[x](%ff.md) [y](%E0%A4%A.md) [z](plan.md)\n\nWords behind.\n",
    "lists.md": `# Lists\n\n${"- ".repeat(5000)}deep words\n`,
    "mixed.md": `# Mixed\n\n${"> - ".repeat(2500)}deep words\n\n${"1. * ".repeat(2500)}more words\n`,
    "stairs.md": `# Stairs\n\n${Array.from({ length: 45 }, (_, depth) => `${"  ".repeat(depth)}- step ${depth}`).join("\n")}\n`,
    "stars.md": `# Stars\n\n${"*a **b ".repeat(3000)}${" b** a*".repeat(3000)}\n\n${"![".repeat(3000)}deep${"](https://x.example/i.png)".repeat(3000)}\n`,
    "nested.md": `# Deep\n\n${">".repeat(5000)} x\n\n${nested}\n`,
    "long.md": `# Long\n\n${"word ".repeat(200_000)}\n`,
  });
});
afterEach(() => stage.clear());
after(() => stage.close());

test("PI-2 PI-3: hostile markdown is inert, and no request leaves the page", async () => {
  const page = await stage.page("hostile.md", { mode: "split" });
  await page.locator(".reading a", { hasText: "fine" }).waitFor();
  assert.equal(await page.evaluate(() => window.harmed), undefined);
  const found = await page.evaluate(() =>
    [...document.querySelectorAll(".reading *")].map((element) => element.localName).filter((name) =>
      ["script", "img", "svg", "iframe", "style", "form", "input", "math", "object", "embed", "use"].includes(name)),
  );
  assert.deepEqual(found, []);
  const links = await page.locator(".reading a").evaluateAll((all) => all.map((link) => link.getAttribute("href")));
  // Images of the net are links that say where they lead.
  assert.deepEqual(links, ["https://track.example/3.png", "https://track.example/5.png", "https://fine.example/page"]);
  const titles = await page.locator(".reading a").evaluateAll((all) => all.map((link) => link.title));
  assert.deepEqual(titles, links);
  const outside = page.requests.filter((url) => !url.startsWith(stage.origin) && !url.startsWith("data:"));
  assert.deepEqual(outside, []);
  assert.deepEqual(page.complaints, []);
});

test("nesting without end and lines without end are shown, and the page stays alive", async () => {
  for (const name of ["nested.md", "long.md"]) {
    const page = await stage.page(name, { mode: "split" });
    await page.locator(".reading pre").first().waitFor();
    await page.locator(".cm-content").focus();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("Alive.");
    await page.locator(".save", { hasText: /^Saved$/ }).waitFor();
    assert.ok((await stage.read(name)).endsWith("Alive."));
  }
});

test("lists and quotes of any depth keep their words in the editor and in the preview", async () => {
  const words = { "lists.md": "deep words", "mixed.md": "more words", "stairs.md": "step 44", "stars.md": "deep" };
  for (const [name, deepest] of Object.entries(words)) {
    const page = await stage.page(name, { mode: "split" });
    await page.locator(".reading section", { hasText: deepest }).first().waitFor();
    await page.locator(".cm-content").focus();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("Alive.");
    await page.locator(".save", { hasText: /^Saved$/ }).waitFor();
    assert.ok((await stage.read(name)).endsWith("Alive."), name);
    assert.deepEqual(page.complaints, [], name);
  }
});

test("a list that is made deeper while it is open is shown as it is written", async () => {
  const page = await stage.page("plan.md", { mode: "split" });
  await page.locator(".reading h2").first().waitFor();
  await stage.write("plan.md", `${PLAN}\n${"- ".repeat(5000)}grown\n`);
  await page.locator(".reading pre", { hasText: "grown" }).waitFor();
  assert.deepEqual(page.complaints, []);
  await stage.write("plan.md", PLAN);
  await eventually(async () => (await textOf(page)) === PLAN);
});

test("a link whose escapes stand for no letters leads nowhere, and the preview and the export stand", async () => {
  const page = await stage.page("links.md", { mode: "preview" });
  await page.locator(".reading", { hasText: "Words behind." }).waitFor();
  const links = await page.locator(".reading a").evaluateAll((all) => all.map((link) => [link.textContent, link.hasAttribute("href")]));
  assert.deepEqual(links, [["x", false], ["y", false], ["z", true]]);
  await page.keyboard.press("Alt+e");
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "HTML" }).click()]);
  assert.ok((await readFile(await file.path(), "utf8")).includes("Words behind."));
  assert.deepEqual(page.complaints, []);
});

test("SV-4: another site can neither read nor change anything, even if it knew the secret", async () => {
  const site = createServer((_, answer) => answer.setHeader("content-type", "text/html").end("<p>evil</p>"));
  await new Promise((ready) => site.listen(0, "127.0.0.1", ready));
  try {
    const page = await stage.page("plan.md");
    const evil = await page.context().newPage();
    await evil.goto(`http://127.0.0.1:${site.address().port}/`);
    const results = await evil.evaluate(
      async ([origin, token]) => {
        const call = JSON.stringify({ path: "plan.md", section: "User", change: { kind: "append", content: "Harm." } });
        const outcome = (work) => work.then((answer) => `${answer.type} ${answer.status}`, () => "refused");
        const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
        const asked = [
          outcome(fetch(`${origin}/api/home`)),
          outcome(fetch(`${origin}/api/home`, { headers })),
          outcome(fetch(`${origin}/api/section`, { method: "POST", headers, body: call })),
          outcome(fetch(`${origin}/api/section`, { method: "POST", mode: "no-cors", body: call })),
          new Promise((answer) => {
            const image = new Image();
            image.onload = () => answer("loaded");
            image.onerror = () => answer("refused");
            image.src = `${origin}/api/document?path=plan.md`;
          }),
          new Promise((answer) => {
            const socket = new WebSocket(`${origin.replace("http", "ws")}/ws?path=plan.md&client=7`, ["agent-doc", `bearer.${token}`]);
            socket.onopen = () => answer("opened");
            socket.onerror = () => answer("refused");
          }),
        ];
        const form = document.createElement("form");
        form.method = "post";
        form.enctype = "text/plain";
        form.action = `${origin}/api/section`;
        form.target = "sink";
        const sink = document.createElement("iframe");
        sink.name = "sink";
        const input = document.createElement("input");
        [input.name, input.value] = [call.slice(0, -1), "}"];
        form.append(input);
        document.body.append(sink, form);
        const posted = new Promise((answer) => (sink.onload = () => answer("posted")));
        form.submit();
        await posted;
        return Promise.all(asked);
      },
      [stage.origin, stage.token],
    );
    assert.deepEqual(results, Array(6).fill("refused"));
    assert.equal(await stage.read("plan.md"), PLAN);
    assert.equal(await textOf(page), PLAN);
  } finally {
    site.close();
  }
});

test("a page with an old link says what to do", async () => {
  const page = await stage.page(null);
  await page.goto(`${stage.origin}/?again#token=${"0".repeat(32)}`);
  await page.getByRole("alert").filter({ hasText: "open the link that 'agent-doc serve' printed" }).waitFor();
});

test("the page that stands in for the Writer reads documents, keeps no secret in the address, and says what is wrong", async () => {
  const source = (await readFile("../crates/web/src/plain.html", "utf8")).replaceAll("__NONCE__", "n0nce");
  const policy = (await readFile("../crates/web/src/assets.rs", "utf8")).match(/PLAIN_POLICY: &str = "([^"]*)"/)[1].replaceAll(/\\\n\s*/g, "").replaceAll("__NONCE__", "n0nce");
  const site = createServer(async (request, answer) => {
    if (!request.url.startsWith("/api/")) return answer.setHeader("content-security-policy", policy).setHeader("content-type", "text/html").end(source);
    const asked = await fetch(stage.origin + request.url, { headers: { authorization: request.headers.authorization ?? "" } });
    answer.statusCode = asked.status;
    answer.end(await asked.text());
  });
  await new Promise((ready) => site.listen(0, "127.0.0.1", ready));
  try {
    const origin = `http://127.0.0.1:${site.address().port}`;
    const page = await stage.page(null);
    page.complaints.length = 0;
    await page.goto(`${origin}/#token=${stage.token}`);
    await page.getByRole("link", { name: /plan\.md/ }).click();
    await page.getByRole("heading", { name: "Researcher" }).waitFor();
    assert.ok(!page.url().includes(stage.token), page.url());
    assert.ok((await page.locator("main").textContent()).includes("Proposal"));
    assert.deepEqual(page.complaints, []);
    await page.goto(`${origin}/write?path=none.md`);
    await page.getByRole("alert").filter({ hasText: "none.md" }).waitFor();
    await page.goto(`${origin}/?wrong#token=${"0".repeat(32)}`);
    await page.getByRole("alert").filter({ hasText: "agent-doc serve" }).waitFor();
  } finally {
    site.close();
  }
});

test("the secret does not stay in the address", async () => {
  const page = await stage.page("plan.md");
  assert.ok(!page.url().includes(stage.token));
  assert.ok(page.requests.every((url) => !url.includes(stage.token) || url.includes("#token=")));
  await eventually(async () => (await textOf(page)) === PLAN);
});
