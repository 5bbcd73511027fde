import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LIMITS } from "@elwood/core/base/limits";
import { verdictText } from "@elwood/runtime/programs/checker-port";
import type { Clock } from "@elwood/runtime/ports/ports";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { systemClock } from "@elwood/platform/system";
import { ProcessChecker } from "./program-checker.ts";
import { DECLARATIONS, sha256 } from "./test-programs.ts";

const log = { warn: () => {}, debug: () => {} };
const opened: ProcessChecker[] = [];

function open(clock: Clock = systemClock): ProcessChecker {
  const checker = new ProcessChecker({ clock, log });
  opened.push(checker);
  return checker;
}

const check = (checker: ProcessChecker, source: string) =>
  checker.check({ source, declarations: DECLARATIONS });

let shared: ProcessChecker;
beforeAll(() => {
  shared = open();
});
afterAll(() => Promise.all(opened.map((each) => each.close())));

describe("the checker of programs", () => {
  test("a good program comes back without its types, with the hashes of what was checked", async () => {
    const source = "const n: number = 1;\nreturn n;";
    expect(await check(shared, source)).toEqual({
      ok: true,
      javascript: "const n         = 1;\nreturn n;",
      sourceHash: sha256(source),
      declarationsHash: DECLARATIONS.check.hash,
    });
  });

  test("a bad one comes back with its problems, as the model can read them", async () => {
    const verdict = await check(shared, `await tools.files.file.delete({ path: "a" });`);
    if (verdict.ok) throw new Error("it passed");
    expect(verdict.fault).toBe("program");
    const text = verdictText(verdict);
    expect(text).toContain("Nothing has happened yet");
    expect(text).toContain("line 1, column 1: The result of tools.files.file.delete is not looked at");
    expect(text).toContain("delete(input: { path: string }): Promise<Result<unknown>>;");
  });

  test("a megabyte of source is refused without being looked at", async () => {
    const checker = open();
    const verdict = await check(checker, `const x = "${"y".repeat(1024 * 1024)}";`);
    expect(verdict).toMatchObject({ ok: false, fault: "program", problems: [{ code: "too-long" }] });
    expect(checker.pid).toBeUndefined();
  });

  test("as much source as is allowed is checked", async () => {
    // By a clock that stands still: how fast this machine is does not matter here.
    const checker = open(new ManualClock());
    const line = "const v = { a: 1, b: [1, 2, 3], c: 'text' }; console.log(v.a + v.b.length, v.c.length);\n";
    const source = Array.from({ length: 2_500 }, () => `{ ${line} }`).join("");
    expect(Buffer.byteLength(source)).toBeGreaterThan(200_000);
    expect(await check(checker, source)).toMatchObject({ ok: true });
  });

  test("a source nested so deeply that the parser breaks costs that process only", async () => {
    const checker = open();
    await check(checker, "return 1;");
    const before = checker.pid;
    const deep = `return ${"(".repeat(50_000)}1${")".repeat(50_000)};`;
    expect(await check(checker, deep)).toMatchObject({ ok: false, problems: [{ code: "too-deep" }] });
    expect(await check(checker, "const n: number = 2; return n;")).toMatchObject({ ok: true });
    expect(checker.pid).not.toBe(before);
  });

  test("many checks at once are answered each with its own, one after the other", async () => {
    const sources = Array.from({ length: 20 }, (_, i) =>
      i % 2 ? `return ${i};` : `const n: string = ${i}; return n;`,
    );
    const verdicts = await Promise.all(sources.map((source) => check(shared, source)));
    for (const [i, verdict] of verdicts.entries()) {
      expect(verdict.ok).toBe(i % 2 === 1);
      if (verdict.ok) expect(verdict.javascript).toBe(`return ${i};`);
    }
  });

  test("more than may wait are answered at once as not possible now", async () => {
    const all = Array.from({ length: LIMITS.programChecksQueuedMax + 3 }, () => check(shared, "return 1;"));
    const verdicts = await Promise.all(all);
    expect(verdicts.filter((each) => each.ok)).toHaveLength(LIMITS.programChecksQueuedMax);
    expect(verdicts.at(-1)).toMatchObject({
      ok: false,
      fault: "checker",
      problems: [{ code: "checker-unavailable" }],
    });
  });

  test("a checker that dies is replaced, and the program that waited for it is still checked", async () => {
    const checker = open();
    await check(checker, "return 1;");
    const pid = checker.pid!;
    process.kill(-pid, "SIGKILL");
    expect(await check(checker, "return 2;")).toMatchObject({ ok: true });
    expect(checker.pid).not.toBe(pid);
  });

  test("a compiler that dies under the checker is replaced, and the program is checked all the same", async () => {
    const checker = open();
    await check(checker, "return 1;");
    const { pid } = checker;
    const [compiler] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
    process.kill(Number(compiler), "SIGKILL");
    expect(await check(checker, "const n: number = '';")).toMatchObject({
      ok: false,
      problems: [{ code: "TS2322" }],
    });
    expect(await check(checker, "return 2;")).toMatchObject({ ok: true });
    expect(checker.pid).toBe(pid);
  });

  test("a check that takes too long is ended, said so, and the next one works", async () => {
    const clock = new ManualClock({ autoAdvance: (ms) => ms === LIMITS.programCheckMs });
    const checker = open(clock);
    expect(await check(checker, "return 1;")).toMatchObject({
      ok: false,
      fault: "program",
      problems: [{ code: "check-timeout" }],
    });
    expect(checker.pid).toBeUndefined();
  });

  test("nothing is started before the first check, and what was started leaves after a minute without work", async () => {
    const clock = new ManualClock();
    const checker = open(clock);
    expect(checker.pid).toBeUndefined();
    expect(await check(checker, "return 1;")).toMatchObject({ ok: true });
    expect(checker.pid).toBeDefined();
    await clock.advance(LIMITS.programCheckerIdleMs - 1);
    expect(checker.pid).toBeDefined();
    await check(checker, "return 2;");
    await clock.advance(LIMITS.programCheckerIdleMs - 1);
    expect(checker.pid).toBeDefined();
    await clock.advance(1);
    expect(checker.pid).toBeUndefined();
    expect(await check(checker, "return 3;")).toMatchObject({ ok: true });
  });

  test("once closed it checks nothing, and its processes are gone", async () => {
    const checker = open();
    await check(checker, "return 1;");
    const pid = checker.pid!;
    await checker.close();
    expect(() => process.kill(pid, 0)).toThrow();
    expect(await check(checker, "return 1;")).toMatchObject({ ok: false, fault: "checker" });
  });

  test("without the compiler's interface its command does the work", async () => {
    const checker = new ProcessChecker({ clock: systemClock, log, compiler: "command" });
    opened.push(checker);
    expect(await check(checker, "const n: number = 1;\nreturn n;")).toMatchObject({ ok: true });
    expect(await check(checker, "const n: number = '';\nreturn n;")).toMatchObject({
      ok: false,
      problems: [{ line: 1, column: 7, code: "TS2322" }],
    });
  });
});
