import { startGatewayProcess, type GatewayProcess } from "@elwood/testkit/gateway-process";
import { LIMITS } from "@elwood/core/base/limits";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { Wire, type Frame } from "./conformance/wire.ts";
import { ask, contentsOf, openSession } from "./conversation.ts";
import { clientFrame, RawSocket, serverFrames, upgradeRequest } from "./raw-socket.ts";

let gateway: GatewayProcess;
/** Opened before everything else; whatever the others do, it must go on as if nothing happened. */
let bystander: Wire;
/** A client that never says who it is, from the beginning on: its five seconds pass while the others are at work. */
let silent: { health: Promise<Frame>; closed: Promise<{ code: number; afterMs: number }> };

beforeAll(async () => {
  gateway = await startGatewayProcess();
  bystander = await Wire.authenticated(gateway.url, gateway.token);
  const wire = await Wire.open(gateway.url);
  const begun = performance.now();
  silent = {
    health: wire.ask("health.check"),
    closed: wire.closeCode().then((code) => ({ code, afterMs: performance.now() - begun })),
  };
});
afterAll(async () => {
  const key = await openSession(bystander);
  expect((await ask(bystander, key, "hello")).event).toBe("chat.final");
  expect(logged("ERROR")).toEqual([]);
  await gateway.kill();
});

const logged = (level: string) =>
  gateway
    .output()
    .stdout.split("\n")
    .filter((line) => line.includes(`"level":"${level}"`));

const owner = () => Wire.authenticated(gateway.url, gateway.token);
const codeOf = (frame: Frame) => [frame.error?.code, frame.error?.data?.reason];

/** Sends something that has no id to answer to, and answers the error that comes back. */
async function errorAfter(wire: Wire, frame: unknown): Promise<Frame> {
  const seen = wire.frames.length;
  wire.send(frame);
  return wire.until((f) => f.error !== undefined, seen);
}

/** Sends frames in one piece, so that all are there before the first is dealt with, and answers what comes back. */
async function inOnePiece(frames: readonly object[], answers: number): Promise<(number | Frame)[]> {
  const socket = await RawSocket.open(gateway.url);
  await socket.write(upgradeRequest(gateway.url)).until(/\r\n\r\n/);
  socket.write(Buffer.concat(frames.map((f) => clientFrame(JSON.stringify(f)))));
  const heard = () => serverFrames(socket.received());
  await expect.poll(() => heard().length).toBeGreaterThanOrEqual(answers);
  // One more round trip: whatever else was to come has come by then.
  await socket.write(clientFrame("", 8)).ended;
  socket.destroy();
  return heard()
    .filter((f) => f.opcode === 1 || f.text !== "")
    .map((f) => f.code ?? (JSON.parse(f.text) as Frame));
}

const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

describe("JV-1: before authentication", () => {
  test("a frame above 64 KiB closes the connection with 1009, one just below is only refused", async () => {
    const large = await Wire.open(gateway.url);
    large.send("x".repeat(LIMITS.preAuthFrameBytesMax + 1));
    expect(await large.closeCode()).toBe(1009);
    const fitting = await Wire.open(gateway.url);
    fitting.send("x".repeat(LIMITS.preAuthFrameBytesMax));
    expect(await fitting.closeCode()).toBe(1008);
  });

  test.each([
    ["binary", Buffer.from([1, 2, 3]), -32600],
    ["not JSON", "{", -32700],
    ["an empty frame", "", -32700],
    ["an array", "[]", -32600],
    ["a request without a method", { id: "1" }, -32600],
    ["a method that needs a token", { id: "1", method: "sessions.list" }, -32001],
    ["a method nobody has", { id: "1", method: "config.apply", params: { token: "x" } }, -32001],
    ["a tool call", { id: "1", method: "tools.invoke", params: { senderIsOwner: true } }, -32001],
    ["an auth frame without a token", { type: "auth" }, -32001],
    ["an auth frame with null", { type: "auth", token: null }, -32001],
    ["an auth frame with an object", { type: "auth", token: { $ne: "" } }, -32001],
  ])("%s is answered with a code and ends the connection with 1008", async (_what, frame, code) => {
    const wire = await Wire.open(gateway.url);
    expect((await errorAfter(wire, frame)).error?.code).toBe(code);
    expect(await wire.closeCode()).toBe(1008);
  });

  test("nothing that follows a refused frame is acted on, a right token included", async () => {
    const early = { id: "early", method: "sessions.list" };
    const auth = { type: "auth", token: gateway.token };
    const late = { id: "late", method: "sessions.create", params: { title: "smuggled in" } };
    const answers = await inOnePiece([early, auth, late], 2);
    expect(answers).toEqual([expect.objectContaining({ id: "early" }), 1008]);
    const { sessions } = await bystander.result("sessions.list", { query: "smuggled" });
    expect(sessions).toEqual([]);
  });

  test("a token in the address opens nothing", async () => {
    const { host } = new URL(gateway.url);
    const socket = new WebSocket(`ws://${host}/ws?token=${gateway.token}`);
    const closed = new Promise<number>((resolve) => socket.on("close", resolve));
    socket.on("open", () => socket.send(JSON.stringify({ id: "1", method: "sessions.list" })));
    expect(await closed).toBe(1008);
  });

  test("requests right behind the auth frame wait for it; a second auth frame is refused", async () => {
    const auth = { type: "auth", token: gateway.token };
    const request = { id: "first", method: "sessions.list", params: { limit: 1 } };
    const last = { id: "last", method: "health.check" };
    const answers = await inOnePiece([auth, { ...auth, token: "another" }, request, auth, last], 5);
    const told = answers.map((f) => (typeof f === "number" ? f : (f.error?.code ?? f.type ?? f.id)));
    expect(told[0]).toBe("auth");
    expect(told.map(String).toSorted()).toEqual(["-32600", "-32600", "auth", "first", "last"]);
  });

  test("a wrong token is not followed by a second guess on the same connection", async () => {
    const wrong = { type: "auth", token: "wrong-token-to-begin-with" };
    const answers = await inOnePiece(
      [wrong, { ...wrong, token: gateway.token }, { id: "1", method: "sessions.list" }],
      2,
    );
    expect(answers).toEqual([
      expect.objectContaining({ error: expect.objectContaining({ code: -32001 }) }),
      1008,
    ]);
  });
});

describe("a known client's bad frames are answered and harm nothing", () => {
  let wire: Wire;
  beforeAll(async () => {
    wire = await owner();
  });
  afterAll(() => wire.close());

  test.each([
    ["cut JSON", '{"id":"1","method":"health.check"', -32700],
    ["a number with a tail", "1e999x", -32700],
    ["JSON with a NUL", '{"id":"1"\u0000}', -32700],
    ["ten thousand levels of arrays", nested(10_000), -32600],
    ["half a million levels of arrays", nested(500_000), -32600],
    ["ten thousand levels, never closed", "[".repeat(10_000), -32700],
    ["an id that is a number", { id: 7, method: "health.check" }, -32600],
    ["an id that is empty", { id: "", method: "health.check" }, -32600],
    ["an id of 100,000 characters", { id: "x".repeat(100_000), method: "health.check" }, -32600],
    ["an id that is an object", { id: { toString: "x" }, method: "health.check" }, -32600],
    ["a method that is an array", { id: "1", method: ["health.check"] }, -32600],
    ["a method of 100,000 characters", { id: "1", method: "x".repeat(100_000) }, -32600],
    ["a response instead of a request", { id: "1", result: {} }, -32600],
    ["a push instead of a request", { event: "chat.final", data: {} }, -32600],
    ["binary that would be a good request", Buffer.from('{"id":"1","method":"health.check"}'), -32600],
  ])("%s", async (_what, frame, code) => {
    const { error } = await errorAfter(wire, frame);
    expect(error?.code).toBe(code);
    expect(error!.message.length).toBeLessThan(300);
    expect((await wire.ask("health.check")).result).toBeDefined();
  });

  test.each([
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "chat.",
    "chat.send ",
    "CHAT.SEND",
    "tool.invoke",
  ])("JV-2: %s is no method", async (method) => {
    expect(codeOf(await wire.ask(method))).toEqual([-32601, "UNKNOWN_METHOD"]);
  });

  test.each([
    ["an array", "[]"],
    ["text", '"x"'],
    ["a number", "1"],
    ["a deep one", nested(10_000)],
    ["a list in the place of text", '{"sessionKey":["x"],"message":"m"}'],
    ["a constructor", '{"sessionKey":"s","message":"m","constructor":{"prototype":{"admin":true}}}'],
    ["a claim to be the owner", '{"sessionKey":"s","message":"m","senderIsOwner":true}'],
    [
      "a claimed origin",
      '{"sessionKey":"s","message":"m","parts":[{"kind":"text","text":"t","origin":"gateway"}]}',
    ],
    ["more parts than allowed", `{"sessionKey":"s","message":"m","parts":[${Array(100).fill("{}").join()}]}`],
    ["a message too long", JSON.stringify({ sessionKey: "s", message: "m".repeat(400_001) })],
    ["a key of a megabyte", `{"${"k".repeat(1_000_000)}":1}`],
    [
      "fifty thousand keys",
      JSON.stringify(Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`k${i}`, 1]))),
    ],
  ])("JV-2 AC-15: params that are %s are INVALID_INPUT, said shortly", async (_what, params) => {
    const id = `p${Math.random()}`;
    wire.send(`{"id":"${id}","method":"chat.send","params":${params}}`);
    const answer = await wire.until((f) => f.id === id);
    expect(codeOf(answer)).toEqual([-32602, "INVALID_INPUT"]);
    expect(answer.error!.message.length).toBeLessThan(1_000);
  });

  test("__proto__ in params gives nobody a property", async () => {
    wire.send('{"id":"proto","method":"sessions.list","params":{"__proto__":{"limit":1,"before":"x"}}}');
    const answer = await wire.until((f) => f.id === "proto");
    expect(answer.error?.code ?? "listed").toBeOneOf([-32602, "listed"]);
    const key = await openSession(wire);
    expect(key).toMatch(/^ses_/);
  });

  test("half a surrogate pair in an id comes back as it was; in a message it becomes readable text", async () => {
    wire.send('{"id":"\\ud83d-x","method":"health.check"}');
    expect((await wire.until((f) => f.id === "\ud83d-x")).result).toBeDefined();
    const key = await openSession(wire);
    expect((await ask(wire, key, "half \ud83d of it \udc00")).event).toBe("chat.final");
    expect((await contentsOf(wire, key))[0]).toBe("half \ufffd of it \ufffd");
    const { messages } = await wire.result("sessions.get", { sessionKey: key });
    expect(JSON.stringify(messages)).not.toContain("\\ud83d");
  });
});

describe("limits of one connection", () => {
  test("a frame above the limit closes with 1009, and the client may come back", async () => {
    const wire = await owner();
    wire.send("x".repeat(LIMITS.frameBytesMax + 1));
    expect(await wire.closeCode()).toBe(1009);
    const again = await owner();
    again.send(`"${"x".repeat(LIMITS.frameBytesMax - 2)}"`);
    expect((await again.until((f) => f.error !== undefined)).error?.code).toBe(-32600);
    await again.close();
  });

  test("text that is not UTF-8 closes with 1007", async () => {
    const socket = new WebSocket(`${gateway.url.replace("http", "ws")}/ws`);
    const closed = new Promise<number>((resolve) => socket.on("close", resolve));
    socket.on("open", () => socket.send(Buffer.from([0xff, 0xfe, 0x80]), { binary: false }));
    expect(await closed).toBe(1007);
  });

  test("of 5,000 requests at once each is answered: with its result, or politely asked to come again", async () => {
    const wire = await owner();
    const count = 5_000;
    for (let i = 0; i < count; i++) wire.send({ id: `q${i}`, method: "sessions.list", params: { limit: 1 } });
    const last = await wire.ask("health.check").then(async (frame) => {
      while (frame.error?.data?.reason === "TOO_MANY_REQUESTS") frame = await wire.ask("health.check");
      return frame;
    });
    expect(last.result).toBeDefined();
    const answers = wire.frames.filter((f) => f.id?.startsWith("q"));
    expect(new Set(answers.map((f) => f.id)).size).toBe(count);
    const refused = answers.filter((f) => f.error);
    expect(refused.every((f) => f.error!.data!.reason === "TOO_MANY_REQUESTS")).toBe(true);
    expect(refused.every((f) => f.error!.data!.retryable)).toBe(true);
    expect(answers.length - refused.length).toBeGreaterThanOrEqual(LIMITS.requestsInFlightPerConnectionMax);
    await wire.close();
  });

  test("strangers beyond the limit give way, the oldest first, and known clients stay", async () => {
    await using own = await startGatewayProcess();
    const known = await Wire.authenticated(own.url, own.token);
    const strangers: Wire[] = [];
    for (let i = 0; i < LIMITS.preAuthConnectionsMax; i++) strangers.push(await Wire.open(own.url));
    const wire = await Wire.authenticated(own.url, own.token);
    expect((await wire.ask("health.check")).result).toBeDefined();
    expect(await strangers[0]!.closeCode()).toBe(1008);
    expect((await strangers.at(-1)!.ask("health.check")).result).toBeDefined();
    expect((await known.ask("health.check")).result).toBeDefined();
    await Promise.all([known, wire, ...strangers].map((each) => each.close()));
  });

  test("an upgrade on / works as on /ws, and nowhere else", async () => {
    const { host } = new URL(gateway.url);
    const hello = await new Promise<string>((resolve, reject) => {
      const socket = new WebSocket(`ws://${host}/`);
      socket.on("open", () => socket.send(JSON.stringify({ type: "auth", token: gateway.token })));
      socket.on("message", (data: Buffer) => (resolve(data.toString("utf8")), socket.close()));
      socket.on("error", reject);
    });
    expect(JSON.parse(hello)).toMatchObject({ type: "auth", ok: true });
    const refused = await new Promise<number | undefined>((resolve) => {
      const socket = new WebSocket(`ws://${host}/health`);
      socket.on("unexpected-response", (_request, response) => resolve(response.statusCode));
      socket.on("error", () => undefined);
    });
    expect(refused).toBe(404);
  });
});

test("JV-1: a client that never authenticates is answered health.check, and closed after five seconds", async () => {
  expect((await silent.health).result).toMatchObject({ status: "ok" });
  const { code, afterMs } = await silent.closed;
  expect(code).toBe(1008);
  expect(afterMs).toBeGreaterThan(LIMITS.preAuthMs - 1_000);
  expect(afterMs).toBeLessThan(LIMITS.preAuthMs + 3_000);
});
