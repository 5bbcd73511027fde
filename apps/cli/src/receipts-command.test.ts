import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { commitment } from "@elwood/core/receipts/receipt";
import type { Ledger } from "@elwood/runtime/ports/gate-ports";
import { LedgerScript } from "@elwood/testkit/ledger-script";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { memoryLog } from "@elwood/testkit/memory-log";
import { failsWith, TENANT } from "@elwood/testkit/store-script";
import { describe, expect, test } from "vitest";
import { testHome, testLog } from "@elwood/store-sqlite/receipts/test-log";
import { sha256 } from "@elwood/platform/system";
import { auditLog, listReceipts, showReceipt, type ReceiptsDeps, rotateKey } from "./receipts-command.ts";
import { exportReceipts, proveStored, verifyProof, verifyStored } from "./receipts-proof-command.ts";
import { withStoredReceipts } from "./stored-receipts.ts";
import { testIo, type TestIo } from "./test-io.ts";
import { GatewayClient } from "@elwood/sdk/client";
import { startTestGateway } from "@elwood/gateway/test/test-gateway";
import { EXIT } from "./io.ts";

const kit = (clock = new ManualClock()) => ({
  clock,
  logger: memoryLog(),
  script: (ledger: Ledger) => new LedgerScript(ledger),
});
type Log = Awaited<ReturnType<typeof testLog<ManualClock, ReturnType<typeof memoryLog>, LedgerScript>>>;

interface Scene extends Log {
  /** Runs a command beside the gateway that has the database open. */
  readonly run: (
    work: (io: TestIo, deps: ReceiptsDeps) => Promise<number>,
  ) => Promise<{ code: number; io: TestIo; out: string }>;
}

const value = { path: "notes/plan.md" };
const inputCommit = commitment("salt", value, sha256);

async function scene(): Promise<Scene> {
  const log = await testLog(kit());
  const { script, paths, clock } = log;
  const call = {
    callId: "call_1",
    runId: "run_1",
    payload: { toolId: "files.file.write", target: "plan.md" },
  };
  await script.write([
    script.receipt("auth.accepted", { runId: "gateway", actor: "laptop", payload: { token: "laptop" } }),
    script.receipt("run.started"),
  ]);
  await script.write(
    [
      script.receipt("tool.call.requested", { ...call, payload: { ...call.payload, inputCommit } }),
      script.receipt("tool.call.started", call),
    ],
    [{ kind: "body.put", body: { commit: inputCommit, salt: "salt", value } }],
  );
  await clock.advance(60_000);
  await script.write([script.receipt("tool.call.succeeded", call)]);
  return {
    ...log,
    run: (work) =>
      withStoredReceipts(paths, async (stored) => {
        const io = testIo({ cwd: paths.home });
        const code = await work(io, { stored, clock, timeZone: "UTC" });
        return { code, io, out: io.out() };
      }),
  };
}

const flags = { strict: false, json: false };

describe("receipts list and show", () => {
  test("OA-4: receipts are listed newest first, with what they are about", async () => {
    const { run } = await scene();
    const { out } = await run((io, deps) => listReceipts(io, deps, { json: false }));
    const lines = out.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^NO\s+WHEN\s+TYPE\s+WHAT\s+BY\s+RUN$/);
    expect(lines[1]).toMatch(/^ ?5 .*09:01\s+tool\.call\.succeeded\s+files\.file\.write → plan\.md/);
    expect(lines).toHaveLength(6);
  });

  test.each([
    [{ run: "run_1" }, [5, 4, 3, 2]],
    [{ tool: "files.file.write" }, [5, 4, 3]],
    [{ status: "succeeded" }, [5]],
    [{ status: "failed" }, []],
    [{ since: "30m", limit: 2 }, [5, 4]],
    [{ until: "2026-11-15T09:01:00Z" }, [4, 3, 2, 1]],
    [{ since: "2026-11-15T09:00:30Z" }, [5]],
  ])("%j finds %j", async (options, expected) => {
    const { run } = await scene();
    const { io } = await run((terminal, deps) => listReceipts(terminal, deps, { ...options, json: true }));
    const { receipts } = io.json() as { receipts: { seq: number }[] };
    expect(receipts.map((receipt) => receipt.seq)).toEqual(expected);
  });

  test("what is no status and no time is refused with words", async () => {
    const { run } = await scene();
    const list = (options: object) => run((io, deps) => listReceipts(io, deps, { ...options, json: false }));
    await expect(list({ status: "great" })).rejects.toThrow(/succeeded, failed/);
    await expect(list({ since: "yesterday" })).rejects.toThrow(/Write 2h, 7d/);
  });

  test("one receipt is shown whole, by number or id, with what is stored behind it until that is erased", async () => {
    const { run, stores } = await scene();
    const show = (receipt: string) => run((io, deps) => showReceipt(io, deps, { receipt, json: false }));
    const { out } = await show("3");
    const [receipt] = await stores.ledger.receipts(TENANT, { types: ["tool.call.requested"], limit: 1 });
    expect(out).toContain(receipt!.id);
    expect(out).toContain(receipt!.hash);
    expect(out).toContain("notes/plan.md");
    await stores.ledger.eraseBody(TENANT, inputCommit);
    expect((await show(receipt!.id)).out).toContain("erased, or never stored");
    await expect(show("99")).rejects.toMatchObject(failsWith("NOT_FOUND"));
    await expect(show("rcp_none")).rejects.toMatchObject(failsWith("NOT_FOUND"));
  });
});

test("JV-11: the audit log has every tool run and auth event, as JSON lines, and nothing else", async () => {
  const { run } = await scene();
  const { out } = await run((io, deps) => auditLog(io, deps, { jsonl: true }));
  const lines = out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.map((line) => line["event"])).toEqual([
    "auth.accepted",
    "tool.call.requested",
    "tool.call.started",
    "tool.call.succeeded",
  ]);
  expect(lines[3]).toMatchObject({
    time: "2026-11-15T09:01:00.000Z",
    actor: "model",
    surface: "web",
    callId: "call_1",
    toolId: "files.file.write",
    receipt: { seq: 5 },
  });
});

test("JV-11: each call of the audit log has its target, decision, outcome and exit code in words, without secrets", async () => {
  const { run, script } = await scene();
  const owner = { kind: "owner", id: "laptop", surface: "web" } as const;
  const toolId = "shell.command.run";
  const of = (callId: string, payload: object) => ({
    callId,
    runId: "run_2",
    payload: { toolId, ...payload },
  });
  await script.write([
    script.receipt(
      "tool.call.requested",
      of("call_2", { target: `git push https://me:ghp_${"a".repeat(36)}@x` }),
    ),
    script.receipt(
      "tool.call.asked",
      of("call_2", {
        approvalId: "apr_1",
        digest: "d",
        rule: "ask.network",
        reason: "It needs the network.",
        expiresAt: 1,
      }),
    ),
    script.receipt("tool.call.approved", of("call_2", { decidedBy: owner, decision: "once" })),
    script.receipt("tool.call.started", of("call_2", { approvalId: "apr_1" })),
    script.receipt("tool.call.succeeded", of("call_2", { exitCode: 2 })),
    script.receipt("tool.call.requested", of("call_3", { target: "rm x" })),
    script.receipt("tool.call.denied", of("call_3", { decidedBy: owner, note: "not today" })),
    script.receipt("tool.call.requested", of("call_4", { target: "ls" })),
    script.receipt("tool.call.started", of("call_4", { rule: "shell.safe" })),
    script.receipt("tool.call.failed", of("call_4", { reason: "There is no such folder." })),
    script.receipt("tool.call.requested", of("call_5", { target: "cat k" })),
    script.receipt(
      "tool.call.denied",
      of("call_5", { decidedBy: { kind: "policy", rule: "hard.own-state" } }),
    ),
  ]);
  const { out } = await run((io, deps) => auditLog(io, deps, { jsonl: true }));
  const lines = out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ runId }) => runId === "run_2");
  const told = lines.map(({ callId, decision, outcome, exitCode }) => [callId, decision, outcome, exitCode]);
  expect(told).toEqual([
    ["call_2", undefined, undefined, undefined],
    ["call_2", "you were asked: It needs the network.", undefined, undefined],
    ["call_2", "laptop (web) allowed it", undefined, undefined],
    ["call_2", "allowed by an answer of yours", undefined, undefined],
    ["call_2", undefined, "ended with code 2", 2],
    ["call_3", undefined, undefined, undefined],
    ["call_3", "laptop (web) denied it: not today", "not made", undefined],
    ["call_4", undefined, undefined, undefined],
    ["call_4", "allowed unasked, by the rule shell.safe", undefined, undefined],
    ["call_4", undefined, "failed: There is no such folder.", undefined],
    ["call_5", undefined, undefined, undefined],
    ["call_5", "blocked by the rule hard.own-state", "not made", undefined],
  ]);
  expect(lines.map(({ target }) => target)).toEqual([
    ...Array<unknown>(5).fill(expect.stringMatching(/^git push https:\/\/me:\[redacted/)),
    "rm x",
    "rm x",
    "ls",
    "ls",
    "ls",
    "cat k",
    "cat k",
  ]);
  expect(out).not.toContain("ghp_");
});

describe("receipts verify", () => {
  test("intact is 0, with strict 12 while a tail is unsealed, and 0 once it is sealed", async () => {
    const { run, signer } = await scene();
    const verify = (more: object) => run((io, deps) => verifyStored(io, deps, { ...flags, ...more }));
    const first = await verify({});
    expect(first.code).toBe(0);
    expect(first.out).toContain("All 5 receipts are as they were written. The last 5 are not yet");
    expect((await verify({ strict: true })).code).toBe(12);
    signer.signNow(TENANT, "asked");
    expect((await verify({ strict: true })).code).toBe(0);
    expect((await verify({ json: true })).io.json()).toMatchObject({
      status: "intact",
      size: 5,
      unsealed: 0,
      checkpoints: 1,
      bodies: 1,
      exitCode: 0,
    });
  });

  test("altered is 10 and names the receipt; cut against a held line is 11; no checkpoint in the file is usage", async () => {
    const { run, signer, paths, stores } = await scene();
    const { size, root } = signer.signNow(TENANT, "asked");
    const held = join(paths.home, "held.txt");
    writeFileSync(held, `✓ files.file.write → plan.md · receipts ${size} · ${root.slice(0, 16)}\n`);
    const verify = (more: object) => run((io, deps) => verifyStored(io, deps, { ...flags, ...more }));
    expect((await verify({ held })).code).toBe(0);
    signer.stop();
    await stores.close();
    const raw = new DatabaseSync(paths.database);
    raw.exec("DROP TRIGGER receipts_remain; DROP TRIGGER checkpoints_remain; DROP TRIGGER receipts_stay");
    raw.exec("DELETE FROM receipts_by_number WHERE seq > 3; DELETE FROM checkpoints");
    expect((await verify({})).code).toBe(0);
    const cut = await verify({ held });
    expect([cut.code, cut.out]).toEqual([
      11,
      expect.stringContaining("vouches for 5 receipts, and there are 3"),
    ]);
    raw.exec(`UPDATE receipts_by_number SET actor = 'owner' WHERE seq = 2`);
    const { id } = raw.prepare("SELECT id FROM receipts WHERE seq = 2").get() as { id: string };
    raw.close();
    const altered = await verify({});
    expect([altered.code, altered.out]).toEqual([10, expect.stringContaining(`at receipt 2 (${id})`)]);
    writeFileSync(held, "my shopping list");
    await expect(verify({ held })).rejects.toMatchObject(failsWith("INVALID_INPUT"));
  });

  test("content that was changed behind its commitment is altered, and its receipt is named", async () => {
    const { run, stores, paths, signer } = await scene();
    signer.stop();
    await stores.close();
    const raw = new DatabaseSync(paths.database);
    raw.exec(`UPDATE bodies SET value = '{"path":"other.md"}'`);
    raw.close();
    const { code, out } = await run((io, deps) => verifyStored(io, deps, flags));
    expect([code, out]).toEqual([10, expect.stringMatching(/at receipt 3 .*is not what was recorded/)]);
  });

  test("erasing content keeps the chain intact", async () => {
    const { run, stores, signer } = await scene();
    signer.signNow(TENANT, "asked");
    await stores.ledger.eraseBody(TENANT, inputCommit);
    const { code, io } = await run((terminal, deps) =>
      verifyStored(terminal, deps, { strict: true, json: true }),
    );
    expect(code).toBe(0);
    expect(io.json()).toMatchObject({ status: "intact", bodies: 0 });
  });

  test("where nothing was ever written, nothing is wrong, and nothing is made", async () => {
    const paths = testHome();
    const code = await withStoredReceipts(paths, (stored) =>
      verifyStored(
        testIo(),
        { stored, clock: { now: () => 0 }, timeZone: "UTC" },
        { ...flags, strict: true },
      ),
    );
    expect(code).toBe(0);
    expect(readdirSync(paths.home)).toEqual([]);
  });
});

describe("receipts prove", () => {
  test("a proof holds without the database, and a changed one does not", async () => {
    const { run, signer, paths } = await scene();
    await expect(run((io, deps) => proveStored(io, deps, { receipt: "3", force: false }))).rejects.toThrow(
      /not under a signature yet/,
    );
    signer.signNow(TENANT, "asked");
    const { io, out } = await run((terminal, deps) =>
      proveStored(terminal, deps, { receipt: "3", force: false }),
    );
    expect(io.json()).toMatchObject({ index: 2, size: 5, receipt: { seq: 3 } });
    const file = join(paths.home, "proof.json");
    const check = async (text: string) => {
      writeFileSync(file, text);
      return run((terminal, deps) => verifyProof(terminal, deps, { file, json: false }));
    };
    expect((await check(out)).code).toBe(0);
    const forged = await check(out.replace("plan.md", "plan.txt"));
    expect([forged.code, forged.out]).toEqual([10, expect.stringContaining("does not have its hash")]);
    const proof = JSON.parse(out) as { path: string[]; index: number };
    expect((await check(JSON.stringify({ ...proof, path: proof.path.toReversed() }))).code).toBe(10);
    expect((await check(JSON.stringify({ ...proof, index: 1 }))).code).toBe(10);
    await expect(check("{}")).rejects.toMatchObject(failsWith("INVALID_INPUT"));
  });
});

describe("receipts export", () => {
  const verifier = (args: string[]) => execFileSync(process.execPath, args, { encoding: "utf8" });

  test("a folder holds all that is needed to check it with Node alone, for the owner's eyes", async () => {
    const { run, signer, paths } = await scene();
    signer.signNow(TENANT, "asked");
    const out = join(paths.home, "out");
    const choices = { out, bodies: true, force: false, json: false };
    const { code } = await run((io, deps) => exportReceipts(io, deps, choices));
    expect(code).toBe(0);
    expect(readdirSync(out).sort()).toEqual([
      "bodies.jsonl",
      "checkpoints.jsonl",
      "log.json",
      "public-key.pem",
      "receipts.jsonl",
      "verify.mjs",
    ]);
    for (const name of readdirSync(out)) expect(statSync(join(out, name)).mode & 0o777, name).toBe(0o600);
    expect(verifier([join(out, "verify.mjs"), "--strict"])).toContain(
      "All 5 receipts are as they were written.",
    );
    expect(readFileSync(join(out, "verify.mjs"), "utf8")).not.toMatch(/from "(?!node:)/);
    await expect(run((io, deps) => exportReceipts(io, deps, choices))).rejects.toThrow(/not empty/);
  });

  test("a JSON document holds the same, contents only where they are asked for", async () => {
    const { run, signer, paths } = await scene();
    signer.signNow(TENANT, "asked");
    const out = join(paths.home, "receipts.json");
    await run((io, deps) => exportReceipts(io, deps, { out, bodies: false, force: false, json: false }));
    const text = readFileSync(out, "utf8");
    expect(text).not.toContain("notes/plan.md");
    const { verifier: source } = JSON.parse(text) as { verifier: string };
    const script = join(paths.home, "check.mjs");
    writeFileSync(script, source);
    expect(JSON.parse(verifier([script, out, "--json"]))).toMatchObject({
      status: "intact",
      size: 5,
      unsealed: 0,
    });
  });
});

test("receipts rotate-key changes the key of a running gateway, on record, and the log still verifies", async () => {
  await using started = await startTestGateway();
  const { url, ownerToken: token } = started.gateway;
  const client = await GatewayClient.connect({ url, token, client: { name: "desk" } });
  const known = () => readFileSync(join(started.home, "keys", "receipts.pub"), "utf8");
  const before = known();

  const io = testIo({ tty: true });
  io.type("n\n");
  expect(await rotateKey(io, { client }, { yes: false, json: false })).toBe(EXIT.denied);
  expect(known()).toBe(before);
  await expect(rotateKey(testIo(), { client }, { yes: false, json: false })).rejects.toThrow("add --yes");

  expect(await rotateKey(io, { client }, { yes: true, json: false })).toBe(EXIT.ok);
  expect(io.out()).toContain("signed with a new key now");
  expect(known()).not.toBe(before);
  const { receipts } = await client.call("receipts.list", { types: ["log.checkpoint"] });
  expect(receipts).toMatchObject([{ actor: "owner", surface: "desk", payload: { rotation: {} } }]);
  expect((await client.call("receipts.verify", {})).verdict).toMatchObject({ status: "intact", unsealed: 0 });

  const { token: small } = await client.call("tokens.create", { name: "small", scopes: ["chat", "approve"] });
  const other = await GatewayClient.connect({ url, token: small });
  await expect(rotateKey(testIo(), { client: other }, { yes: true, json: true })).rejects.toThrow();
  expect(started.complaints).toEqual([]);
});
