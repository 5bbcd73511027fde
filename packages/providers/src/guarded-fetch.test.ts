import { once } from "node:events";
import { LIMITS } from "@elwood/core/base/limits";
import { raw, stream } from "@elwood/testkit/answers";
import { LoopbackServer } from "@elwood/testkit/loopback-server";
import { selfSigned } from "@elwood/testkit/self-signed";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { createServer as createSecureServer } from "node:https";
import { createServer, request, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import {
  type Answer,
  BrokenOff,
  guardedFetch,
  post,
  Refused,
  ReplyTooLarge,
  throughProxy,
  WebPage,
} from "./guarded-fetch.ts";

let server: LoopbackServer;
beforeEach(async () => {
  server = await new LoopbackServer().start();
});
afterEach(() => server.close());

test("lines are signs of life, bytes are not", async () => {
  let lines = 0;
  server.script("GET /a", stream([{ drip: "no line yet" }]));
  await (await guardedFetch(() => lines++)(`${server.url}/a`)).text();
  expect(lines).toBe(0);
  server.script("GET /a", stream([": ping\n\n", "data: x\n\n"]));
  expect(await (await guardedFetch(() => lines++)(`${server.url}/a`)).text()).toBe(": ping\n\ndata: x\n\n");
  expect(lines).toBeGreaterThan(0);
});

test("a server is asked over TLS where its certificate is trusted, and told nothing where it is not", async () => {
  const tls = selfSigned(["localhost"]);
  const heard: string[] = [];
  const secure = createSecureServer(tls, (asked, answer) => {
    asked.on("data", (piece) => heard.push(String(piece))).on("end", () => answer.end("over TLS"));
  }).listen(0, "127.0.0.1");
  await once(secure, "listening");
  onTestFinished(() => void secure.close());
  const address = `https://localhost:${(secure.address() as AddressInfo).port}/`;
  const ask = () => guardedFetch(() => {})(address, { method: "POST", body: "a question" });
  await expect(ask()).rejects.toThrow("self-signed certificate");
  expect(heard).toEqual([]);
  const trusted = getCACertificates("default");
  onTestFinished(() => setDefaultCACertificates(trusted));
  setDefaultCACertificates([...trusted, tls.cert]);
  expect(await (await ask()).text()).toBe("over TLS");
  expect(heard).toEqual(["a question"]);
});

test("what was asked is not kept as text while its answer is waited for", async () => {
  const slow = await slowServer();
  const text = () => JSON.stringify({ text: `${"x".repeat(40_000_000)}é` });
  const ask = () => guardedFetch(() => {})(slow.url, { method: "POST", body: text() });
  const before = collected().heapUsed;
  const answer = ask();
  expect(await slow.heard).toBe(40_000_013);
  await nextTurn();
  expect(collected().heapUsed - before).toBeLessThan(20_000_000);
  slow.end();
  expect(await (await answer).text()).toBe("at last");
});

test("what was posted is not kept while its answer is waited for", async () => {
  const slow = await slowServer();
  const guard = { signal: new AbortController().signal, touch: () => {} };
  const ask = () => post({ url: new URL(slow.url), headers: {} }, Buffer.alloc(40_000_000, "x"), guard);
  const before = collected().arrayBuffers;
  const answer = ask();
  expect(await slow.heard).toBe(40_000_000);
  await expect.poll(() => collected().arrayBuffers - before).toBeLessThan(20_000_000);
  slow.end();
  expect(await textOf(await answer)).toBe("at last");
});

/** Says how many bytes it has heard, and answers when it is told to. */
async function slowServer() {
  const heard = Promise.withResolvers<number>();
  const end = Promise.withResolvers<void>();
  let bytes = 0;
  const { url } = await listening((asked, answer) => {
    asked.on("data", (piece: Buffer) => (bytes += piece.length)).on("end", () => heard.resolve(bytes));
    void end.promise.then(() => answer.end("at last"));
  });
  return { url: `${url}/`, heard: heard.promise, end: () => end.resolve() };
}

function collected(): NodeJS.MemoryUsage {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage();
}

test("a redirect is handed back, not followed: the key would go along", async () => {
  server.script("GET /a", raw(302, "", { location: `${server.url}/b` }));
  const response = await guardedFetch(() => {})(`${server.url}/a`, { headers: { "x-api-key": "secret" } });
  expect(response.status).toBe(302);
  expect(server.requests).toHaveLength(1);
});

test("an error's body is read only so far", async () => {
  server.script("GET /a", raw(500, "x".repeat(LIMITS.modelErrorBytesMax * 4)));
  const text = await (await guardedFetch(() => {})(`${server.url}/a`)).text();
  expect(text.length).toBeLessThan(LIMITS.modelErrorBytesMax * 3);
});

test("an answer without end is cut off", async () => {
  server.script("GET /a", async (exchange) => {
    exchange.head(200);
    const block = "y".repeat(4 * 1024 * 1024);
    while (!exchange.request.hungUp) await exchange.write(block);
  });
  const response = await guardedFetch(() => {})(`${server.url}/a`);
  await expect(response.text()).rejects.toBeInstanceOf(ReplyTooLarge);
});

test.each([
  ['{"object":"error","message":"too long","code":400}', { message: "too long" }],
  ['{"detail":"Not Found"}', { message: "Not Found" }],
])("an error at the top level is put where the SDK looks for it", async (body, error) => {
  server.script("GET /a", raw(400, body));
  expect(await (await guardedFetch(() => {})(`${server.url}/a`)).json()).toMatchObject({ error });
});

test("an error in its usual place, or no JSON at all, is left as it is", async () => {
  server.script("GET /a", raw(400, '{"error":{"message":"m"}}'), raw(502, "<html>"));
  expect(await (await guardedFetch(() => {})(`${server.url}/a`)).json()).toEqual({ error: { message: "m" } });
  expect(await (await guardedFetch(() => {})(`${server.url}/a`)).text()).toBe("<html>");
});

test("an answer that breaks off in the middle is told as one, and one that nobody waits for stops", async () => {
  server.script("GET /a", async (exchange) => {
    exchange.head(200);
    await exchange.write("data: one");
    exchange.cut();
  });
  const response = await guardedFetch(() => {})(`${server.url}/a`);
  await expect(response.text()).rejects.toBeInstanceOf(BrokenOff);
  const stop = new AbortController();
  server.script("GET /a", stream([{ drip: "no end" }]));
  const asked = await guardedFetch(() => {})(`${server.url}/a`, { signal: stop.signal });
  stop.abort();
  await expect(asked.text()).rejects.toMatchObject({ name: "AbortError" });
  await expect(guardedFetch(() => {})(`${server.url}/a`, { signal: stop.signal })).rejects.toMatchObject({
    name: "AbortError",
  });
});

test("a connection serves the next request once its answer has come whole", async () => {
  let connections = 0;
  const plain = await listening((_asked, answer) => answer.end("data: [DONE]\n\n"));
  plain.server.on("connection", () => connections++);
  for (let i = 0; i < 3; i++) {
    const stop = new AbortController();
    const response = await guardedFetch(() => {})(plain.url, { signal: stop.signal });
    // As the SDKs do: the last word is the end, whatever else may come.
    for await (const _ of response.body as unknown as AsyncIterable<Uint8Array>) break;
    stop.abort();
    await nextTurn();
  }
  expect(connections).toBe(1);
});

test("AC-2: with a proxy everything goes through it, and nothing beside it", async () => {
  const through: string[] = [];
  const proxy = await listening((asked, answer) => {
    through.push(asked.url ?? "");
    const onward = request(asked.url ?? "", { method: asked.method ?? "GET" }, (message: IncomingMessage) => {
      answer.writeHead(message.statusCode ?? 502, message.headers);
      message.pipe(answer);
    });
    asked.pipe(onward);
  });
  server.script("POST /a", raw(200, "through"));
  const agents = throughProxy(proxy.url);
  const response = await guardedFetch(() => {}, agents)(`${server.url}/a`, { method: "POST", body: "{}" });
  expect(await response.text()).toBe("through");
  expect(through).toEqual([`${server.url}/a`]);
  // A server with TLS is asked through a tunnel, which this one does not dig.
  const tunnel = guardedFetch(() => {}, agents)("https://model.example/v1");
  await expect(tunnel).rejects.toThrow();
});

/** A post that nobody stops, and what came of it as text. */
async function posted(path: string, onLine = () => {}): Promise<string> {
  const guard = { signal: new AbortController().signal, touch: onLine };
  const address = { url: new URL(`${server.url}${path}`), headers: { "x-api-key": "secret" } };
  return textOf(await post(address, Buffer.from("{}"), guard));
}

async function textOf({ pieces }: Answer): Promise<string> {
  let text = "";
  for await (const piece of pieces) text += piece.toString();
  return text;
}

test("a post is answered as it comes, and each line of it is a sign of life", async () => {
  let lines = 0;
  server.script("POST /a", stream([{ drip: "no line yet" }]), stream([": ping\n\n", "data: x\n\n"]));
  expect(await posted("/a", () => lines++)).toBe("no line yet");
  expect(lines).toBe(0);
  expect(await posted("/a", () => lines++)).toBe(": ping\n\ndata: x\n\n");
  expect(lines).toBeGreaterThan(0);
  expect(server.last()).toMatchObject({
    text: "{}",
    headers: { "content-length": "2", "x-api-key": "secret" },
  });
});

test("a post that is refused or sent elsewhere says so, and follows nowhere", async () => {
  server.script(
    "POST /a",
    raw(302, "", { location: `${server.url}/b` }),
    raw(400, '{"detail":"Not so"}', { "retry-after": "3" }),
    raw(500, "x".repeat(LIMITS.modelErrorBytesMax * 4)),
  );
  await expect(posted("/a")).rejects.toMatchObject({ status: 302 });
  expect(server.requests).toHaveLength(1);
  const refused = await posted("/a").catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(Refused);
  expect(refused).toMatchObject({ status: 400, error: { error: { message: "Not so" } } });
  expect((refused as Refused).headers.get("retry-after")).toBe("3");
  await expect(posted("/a")).rejects.toMatchObject({ status: 500, error: undefined });
});

test("a post's answer that is a web page, breaks off or has no end is no answer", async () => {
  server.script(
    "POST /a",
    raw(200, "<p>", { "content-type": "text/html; charset=utf-8" }),
    async (exchange) => {
      exchange.head(200);
      await exchange.write("data: one");
      exchange.cut();
    },
    async (exchange) => {
      exchange.head(200);
      const block = "y".repeat(4 * 1024 * 1024);
      while (!exchange.request.hungUp) await exchange.write(block);
    },
  );
  await expect(posted("/a")).rejects.toBeInstanceOf(WebPage);
  await expect(posted("/a")).rejects.toBeInstanceOf(BrokenOff);
  await expect(posted("/a")).rejects.toBeInstanceOf(ReplyTooLarge);
});

test("a post that nobody waits for any more stops, before it is sent and afterwards", async () => {
  const stop = new AbortController();
  const guard = { signal: stop.signal, touch: () => {} };
  const address = { url: new URL(`${server.url}/a`), headers: {} };
  server.script("POST /a", stream([{ drip: "no end" }]));
  const answer = await post(address, Buffer.from("{}"), guard);
  stop.abort();
  await expect(textOf(answer)).rejects.toMatchObject({ name: "AbortError" });
  await expect(post(address, Buffer.from("{}"), guard)).rejects.toMatchObject({ name: "AbortError" });
  expect(server.requests).toHaveLength(1);
});

async function listening(
  answer: RequestListener,
): Promise<{ readonly url: string; readonly server: Server }> {
  const made = createServer(answer);
  await new Promise<void>((resolve) => made.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    made.close();
    made.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(made.address() as AddressInfo).port}`, server: made };
}
