/**
 * Plays recorded messages of an owner through an index of their own, one conversation after the other, and prints
 * as JSON what each message recalled. Started by `npm run bench -- recall <file>`:
 *
 *   node recall-tasks.ts <file>
 */
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LocalTime } from "@elwood/core/base/local-time";
import { makeRedactor } from "@elwood/core/base/redact";
import type { Recalled, RecallAbout } from "@elwood/runtime/ports/ports";
import { Memory } from "@elwood/memory/open-memory";
import { buildMemorySystem } from "@elwood/memory/recall/memory-system";

const TENANT = "default";
const RECALL_TOKENS = 1_000;
const NOON = Date.UTC(2026, 10, 15, 12);
const MINUTE_MS = 60_000;

interface RecordedTask {
  readonly task: number;
  readonly turnInSession: number;
  readonly owner: string;
  readonly laps: readonly {
    readonly answer: {
      readonly text?: string;
      readonly calls?: readonly { readonly name: string; readonly input: Record<string, unknown> }[];
    };
  }[];
}

const [file = ""] = process.argv.slice(2);
const home = mkdtempSync(join(tmpdir(), "elwood-recall-"));
mkdirSync(join(home, "sessions", TENANT), { recursive: true });
mkdirSync(join(home, "memory", TENANT), { recursive: true });
let now = NOON;
const clock = { now: () => now, sleep: () => new Promise<void>(() => undefined) };
const silent = () => undefined;
const log = { error: silent, warn: silent, info: silent, debug: silent };
const redact = makeRedactor([]);
const noNotes = { of: () => "owner" as const };
const memory = new Memory({
  enabled: true,
  paths: { home, memoryDatabase: join(home, "memory.db") },
  tenant: TENANT,
  clock,
  log,
  redact,
  stores: () => ({ sessions: { list: async () => ({ sessions: [] }) }, noteOrigins: noNotes }),
});
const system = buildMemorySystem({
  tenant: TENANT,
  settings: { enabled: true, recall: { tokens: RECALL_TOKENS } },
  folder: join(home, "memory"),
  origins: noNotes,
  never: { has: () => false, isEmpty: () => true },
  hidden: { has: () => false, isEmpty: () => true },
  redact,
  clock,
  localTime: new LocalTime("UTC"),
  index: () => memory.index(),
  conversations: () => ({ hasUntrustedInput: async () => false }),
} as unknown as Parameters<typeof buildMemorySystem>[0]);

const recalls: object[] = [];
let session = "";
let told = new Set<string>();
let line = 0;
try {
  const tasks = readFileSync(file, "utf8").trim().split("\n");
  for (const recorded of tasks.map((each) => JSON.parse(each) as RecordedTask)) await play(recorded);
} finally {
  await memory.close();
  rmSync(home, { recursive: true, force: true });
}
process.stdout.write(JSON.stringify({ recalls }));

async function play({ task, turnInSession, owner, laps }: RecordedTask): Promise<void> {
  if (turnInSession === 1) {
    session = `ses_${task}`;
    told = new Set();
    line = 0;
  }
  now += MINUTE_MS;
  // What the recording itself had recalled, or was piped in, is no word of the owner's.
  const message = owner.split("\n\n<data origin=")[0]!.trim();
  const index = await memory.index();
  await index?.sweep();
  const about: RecallAbout = {
    runId: `run_${task}`,
    sessionId: session,
    agentId: "assistant",
    wasTold: ({ source, line: at }) => told.has(`${source}#${at}`),
  };
  const found: Recalled | undefined = await system.engine.recall!.before(
    TENANT,
    about,
    message,
    new AbortController().signal,
  );
  for (const { source, line: at } of found?.items ?? []) told.add(`${source}#${at}`);
  recalls.push({ task, message, recalled: found?.text.split("\n").slice(1) ?? [] });
  say("user", "owner", message, task);
  const reply = laps.at(-1)?.answer.text ?? "";
  if (reply !== "") say("assistant", "model", reply, task);
  for (const { name, input } of laps.flatMap(({ answer }) => answer.calls ?? []))
    if (name === "memory__note__save")
      appendFileSync(
        join(home, "memory", TENANT, `${String(input["key"])}.md`),
        `${String(input["content"])}\n`,
      );
}

function say(role: string, origin: string, text: string, task: number): void {
  line += 1;
  const written = { v: 1, id: `msg_${task}_${line}`, run: `run_${task}`, i: 0, n: 1, ts: now, role, origin };
  appendFileSync(
    join(home, "sessions", TENANT, `${session}.jsonl`),
    `${JSON.stringify({ ...written, blocks: [{ type: "text", text }] })}\n`,
  );
}
