import { fail } from "@elwood/core/base/failure";
import type { MethodResult } from "@elwood/core/protocol/results";
import { plainLine } from "@elwood/core/message/session-text";
import type { Clock } from "@elwood/runtime/ports/ports";
import type { GatewayClient } from "@elwood/sdk/client";
import { readSecret } from "./auth-command.ts";
import { canAsk, readLine } from "./confirm.ts";
import { EXIT, ownName, type Io } from "./io.ts";
import { table } from "./table.ts";
import { agoText, gatewayText, say, type Sentence } from "./words/say.ts";

/** The client is left open; who opened it closes it. */
export interface ChannelDeps {
  readonly client: GatewayClient;
  readonly clock: Pick<Clock, "now">;
  readonly timeZone: string;
  /** Reads a secret from whoever sits there; masked where absent. */
  readonly askSecret?: Parameters<typeof readSecret>[3];
}

type Channel = MethodResult<"channels.list">["channels"][number];
type Person = MethodResult<"pairing.list">["people"][number];

const STATES: Readonly<Record<Channel["state"], Sentence>> = {
  off: "off",
  connecting: "connecting",
  connected: "connected",
  waiting: "waiting",
  failed: "not working",
};

/** `elwood channels list` */
export async function listChannels(
  io: Io,
  { client }: ChannelDeps,
  options: { readonly json: boolean },
): Promise<number> {
  const { channels } = await client.call("channels.list", {});
  if (options.json) {
    io.stdout.write(`${JSON.stringify({ channels })}\n`);
    return EXIT.ok;
  }
  const rows = channels.map((channel) => [
    channel.name,
    say(io, STATES[channel.state]),
    channel.account ? `@${plainLine(channel.account.name)}` : "",
    channel.state === "off" ? "" : channel.approverIds.join(", ") || say(io, "nobody"),
  ]);
  io.stdout.write(table(io, COLUMNS, rows));
  for (const { title, problem, undelivered } of channels) {
    if (problem !== undefined) io.stderr.write(`${title}: ${plainLine(gatewayText(io, problem))}\n`);
    if (undelivered === undefined) continue;
    const count = undelivered.count === 1 ? say(io, "a reply") : say(io, "{0} replies", undelivered.count);
    io.stderr.write(
      `${say(io, "{0}: {1} could not be delivered. {2}", title, count, plainLine(gatewayText(io, undelivered.problem)))}\n`,
    );
  }
  const off = channels.filter(({ state }) => state === "off");
  if (off.length === channels.length)
    io.stderr.write(`${say(io, "Connect one with: {0} channels connect telegram", ownName(io.env))}\n`);
  return EXIT.ok;
}

const COLUMNS = [
  { title: "CHANNEL" },
  { title: "STATE" },
  { title: "ACCOUNT", flexible: true },
  { title: "MAY APPROVE" },
] as const;

/** `elwood channels test <channel>` */
export async function testChannel(
  io: Io,
  { client }: ChannelDeps,
  options: { readonly name: string; readonly json: boolean },
): Promise<number> {
  const tested = await client.call("channels.test", { name: options.name });
  if (options.json) io.stdout.write(`${JSON.stringify(tested)}\n`);
  else if (tested.account) {
    io.stdout.write(`${say(io, "The token works: it belongs to @{0}.", plainLine(tested.account.name))}\n`);
    for (const note of tested.notes ?? []) io.stdout.write(`${plainLine(note)}\n`);
  } else io.stderr.write(`${plainLine(tested.problem ?? "")}\n`);
  return tested.ok ? EXIT.ok : EXIT.failed;
}

/** `elwood channels invite <channel>`: the link alone on standard output, so that it can be piped. */
export async function inviteChannel(
  io: Io,
  { client }: ChannelDeps,
  options: { readonly name: string; readonly json: boolean },
): Promise<number> {
  const { account, problem } = await client.call("channels.test", { name: options.name });
  const link = account?.link;
  if (link === undefined)
    fail("UPSTREAM_ERROR", `There is no link: ${problem ?? "the service gave none."}`, { retryable: false });
  io.stdout.write(options.json ? `${JSON.stringify({ link })}\n` : `${link}\n`);
  if (options.name === "discord" && !options.json)
    io.stderr.write(
      `${say(io, "Open it and choose a server of yours. The bot gets these permissions and no others: see channels, send messages, attach files, read the history, begin threads and write in them.")}\n`,
    );
  return EXIT.ok;
}

/** `elwood channels connect <channel>`: the token is typed behind a mask, or comes on standard input. */
export async function connectChannel(
  io: Io,
  deps: ChannelDeps,
  options: { readonly name: string; readonly tokenStdin: boolean; readonly json: boolean },
): Promise<number> {
  const { name } = options;
  const { channels } = await deps.client.call("channels.list", {});
  const known = channels.find((channel) => channel.name === name);
  if (!known)
    fail(
      "NOT_FOUND",
      `There is no channel "${plainLine(name)}". There are ${channels.map((each) => each.name).join(", ")}.`,
    );
  // A token from a variable needs no other.
  const fromOutside = known.tokenFrom !== undefined && known.tokenFrom !== "secrets.env";
  const hint = HINTS[name];
  if (!fromOutside && !options.tokenStdin && hint !== undefined && io.stdin.isTTY)
    io.stderr.write(`${say(io, hint)}\n`);
  const token = fromOutside
    ? undefined
    : await readSecret(io, say(io, "Token of the {0} bot", known.title), options.tokenStdin, deps.askSecret);
  if (token === "") fail("INVALID_INPUT", "No token was given. Nothing was changed.");
  const { channel } = await deps.client.call("channels.connect", {
    name,
    ...(token === undefined ? {} : { token }),
  });
  if (options.json) {
    io.stdout.write(`${JSON.stringify({ channel })}\n`);
    return EXIT.ok;
  }
  const self = ownName(io.env);
  const link = channel.account?.link === undefined ? "" : `: ${channel.account.link}`;
  io.stdout.write(`${say(io, "{0} is connected{1}", channel.title, link)}\n`);
  if (channel.approverIds.length === 0)
    io.stdout.write(
      `${say(io, "Write to the bot now. It answers with a code; then type: {0} pair approve CODE", self)}\n${say(io, "The first one may be you: you are asked whether that person may approve in your name.")}\n`,
    );
  return EXIT.ok;
}

/** Where a token comes from. */
const HINTS: Readonly<Record<string, Sentence>> = {
  telegram: "Make a bot in Telegram: write /newbot to @BotFather, and copy the token that it gives you.",
  discord:
    "Make a bot at https://discord.com/developers/applications: New Application, then Bot, then Reset Token, and copy the token.",
};

/** `elwood channels disconnect <channel>` */
export async function disconnectChannel(
  io: Io,
  { client }: ChannelDeps,
  options: { readonly name: string; readonly json: boolean },
): Promise<number> {
  const { channel } = await client.call("channels.disconnect", { name: options.name });
  io.stdout.write(
    options.json
      ? `${JSON.stringify({ channel })}\n`
      : `${say(io, "{0} is disconnected, and its token is removed. Whoever was let in is still known.", channel.title)}\n`,
  );
  return EXIT.ok;
}

/** `elwood pair list` */
export async function listPeople(
  io: Io,
  { client, clock, timeZone }: ChannelDeps,
  options: { readonly json: boolean },
): Promise<number> {
  const { people } = await client.call("pairing.list", {});
  if (options.json) {
    io.stdout.write(`${JSON.stringify({ people })}\n`);
    return EXIT.ok;
  }
  if (people.length === 0) {
    io.stdout.write(`${say(io, "Nobody was let in, and nobody asks for it.")}\n`);
    return EXIT.ok;
  }
  const now = clock.now();
  const rows = people.map((person) => [
    `${person.channel}:${person.senderId}`,
    plainLine(person.name),
    person.state === "paired" ? say(io, "let in") : say(io, "has a code"),
    agoText(io, person.at, now, timeZone),
  ]);
  io.stdout.write(table(io, PEOPLE, rows));
  return EXIT.ok;
}

const PEOPLE = [
  { title: "PERSON" },
  { title: "NAME", flexible: true },
  { title: "STATE" },
  { title: "SINCE" },
] as const;

/** What has to be typed so that somebody speaks as the owner. */
const APPROVER_WORD = "OWNER";

/** `elwood pair approve <code>`. Whether the person may approve is a question of its own, answered by a typed word. */
export async function approveCode(
  io: Io,
  { client }: ChannelDeps,
  options: { readonly code: string; readonly json: boolean },
): Promise<number> {
  const { channels } = await client.call("channels.list", {});
  const approver =
    !options.json && !channels.some(({ approverIds }) => approverIds.length > 0) && (await isOwner(io));
  const { person } = await client.call("pairing.approve", {
    code: options.code,
    ...(approver ? { approver } : {}),
  });
  if (options.json) {
    io.stdout.write(`${JSON.stringify({ person, approver })}\n`);
    return EXIT.ok;
  }
  const who = `${plainLine(person.name)} (${person.channel}:${person.senderId})`;
  io.stdout.write(
    approver
      ? `${say(io, "{0} is let in, and speaks as the owner: what they ask for counts as your word, and they can allow calls.", who)}\n`
      : `${say(io, "{0} is let in: Elwood answers them. They cannot allow anything.", who)}\n`,
  );
  return EXIT.ok;
}

/** Only somebody who sits at this machine can say so. */
async function isOwner(io: Io): Promise<boolean> {
  if (!canAsk(io)) return false;
  const line = await readLine(
    io,
    `${say(io, "Is this you? Then this account can allow calls in your name.")}\n${say(io, "Type {0} to let it, or press Enter to let it only chat:", APPROVER_WORD)} `,
  );
  if (line.kind === "interrupted") fail("ABORTED", "Nobody was let in.");
  return line.kind === "line" && line.text.trim() === APPROVER_WORD;
}

/** `elwood pair remove <person>`: as the list shows them, or by the id alone where one channel has it. */
export async function removePerson(
  io: Io,
  { client }: ChannelDeps,
  options: { readonly person: string; readonly json: boolean },
): Promise<number> {
  const { people } = await client.call("pairing.list", {});
  const { channel, senderId } = named(options.person, people);
  await client.call("pairing.remove", { channel, senderId });
  io.stdout.write(
    options.json
      ? `${JSON.stringify({ ok: true, channel, senderId })}\n`
      : `${say(io, "{0}:{1} is no longer let in.", channel, senderId)}\n`,
  );
  return EXIT.ok;
}

function named(given: string, people: readonly Person[]): Pick<Person, "channel" | "senderId"> {
  const [, channel, id] = /^([a-z]+):(\S+)$/.exec(given) ?? [];
  if (channel !== undefined && id !== undefined) return { channel, senderId: id };
  const found = people.filter(({ senderId }) => senderId === given);
  if (found.length === 1 && found[0]) return found[0];
  return fail(
    "NOT_FOUND",
    found.length === 0
      ? `Nobody with the id ${plainLine(given)} was let in. Nothing was changed. See who was: elwood pair list`
      : `Several channels know ${plainLine(given)}: ${found.map((each) => `${each.channel}:${each.senderId}`).join(", ")}. Nothing was changed.`,
  );
}
