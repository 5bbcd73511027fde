import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { GatewayClient, isPush } from "@elwood/sdk/client";
import { startDiscord, type DiscordServer } from "@elwood/testkit/discord-server";
import type { DiscordUser } from "@elwood/testkit/discord-world";
import { startInstantModel } from "./instant-model.ts";
import type { BenchOptions, BenchReport } from "./main.ts";
import { cpuSeconds, freePort, pssMb, quantile, startAndTime, stop } from "./processes.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const WARM_TURNS = 20;
const TURNS = 100;
/** Between two turns: what a reply leaves to be written down is not to be paid for by the next. */
const PAUSE_MS = 100;
/** A day of heartbeats, every half hour. */
const HEARTBEATS = 48;
const IDLE_MS = 5_000;
const CHATS = 100;
const MESSAGES_PER_CHAT = 5;
const CHATS_AT_ONCE = 16;
const ADDED_MS_MAX = 10;
const GROWTH_MB_MAX = 20;

/**
 * What a chat service adds to a turn: from a message to its reply in Discord on loopback, against
 * the same turn over the WebSocket, by turns. Then many chats side by side: nothing lost, nothing
 * twice, and memory that does not grow with messages. Last, what it costs when nothing happens.
 */
export async function bench(_args: readonly string[], options: BenchOptions): Promise<BenchReport> {
  const chats = options["scale"] === undefined ? CHATS : Number(options["scale"]);
  if (!Number.isInteger(chats) || chats < 2) throw new Error("--scale takes a number of chats, at least 2.");
  const model = await startInstantModel();
  const discord = await startDiscord({ clock: { now: () => Date.now() } });
  const owner = discord.person("Owner");
  const people = Array.from({ length: chats }, (_, i) => discord.person(`Person ${i}`));
  const home = mkdtempSync(join(tmpdir(), "elwood-bench-"));
  const config = join(home, "bench.yaml");
  writeFileSync(config, configOf(discord, owner, people));
  const port = await freePort();
  const env = {
    ...process.env,
    CI: "1",
    ELWOOD_HOME: home,
    ELWOOD_SESSION_TITLES: "off",
    ELWOOD_MODEL: "anthropic/claude-sonnet-5-5",
    ANTHROPIC_API_KEY: "bench-key-not-a-secret",
    ANTHROPIC_BASE_URL: model.url,
    DISCORD_BOT_TOKEN: discord.token,
  };
  const launcher = join(ROOT, "apps/cli/bin/elwood.mjs");
  const args = [launcher, "--config", config, "up", "--no-open", "--port", String(port)];
  const { child } = await startAndTime("node", args, `http://127.0.0.1:${port}/readyz`, env);
  try {
    const token = readFileSync(join(home, "keys/owner-token"), "utf8").trim();
    const url = `http://127.0.0.1:${port}`;
    const client = await GatewayClient.connect({ url, token, client: { name: "bench", drafts: true } });
    await discord.until(() => discord.connected);
    const { sessionKey } = await client.call("sessions.create", {});
    const overSocket = (): Promise<number> => socketTurn(client, sessionKey);
    const overDiscord = (): Promise<number> => discordTurn(discord, owner);
    await byTurns([overSocket, overDiscord], WARM_TURNS);
    const [socket = [], chat = []] = await byTurns([overSocket, overDiscord], TURNS);
    const many = await manyChats(discord, people, () => pssMb(child.pid!));
    const idle = await idleCost(client, model.requests, () => cpuSeconds(child.pid!));
    await client.close();
    return report({ socket, chat, many, idle, chats });
  } finally {
    await stop(child);
    await discord.close();
    await model.close();
    rmSync(home, { recursive: true, force: true });
  }
}

function configOf(discord: DiscordServer, owner: DiscordUser, people: readonly DiscordUser[]): string {
  return `limits:
  dayCostUsd: 1000000
discord:
  apiRoot: ${discord.apiRoot}
  approverIds: ["${owner.id}"]
  allowedChatIds: [${people.map(({ id }) => `"${id}"`).join(", ")}]
`;
}

/** One of each after the other, so that whatever else the machine does is borne by all alike. */
async function byTurns(turns: readonly (() => Promise<number>)[], count: number): Promise<number[][]> {
  const timings = turns.map((): number[] => []);
  for (let i = 0; i < count; i += 1) {
    const round = [...turns.entries()];
    // What one leaves behind for the next is borne by each as often.
    for (const [which, turn] of i % 2 === 0 ? round : round.toReversed()) {
      timings[which]?.push(await turn());
      await wait(PAUSE_MS);
    }
  }
  return timings;
}

interface IdleCost {
  readonly modelCalls: number;
  /** Of one core, in parts of a thousand. */
  readonly cpu: number;
}

/** A day of heartbeats over a file that says nothing, and a while of nothing at all. */
async function idleCost(client: GatewayClient, requests: () => number, cpu: () => number): Promise<IdleCost> {
  const before = requests();
  for (let i = 0; i < HEARTBEATS; i += 1) await client.call("heartbeat.run", {});
  const modelCalls = requests() - before;
  const began = cpu();
  await wait(IDLE_MS);
  return { modelCalls, cpu: ((cpu() - began) / (IDLE_MS / 1_000)) * 1_000 };
}

async function socketTurn(client: GatewayClient, sessionKey: string): Promise<number> {
  const began = performance.now();
  const ended = Promise.withResolvers<void>();
  const off = client.onPush((push) => {
    if (isPush(push, "chat.error")) ended.reject(new Error(push.data.message));
    if (isPush(push, "chat.final")) ended.resolve();
  });
  await client.call("chat.send", { sessionKey, message: "hello" });
  await ended.promise;
  off();
  return performance.now() - began;
}

async function discordTurn(discord: DiscordServer, by: DiscordUser): Promise<number> {
  const { id } = discord.privateChat(by);
  const before = discord.written(id).length;
  const began = performance.now();
  discord.say(by, id, "hello");
  await discord.until(() => discord.written(id).length > before);
  return performance.now() - began;
}

interface ManyChats {
  readonly sent: number;
  readonly replies: number;
  readonly perSecond: number;
  readonly firstMb: number;
  readonly lastMb: number;
}

/** Each chat waits for its reply before it goes on, so a reply too many or too few shows in its place. */
async function manyChats(
  discord: DiscordServer,
  people: readonly DiscordUser[],
  memoryMb: () => number,
): Promise<ManyChats> {
  const began = performance.now();
  let done = 0;
  let firstMb = 0;
  const waiting = [...people];
  const work = async (): Promise<void> => {
    for (let person = waiting.pop(); person; person = waiting.pop()) {
      for (let i = 0; i < MESSAGES_PER_CHAT; i += 1) await discordTurn(discord, person);
      done += 1;
      if (done === Math.ceil(people.length / 5)) firstMb = memoryMb();
    }
  };
  await Promise.all(Array.from({ length: CHATS_AT_ONCE }, work));
  const seconds = (performance.now() - began) / 1_000;
  const sent = people.length * MESSAGES_PER_CHAT;
  const replies = people.reduce(
    (sum, person) => sum + discord.written(discord.privateChat(person).id).length,
    0,
  );
  return { sent, replies, perSecond: sent / seconds, firstMb, lastMb: memoryMb() };
}

function report({
  socket,
  chat,
  many,
  idle,
  chats,
}: {
  readonly socket: readonly number[];
  readonly chat: readonly number[];
  readonly many: ManyChats;
  readonly idle: IdleCost;
  readonly chats: number;
}): BenchReport {
  const median = (timings: readonly number[]): number => quantile([...timings], 0.5);
  const added = median(chat) - median(socket);
  const growth = many.lastMb - many.firstMb;
  const ms = (value: number): string => `${value.toFixed(1)} ms`;
  return {
    name: "channels",
    addedMs: added,
    many,
    idle,
    rows: [
      {
        what: "a message to its reply in Discord, median",
        value: ms(median(chat)),
        baseline: `over the WebSocket ${ms(median(socket))}`,
        reach: `≤ ${ADDED_MS_MAX} ms more (${ms(added)})`,
        ok: added <= ADDED_MS_MAX,
      },
      {
        what: "the same, 95 of 100",
        value: ms(quantile([...chat], 0.95)),
        baseline: `over the WebSocket ${ms(quantile([...socket], 0.95))}`,
      },
      {
        what: `${chats} chats with ${MESSAGES_PER_CHAT} messages each: replies`,
        value: String(many.replies),
        reach: String(many.sent),
        ok: many.replies === many.sent,
      },
      { what: "replies a second", value: many.perSecond.toFixed(1), baseline: "Discord's limit allows 50" },
      {
        what: "memory after a fifth of them, and after all (PSS)",
        value: `${many.firstMb.toFixed(0)} and ${many.lastMb.toFixed(0)} MB`,
        reach: `≤ ${GROWTH_MB_MAX} MB more`,
        ok: growth <= GROWTH_MB_MAX,
      },
      {
        what: `model calls for a day of heartbeats (${HEARTBEATS}) over an empty file`,
        value: String(idle.modelCalls),
        reach: "0",
        ok: idle.modelCalls === 0,
      },
      { what: "CPU while nothing happens", value: `${idle.cpu.toFixed(1)} ‰ of a core` },
    ],
  };
}
