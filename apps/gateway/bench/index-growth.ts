/**
 * Writes transcripts with so many made-up turns into a state directory, indexes them as the gateway does, and measures
 * what one more turn and a search cost then; prints JSON. Started by `npm run bench -- index`, which starts a gateway
 * on the directory afterwards:
 *
 *   node index-growth.ts <state directory> <turns>
 */
import { appendFileSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeRedactor } from "@elwood/core/base/redact";
import type { MemoryQuery } from "@elwood/core/memory/turn";
import { systemClock } from "@elwood/platform/system";
import { MemoryIndex } from "@elwood/memory/memory-index";
import { MadeUpTurns } from "./made-up-turns.ts";

const TENANT = "default";
const TURNS_PER_SESSION = 60;
const APPENDS = 100;
const QUESTIONS = 60;
const WARM_UP = 5;
/** Each question is asked so often, and the median counts, since other work may run beside it. */
const ROUNDS = 3;
const START = Date.UTC(2016, 0, 1);
const TEN_YEARS_MS = 10 * 365.25 * 86_400_000;

const [home = "", turnsWanted = "1000"] = process.argv.slice(2);
const total = Number(turnsWanted);
const made = new MadeUpTurns(7);
const folder = join(home, "sessions", TENANT);
mkdirSync(folder, { recursive: true, mode: 0o700 });
/** From the middle of what is remembered, so that each question has an answer. */
const questions: string[] = [];
const askEvery = Math.max(1, Math.floor(total / (QUESTIONS + WARM_UP)));
for (let first = 0; first < total; first += TURNS_PER_SESSION) writeSession(first);

const silent = () => undefined;
const path = join(home, "memory.db");
const index = new MemoryIndex({
  home,
  path,
  tenant: TENANT,
  clock: systemClock,
  log: { error: silent, warn: silent, info: silent, debug: silent },
  redact: makeRedactor([]),
  trashed: async () => new Set<string>(),
});
const indexMs = await timed(() => index.start());
const append = await withCpu(APPENDS, appended);
const searches = (QUESTIONS + WARM_UP) * ROUNDS;
const recall = await withCpu(searches, () =>
  searched({ forRecall: true, exceptSession: "now", origins: ["owner", "agent"] }),
);
const search = await withCpu(searches, () => searched({}));
const sweepMs = await timed(() => index.sweep());
await index.close();
const bytes = statSync(path).size;
process.stdout.write(JSON.stringify({ turns: total, indexMs, append, recall, search, sweepMs, bytes }));

function writeSession(first: number): void {
  const lines = Array.from({ length: Math.min(TURNS_PER_SESSION, total - first) }, (_, at) => {
    const text = made.turn();
    if ((first + at) % askEvery === 0) questions.push(made.questionAbout(text));
    return lineOf(first + at, text);
  });
  writeFileSync(join(folder, `ses_${first}.jsonl`), lines.join(""), { mode: 0o600 });
}

function lineOf(turn: number, text: string): string {
  const isOwner = turn % 2 === 0;
  const ts = START + Math.floor((TEN_YEARS_MS * turn) / total);
  const whose = isOwner ? { role: "user", origin: "owner" } : { role: "assistant", origin: "model" };
  const place = { v: 1, id: `msg_${turn}`, run: `run_${turn >> 1}`, i: isOwner ? 0 : 1, n: 2, ts };
  return `${JSON.stringify({ ...place, ...whose, blocks: [{ type: "text", text }] })}\n`;
}

/** One more turn, each in a write of its own. */
async function appended(): Promise<number[]> {
  const file = join(folder, "ses_last.jsonl");
  writeFileSync(file, "", { mode: 0o600 });
  const times: number[] = [];
  for (let at = 0; at < APPENDS; at++) {
    const from = statSync(file).size;
    appendFileSync(file, lineOf(total + at, made.turn()));
    const to = statSync(file).size;
    times.push(
      await timed(async () => {
        index.transcriptChanged({ tenant: TENANT, sessionId: "ses_last", what: "appended", from, to });
        await index.settled();
      }),
    );
  }
  return times;
}

async function searched(more: Partial<MemoryQuery>): Promise<number[]> {
  const now = START + TEN_YEARS_MS;
  const times: number[] = [];
  for (const [at, text] of questions.entries()) {
    const rounds: number[] = [];
    for (let round = 0; round < ROUNDS; round++)
      rounds.push(await timed(() => index.search({ text, limit: 40, tokensMax: 4_000, now, ...more })));
    // The first few warm up the file's pages and the code.
    if (at >= WARM_UP) times.push(rounds.sort((a, b) => a - b)[ROUNDS >> 1]!);
  }
  return times;
}

/** Times, and the CPU that one of so many took in all threads, which other work on the machine disturbs less. */
async function withCpu(count: number, work: () => Promise<number[]>) {
  const before = process.cpuUsage();
  const times = await work();
  const { user, system } = process.cpuUsage(before);
  return { times, cpuMs: (user + system) / 1_000 / count };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}
