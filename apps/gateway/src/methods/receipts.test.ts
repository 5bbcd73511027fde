import { createHash } from "node:crypto";
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
  db.exec("DROP TRIGGER receipts_stay; UPDATE receipts SET payload = '{' WHERE seq = 3");
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
