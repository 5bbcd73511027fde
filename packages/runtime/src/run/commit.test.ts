import { FailureError, failure } from "@elwood/core/base/failure";
import { textOf, toTranscriptLines, type Message } from "@elwood/core/message/message";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { memoryStores } from "@elwood/testkit/memory-stores";
import { expect, test } from "vitest";
import { commitSession } from "./commit.ts";
import type { Stores } from "../ports/ports.ts";
import { RecentTranscripts } from "./recent-transcripts.ts";

const T = "default";
const S = "ses_00000000000000000000000001";
const quiet = { error() {}, warn() {}, info() {}, debug() {} };

const message = (id: string, role: Message["role"], text: string): Message => ({
  id,
  ts: 0,
  role,
  origin: role === "user" ? "owner" : "model",
  blocks: [{ type: "text", text }],
});

/** Ended runs that have not been written out, all noted at the same place, as a full disk leaves them. */
async function endedRuns(count: number): Promise<ReturnType<typeof memoryStores>> {
  const stores = memoryStores();
  await stores.sessions.create(T, { id: S, agentId: "assistant", title: "t", at: 0 });
  for (let n = 0; n < count; n++) {
    const id = `run_0000000000000000000000000${n}`;
    await stores.runs.accept(T, {
      id,
      sessionId: S,
      surface: "test",
      requestHash: id,
      inbound: message(`q${n}`, "user", `question ${n}`),
      at: n,
    });
    await stores.runs.claim(T, id, n);
    await stores.runs.end(T, id, [message(`a${n}`, "assistant", `answer ${n}`)], {
      status: "done",
      at: n,
      transcriptOffset: 0,
    });
  }
  return stores;
}

const deps = (stores: Stores) => ({
  stores,
  clock: new ManualClock(),
  log: quiet,
  recent: new RecentTranscripts(stores.transcripts),
});

class PulledPlug extends Error {}

/** Counts operations and stops the world before, or just after, the n-th. */
function plugAt(stores: Stores, n: number, when: "before" | "after"): Stores {
  let count = 0;
  const wrap = <O extends object>(part: O): O =>
    new Proxy(part, {
      get(target, name, receiver) {
        const value: unknown = Reflect.get(target, name, receiver);
        if (typeof value !== "function") return value;
        return async (...args: unknown[]) => {
          const mine = count++;
          if (mine === n && when === "before") throw new PulledPlug();
          const result: unknown = await Reflect.apply(value, target, args);
          if (mine === n) throw new PulledPlug();
          return result;
        };
      },
    });
  return { ...stores, runs: wrap(stores.runs), transcripts: wrap(stores.transcripts) };
}

const texts = async (stores: Stores) => (await stores.transcripts.load(T, S)).lines.map(textOf);

test("EL-4: wherever the plug is pulled while runs are written out, each stands in the file once, in order", async () => {
  const wanted = [0, 1, 2].flatMap((n) => [`question ${n}`, `answer ${n}`]);
  let points = 0;
  for (const when of ["before", "after"] as const) {
    for (let n = 0; ; n++) {
      const stores = await endedRuns(3);
      const pulled = await commitSession(deps(plugAt(stores, n, when)), T, S).then(
        () => false,
        (error: unknown) => error instanceof PulledPlug,
      );
      await commitSession(deps(stores), T, S);
      expect(await texts(stores), `${when} operation ${n}`).toEqual(wanted);
      expect(await stores.runs.uncommitted(T, S)).toEqual([]);
      if (!pulled) break;
      points += 1;
    }
  }
  expect(points).toBeGreaterThan(20);
});

test("EL-4: a run that ended behind a broken append, but comes first, does not leave that append in the file", async () => {
  const stores = await endedRuns(2);
  const [first, second] = await stores.runs.uncommitted(T, S);
  // The append of the second was written and never marked; the first ended after that, in the same millisecond.
  await stores.transcripts.append(
    T,
    S,
    toTranscriptLines(second!.run.id, [message("q1", "user", "question 1")]),
  );
  await stores.runs.noteOffset(T, first!.run.id, await stores.transcripts.size(T, S));
  for (const when of ["before", "after"] as const)
    for (let n = 0; n < 12; n++)
      await commitSession(deps(plugAt(stores, n, when)), T, S).catch(() => undefined);
  await commitSession(deps(stores), T, S);
  expect(await texts(stores)).toEqual(["question 0", "answer 0", "question 1", "answer 1"]);
});

test("a full disk leaves everything in the journal, in order, and the next try writes it all", async () => {
  const stores = await endedRuns(2);
  let full = true;
  const transcripts = new Proxy(stores.transcripts, {
    get(target, name, receiver) {
      if (name === "append" && full) {
        return async () => {
          throw new FailureError(failure("STORAGE_FULL", "The disk is full."));
        };
      }
      return Reflect.get(target, name, receiver) as unknown;
    },
  });
  expect(await commitSession(deps({ ...stores, transcripts }), T, S)).toBe(false);
  expect(await stores.runs.uncommitted(T, S)).toHaveLength(2);
  full = false;
  expect(await commitSession(deps({ ...stores, transcripts }), T, S)).toBe(true);
  expect(await texts(stores)).toEqual(["question 0", "answer 0", "question 1", "answer 1"]);
});

test("recent messages are not read from the file again until it changes otherwise", async () => {
  const stores = await endedRuns(2);
  let loads = 0;
  const transcripts = new Proxy(stores.transcripts, {
    get(target, name, receiver) {
      if (name === "load") loads += 1;
      return Reflect.get(target, name, receiver) as unknown;
    },
  });
  const d = deps({ ...stores, transcripts });
  expect((await d.recent.messages(T, S)).messages).toEqual([]);
  await commitSession(d, T, S);
  expect((await d.recent.messages(T, S)).messages.map(textOf)).toEqual([
    "question 0",
    "answer 0",
    "question 1",
    "answer 1",
  ]);
  expect(loads).toBe(1);
  await stores.transcripts.truncate(T, S, 0);
  expect((await d.recent.messages(T, S)).messages).toEqual([]);
  expect(loads).toBe(2);
});
