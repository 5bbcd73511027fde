import { request } from "node:http";
import { connect } from "node:net";
import { LoopbackServer } from "@elwood/testkit/loopback-server";
import { readOrigin } from "@elwood/core/net/web-address";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { makeGuardedDialer } from "../web/guarded-dialer.ts";
import { startGuardedProxy, type GuardedProxy, type Pass } from "./guarded-proxy.ts";

const site = new LoopbackServer();
let proxy: GuardedProxy;
let pass: Pass;
let port = 0;

beforeAll(async () => {
  await site.start();
  port = Number(new URL(site.url).port);
  const dialer = makeGuardedDialer({
    rules: () => ({
      allowedOrigins: [readOrigin(site.url)!],
      ownPorts: [],
      ownHosts: [],
      ownOrigins: [],
      ownAddresses: [],
    }),
    resolve: async () => ["127.0.0.1"],
    connect: async (address, to) => {
      const { promise, resolve, reject } = Promise.withResolvers<ReturnType<typeof connect>>();
      const socket = connect({ host: address, port: to });
      socket.once("connect", () => resolve(socket)).once("error", reject);
      return promise;
    },
  });
  proxy = await startGuardedProxy(dialer);
});
beforeEach(() => {
  pass?.revoke();
  pass = proxy.pass();
  pass.visit(`${site.url}/some/page`);
});
afterAll(async () => {
  await proxy.close();
  await site.close();
});

const basic = (user: string, word: string) => `Basic ${Buffer.from(`${user}:${word}`).toString("base64")}`;

/** A request as a browser makes it through a proxy. */
async function ask(url: string, authorization?: string, headers: Record<string, string> = {}) {
  const { promise, resolve, reject } = Promise.withResolvers<{
    status: number;
    headers: Record<string, unknown>;
    body: string;
  }>();
  const sent = request({
    host: "127.0.0.1",
    port: proxy.port,
    path: url,
    headers: {
      host: "lie.example",
      ...headers,
      ...(authorization && { "proxy-authorization": authorization }),
    },
  });
  sent.on("error", reject);
  sent.on("response", (answer) => {
    let body = "";
    answer.on("data", (bytes: Buffer) => (body += bytes.toString()));
    answer.on("end", () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body }));
  });
  sent.end();
  return promise;
}

/** The first line that a tunnel answers with. */
async function tunnel(target: string, authorization?: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect({ host: "127.0.0.1", port: proxy.port });
  socket.once("error", reject);
  socket.once("data", (bytes) => {
    resolve(bytes.toString().split("\r\n")[0]!);
    socket.destroy();
  });
  socket.write(
    `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${authorization ? `Proxy-Authorization: ${authorization}\r\n` : ""}\r\n`,
  );
  return promise;
}

test("without a pass, with a wrong one and with a revoked one nothing is reached", async () => {
  const old = proxy.pass();
  old.revoke();
  for (const authorization of [
    undefined,
    basic("a", "b"),
    basic(pass.username, "wrong"),
    basic(old.username, old.password),
  ]) {
    expect((await ask(`${site.url}/x`, authorization)).status).toBe(407);
    expect(await tunnel(`127.0.0.1:${port}`, authorization)).toContain("407");
  }
  expect(site.requests).toEqual([]);
});

test("a request goes on with the host that was checked, and without the pass", async () => {
  site.always("GET /x", (exchange) => {
    exchange.head(200, { "set-cookie": "a=b", connection: "keep-alive" });
    exchange.end("here");
  });
  const answer = await ask(`${site.url}/x?q=1`, basic(pass.username, pass.password), { "x-own": "kept" });
  expect(answer).toMatchObject({ status: 200, body: "here" });
  expect(answer.headers["set-cookie"]).toEqual(["a=b"]);
  const { headers, query } = site.last("GET /x");
  expect(headers).toMatchObject({ host: `127.0.0.1:${port}`, "x-own": "kept" });
  expect(headers).not.toHaveProperty("proxy-authorization");
  expect(query.get("q")).toBe("1");
  expect(await tunnel(`127.0.0.1:${port}`, basic(pass.username, pass.password))).toContain("200");
});

test("an origin that the owner opened is reached by a profile that was sent there, and by no other", async () => {
  site.always("GET /own", (exchange) => exchange.end("here"));
  const other = proxy.pass();
  const authorization = basic(other.username, other.password);
  expect((await ask(`${site.url}/own`, authorization)).status).toBe(403);
  expect(await tunnel(`127.0.0.1:${port}`, authorization)).toContain("403");
  expect(other.refused()).toMatchObject([{ rule: "hard.not-visited" }]);
  other.visit(site.url);
  expect((await ask(`${site.url}/own`, authorization)).status).toBe(200);
  other.revoke();
});

test("a site cannot ask for the pass", async () => {
  site.script("GET /407", (exchange) => {
    exchange.head(407, { "proxy-authenticate": "Basic" });
    exchange.end();
  });
  const answer = await ask(`${site.url}/407`, basic(pass.username, pass.password));
  expect(answer.status).toBe(502);
  expect(answer.headers).not.toHaveProperty("proxy-authenticate");
});

test("what the rules forbid is refused for requests and tunnels, and kept with the pass once", async () => {
  const own = basic(pass.username, pass.password);
  expect((await ask("http://10.0.0.1/", own)).status).toBe(403);
  expect((await ask("http://10.0.0.1/again", own)).status).toBe(403);
  expect((await ask("http://rebind.example/", own)).status).toBe(403);
  expect(await tunnel("[::1]:443", own)).toContain("403");
  expect(await tunnel("rebind.example:443", own)).toContain("403");
  expect(await tunnel("example.org:22", own)).toContain("403");
  expect(pass.refused().map(({ target, rule }) => `${target} ${rule}`)).toEqual([
    "10.0.0.1 hard.address",
    "rebind.example hard.address",
    "[::1]:443 hard.address",
    "rebind.example:443 hard.address",
    "example.org:22 hard.port",
  ]);
  expect(pass.refused()).toEqual([]);
});

test.each(["127.0.0.1", "127.0.0.1:0", "u@h:80", "127.0.0.1:99999", "http://h:80"])(
  "a tunnel to %j is not understood",
  async (target) => {
    expect(await tunnel(target, basic(pass.username, pass.password))).toContain("400");
  },
);

test("a request that names no address, or another scheme, is not understood", async () => {
  const own = basic(pass.username, pass.password);
  expect((await ask("/x", own)).status).toBe(400);
  expect((await ask("https://example.org/", own)).status).toBe(400);
  expect((await ask("ftp://example.org/", own)).status).toBe(400);
});
