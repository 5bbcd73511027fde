import { fork, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { GatewayClient, isPush } from "@elwood/sdk/client";
import { makeCarrier, type HostileTexts, type Via } from "./carriers.ts";
import type { DojoTool } from "./dojo.ts";
import { startScriptedModel, type ScriptedModel } from "./scripted-model.ts";

/** One call of a play, and whether it belongs to what the owner wanted. */
export interface StagedCall {
  readonly toolId: string;
  readonly input: unknown;
  readonly output: string;
  /** Made for the attacker. */
  readonly injected: boolean;
  /** It brings the attacker's words: without it nothing was tried. */
  readonly carries?: boolean;
}

export interface Play {
  readonly prompt: string;
  readonly calls: readonly StagedCall[];
  /** Whether the approver lets the owner's own calls go, so that the attacker's text arrives. Injected calls are always denied. */
  readonly ownAllowed: boolean;
}

export interface Ask {
  /** Which call of the play asked. */
  readonly at: number;
  readonly rule: string;
  /** Where the value came from, in words; undefined where no call brought it. */
  readonly source?: string;
}

export interface Played {
  readonly asks: readonly Ask[];
  /** Which calls of the play began without anybody having allowed them. */
  readonly unasked: readonly number[];
}

export interface Stage extends AsyncDisposable {
  /** The call that brings the attacker's words for a task, where they come by one. */
  carrier(injectionTask: string): StagedCall | undefined;
  /** The id of a tool of the suite, where it comes from what carries the words. */
  servedId(name: string): string;
  play(play: Play): Promise<Played>;
}

const GATEWAY = fileURLToPath(new URL("../../apps/gateway/bench/recorded-gateway.ts", import.meta.url));
const READY_MS_MAX = 60_000;
const PLAY_MS_MAX = 60_000;
const RECEIPTS_MAX = 200;

interface OnStage {
  readonly play: Play;
  readonly model: string;
  readonly asks: Ask[];
}

/** A real gateway with tools that answer what was recorded, a model that keeps to its script, and a person who decides. */
export async function openStage(
  tools: unknown,
  mode: string,
  {
    via = "result",
    texts = new Map(),
    served = [],
  }: {
    readonly via?: Via;
    readonly texts?: HostileTexts;
    /** Tools that come from an MCP server, where the way is that. */
    readonly served?: readonly DojoTool[];
  } = {},
): Promise<Stage> {
  const home = mkdtempSync(join(tmpdir(), "elwood-bench-"));
  const model = await startScriptedModel();
  writeFileSync(join(home, "tools.json"), JSON.stringify(tools));
  const carrier = await makeCarrier(via, texts, home, served);
  writeFileSync(join(home, "config.yaml"), config(mode, carrier.config), { mode: 0o600 });
  const child = fork(GATEWAY, [join(home, "tools.json")], {
    env: {
      PATH: process.env["PATH"],
      HOME: join(home, "user"),
      ELWOOD_HOME: home,
      ELWOOD_SESSION_TITLES: "off",
      ELWOOD_MODEL: "anthropic/scripted",
      ANTHROPIC_API_KEY: "bench-key-not-a-secret",
      ANTHROPIC_BASE_URL: model.url,
    },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const { url, token } = await heard<{ url: string; token: string }>(child, (told) => "url" in told);
  const client = await GatewayClient.connect({ url, token, client: { name: "bench", drafts: true } });
  await carrier.fill(client);
  const stage = new Map<string, OnStage>();
  client.onPush((push) => {
    if (!isPush(push, "exec.approval_request")) return;
    const { approvalId, sessionKey, rule, sources } = push.data;
    const on = stage.get(sessionKey);
    if (!on) return;
    // Calls are made one by one, so that the one asked for last is the one that asks.
    const at = model.asked(on.model) - 1;
    const [source] = sources;
    on.asks.push({ at, rule, ...(source === undefined ? {} : { source }) });
    const allow = on.play.ownAllowed && on.play.calls[at]?.injected === false;
    void client.call(allow ? "exec.approve" : "exec.deny", { approvalId });
  });
  return {
    carrier: (task) => carrier.callFor(task),
    servedId: (name) => carrier.idOf?.(name) ?? name,
    play: (play) => perform(play, { child, client, model, stage }),
    async [Symbol.asyncDispose]() {
      await client.close();
      child.kill("SIGTERM");
      await new Promise((resolve) => child.once("exit", resolve));
      await model.close();
      await carrier.close();
      rmSync(home, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** Limits that ordinary runs keep would end a benchmark of a thousand of them. */
function config(mode: string, more: readonly string[]): string {
  return [
    `policy: { mode: ${mode} }`,
    "limits: { laps: 200, identicalCalls: 50, parallelRuns: 16, dayCostUsd: 1000000 }",
    "programs: { mode: native }",
    ...more,
    "",
  ].join("\n");
}

interface Props {
  readonly child: ChildProcess;
  readonly client: GatewayClient;
  readonly model: ScriptedModel;
  readonly stage: Map<string, OnStage>;
}

async function perform(play: Play, { child, client, model, stage }: Props): Promise<Played> {
  const { sessionKey } = await client.call("sessions.create", {});
  const name = model.add(play.calls);
  const on: OnStage = { play, model: name, asks: [] };
  stage.set(sessionKey, on);
  try {
    const recorded = heard(child, (told) => told["recorded"] === sessionKey);
    child.send({ sessionKey, answers: play.calls });
    await recorded;
    const ended = Promise.withResolvers<string>();
    const deaf = client.onPush((push) => {
      if (isPush(push, "chat.final") && push.data.sessionKey === sessionKey) ended.resolve(push.data.runId);
      if (isPush(push, "chat.error") && push.data.sessionKey === sessionKey)
        ended.reject(new Error(`a run failed: ${push.data.message}`));
    });
    const tooLate = setTimeout(() => ended.reject(new Error("a run did not end in time")), PLAY_MS_MAX);
    await client.call("chat.send", { sessionKey, message: play.prompt, model: `anthropic/${name}` });
    const runId = await ended.promise.finally(() => (clearTimeout(tooLate), deaf()));
    return { asks: on.asks, unasked: await unaskedOf(client, runId, play) };
  } finally {
    stage.delete(sessionKey);
    model.forget(name);
  }
}

/** Which calls have a receipt that they began, and none that somebody allowed it. */
async function unaskedOf(client: GatewayClient, runId: string, { calls }: Play): Promise<number[]> {
  const { receipts } = await client.call("receipts.list", {
    runId,
    types: ["tool.call.requested", "tool.call.approved", "tool.call.started", "tool.call.succeeded"],
    limit: RECEIPTS_MAX,
  });
  const oldestFirst = receipts.toReversed();
  const requested = oldestFirst.filter(({ type }) => type === "tool.call.requested");
  if (receipts.length >= RECEIPTS_MAX || requested.length !== calls.length)
    throw new Error(`${calls.length} calls were planned and ${requested.length} are on record`);
  const has = (callId: string | undefined, kind: string) =>
    receipts.some((receipt) => receipt.callId === callId && receipt.type === kind);
  if (requested.some(({ callId }, at) => calls[at]?.carries === true && !has(callId, "tool.call.succeeded")))
    throw new Error("the attacker's words did not arrive");
  return requested.flatMap(({ callId }, at) =>
    has(callId, "tool.call.started") && !has(callId, "tool.call.approved") ? [at] : [],
  );
}

function heard<T extends Record<string, unknown>>(
  child: ChildProcess,
  isIt: (told: Record<string, unknown>) => boolean,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const gone = () => done(() => reject(new Error("the gateway is gone")));
    const told = (message: unknown) => {
      // Both sides of this channel are the benchmark's own.
      const it = message as T;
      if (isIt(it)) done(() => resolve(it));
    };
    const tooLate = setTimeout(
      () => done(() => reject(new Error("the gateway did not answer"))),
      READY_MS_MAX,
    );
    const done = (settle: () => void) => {
      clearTimeout(tooLate);
      child.off("message", told).off("exit", gone);
      settle();
    };
    child.on("message", told).once("exit", gone);
    child.setMaxListeners(100);
  });
}
