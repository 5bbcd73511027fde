import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { FIRST_PREV_HASH, receiptHash } from "@elwood/core/receipts/receipt";
import { startScriptedAnthropic } from "@elwood/testkit/scripted-anthropic";
import { expect, onTestFinished, test } from "vitest";
import { exportDocument } from "@elwood/store-sqlite/receipts/export";
import { receiptLog } from "@elwood/store-sqlite/receipt-log";
import { openDatabase } from "@elwood/store-sqlite/database";
import { openScene, type Scene } from "../../test/methods/test-scene.ts";

async function open(options: Parameters<typeof openScene>[1] = {}): Promise<Scene> {
  const model = await startScriptedAnthropic();
  onTestFinished(() => model[Symbol.asyncDispose]());
  return openScene(model, options);
}

const sha256 = (data: string | Uint8Array) => createHash("sha256").update(data).digest("hex");

async function busy(scene: Scene) {
  for (let i = 0; i < 4; i++) await scene.run({ calls: [["files.file.list", { path: "." }]] });
}

test("the whole log is read upward in pages, and its chain can be checked by who reads it", async () => {
  await using scene = await open();
  await busy(scene);
  const { size } = await scene.call("receipts.head", {});
  let after = 0;
  let hash = FIRST_PREV_HASH;
  let count = 0;
  for (;;) {
    const { receipts, next, unreadable } = await scene.call("receipts.list", { after, limit: 7 });
    expect(unreadable).toBeUndefined();
    for (const { hash: claimed, ...receipt } of receipts) {
      expect(receipt.prevHash).toBe(hash);
      expect(receiptHash(receipt, sha256)).toBe(claimed);
      expect(receipt.seq).toBe(++count);
      hash = claimed;
    }
    if (next === undefined) break;
    after = next;
  }
  expect(count).toBeGreaterThanOrEqual(size);
  await expect(scene.call("receipts.list", { after: 0, toolId: "x" })).rejects.toThrow(
    "leave the filters out",
  );
  await expect(scene.call("receipts.list", { limit: 500 })).rejects.toThrow("at most 200");
});

test("a row that is no receipt any more is named, and the others still come", async () => {
  await using scene = await open();
  await busy(scene);
  const db = new DatabaseSync(join(scene.home, "elwood.db"));
  db.exec("DROP TRIGGER receipts_stay; UPDATE receipts_by_number SET payload = '{' WHERE seq = 3");
  db.close();
  const { receipts, unreadable } = await scene.call("receipts.list", { after: 0 });
  expect(unreadable).toMatchObject([{ seq: 3, unreadable: "its payload is not JSON" }]);
  expect(receipts.slice(0, 3).map(({ seq }) => seq)).toEqual([1, 2, 4]);
  // A page of what is asked for has no room for holes: it says which receipt is in its way.
  await expect(scene.call("receipts.list", {})).rejects.toThrow("Receipt 3 was changed and cannot be read.");
});

test("checkpoints come smallest first with the key that signs them", async () => {
  await using scene = await open();
  await busy(scene);
  const first = await scene.call("receipts.checkpoints", { limit: 2 });
  expect(first.publicKey).toContain("BEGIN PUBLIC KEY");
  expect(first.checkpoints).toHaveLength(2);
  const rest = await scene.call("receipts.checkpoints", { after: first.next! });
  const sizes = [...first.checkpoints, ...rest.checkpoints].map(({ size }) => size);
  expect(sizes).toEqual(sizes.toSorted((a, b) => a - b));
  expect(first.checkpoints[0]?.note).toContain(first.origin);
});

test("the log is handed out once by a ticket, as the same document that the command line writes", async () => {
  await using scene = await open();
  await busy(scene);
  const { url, filename } = await scene.call("receipts.export_ticket", { bodies: true });
  const address = new URL(url, scene.gateway.url);
  const response = await fetch(address);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-disposition")).toBe(`attachment; filename="${filename}"`);
  expect(response.headers.get("content-security-policy")).toContain("sandbox");
  const text = await response.text();
  const { publicKey } = await scene.call("receipts.checkpoints", { limit: 1 });
  const db = openDatabase(join(scene.home, "elwood.db"));
  onTestFinished(() => db.close());
  const given = { tenant: "default", publicPem: publicKey, bodies: true, at: 0 };
  const { exportedAt: _then, ...written } = JSON.parse(await exportDocument(receiptLog(db), given)) as Record<
    string,
    unknown
  >;
  const { exportedAt: _now, ...sent } = JSON.parse(text) as Record<string, unknown>;
  expect(sent).toEqual(written);
  expect(sent["receipts"]).not.toHaveLength(0);
  expect((await fetch(address)).status).toBe(401);
  expect((await fetch(new URL("/exports/receipts", scene.gateway.url))).status).toBe(401);
  const bare = await scene.call("receipts.export_ticket", {});
  const without = (await (await fetch(new URL(bare.url, scene.gateway.url))).json()) as object;
  expect("bodies" in without).toBe(false);
});

test("what a call was about is told beside its receipt, which only commits to it, and not once that was forgotten", async () => {
  await using scene = await open();
  await scene.run({ calls: [["files.file.list", { path: "." }]] });
  const { receipts, targets } = await scene.call("receipts.list", { types: ["tool.call.requested"] });
  const [receipt] = receipts;
  expect(receipt!.payload).not.toHaveProperty("target");
  expect(targets).toEqual({ [receipt!.id]: "." });
  const { run } = await scene.call("runs.get", { runId: receipt!.runId });
  await scene.call("memory.forget", { turn: { sessionKey: run.sessionKey, runId: run.runId } });
  expect(await scene.call("receipts.list", { types: ["tool.call.requested"] })).not.toHaveProperty("targets");
});

test("what was put into the database past Elwood, or taken out, is found by verify", async () => {
  const attacks: readonly (readonly [string, string, RegExp])[] = [
    [
      "a token that nobody made",
      `INSERT INTO tokens (tenant, id, name, scopes, hash, created_at) VALUES ('default', 'tok_eve', 'eve', '["admin"]', 'h', 1)`,
      /the token tok_eve has no receipt/,
    ],
    [
      "a token that may do more",
      `UPDATE tokens SET scopes = '["chat","approve","admin"]'`,
      /may do something else/,
    ],
    ["a login by another key", "UPDATE tokens SET public_key = 'MFkw'", /is opened by another key/],
    [
      "a permission that nobody gave",
      `INSERT INTO grants (tenant, id, tool_id, scope, contract_hash, created_at, created_by, uses, words)
         VALUES ('default', 'grt_eve', 'shell.command.run', 'tool', 'h', 1, '{"kind":"owner","id":"owner","surface":"web"}', 0, 'all')`,
      /the standing permission grt_eve has no receipt/,
    ],
    ["a permission for something else", "UPDATE grants SET words = 'everything'", /says something else/],
    [
      "a permission for another file under the same words",
      `UPDATE grants SET match = '{"path":"/etc/passwd"}'`,
      /says something else/,
    ],
    [
      "a permission for a whole tool",
      "UPDATE grants SET scope = 'tool', match = NULL",
      /says something else/,
    ],
    [
      "a call that is said to have worked",
      "UPDATE calls SET state = 'succeeded' WHERE state = 'denied'",
      /is stored as succeeded/,
    ],
    [
      "an answer that was another one",
      "UPDATE approvals SET status = 'approved' WHERE status = 'denied'",
      /is stored as approved/,
    ],
    [
      "an answer for another call",
      "UPDATE approvals SET digest = 'x' WHERE status = 'denied'",
      /bound to another call/,
    ],
    [
      "all receipts and checkpoints gone",
      "DELETE FROM receipts_by_number; DELETE FROM checkpoints",
      /vouches for \d+ receipts, and there are 0/,
    ],
    [
      "everything gone",
      "DELETE FROM receipts_by_number; DELETE FROM checkpoints; DELETE FROM calls; DELETE FROM approvals; DELETE FROM grants; DELETE FROM tokens",
      /vouches for \d+ receipts, and there are 0/,
    ],
  ];
  for (const [what, sql, words] of attacks) {
    await using scene = await open({ config: "policy:\n  mode: strict\n" });
    await scene.call("tokens.create", { name: "phone", scopes: ["chat"] });
    const write = (path: string) => [["files.file.write", { path, content: "x" }]] as const;
    await scene.run({ calls: write("a.txt"), decide: () => ({ decision: "always" }) as never });
    await scene.run({ calls: write("b.txt") });
    expect((await scene.call("receipts.verify", {})).words, what).toMatch(
      /^All \d+ receipts are as they were/,
    );
    const db = new DatabaseSync(join(scene.home, "elwood.db"));
    const triggers = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'").all();
    for (const { name } of triggers) db.exec(`DROP TRIGGER ${String(name)}`);
    db.exec("PRAGMA ignore_check_constraints = ON");
    db.exec(sql);
    db.close();
    const { verdict, words: told } = await scene.call("receipts.verify", {});
    expect(verdict.status, what).not.toBe("intact");
    expect(told, what).toMatch(words);
  }
});

test("tokens leave receipts when they are made and revoked", async () => {
  await using scene = await open();
  const { info } = await scene.call("tokens.create", { name: "phone", scopes: ["chat"] });
  await scene.call("tokens.revoke", { tokenId: info.id });
  const { receipts } = await scene.call("receipts.list", { limit: 50 });
  const tokens = receipts.filter(({ type }) => type.startsWith("token."));
  expect(tokens.map(({ type, payload, actor }) => [type, payload["tokenId"], actor])).toEqual([
    ["token.revoked", info.id, "owner"],
    ["token.created", info.id, "owner"],
  ]);
  expect((await scene.call("receipts.verify", {})).verdict.status).toBe("intact");
});

test("a conversation that tells of another outcome or reply than the receipts is found by verify, copies and forgotten parts are not", async () => {
  await using scene = await open({ config: "policy:\n  mode: strict\n" });
  const write = [["files.file.write", { path: "a.txt", content: "x" }]] as const;
  const { sessionKey, runId } = await scene.run({ calls: write });
  await scene.run({ sessionKey, calls: [["files.file.list", { path: "." }]] });
  const words = async () => (await scene.call("receipts.verify", {})).words;
  const intact = /^All \d+ receipts are as they were/;
  await scene.call("sessions.fork", { sessionKey, runId, include: true });
  expect(await words()).toMatch(intact);

  const file = join(scene.home, "sessions", "default", `${sessionKey}.jsonl`);
  const was = readFileSync(file, "utf8");
  type Line = { id: string; meta?: object; blocks: { type: string; status?: string; text?: string }[] };
  const lines = was.trimEnd().split("\n");
  const changed = (change: (line: Line, at: number) => Line | undefined) =>
    lines
      .map((line, at) => JSON.stringify(change(JSON.parse(line) as Line, at) ?? JSON.parse(line)))
      .join("\n");
  const result = (from: string, to: object) =>
    changed((line) => {
      const [block] = line.blocks;
      if (block?.type !== "tool_result" || block.status !== from) return undefined;
      return { ...line, blocks: [{ ...pick(block), ...to }] };
    });
  const pick = ({ type, callId, text }: { type: string; callId?: string; text?: string }) => ({
    type,
    callId,
    text,
  });
  const last = (to: (line: Line) => Line) =>
    changed((line, at) => (at === lines.length - 1 ? to(line) : undefined));
  const attacks: readonly (readonly [string, string, RegExp])[] = [
    ["a denied call that worked", result("error", { status: "ok" }), /ended as succeeded, and no receipt/],
    [
      "a call that was made and denied",
      result("ok", { status: "error", ended: "denied" }),
      /ended as denied/,
    ],
    ["a call that was made and failed", result("ok", { status: "error" }), /ended as failed/],
    [
      "another reply",
      last((line) => ({ ...line, blocks: [{ type: "text", text: "I paid the rent." }] })),
      /has another reply of the run/,
    ],
    [
      "another reply under another id",
      last((line) => ({ ...line, id: `${line.id}x`, blocks: [{ type: "text", text: "I paid." }] })),
      /has another reply of the run/,
    ],
    [
      "a tick",
      last((line) => ({
        ...line,
        meta: {
          ...line.meta,
          segments: [{ text: "Done.", by: "model", cites: ["c1"], verified: "supported" }],
        },
      })),
      /has another reply of the run/,
    ],
    [
      "a run that never was",
      last((line) => ({ ...line, run: runId.slice(0, -3).concat("zzz") }) as Line),
      /that no receipt tells of/,
    ],
  ];
  for (const [what, text, found] of attacks) {
    expect(text, what).not.toBe(was.trimEnd());
    writeFileSync(file, `${text}\n`);
    expect(await words(), what).toMatch(found);
  }
  writeFileSync(file, was);
  expect(await words()).toMatch(intact);
  await scene.call("memory.forget", { turn: { sessionKey, runId } });
  expect(await words()).toMatch(intact);
});
