import { afterAll, afterEach, describe, expect, test } from "vitest";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { systemClock } from "@elwood/platform/system";
import { SandboxPool, type SandboxOptions } from "./pool.ts";
import { processUsage } from "./process-usage.ts";
import { quietLog, Trial } from "./test-sandbox.ts";

const pools: SandboxPool[] = [];
function open(options: Partial<SandboxOptions> = {}): SandboxPool {
  const pool = new SandboxPool({ clock: systemClock, log: quietLog, ...options });
  pools.push(pool);
  return pool;
}
afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.close();
});

const leaveOpen = { answer: () => undefined };
const waits = "await tools.files.read({}); return 'went on'";

async function untilGone(pid: number): Promise<void> {
  const alive = () => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  for (let tries = 0; alive(); tries++) {
    if (tries > 500) throw new Error(`process ${pid} is still there`);
    await systemClock.sleep(10);
  }
}

describe("the processes that programs run in", () => {
  test("start with the first program, one for each that runs at once, and are shared when there may be no more", async () => {
    const pool = open();
    expect(pool.pids).toEqual([]);
    const trials = [1, 2, 3].map(() => new Trial(pool, waits, leaveOpen));
    for (const trial of trials) await trial.untilCalls(1);
    expect(pool.pids).toHaveLength(2);
    for (const trial of trials) trial.settle(0);
    for (const trial of trials) expect(await trial.value()).toBe("went on");
    expect(await new Trial(pool, "return 1").value()).toBe(1);
    expect(pool.pids).toHaveLength(2);
  });

  test("leave after a minute without work, not before, and come back when needed", async () => {
    const clock = new ManualClock();
    const pool = open({ clock });
    expect(await new Trial(pool, "return 1").value()).toBe(1);
    const [pid] = pool.pids;
    await clock.advance(59_999);
    expect(pool.pids).toEqual([pid]);
    const busy = new Trial(pool, waits, leaveOpen);
    await busy.untilCalls(1);
    await clock.advance(5 * 60_000);
    expect(pool.pids).toEqual([pid]);
    busy.settle(0);
    expect(await busy.value()).toBe("went on");
    await clock.advance(60_000);
    expect(pool.pids).toEqual([]);
    await untilGone(pid!);
    expect(await new Trial(pool, "return 2").value()).toBe(2);
  });

  test("when killed end only their own programs, which may be run again; the others and the next go on", async () => {
    const pool = open();
    const one = new Trial(pool, waits, leaveOpen);
    await one.untilCalls(1);
    const [pid] = pool.pids;
    const two = new Trial(pool, waits, leaveOpen);
    await two.untilCalls(1);
    process.kill(pid!, "SIGKILL");
    const { outcome, open: left } = await one.ending;
    expect(outcome).toMatchObject({ ok: false, error: { code: "program.lost", rerun: true } });
    expect(outcome.ok ? "" : outcome.error.message).toContain("SIGKILL");
    expect(left).toEqual([0]);
    expect(one.settle(0)).toBe(false);
    two.settle(0);
    expect(await two.value()).toBe("went on");
    expect(await new Trial(pool, "return 3").value()).toBe(3);
  });

  test("are ended when a program computes where the engine cannot look, which is told to it alone", async () => {
    const pool = open({ limits: { processes: 1, graceMs: 300 } });
    const bystander = new Trial(pool, waits, leaveOpen);
    await bystander.untilCalls(1);
    const native = "const a = 'a'.repeat(2 ** 24); return (a + a).indexOf(a + 'b')";
    const stuck = new Trial(pool, native, { limits: { cpuMs: 50 } });
    const next = new Trial(pool, "return 1");
    expect(await stuck.code()).toBe("program.unresponsive");
    expect(await bystander.code()).toBe("program.lost");
    expect(await next.code()).toBe("program.lost");
    expect(await new Trial(pool, "return 4").value()).toBe(4);
  });

  test("that do not answer at all are ended too", async () => {
    const pool = open({ limits: { graceMs: 300 } });
    const trial = new Trial(pool, waits, { ...leaveOpen, limits: { cpuMs: 50 } });
    await trial.untilCalls(1);
    process.kill(pool.pids[0]!, "SIGSTOP");
    trial.settle(0);
    expect(await trial.code()).toBe("program.unresponsive");
    expect(pool.pids).toEqual([]);
  });

  test("that the machine leaves no time to compute are waited for", async () => {
    let looks = 0;
    const pool = open({
      limits: { graceMs: 100 },
      usage: (pid) => {
        // It is stopped here, and passed off as one that waits for a processor and gets one at the third look.
        looks += 1;
        if (looks === 5) process.kill(pid, "SIGCONT");
        return { runnable: true, cpuMs: 0 };
      },
    });
    const trial = new Trial(pool, waits, { ...leaveOpen, limits: { cpuMs: 50 } });
    await trial.untilCalls(1);
    looks = 1;
    process.kill(pool.pids[0]!, "SIGSTOP");
    trial.settle(0);
    expect(await trial.value()).toBe("went on");
    expect(looks).toBeGreaterThanOrEqual(5);
  });

  test("that the machine leaves no time to compute are waited for no longer than a limit", async () => {
    const pool = open({
      limits: { graceMs: 300, starvedMs: 2_000 },
      usage: () => ({ runnable: true, cpuMs: 0 }),
    });
    const trial = new Trial(pool, waits, { ...leaveOpen, limits: { cpuMs: 50 } });
    await trial.untilCalls(1);
    process.kill(pool.pids[0]!, "SIGSTOP");
    trial.settle(0);
    expect(await trial.code()).toBe("program.unresponsive");
  });

  test.runIf(process.platform === "linux")("are known to compute by what the system counts", () => {
    const before = processUsage(process.pid)!;
    expect(before.runnable).toBe(true);
    const { user, system } = process.cpuUsage();
    expect(Math.abs(before.cpuMs - (user + system) / 1_000)).toBeLessThan(500);
    expect(processUsage(2 ** 30)).toBeUndefined();
  });

  test("close with the pool, and nothing begins after that", async () => {
    const pool = open();
    const trial = new Trial(pool, waits, leaveOpen);
    await trial.untilCalls(1);
    const [pid] = pool.pids;
    await pool.close();
    expect((await trial.ending).outcome).toMatchObject({
      ok: false,
      error: { code: "program.stopped", rerun: true },
    });
    await untilGone(pid!);
    expect(await new Trial(pool, "return 1").code()).toBe("program.unavailable");
  });

  test("take no more programs than they may", async () => {
    const pool = open({ limits: { processes: 1, programsPerProcess: 1 } });
    const one = new Trial(pool, waits, leaveOpen);
    await one.untilCalls(1);
    expect(await new Trial(pool, "return 1").code()).toBe("program.unavailable");
    one.settle(0);
    expect(await one.value()).toBe("went on");
  });

  test("can read nothing but their own code, and start nothing", async () => {
    const probe = new URL("test-probe-child.ts", import.meta.url);
    const trial = new Trial(open({ entry: probe }), "");
    expect(await trial.value()).toEqual({
      passwd: "ERR_ACCESS_DENIED",
      project: "ERR_ACCESS_DENIED",
      own: "ERR_ACCESS_DENIED",
      write: "ERR_ACCESS_DENIED",
      child: "ERR_ACCESS_DENIED",
      worker: "ERR_ACCESS_DENIED",
      env: [],
    });
  });
});

describe("a sandbox process that lies", () => {
  const entry = new URL("test-hostile-child.ts", import.meta.url);
  const idle = { t: "idle", cpuMs: 1 };
  const call = { t: "call", i: 0, kind: "tool", name: "files.file.read" };
  const over = { t: "over", cpuMs: 1, calls: 0, dropped: 0, detached: 0 };
  const pool = new SandboxPool({
    clock: systemClock,
    log: quietLog,
    entry,
    limits: { backoffMs: 1, backoffMaxMs: 1 },
  });
  afterAll(() => pool.close());
  const play = (...frames: unknown[]) =>
    new Trial(pool, JSON.stringify(frames), { ...leaveOpen, limits: { sourceBytes: 4 * 1024 * 1024 } });

  test("is believed as long as it says what an honest one could", async () => {
    const trial = play([call, '{"path":"a"}'], [{ t: "line", n: 0, level: "info" }, "hi"], [over, "5"]);
    expect(await trial.value()).toBe(5);
    expect(trial.calls).toHaveLength(1);
    expect(trial.lines).toEqual([{ number: 0, level: "info", text: "hi" }]);
  });

  test.for<[string, ...unknown[]]>([
    ["a call under a number that is not next", [{ ...call, i: 1 }, "{}"]],
    ["a call under a number that was used", [call, "{}"], [call, "{}"]],
    ["a call of a tool that the program was not given", [{ ...call, name: "secret.thing.steal" }, "{}"]],
    ["a call of a kind that there is not", [{ ...call, kind: "shell" }, "{}"]],
    ["an input that is no JSON", [call, "{"]],
    ["an input that is too deep", [call, "[".repeat(100) + "]".repeat(100)]],
    ["an input with half a surrogate pair", [call, '"\\ud800"']],
    ["an input that is too large", [call, `"${"x".repeat(1_048_577)}"`]],
    ["a sleep that is no time", [{ ...call, kind: "sleep" }, '"soon"']],
    ["more calls at once than allowed", ...Array.from({ length: 33 }, (_, i) => [{ ...call, i }, "{}"])],
    ["a line out of order", [{ t: "line", n: 4, level: "info" }, "hi"]],
    ["a line that is too long", [{ t: "line", n: 0, level: "info" }, "x".repeat(2_002)]],
    [
      "more lines than allowed",
      ...Array.from({ length: 201 }, (_, n) => [{ t: "line", n, level: "info" }, ""]),
    ],
    ["an answer to nothing", [idle], [idle]],
    ["a call when it was not its turn", [idle], [call, "{}"]],
    ["something about another program", [{ ...idle, p: 999 }]],
    ["a drop that nobody asked for", [{ t: "dropped" }]],
    ["that it is ready, again", [{ t: "ready" }]],
    ["a word that there is not", [{ t: "grant", all: true }]],
    ["a field that there is not", [{ ...over, approve: true }, "1"]],
    ["an ending that there is not", [{ ...over, error: { code: "program.fine" } }, ""]],
    ["a result that is no JSON", [over, "{"]],
    ["a result that is too large", [over, `"${"x".repeat(1_048_577)}"`]],
    ["numbers that are none", [{ ...idle, cpuMs: -1 }]],
    ["a frame of four gigabytes", ["raw", "ffffffff00"]],
    ["a head that is no JSON", ["raw", "00000003787878"]],
    ["a head that is a list", ["raw", "000000035b5d0a"]],
    ["nothing, and goes", ["exit"]],
  ])("is ended when it says %s", async ([, ...frames], { expect: check }) => {
    const trial = play(...frames);
    check((await trial.ending).outcome).toMatchObject({
      ok: false,
      error: { code: "program.lost", rerun: true },
    });
    check(trial.calls.length).toBeLessThanOrEqual(32);
  });

  test("keeps no other from being started, after a pause that grows", async () => {
    const clock = new ManualClock({ autoAdvance: (ms) => ms < 10_000 });
    const healing = open({ clock, entry, limits: { backoffMs: 100, backoffMaxMs: 400 } });
    const codes: string[] = [];
    for (let i = 0; i < 5; i++) codes.push(await new Trial(healing, '[["exit"]]', leaveOpen).code());
    expect(codes).toEqual(Array.from({ length: 5 }, () => "program.lost"));
    expect(clock.sleeps.map(({ ms }) => ms).filter((ms) => ms > 0 && ms <= 400)).toEqual([100, 200, 400]);
    expect(await new Trial(healing, JSON.stringify([[over, "1"]])).value()).toBe(1);
  });

  test.for(["test-sandbox.ts", "no-such-file.ts"])(
    "that never comes up (%s) is tried a few times, then the program is refused",
    async (file, { expect: check }) => {
      const limits = { backoffMs: 1, backoffMaxMs: 1 };
      const broken = open({ entry: new URL(file, import.meta.url), limits });
      check((await new Trial(broken, "return 1").ending).outcome).toMatchObject({
        ok: false,
        error: { code: "program.unavailable", rerun: true },
      });
      check(broken.pids).toEqual([]);
    },
  );
});
