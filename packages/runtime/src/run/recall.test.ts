import { RUN_LIMITS, LIMITS } from "@elwood/core/base/limits";
import { LocalTime } from "@elwood/core/base/local-time";
import { NO_USAGE, textOf, type Message } from "@elwood/core/message/message";
import type { ModelRequest } from "@elwood/core/model/model";
import { commitmentTo } from "@elwood/core/receipts/receipt";
import { canonicalJson } from "@elwood/core/base/canonical-json";
import { ok } from "@elwood/core/base/result";
import { rig } from "@elwood/testkit/gate-rig";
import { fromOwner } from "@elwood/testkit/principals";
import { memoryStores } from "@elwood/testkit/memory-stores";
import { FixedIds } from "@elwood/testkit/fixed-ids";
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import type { EngineDeps } from "./engine-deps.ts";
import { Engine } from "./engine.ts";
import { toModelMessages } from "./history.ts";
import type { RecallAbout, Recalled } from "../ports/ports.ts";

const T = "default";
const SESSION = "ses_00000000000000000000000001";
const FOUND: Recalled = {
  text: "Elwood looked into its memory.\n- 2026-05-03, you [memory/default/home.md#4]: Car: Volvo",
  items: [{ source: "memory/default/home.md", line: 4, ts: 5, speaker: "you", origin: "owner", score: 9 }],
};

async function scene(
  before: (about: RecallAbout, text: string) => Promise<Recalled | undefined>,
  answers: string[] = ["Fine.", "Fine.", "Fine."],
) {
  const gate = await rig();
  const stores = memoryStores();
  const { clock } = gate;
  const requests: ModelRequest[] = [];
  const asked: { about: RecallAbout; text: string }[] = [];
  const logged: string[] = [];
  const note = (message: string) => logged.push(message);
  const deps: EngineDeps = {
    stores,
    clock,
    ids: new FixedIds(),
    log: { error: note, warn: note, info() {}, debug() {} },
    hash: (text) => text,
    limits: RUN_LIMITS,
    prices: [],
    localTime: new LocalTime("UTC"),
    tools: gate.gate,
    recorder: gate.gate,
    redact: (text) => text.replaceAll("hunter2hunter2", "[redacted]"),
    agents: {
      list: async () => [],
      load: async (id) => ({ id, name: id, description: "", soul: "", instructions: "", toolNotes: "" }),
    },
    models: {
      resolve: async () =>
        ok({
          ref: { provider: "test", model: "m" },
          demo: false,
          maxOutputTokens: 1_000,
          provider: {
            id: "test",
            async *chat(request) {
              requests.push(request);
              const text = answers.shift() ?? "";
              yield {
                type: "done",
                stopReason: "end_turn",
                blocks: [{ type: "text", text }],
                usage: NO_USAGE,
                model: "m",
              };
            },
          },
        }),
    },
    recall: {
      before(_tenant, about, text) {
        asked.push({ about, text });
        return before(about, text);
      },
    },
  };
  await stores.sessions.create(T, { id: SESSION, agentId: "assistant", title: "New", at: clock.now() });
  const accept = async (engine: Engine, text: string) => {
    const parts = [{ kind: "text" as const, text, origin: "owner" as const }];
    return (await engine.submit({ ...fromOwner(T), sessionId: SESSION, parts, surface: "test" })).run;
  };
  const send = async (text: string, engine = new Engine(deps)) => {
    const run = await accept(engine, text);
    const ended = new Promise<object>((resolve) => {
      engine.feeds.get(run.id)?.subscribe(({ event, data }) => {
        if (event === "chat.final") resolve(data);
      });
    });
    engine.start(T, run);
    const final = await ended;
    await engine.whenIdle();
    return { run, final };
  };
  return { ...gate, stores, deps, requests, asked, logged, send, accept };
}

const words = (request: ModelRequest) => request.messages.map((message) => [message.role, textOf(message)]);

test("what memory knows goes along with the message it was looked up for, fenced, and is told to clients", async () => {
  const s = await scene(async () => FOUND);
  const { final, run } = await s.send("what car do I drive?");
  expect(s.asked).toEqual([
    {
      text: "what car do I drive?",
      about: { runId: run.id, sessionId: SESSION, agentId: "assistant", wasTold: expect.any(Function) },
    },
  ]);
  const [[role, text] = []] = words(s.requests[0]!);
  expect(role).toBe("user");
  expect(text).toContain("what car do I drive?");
  expect(text).toContain(`<data origin="recalled">\n${FOUND.text}\n</data>`);
  expect(s.requests[0]!.system).not.toContain("Volvo");
  expect(final).toMatchObject({ recalled: FOUND.items });
});

test("what was recalled has a receipt that can be proven, and whose words can be erased", async () => {
  const s = await scene(async () => FOUND);
  const { run } = await s.send("what car do I drive?");
  const receipts = await s.ledger.receipts(T, { runId: run.id, limit: 10 });
  // A run that only answered has nothing else to prove.
  expect(receipts.map(({ type }) => type)).toEqual(["memory.recalled"]);
  const { payload } = receipts[0]!;
  expect(payload).toMatchObject({ count: 1, items: [{ kind: "note", line: 4, origin: "owner" }] });
  expect(JSON.stringify(payload)).not.toMatch(/Volvo|home/);
  const commit = String(payload["recallCommit"]);
  const body = (await s.ledger.body(T, commit))!;
  expect(body.value).toEqual(FOUND);
  const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data).digest("hex");
  expect(commitmentTo(body.salt, canonicalJson(body.value), sha256)).toBe(commit);
  expect(await s.ledger.eraseBody(T, commit)).toBe(true);
  expect(await s.ledger.body(T, commit)).toBeUndefined();
});

test("a run taken up after a crash is told the same again, and memory is not asked a second time", async () => {
  const s = await scene(async () => FOUND);
  const dead = new Engine(s.deps);
  const run = await s.accept(dead, "what car do I drive?");
  await s.stores.runs.claim(T, run.id, s.clock.now());
  // It died behind the receipt, and before the step.
  await s.gate.noteRecall(T, { runId: run.id, surface: "test", ...FOUND });
  const engine = new Engine(s.deps);
  await engine.recover(T);
  await engine.whenIdle();
  expect(s.asked).toEqual([]);
  expect(words(s.requests[0]!)[0]![1]).toContain(FOUND.text);
  expect(await s.ledger.receipts(T, { runId: run.id, types: ["memory.recalled"], limit: 5 })).toHaveLength(1);
  const { steps } = await s.stores.runs.journal(T, run.id);
  expect(steps.map(({ origin }) => origin)).toEqual(["owner", "recalled", "model"]);
});

test("a run that died behind the step finds it in the journal, byte for byte", async () => {
  const s = await scene(async () => ({ ...FOUND, text: "another answer by now" }));
  const dead = new Engine(s.deps);
  const run = await s.accept(dead, "what car do I drive?");
  await s.stores.runs.claim(T, run.id, s.clock.now());
  const step: Message = {
    id: "msg_1",
    ts: 1,
    role: "tool",
    origin: "recalled",
    blocks: [{ type: "text", text: FOUND.text, origin: "recalled" }],
    meta: { recalled: [...FOUND.items] },
  };
  await s.stores.runs.addStep(T, run.id, step);
  const engine = new Engine(s.deps);
  await engine.recover(T);
  await engine.whenIdle();
  expect(s.asked).toEqual([]);
  expect(words(s.requests[0]!)[0]![1]).toContain(FOUND.text);
});

test("the next message of the conversation shows the model the same bytes before it, and says what it was given", async () => {
  const s = await scene(async (_about, text) => (text.includes("car") ? FOUND : undefined));
  const engine = new Engine(s.deps);
  await s.send("what car do I drive?", engine);
  const { final } = await s.send("thanks", engine);
  expect(words(s.requests[1]!)[0]).toEqual(words(s.requests[0]!)[0]);
  const { wasTold } = s.asked[1]!.about;
  const source = "memory/default/home.md";
  expect([wasTold({ source, line: 4 }), wasTold({ source, line: 5 })]).toEqual([true, false]);
  expect(wasTold({ source: "memory/default/car.md", line: 4 })).toBe(false);
  // By what it says, wherever in its file it stands now.
  const says = (words: string, of = source) => wasTold({ source: of, line: 7 }, words);
  expect([says("Car: Volvo"), says("Car: Fiat"), says("Volvo")]).toEqual([true, false, false]);
  expect(says("Car: Volvo", "memory/default/car.md")).toBe(false);
  expect(final).not.toHaveProperty("recalled");
});

test("a line that was changed and set back is not taken for told, whatever was told of it before", async () => {
  const drives = (car: string): Recalled => ({
    ...FOUND,
    text: `Elwood looked into its memory.\n- 2026-05-03, you [memory/default/home.md#4]: Car: ${car}`,
  });
  const told = [drives("Volvo"), drives("Fiat")];
  const s = await scene(async () => told.shift());
  const engine = new Engine(s.deps);
  for (const asks of ["what car do I drive?", "and what car do I drive now?", "which car is it?"])
    await s.send(asks, engine);
  const { wasTold } = s.asked[2]!.about;
  const place = { source: "memory/default/home.md", line: 4 };
  expect([wasTold(place, "Car: Volvo"), wasTold(place, "Car: Fiat")]).toEqual([false, true]);
  // Elsewhere in the file nothing else was told of it since.
  expect(wasTold({ ...place, line: 5 }, "Car: Volvo")).toBe(true);
});

test("memory that has yet to be opened is waited for as long as it asks for", async () => {
  const looking = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<typeof FOUND>();
  const s = await scene(() => {
    looking.resolve();
    return answer.promise;
  });
  s.deps.recall!.patienceMs = () => LIMITS.recallFirstMs;
  const sent = s.send("what car do I drive?");
  await looking.promise;
  await s.clock.advance(LIMITS.recallMs + 1);
  answer.resolve(FOUND);
  expect((await sent).final).toHaveProperty("recalled");
});

test("memory is searched while the agent is loaded, and the model is asked once both are done", async () => {
  const looking = Promise.withResolvers<void>();
  const s = await scene(async () => {
    looking.resolve();
    return FOUND;
  });
  const load = async (id: string) => {
    await looking.promise;
    return s.deps.agents.load(id);
  };
  const agents = { ...s.deps.agents, load };
  const { final } = await s.send("what car do I drive?", new Engine({ ...s.deps, agents }));
  expect(final).toMatchObject({ recalled: FOUND.items });
  expect(words(s.requests[0]!)[0]![1]).toContain(FOUND.text);
});

test("how long memory may take is counted from when it was asked, also where the clock was set back since", async () => {
  for (const passedMs of [LIMITS.recallMs, -3_600_000]) {
    const [looking, loading, loaded] = [1, 2, 3].map(() => Promise.withResolvers<void>());
    const s = await scene(() => {
      looking!.resolve();
      return new Promise(() => {});
    });
    const load = async (id: string) => {
      loading!.resolve();
      await loaded!.promise;
      return s.deps.agents.load(id);
    };
    let shifted = 0;
    const waits = Promise.withResolvers<number>();
    const clock = {
      now: () => s.clock.now() + shifted,
      sleep(ms: number, signal?: AbortSignal) {
        if (ms <= LIMITS.recallMs) waits.resolve(ms);
        return s.clock.sleep(ms, signal);
      },
    };
    const engine = new Engine({ ...s.deps, clock, agents: { ...s.deps.agents, load } });
    const sent = s.send("what car do I drive?", engine);
    await Promise.all([looking!.promise, loading!.promise]);
    shifted = passedMs;
    loaded!.resolve();
    expect(await waits.promise).toBe(passedMs < 0 ? LIMITS.recallMs : 0);
    await s.clock.advance(LIMITS.recallMs);
    expect((await sent).final).toMatchObject({ text: "Fine." });
    expect(s.logged).toContain("memory took too long and was not waited for");
  }
});

test("a run that cannot begin gives up its search, and records nothing of it", async () => {
  let given: AbortSignal | undefined;
  const s = await scene(async () => FOUND);
  const recall: EngineDeps["recall"] = {
    before: (_tenant, _about, _text, signal) => {
      given = signal;
      return new Promise(() => {});
    },
  };
  const engine = new Engine({
    ...s.deps,
    recall,
    agents: { list: async () => [], load: async () => undefined },
  });
  const run = await s.accept(engine, "what car do I drive?");
  engine.start(T, run);
  await engine.whenIdle();
  expect(given?.aborted).toBe(true);
  expect(s.requests).toEqual([]);
  expect(await s.ledger.receipts(T, { runId: run.id, types: ["memory.recalled"], limit: 5 })).toEqual([]);
});

test("memory that is slow or broken costs the recall and not the run", async () => {
  const looking = Promise.withResolvers<void>();
  const slow = await scene(() => {
    looking.resolve();
    return new Promise(() => {});
  });
  const sent = slow.send("what car do I drive?");
  await looking.promise;
  await slow.clock.advance(LIMITS.recallMs);
  expect((await sent).final).toMatchObject({ text: "Fine." });
  expect(slow.logged).toContain("memory took too long and was not waited for");
  const broken = await scene(async () => {
    throw new Error("no such index");
  });
  expect((await broken.send("what car do I drive?")).final).toMatchObject({ text: "Fine." });
  expect(broken.logged).toContain("memory could not be looked into; the run goes on without");
});

test("a run that recalled nothing leaves no receipt and no step", async () => {
  const s = await scene(async () => undefined);
  const { run } = await s.send("hello");
  expect(await s.ledger.receipts(T, { runId: run.id, limit: 5 })).toEqual([]);
  expect((await s.stores.runs.journal(T, run.id)).steps).toHaveLength(2);
});

test("a secret that got into memory is taken out before it is told or kept", async () => {
  const s = await scene(async () => ({ ...FOUND, text: "the password is hunter2hunter2" }));
  const { run } = await s.send("what is it?");
  expect(JSON.stringify(s.requests)).not.toContain("hunter2");
  expect(JSON.stringify(await s.stores.runs.journal(T, run.id))).not.toContain("hunter2");
});

test("recalled words that lost their message are shown to nobody", () => {
  const step: Message = {
    id: "m",
    ts: 0,
    role: "tool",
    origin: "recalled",
    blocks: [{ type: "text", text: "x", origin: "recalled" }],
  };
  expect(toModelMessages([step], new LocalTime("UTC"))).toEqual([]);
});
