import { LIMITS, RUN_LIMITS } from "@elwood/core/base/limits";
import { LocalTime } from "@elwood/core/base/local-time";
import type { ModelEvent, ModelRequest } from "@elwood/core/model/model";
import { ok } from "@elwood/core/base/result";
import { FixedIds } from "@elwood/testkit/fixed-ids";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { memoryStores } from "@elwood/testkit/memory-stores";
import { StoreScript, TENANT, usage } from "@elwood/testkit/store-script";
import { expect, test } from "vitest";
import type { EngineDeps } from "./engine-deps.ts";
import { titleSession } from "./session-title.ts";

type Answer = (request: ModelRequest) => AsyncIterable<ModelEvent>;

const says = (text: string): Answer =>
  async function* () {
    const blocks = [{ type: "text" as const, text }];
    yield { type: "done", stopReason: "end_turn", blocks, usage: usage(300, 9), model: "small" };
  };

/** A session with one turn, and what its title becomes. */
async function named(
  answer: Answer,
  options: { model?: string; demo?: boolean; dayCostUsd?: number; surface?: string } = {},
) {
  const stores = memoryStores();
  const script = new StoreScript(stores);
  const requests: ModelRequest[] = [];
  const resolved: unknown[][] = [];
  const logged: unknown[][] = [];
  const { id } = await script.session();
  const said = '{"q": "flat to rent, key hunter2hunter2"}';
  const { id: runId } = await script.accepted(id, said, { surface: options.surface ?? "web" });
  await stores.runs.claim(TENANT, runId, script.tick());
  const ending = script.ending({ model: "demo/demo" });
  await stores.runs.end(TENANT, runId, [script.assistant("Here are <b>three</b> flats.")], ending);
  const { steps } = await stores.runs.journal(TENANT, runId);
  await stores.runs.commit(TENANT, runId, steps, script.tick());
  const run = (await stores.runs.get(TENANT, runId))!;
  const deps = {
    stores,
    clock: new ManualClock({ start: script.tick() }),
    ids: new FixedIds(),
    limits: {
      ...RUN_LIMITS,
      ...(options.dayCostUsd === undefined ? {} : { dayCostUsd: options.dayCostUsd }),
    },
    prices: [{ match: "test/*", input: 1_000, output: 0 }],
    localTime: new LocalTime("UTC"),
    redact: (text: string) => text.replaceAll("hunter2hunter2", "[redacted]"),
    compactionModel: (options.model ?? "test/small") || undefined,
    models: {
      resolve: async (...asked: unknown[]) => {
        resolved.push(asked);
        return ok({
          ref: { provider: "test", model: "small" },
          demo: options.demo ?? false,
          maxOutputTokens: 1_000,
          provider: {
            id: "test",
            chat(request: ModelRequest) {
              requests.push(request);
              return answer(request);
            },
          },
        });
      },
    },
    log: { warn: (...line: unknown[]) => void logged.push(line) },
  } as unknown as EngineDeps;
  const again = (of = run) => titleSession(deps, TENANT, of, new AbortController().signal);
  const title = async () => (await stores.sessions.get(TENANT, id))!.title;
  return { stores, script, id, run, requests, resolved, logged, again, title };
}

test("a session is named by the model for summaries after its first answer, and once", async () => {
  const scene = await named(says('Title: **"Flats to rent hunter2hunter2"**.\nAnything else?'));
  expect(await scene.again()).toBe(true);
  expect(await scene.title()).toBe("Flats to rent [redacted]");
  const [request] = scene.requests;
  expect(request).toMatchObject({ maxOutputTokens: LIMITS.titleTokensMax, tools: [] });
  expect(JSON.stringify(request?.messages)).not.toContain("hunter2");
  // What it took is counted for the day.
  expect(await scene.stores.runs.spentSince(TENANT, 0)).toMatchObject({ tokens: 309 });
  const next = await scene.script.turn(scene.id, "and cheaper?");
  expect(await scene.again(next)).toBe(false);
  expect(scene.requests).toHaveLength(1);
});

test("a title that the owner gave stays, also where they give it while the model thinks", async () => {
  const scene = await named(async function* (request) {
    await scene.stores.sessions.rename(TENANT, scene.id, "Mine", "owner");
    yield* says("Theirs")(request);
  });
  expect(await scene.again()).toBe(false);
  expect(await scene.title()).toBe("Mine");
  expect(await scene.again()).toBe(false);
  expect(scene.requests).toHaveLength(1);
});

test("without a model for summaries the one that answered is asked, with the key of the session", async () => {
  const scene = await named(says("Flats"), { model: "" });
  await scene.stores.sessions.configure(TENANT, scene.id, { profile: "demo:mine" });
  expect(await scene.again()).toBe(true);
  expect(await scene.title()).toBe("Flats");
  expect(scene.resolved).toEqual([["demo/demo", "demo:mine"]]);
  // It is no lap of the run, whose own count stays as it was shown.
  const kept = await scene.stores.runs.get(TENANT, scene.run.id);
  expect([kept?.laps, kept?.usage]).toEqual([scene.run.laps, scene.run.usage]);
});

test("a key of another provider does not pay for the model of summaries", async () => {
  const scene = await named(says("Flats"));
  await scene.stores.sessions.configure(TENANT, scene.id, { profile: "demo:mine" });
  await scene.again();
  expect(scene.resolved).toEqual([["test/small", undefined]]);
});

test("with the demo, past the day's limit and for what was not begun on the page nothing is asked", async () => {
  for (const options of [
    { demo: true },
    { model: "", demo: true },
    { dayCostUsd: 0 },
    { model: "", surface: "cli" },
    { model: "", surface: "http" },
  ]) {
    const scene = await named(says("Never"), options);
    expect(await scene.again()).toBe(false);
    expect(scene.requests).toEqual([]);
  }
});

test("a model that fails, says nothing or writes a novel leaves a title that fits a list", async () => {
  const failed = await named(async function* () {
    const failure = { reason: "UPSTREAM", message: "down", retryable: true } as const;
    yield { type: "failed", failure: failure as never, blocks: [] };
  });
  const before = await failed.title();
  expect(await failed.again()).toBe(false);
  expect(await failed.title()).toBe(before);
  expect(failed.logged).toEqual([
    ["a session was given no title", { session: failed.id, reason: "UPSTREAM" }],
  ]);
  expect(await (await named(says(" \n"))).again()).toBe(false);
  const long = await named(says(`\u202e${"word ".repeat(400)}`));
  expect(await long.again()).toBe(true);
  expect((await long.title()).length).toBeLessThanOrEqual(LIMITS.titleFromMessageCharsMax);
  expect(await long.title()).not.toContain("\u202e");
});
