import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { failure, FailureError } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import { toWireName } from "@elwood/core/model/model";
import type { Grant } from "@elwood/core/policy/approval";
import type { LedgerChange } from "@elwood/runtime/ports/gate-ports";
import { GatewayClient } from "@elwood/sdk/client";
import { defineTool } from "@elwood/sdk/tool";
import { anthropic, startAnthropic } from "@elwood/testkit/anthropic-server";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { statePaths } from "@elwood/platform/state-paths";
import type { Gateway, GatewayStores } from "./gateway.ts";
import { acquireLock } from "@elwood/platform/lock";
import { startTestGateway } from "../test/test-gateway.ts";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "elwood-outside-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

async function ownerOf({ url, ownerToken: token }: Gateway): Promise<GatewayClient> {
  const client = await GatewayClient.connect({ url, token });
  onTestFinished(() => client.close());
  return client;
}

test("a configuration file outside of the data directory is out of the file tools' reach, and what lies beside it is not", async () => {
  const outside = folder();
  const file = join(outside, "elwood.yaml");
  writeFileSync(file, `files:\n  roots:\n    - path: ${outside}\n      write: true\n`, { mode: 0o600 });
  writeFileSync(join(outside, "notes.txt"), "hello");
  await using started = await startTestGateway({ env: { ELWOOD_CONFIG: file } });
  const owner = await ownerOf(started.gateway);
  const decided = async (action: string, input: Record<string, unknown>) => {
    const { decision, layer } = await owner.call("policy.explain", { toolId: `files.file.${action}`, input });
    return { decision, layer };
  };
  const denied = { decision: "deny", layer: 1 };
  expect(await decided("read", { path: file })).toEqual(denied);
  expect(await decided("write", { path: file, content: "x" })).toEqual(denied);
  expect(await decided("edit", { path: file, oldText: "a", newText: "b" })).toEqual(denied);
  expect(await decided("delete", { path: file })).toEqual(denied);
  expect(await decided("move", { from: join(outside, "notes.txt"), to: file, overwrite: true })).toEqual(
    denied,
  );
  expect(await decided("delete", { path: outside, recursive: true })).toEqual(denied);
  expect((await decided("read", { path: join(outside, "notes.txt") })).decision).toBe("allow");
});

test("a folder that the owner opens closes neither the workspace nor its tools to the file tools", async () => {
  const [outside, away] = [folder(), folder()];
  const file = join(away, "elwood.yaml");
  writeFileSync(file, `files:\n  roots:\n    - ${outside}\n`, { mode: 0o600 });
  await using started = await startTestGateway({ env: { ELWOOD_CONFIG: file } });
  const owner = await ownerOf(started.gateway);
  const decided = async (path: string) => {
    const input = { path, content: "x" };
    const { decision, rule } = await owner.call("policy.explain", { toolId: "files.file.write", input });
    return `${decision} ${rule}`;
  };
  expect(await decided(join(outside, "a.txt"))).toBe("deny hard.read-only-root");
  expect(await decided(join(started.home, "files", "a.txt"))).toBe("ask authority.none");
  for (const name of ["tools/lamp/index.ts", "skills/tea/SKILL.md", "AGENTS.md"])
    expect(await decided(join(started.home, "workspace", name))).toBe("ask ask.agent-file");
  expect(await decided(join(started.home, "keys", "owner-token"))).toBe("deny hard.own-state");
});

function grantOf(id: string): Grant {
  const createdBy = { kind: "owner", id: "owner", surface: "cli" } as const;
  const shape = {
    toolId: "files.file.write",
    scope: "tool",
    contractHash: "h",
    createdAt: 1,
    uses: 0,
  } as const;
  return { ...shape, id, createdBy, words: "files.file.write with any input" };
}

test("stopping everything stops all that can be stopped, though one of them fails", async () => {
  let stores: GatewayStores | undefined;
  const isRevoke = (change: LedgerChange) => change.kind === "grant.revoke" && change.grantId === "grt_2";
  await using started = await startTestGateway({
    wrapStores: (opened) => {
      stores = opened;
      const write: typeof opened.ledger.write = async (tenant, unit) => {
        if (unit.changes.some(isRevoke)) throw new FailureError(failure("STORAGE", "The disk is full."));
        return opened.ledger.write(tenant, unit);
      };
      return { ...opened, ledger: { ...opened.ledger, write } };
    },
  });
  const { ledger } = stores!;
  const made: LedgerChange[] = ["grt_1", "grt_2", "grt_3"].map((id) => ({
    kind: "grant.new",
    grant: grantOf(id),
  }));
  await ledger.write("default", { receipts: [], changes: made });
  const owner = await ownerOf(started.gateway);
  expect(await owner.call("gateway.stop_all", {})).toMatchObject({
    runsStopped: 0,
    grantsRevoked: 2,
    failed: 1,
  });
  const live = await ledger.grants("default", { live: true, at: 2 });
  expect(live.map(({ id }) => id)).toEqual(["grt_2"]);
  expect(started.complaints.join("\n")).toContain("stop all");
  const [receipt] = await ledger.receipts("default", { types: ["policy.changed"], limit: 1 });
  expect(receipt?.payload).toMatchObject({ what: "stop_all", runsStopped: 0, grantsRevoked: 2, failed: 1 });
});

const stuck = (begun: () => void, end: Promise<void>) =>
  defineTool({
    id: "stuck.thing.do",
    risk: "write",
    input: z.object({}),
    labels: { egress: "none", output: "trusted", critical: [], sensitive: false },
    timeoutMs: LIMITS.toolTimeoutMaxMs,
    handler: async () => {
      begun();
      await end;
      return { done: true };
    },
  });

test("while a tool is still at work at the end, the state directory stays locked", async () => {
  const model = await startAnthropic();
  onTestFinished(() => model.close());
  model.will(anthropic.tools([{ name: toWireName("stuck.thing.do"), input: {}, id: "toolu_1" }]));
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const clock = new ManualClock();
  const home = folder();
  const { gateway } = await startTestGateway({
    home,
    clock,
    config: "policy:\n  rules:\n    - { tool: stuck.thing.do, decision: allow }\n",
    env: {
      ANTHROPIC_API_KEY: "key-of-a-test",
      ANTHROPIC_BASE_URL: model.url,
      ELWOOD_MODEL: "anthropic/claude-sonnet-5-5",
    },
    extraTools: [{ source: "built-in", tools: [stuck(() => begun.resolve(), end.promise)] }],
  });
  const owner = await ownerOf(gateway);
  const { sessionKey } = await owner.call("sessions.create", {});
  await owner.call("chat.send", { sessionKey, message: "go" });
  await begun.promise;
  const closing = gateway.close();
  await clock.untilAsleep((ms) => ms === LIMITS.shutdownMs);
  await clock.advance(LIMITS.shutdownMs);
  expect(await closing).toBe(false);
  const { gatewayLock } = statePaths(home);
  expect(acquireLock(gatewayLock)).toBeUndefined();
  end.resolve();
});

test("a gateway with nothing at work frees the state directory when it closes", async () => {
  const home = folder();
  const { gateway } = await startTestGateway({ home });
  expect(acquireLock(statePaths(home).gatewayLock)).toBeUndefined();
  expect(await gateway.close()).toBe(true);
  const lock = acquireLock(statePaths(home).gatewayLock);
  expect(lock).toBeDefined();
  lock?.release();
});

test("a start that fails at its last steps closes all that it had opened, and the next one succeeds", async () => {
  const home = folder();
  let closed = 0;
  const wrapStores = (opened: GatewayStores): GatewayStores => ({
    ...opened,
    runs: { ...opened.runs, uncommitted: () => Promise.reject(new Error("the disk is gone")) },
    close: async () => {
      closed += 1;
      await opened.close();
    },
  });
  await expect(startTestGateway({ home, wrapStores })).rejects.toThrow("the disk is gone");
  expect(closed).toBe(1);
  await using started = await startTestGateway({ home });
  expect(started.complaints).toEqual([]);
});
