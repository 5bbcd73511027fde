import { FailureError, failure } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import { makeRedactor } from "@elwood/core/base/redact";
import { expect, test } from "vitest";
import { makeLog, type LogOptions } from "./log.ts";

function log(options: Partial<LogOptions> = {}) {
  const lines: string[] = [];
  const made = makeLog({
    stream: { write: (text: string) => lines.push(text) },
    level: "info",
    format: "json",
    clock: { now: () => Date.UTC(2026, 10, 15, 9, 0, 0, 7) },
    ...options,
  });
  return {
    ...made,
    lines,
    last: () => JSON.parse(lines.at(-1) ?? "null") as Record<string, unknown>,
  };
}

test("EL-18: a line is one JSON object with time, level in capitals, message and fields", () => {
  const { log: l, lines, last } = log();
  l.info("run ended", { runId: "run_1", ms: 12 });
  expect(lines).toHaveLength(1);
  expect(lines[0]?.endsWith("\n")).toBe(true);
  expect(last()).toEqual({
    ts: "2026-11-15T09:00:00.007Z",
    level: "INFO",
    msg: "run ended",
    runId: "run_1",
    ms: 12,
  });
});

test.each([
  ["error", ["ERROR"]],
  ["warn", ["ERROR", "WARN"]],
  ["info", ["ERROR", "WARN", "INFO"]],
  ["debug", ["ERROR", "WARN", "INFO", "DEBUG"]],
] as const)("EL-18: at level %s it writes %j", (level, expected) => {
  const { log: l, lines } = log({ level });
  for (const at of ["error", "warn", "info", "debug"] as const) l[at](at);
  expect(lines.map((line) => (JSON.parse(line) as { level: string }).level)).toEqual(expected);
});

test("EL-18: the level can be changed while it runs", () => {
  const { log: l, lines, setLevel } = log();
  l.debug("before");
  setLevel("debug");
  l.debug("after");
  expect(lines).toHaveLength(1);
});

const SECRET = 'canary/"secret"+value=1';
const KEY = "sk-ant-api03-canarycanarycanarycanary";

test.each(["json", "pretty"] as const)(
  "EL-18: a secret is in no line, wherever it is hidden (%s)",
  (format) => {
    const { log: l, lines } = log({ format, level: "debug", redact: makeRedactor([SECRET]) });
    const error = new Error(`refused ${SECRET}`, { cause: new FailureError(failure("AUTH", KEY)) });
    l.error(`message ${SECRET} and ${KEY}`, {
      value: SECRET,
      [SECRET]: "as a key",
      nested: { list: [{ deep: `x${SECRET}y` }] },
      url: new URL(`https://host/?k=${encodeURIComponent(SECRET)}`),
      map: new Map([["k", SECRET]]),
      set: new Set([SECRET]),
      error,
      json: JSON.stringify({ inner: SECRET }),
      headers: { authorization: "Bearer canarycanarycanary", cookie: "canary-cookie" },
      token: "canary-by-name",
      apiKey: 123_456_789,
      password: ["canary-in-list"],
    });
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toContain("canary");
    expect(lines[0]).not.toContain("123456789");
    expect(lines[0]).toContain("[redacted]");
  },
);

test("EL-18: a secret that straddles the place where a value is cut does not leave its first half", () => {
  const { log: l, lines } = log({ redact: makeRedactor(["canary-secret-value"]) });
  for (let before = 0; before < 24; before++) {
    l.info("cut", { text: `${"x".repeat(LIMITS.logValueCharsMax - before)}canary-secret-value tail` });
  }
  expect(lines.join()).not.toMatch(/canar|secret-v/);
});

test("EL-18: secrets that become known later are left out from then on", () => {
  const { log: l, lines, learnSecrets } = log();
  const redact = learnSecrets(["late-canary-value"]);
  l.info("now", { text: "late-canary-value" });
  learnSecrets(["later-canary-value"]);
  l.info("now", { text: "late-canary-value later-canary-value" });
  expect(lines.join()).not.toContain("canary");
  expect(redact("late-canary-value later-canary-value")).toBe("[redacted] [redacted]");
});

test("numbers of tokens are no secret", () => {
  const { log: l, last } = log();
  l.info("usage", { inputTokens: 5, tokens: 7, tokenCount: 3 });
  expect(last()).toMatchObject({ inputTokens: 5, tokens: 7, tokenCount: 3 });
});

test("EL-18: an error is its name and message, with a stack only at level DEBUG", () => {
  const quiet = log();
  quiet.log.error("failed", { error: new TypeError("odd") });
  expect(quiet.last()["error"]).toEqual({ name: "TypeError", message: "odd" });
  const loud = log({ level: "debug" });
  loud.log.error("failed", { error: new TypeError("odd") });
  expect(loud.last()["error"]).toMatchObject({ stack: expect.stringContaining("log.test.ts") });
});

test("circles, throwing getters and odd values are told and disturb nothing", () => {
  const { log: l, last } = log();
  const circle: Record<string, unknown> = { name: "a" };
  circle["self"] = circle;
  const twin = { x: 1 };
  l.info("odd", {
    circle,
    twice: [twin, twin],
    getter: {
      get bad(): string {
        throw new Error("no");
      },
      good: 1,
    },
    proxy: new Proxy(
      {},
      {
        ownKeys() {
          throw new Error("no");
        },
      },
    ),
    big: 10n ** 30n,
    nan: Number.NaN,
    symbol: Symbol("s"),
    fn: () => 1,
    bytes: new Uint8Array(5),
    date: new Date(Number.NaN),
    nothing: undefined,
    nil: null,
    toJSON: () => "canary",
  });
  expect(last()).toMatchObject({
    circle: { name: "a", self: "[circular]" },
    twice: [{ x: 1 }, { x: 1 }],
    getter: { bad: "[unreadable]", good: 1 },
    proxy: "[unreadable]",
    big: "1000000000000000000000000000000",
    nan: "NaN",
    symbol: "[symbol]",
    fn: "[function]",
    bytes: "[5 bytes]",
    date: "Invalid Date",
    nil: null,
  });
});

test("a field cannot pass itself off as the line's own time, level or message", () => {
  const { log: l, last } = log();
  l.info("true", { msg: "false", level: "ERROR", ts: 0, ["__proto__"]: "x" });
  expect(last()).toMatchObject({ msg: "true", level: "INFO", _msg: "false", _level: "ERROR", _ts: 0 });
});

test("values, lists, depth and whole lines are bounded", () => {
  const { log: l, lines, last } = log();
  let deep: unknown = "bottom";
  for (let i = 0; i < 50; i++) deep = { deep };
  l.info("large", { text: "x".repeat(100_000), list: Array.from({ length: 1_000 }, (_, i) => i), deep });
  expect(lines[0]!.length).toBeLessThan(LIMITS.logValueCharsMax + 2_000);
  expect(last()["text"]).toContain("… [100000 characters]");
  expect((last()["list"] as unknown[]).at(-1)).toBe(`[${1_000 - LIMITS.logItemsMax} more]`);
  expect(lines[0]).toContain("[deeper]");
  l.info("wide", Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`k${i}`, "x".repeat(2_000)])));
  expect(lines[1]!.length).toBeLessThan(LIMITS.logLineCharsMax);
  expect(last()).toMatchObject({ msg: "wide", shortened: expect.any(Number) });
});

test("a stream that fails disturbs nobody, and the lines it cost are counted", () => {
  let broken = true;
  const lines: string[] = [];
  const { log: l } = makeLog({
    stream: {
      write(text) {
        if (broken) throw new Error("EPIPE");
        lines.push(text);
      },
    },
    level: "info",
    format: "json",
    clock: { now: () => 0 },
  });
  l.info("one");
  l.info("two");
  broken = false;
  l.info("three");
  l.info("four");
  expect(lines.map((line) => (JSON.parse(line) as Record<string, unknown>)["linesDropped"])).toEqual([
    2,
    undefined,
  ]);
});

test("EL-18: at a terminal a line is short and one line; control characters are shown, not obeyed", () => {
  const { log: l, lines } = log({ format: "pretty" });
  l.warn("first\nsecond \u001b[31mred", { path: "a b", n: 1, x: "plain", e: "\u009b2J\u202e" });
  expect(lines[0]).toBe(
    '09:00:00.007 WARN  first\\u000asecond \\u001b[31mred  path="a b"  n=1  x=plain  e=\\u009b2J\\u202e\n',
  );
});

test("in JSON, too, nothing reaches a terminal that it would obey", () => {
  const { log: l, lines, last } = log();
  l.warn("x", { e: "\u001b[31m\u009b2J\u202e" });
  expect(lines[0]).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  expect(last()["e"]).toBe("\u001b[31m\u009b2J\u202e");
});

test("format auto is pretty at a terminal and JSON everywhere else", () => {
  const lines: string[] = [];
  const write = (text: string) => lines.push(text);
  const common = { level: "info", format: "auto", clock: { now: () => 0 } } as const;
  makeLog({ ...common, stream: { write, isTTY: true } }).log.info("a");
  makeLog({ ...common, stream: { write } }).log.info("b");
  expect(lines[0]).toBe("00:00:00.000 INFO  a\n");
  expect(JSON.parse(lines[1]!)).toMatchObject({ msg: "b" });
});
