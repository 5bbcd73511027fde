import type { ChannelContent, SendOutcome } from "@elwood/sdk/channel/channel";
import { EPHEMERAL, type DiscordServerOptions } from "@elwood/testkit/discord-server";
import { afterEach, expect, test } from "vitest";
import channel from "./index.ts";
import { never, Rig } from "./test-rig.ts";

let rig: Rig;

async function start(options: Partial<DiscordServerOptions> = {}): Promise<Rig> {
  rig = await Rig.start(options);
  return rig;
}

afterEach(async () => {
  await rig.stop();
});

/** Sends one message as the outbox does. */
async function send(
  connection: Awaited<ReturnType<Rig["open"]>>,
  chat: string,
  content: ChannelContent | string,
  more: { readonly key?: string; readonly repeat?: boolean; readonly replyTo?: string } = {},
): Promise<SendOutcome> {
  const messages = connection.render(typeof content === "string" ? { markdown: content } : content);
  const { key = "out_1.0", repeat = false, ...rest } = more;
  return connection.send({ chat, message: messages[0]!, key, repeat, ...rest }, never);
}

// ── in ───────────────────────────────────────────────────────────────────────────────

test("private messages and mentions come in without any privileged intent, and nothing else does", async () => {
  const { server } = await start();
  const ada = server.person("Ada");
  const { channel: general } = server.guild("Home");
  await rig.connect();
  server.say(ada, general.id, "just talking");
  server.say({ ...server.person("Robot"), bot: true }, general.id, `${server.mention()} beep`);
  server.say(ada, server.privateChat(ada).id, "hello there");
  const mention = server.say(ada, general.id, `${server.mention()} what is up, <@1>?`);
  const [first, second] = await rig.messages(2);
  expect(first).toMatchObject({
    text: "hello there",
    addressed: true,
    chat: { id: server.privateChat(ada).id, kind: "private" },
    from: { id: ada.id, name: "Ada" },
  });
  expect(second).toMatchObject({
    id: mention.id,
    text: "what is up, <@1>?",
    chat: { kind: "group", groupId: general.id, title: "general" },
  });
  expect(rig.events).toHaveLength(2);
});

test("quotations, forwarded words, files and what cannot be read are told apart", async () => {
  const { server } = await start();
  const ada = server.person("Ada");
  const chat = server.privateChat(ada);
  await rig.connect();
  const earlier = server.say(ada, chat.id, "the plan is blue");
  server.say(ada, chat.id, "paint it", { replyTo: earlier.id });
  server.say(ada, chat.id, "", {
    message_reference: { type: 1, message_id: "1" },
    message_snapshots: [{ message: { content: "send money", attachments: [] } }],
  });
  server.say(ada, chat.id, "", {
    attachments: [server.attachment({ name: "a.txt", type: "text/plain", text: "hi" })],
  });
  server.say(ada, chat.id, "", {
    flags: 1 << 13,
    attachments: [server.attachment({ name: "v.ogg", type: "audio/ogg", text: "o" })],
  });
  server.say(ada, chat.id, "", { poll: {} });
  const [, reply, forwarded, file, voice, poll] = await rig.messages(6);
  expect(reply).toMatchObject({
    text: "paint it",
    replyTo: earlier.id,
    quotes: [{ how: "quoted", text: "the plan is blue", by: { id: ada.id } }],
  });
  expect(forwarded).toMatchObject({ text: "", quotes: [{ how: "forwarded", text: "send money" }] });
  expect(file?.files).toMatchObject([{ name: "a.txt", mime: "text/plain", bytes: 2 }]);
  expect(voice?.files).toMatchObject([{ voice: true }]);
  expect(poll).toMatchObject({ unsupported: "a poll" });
});

test("a deleted channel comes as gone", async () => {
  const { server } = await start();
  const { channel: general } = server.guild("Home");
  await rig.connect();
  server.deleteChannel(general.id);
  await rig.until(() => rig.events.length === 1);
  expect(rig.events[0]).toMatchObject({ kind: "gone", chat: general.id });
});

test("a message that was not stored when the process died comes again after the restart", async () => {
  const { server } = await start();
  const ada = server.person("Ada");
  const chat = server.privateChat(ada);
  await rig.connect();
  server.say(ada, chat.id, "stored");
  await rig.messages(1);
  await rig.until(() => rig.state.has("position"));
  const died = Promise.withResolvers<void>();
  rig.store = async () => {
    died.resolve();
    throw new Error("killed");
  };
  server.say(ada, chat.id, "not stored");
  await died.promise;
  await rig.kill();
  rig.store = () => undefined;
  await rig.connect();
  const texts = (await rig.messages(2)).map(({ text }) => text);
  expect(texts.at(-1)).toBe("not stored");
  expect(server.framesOf(2)).toHaveLength(1);
  expect(server.framesOf(6)).toHaveLength(1);
});

test("a connection that breaks is resumed with everything that was missed", async () => {
  const { server } = await start();
  const ada = server.person("Ada");
  const chat = server.privateChat(ada);
  await rig.connect();
  server.drop();
  server.say(ada, chat.id, "meanwhile");
  expect((await rig.messages(1))[0]?.text).toBe("meanwhile");
  server.askReconnect();
  await server.until(() => server.framesOf(6).length === 2);
  server.say(ada, chat.id, "later");
  expect((await rig.messages(2)).at(-1)?.text).toBe("later");
  expect(server.framesOf(2)).toHaveLength(1);
});

test("what was written while no session could be kept is read where people wrote before", async () => {
  const { server } = await start();
  const ada = server.person("Ada");
  const { channel: general } = server.guild("Home");
  const chat = server.privateChat(ada);
  await rig.connect();
  server.say(ada, chat.id, "before");
  server.say(ada, general.id, `${server.mention()} before`);
  await rig.until(() => /"places":\[\[.*\],\[/.test(rig.state.get("position") ?? ""));
  await rig.kill();
  server.forgetSessions();
  server.say(ada, chat.id, "while away");
  server.say(ada, general.id, "not for the bot");
  const missed = server.say(ada, general.id, `${server.mention()} while away too`);
  await rig.connect();
  const texts = (await rig.messages(4)).slice(2).map(({ id, text }) => ({ id, text }));
  expect(texts).toContainEqual(expect.objectContaining({ text: "while away" }));
  expect(texts).toContainEqual({ id: missed.id, text: "while away too" });
});

test("a network that is gone costs no login, and the wait between tries grows", async () => {
  const { server } = await start();
  const ada = server.person("Ada");
  await rig.connect();
  const before = rig.clock.sleeps.length;
  await server.goOffline();
  await rig.until(() => rig.health.filter(({ state }) => state === "waiting").length >= 3);
  expect(rig.health.at(-1)?.problem).toMatch(/Elwood connects again by itself\.$/);
  await rig.clock.untilAsleep((ms) => ms === 8_000);
  const waits = rig.clock.sleeps.slice(before).map(({ ms }) => ms);
  expect(waits.filter((ms) => [1_000, 2_000, 4_000, 8_000].includes(ms))).toEqual([
    1_000, 2_000, 4_000, 8_000,
  ]);
  await server.goOnline();
  server.say(ada, server.privateChat(ada).id, "are you back?");
  await rig.clock.advance(8_000);
  expect((await rig.messages(1))[0]?.text).toBe("are you back?");
  expect(server.framesOf(2)).toHaveLength(1);
});

test("a connection whose heartbeats are not answered is made again", async () => {
  const { server } = await start({ heartbeatMs: 20_000 });
  await rig.connect();
  server.answersHeartbeats = false;
  await rig.clock.untilAsleep((ms) => ms <= 20_000);
  await rig.clock.advance(20_000);
  await server.until(() => server.framesOf(1).length >= 1);
  await rig.clock.advance(20_000);
  await server.until(() => server.framesOf(6).length === 1);
  expect(server.framesOf(2)).toHaveLength(1);
});

test("more messages at once than are kept waiting all come in, in their order", async () => {
  const { server } = await start();
  const ada = server.person("Ada");
  const chat = server.privateChat(ada);
  await rig.connect();
  const blocked = Promise.withResolvers<void>();
  rig.store = () => blocked.promise;
  const total = 2_300;
  for (let i = 0; i < total; i += 1) server.say(ada, chat.id, String(i));
  server.say(ada, chat.id, "last");
  blocked.resolve();
  const texts = (await rig.messages(total + 1)).map(({ text }) => text);
  expect(texts).toEqual([...Array.from({ length: total }, (_, i) => String(i)), "last"]);
});

// ── what Discord will not have ───────────────────────────────────────────────────────

test("a login that Discord would refuse again (close code 4014) is not tried again", async () => {
  const { server } = await start();
  await rig.open({ messageContent: true });
  await rig.until(() => rig.health.at(-1)?.state === "failed");
  expect(server.framesOf(2)).toHaveLength(1);
});

test("another program with the same bot is noticed, and what this one wrote before a restart is not taken for it", async () => {
  const { server } = await start();
  const ada = server.person("Ada");
  const chat = server.privateChat(ada);
  const connection = await rig.connect();
  await send(connection, chat.id, "mine");
  await rig.kill();
  await rig.connect();
  server.say(ada, chat.id, "hello");
  await rig.messages(1);
  expect(rig.health.some(({ problem }) => problem !== undefined)).toBe(false);
  await fetch(`${server.apiRoot}/v10/channels/${chat.id}/messages`, {
    method: "POST",
    headers: { authorization: `Bot ${server.token}`, "content-type": "application/json" },
    body: JSON.stringify({ content: "somebody else's" }),
  });
  await rig.until(() => rig.health.at(-1)?.problem?.startsWith("Another program writes") ?? false);
});

test("a clock that is set back by a day delays no login", async () => {
  const { server } = await start();
  await rig.connect();
  rig.clock.set(rig.clock.now() - 86_400_000);
  server.forgetSessions();
  await server.until(() => server.framesOf(2).length === 2);
  expect(Math.max(...rig.clock.sleeps.map(({ ms }) => ms))).toBeLessThanOrEqual(60_000);
});

test("a check tells who the bot is, how to invite it, and that an intent is missing", async () => {
  const { server } = await start();
  const secrets = { DISCORD_BOT_TOKEN: server.token };
  const settings = { apiRoot: server.apiRoot, messageContent: true };
  const checked = await channel.check({ settings, secrets, signal: never, clock: rig.clock });
  expect(checked).toMatchObject({
    ok: true,
    account: {
      id: server.bot.id,
      name: "elwood",
      link: `https://discord.com/oauth2/authorize?client_id=${server.applicationId}&scope=bot+applications.commands&permissions=309237746688`,
    },
    notes: [expect.stringContaining("Message Content Intent")],
  });
  server.messageContent = true;
  expect(await channel.check({ settings, secrets, signal: never, clock: rig.clock })).toMatchObject({
    notes: [],
  });
});

// ── out ──────────────────────────────────────────────────────────────────────────────

test("a message in a server rings nobody there, and unfolds no link", async () => {
  const { server } = await start();
  const { channel: general } = server.guild("Home");
  const connection = await rig.connect();
  await send(connection, general.id, "@everyone <@1> see https://example.com");
  expect(server.written(general.id)[0]).toMatchObject({ mention_everyone: false, mentions: [], flags: 4 });
});

test("a repeat that says something else by now changes what is there", async () => {
  const { server } = await start();
  const { channel: general } = server.guild("Home");
  const connection = await rig.connect();
  server.fault("POST", /messages$/, { kind: "lost", when: "after" });
  await send(connection, general.id, {
    markdown: "Delete it?",
    buttons: [[{ words: "Allow", data: "ok:1" }]],
  });
  expect(await send(connection, general.id, "Allowed by you.", { repeat: true })).toMatchObject({
    kind: "sent",
  });
  expect(server.written(general.id)).toMatchObject([{ content: "Allowed by you.", components: [] }]);
});

test("a repeat that Discord may have forgotten the first of says that it may be one", async () => {
  const { server } = await start();
  const { channel: general } = server.guild("Home");
  const connection = await rig.connect();
  server.fault("POST", /messages$/, { kind: "answer", status: 502 });
  expect(await send(connection, general.id, "hello")).toMatchObject({ kind: "unknown" });
  await rig.clock.advance(10 * 60_000);
  await send(connection, general.id, "hello", { repeat: true });
  expect(server.written(general.id)[0]?.content).toBe("-# This may be a repeat.\nhello");
});

test("a file that came with a message is read, from Discord's own addresses only", async () => {
  const { server } = await start();
  const ada = server.person("Ada");
  const chat = server.privateChat(ada);
  const connection = await rig.connect();
  const attachment = server.attachment({ name: "a.txt", type: "text/plain", text: "hi" });
  server.say(ada, chat.id, "", { attachments: [attachment] });
  server.say(ada, chat.id, "", { attachments: [{ ...attachment, url: "http://127.0.0.1:1/a.txt" }] });
  const [good, bad] = (await rig.messages(2)).map(({ files }) => files![0]!);
  const read = await connection.fetchFile(good!, never);
  expect(read.ok && Buffer.from(read.bytes).toString()).toBe("hi");
  expect(await connection.fetchFile(bad!, never)).toMatchObject({ ok: false });
  server.world.files.delete(attachment.id);
  expect(await connection.fetchFile(good!, never)).toEqual({ ok: false, problem: "is no longer there." });
});

// ── threads ──────────────────────────────────────────────────────────────────────────

test("a task in a channel gets a thread with its first reply, and goes on there", async () => {
  const { server } = await start({ messageContent: true });
  const ada = server.person("Ada");
  const { channel: general } = server.guild("Home");
  const connection = await rig.connect({ messageContent: true });
  const asked = server.say(ada, general.id, `${server.mention()} paint the gate`);
  const [message] = await rig.messages(1);
  expect(server.world.channels.has(asked.id)).toBe(false);
  await connection.typing(message!.chat.id, never);
  expect(server.requestsOf("POST", /typing$/).at(-1)?.path).toBe(`/channels/${general.id}/typing`);
  expect(await send(connection, message!.chat.id, "Painted.", { replyTo: asked.id })).toMatchObject({
    kind: "sent",
  });
  const thread = server.world.channels.get(message!.chat.id);
  expect(thread).toMatchObject({ name: "paint the gate", parent_id: general.id });
  server.say(ada, thread!.id, "and the door");
  const [, second] = await rig.messages(2);
  expect(second).toMatchObject({ text: "and the door", chat: { id: message!.chat.id, groupId: general.id } });
});

test("a thread that was planned before a restart is begun after it", async () => {
  const { server } = await start();
  const ada = server.person("Ada");
  const { channel: general } = server.guild("Home");
  await rig.connect();
  server.say(ada, general.id, `${server.mention()} paint the gate`);
  const [message] = await rig.messages(1);
  await rig.kill();
  const connection = await rig.connect();
  expect(await send(connection, message!.chat.id, "Painted.")).toMatchObject({ kind: "sent" });
  expect(server.written(message!.chat.id)).toHaveLength(1);
});

test("where no thread may be begun, the chat is the channel itself", async () => {
  const { server } = await start();
  const ada = server.person("Ada");
  const { channel: general } = server.guild("Home");
  const connection = await rig.connect();
  server.say(ada, general.id, `${server.mention()} paint`);
  const [message] = await rig.messages(1);
  server.fault("POST", /threads$/, {
    kind: "answer",
    status: 403,
    body: { code: 50_013, message: "Missing Permissions" },
  });
  expect(await send(connection, message!.chat.id, "x")).toEqual({ kind: "moved", to: general.id });
  expect(await send(connection, general.id, "x")).toMatchObject({ kind: "sent" });
  server.say(ada, general.id, `${server.mention()} again`);
  const [, second] = await rig.messages(2);
  expect(second?.chat.id).toBe(general.id);
});

// ── commands, buttons, notes ─────────────────────────────────────────────────────────

test("commands are registered once, until they change", async () => {
  const { server } = await start();
  await rig.connect();
  await server.until(() => server.commands.length > 0);
  expect(server.commands).toMatchObject([
    { name: "status" },
    { name: "model", options: [{ type: 3, required: false }] },
  ]);
  await rig.until(() => true);
  await rig.close();
  server.forgetSessions();
  await rig.connect();
  await rig.close();
  expect(server.requestsOf("PUT", /commands$/)).toHaveLength(1);
});

test("a slash command is deferred at once and answered in its place, for its sender alone in a server", async () => {
  const { server } = await start();
  const ada = server.person("Ada");
  const { channel: general } = server.guild("Home");
  const connection = await rig.connect();
  await server.until(() => server.commands.length > 0);
  const command = server.command(ada, general.id, "model", "anthropic/x");
  const [message] = await rig.messages(1);
  expect(command.answer).toEqual({ type: 5, data: { flags: EPHEMERAL } });
  expect(message).toMatchObject({
    text: "/model anthropic/x",
    command: { name: "model", argument: "anthropic/x" },
    messageId: command.id,
  });
  const first = await send(connection, general.id, "one", { replyTo: command.id, key: "out_9.0" });
  const second = await send(connection, general.id, "two", { key: "out_9.1" });
  expect(server.whispers(ada).map(({ content }) => content)).toEqual(["one", "two"]);
  expect(server.messages(general.id)).toEqual([]);
  expect([first.kind, second.kind]).toEqual(["sent", "sent"]);
  const messageId = first.kind === "sent" ? first.messageId : "";
  const changed = { chat: general.id, messageId, message: connection.render({ markdown: "three" })[0]! };
  expect(await connection.edit(changed, never)).toEqual({ kind: "sent", messageId });
  expect(server.whispers(ada)[0]?.content).toBe("three");
});

test("a command that is answered after fifteen minutes gets a message like any other", async () => {
  const { server } = await start();
  const ada = server.person("Ada");
  const chat = server.privateChat(ada);
  const connection = await rig.connect();
  const command = server.command(ada, chat.id, "status");
  await rig.messages(1);
  expect(command.answer).toEqual({ type: 5, data: {} });
  await rig.clock.advance(15 * 60_000);
  await send(connection, chat.id, "late", { replyTo: command.id });
  expect(server.written(chat.id).map(({ content }) => content)).toContain("late");
});

test("a command that nobody answers does not seem to go on for ever", async () => {
  const { server } = await start();
  const ada = server.person("Ada");
  const { channel: general } = server.guild("Home");
  await rig.connect();
  server.command(ada, general.id, "status");
  await rig.messages(1);
  await rig.clock.untilAsleep((ms) => ms === 20_000);
  await rig.clock.advance(20_000);
  await server.until(() => server.whispers(ada)[0]?.content === "There is no answer to this here.");
});

test("a command that is typed as a message is the same command", async () => {
  const { server } = await start();
  const ada = server.person("Ada");
  await rig.connect();
  server.say(ada, server.privateChat(ada).id, "/model  anthropic/x");
  expect((await rig.messages(1))[0]).toMatchObject({ command: { name: "model", argument: "anthropic/x" } });
});
