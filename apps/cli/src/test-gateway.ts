import { once } from "node:events";
import { onTestFinished } from "vitest";
import { WebSocketServer, type WebSocket } from "ws";
import { failure, FailureError } from "@elwood/core/base/failure";
import { EVENTS, type EventData, type EventName } from "@elwood/core/protocol/events";
import { requestFrameSchema, toErrorObject, type Hello } from "@elwood/core/protocol/frames";
import { METHODS, type MethodName, type MethodParams } from "@elwood/core/protocol/methods";
import { RESULTS, type MethodResult } from "@elwood/core/protocol/results";
import type { WireSession } from "@elwood/core/protocol/shapes";
import { GatewayClient } from "@elwood/sdk/client";

export type Answers = {
  [M in MethodName]?: (params: MethodParams<M>) => MethodResult<M>;
};

export interface TestGateway {
  readonly client: GatewayClient;
  /** For clients of the test's own making. */
  readonly url: string;
  /** Every call that came, oldest first. */
  readonly calls: readonly { readonly method: string; readonly params: unknown }[];
  /** Tells every client of something. */
  readonly push: <E extends EventName>(event: E, data: EventData<E>) => void;
  /** Ends every connection, as a gateway does that was killed. */
  readonly breakOff: () => void;
}

/**
 * A gateway for tests of commands: a real WebSocket on loopback that answers with what the
 * test says. What comes and what goes is held against the protocol's schemas, so that no
 * test passes with a frame that a real gateway would not take or send.
 */
export async function testGateway(answers: Answers): Promise<TestGateway> {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  await once(server, "listening");
  const calls: { method: string; params: unknown }[] = [];
  server.on("connection", (socket) => {
    socket.on("message", (data: Buffer) => receive(socket, data.toString("utf8")));
  });

  function receive(socket: WebSocket, text: string): void {
    const frame = JSON.parse(text) as { type?: string };
    if (frame.type === "auth") {
      socket.send(JSON.stringify({ type: "auth", ok: true, hello: HELLO }));
      return;
    }
    const { id, method, params } = requestFrameSchema.parse(frame);
    calls.push({ method, params });
    try {
      socket.send(JSON.stringify({ id, result: answer(method as MethodName, params) }));
    } catch (error) {
      const reason =
        error instanceof FailureError ? error.failure : failure("INTERNAL", `test gateway: ${String(error)}`);
      socket.send(JSON.stringify({ id, error: toErrorObject(reason) }));
    }
  }

  function answer(method: MethodName, params: unknown): unknown {
    const checked = METHODS[method].params().safeParse(params);
    if (!checked.success) {
      throw new FailureError(failure("INVALID_INPUT", checked.error.issues.map((i) => i.message).join("; ")));
    }
    // The two maps share their keys, which is more than the compiler can follow.
    const handler = answers[method] as ((params: unknown) => unknown) | undefined;
    if (!handler) throw new Error(`${method} was not expected`);
    return RESULTS[method].parse(handler(checked.data));
  }

  const { port } = server.address() as { port: number };
  const url = `http://127.0.0.1:${port}`;
  const client = await GatewayClient.connect({ url, token: "test" });
  onTestFinished(async () => {
    await client.close();
    await new Promise((resolve) => server.close(resolve));
  });
  const push: TestGateway["push"] = (event, data) => {
    const frame = JSON.stringify({ event, data: EVENTS[event]().parse(data) });
    for (const socket of server.clients) socket.send(frame);
  };
  const breakOff = () => {
    for (const socket of server.clients) socket.terminate();
  };
  return { client, url, calls, push, breakOff };
}

/** A session with everything filled in. */
export function wireSession(more: Partial<WireSession> & { sessionKey: string }): WireSession {
  return {
    agentId: "assistant",
    title: "New session",
    titledBy: "default",
    pinned: false,
    createdAt: TEST_NOW - 3_600_000,
    updatedAt: TEST_NOW - 300_000,
    messageCount: 2,
    preview: "",
    ...more,
  };
}

/** Sunday, 15 November 2026, 09:00 UTC. */
export const TEST_NOW = Date.UTC(2026, 10, 15, 9, 0, 0);

const HELLO: Hello = {
  protocol: 2,
  version: "0.0.0",
  methods: [],
  events: [],
  limits: {},
  scopes: ["chat", "approve", "admin"],
  build: "test",
};
