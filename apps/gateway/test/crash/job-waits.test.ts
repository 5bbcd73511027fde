import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { toWireName } from "@elwood/core/model/model";
import { GatewayClient } from "@elwood/sdk/client";
import { anthropic, ANTHROPIC_ROUTE, startAnthropic } from "@elwood/testkit/anthropic-server";
import { startCrashProcess, type CrashProcess } from "@elwood/testkit/crash-process";
import { expect, onTestFinished, test } from "vitest";

const CHILD = fileURLToPath(new URL("./crash-gateway.ts", import.meta.url));
const WAIT = { timeout: 60_000 };
const TEST_MS_MAX = 3 * 60_000;

/** A state directory on which real gateways live and die, one after the other. */
async function lives() {
  const folder = mkdtempSync(join(tmpdir(), "elwood-job-waits-"));
  const home = join(folder, "home");
  const effects = join(folder, "effects.jsonl");
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(effects, "");
  writeFileSync(join(home, "config.yaml"), "heartbeat: { intervalMinutes: 0 }\n", { mode: 0o600 });
  const model = await startAnthropic();
  model.always(ANTHROPIC_ROUTE, (exchange) => {
    const isBegun = JSON.stringify(exchange.request.body).includes('"tool_use"');
    const call = { name: toWireName("crash.doc.write"), input: { text: "a" }, id: "toolu_1" };
    return (isBegun ? anthropic.reply("Done.") : anthropic.tools([call]))(exchange);
  });
  let process: CrashProcess | undefined;
  onTestFinished(async () => {
    await process?.kill();
    await model.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  return {
    effects: () => readFileSync(effects, "utf8").split("\n").filter(Boolean).length,
    async start(): Promise<GatewayClient> {
      process = await startCrashProcess(CHILD, home, {
        ANTHROPIC_API_KEY: "crash-key-not-a-secret",
        ANTHROPIC_BASE_URL: model.url,
        ELWOOD_MODEL: "anthropic/claude-sonnet-5-5",
        CRASH_EFFECTS: effects,
      });
      const reached = await process.reached;
      if (!reached) throw new Error(`the gateway did not start:\n${process.errors()}`);
      return GatewayClient.connect({ ...reached, client: { name: "test" } });
    },
    async kill(client: GatewayClient): Promise<void> {
      await process?.kill();
      await client.close();
    },
  };
}

test(
  "EL-13: killed while a job waits for approval, Elwood asks the same after the restart, and the answer has its effect once",
  { timeout: TEST_MS_MAX },
  async () => {
    const life = await lives();
    const first = await life.start();
    await first.call("jobs.create", { name: "night", message: "Do it.", every: "1d" });
    await first.call("jobs.run", { name: "night" });
    const last = async (client: GatewayClient) => (await client.call("jobs.get", { name: "night" })).history;
    await expect.poll(async () => (await last(first))[0]?.waiting, WAIT).toBe(true);
    const pending = async (client: GatewayClient) =>
      (await client.call("approvals.list", { status: "pending" })).approvals;
    await expect.poll(async () => (await pending(first)).length, WAIT).toBe(1);
    const [asked] = await pending(first);
    await life.kill(first);
    expect(life.effects()).toBe(0);

    const second = await life.start();
    expect((await pending(second)).map(({ approvalId, digest }) => [approvalId, digest])).toEqual([
      [asked!.approvalId, asked!.digest],
    ]);
    await expect.poll(async () => (await last(second))[0], WAIT).toMatchObject({ status: "running" });
    await second.call("exec.approve", { approvalId: asked!.approvalId });
    await expect.poll(async () => (await last(second))[0]?.status, WAIT).toBe("done");
    expect(life.effects()).toBe(1);
    await life.kill(second);

    // A third life finds nothing left to do.
    const third = await life.start();
    expect((await last(third)).map(({ status }) => status)).toEqual(["done"]);
    expect(await pending(third)).toEqual([]);
    const { receipts } = await third.call("receipts.list", { types: ["tool.call.started"] });
    expect(receipts).toHaveLength(1);
    expect((await third.call("receipts.verify", {})).verdict.status).toBe("intact");
    expect(life.effects()).toBe(1);
    await third.close();
  },
);
