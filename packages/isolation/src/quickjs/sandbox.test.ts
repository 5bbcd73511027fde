import { afterAll, describe, expect, test } from "vitest";
import { ManualClock } from "@elwood/testkit/manual-clock";
import type { ProgramCall } from "@elwood/runtime/ports/sandbox";
import { systemClock } from "@elwood/platform/system";
import { SandboxPool } from "./pool.ts";
import { quietLog, STARTED_AT, Trial } from "./test-sandbox.ts";

const pool = new SandboxPool({ clock: systemClock, log: quietLog });
afterAll(() => pool.close());

const leaveOpen = { answer: () => undefined };
const inputs = (trial: Trial) =>
  trial.calls.map(({ what }) => (what.kind === "sleep" ? `sleep ${what.ms}` : what.input));

describe("OA-1: a program", () => {
  test("gets its results as plain data and returns plain data", async () => {
    const trial = new Trial(
      pool,
      `const read = await tools.files.file.read({ path: "a" });
       if (!read.ok) return read.error.code;
       const sent = await tools.mail.message.send({ to: "b", body: read.value.text });
       return { sent: sent.ok, why: sent.ok ? undefined : sent.error, plain: Object.getPrototypeOf(sent) === Object.prototype }`,
      {
        answer: ({ index }) =>
          index === 0
            ? { ok: true, value: { text: "hello" } }
            : { ok: false, error: { code: "DENIED", message: "no", retryable: false, status: "denied" } },
      },
    );
    expect(await trial.value()).toEqual({
      sent: false,
      why: { code: "DENIED", message: "no", retryable: false, status: "denied" },
      plain: true,
    });
    expect(trial.calls.map(({ what }) => (what.kind === "tool" ? what.toolId : ""))).toEqual([
      "files.file.read",
      "mail.message.send",
    ]);
    expect(inputs(trial)[1]).toEqual({ to: "b", body: "hello" });
  });

  test("reaches tools by their full and short names, and can search and describe them", async () => {
    const trial = new Trial(
      pool,
      `await tools.files.read(); await tools.files__file__read(); await tools.search("mail"); await tools.describe("files.file.read");
       return [typeof tools.mail.send, typeof tools.mail.draft.send, typeof tools.mail__draft__send]`,
    );
    expect(await trial.value()).toEqual(["undefined", "function", "function"]);
    expect(trial.calls.map(({ what }) => what)).toEqual([
      { kind: "tool", toolId: "files.file.read", input: {} },
      { kind: "tool", toolId: "files.file.read", input: {} },
      { kind: "search", input: "mail" },
      { kind: "describe", input: "files.file.read" },
    ]);
  });

  test("has the pure helpers", async () => {
    const source = `
      const url = new URL("https://example.com/a?b=1&c=2");
      url.searchParams.set("b", "x y");
      url.searchParams.delete("c");
      return [url.href, url.searchParams.get("b"), new TextDecoder().decode(new TextEncoder().encode("é€😀")),
        structuredClone({ a: [new Date(0)] }).a[0].getTime(), atob(btoa("hi")), new URLSearchParams({ q: "a b" }).toString(),
        new URLSearchParams([["q", 1], ["r", 2]]).toString(), String(new URLSearchParams(new URLSearchParams("?x=1")))]`;
    expect(await new Trial(pool, source).value()).toEqual([
      "https://example.com/a?b=x+y",
      "x y",
      "é€😀",
      0,
      "hi",
      "q=a+b",
      "q=1&r=2",
      "x=1",
    ]);
  });

  test("shows its console lines in order, long ones cut", async () => {
    const source = `console.log("one", { a: 1 }, [2]); console.warn(new TypeError("odd")); console.error("x".repeat(50)); console.debug(undefined)`;
    const trial = new Trial(pool, source, { limits: { consoleLineChars: 10 } });
    const { spent } = await trial.ending;
    expect(trial.lines).toEqual([
      { number: 0, level: "info", text: 'one {"a":1…' },
      { number: 1, level: "warn", text: "TypeError:…" },
      { number: 2, level: "error", text: "xxxxxxxxxx…" },
      { number: 3, level: "debug", text: "undefined" },
    ]);
    expect(spent).toMatchObject({ calls: 0, lines: 4, linesDropped: 0 });
  });

  test("that throws or cannot be read is told where, in its own lines", async () => {
    const thrown = await new Trial(pool, "const a = 1;\n\nnull.x").ending;
    expect(thrown.outcome).toMatchObject({
      ok: false,
      error: { code: "program.threw", line: 3, rerun: false },
    });
    const broken = await new Trial(pool, "const a = 1;\nconst b = ;").ending;
    expect(broken.outcome).toMatchObject({ ok: false, error: { code: "program.syntax", line: 2 } });
  });

  test("sees time pass only with its calls, and never back", async () => {
    const trial = new Trial(
      pool,
      `const t = [Date.now(), performance.now()]; for (let i = 0; i < 1e5; i++); t.push(Date.now());
       await tools.files.read({}); t.push(Date.now()); await tools.files.read({}); t.push(performance.now(), new Date().toString()); return t`,
      leaveOpen,
    );
    await trial.untilCalls(1);
    trial.controls.settle(0, { ok: true, value: 1 }, STARTED_AT + 60_000);
    await trial.untilCalls(2);
    trial.controls.settle(1, { ok: true, value: 1 }, STARTED_AT - 5);
    expect(await trial.value()).toEqual([
      STARTED_AT,
      0,
      STARTED_AT,
      STARTED_AT + 60_000,
      60_000,
      "Sun Nov 15 2026 09:01:00 GMT+0000",
    ]);
  });

  test("sleeps through its host", async () => {
    const trial = new Trial(pool, "const got = await sleep(1500); return [got === undefined, Date.now()]");
    expect(await trial.value()).toEqual([true, STARTED_AT + 1_000]);
    expect(inputs(trial)).toEqual(["sleep 1500"]);
  });
});

describe("OA-1: the same settlements", () => {
  const source = `
    const log = [];
    const leg = async (name) => {
      const a = await tools.files.read({ name, at: Date.now(), chance: Math.random() });
      const b = await tools.files.write({ name, n: a.value.n, at: Date.now(), chance: Math.random() });
      log.push(name + b.value.n);
    };
    const all = Promise.allSettled([leg("a"), leg("b"), leg("c")]);
    const first = await Promise.race([leg("d"), all.then(() => "all")]);
    await all;
    return [log, first ?? null, Date.now(), Math.random()]`;

  const toolOf = (call: ProgramCall | undefined) => (call?.what.kind === "tool" ? call.what.toolId : "");

  /** Settles in the order that `pick` chooses among open calls; answers all that was seen. */
  async function play(order: number[], seed = "seed") {
    const trial = new Trial(pool, source, { ...leaveOpen, seed });
    const settled: number[] = [];
    for (let step = 0; settled.length < 8; step++) {
      // Each leg that has read goes on to write.
      const reads = settled.filter((index) => toolOf(trial.calls[index]) === "files.file.read");
      await trial.untilCalls(4 + reads.length);
      const open = trial.calls.map(({ index }) => index).filter((index) => !settled.includes(index));
      const next = open[(order[step] ?? 0) % open.length]!;
      settled.push(next);
      trial.controls.settle(next, { ok: true, value: { n: next } }, STARTED_AT + 1_000 * settled.length);
    }
    return { value: await trial.value(), calls: trial.calls, settled };
  }

  test("in the same order make the same calls, times and numbers, in whatever order they came", async () => {
    for (const order of [[0], [3, 2, 1, 0, 0, 0, 0, 0], [1, 3, 0, 2, 1, 1, 1, 0], [2, 2, 2, 2, 2, 2, 1, 0]]) {
      const [one, two] = [await play(order), await play(order)];
      expect(two).toEqual(one);
      expect(one.calls).toHaveLength(8);
    }
  });

  test("in another order, or with another seed, make others", async () => {
    const one = await play([0]);
    expect(await play([3, 2, 1])).not.toEqual(one);
    expect(await play([0], "another")).not.toEqual(one);
    expect((await play([0])).value).toEqual(one.value);
  });

  test("are worked off one by one, the program going as far as it can between two", async () => {
    const trial = new Trial(
      pool,
      `const order = [];
       const leg = (name) => tools.files.read({ name }).then(() => order.push(name)).then(() => order.push(name + "'"));
       await Promise.all([leg("a"), leg("b"), leg("c")]); return order.join("")`,
      leaveOpen,
    );
    await trial.untilCalls(3);
    for (const index of [2, 0, 1]) expect(trial.settle(index)).toBe(true);
    expect(trial.settle(0)).toBe(false);
    expect(await trial.value()).toBe("cc'aa'bb'");
  });

  test.for([
    ["Promise.race", [1], "b"],
    ["Promise.any", [2, 0, 1], "c"],
    ["Promise.all", [2, 1, 0], "a,b,c"],
    ["Promise.allSettled", [1, 2, 0], "a,b,c"],
  ] as const)("decide %s by their order", async ([combine, order, wins], { expect: check }) => {
    const trial = new Trial(
      pool,
      `const leg = (name) => tools.files.read({ name }).then(() => name);
       const won = await ${combine}([leg("a"), leg("b"), leg("c")]);
       return Array.isArray(won) ? won.map((each) => each.value ?? each).join() : won`,
      leaveOpen,
    );
    await trial.untilCalls(3);
    for (const index of [...order, 0, 1, 2]) trial.settle(index);
    check(await trial.value()).toBe(wins);
  });
});

describe("OA-1: the end of a program", () => {
  test("waits for tool calls that nobody awaited, and for what they lead to", async () => {
    const trial = new Trial(
      pool,
      `tools.files.read({ n: 1 }).then(() => tools.files.write({ n: 2 })); return "early"`,
      leaveOpen,
    );
    await trial.untilCalls(1);
    trial.settle(0);
    await trial.untilCalls(2);
    trial.settle(1);
    const ending = await trial.ending;
    expect(ending).toMatchObject({ outcome: { ok: true, value: "early" }, open: [], detached: 1 });
  });

  test("does not wait for sleeps", async () => {
    const trial = new Trial(pool, "return await Promise.race([sleep(60000), tools.files.read({})]) ?? null", {
      answer: ({ what }) => (what.kind === "sleep" ? undefined : { ok: true, value: 1 }),
    });
    expect(await trial.ending).toMatchObject({ outcome: { ok: true }, open: [0], detached: 0 });
  });

  test("comes when its signal is raised: it cannot catch that, and no call reaches the host any more", async () => {
    const stop = new AbortController();
    const trial = new Trial(
      pool,
      `try { await tools.files.read({ n: 1 }) } catch { await tools.files.write({ n: 2 }) } finally { await tools.files.write({ n: 3 }) }
       for (;;) await tools.files.write({ n: 4 })`,
      { ...leaveOpen, signal: stop.signal },
    );
    await trial.untilCalls(1);
    stop.abort();
    expect(trial.settle(0)).toBe(false);
    expect(await trial.ending).toMatchObject({
      outcome: { ok: false, error: { code: "program.stopped", rerun: false } },
      open: [0],
    });
    expect(await new Trial(pool, "return 1").value()).toBe(1);
    expect(trial.calls).toHaveLength(1);
  });

  test("leaves out calls of the same moment once the host stops it among them", async () => {
    const stop = new AbortController();
    const trial = new Trial(pool, "await Promise.all([1, 2, 3].map((n) => tools.files.write({ n })))", {
      signal: stop.signal,
      answer: ({ index }) => {
        if (index === 1) stop.abort();
        return undefined;
      },
    });
    expect(await trial.ending).toMatchObject({
      outcome: { ok: false, error: { code: "program.stopped" } },
      open: [0, 1],
    });
    expect(await new Trial(pool, "return 1").value()).toBe(1);
    expect(inputs(trial)).toEqual([{ n: 1 }, { n: 2 }]);
  });

  test("before it began is an end too", async () => {
    const trial = new Trial(pool, "await tools.files.write({})", { signal: AbortSignal.abort() });
    expect(await trial.code()).toBe("program.stopped");
    expect(trial.calls).toEqual([]);
  });

  test("is the host's own fault where the host throws", async () => {
    const trial = new Trial(pool, "await tools.files.read({})", {
      answer: () => {
        throw new Error("the journal is broken");
      },
    });
    await expect(trial.ending).rejects.toThrow("the journal is broken");
  });
});

describe("OA-1: a limit that a program reaches has a name:", () => {
  const spin = "for (;;);";
  test.for([
    ["program.cpu_limit", spin, { cpuMs: 50 }],
    ["program.memory_limit", "const a = []; for (;;) a.push([a.length])", { memoryBytes: 8 * 1024 * 1024 }],
    ["program.calls_limit", "for (;;) await tools.files.read({})", { calls: 3 }],
    ["program.argument_limit", "await tools.files.read({ a: 'x'.repeat(100) })", { argumentBytes: 100 }],
    ["program.argument_limit", "await tools.files.read([[[1]]])", { argumentDepth: 2 }],
    ["program.result_limit", "await tools.files.read({})", { resultBytes: 10 }],
    ["program.output_limit", "return 'x'.repeat(100)", { outputBytes: 100 }],
    ["program.source_limit", "return 1", { sourceBytes: 5 }],
  ] as const)("%s", async ([code, source, limits], { expect: check }) => {
    const caught = `try { ${source} } catch { for (;;) await tools.files.write({}) }`;
    const trial = new Trial(pool, "sourceBytes" in limits || source.startsWith("return") ? source : caught, {
      limits,
    });
    check(await trial.code()).toBe(code);
    check(trial.calls.every(({ what }) => what.kind === "tool" && what.toolId === "files.file.read")).toBe(
      true,
    );
  });

  test("calls at once: more are held back and begun in order as others end", async () => {
    const source =
      "return (await Promise.all([0, 1, 2, 3, 4].map((n) => tools.files.read({ n })))).map((r) => r.value.n)";
    const trial = new Trial(pool, source, { ...leaveOpen, limits: { concurrentCalls: 2 } });
    await trial.untilCalls(2);
    trial.settle(1);
    await trial.untilCalls(3);
    expect(inputs(trial)).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }]);
    for (const index of [0, 2, 3, 4]) {
      await trial.untilCalls(index + 1);
      trial.settle(index);
    }
    expect(await trial.value()).toEqual([0, 1, 2, 3, 4]);
  });

  test("lines: more are dropped and counted", async () => {
    const trial = new Trial(pool, "for (let i = 0; i < 9; i++) console.log(i)", {
      limits: { consoleLines: 4 },
    });
    expect((await trial.ending).spent).toMatchObject({ lines: 4, linesDropped: 5 });
  });

  test("wall time, which stands still while a person is waited for", async () => {
    const clock = new ManualClock();
    const timed = new SandboxPool({ clock, log: quietLog });
    try {
      const trial = new Trial(timed, "await tools.files.read({})", {
        ...leaveOpen,
        limits: { wallMs: 7_000 },
      });
      await trial.untilCalls(1);
      await clock.advance(4_000);
      const release = trial.controls.hold();
      await clock.advance(60 * 60_000);
      release();
      release();
      await clock.advance(2_000);
      expect(trial.settle(99)).toBe(false);
      await clock.advance(1_001);
      expect(await trial.code()).toBe("program.wall_limit");
    } finally {
      await timed.close();
    }
  });
});
