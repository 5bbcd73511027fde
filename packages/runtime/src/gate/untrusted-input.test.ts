import type { Message } from "@elwood/core/message/message";
import { WORST_LABELS } from "@elwood/core/tool/tool";
import { memoryStores } from "@elwood/testkit/memory-stores";
import { describe, expect, test } from "vitest";
import type { CallRow, RegisteredTool } from "../ports/gate-ports.ts";
import type { RunStore } from "../ports/ports.ts";
import { ConversationProvenance } from "./conversation-provenance.ts";

const T = "default";
const S = "ses_1";

/** A conversation whose runs, versions and calls change as told, of which only the newest so many runs count. */
class Talk {
  readonly provenance: ConversationProvenance;
  readonly ids: string[] = [];
  readonly #stores = memoryStores();
  readonly #calls = new Map<string, CallRow[]>();
  readonly #within: number;
  #now = 0;

  constructor(within = 200) {
    this.#within = within;
    const { runs } = this.#stores;
    const few: RunStore = {
      ...runs,
      shownRuns: (tenant, session) => runs.shownRuns(tenant, session, within),
    };
    const labels = { ...WORST_LABELS, output: "untrusted" as const };
    this.provenance = new ConversationProvenance(
      few,
      {
        callsOfRun: async (_tenant, id) => this.#calls.get(id) ?? [],
        runsWithCalls: async (_tenant, ids) => new Set(ids.filter((id) => this.#calls.has(id))),
        receipts: async () => [],
        body: async () => undefined,
      },
      () => ({ get: () => ({ contract: { labels } }) as unknown as RegisteredTool, list: () => [] }),
    );
  }

  async begin(): Promise<void> {
    await this.#stores.sessions.create(T, { id: S, agentId: "assistant", title: "", at: 0 });
  }

  /** Fails where something is still being answered and it would be a version. */
  async accept(more: { readonly versionOf?: string; readonly piped?: boolean } = {}): Promise<string> {
    const { piped, ...rest } = more;
    const id = `run_${this.ids.length + 1}`;
    const origin = piped ? "piped" : "owner";
    const blocks = [{ type: "text" as const, text: "hi", origin }] as Message["blocks"];
    const inbound: Message = { id: `m${id}`, ts: 0, role: "user", origin: "owner", blocks };
    const at = this.#now++;
    await this.#stores.runs.accept(T, {
      id,
      sessionId: S,
      surface: "t",
      requestHash: id,
      inbound,
      at,
      ...rest,
    });
    this.ids.push(id);
    return id;
  }

  async end(id: string): Promise<void> {
    const at = this.#now++;
    await this.#stores.runs.end(T, id, [], { status: "done", at, transcriptOffset: 0 });
  }

  async turn(more: Parameters<Talk["accept"]>[0] & { readonly reads?: boolean } = {}): Promise<string> {
    const { reads, ...rest } = more;
    const id = await this.accept(rest);
    if (reads) this.read(id);
    await this.end(id);
    return id;
  }

  read(id: string, state: CallRow["state"] = "succeeded"): void {
    const row = { callId: `call_${id}`, runId: id, toolId: "web.page.fetch", state };
    // Only what is looked at here.
    this.#calls.set(id, [...(this.#calls.get(id) ?? []), row as unknown as CallRow]);
  }

  show(id: string): Promise<boolean> {
    return this.#stores.runs.showVersion(T, S, id);
  }

  async open(): Promise<readonly string[]> {
    return (await this.#stores.runs.unfinished(T, S)).map(({ id }) => id);
  }

  asks(id: string): Promise<boolean> {
    return this.provenance.hasUntrustedInput(T, { id, sessionId: S });
  }

  /** The same, read from the beginning of what counts, with nothing in memory. */
  async straight(id: string): Promise<boolean> {
    const ids = (await this.#stores.runs.idsOfSession(T, S, this.#within)).toReversed();
    const at = ids.indexOf(id);
    if (at < 0) return true;
    for (const each of ids.slice(0, at + 1)) {
      const [inbound] = (await this.#stores.runs.journal(T, each)).steps;
      if (inbound!.blocks.some((block) => block.type === "text" && block.origin !== "owner")) return true;
      if (this.#calls.get(each)?.some(({ state }) => state !== "denied")) return true;
    }
    return false;
  }
}

async function talk(within?: number): Promise<Talk> {
  const made = new Talk(within);
  await made.begin();
  return made;
}

describe("words of others in a conversation that changes", () => {
  test("count for what comes after them in the version that is shown, and for nothing where they are not", async () => {
    const it = await talk();
    const first = await it.turn();
    const reading = await it.turn({ reads: true });
    const behind = await it.turn();
    expect(await Promise.all([first, reading, behind].map((id) => it.asks(id)))).toEqual([false, true, true]);
    const instead = await it.turn({ versionOf: reading });
    expect(await it.asks(instead)).toBe(false);
    // What is not shown was never told as the agent's own.
    expect([await it.asks(reading), await it.asks(behind)]).toEqual([true, true]);
    const after = await it.turn();
    expect(await it.asks(after)).toBe(false);
    await it.show(reading);
    expect([await it.asks(first), await it.asks(behind)]).toEqual([false, true]);
    expect([await it.asks(instead), await it.asks(after)]).toEqual([true, true]);
    await it.show(instead);
    expect([await it.asks(after), await it.asks(behind)]).toEqual([false, true]);
  });

  test("count where a run that was accepted first ended last, once it is shown again", async () => {
    const it = await talk();
    const slow = await it.accept();
    const stopped = await it.accept();
    await it.end(stopped);
    it.read(slow);
    await it.end(slow);
    const instead = await it.turn({ versionOf: slow });
    expect([await it.asks(stopped), await it.asks(instead)]).toEqual([false, false]);
    await it.show(slow);
    expect(await it.asks(stopped)).toBe(true);
  });

  test("are seen when a run reads them that was clean before, also with others waiting behind it", async () => {
    const it = await talk();
    const first = await it.turn();
    const going = await it.accept();
    const waiting = await it.accept();
    expect([await it.asks(first), await it.asks(going), await it.asks(waiting)]).toEqual([
      false,
      false,
      false,
    ]);
    it.read(going, "started");
    expect([await it.asks(first), await it.asks(going), await it.asks(waiting)]).toEqual([false, true, true]);
  });

  test("count as long as they are among the runs that count; a run that is not is assumed to have some", async () => {
    const it = await talk(3);
    const [first, second, third] = [await it.turn(), await it.turn({ reads: true }), await it.turn()];
    expect(await Promise.all([first, second, third].map((id) => it.asks(id)))).toEqual([false, true, true]);
    const fourth = await it.turn();
    expect([await it.asks(first), await it.asks(fourth)]).toEqual([true, true]);
    const fifth = await it.turn();
    expect([await it.asks(second), await it.asks(third), await it.asks(fifth)]).toEqual([true, false, false]);
    await it.turn({ piped: true });
    expect([await it.asks(third), await it.asks(fourth), await it.asks(fifth)]).toEqual([true, false, false]);
  });

  test("are assumed where nothing is known of a run or its session", async () => {
    const it = await talk();
    const first = await it.turn();
    expect(await it.asks("run_none")).toBe(true);
    expect(await it.provenance.hasUntrustedInput(T, { id: first, sessionId: "ses_none" })).toBe(true);
    expect(await it.provenance.hasUntrustedInput("other", { id: first, sessionId: S })).toBe(true);
    expect(await it.asks(first)).toBe(false);
  });
});

const SEEDS = Array.from({ length: 60 }, (_, n) => n + 1);
const STEPS = 60;
/** So few that runs leave what counts in most schedules. */
const WITHIN = 9;

test.each(SEEDS)(
  "whatever happens in a conversation, every run is judged as if all were read (schedule %i)",
  async (seed) => {
    const it = await talk(seed % 2 === 0 ? WITHIN : undefined);
    const chance = seeded(seed);
    const oneOf = <Each>(many: readonly Each[]): Each | undefined => many[Math.floor(chance() * many.length)];
    for (let step = 0; step < STEPS; step++) {
      const open = await it.open();
      const any = oneOf(it.ids);
      const going = oneOf(open);
      const does = chance();
      if (does < 0.3) await it.accept({ piped: chance() < 0.04 });
      else if (does < 0.55 && going !== undefined) await it.end(going);
      else if (does < 0.6 && going !== undefined) it.read(going, chance() < 0.5 ? "denied" : "started");
      else if (does < 0.7 && any !== undefined && open.length === 0) await it.turn({ versionOf: any });
      else if (does < 0.8 && any !== undefined && open.length === 0) await it.show(any);
      else if (does < 0.83) it.provenance.clearCache();
      for (const id of chance() < 0.3 ? it.ids : it.ids.filter(() => chance() < 0.1))
        expect([id, await it.asks(id)]).toEqual([id, await it.straight(id)]);
    }
  },
);

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}
