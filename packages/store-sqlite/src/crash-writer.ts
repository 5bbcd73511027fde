/**
 * A process that talks into a state directory until it kills itself, without warning, at
 * the point it was told. Started by crash.test.ts:
 *
 *   node crash-writer.ts <home> talk|recover <point> <nth>
 *
 * It says on standard output what it was promised: `accepted`, `ended` or `committed`
 * and the run, each only once the store had resolved.
 */
import { writeSync } from "node:fs";
import { makeId, type IdKind } from "@elwood/core/base/ids";
import { toTranscriptLines, type Message } from "@elwood/core/message/message";
import { commitSession } from "@elwood/runtime/run/commit";
import { RecentTranscripts } from "@elwood/runtime/run/recent-transcripts";
import type { Clock, Log, Stores } from "@elwood/runtime/ports/ports";
import { statePaths } from "@elwood/platform/state-paths";
import { diskOperations, type FileOperations, type OpenFile } from "./file-operations.ts";
import { openStores } from "./open-stores.ts";

const TENANT = "default";
const TURNS = 4;

const [home = "", mode = "talk", point = "", nth = "1"] = process.argv.slice(2);
let left = Number(nth);

function reach(name: string): void {
  if (name !== point) return;
  left -= 1;
  if (left === 0) process.kill(process.pid, "SIGKILL");
}

function say(word: string, runId: string): void {
  writeSync(1, `${word} ${runId}\n`);
}

let ticks = 0;
const clock: Clock = { now: () => Date.now() + ticks++, sleep: () => Promise.resolve() };
const log: Log = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };
const ids = (kind: IdKind) => makeId(kind, clock.now(), crypto.getRandomValues(new Uint8Array(10)));

const stores = await openStores({ paths: statePaths(home), clock, log, files: pointedFiles() });
await (mode === "recover" ? recover(pointed(stores)) : talk(pointed(stores)));
await stores.close();

async function talk(stores: Stores): Promise<void> {
  const sessions = [];
  for (let i = 0; i < 2; i++) {
    const session = { id: ids("session"), agentId: "assistant", title: "New session", at: clock.now() };
    sessions.push(await stores.sessions.create(TENANT, session));
  }
  for (let turn = 0; turn < TURNS; turn++) {
    // Both messages come in before either is answered, so that a death in one answer leaves the other waiting.
    const queued = [];
    for (const { id } of sessions) queued.push([id, await ask(stores, id, turn)] as const);
    for (const [sessionId, runId] of queued) await answer(stores, sessionId, runId);
  }
}

async function ask(stores: Stores, sessionId: string, turn: number): Promise<string> {
  const id = ids("run");
  const inbound = message("user", `question ${turn} of ${id}`);
  const at = clock.now();
  await stores.runs.accept(TENANT, { id, sessionId, surface: "web", requestHash: "h", inbound, at });
  say("accepted", id);
  return id;
}

async function answer(stores: Stores, sessionId: string, runId: string): Promise<void> {
  const { runs, transcripts } = stores;
  await runs.claim(TENANT, runId, clock.now());
  await runs.setPartial(TENANT, runId, "Let me");
  const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const lap = { model: "demo/demo", usage, costUsd: 1, at: clock.now() };
  await runs.addStep(TENANT, runId, message("assistant", "Let me look."), lap);
  const transcriptOffset = await transcripts.size(TENANT, sessionId);
  const end = { status: "done" as const, at: clock.now(), transcriptOffset };
  await runs.end(TENANT, runId, [message("assistant", "Done.")], end);
  say("ended", runId);
  const { steps } = await runs.journal(TENANT, runId);
  await transcripts.append(TENANT, sessionId, toTranscriptLines(runId, steps));
  await runs.commit(TENANT, runId, steps, clock.now());
  say("committed", runId);
}

/** What a gateway does at its start: ends what was broken off, then writes out what has ended. */
async function recover(stores: Stores): Promise<void> {
  const { runs, transcripts } = stores;
  for (const run of await runs.unfinished(TENANT)) {
    await runs.claim(TENANT, run.id, clock.now());
    const transcriptOffset = await transcripts.size(TENANT, run.sessionId);
    const words = [message("assistant", "Broken off.")];
    await runs.end(TENANT, run.id, words, { status: "failed", at: clock.now(), transcriptOffset });
  }
  for (const { run } of await runs.uncommitted(TENANT)) {
    await commitSession(
      { stores, clock, log, recent: new RecentTranscripts(transcripts) },
      TENANT,
      run.sessionId,
    );
  }
}

function message(role: "user" | "assistant", text: string): Message {
  const origin = role === "user" ? "owner" : "model";
  return { id: ids("message"), ts: clock.now(), role, origin, blocks: [{ type: "text", text }] };
}

/** Points before and after every method: `runs.end:before`, `runs.end:after`, … */
function pointed(stores: Stores): Stores {
  const wrap = <T extends object>(part: string, store: T): T =>
    new Proxy(store, {
      get(target, property) {
        const method = Reflect.get(target, property) as (...args: unknown[]) => Promise<unknown>;
        return async (...args: unknown[]) => {
          reach(`${part}.${String(property)}:before`);
          const value = await method.apply(target, args);
          reach(`${part}.${String(property)}:after`);
          return value;
        };
      },
    });
  return {
    ...stores,
    sessions: wrap("sessions", stores.sessions),
    runs: wrap("runs", stores.runs),
    transcripts: wrap("transcripts", stores.transcripts),
  };
}

/** Points between the file operations of an append: `file.open:after`, `file.write:half`, … */
function pointedFiles(): FileOperations {
  return {
    ...diskOperations,
    async open(path, flags, mode) {
      const file: OpenFile = await diskOperations.open(path, flags, mode);
      if (!path.endsWith(".jsonl")) return file;
      if (flags === "a+") reach("file.open:after");
      return {
        stat: () => file.stat(),
        read: (...args) => file.read(...args),
        close: () => file.close(),
        async write(bytes, offset, length) {
          reach("file.write:before");
          if (point === "file.write:half") {
            await file.write(bytes, offset, Math.floor(length / 2));
            reach("file.write:half");
            return file.write(bytes, offset + Math.floor(length / 2), length - Math.floor(length / 2));
          }
          const written = await file.write(bytes, offset, length);
          reach("file.write:after");
          return written;
        },
        async truncate(size) {
          await file.truncate(size);
          reach("file.truncate:after");
        },
        async sync() {
          await file.sync();
          reach("file.sync:after");
        },
      };
    },
  };
}
