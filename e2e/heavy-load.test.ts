import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  ANTHROPIC_ROUTE,
  anthropic,
  startAnthropic,
  type AnthropicServer,
} from "@elwood/testkit/anthropic-server";
import { GatewayClient, isPush } from "@elwood/sdk/client";
import { startGatewayProcess, temporaryHome } from "@elwood/testkit/gateway-process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Wire } from "./conformance/wire.ts";
import { anthropicEnv, ask, contentsOf, ending, openSession, send } from "./conversation.ts";

const SYNC_MS = 20;

let server: AnthropicServer;
beforeAll(async () => {
  server = await startAnthropic();
  server.always(ANTHROPIC_ROUTE, anthropic.reply("Good morning."));
});
afterAll(() => server.close());

/** From now on each sync of the process takes 20 ms longer; `commits` counts those of the database. */
async function slowDown(pid: number, log: string): Promise<{ commits(): number; end(): Promise<void> }> {
  const calls = "fsync,fdatasync";
  const inject = `inject=${calls}:delay_exit=${SYNC_MS}ms`;
  const tracer = spawn(
    "strace",
    ["-f", "-y", "-p", String(pid), "-e", `trace=${calls}`, "-e", inject, "-o", log],
    {
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  await once(tracer.stderr, "data");
  return {
    commits: () => readFileSync(log, "utf8").split("elwood.db-wal>").length - 1,
    async end() {
      tracer.kill("SIGINT");
      await once(tracer, "exit");
    },
  };
}

const canTrace = spawnSync("strace", ["-e", "trace=none", "true"]).status === 0;

test.skipIf(!canTrace)(
  "on a disk whose sync takes 20 ms, sessions that write at the same moment share it, and nothing acknowledged is lost (needs strace)",
  async () => {
    const home = temporaryHome();
    using _home = { [Symbol.dispose]: () => home.remove() };
    const options = { home: home.path, env: anthropicEnv(server) };
    await using gateway = await startGatewayProcess(options);
    const wire = await Wire.authenticated(gateway.url, gateway.token);
    const sessions: string[] = [];
    for (let i = 0; i < 40; i++) sessions.push(await openSession(wire));
    const disk = await slowDown(gateway.pid, join(home.path, "syncs.log"));
    const [first, ...others] = sessions;
    await ask(wire, first!, "Hello");
    const alone = disk.commits();
    const runs = await Promise.all(others.map((key) => send(wire, key, "Hello")));
    const ends = await Promise.all(runs.map((runId) => ending(wire, runId)));
    expect(new Set(ends.map(({ event, data }) => `${event} ${String(data?.["text"])}`))).toEqual(
      new Set(["chat.final Good morning."]),
    );
    const together = disk.commits() - alone;
    await disk.end();
    expect(alone).toBeGreaterThan(0);
    expect(together).toBeLessThan(alone * others.length);
    await gateway.kill();
    await using again = await startGatewayProcess(options);
    const after = await Wire.authenticated(again.url, again.token);
    for (const key of sessions) expect(await contentsOf(after, key)).toEqual(["Hello", "Good morning."]);
  },
);

test("a thousand sessions that are opened at once, each with a message, are all answered", async () => {
  await using gateway = await startGatewayProcess({ env: anthropicEnv(server) });
  const { url, token } = gateway;
  const client = await GatewayClient.connect({ url, token, client: { name: "test" } });
  const ended = new Map<string, string>();
  const all = Promise.withResolvers<void>();
  client.onPush((push) => {
    if (!isPush(push, "chat.final") && !isPush(push, "chat.error")) return;
    ended.set(push.data.runId, push.event);
    if (ended.size === 1_000) all.resolve();
  });
  const opened: { sessionKey: string; runId: string }[] = [];
  let begun = 0;
  // As many at once as a connection may have open.
  const lane = async () => {
    while (begun++ < 1_000) {
      const { sessionKey } = await client.call("sessions.create", {});
      const { runId } = await client.call("chat.send", { sessionKey, message: "Hello" });
      opened.push({ sessionKey, runId });
    }
  };
  await Promise.all(Array.from({ length: 60 }, lane));
  await all.promise;
  expect(new Set(opened.map(({ runId }) => ended.get(runId)))).toEqual(new Set(["chat.final"]));
  for (const { sessionKey } of opened.filter((_, i) => i % 50 === 0)) {
    const { messages } = await client.call("chat.history", { sessionKey });
    expect(messages.map(({ content }) => content)).toEqual(["Hello", "Good morning."]);
  }
  await client.close();
}, 180_000);
