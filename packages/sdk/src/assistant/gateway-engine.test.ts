import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { WebSocketServer } from "ws";
import { Assistant } from "./assistant.ts";
import { findGateway } from "./find-gateway.ts";
import { GatewayEngine } from "./gateway-engine.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "elwood-sdk-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const about = { id: "ada", name: "Ada", role: "", personality: "", tools: [] };

test("where no gateway runs, an assistant says which folder was looked at and what to start", async () => {
  const engine = new GatewayEngine({ home, env: { ELWOOD_TOKEN: "t" } });
  await expect(new Assistant({ ...about, coreEngineClient: engine }).ask("hi")).rejects.toMatchObject({
    name: "GatewayUnavailableError",
    code: "no_gateway",
    message: expect.stringContaining(`${home}. Nothing was sent. Start one with: npx elwood up`),
  });
});

test("the running gateway is found by its file, the token by ELWOOD_TOKEN; without one the error says how to make one", async () => {
  const url = "http://127.0.0.1:9";
  writeFileSync(join(home, "gateway.json"), JSON.stringify({ v: 1, url, pid: 1 }));
  const env = { ELWOOD_HOME: home, ELWOOD_TOKEN: "secret" };
  expect(await findGateway({}, env)).toEqual({ url, token: "secret" });
  expect(await findGateway({ url: "http://127.0.0.1:8", token: "mine" }, env)).toEqual({
    url: "http://127.0.0.1:8",
    token: "mine",
  });
  await expect(findGateway({ home }, {})).rejects.toMatchObject({
    code: "no_token",
    message: expect.stringContaining("elwood token create"),
  });
  writeFileSync(join(home, "gateway.json"), "{");
  await expect(findGateway({}, env)).rejects.toMatchObject({ code: "no_gateway" });
});

test("a gateway that left its file and is gone is told as not reachable", async () => {
  const engine = new GatewayEngine({ url: "http://127.0.0.1:9", token: "t" });
  await expect(engine.define({ ...about, tools: [] })).rejects.toMatchObject({ code: "NETWORK" });
});

test("a gateway that is too old for assistants is told by its version, and nothing is sent to it", async () => {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const heard: string[] = [];
  server.on("connection", (socket) =>
    socket.on("message", (data: Buffer) => {
      heard.push(data.toString());
      const hello = {
        protocol: 2,
        version: "0.0.1",
        methods: ["chat.send"],
        events: [],
        limits: {},
        scopes: [],
        build: "",
      };
      socket.send(JSON.stringify({ type: "auth", ok: true, hello }));
    }),
  );
  await new Promise<void>((resolve) => server.on("listening", resolve));
  const { port } = server.address() as { port: number };
  const engine = new GatewayEngine({ url: `http://127.0.0.1:${port}`, token: "t" });
  onTestFinished(() => engine.close());
  await expect(engine.define({ ...about, tools: [] })).rejects.toMatchObject({
    code: "version",
    message: expect.stringContaining("0.0.1"),
  });
  expect(heard).toHaveLength(1);
});
