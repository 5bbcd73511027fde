import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { FailureError } from "@elwood/core/base/failure";
import { toWireName } from "@elwood/core/model/model";
import { isEnded } from "@elwood/core/message/session";
import { GatewayClient } from "@elwood/sdk/client";
import { anthropic, ANTHROPIC_ROUTE, startAnthropic } from "./anthropic-server.ts";
import { startCrashProcess, type CrashProcess } from "./crash-process.ts";
import { CANARY, CRASH_CONFIG, type CrashScenario } from "./crash-scenarios.ts";
import { TelegramServer, type TelegramMessage } from "./telegram-server.ts";
import type { Effect } from "./world-count.ts";

/** An instant to die at: `before ledger:started`, the nth time it comes. */
export interface KillPoint {
  readonly instant: string;
  readonly nth: number;
}

export interface CrashTrial {
  readonly scenario: CrashScenario;
  /** The module that starts a gateway which kills itself. */
  readonly child: string;
  readonly at?: KillPoint;
  /** Looks at the state directory once all is over. */
  count(
    home: string,
    effects: readonly Effect[],
  ): Promise<{ problems: string[]; calls: readonly { toolId: string; state: string }[] }>;
}

export interface TrialResult {
  /** False where the instant never came. */
  readonly killed: boolean;
  readonly problems: readonly string[];
  /** Every instant of the first life, in order. */
  readonly trace: readonly KillPoint[];
}

const LIFE_MS_MAX = 60_000;
const CRASH_HOOK_SECRET = "crash-hook-secret-not-a-real-one";
const POLL_MS = 10;

/**
 * One life of a gateway that ends where it is told, and a second one on the same state
 * directory that must make everything good: the owner goes on from another client, runs
 * end, and the world is counted.
 */
export async function crashTrial(trial: CrashTrial): Promise<TrialResult> {
  const { scenario, at } = trial;
  const folder = mkdtempSync(join(tmpdir(), "elwood-crash-"));
  const home = join(folder, "home");
  const effectsFile = join(folder, "effects.jsonl");
  const traceFile = join(folder, "trace");
  mkdirSync(home, { mode: 0o700 });
  const telegram = scenario.telegram ? await new TelegramServer().start() : undefined;
  const channel = telegram
    ? `telegram: { apiRoot: "${telegram.url}", approverIds: [${TELEGRAM_OWNER.id}] }\n`
    : "";
  const config = `${CRASH_CONFIG}${scenario.config ?? ""}${channel}`;
  writeFileSync(join(home, "config.yaml"), config, { mode: 0o600 });
  for (const file of [effectsFile, traceFile]) writeFileSync(file, "");
  const model = await startAnthropic();
  model.always(ANTHROPIC_ROUTE, (exchange) => nextAnswer(scenario, exchange.request.body)(exchange));
  const env = {
    ANTHROPIC_API_KEY: "crash-key-not-a-secret",
    ANTHROPIC_BASE_URL: model.url,
    ELWOOD_MODEL: "anthropic/claude-sonnet-5-5",
    CRASH_EFFECTS: effectsFile,
    CRASH_HOOK_SECRET,
    ...(scenario.speed === undefined
      ? {}
      : { CRASH_SPEED: String(scenario.speed), CRASH_SINCE: String(Date.now()) }),
    ...(telegram ? { TELEGRAM_BOT_TOKEN: telegram.token } : {}),
  };
  const effects = () => linesOf(effectsFile).map((line) => JSON.parse(line) as Effect);
  const owner = new Owner(scenario, effects, telegram);
  const problems: string[] = [];
  try {
    const dying: Record<string, string> = at ? { CRASH_AT: at.instant, CRASH_NTH: String(at.nth) } : {};
    const first = await startCrashProcess(trial.child, home, { ...env, ...dying, CRASH_TRACE: traceFile });
    await owner.live(first, "first");
    const killed = (await first.end(at === undefined)) === "SIGKILL";
    problems.push(...leaks(home));
    if (at) {
      const second = await startCrashProcess(trial.child, home, env);
      if (!(await owner.live(second, "second"))) problems.push(`not all came to an end:\n${second.errors()}`);
      await second.end(true);
      problems.push(...leaks(home));
    }
    if (telegram) problems.push(...chatProblems(telegram, scenario.telegram === "notified"));
    const done = effects();
    const counted = await trial.count(home, done);
    problems.push(...counted.problems, ...wrongNumbers(scenario, done, counted.calls), ...owner.problems);
    return { killed, problems, trace: pointsOf(linesOf(traceFile)) };
  } finally {
    await model.close();
    await telegram?.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** The person: sends, decides, and after a restart goes on with what was not acknowledged. */
class Owner {
  readonly problems: string[] = [];
  readonly #scenario: CrashScenario;
  readonly #effects: () => readonly Effect[];
  readonly #sessions: string[] = [];
  readonly #runs: string[] = [];

  readonly #telegram: TelegramServer | undefined;
  #written = false;

  constructor(
    scenario: CrashScenario,
    effects: () => readonly Effect[],
    telegram: TelegramServer | undefined,
  ) {
    this.#scenario = scenario;
    this.#effects = effects;
    this.#telegram = telegram;
  }

  /** True where everything came to its end in this life. */
  async live(process: CrashProcess, name: string): Promise<boolean> {
    const reached = await process.reached;
    if (!reached) return false;
    try {
      const client = await GatewayClient.connect({ ...reached, client: { name } });
      try {
        return await this.#goOn(client, reached.url);
      } finally {
        await client.close();
      }
    } catch (error) {
      if (!process.dying && !(await process.diesSoon()))
        this.problems.push(`a client was told: ${String(error)}`);
      return false;
    }
  }

  async #goOn(client: GatewayClient, url: string): Promise<boolean> {
    if (this.#scenario.job) return this.#runJob(client, this.#scenario.job);
    return this.#telegram ? this.#chat(client, url, this.#telegram) : this.#talk(client);
  }

  async #begin(client: GatewayClient, url: string, telegram: TelegramServer): Promise<void> {
    if (this.#scenario.telegram === "message") {
      if (!this.#written) telegram.say(TELEGRAM_OWNER, "please write it down");
      this.#written = true;
    } else if (this.#scenario.telegram === "notified") {
      this.#sessions[0] ??= (await client.call("sessions.create", {})).sessionKey;
      const sent = { sessionKey: this.#sessions[0], message: "go", idempotencyKey: "message" };
      this.#runs[0] ??= (await client.call("chat.send", sent)).runId;
      // Whoever has accepted it does not hear of it again.
    } else if ((await client.call("runs.list", { limit: 1 })).runs.length === 0) {
      const headers = { authorization: `Bearer ${CRASH_HOOK_SECRET}`, "idempotency-key": "build-1" };
      const answer = await fetch(`${url}/hooks/ci`, { method: "POST", body: "red", headers });
      if (answer.status !== 202) this.problems.push(`the webhook answered ${answer.status}`);
    }
  }

  /** Begins it once, presses Allow once the card is there, and waits for the reply. */
  async #chat(client: GatewayClient, url: string, telegram: TelegramServer): Promise<boolean> {
    await this.#begin(client, url, telegram);
    const replies = this.#scenario.telegram === "notified" ? 0 : 1;
    for (let waited = 0; waited < LIFE_MS_MAX; waited += POLL_MS) {
      const { approvals } = await client.call("approvals.list", { status: "pending" });
      for (const waiting of approvals)
        if (waiting.kind === "settle") await this.#decide(client, waiting);
        else pressAllow(telegram, waiting.approvalId);
      const { runs } = await client.call("runs.list", { limit: 10 });
      const { receipts } = await client.call("receipts.list", { types: ["reply.delivered"] });
      const over = runs.length > 0 && runs.every(({ status }) => isEnded(status));
      const told = telegram.messages.every(({ buttons }) => buttons.length === 0);
      const settled = receipts.length >= replies && telegram.unconfirmed === 0;
      if (over && approvals.length === 0 && settled && told) {
        if (runs.length !== 1) this.problems.push(`${runs.length} runs of one message`);
        if (receipts.length !== replies) this.problems.push(`${receipts.length} receipts of one reply`);
        return this.#finish(client);
      }
      await sleep(POLL_MS);
    }
    return false;
  }

  /** Makes a job, has it rehearsed where it is to be, runs it once, and decides what it asks. */
  async #runJob(client: GatewayClient, { rehearsed }: { readonly rehearsed: boolean }): Promise<boolean> {
    const { jobs } = await client.call("jobs.list", {});
    const name = "night";
    if (!jobs.some((job) => job.name === name))
      await client.call("jobs.create", { name, message: "Do it.", every: "1d" });
    if (rehearsed && !(await this.#allowFirst(client, name))) return false;
    const begun = (await client.call("jobs.get", { name })).history;
    // An occurrence that is on record is begun by Elwood itself, after a restart too.
    if (begun.length === 0) await client.call("jobs.run", { name });
    for (let waited = 0; waited < LIFE_MS_MAX; waited += POLL_MS) {
      const { approvals } = await client.call("approvals.list", { status: "pending" });
      for (const waiting of approvals) await this.#decide(client, waiting);
      const { history } = await client.call("jobs.get", { name });
      if (history.length > 1) this.problems.push(`${history.length} runs of a job that was run once`);
      const [only] = history;
      if (only?.endedAt !== undefined && approvals.length === 0) {
        if (only.status !== "done") this.problems.push(`the job is told as ${only.status}: ${only.reason}`);
        return this.#finish(client);
      }
      await sleep(POLL_MS);
    }
    return false;
  }

  async #allowFirst(client: GatewayClient, name: string): Promise<boolean> {
    let { rehearsal } = await client.call("jobs.rehearsal", { name });
    rehearsal ??= (await client.call("jobs.rehearse", { name })).rehearsal;
    for (let waited = 0; !isEnded(rehearsal.status) && waited < LIFE_MS_MAX; waited += POLL_MS) {
      await sleep(POLL_MS);
      rehearsal = (await client.call("jobs.rehearsal", { name })).rehearsal ?? rehearsal;
    }
    if (rehearsal.status !== "done") return false;
    const { grants } = await client.call("jobs.grants", { name });
    if (grants.length > 0) return true;
    if (this.#effects().length > 0) this.problems.push("a rehearsal did something");
    if (rehearsal.calls.length !== 2) this.problems.push(`${rehearsal.calls.length} calls were listed`);
    const { plannedId = "" } = rehearsal.calls[0] ?? {};
    const tick = { plannedId, constraint: "exact", perRun: 1, days: 1 } as const;
    await client.call("jobs.grant", { name, runId: rehearsal.runId, calls: [tick] });
    return true;
  }

  async #talk(client: GatewayClient): Promise<boolean> {
    for (let i = 0; i < (this.#scenario.sessions ?? 1); i++) {
      this.#sessions[i] ??= (await client.call("sessions.create", {})).sessionKey;
      const sessionKey = this.#sessions[i]!;
      const sent = {
        sessionKey,
        message: this.#scenario.message ?? `go ${i}`,
        idempotencyKey: `message-${i}`,
      };
      this.#runs[i] ??= (await client.call("chat.send", sent)).runId;
    }
    for (let waited = 0; waited < LIFE_MS_MAX; waited += POLL_MS) {
      const { approvals } = await client.call("approvals.list", { status: "pending" });
      for (const waiting of approvals) await this.#decide(client, waiting);
      const runs = await Promise.all(this.#runs.map((runId) => client.call("runs.get", { runId })));
      if (approvals.length === 0 && runs.every(({ run }) => isEnded(run.status))) return this.#finish(client);
      await sleep(POLL_MS);
    }
    return false;
  }

  async #decide(client: GatewayClient, waiting: Parameters<CrashScenario["decide"]>[1]): Promise<void> {
    const { approvalId: questionId, callId, kind } = waiting;
    const happened = this.#effects().some((effect) => effect.callId === callId);
    const answer = happened ? "happened" : "did-not-happen";
    await (kind === "settle"
      ? client.call("owner.answer", { questionId, answer })
      : refusable(this.#scenario.decide(client, waiting)));
  }

  async #finish(client: GatewayClient): Promise<boolean> {
    for (const runId of this.#runs) await refusable(this.#scenario.afterwards?.(client, runId));
    const { verdict, words } = await client.call("receipts.verify", {});
    if (verdict.status !== "intact") this.problems.push(`W5 ${words}`);
    return true;
  }
}

const TELEGRAM_OWNER = { id: 100, first_name: "Olga" };

/** A press is an update of its own: pressing again while nothing has come of it is what people do. */
function pressAllow(telegram: TelegramServer, approvalId: string): void {
  const mine = ({ buttons }: TelegramMessage) =>
    buttons.flat().some(({ data }) => data.includes(approvalId.slice(4)));
  const card = telegram.messages.find(mine);
  const data = card?.buttons.flat()[0]?.data;
  if (card && data !== undefined && telegram.unconfirmed === 0) telegram.press(TELEGRAM_OWNER, card, data);
}

/** Never silently lost, never more than one repeat; and every card says how it ended. */
function chatProblems({ messages }: TelegramServer, cardOnly: boolean): string[] {
  const replies = messages.filter(
    ({ text }) => /Done\.|No tool ran|not done/.test(text) && !/^.*\nAllowed/.test(text),
  );
  const cards = messages.filter(({ text }) => text.includes("Allowed by you in Telegram"));
  const unmarked = (of: readonly TelegramMessage[]) =>
    of.filter(({ text }) => !text.startsWith("(may be a repeat)")).length;
  return [
    ...(replies.length === 0 && !cardOnly ? ["the reply was lost"] : []),
    ...(replies.length > 2 || unmarked(replies) > 1 ? [`the reply came ${replies.length} times`] : []),
    ...(cards.length === 0 ? ["no card says how it ended"] : []),
    ...(cards.length > 2 ? [`the card came ${cards.length} times`] : []),
    ...messages.filter(({ buttons }) => buttons.length > 0).map(({ text }) => `a card still asks: ${text}`),
  ];
}

/** A refusal in words is an answer; a broken connection is not. */
async function refusable(asked: Promise<unknown> | undefined): Promise<void> {
  try {
    await asked;
  } catch (error) {
    if (!(error instanceof FailureError) || error.failure.reason === "NETWORK") throw error;
  }
}

function nextAnswer(scenario: CrashScenario, body: unknown) {
  const { messages } = body as { messages: readonly { role: string; content: unknown }[] };
  const laps = messages.filter(
    (m) => m.role === "assistant" && JSON.stringify(m.content).includes('"tool_use"'),
  ).length;
  const { repaired } = scenario;
  if (repaired && !JSON.stringify(messages).includes("[Elwood, not the owner] Your answer"))
    return anthropic.reply(repaired.draft);
  const calls = (repaired ?? scenario).laps[laps];
  if (!calls) return anthropic.reply("Done.");
  return anthropic.tools(
    calls.map(({ toolId, input }, i) => ({ name: toWireName(toolId), input, id: `toolu_${laps}x${i}` })),
  );
}

function wrongNumbers(
  { effects: expected }: CrashScenario,
  effects: readonly Effect[],
  calls: readonly { toolId: string; state: string }[],
): string[] {
  const tools = new Set([...Object.keys(expected), ...effects.map((effect) => effect.toolId)]);
  return [...tools].flatMap((toolId) => {
    const keys = new Set(effects.filter((effect) => effect.toolId === toolId).map((effect) => effect.key));
    const want = expected[toolId] ?? 0;
    const states = calls.filter((each) => each.toolId === toolId).map((each) => each.state);
    // A call that was cut off is told as what it is, and not made again; nor is what would have followed it.
    const done = states.filter((state) => state === "succeeded").length;
    const fits = done === states.length ? keys.size === want : keys.size >= done && keys.size <= want;
    return fits ? [] : [`${keys.size} effects of ${toolId} instead of ${want} (${states.join(", ")})`];
  });
}

/** The secret that the model sent may lie in the vault, and nowhere else. */
function leaks(home: string): string[] {
  const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.startsWith(join(home, "vault")) && readFileSync(path).includes(CANARY))
    .map((path) => `a secret lies in ${path.slice(home.length)}`);
}

function pointsOf(instants: readonly string[]): KillPoint[] {
  const seen = new Map<string, number>();
  return instants.map((instant) => {
    const nth = (seen.get(instant) ?? 0) + 1;
    seen.set(instant, nth);
    return { instant, nth };
  });
}

function linesOf(file: string): string[] {
  return readFileSync(file, "utf8").split("\n").filter(Boolean);
}
