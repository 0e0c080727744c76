// A server over a folder of its own and a browser in front of it. Talks to the loopback address only, and ends what it started.
import { spawn, execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile, mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { chromium } from "playwright-core";

const run = promisify(execFile);
export const program = resolve(process.env.AGENT_DOC ?? "../target/debug/agent-doc");

/** How long anything may take. A busy machine is slow, and slowness is measured elsewhere. */
const PATIENCE = Number(process.env.PATIENCE ?? 120_000);

/** Asks again and again until `check` holds; fails with what it last said. */
export async function eventually(check, milliseconds = PATIENCE) {
  const end = Date.now() + milliseconds;
  for (;;) {
    try {
      const value = await check();
      if (value) return value;
      if (Date.now() > end) throw new Error(`it did not happen: ${check}`);
    } catch (error) {
      if (Date.now() > end) throw error;
    }
    await new Promise((turn) => setTimeout(turn, 25));
  }
}

export class Stage {
  #server = null;
  #browser = null;
  link = "";

  /** A server over these files; with a browser, unless it is not needed. `env` is what the server finds in its environment besides. */
  static async open(files, { browser = true, env = {} } = {}) {
    const stage = new Stage();
    stage.env = env;
    stage.folder = await mkdtemp(join(tmpdir(), "writer-"));
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(stage.folder, name)), { recursive: true });
      await writeFile(join(stage.folder, name), text);
    }
    // Its own root: a folder above may be a project.
    await mkdir(join(stage.folder, ".agent-doc"), { mode: 0o700 });
    await stage.start();
    if (!browser) return stage;
    stage.#browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--force-color-profile=srgb", "--font-render-hinting=none"],
    });
    return stage;
  }

  /** Starts the server; after the first time it takes the same port and secret. */
  async start() {
    // No key and no settings of the person: what is shown is what everybody gets at once.
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/_API_KEY$|_BASE_URL$|^AGENT_DOC_/.test(name)));
    const child = spawn(program, ["serve", "--no-open", this.folder], { stdio: ["ignore", "pipe", "pipe"], env: { ...env, ...this.env, HOME: this.folder } });
    this.#server = child;
    this.complaints = "";
    child.stderr.on("data", (bytes) => (this.complaints += bytes));
    this.link = await new Promise((answer, fail) => {
      let said = "";
      child.stdout.on("data", (bytes) => {
        said += bytes;
        if (said.includes("\n")) answer(said.trim());
      });
      child.on("exit", (code) => fail(new Error(`the server ended with ${code}: ${this.complaints}`)));
    });
  }

  /** Ends the server: politely, or as a crash does. */
  async stop(signal = "SIGTERM") {
    const child = this.#server;
    this.#server = null;
    if (!child || child.exitCode !== null) return;
    const ended = new Promise((answer) => child.on("exit", answer));
    child.kill(signal);
    await ended;
  }

  /** The server's process. */
  get pid() {
    return this.#server.pid;
  }
  get origin() {
    return new URL(this.link).origin;
  }
  get token() {
    return new URL(this.link).hash.slice("#token=".length);
  }
  linkTo(path) {
    return path ? `${this.origin}/write?path=${encodeURIComponent(path)}#token=${this.token}` : this.link;
  }

  /** Closes all pages, so that they do not work for nothing while the next test runs. */
  async clear() {
    await Promise.all(this.#browser.contexts().map((context) => context.close()));
  }

  /** A page of a new person, with its complaints and everything it asks the network for. */
  async page(path, options = {}) {
    const { mode = "edit", theme = "light", name = "", ...more } = options;
    const context = await this.#browser.newContext({
      viewport: { width: 1280, height: 820 },
      reducedMotion: "reduce",
      ...more,
    });
    await context.addInitScript(
      ([mode, theme, name]) => {
        localStorage.setItem("agent-doc-mode", mode);
        localStorage.setItem("agent-doc-theme", theme);
        if (name) localStorage.setItem("agent-doc-name", name);
      },
      [mode, theme, name],
    );
    context.setDefaultTimeout(PATIENCE);
    const page = await context.newPage();
    page.complaints = [];
    page.requests = [];
    page.on("console", (message) => message.type() === "error" && page.complaints.push(message.text()));
    page.on("pageerror", (error) => page.complaints.push(String(error)));
    page.on("request", (request) => page.requests.push(request.url()));
    await page.goto(this.linkTo(path));
    if (path) await page.waitForSelector("[data-ready]");
    return page;
  }

  read(name) {
    return readFile(join(this.folder, name), "utf8");
  }
  write(name, text) {
    return writeFile(join(this.folder, name), text);
  }
  /** Runs the program beside the server, as an agent does. */
  async command(...args) {
    return run(program, args, { cwd: this.folder });
  }

  async close() {
    await this.#browser?.close();
    await this.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** The text in the editor, also what is not drawn. */
export const textOf = (page) =>
  page.evaluate(() => document.querySelector(".cm-content").cmTile?.view?.state.doc.toString() ?? document.querySelector(".cm-content").cmView.view.state.doc.toString());

export const isSaved = (page) => page.locator(".save", { hasText: /^Saved$/ }).waitFor();

/** Puts the caret behind some words, as a person does with keys; the place comes into sight if that is asked for. */
export const caretBehind = (page, words, { scrollIntoView = false } = {}) =>
  page.evaluate(
    ([words, scrollIntoView]) => {
      const { view } = document.querySelector(".cm-content").cmTile;
      view.focus();
      view.dispatch({ selection: { anchor: view.state.doc.toString().indexOf(words) + words.length }, scrollIntoView });
    },
    [words, scrollIntoView],
  );

/** The words before the caret. */
export const beforeCaret = (page, count) =>
  page.evaluate((count) => {
    const { view } = document.querySelector(".cm-content").cmTile;
    const { head } = view.state.selection.main;
    return view.state.sliceDoc(head - count, head);
  }, count);
