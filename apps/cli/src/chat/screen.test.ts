import { expect, onTestFinished, test } from "vitest";
import { testIo } from "../test-io.ts";
import { screenLog } from "./screen-log.ts";
import { Screen, type ScreenEvents } from "./screen.ts";
import { KEYS, TestTerminal } from "./test-terminal.ts";

function scene(columns = 60, rows = 12) {
  const terminal = new TestTerminal(columns, rows);
  const sent: string[] = [];
  const live: string[] = [];
  const events: ScreenEvents = {
    submit: (text) => sent.push(text),
    key: () => false,
    live: () => live,
    footer: () => "the footer",
  };
  const screen = new Screen(terminal, events, (_style, text) => text);
  screen.start();
  onTestFinished(() => screen.stop());
  return { terminal, screen, sent, live };
}

test("what is printed stands above the box once, also when it is longer than the screen and while the box changes", async () => {
  const { terminal, screen, live } = scene();
  terminal.type("half a mess");
  for (let i = 1; i <= 30; i++) {
    live.splice(0, 1, `working ${i}`);
    screen.print(`line ${i}\n`);
  }
  await expect.poll(() => terminal.text()).toContain("working 30");
  const lines = await terminal.lines();
  expect(lines.filter((line) => line.startsWith("line "))).toEqual(
    Array.from({ length: 30 }, (_, i) => `line ${i + 1}`),
  );
  expect(lines.filter((line) => line.startsWith("working "))).toEqual(["working 30"]);
  expect(lines.slice(-4).join("\n")).toContain("half a mess");
  expect(lines.at(-1)).toBe("the footer");
});

test("a line that is not over is drawn as it grows, and printed once", async () => {
  const { terminal, screen } = scene();
  for (const piece of ["It ", "goes ", "on ", "and on.\nThe", " next"]) screen.print(piece);
  await expect.poll(() => terminal.text()).toContain("The next");
  screen.endLine();
  const text = await terminal.text();
  expect(text).toContain("It goes on and on.\nThe next\n");
  expect(text.match(/It goes/g)).toHaveLength(1);
});

test("a gateway's log stands above the box, between the lines of an answer, and on standard error once the screen is gone", async () => {
  const { terminal, screen } = scene();
  const afterwards = testIo();
  const log = screenLog(screen, (_style, text) => text, afterwards.stderr);
  terminal.type("half a mess");
  screen.print("It goes ");
  for (const piece of ["first warn", "ing\u001b[2J\nsecond ", "warning\n"]) log.write(piece);
  screen.print("on.\n");
  await expect.poll(() => terminal.text()).toContain("on.");
  const lines = await terminal.lines();
  expect(lines.slice(0, 3)).toEqual(["first warning", "second warning", "It goes on."]);
  expect(lines.slice(-4).map((line) => line.trimEnd())).toEqual([
    "─".repeat(60),
    "half a mess",
    "─".repeat(60),
    "the footer",
  ]);
  expect(terminal.raw).not.toContain("\u001b[2J");
  expect(afterwards.err()).toBe("");
  await screen.stop();
  log.write("last warning\n");
  expect(afterwards.err()).toBe("last warning\n");
});

test("a window that changes its size keeps what was printed, and the scrollback is never cleared", async () => {
  const { terminal, screen } = scene();
  for (let i = 1; i <= 20; i++) screen.print(`line ${i}\n`);
  for (const [columns, rows] of [
    [40, 12],
    [120, 30],
    [60, 8],
  ] as const) {
    terminal.resize(columns, rows);
    screen.refresh();
    await expect.poll(() => terminal.text()).toContain("the footer");
  }
  screen.print("the end\n");
  const lines = await terminal.lines();
  for (let i = 1; i <= 20; i++) expect(lines.filter((line) => line === `line ${i}`)).toHaveLength(1);
  expect(lines.filter((line) => line === "the end")).toHaveLength(1);
  expect(lines.filter((line) => line === "the footer")).toHaveLength(1);
  expect(terminal.raw).not.toContain("\u001b[3J");
});

test("a line that is too long is wrapped, or cut where the owner wants that", async () => {
  const { terminal, screen } = scene(40);
  screen.print(`${"word ".repeat(20)}\n`);
  screen.wrap = false;
  screen.print(`${"x".repeat(100)}\n`);
  const lines = await terminal.lines();
  expect(lines.filter((line) => line.startsWith("word"))).toHaveLength(3);
  expect(lines.filter((line) => line.startsWith("xxx"))).toHaveLength(1);
});

test("a list is decided by arrows and Enter alone; letters decide nothing and stay out of the box", async () => {
  const { terminal, screen, sent } = scene();
  const picked: string[] = [];
  const choose = () =>
    screen.choose({
      choices: ["Allow once", "Deny"].map((label) => ({ label, pick: () => picked.push(label) })),
      cancel: () => picked.push("later"),
    });
  terminal.type("draft");
  choose();
  for (const key of ["a", "y", "d", " "]) terminal.type(key);
  expect(picked).toEqual([]);
  terminal.type(KEYS.down);
  await expect.poll(() => terminal.text()).toContain("❯ Deny");
  terminal.type(KEYS.enter);
  expect(picked).toEqual(["Deny"]);
  choose();
  terminal.type(KEYS.escape);
  expect(picked).toEqual(["Deny", "later"]);
  expect(screen.text).toBe("draft");
  terminal.type(KEYS.enter);
  expect(sent).toEqual(["draft"]);
});

test("words that are asked for do not mix with the message that is being written", async () => {
  const { terminal, screen, sent } = scene();
  const answers: string[] = [];
  terminal.type("my message");
  screen.ask({ title: "Why not?", submit: (text) => answers.push(text), cancel: () => answers.push("-") });
  terminal.enter("too early");
  expect(answers).toEqual(["too early"]);
  expect(screen.text).toBe("my message");
  screen.ask({ title: "Why not?", submit: (text) => answers.push(text), cancel: () => answers.push("-") });
  terminal.type("gone");
  terminal.type(KEYS.escape);
  expect(answers).toEqual(["too early", "-"]);
  expect([screen.text, sent]).toEqual(["my message", []]);
});

test("a long list is searched by typing", async () => {
  const { terminal, screen } = scene(60, 20);
  const picked: string[] = [];
  const titles = Array.from({ length: 40 }, (_, i) => `Talk ${i} about ${i === 33 ? "boats" : "cars"}`);
  screen.choose({
    choices: titles.map((label) => ({ label, pick: () => picked.push(label) })),
    search: true,
    cancel: () => undefined,
  });
  for (const key of "boats") terminal.type(key);
  await expect.poll(() => terminal.text()).toContain("❯ Talk 33 about boats");
  terminal.type(KEYS.enter);
  expect(picked).toEqual(["Talk 33 about boats"]);
});
