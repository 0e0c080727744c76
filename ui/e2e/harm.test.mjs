// Markup that is harmless until a browser has read it twice, images by every way, and other sites. All of it is shown and does nothing.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, afterEach, before, test } from "node:test";
import { PLAN } from "./samples.mjs";
import { Stage, eventually, textOf } from "./stage.mjs";

/** Each is written so that a cleaner that reads it once lets it pass, and a browser that reads the result runs it. `HARM` is the deed. */
const MUTATIONS = [
  `<noscript><p title="</noscript><img src=x onerror=HARM>">`,
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=HARM&gt;">`,
  `<form><math><mtext></form><form><mglyph><style></math><img src onerror=HARM>`,
  `<svg></p><style><a id="</style><img src=1 onerror=HARM>">`,
  `<svg><style><img src=x onerror=HARM></style></svg>`,
  `<math><annotation-xml encoding="text/html"><img src=x onerror=HARM></annotation-xml></math>`,
  `<svg><foreignObject><iframe srcdoc="<script>parent.HARM</script>"></iframe></foreignObject></svg>`,
  `<svg><desc><img src=x onerror=HARM></desc></svg>`,
  `<svg><title><style><img src=x onerror=HARM></style></title></svg>`,
  `<select><template><style></template><img src=x onerror=HARM></select>`,
  `<table><td><select><style></td></table><img src=x onerror=HARM>`,
  `<textarea><img title="</textarea><img src=x onerror=HARM>"></textarea>`,
  `<title><img title="</title><img src=x onerror=HARM>"></title>`,
  `<xmp><img title="</xmp><img src=x onerror=HARM>"></xmp>`,
  `<listing>&lt;img src=x onerror=HARM&gt;</listing>`,
  `<plaintext><img src=x onerror=HARM>`,
  `<![CDATA[<img src=x onerror=HARM>]]>`,
  `<svg><![CDATA[><img src=x onerror=HARM>]]></svg>`,
  `<?xml version="1.0"?><img src=x onerror=HARM>`,
  `<!-- --!><img src=x onerror=HARM> -->`,
  `<!--><img src=x onerror=HARM>-->`,
  `<!---><img src=x onerror=HARM>--->`,
  `<a href="&#x6a;&#x61;&#x76;&#x61;script:HARM" autofocus onfocus=HARM>x</a>`,
  `<a href="java\tscript:HARM">x</a>`,
  `<a href="\u0001javascript:HARM">x</a>`,
  `<a href="javascript&colon;HARM">x</a>`,
  `<details open ontoggle=HARM>x</details>`,
  `<video><source onerror=HARM></video>`,
  `<audio src=x onerror=HARM></audio>`,
  `<body onload=HARM>`,
  `<input autofocus onfocus=HARM>`,
  `<marquee onstart=HARM>x</marquee>`,
  `<object data="javascript:HARM"></object>`,
  `<embed src="javascript:HARM">`,
  `<base href="javascript:/a/-HARM/"><a href="#">x</a>`,
  `<meta http-equiv="refresh" content="0;url=javascript:HARM">`,
  `<link rel=stylesheet href="data:text/css,*{x:expression(HARM)}">`,
  `<isindex type=image src=1 onerror=HARM>`,
  `<b style="animation-name:x" onanimationstart=HARM>x</b><style>@keyframes x{}</style>`,
  `<svg><animate onbegin=HARM attributeName=x dur=1s></svg>`,
  `<svg><set attributeName=href to="javascript:HARM"></set><a><text y=20>x</text></a></svg>`,
  `<svg><use href="data:image/svg+xml,<svg id=x xmlns=http://www.w3.org/2000/svg><image href=1 onerror=HARM /></svg>#x"></use></svg>`,
  `<math href="javascript:HARM">x</math>`,
  `<img src=x name=getElementById><img name=body onerror=HARM src=x>`,
  `<form id=document><input name=cookie></form><img src=x onerror=HARM>`,
  `<div is=x-harm onpointerenter=HARM tabindex=0 autofocus onfocus=HARM>x</div>`,
  `<p><svg><style><!--</style><a id="--><img src=x onerror=HARM>"></a></svg></p>`,
  `<a title="&lt;/a&gt;<img src=x onerror=HARM>">x</a>`,
  `[x](javascript:HARM)`, `[x](<java\nscript:HARM>)`, `[x]( javascript:HARM )`, `[x](data:text/html;base64,PHNjcmlwdD4x)`, `[x](vbscript:HARM)`,
  `![x](x"onerror="HARM)`, `![x](x 'y" onerror="HARM')`, `[x](# "y' onclick='HARM")`, `<javascript:HARM>`, `[x]: javascript:HARM\n\n[x]`,
  "`<img src=x onerror=HARM>`", "```html\n<img src=x onerror=HARM>\n```", "    <img src=x onerror=HARM>", "~~<img src=x onerror=HARM>~~", "| <img src=x onerror=HARM> |\n|---|\n| x |",
];
const corpus = MUTATIONS.map((one, number) => `## Vector ${number}\n\n${one.replaceAll("HARM", `harmed=${number}`)}\n`).join("\n");
const IMAGES = `# Images

<img srcset="https://track.example/1.png 1x, //track.example/2.png 2x" src="https://track.example/0.png">
<picture><source srcset="https://track.example/3.png"><img alt="p"></picture>
<video poster="https://track.example/4.png" src="https://track.example/5.mp4"></video>
<div style="background: url(https://track.example/6.png)">x</div>
<table background="https://track.example/7.png"><tr><td>x</td></tr></table>
<input type="image" src="https://track.example/8.png">
<svg><image href="https://track.example/9.png"></image><feImage href="https://track.example/10.png"></feImage></svg>
<link rel="prefetch" href="https://track.example/11"><link rel="icon" href="https://track.example/12">
<object data="https://track.example/13"></object><embed src="https://track.example/14"><audio src="https://track.example/15"></audio>

![inline](https://track.example/16.png) ![of the net](//track.example/17.png) ![by name][r] ![data](data:image/png;base64,iVBORw0KGgo=)

[r]: https://track.example/18.png
`;
let stage;
before(async () => {
  stage = await Stage.open({ "plan.md": PLAN, "corpus.md": `# Corpus\n\n${corpus}`, "images.md": IMAGES });
});
afterEach(() => stage.clear());
after(() => stage.close());

const outside = (page) => page.requests.filter((url) => !url.startsWith(stage.origin) && !/^(data|blob|about|chrome-error):/.test(url));

for (const mode of ["split", "preview"]) {
  test(`PI-3: of ${MUTATIONS.length} mutations of markup none runs in ${mode}, not even when it is clicked`, async () => {
    const page = await stage.page("corpus.md", { mode });
    await page.locator(".reading h2", { hasText: `Vector ${MUTATIONS.length - 1}` }).waitFor();
    await page.evaluate(() => {
      for (const element of document.querySelectorAll(".reading *:not(a[href^=http])")) {
        for (const kind of ["focus", "pointerenter", "mouseover", "toggle", "error", "load", "animationstart"]) element.dispatchEvent(new Event(kind));
        if (!element.closest("a[href^='/'], button")) element.click?.();
      }
    });
    await page.evaluate(() => new Promise((turn) => requestAnimationFrame(() => setTimeout(turn))));
    assert.equal(await page.evaluate(() => window.harmed), undefined);
    // What was cleaned is read once more where no policy forbids anything, as by a browser that was given the export of it.
    const bare = await page.context().newPage();
    await bare.route("**", (route) => route.abort());
    await bare.setContent(await page.locator(".reading").innerHTML());
    assert.equal(await bare.evaluate(() => window.harmed), undefined);
    await bare.close();
    const attributes = await page.evaluate(() =>
      [...document.querySelectorAll(".reading *")].flatMap((element) => element.getAttributeNames().filter((name) => /^on|^style$|^srcset$|^srcdoc$/.test(name)).map((name) => `${element.localName} ${name}`)));
    assert.deepEqual(attributes, []);
    const links = await page.locator(".reading a").evaluateAll((all) => all.map((link) => new URL(link.href, location.href).protocol));
    assert.deepEqual(links.filter((protocol) => !["http:", "https:", "mailto:"].includes(protocol)), []);
    assert.deepEqual(outside(page), []);
    // An image beside the document was asked for, and there is none.
    assert.deepEqual(page.complaints.filter((words) => !words.includes("404")), []);
  });
}

test("PI-2: no image of the net is fetched, by whatever way it is named, until its link is clicked, and that says where it leads", async () => {
  const page = await stage.page("images.md", { mode: "split" });
  const link = page.locator(".reading a[href='https://track.example/16.png']");
  await link.waitFor();
  await link.hover();
  await page.evaluate(() => new Promise((turn) => requestAnimationFrame(() => setTimeout(turn))));
  assert.deepEqual(outside(page), []);
  assert.equal(await link.getAttribute("title"), "https://track.example/16.png");
  // A click leaves the page as it is, and whoever is asked does not learn where it came from.
  const asked = [];
  await page.context().route("https://track.example/**", async (route) => {
    asked.push([route.request().url(), route.request().headers().referer]);
    await route.fulfill({ status: 200, contentType: "text/plain", body: "an image" });
  });
  const [opened] = await Promise.all([page.context().waitForEvent("page"), link.click()]);
  await eventually(() => asked.length > 0);
  assert.deepEqual(asked[0], ["https://track.example/16.png", undefined]);
  assert.equal(await opened.evaluate(() => window.opener), null);
  assert.equal(await textOf(page), IMAGES);
});

test("SV-4: another site gets nothing by a script of ours, by a form, or by a request that needs no leave", async () => {
  const site = createServer((_, answer) => answer.setHeader("content-type", "text/html").end("<p>evil</p>"));
  await new Promise((ready) => site.listen(0, "127.0.0.1", ready));
  try {
    const page = await stage.page("plan.md");
    const evil = await page.context().newPage();
    await evil.goto(`http://127.0.0.1:${site.address().port}/`);
    const results = await evil.evaluate(
      ([origin, token]) => {
        const places = ["/api/home", "/api/document?path=plan.md", "/api/history?path=plan.md", "/app.js", `/write?path=plan.md&token=${token}`];
        const loads = (name, attribute, more) => places.map((place) => new Promise((answer) => {
          const element = Object.assign(document.createElement(name), more);
          element.onload = () => answer(`${name} ${place} loaded`);
          element.onerror = () => answer("refused");
          element.setAttribute(attribute, `${origin}${place}`);
          document.head.append(element);
        }));
        return Promise.all([...loads("script", "src", {}), ...loads("script", "src", { type: "module" }), ...loads("link", "href", { rel: "stylesheet" }), ...loads("img", "src", {})]);
      },
      [stage.origin, stage.token],
    );
    assert.deepEqual(results, Array(20).fill("refused"));
    assert.equal(await stage.read("plan.md"), PLAN);
  } finally {
    site.close();
  }
});
