import { type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { GatewayClient, isPush } from "@elwood/sdk/client";
import { writeEarlierTurns } from "./earlier-turns.ts";
import { startInstantModel, type InstantReply, type WireMessage } from "./instant-model.ts";
import { cpuSeconds, freePort, quantile, rssMb, startAndTime, stop } from "./processes.ts";
import { variedMessage } from "./varied-messages.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SESSIONS = 100;
const AT_A_TIME = 8;
/** Figures are taken for so many turns each, so that growth is seen. */
const BLOCK_TURNS = 1_000;
/** The two gateways take turns this often: a machine whose speed changes is the same for both, and neither of them rests. */
const SLICE_TURNS = 250;
/** One after the other behind each block: what a turn adds is not to be measured while eight wait for each other. */
const SERIAL_TURNS = 40;
const REST_MS = 20_000;
const INDEXED_MS_MAX = 30 * 60_000;
const POLL_MS = 500;

/** What a thousand turns took, and what the process holds afterwards. */
export interface VariedBlock {
  readonly turns: number;
  readonly turnsPerSecond: number;
  readonly cpuMsPerTurn: number;
  /** Time in all of a turn that waits for no other. */
  readonly allMs: number;
  readonly rssMb: number;
  /** Of the first block and the last: in between it goes on at once, as eight people who write all day would. */
  readonly restedRssMb?: number;
}

export interface VariedRun {
  readonly recalls: number;
  readonly requests: number;
  readonly blocks: readonly VariedBlock[];
}

/**
 * Varied messages in a hundred sessions, eight at a time, with notes and tools used: two gateways side by side, one
 * with recall and one without, that work by turns. Both have `indexed` turns of earlier years.
 */
export async function variedTurns(
  turns: number,
  indexed: number,
): Promise<{ on: VariedRun; off: VariedRun }> {
  const on = await Measured.start("", indexed);
  const off = await Measured.start("memory:\n  recall:\n    tokens: 0\n", indexed);
  try {
    for (const each of [on, off]) await each.indexed(indexed);
    for (let from = 0; from < turns; from += BLOCK_TURNS) {
      const count = Math.min(BLOCK_TURNS, turns - from);
      await block([on, off], from, count);
      if (from > 0 && from + count < turns) continue;
      await wait(REST_MS);
      for (const each of [on, off]) each.rested();
    }
    return { on: on.run(), off: off.run() };
  } finally {
    await on.stop();
    await off.stop();
  }
}

async function block(both: readonly Measured[], from: number, count: number): Promise<void> {
  const to = from + count;
  for (const each of both) each.begin();
  for (let at = from; at < to; at += SLICE_TURNS)
    for (const each of both) await each.work(at, Math.min(at + SLICE_TURNS, to));
  for (const each of both) await each.end(from, to);
}

/** A gateway under measurement with a client of its own. */
class Measured {
  readonly #child: ChildProcess;
  readonly #client: GatewayClient;
  readonly #model: AnsweringModel;
  readonly #home: string;
  readonly #sessions: string[] = [];
  readonly #waiting = new Map<string, PromiseWithResolvers<void>>();
  /** Runs that ended before the answer to `chat.send` was read. */
  readonly #early = new Map<string, Error | undefined>();
  readonly #blocks: VariedBlock[] = [];
  #recalls = 0;
  #workedMs = 0;
  #cpuBefore = 0;

  static async start(config: string, earlier: number): Promise<Measured> {
    const model = await answeringModel();
    const home = mkdtempSync(join(tmpdir(), "elwood-bench-"));
    const path = join(home, "bench.yaml");
    // The daily cost limit would end thousands of turns early; the model here costs nothing.
    writeFileSync(path, `limits:\n  dayCostUsd: 1000000\n${config}`);
    writeEarlierTurns(home, earlier);
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const env = {
      ...process.env,
      CI: "1",
      // As `npm start` and every service have them.
      MALLOC_ARENA_MAX: "2",
      MALLOC_TRIM_THRESHOLD_: "262144",
      MALLOC_MMAP_THRESHOLD_: "32768",
      ELWOOD_HOME: home,
      ELWOOD_SESSION_TITLES: "off",
      ELWOOD_MODEL: "anthropic/claude-sonnet-5-5",
      ANTHROPIC_API_KEY: "bench-key-not-a-secret",
      ANTHROPIC_BASE_URL: model.url,
    };
    const args = [join(ROOT, "apps/cli/bin/elwood.mjs"), "--config", path, "up", "--no-open", "--port"];
    const { child } = await startAndTime("node", [...args, String(port)], `${url}/readyz`, env);
    const token = readFileSync(join(home, "keys/owner-token"), "utf8").trim();
    const client = await GatewayClient.connect({ url, token, client: { name: "bench", drafts: true } });
    const measured = new Measured(child, client, model, home);
    for (let session = 0; session < SESSIONS; session++)
      measured.#sessions.push((await client.call("sessions.create", {})).sessionKey);
    return measured;
  }

  private constructor(child: ChildProcess, client: GatewayClient, model: AnsweringModel, home: string) {
    this.#child = child;
    this.#client = client;
    this.#model = model;
    this.#home = home;
    client.onPush((push) => {
      if (isPush(push, "chat.error")) this.#ended(push.data.runId, new Error(push.data.message));
      if (!isPush(push, "chat.final")) return;
      if (push.data.recalled) this.#recalls += 1;
      this.#ended(push.data.runId);
    });
  }

  /** Waits until memory has read what was said before. */
  async indexed(count: number): Promise<void> {
    if (count === 0) return;
    const deadline = performance.now() + INDEXED_MS_MAX;
    for (;;) {
      const { turns, behind } = await this.#client.call("memory.status", {});
      if (turns >= count && behind === 0) return;
      if (performance.now() > deadline)
        throw new Error(`only ${turns} of ${count} turns were indexed in time`);
      await wait(POLL_MS);
    }
  }

  begin(): void {
    this.#workedMs = 0;
    this.#cpuBefore = cpuSeconds(this.#child.pid!);
  }

  async work(from: number, to: number): Promise<void> {
    const began = performance.now();
    let next = from;
    const lane = async () => {
      while (next < to) await this.#turn(next++);
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, lane));
    this.#workedMs += performance.now() - began;
  }

  /** Counts all that it did since `begin`, also while the other one worked. */
  async end(from: number, to: number): Promise<void> {
    const pid = this.#child.pid!;
    const cpuMs = (cpuSeconds(pid) - this.#cpuBefore) * 1_000;
    const times: number[] = [];
    for (let turn = 0; turn < SERIAL_TURNS; turn++) {
      const started = performance.now();
      // Beyond all blocks, so that no message comes twice.
      await this.#turn(SERIAL_FROM + from + turn);
      times.push(performance.now() - started);
    }
    this.#blocks.push({
      turns: to,
      turnsPerSecond: ((to - from) * 1_000) / this.#workedMs,
      cpuMsPerTurn: cpuMs / (to - from),
      allMs: quantile(times, 0.5),
      rssMb: rssMb(pid),
    });
  }

  rested(): void {
    const last = this.#blocks.pop()!;
    this.#blocks.push({ ...last, restedRssMb: rssMb(this.#child.pid!) });
  }

  run(): VariedRun {
    return { recalls: this.#recalls, requests: this.#model.requests(), blocks: this.#blocks };
  }

  async stop(): Promise<void> {
    await this.#client.close();
    await stop(this.#child);
    await this.#model.close();
    rmSync(this.#home, { recursive: true, force: true });
  }

  async #turn(at: number): Promise<void> {
    const sessionKey = this.#sessions[at % SESSIONS]!;
    const { runId } = await this.#client.call("chat.send", { sessionKey, message: variedMessage(at).text });
    const ended = Promise.withResolvers<void>();
    this.#waiting.set(runId, ended);
    if (this.#early.has(runId)) this.#ended(runId, this.#early.get(runId));
    await ended.promise;
    this.#early.delete(runId);
  }

  #ended(runId: string, error?: Error): void {
    const waiting = this.#waiting.get(runId);
    this.#waiting.delete(runId);
    if (!waiting) this.#early.set(runId, error);
    else if (error) waiting.reject(error);
    else waiting.resolve();
  }
}

const SERIAL_FROM = 10_000_000;

type AnsweringModel = Awaited<ReturnType<typeof answeringModel>>;

/** Answers at once and never the same: saves a note or looks something up where the message asks for it. */
async function answeringModel() {
  let requests = 0;
  const model = await startInstantModel((last) => {
    requests += 1;
    return answerTo(last);
  });
  return { ...model, requests: () => requests };
}

function answerTo({ content }: WireMessage): InstantReply {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const text = blocks.find(({ type }) => type === "text")?.text ?? "";
  const isAnswered = blocks.some(({ type }) => type === "tool_result");
  // Behind the time, which the gateway writes before each message.
  const words = text
    .split("\n", 1)[0]!
    .replace(/^\[[^\]]*\] /, "")
    .split(" ");
  if (!isAnswered && words[0] === "Remember") {
    const fact = words.slice(2).join(" ");
    return {
      tool: "memory__note__save",
      input: { key: (words[2] ?? "").toLowerCase(), content: `- ${fact}`, mode: "add" },
    };
  }
  if (!isAnswered && words[0] === "Look")
    return { tool: "memory__note__search", input: { query: words.slice(2).join(" "), limit: 5 } };
  return { text: `About ${words.slice(-6).join(" ")}: there is more than one way to see that.` };
}
