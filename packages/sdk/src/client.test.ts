import { once } from "node:events";
import { failure, FailureError } from "@elwood/core/base/failure";
import { toErrorObject, type Hello } from "@elwood/core/protocol/frames";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket as WsSocket, WebSocketServer, type WebSocket } from "ws";
import {
  Connection,
  GatewayClient,
  growingWaits,
  RequestError,
  type ConnectOptions,
  type Push,
} from "./client.ts";

interface Request {
  readonly id: string;
  readonly method: string;
  readonly params: Record<string, unknown>;
}

const HELLO: Hello = {
  protocol: 2,
  version: "0.0.0",
  methods: ["chat.send"],
  events: [],
  limits: {},
  scopes: ["chat"],
  build: "test",
};

/** A gateway on loopback that answers as the test says; undefined is no answer. */
async function gateway(answer: (request: Request, socket: WebSocket) => object | undefined) {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of server.clients) socket.terminate();
    server.close();
  });
  const auths: unknown[] = [];
  const requests: Request[] = [];
  server.on("connection", (socket) => {
    socket.on("message", (data: Buffer) => {
      const frame = JSON.parse(data.toString("utf8")) as Request & { type?: string; token?: string };
      if (frame.type === "auth") {
        auths.push(frame);
        if (frame.token === "good") socket.send(JSON.stringify({ type: "auth", ok: true, hello: HELLO }));
        else {
          const error = toErrorObject(failure("UNAUTHENTICATED", "The token was not accepted."));
          socket.send(JSON.stringify({ id: null, error }));
          socket.close(1008, "refused");
        }
        return;
      }
      requests.push(frame);
      const given = answer(frame, socket);
      if (given) socket.send(JSON.stringify({ id: frame.id, ...given }));
    });
  });
  const { port } = server.address() as { port: number };
  const push = (event: string, data: object) => {
    for (const socket of server.clients) socket.send(JSON.stringify({ event, data }));
  };
  return { url: `http://127.0.0.1:${port}`, auths, requests, push, server };
}

const drafts = { name: "test", drafts: true };

/** A client that reconnects at once, at most five times in a row. */
function reconnecting(options: ConnectOptions): GatewayClient {
  const client = new GatewayClient({
    open: (signal) => Connection.open({ ...options, signal }),
    waitMs: (tries) => (tries > 5 ? undefined : 1),
  });
  onTestFinished(() => client.close());
  client.start();
  return client;
}

test("a request gets the answer with its id, and a failure with its reason from the closed list", async () => {
  const { url, auths } = await gateway(({ method }) =>
    method === "health.check"
      ? { result: { status: "ok", uptime: 1 } }
      : { error: toErrorObject(failure("NOT_FOUND", "There is no such run.")) },
  );
  const client = await GatewayClient.connect({ url, token: "good", client: drafts });
  onTestFinished(() => client.close());
  expect(client.hello.value).toEqual(HELLO);
  expect(auths).toEqual([
    { type: "auth", token: "good", client: { protocol: 2, name: "test", drafts: true } },
  ]);
  const [health, run] = await Promise.allSettled([
    client.call("health.check", {}),
    client.call("runs.get", { runId: "run_1" }),
  ]);
  expect(health).toMatchObject({ value: { status: "ok" } });
  expect(run).toMatchObject({ reason: { reason: "NOT_FOUND", lost: false } });
});

test("a socket of the ws package serves as well as the global one", async () => {
  const { url } = await gateway(() => ({ result: { status: "ok", uptime: 1 } }));
  const socket = (address: string) => new WsSocket(address);
  const client = await GatewayClient.connect({ url, token: "good", socket });
  onTestFinished(() => client.close());
  expect(await client.call("health.check", {})).toMatchObject({ status: "ok" });
});

test("G2: a token that is refused is not tried again, and why is known", async () => {
  const { url, auths } = await gateway(() => undefined);
  const client = reconnecting({ url, token: "bad" });
  await expect.poll(() => client.state.value).toBe("refused");
  expect(client.refusal).toMatchObject({ reason: "UNAUTHENTICATED", message: "The token was not accepted." });
  expect(await client.closed).toEqual({ code: 1008, reason: "refused" });
  expect(auths).toHaveLength(1);
  await expect(GatewayClient.connect({ url, token: "bad" })).rejects.toThrow("The token was not accepted.");
});

test("where no gateway is, a client with one connection says so", async () => {
  const { url, server } = await gateway(() => undefined);
  await new Promise((done) => server.close(done));
  const failed = await GatewayClient.connect({ url, token: "good" }).catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(FailureError);
  expect(failed).toMatchObject({ failure: { reason: "NETWORK", message: `There is no gateway at ${url}.` } });
});

test("a connection that broke is followed by another, and listeners hear of it", async () => {
  const { url, server } = await gateway(() => ({ result: {} }));
  const client = reconnecting({ url, token: "good" });
  const states: string[] = [];
  let ready = 0;
  client.onReady(() => ready++);
  client.state.subscribe((state) => states.push(state));
  await expect.poll(() => ready).toBe(1);
  for (const socket of server.clients) socket.terminate();
  await expect.poll(() => ready).toBe(2);
  expect(states).toEqual(["ready", "lost", "ready"]);
});

test("when the tries are used up, requests fail and the client is closed", async () => {
  const { url, server } = await gateway(() => undefined);
  const client = reconnecting({ url, token: "good" });
  await expect.poll(() => client.ready).toBe(true);
  const asked = client.call("health.check", {}, { again: true }).catch((error: unknown) => error);
  for (const socket of server.clients) socket.terminate();
  server.close();
  expect(await asked).toMatchObject({ failure: { reason: "NETWORK" } });
  expect(client.state.value).toBe("closed");
  await expect(client.call("health.check", {}, { again: true })).rejects.toThrow("no gateway");
});

test("waits between tries double up to a limit", () => {
  expect([1, 2, 3, 4, 5, 6, 7, 5_000].map(growingWaits(800, 15_000))).toEqual([
    800, 1_600, 3_200, 6_400, 12_800, 15_000, 15_000, 15_000,
  ]);
});

test("G1: a request is lost with its connection, and one that may arrive twice is sent again", async () => {
  let seen = 0;
  const { url, requests } = await gateway((_request, socket) => {
    if (++seen <= 2) {
      if (seen === 2) socket.terminate();
      return undefined;
    }
    return { result: { runId: "run_1", repeated: true } };
  });
  const client = reconnecting({ url, token: "good" });
  await expect.poll(() => client.ready).toBe(true);
  const once = client.call("health.check", {}).catch((error: unknown) => error);
  const message = { sessionKey: "s", message: "hello", idempotencyKey: "key_1" };
  expect(await client.call("chat.send", message, { again: true })).toMatchObject({ runId: "run_1" });
  expect(await once).toBeInstanceOf(RequestError);
  expect(await once).toMatchObject({ lost: true });
  expect(requests.filter(({ method }) => method === "chat.send").map(({ params }) => params)).toEqual([
    message,
    message,
  ]);
});

test("G1: a gateway that is stopping is left for the next one", async () => {
  let seen = 0;
  const { url, auths } = await gateway(() =>
    ++seen === 1 ? { error: toErrorObject(failure("STOPPING", "The gateway is stopping.")) } : { result: {} },
  );
  const client = reconnecting({ url, token: "good" });
  expect(await client.call("health.check", {}, { again: true })).toEqual({});
  expect(auths).toHaveLength(2);
});

test("G1: a connection that does not answer in time counts as broken", async () => {
  const { url } = await gateway(() => undefined);
  const client = reconnecting({ url, token: "good", answerMsMax: () => 5 });
  await expect.poll(() => client.ready).toBe(true);
  await expect(client.call("health.check", {})).rejects.toMatchObject({ lost: true });
});

test("G3: where pushes of a run are missing, nothing more of it comes until it is resumed", async () => {
  const { url, push } = await gateway(() => ({ result: { snapshot: {}, seq: 6 } }));
  const client = reconnecting({ url, token: "good", client: drafts });
  const heard: unknown[] = [];
  const gaps: string[] = [];
  client.onPush(({ event, data }: Push) => heard.push([event, "seq" in data ? data.seq : undefined]));
  client.onGap((runId) => gaps.push(runId));
  await expect.poll(() => client.ready).toBe(true);
  const delta = (seq: number, more = {}) => push("chat.delta", { runId: "run_1", seq, text: "x", ...more });
  delta(1);
  delta(1);
  // Merged for a slow reader: no gap.
  delta(3, { firstSeq: 2 });
  delta(5);
  delta(6);
  await expect.poll(() => gaps).toEqual(["run_1"]);
  await client.call("chat.resume", { runId: "run_1" });
  delta(7);
  // Another attempt counts from the time of day.
  push("run.started", { runId: "run_1", seq: 90_000, sessionKey: "s", attempt: 2 });
  push("chat.error", { runId: "run_1", seq: 90_009 });
  await expect.poll(() => heard).toHaveLength(5);
  expect(heard).toEqual([
    ["chat.delta", 1],
    ["chat.delta", 3],
    ["chat.delta", 7],
    ["run.started", 90_000],
    ["chat.error", 90_009],
  ]);
  expect(gaps).toEqual(["run_1"]);
});

test("a client that cannot show drafts is sent a selection, which is no gap", async () => {
  const { url, push } = await gateway(() => undefined);
  const client = await GatewayClient.connect({ url, token: "good" });
  onTestFinished(() => client.close());
  const heard: Push[] = [];
  client.onPush((each) => heard.push(each));
  client.onGap(() => expect.unreachable());
  for (const seq of [1, 5, 5]) push("chat.delta", { runId: "run_1", seq, text: "x" });
  await expect.poll(() => heard).toHaveLength(3);
});

test("pushes right behind the handshake reach who listens from then on", async () => {
  const { url, server } = await gateway(() => undefined);
  server.on("connection", (socket) => {
    socket.on("message", () => {
      for (const count of [1, 2])
        socket.send(JSON.stringify({ event: "attention.changed", data: { count } }));
    });
  });
  const client = new GatewayClient({ open: () => Connection.open({ url, token: "good" }) });
  onTestFinished(() => client.close());
  const counts: unknown[] = [];
  client.onPush(({ data }) => counts.push("count" in data ? data.count : undefined));
  client.start();
  await expect.poll(() => counts).toEqual([1, 2]);
});
