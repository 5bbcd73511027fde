import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  cleanEnvironment,
  LAUNCHER,
  startGatewayProcess,
  temporaryHome,
  type GatewayProcess,
} from "@elwood/testkit/gateway-process";
import { Connection } from "@elwood/sdk/client";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

const TMUX = spawnSync("tmux", ["-V"], { encoding: "utf8" }).status === 0;

/** A window of a tmux server of its own, with the chat in it. */
class Window {
  static #opened = 0;
  readonly #socket = `elwood-${process.pid}-${Window.#opened++}`;

  constructor(home: string, { columns = 90, rows = 30, env = {}, args = [] as readonly string[] } = {}) {
    const set = Object.entries({ ...cleanEnvironment(home), NO_COLOR: "", TERM: "screen-256color", ...env })
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${name}='${value}'`);
    const command = [
      "cd",
      `'${home}'`,
      "&&",
      "env",
      "-i",
      ...set,
      process.execPath,
      LAUNCHER,
      "chat",
      ...args,
    ];
    this.#tmux("-f", "/dev/null", "new-session", "-d", "-x", `${columns}`, "-y", `${rows}`, "sleep 1000");
    this.#tmux("set-option", "-g", "history-limit", "20000");
    this.#tmux("set-option", "-sg", "escape-time", "10");
    this.#tmux("set-option", "-g", "remain-on-exit", "on");
    // A window gets its history when it is made.
    this.#tmux("new-window", "-k", "-t", "0", command.join(" "));
  }

  #tmux(...args: string[]): string {
    return execFileSync("tmux", ["-L", this.#socket, ...args], { encoding: "utf8", env: tmuxEnvironment() });
  }

  keys(...keys: string[]): void {
    this.#tmux("send-keys", ...keys);
  }

  line(text: string): void {
    this.#tmux("send-keys", "-l", text);
    this.#tmux("send-keys", "Enter");
  }

  resize(columns: number, rows: number): void {
    this.#tmux("resize-window", "-x", `${columns}`, "-y", `${rows}`);
  }

  /** With everything that scrolled away. */
  text(...more: string[]): string {
    return this.#tmux("capture-pane", "-p", "-S", "-", ...more);
  }

  screen(): string {
    return this.#tmux("capture-pane", "-p");
  }

  async shows(words: RegExp): Promise<void> {
    await expect.poll(() => this.text(), { timeout: 60_000, interval: 100 }).toMatch(words);
  }

  /** Asked for and not read from the screen: what tmux writes there does not always stay. */
  async ends(): Promise<void> {
    const dead = () => this.#tmux("list-panes", "-F", "#{pane_dead}").trim();
    await expect.poll(dead, { timeout: 60_000, interval: 100 }).toBe("1");
  }

  close(): void {
    spawnSync("tmux", ["-L", this.#socket, "kill-server"], { env: tmuxEnvironment() });
  }
}

/** A tmux inside a tmux would not start. */
function tmuxEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env["PATH"], HOME: "/", LANG: "C.UTF-8", SHELL: "/bin/sh" };
}

describe.skipIf(!TMUX)(`the chat in tmux${TMUX ? "" : " (skipped: tmux is not installed)"}`, () => {
  let gateway: GatewayProcess;
  const home = temporaryHome();
  beforeAll(async () => {
    gateway = await startGatewayProcess({ home: home.path });
  });
  afterAll(async () => {
    await gateway.stop();
    home.remove();
  });

  async function open(how: ConstructorParameters<typeof Window>[1] = {}): Promise<Window> {
    const window = new Window(home.path, how);
    onTestFinished(() => window.close());
    await window.shows(/lists\s+commands/);
    return window;
  }

  test("AC-14: an answer streams through windows of other sizes and nothing of it is lost; Esc stops it", async () => {
    const window = await open();
    window.line("tell me a long story");
    // tmux tells a program of a size a moment after it has changed it: each has its part of the story.
    for (const [words, columns, rows] of [
      ["Here is a long story", 40, 20],
      ["northern pier", 140, 40],
      ["One iron stove", 60, 12],
      ["opened the last one", 90, 30],
    ] as const) {
      await window.shows(new RegExp(words.replaceAll(" ", String.raw`\s+`)));
      window.resize(columns, rows);
      const box = new RegExp(`\n─{${columns}}\n.*\n─{${columns}}\n`);
      await expect.poll(() => window.screen(), { timeout: 60_000 }).toMatch(box);
    }
    window.keys("Escape");
    await window.shows(/Stopped\. What was written by then is kept\.[^]*tokens/);
    const text = window.text();
    // What is under way when a window changes is drawn for the size before, so that a line may stand there twice.
    const said = ["❯ tell me a long story", "Here is a long story", "northern pier", "One iron stove"];
    const places = said.map((words) => text.search(words.replaceAll(" ", String.raw`\s+`)));
    expect(Math.min(...places)).toBeGreaterThan(0);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(window.screen().trimEnd().split("\n").slice(-4)).toEqual([
      "─".repeat(90),
      "",
      "─".repeat(90),
      expect.stringMatching(/^demo model · balanced .*tokens$/),
    ]);
  });

  test("a call is decided by real arrows, and letters decide nothing", async () => {
    const file = join(home.path, "files", "old.txt");
    writeFileSync(file, "old");
    const window = await open();
    window.line("run rm old.txt");
    await window.shows(/❯ Allow once/);
    window.keys("y", "a");
    window.keys("Down", "Down");
    await window.shows(/❯ Deny\n/);
    expect(existsSync(file)).toBe(true);
    window.keys("Enter");
    await window.shows(/you denied it[^]*tokens/);
    expect(readFileSync(file, "utf8")).toBe("old");
    rmSync(file);
  });

  test("ten thousand lines stand in the scrollback, each once and in order, and the box still answers", async () => {
    const window = await open({ columns: 60 });
    window.line("!seq 10000 19999");
    await window.shows(/❯ Do not run it/);
    window.keys("Down", "Enter");
    await window.shows(/\n19999\nExit code 0/);
    const numbers = window.text().match(/^1\d{4}$/gm);
    expect(numbers).toEqual(Array.from({ length: 10_000 }, (_, i) => String(10_000 + i)));
    window.line("hello");
    await window.shows(/❯ hello[^]*tokens/);
  });

  test("wide letters, emoji and right-to-left text keep the lines of the screen apart", async () => {
    const window = await open({ columns: 50 });
    window.line("run echo 漢字かな交じり文 🙂👍🏽 שלום עולם مرحبا");
    await window.shows(/Ran a command · echo 漢字かな交じり文[^]*tokens/);
    const rules = () =>
      window
        .text()
        .split("\n")
        .filter((line) => /^─+$/.test(line));
    await expect.poll(rules).toEqual(["─".repeat(50), "─".repeat(50)]);
    expect(window.text().match(/שלום/g)?.length).toBeGreaterThan(1);
  });

  test("colours come from the terminal's palette and no background is set; NO_COLOR takes them away", async () => {
    const coloured = await open();
    coloured.line("hello");
    await coloured.shows(/❯ hello[^]*tokens/);
    // oxlint-disable-next-line no-control-regex
    const styles = [...coloured.text("-e").matchAll(/\u001b\[([\d;]*)m/g)].map(([, codes = ""]) => codes);
    expect(styles.some((codes) => codes.includes("36"))).toBe(true);
    // 7 is the cursor in the box, and 49 no background.
    for (const codes of styles) expect(codes).toMatch(/^(?:;?(?:0|1|2|3|7|22|23|27|3[0-79]|49|9[0-7]))*$/);
    const plain = await open({ env: { NO_COLOR: "1" } });
    plain.line("hello");
    await plain.shows(/❯ hello[^]*tokens/);
    // oxlint-disable-next-line no-control-regex
    expect(plain.text("-e")).not.toMatch(/\u001b\[(?:\d+;)*(?:3[0-7]|9[0-7]|4[0-8])m/);
  });

  test("the editor, Ctrl+J and Ctrl+C twice work with the keys of a real terminal", async () => {
    const editor = join(home.path, "editor.sh");
    writeFileSync(editor, '#!/bin/sh\nprintf "hello from the editor" > "$1"\n', { mode: 0o700 });
    const window = await open({ env: { EDITOR: editor } });
    window.keys("C-g");
    await window.shows(/─\nhello from the editor/);
    window.keys("C-j");
    window.keys("-l", "second line");
    await window.shows(/hello from the editor *\nsecond line/);
    window.keys("C-c");
    await window.shows(/Press Ctrl\+C again to leave/);
    window.keys("C-c");
    await window.ends();
  });

  test("panes open on the other screen, and the scrollback is as it was when they close", async () => {
    const window = await open({ columns: 120 });
    window.keys("F6");
    await expect.poll(() => window.screen(), { timeout: 60_000 }).toContain("Calls and evidence");
    window.line("run echo inside panes");
    await expect.poll(() => window.screen(), { timeout: 60_000 }).toMatch(/│✓ Ran echo inside panes/);
    window.keys("F6");
    await window.shows(/lists commands[^]*❯ run echo inside panes\n✓ Ran a command · echo inside panes/);
    expect(window.text()).not.toContain("Calls and evidence");
  });

  test("a terminal that is lost takes nothing along: the answer goes on, and what was being written is in the box again", async () => {
    const lost = await open();
    lost.line("tell me a long story");
    await lost.shows(/Here is a long story/);
    lost.keys("-l", "what came of the boat?");
    await lost.shows(/─\nwhat came of the boat\?/);
    lost.close();
    const draft = join(home.path, "user", ".config", "elwood", "draft.txt");
    await expect.poll(() => existsSync(draft), { timeout: 60_000 }).toBe(true);
    const window = await open({ args: ["-c"], rows: 60 });
    await window.shows(/The terminal was lost[^]*─\nwhat came of the boat\?/);
    await window.shows(/❯ tell me a long story[^]*One iron stove/);
    expect(existsSync(draft)).toBe(false);
    // With an empty box this window leaves no draft to the next one.
    window.keys("C-c");
    await window.shows(/Press Ctrl\+C again to leave/);
  });

  // Last: it ends the gateway that the others share.
  test("a gateway that is killed is replaced, and what was sent meanwhile is answered once", async () => {
    const window = await open();
    window.line("hello");
    await window.shows(/❯ hello[^]*tokens/);
    await gateway.kill();
    await window.shows(/The connection is gone/);
    window.line("run echo after the kill");
    await window.shows(/Connected again[^]*✓ Ran echo after the kill/);
    expect(window.text().match(/❯ run echo after the kill/g)).toHaveLength(1);
    // The chat runs the gateway itself now: what that warns of does not stand in the box.
    const { url } = JSON.parse(readFileSync(join(home.path, "gateway.json"), "utf8")) as { url: string };
    await expect(Connection.open({ url, token: "wrong" })).rejects.toThrow(/token/);
    await window.shows(/refused a client: wrong token/);
    const box = () => window.screen().trimEnd().split("\n").slice(-4);
    await expect
      .poll(box, { timeout: 60_000 })
      .toEqual([
        "─".repeat(90),
        "",
        "─".repeat(90),
        expect.stringMatching(/^demo model · balanced .*tokens$/),
      ]);
    window.keys("C-d");
    await window.ends();
  });
});
