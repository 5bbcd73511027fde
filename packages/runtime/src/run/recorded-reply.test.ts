import { LocalTime } from "@elwood/core/base/local-time";
import { RUN_LIMITS } from "@elwood/core/base/limits";
import { replySegments, textOf, type Block } from "@elwood/core/message/message";
import type { ModelEvent, ModelRequest } from "@elwood/core/model/model";
import { ok } from "@elwood/core/base/result";
import { FixedIds } from "@elwood/testkit/fixed-ids";
import { fromOwner } from "@elwood/testkit/principals";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { memoryStores } from "@elwood/testkit/memory-stores";
import { rig, T } from "@elwood/testkit/gate-rig";
import { expect, test } from "vitest";
import { Engine } from "./engine.ts";
import type { Stores } from "../ports/ports.ts";

const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };

/** One process on stores and a gate that outlive it; its model tells of something that no call did. */
function life(stores: Stores, gate: Awaited<ReturnType<typeof rig>>["gate"], asked: string[]): Engine {
  const log = { error() {}, warn() {}, info() {}, debug() {} };
  return new Engine({
    stores,
    tools: gate,
    recorder: gate,
    clock: new ManualClock(),
    ids: new FixedIds(),
    log,
    hash: (text) => text,
    redact: (text) => text,
    limits: RUN_LIMITS,
    prices: [],
    localTime: new LocalTime("UTC"),
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
            async *chat({ messages }: ModelRequest): AsyncIterable<ModelEvent> {
              asked.push(messages.at(-1)?.role ?? "");
              const blocks: Block[] = [
                { type: "text", text: `Done! I wrote it to notes.md. (${asked.length})` },
              ];
              yield { type: "done", stopReason: "end_turn", blocks, usage, model: "m" };
            },
          },
        }),
    },
  });
}

test("OA-6: a run that dies between its reply and its end ends with that reply, unasked, and on record once", async () => {
  const { gate, ledger } = await rig();
  const stores = memoryStores();
  const { id: sessionId } = await stores.sessions.create(T, {
    id: new FixedIds().next("session"),
    agentId: "a",
    title: "",
    at: 0,
  });
  const asked: string[] = [];
  let broken = true;
  const dying: Stores = {
    ...stores,
    runs: Object.assign(Object.create(stores.runs) as Stores["runs"], {
      end: (...args: Parameters<Stores["runs"]["end"]>) =>
        broken ? new Promise<never>(() => undefined) : stores.runs.end(...args),
    }),
  };
  const first = life(dying, gate, asked);
  const parts = [{ kind: "text" as const, text: "Write it to notes.md.", origin: "owner" as const }];
  const { run } = await first.submit({ ...fromOwner(T), sessionId, parts, surface: "web" });
  first.start(T, run);
  const onRecord = () => ledger.receipts(T, { runId: run.id, types: ["reply.grounded"], limit: 9 });
  await expect.poll(async () => (await onRecord()).length).toBe(1);
  const before = asked.length;

  broken = false;
  const second = life(dying, gate, asked);
  await second.recover(T);
  await second.whenIdle();
  expect(asked).toHaveLength(before);
  expect(await onRecord()).toHaveLength(1);
  expect(await stores.runs.get(T, run.id)).toMatchObject({ status: "done", committed: true });
  const { lines } = await stores.transcripts.load(T, sessionId);
  const reply = lines.at(-1)!;
  expect(textOf(reply).split("\n\n")).toHaveLength(before);
  expect(replySegments(reply)?.map(({ verified }) => verified)).toContain("unsupported");
  expect(reply.meta?.evidence).toMatch(/^◈ \d statements? (?:is|are) not verified$/u);
});
