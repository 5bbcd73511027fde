import { request } from "node:http";
import { LIMITS } from "@elwood/core/base/limits";
import { startGatewayProcess, type GatewayProcess } from "@elwood/testkit/gateway-process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { Wire } from "./conformance/wire.ts";
import { exchange, RawSocket, upgradeRequest } from "./raw-socket.ts";

let gateway: GatewayProcess;
let host: string;
let bystander: Wire;
let hanging: Promise<{ answer: string; afterMs: number }>[];

beforeAll(async () => {
  gateway = await startGatewayProcess();
  host = new URL(gateway.url).host;
  bystander = await Wire.authenticated(gateway.url, gateway.token);
  hanging = await hangingConnections();
});
afterAll(async () => {
  expect((await bystander.ask("sessions.list")).result).toBeDefined();
  expect(gateway.output().stdout.match(/^.*"level":"ERROR".*$/gm)).toBeNull();
  await gateway.kill();
});

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
const get = (target: string, headers = `Host: ${host}`) =>
  exchange(gateway.url, `GET ${target} HTTP/1.1\r\n${headers}\r\nConnection: close\r\n\r\n`);

describe("JV-1: who may knock", () => {
  /** Names that only begin, end or look like ours, each sent with a valid token (CVE-2026-25253 let such pages in). */
  const FOREIGN_ORIGINS = [
    "http://localhost.evil.example",
    "http://127.0.0.1.evil.example",
    "http://127.evil.example",
    "null",
    "http://localhost:9999",
    "https://localhost:18789",
    "http://[::1].evil.example",
    "file://",
    "http://localhost",
    "http://localhost:PORT.evil.example",
    "http://localhost:PORT@evil.example",
    "https://127.0.0.1:PORT",
    "http://127.0.0.1:PORT/",
    "http://127.0.0.1:PORT http://evil.example",
    "http://127.1:PORT",
    "http://2130706433:PORT",
    "",
    "chrome-extension://abcdefghijklmnop",
  ];

  test.each(FOREIGN_ORIGINS)("a page at %j is refused, its right token notwithstanding", async (written) => {
    const origin = written.replace("PORT", host.split(":")[1]!);
    await expect(Wire.open(gateway.url, { origin })).rejects.toThrow("403");
    const headers = `Host: ${host}\r\nOrigin: ${origin}\r\nAuthorization: Bearer ${gateway.token}`;
    const answer = await get("/health", headers);
    expect(statusOf(answer)).toBe(403);
    expect(answer).not.toMatch(/access-control-allow/i);
  });

  test.each([
    "evil.example",
    "evil.example:PORT",
    "127.0.0.1",
    "127.0.0.1:1",
    "localhost.evil:PORT",
    "0.0.0.0:PORT",
  ])(
    "a request for the name %s is refused on every door, since a foreign name can be made to point here",
    async (written) => {
      const name = written.replace("PORT", host.split(":")[1]!);
      for (const path of ["/", "/health", "/readyz", "/app.js"])
        expect(statusOf(await get(path, `Host: ${name}`)), path).toBe(403);
      const upgraded = await exchange(gateway.url, upgradeRequest(gateway.url, "/ws", { Host: name }));
      expect(statusOf(upgraded)).toBe(403);
    },
  );

  test("no Host, an empty one and two of them are refused; our own in capitals is fine", async () => {
    expect(statusOf(await exchange(gateway.url, "GET /health HTTP/1.0\r\n\r\n"))).toBe(403);
    expect(statusOf(await get("/health", "Host:"))).toBe(403);
    expect(statusOf(await get("/health", `Host: ${host}\r\nHost: evil.example`))).toBe(403);
    expect(statusOf(await get("/health", `Host: LOCALHOST:${host.split(":")[1]}`))).toBe(200);
  });

  test("a token in an address opens no door", async () => {
    for (const path of [`/blobs/x?token=${gateway.token}`, `/blobs/x?access_token=${gateway.token}`])
      expect(statusOf(await get(path))).toBe(401);
  });
});

describe("what is not HTTP", () => {
  const head = (line: string, ...headers: string[]) =>
    `${[line, `Host: HOST`, ...headers].join("\r\n")}\r\n\r\n`;

  test.each<[string, string]>([
    ["the first bytes of TLS", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"],
    ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    ["an unknown version", "GET / HTTP/9.9\r\n\r\n"],
    ["an unknown verb", "OWN / HTTP/1.1\r\n\r\n"],
    ["noise", "\x00\xff\x00\xff\r\n\r\n"],
    ["two lengths", head("POST /login HTTP/1.1", "Content-Length: 5", "Content-Length: 6")],
    ["a length and chunks", head("POST /login HTTP/1.1", "Content-Length: 5", "Transfer-Encoding: chunked")],
    ["chunks and something else", head("POST /login HTTP/1.1", "Transfer-Encoding: chunked, identity")],
    ["a negative length", head("POST /login HTTP/1.1", "Content-Length: -1")],
    ["a length with a sign", head("POST /login HTTP/1.1", "Content-Length: +5")],
    ["a blank before the colon", head("GET /health HTTP/1.1", "X-A : 1")],
    ["a header with a NUL", head("GET /health HTTP/1.1", "X-A: a\0b")],
    ["a folded header", head("GET /health HTTP/1.1", "X-A: a", "Transfer-Encoding: chunked\r\n x")],
    ["a bare line feed", "GET /health HTTP/1.1\nHost: HOST\nX: y\n\n"],
    ["a header of 20 KB", head("GET /health HTTP/1.1", `X-A: ${"a".repeat(20_000)}`)],
    [
      "a thousand long headers",
      head("GET /health HTTP/1.1", ...Array<string>(1_000).fill(`X-A: ${"a".repeat(50)}`)),
    ],
    ["an address of 20 KB", head(`GET /${"a".repeat(20_000)} HTTP/1.1`)],
  ])("%s is answered 4xx and cut off", async (_what, bytes) => {
    const answer = await exchange(gateway.url, Buffer.from(bytes.replaceAll("HOST", host), "latin1"));
    expect(statusOf(answer)).toBeGreaterThanOrEqual(400);
    expect(statusOf(answer)).toBeLessThan(500);
    expect(answer.match(/HTTP\/1\.1 \d/g)).toHaveLength(1);
  });

  test.each([
    ["//[", 404],
    ["http://[", 400],
    ["http://evil.example/health", 400],
    ["//evil.example/health", 404],
    ["/blobs/%zz", 401],
    ["/blobs/%00", 401],
    ["/blobs/..%2f..%2fkeys%2fowner-token", 401],
    ["/../../keys/owner-token", 404],
    ["/..%2f..%2fpackage.json", 404],
    ["/page/../../package.json", 404],
    ["/%", 404],
    ["/app.js%00.html", 404],
    ["/__proto__", 404],
    ["*", 400],
  ])("GET %s is answered %i", async (target, status) => {
    expect(statusOf(await get(target))).toBe(status);
  });

  test("verbs that a door does not know are answered 4xx, CONNECT and TRACE included", async () => {
    for (const verb of ["TRACE", "OPTIONS", "DELETE", "PUT", "PATCH", "CONNECT"]) {
      const target = verb === "CONNECT" ? "evil.example:443" : "/health";
      const answer = await exchange(
        gateway.url,
        `${verb} ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      );
      expect(statusOf(answer), verb).toBeGreaterThanOrEqual(verb === "CONNECT" ? 0 : 400);
      expect(answer).not.toContain("200");
    }
  });

  test("an upgrade to something else, or half of one, is refused and cut off", async () => {
    const broken = [
      ["Upgrade", "h2c"],
      ["Sec-WebSocket-Key", "x"],
      ["Sec-WebSocket-Version", "7"],
    ] as const;
    for (const [name, value] of broken) {
      const socket = await RawSocket.open(gateway.url);
      const answer = await socket.write(upgradeRequest(gateway.url, "/ws", { [name]: value })).ended;
      expect(statusOf(answer)).toBeGreaterThanOrEqual(400);
      socket.destroy();
    }
  });
});

describe("bodies", () => {
  const chunk = (bytes: number) => `${bytes.toString(16)}\r\n${"x".repeat(bytes)}\r\n`;

  test("a body that is too long is refused with 413, said before it is read and while it is", async () => {
    const first = `POST /login HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n`;
    const announced = await exchange(gateway.url, `${first}Content-Length: 99999999\r\n\r\n{"a":`);
    expect(statusOf(announced)).toBe(413);
    const socket = await RawSocket.open(gateway.url);
    socket.write(`${first}Transfer-Encoding: chunked\r\n\r\n`).write(chunk(40_000)).write(chunk(40_000));
    expect(statusOf(await socket.ended)).toBe(413);
    socket.destroy();
  });

  test.each([
    ["not JSON", "{", 400],
    ["nothing", "", 400],
    ["another shape", '{"ticket":["x"]}', 401],
    ["more than a ticket", '{"ticket":"x","admin":true}', 401],
    ["10,000 levels", `${"[".repeat(10_000)}${"]".repeat(10_000)}`, 401],
  ])("/login with %s is refused", async (_what, body, status) => {
    const answer = await fetch(`${gateway.url}/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    expect(answer.status).toBe(status);
    expect(await answer.text()).not.toMatch(/\bat .*\.ts:\d+/);
  });

  test("an upload that breaks off stores nothing and is no error of ours", async () => {
    const socket = await RawSocket.open(gateway.url);
    const auth = `Authorization: Bearer ${gateway.token}`;
    socket.write(`POST /blobs HTTP/1.1\r\nHost: ${host}\r\n${auth}\r\nContent-Length: 1000\r\n\r\nhalf of`);
    await new Promise((resolve) => setTimeout(resolve, 50));
    socket.destroy();
    expect((await bystander.ask("health.check")).result).toBeDefined();
  });
});

describe("connections that are left hanging", () => {
  const clients = async () => (await bystander.result("gateway.status"))["clients"];

  test("a client that closed its half after asking still gets its answer", async () => {
    const socket = await RawSocket.open(gateway.url);
    socket.write(`GET /health HTTP/1.1\r\nHost: ${host}\r\n\r\n`).end();
    expect(statusOf(await socket.ended)).toBe(200);
    socket.destroy();
  });

  test("a WebSocket client that goes without a word is forgotten", async () => {
    const before = await clients();
    const socket = new WebSocket(`ws://${host}/ws`);
    await new Promise((resolve) => socket.on("open", resolve));
    socket.send(JSON.stringify({ type: "auth", token: gateway.token }));
    await expect.poll(clients).toBe(Number(before) + 1);
    socket.terminate();
    await expect.poll(clients).toBe(before);
  });
});

test("JV-1: ten failures on any door close them all to what is wrong, and the right token still gets in", async () => {
  await using own = await startGatewayProcess();
  const known = await Wire.authenticated(own.url, own.token);
  const overWs = async (token: string, localAddress = "127.0.0.1") => {
    const socket = new WebSocket(`${own.url.replace("http", "ws")}/ws`, { localAddress });
    socket.on("open", () => socket.send(JSON.stringify({ type: "auth", token })));
    const [answer] = await new Promise<Buffer[]>((resolve) =>
      socket.on("message", (data: Buffer) => resolve([data])),
    );
    socket.close();
    return JSON.parse(answer!.toString("utf8")) as {
      ok?: boolean;
      error?: { data: Record<string, unknown> };
    };
  };
  const login = (ticket: string) =>
    fetch(`${own.url}/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ticket }),
    });
  const upload = (token: string) =>
    fetch(`${own.url}/blobs`, { method: "POST", headers: { authorization: `Bearer ${token}` }, body: "x" });
  for (let i = 0; i < 4; i++)
    expect((await overWs(`wrong-${i}`)).error?.data).toMatchObject({ reason: "UNAUTHENTICATED" });
  for (let i = 0; i < 3; i++) expect((await login(`wrong-${i}`)).status).toBe(401);
  for (let i = 0; i < 3; i++) expect((await upload(`wrong-${i}`)).status).toBe(401);

  for (const wrong of ["wrong-again", "wrong-and-long-enough-to-be-a-token-of-somebody"]) {
    expect((await overWs(wrong)).error?.data).toMatchObject({
      reason: "TOO_MANY_ATTEMPTS",
      retryable: true,
      retryAfterMs: expect.any(Number),
    });
    for (const answer of [await login(wrong), await upload(wrong)]) {
      expect(answer.status).toBe(429);
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    }
  }
  expect(await overWs(own.token)).toMatchObject({ ok: true });
  expect((await upload(own.token)).status).toBe(201);
  const ticket = new URL(own.link).hash.slice("#t=".length);
  expect((await login(ticket)).status).toBe(200);
  expect((await known.ask("sessions.list")).result).toBeDefined();
  expect(await overWs(own.token, "127.0.0.2")).toMatchObject({ ok: true });
  const fromElsewhere = await new Promise<number | undefined>((resolve, reject) => {
    const headers = { authorization: `Bearer ${own.token}`, "content-type": "text/plain" };
    request(`${own.url}/blobs`, { method: "POST", headers, localAddress: "127.0.0.2" })
      .on("response", (response) => resolve(response.resume().statusCode))
      .on("error", reject)
      .end("x");
  });
  expect(fromElsewhere).toBe(201);
});

test("JV-1: a token that is short enough to be guessed waits with the wrong ones", async () => {
  const token = "short-one";
  await using own = await startGatewayProcess({ env: { ELWOOD_TOKEN: token } });
  const upload = async (bearer: string) =>
    (
      await fetch(`${own.url}/blobs`, {
        method: "POST",
        headers: { authorization: `Bearer ${bearer}` },
        body: "x",
      })
    ).status;
  expect(await upload(token)).toBe(201);
  for (let i = 0; i < 10; i++) expect(await upload(`wrong-${i}`)).toBe(401);
  expect(await upload(token)).toBe(429);
});

test("sockets that ask nothing give way, so that nobody keeps the owner out by holding them", async () => {
  await using own = await startGatewayProcess();
  const silent: RawSocket[] = [];
  const openUpTo = async (count: number) => {
    while (silent.length < count) silent.push(await RawSocket.open(own.url));
  };
  try {
    // While there is room, many that came at once are all read in the end.
    await openUpTo(LIMITS.idleSocketsMax + 50);
    silent[0]!.write(`GET /health HTTP/1.1\r\nHost: ${new URL(own.url).host}\r\n\r\n`);
    await silent[0]!.until(/200 OK/);
    await openUpTo(LIMITS.socketsMax + 1);
    const owner = await Wire.authenticated(own.url, own.token);
    expect((await owner.ask("sessions.list")).result).toBeDefined();
    expect((await fetch(`${own.url}/health`)).status).toBe(200);
    await owner.close();
  } finally {
    for (const socket of silent) socket.destroy();
  }
});

test("headers that come a byte at a time, or not at all, are given up on within seconds", async () => {
  const [silent, slow] = await Promise.all(hanging);
  for (const { afterMs } of [silent!, slow!]) expect(afterMs).toBeLessThan(LIMITS.preAuthMs + 4_000);
  expect(statusOf(slow!.answer)).toBe(408);
});

/** Begun before everything else, so that their seconds pass while the others are at work. */
async function hangingConnections(): Promise<typeof hanging> {
  const silent = await RawSocket.open(gateway.url);
  const slow = await RawSocket.open(gateway.url);
  slow.write(`GET /health HTTP/1.1\r\nHost: ${host}\r\nX-Slow: `);
  const dripping = setInterval(() => slow.write("x"), 500);
  const begun = performance.now();
  return [silent, slow].map(async (socket) => {
    const answer = await socket.ended;
    if (socket === slow) clearInterval(dripping);
    socket.destroy();
    return { answer, afterMs: performance.now() - begun };
  });
}
