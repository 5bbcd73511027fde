import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { planBrowser } from "./test-browser.mjs";
import { planCage } from "./test-cage.mjs";
import { closingLine, failedTitles, mergeReports, secondLook, skippedTitles, tally } from "./test-report.mjs";

const scratch = mkdtempSync(join(tmpdir(), "elwood-test-test-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Runs the real test command on a folder of its own, out of sight of the runner that runs this test. */
function npmTest(...selection: string[]) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("VITEST")));
  const script = join(import.meta.dirname, "test.mjs");
  const args = [script, "--no-install", "--root", scratch, "--config", join(scratch, "vitest.config.ts")];
  const result = spawnSync(process.execPath, [...args, ...selection], { encoding: "utf8", env });
  return { status: result.status, lines: result.stdout.trimEnd().split("\n") };
}

describe("the test command", () => {
  // Fails at its first run and passes at the next, as a test does that a busy machine made late.
  const late = `import { existsSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
const mark = import.meta.filename + ".ran";
test("six", () => {});
test("seven", () => {
  const ran = existsSync(mark);
  writeFileSync(mark, "");
  expect(ran).toBe(true);
});`;
  symlinkSync(join(import.meta.dirname, "../node_modules"), join(scratch, "node_modules"));
  writeFileSync(join(scratch, "vitest.config.ts"), "export default {};");
  writeFileSync(
    join(scratch, "good.test.ts"),
    'import { test } from "vitest"; test("one", () => {}); test("two", () => {}); test.skip("three", () => {});',
  );
  writeFileSync(
    join(scratch, "bad.test.ts"),
    'import { test } from "vitest"; test("four", () => {}); test("five", () => { throw new Error("no"); });',
  );
  writeFileSync(join(scratch, "unloadable.test.ts"), 'import "./not-there.ts";');

  test("ends with the real numbers alone on a line, names what it skipped, and succeeds", () => {
    const { status, lines } = npmTest("good");
    expect(lines.at(-1)).toBe("2 passed, 0 failed, 1 skipped");
    expect(
      lines.filter((line) => line.startsWith("Skipped: ") && line.endsWith("good.test.ts: three")),
    ).toHaveLength(1);
    expect(status).toBe(0);
  });

  test("fails when a test fails or a file does not load", () => {
    const { status, lines } = npmTest();
    expect(lines.at(-1)).toBe("3 passed, 2 failed, 1 skipped");
    expect(status).toBe(1);
  });

  test("browser tests that failed get a second look, alone, and are named where they pass then", () => {
    mkdirSync(join(scratch, "e2e"));
    writeFileSync(join(scratch, "e2e/page-late.test.ts"), late);
    const { status, lines } = npmTest("page-late", "good");
    expect(lines.filter((line) => line.startsWith("Unsteady: "))).toEqual([
      expect.stringMatching(/page-late\.test\.ts: seven \(failed beside others, passed alone\)$/),
    ]);
    expect(lines.at(-1)).toBe("4 passed, 0 failed, 1 skipped");
    expect(status).toBe(0);
  });

  test("any other test that failed gets none, and neither does a browser test that failed beside it", () => {
    writeFileSync(join(scratch, "tardy.test.ts"), late);
    writeFileSync(join(scratch, "e2e/page-early.test.ts"), late);
    const { status, lines } = npmTest("tardy", "page-early");
    expect(lines.filter((line) => line.startsWith("Unsteady: "))).toEqual([]);
    expect(lines.at(-1)).toBe("2 passed, 2 failed");
    expect(status).toBe(1);
  });

  test("fails when nothing matches what was asked for", () => {
    const { status, lines } = npmTest("no-such-test");
    expect(lines.at(-1)).toBe("0 passed, 1 failed");
    expect(status).toBe(1);
  });
});

const file = (status: string, ...tests: string[]) => fileAt("/p/a.test.ts", status, ...tests);
const fileAt = (name: string, status: string, ...tests: string[]) => ({
  name,
  status,
  assertionResults: tests.map((each, i) => ({ status: each, fullName: `test ${i}` })),
});
const report = (...files: ReturnType<typeof file>[]) => JSON.stringify({ testResults: files });

test("a file whose hook failed counts once, although none of its tests failed", () => {
  expect(tally(report(file("failed", "passed", "skipped")), false)).toEqual({
    passed: 1,
    failed: 1,
    skipped: 1,
  });
});

test("a discontented runner counts as a failure where every test passed, or where it left no report", () => {
  expect(tally(report(file("passed", "passed")), false)).toEqual({ passed: 1, failed: 1, skipped: 0 });
  expect(tally("", false)).toEqual({ passed: 0, failed: 1, skipped: 0 });
});

test("pending and todo tests are told as skipped", () => {
  const text = report(file("passed", "pending", "todo", "passed"));
  expect(tally(text, true)).toEqual({ passed: 1, failed: 0, skipped: 2 });
  expect(skippedTitles(text, "/p/")).toEqual(["a.test.ts: test 0", "a.test.ts: test 1"]);
});

test("a second look is for browser tests alone, and for a few", () => {
  const page = (k: number, ...tests: string[]) => fileAt(`/p/e2e/page-${k}.test.ts`, "failed", ...tests);
  expect(secondLook(report(page(1, "failed"), file("passed", "passed")))).toEqual(["/p/e2e/page-1.test.ts"]);
  const recorded = fileAt("/p/e2e/recorded/recorded.test.ts", "failed", "failed");
  expect(secondLook(report(recorded))).toEqual(["/p/e2e/recorded/recorded.test.ts"]);
  expect(secondLook(report(page(1, "failed"), file("failed", "failed")))).toEqual([]);
  expect(secondLook(report(page(1), page(2), page(3)))).toHaveLength(3);
  expect(secondLook(report(page(1), page(2), page(3), page(4)))).toEqual([]);
  expect(secondLook("")).toEqual([]);
});

test("what the second look says of a file counts; what fails again stays failed, and so does all without a second report", () => {
  const first = report(fileAt("/p/b", "failed", "failed", "passed"), file("passed", "passed"));
  const second = report(fileAt("/p/b", "failed", "passed", "failed"));
  expect(tally(mergeReports(first, second), false)).toEqual({ passed: 2, failed: 1, skipped: 0 });
  expect(tally(mergeReports(first, ""), false)).toEqual({ passed: 2, failed: 1, skipped: 0 });
  expect(failedTitles(mergeReports(first, second), "/p/")).toEqual(["b: test 1"]);
  expect(failedTitles(report(fileAt("/p/b", "failed")), "/p/")).toEqual(["b"]);
});

test("the closing line has the form that others read", () => {
  expect(closingLine({ passed: 12, failed: 0, skipped: 0 })).toBe("12 passed, 0 failed");
  expect(closingLine({ passed: 12, failed: 1, skipped: 3 })).toBe("12 passed, 1 failed, 3 skipped");
});

describe("a browser", () => {
  const facts = { needed: true, found: undefined, mayInstall: true, root: true, aptGet: true };

  test("is installed only as root, with apt-get, when allowed, needed and missing", () => {
    expect(planBrowser(facts).kind).toBe("install");
    expect(planBrowser({ ...facts, needed: false }).kind).toBe("none");
    expect(planBrowser({ ...facts, found: "/usr/bin/chromium" })).toMatchObject({
      kind: "use",
      path: "/usr/bin/chromium",
    });
  });

  test.each([
    [{ mayInstall: false }, "--no-install was given"],
    [{ aptGet: false }, "there is no apt-get"],
    [{ root: false }, "installing one needs root"],
  ])("that cannot be had is said aloud, with the reason and a way out: %o", (change, why) => {
    const plan = planBrowser({ ...facts, ...change });
    expect(plan.kind).toBe("none");
    expect(plan.say).toContain(why);
    expect(plan.say).toContain("ELWOOD_TEST_BROWSER");
  });
});

test("bubblewrap is used where it is, installed where that is possible, and else done without, with the reason", () => {
  const facts = { found: undefined, linux: true, mayInstall: true, root: true, aptGet: true };
  expect(planCage({ ...facts, found: "/usr/bin/bwrap" }).kind).toBe("use");
  expect(planCage(facts).kind).toBe("install");
  for (const [less, why] of [
    [{ linux: false }, "cages need Linux"],
    [{ mayInstall: false }, "--no-install was given"],
    [{ aptGet: false }, "there is no apt-get"],
    [{ root: false }, "needs root"],
  ] as const) {
    expect(planCage({ ...facts, ...less })).toMatchObject({
      kind: "none",
      say: expect.stringContaining(why) as string,
    });
  }
});
