import { afterEach, beforeEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { INTENTS, startDiscord, type DiscordServer, type GatewayFrame } from "./discord-server.ts";
import type { Json } from "./discord-world.ts";
import { ManualClock } from "./manual-clock.ts";

const clock = new ManualClock();
let server: DiscordServer;

beforeEach(async () => {
  server = await startDiscord({ clock });
});

afterEach(async () => {
  await server.close();
});

const DEFAULT_INTENTS = INTENTS.guilds | INTENTS.guildMessages | INTENTS.directMessages;

/** A plain client of the gateway: it reads frames one by one. */
class Client {
  readonly #frames: (GatewayFrame & { t?: string; s?: number; d: Json })[] = [];
  readonly socket = new WebSocket(`${server.gatewayUrl}/?v=10&encoding=json`);
  #arrived = Promise.withResolvers<void>();
  readonly closed = Promise.withResolvers<number>();

  constructor() {
    this.socket.on("message", (data: Buffer) => {
      this.#frames.push(JSON.parse(data.toString()) as never);
      this.#arrived.resolve();
    });
    this.socket.on("close", (code) => this.closed.resolve(code));
  }

  async next(): Promise<GatewayFrame & { t?: string; s?: number; d: Json }> {
    for (;;) {
      const frame = this.#frames.shift();
      if (frame) return frame;
      this.#arrived = Promise.withResolvers();
      await this.#arrived.promise;
    }
  }

  async identify(intents = DEFAULT_INTENTS, token = server.token): Promise<void> {
    expect((await this.next()).op).toBe(10);
    this.socket.send(JSON.stringify({ op: 2, d: { token, intents, properties: {} } }));
  }
}

async function call(method: string, path: string, body?: unknown): Promise<{ status: number; body: Json }> {
  const response = await fetch(`${server.apiRoot}/v10${path}`, {
    method,
    headers: { authorization: `Bot ${server.token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: response.status === 204 ? {} : ((await response.json()) as Json) };
}

test("a bot identifies, is told who it is, and answers heartbeats", async () => {
  server.guild("Home");
  const client = new Client();
  await client.identify();
  const ready = await client.next();
  expect(ready).toMatchObject({ op: 0, t: "READY", s: 1, d: { user: { id: server.bot.id } } });
  expect(await client.next()).toMatchObject({ t: "GUILD_CREATE", d: { name: "Home" } });
  client.socket.send(JSON.stringify({ op: 1, d: 2 }));
  expect((await client.next()).op).toBe(11);
});

test("a wrong token and an intent that is switched off close the socket with Discord's codes", async () => {
  const wrong = new Client();
  await wrong.identify(DEFAULT_INTENTS, "other");
  expect(await wrong.closed.promise).toBe(4004);
  const content = new Client();
  await content.identify(DEFAULT_INTENTS | INTENTS.messageContent);
  expect(await content.closed.promise).toBe(4014);
  expect((await fetch(`${server.apiRoot}/v10/users/@me`)).status).toBe(401);
});

test("a session is resumed with everything that was missed, unless it is forgotten", async () => {
  const ada = server.person("Ada");
  const chat = server.privateChat(ada);
  const first = new Client();
  await first.identify();
  const ready = await first.next();
  server.say(ada, chat.id, "one");
  expect((await first.next()).d["content"]).toBe("one");
  server.drop();
  server.say(ada, chat.id, "two");
  const resume = { op: 6, d: { token: server.token, session_id: ready.d["session_id"], seq: 2 } };
  const second = new Client();
  await second.next();
  second.socket.send(JSON.stringify(resume));
  expect((await second.next()).d["content"]).toBe("two");
  expect((await second.next()).t).toBe("RESUMED");
  server.askReconnect();
  expect((await second.next()).op).toBe(7);
  server.forgetSessions();
  const third = new Client();
  await third.next();
  third.socket.send(JSON.stringify(resume));
  expect(await third.next()).toEqual({ op: 9, d: false });
});

test("without the content intent, words come in private messages and mentions only", async () => {
  const ada = server.person("Ada");
  const { channel } = server.guild("Home");
  const client = new Client();
  await client.identify();
  await client.next();
  await client.next();
  server.say(ada, channel.id, "just talking");
  server.say(ada, channel.id, `${server.mention()} hello`);
  server.say(ada, server.privateChat(ada).id, "psst");
  expect((await client.next()).d["content"]).toBe("");
  expect((await client.next()).d["content"]).toBe(`${server.mention()} hello`);
  expect((await client.next()).d["content"]).toBe("psst");
});

test("a message with a nonce that is enforced is created once", async () => {
  const { channel } = server.guild("Home");
  const message = { content: "hi", nonce: "n1", enforce_nonce: true };
  server.fault("POST", /messages$/, { kind: "lost", when: "after" });
  await expect(call("POST", `/channels/${channel.id}/messages`, message)).rejects.toThrow();
  const again = await call("POST", `/channels/${channel.id}/messages`, message);
  expect(again.status).toBe(200);
  expect(server.written(channel.id)).toHaveLength(1);
});

test("what Discord refuses is refused with its codes", async () => {
  const { channel } = server.guild("Home");
  const messages = `/channels/${channel.id}/messages`;
  expect(await call("POST", messages, { content: "x".repeat(2_001) })).toMatchObject({
    body: { code: 50_035 },
  });
  expect(await call("POST", messages, { content: " " })).toMatchObject({ body: { code: 50_006 } });
  const button = { type: 2, style: 1, label: "Yes", custom_id: "a" };
  const twice = { content: "x", components: [{ type: 1, components: [button, button] }] };
  expect(await call("POST", messages, twice)).toMatchObject({ status: 400 });
  expect(await call("POST", "/channels/1/messages", { content: "x" })).toMatchObject({
    body: { code: 10_003 },
  });
  const ada = server.person("Ada");
  const chat = server.privateChat(ada);
  server.block(ada);
  expect(await call("POST", `/channels/${chat.id}/messages`, { content: "x" })).toMatchObject({
    body: { code: 50_007 },
  });
});

test("an interaction is answered once, within three seconds, and followed up for fifteen minutes", async () => {
  const ada = server.person("Ada");
  const chat = server.privateChat(ada);
  const late = server.command(ada, chat.id, "status");
  await clock.advance(3_001);
  const callback = (of: { id: string; token: string }) =>
    call("POST", `/interactions/${of.id}/${of.token}/callback`, { type: 5, data: { flags: 64 } });
  expect(await callback(late)).toMatchObject({ body: { code: 10_062 } });
  const status = server.command(ada, chat.id, "status");
  expect((await callback(status)).status).toBe(204);
  expect(await callback(status)).toMatchObject({ body: { code: 40_060 } });
  const original = `/webhooks/${server.applicationId}/${status.token}/messages/@original`;
  expect((await call("PATCH", original, { content: "fine" })).status).toBe(200);
  expect(server.whispers(ada).map(({ content }) => content)).toEqual(["fine"]);
  expect(server.messages(chat.id)).toEqual([]);
  await clock.advance(15 * 60_000 + 1);
  expect(await call("PATCH", original, { content: "late" })).toMatchObject({ body: { code: 50_027 } });
});

test("limits and files are sent as Discord sends them", async () => {
  const { channel } = server.guild("Home");
  server.fault("POST", /messages$/, { kind: "limited", retryAfterSeconds: 126.5 });
  const limited = await call("POST", `/channels/${channel.id}/messages`, { content: "x" });
  expect(limited).toMatchObject({ status: 429, body: { retry_after: 126.5, global: false } });
  const form = new FormData();
  form.set("payload_json", JSON.stringify({ content: "see" }));
  form.set("files[0]", new File(["let x;"], "a.ts", { type: "text/plain" }));
  await fetch(`${server.apiRoot}/v10/channels/${channel.id}/messages`, {
    method: "POST",
    headers: { authorization: `Bot ${server.token}` },
    body: form,
  });
  const [attachment] = server.written(channel.id)[0]?.attachments ?? [];
  expect(attachment?.filename).toBe("a.ts");
  expect(await (await fetch(attachment?.url ?? "")).text()).toBe("let x;");
});
