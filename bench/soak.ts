/**
 * npm run soak [-- --turns 100000]: a day of use in as little time as it takes.
 *
 * A real gateway, with the environment that a service has, and a model that answers at once: turns in sessions
 * that come and go, four clients at a time that break off and come back, a call in every tenth turn (every fifth
 * of these is a write that the owner allows), jobs that are run by hand, reminders, searches. After every tenth
 * of it the gateway rests, and its memory, descriptors, processes and state directory are looked at. It fails
 * where memory after a rest is more than a tenth above that after the first tenth, where descriptors or processes
 * are left over, where a part of the state directory grows that should not or grows faster and faster, or where
 * the receipts do not verify in the end.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { GatewayClient, isPush } from "@elwood/sdk/client";
import { startInstantModel, type InstantReply, type WireMessage } from "./instant-model.ts";
import { freePort, rssMb, startAndTime, stop } from "./processes.ts";
import { variedMessage } from "./varied-messages.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const LAUNCHER = join(ROOT, "apps/cli/bin/elwood.mjs");
const TURNS = 100_000;
const SAMPLES = 10;
const CLIENTS = 4;
/** A session has so many turns, and another one takes its place. */
const SESSION_TURNS = 50;
/** A client breaks off and comes back after so many of its turns. */
const CONNECTION_TURNS = 100;
const CALL_EVERY = 10;
const WRITE_EVERY = 50;
const JOB_EVERY = 200;
const SEARCH_EVERY = 100;
/** Longer than what the gateway waits before it gives memory back. */
const REST_MS = 25_000;
const GROWN_MAX = 0.1;
const FDS_MORE_MAX = 4;
/** Of bytes a turn in the last half, against the first: more is growth that feeds itself. */
const STEEPER_MAX = 1.5;
/** Parts of the state directory that what is said and done goes into. */
const GROWS = new Set(["database", "index", "conversations", "undo", "files"]);
/** What any other part may be larger by: gauges, pointers, a log. */
const OTHER_BYTES_MAX = 5 * 1024 * 1024;

interface Sample {
  readonly turns: number;
  readonly seconds: number;
  readonly rssMb: number;
  readonly fds: number;
  readonly processes: number;
  readonly parts: Readonly<Record<string, number>>;
}

const { values } = parseArgs({ options: { turns: { type: "string" }, keep: { type: "boolean" } } });
const turns = values.turns === undefined ? TURNS : Number(values.turns);
if (!Number.isInteger(turns) || turns < SAMPLES * CLIENTS)
  throw new Error(`--turns takes a whole number of at least ${SAMPLES * CLIENTS}.`);

async function soak(count: number): Promise<boolean> {
  const model = await startInstantModel(answer);
  const home = mkdtempSync(join(tmpdir(), "elwood-soak-"));
  writeFileSync(
    join(home, "config.yaml"),
    "limits: { dayCostUsd: 1000000 }\nheartbeat: { intervalMinutes: 0 }\n",
  );
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    PATH: process.env["PATH"] ?? "",
    CI: "1",
    // As a service has them: what threads have freed goes back to the system.
    MALLOC_ARENA_MAX: "2",
    MALLOC_TRIM_THRESHOLD_: "262144",
    MALLOC_MMAP_THRESHOLD_: "32768",
    ELWOOD_HOME: home,
    ELWOOD_SESSION_TITLES: "off",
    ELWOOD_MODEL: "anthropic/claude-sonnet-5-5",
    ANTHROPIC_API_KEY: "soak-key-not-a-secret",
    ANTHROPIC_BASE_URL: model.url,
  };
  const args = [LAUNCHER, "up", "--no-open", "--port", String(port)];
  const { child } = await startAndTime(process.execPath, args, `${url}/readyz`, env);
  try {
    const token = readFileSync(join(home, "keys/owner-token"), "utf8").trim();
    for (let i = 0; i < 10; i++)
      writeFileSync(join(home, "files", `note-${i}.txt`), `Note ${i}: buy milk.\n`);
    const work = new Work({ url, token });
    await work.prepare();
    const began = performance.now();
    const samples: Sample[] = [];
    for (let tenth = 1; tenth <= SAMPLES; tenth++) {
      await work.until(Math.round((count * tenth) / SAMPLES));
      await wait(REST_MS);
      const seconds = (performance.now() - began) / 1_000;
      samples.push(sampled(child.pid!, home, work.turns, seconds));
      tell(samples.at(-1)!);
    }
    await work.close();
    await stop(child);
    const verified = spawnSync(process.execPath, [LAUNCHER, "receipts", "verify"], { env, encoding: "utf8" });
    process.stdout.write(`${verified.stdout.trim()}\n`);
    const faults = [...faultsOf(samples), ...(verified.status === 0 ? [] : ["The receipts do not verify."])];
    process.stdout.write(`${work.told()}\n${grownText(samples)}\n`);
    process.stdout.write(faults.length === 0 ? "Nothing leaked.\n" : `${faults.join("\n")}\n`);
    return faults.length === 0;
  } finally {
    await stop(child);
    await model.close();
    if (values.keep === true) process.stdout.write(`${home}\n`);
    else rmSync(home, { recursive: true, force: true });
  }
}

/** What the clients do, each in lines of its own. */
class Work {
  readonly #at: { readonly url: string; readonly token: string };
  readonly #clients: GatewayClient[] = [];
  readonly #waiting = new Map<string, PromiseWithResolvers<void>>();
  /** Runs that ended before the answer to `chat.send` was read. */
  readonly #early = new Map<string, Error | undefined>();
  readonly #sessions: { key: string; turns: number }[] = [];
  readonly #counts = { calls: 0, writes: 0, jobs: 0, reconnects: 0, searches: 0, sessions: 0 };
  #next = 0;

  constructor(at: { readonly url: string; readonly token: string }) {
    this.#at = at;
  }

  get turns(): number {
    return this.#next;
  }

  async prepare(): Promise<void> {
    for (let i = 0; i < CLIENTS; i++) this.#clients.push(await this.#connected());
    const client = this.#clients[0]!;
    await client.call("jobs.create", { kind: "task", name: "soak", message: "What is new?", every: "30d" });
    await client.call("memory.save", { key: "boat", content: "- The boat lies in Bergen\n" });
  }

  async until(turns: number): Promise<void> {
    const lane = async (index: number) => {
      while (this.#next < turns) await this.#turn(index, this.#next++);
    };
    await Promise.all(this.#clients.map((_client, index) => lane(index)));
  }

  async close(): Promise<void> {
    for (const client of this.#clients) await client.close();
  }

  told(): string {
    return `${this.#next} turns; ${Object.entries(this.#counts)
      .map(([what, count]) => `${count} ${what}`)
      .join(", ")}`;
  }

  async #connected(): Promise<GatewayClient> {
    const client = await GatewayClient.connect({ ...this.#at, client: { name: "soak", drafts: true } });
    client.onPush((push) => {
      if (isPush(push, "chat.error")) this.#ended(push.data.runId, new Error(push.data.message));
      if (isPush(push, "chat.final")) this.#ended(push.data.runId);
      // Every client hears of it; the first decides for all.
      if (isPush(push, "exec.approval_request") && client === this.#clients[0])
        void client.call("exec.approve", { approvalId: push.data.approvalId });
    });
    return client;
  }

  async #turn(index: number, turn: number): Promise<void> {
    const own = (this.#sessions[index] ??= { key: "", turns: 0 });
    const client = this.#clients[index]!;
    if (own.turns % SESSION_TURNS === 0) {
      own.key = (await client.call("sessions.create", {})).sessionKey;
      this.#counts.sessions += 1;
    }
    own.turns += 1;
    await this.#said(client, own.key, messageOf(turn));
    if (turn % CALL_EVERY === 0) this.#counts.calls += 1;
    if (turn % WRITE_EVERY === 0) this.#counts.writes += 1;
    if (turn % SEARCH_EVERY === 0) {
      await client.call("sessions.search", { query: "milk" });
      this.#counts.searches += 1;
    }
    if (turn % JOB_EVERY === 0) await this.#job(client);
    // The first decides on calls, and stays.
    if (index > 0 && own.turns % CONNECTION_TURNS === 0) {
      await client.close();
      this.#clients[index] = await this.#connected();
      this.#counts.reconnects += 1;
    }
  }

  async #said(client: GatewayClient, sessionKey: string, message: string): Promise<void> {
    const { runId } = await client.call("chat.send", { sessionKey, message });
    if (this.#early.has(runId)) {
      const error = this.#early.get(runId);
      this.#early.delete(runId);
      if (error) throw error;
      return;
    }
    const waiting = Promise.withResolvers<void>();
    this.#waiting.set(runId, waiting);
    await waiting.promise;
  }

  async #job(client: GatewayClient): Promise<void> {
    const { occurrence } = await client.call("jobs.run", { name: "soak" });
    for (;;) {
      const { history } = await client.call("jobs.get", { name: "soak" });
      const now = history.find(({ occurrenceId }) => occurrenceId === occurrence.occurrenceId);
      if (now && !["due", "queued", "running"].includes(now.status)) break;
      await wait(20);
    }
    this.#counts.jobs += 1;
  }

  #ended(runId: string, error?: Error): void {
    const waiting = this.#waiting.get(runId);
    // Runs of jobs are followed by nobody.
    if (!waiting) return void this.#early.set(runId, error);
    this.#waiting.delete(runId);
    if (error) waiting.reject(error);
    else waiting.resolve();
  }
}

function messageOf(turn: number): string {
  if (turn % WRITE_EVERY === 0) return `Please keep list ${turn} [[write ${turn % 100}]]`;
  if (turn % CALL_EVERY === 0) return `What does note ${turn % 10} say? [[read ${turn % 10}]]`;
  return variedMessage(turn).text;
}

/** Does what the marks in the last message want, and answers whatever came of it. */
function answer({ content }: WireMessage): InstantReply {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const done = blocks.some(({ type }) => type === "tool_result");
  const [, what, number] =
    /\[\[(read|write) (\d+)\]\]/.exec(blocks.map(({ text = "" }) => text).join("\n")) ?? [];
  if (done || what === undefined) return { text: "Here is what I found." };
  return what === "read"
    ? { tool: "files__file__read", input: { path: `note-${number}.txt` } }
    : { tool: "files__file__write", input: { path: `list-${number}.txt`, content: `List ${number}\n` } };
}

function sampled(pid: number, home: string, at: number, seconds: number): Sample {
  const said = spawnSync(process.execPath, [LAUNCHER, "state", "--json"], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"] ?? "", ELWOOD_HOME: home },
  });
  const { parts } = JSON.parse(said.stdout) as { parts: { name: string; bytes: number }[] };
  return {
    turns: at,
    seconds,
    rssMb: rssMb(pid),
    fds: readdirSync(`/proc/${pid}/fd`).length,
    processes: descendants(pid),
    parts: Object.fromEntries(parts.map(({ name, bytes }) => [name, bytes])),
  };
}

function descendants(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
    .trim()
    .split(" ")
    .filter(Boolean);
  return children.reduce((sum, child) => sum + 1 + descendants(Number(child)), 0);
}

function tell({ turns: at, seconds, rssMb: rss, fds, processes, parts }: Sample): void {
  const sizes = Object.entries(parts).map(([name, bytes]) => `${name} ${mb(bytes)}`);
  process.stdout.write(
    `${at} turns, ${seconds.toFixed(0)} s: ${rss.toFixed(0)} MB, ${fds} descriptors, ${processes} processes; ${sizes.join(", ")}\n`,
  );
}

function faultsOf(samples: readonly Sample[]): string[] {
  const [first, last] = [samples[0]!, samples.at(-1)!];
  const faults: string[] = [];
  const grown = last.rssMb / first.rssMb - 1;
  if (grown > GROWN_MAX)
    faults.push(`Memory grew by ${percent(grown)} since the first tenth (at most ${percent(GROWN_MAX)}).`);
  if (last.fds > first.fds + FDS_MORE_MAX) faults.push(`Descriptors grew from ${first.fds} to ${last.fds}.`);
  if (last.processes > first.processes)
    faults.push(`Processes grew from ${first.processes} to ${last.processes}.`);
  const middle = samples[Math.floor(samples.length / 2)]!;
  for (const name of Object.keys(last.parts)) {
    const [a, b, c] = [first, middle, last].map(({ parts }) => parts[name] ?? 0) as [number, number, number];
    if (!GROWS.has(name) && c - a > OTHER_BYTES_MAX) faults.push(`${name} grew by ${mb(c - a)}.`);
    const [early, late] = [(b - a) / (middle.turns - first.turns), (c - b) / (last.turns - middle.turns)];
    if (GROWS.has(name) && c - a > OTHER_BYTES_MAX && late > early * STEEPER_MAX)
      faults.push(`${name} grows faster and faster: ${bytesText(early)}, then ${bytesText(late)} a turn.`);
  }
  return faults;
}

function grownText(samples: readonly Sample[]): string {
  const [first, last] = [samples[0]!, samples.at(-1)!];
  const rates = Object.keys(last.parts).map((name) => {
    const bytes = (last.parts[name] ?? 0) - (first.parts[name] ?? 0);
    return `${name} ${bytesText(bytes / (last.turns - first.turns))}`;
  });
  const memory = `${first.rssMb.toFixed(0)} → ${last.rssMb.toFixed(0)} MB (${percent(last.rssMb / first.rssMb - 1)})`;
  return `Since turn ${first.turns}: memory ${memory}, descriptors ${first.fds} → ${last.fds}, processes ${first.processes} → ${last.processes}. A turn takes: ${rates.join(", ")}.`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function mb(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

function bytesText(bytes: number): string {
  return `${Math.round(bytes)} bytes`;
}

process.exitCode = (await soak(turns)) ? 0 : 1;
