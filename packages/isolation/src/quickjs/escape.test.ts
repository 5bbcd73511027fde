import { afterAll, describe, expect, test } from "vitest";
import { PROGRAM_ERRORS } from "@elwood/core/tool/program";
import { systemClock } from "@elwood/platform/system";
import { HOSTILE_PROGRAMS } from "./hostile-programs.ts";
import { SandboxPool } from "./pool.ts";
import { quietLog, Trial } from "./test-sandbox.ts";

const pool = new SandboxPool({ clock: systemClock, log: quietLog, limits: { graceMs: 3_000 } });
afterAll(() => pool.close());

/** Small, so that what never ends does so soon. */
const limits = { cpuMs: 100, memoryBytes: 16 * 1024 * 1024, calls: 20, concurrentCalls: 4, consoleLines: 50 };

describe("OA-1: a program that wants out of the sandbox, or to take it down,", () => {
  test("is tried in more than sixty ways", () => {
    expect(HOSTILE_PROGRAMS.length).toBeGreaterThan(60);
    expect(new Set(HOSTILE_PROGRAMS.map(({ title }) => title)).size).toBe(HOSTILE_PROGRAMS.length);
  });

  test.for(HOSTILE_PROGRAMS)("reaches nothing when it $title", async (hostile, { expect: check }) => {
    const neighbour = new Trial(
      pool,
      "const a = await tools.files.read({ path: 'n' }); await sleep(1); return a.value.n",
    );
    const trial = new Trial(pool, hostile.source, { limits });
    const { outcome } = await trial.ending;

    if (hostile.ends === undefined) check(outcome).toEqual({ ok: true, value: hostile.returns });
    else {
      const code = outcome.ok ? "returned" : outcome.error.code;
      check([hostile.ends].flat(), JSON.stringify(outcome)).toContain(code);
    }
    const inputs = trial.calls.map(({ what }) => (what.kind === "sleep" ? what.ms : what.input));
    check(inputs).toEqual(hostile.inputs ?? []);
    check(trial.lines.length).toBeLessThanOrEqual(limits.consoleLines);
    if (!outcome.ok) {
      check(PROGRAM_ERRORS).toContain(outcome.error.code);
      check(outcome.error.message).not.toMatch(/\.ts\b|\/apps\/|node_modules/);
      check(outcome.error.message.length).toBeLessThanOrEqual(4_100);
    }
    check(await neighbour.value()).toBe(0);
  });

  test("leaves this process and the sandbox processes as they were", async () => {
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    expect(pool.pids.length).toBeGreaterThan(0);
    expect(await new Trial(pool, "return 'here'").value()).toBe("here");
  });
});
