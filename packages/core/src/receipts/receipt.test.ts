import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { canonicalJson } from "../base/canonical-json.ts";
import {
  commitment,
  FIRST_PREV_HASH,
  hashWithPayload,
  receiptHash,
  type StoredReceipt,
  type Sha256,
} from "./receipt.ts";

const sha256: Sha256 = (data) => createHash("sha256").update(data).digest("hex");

const receipt: Omit<StoredReceipt, "hash"> = {
  v: 1,
  tenant: "default",
  seq: 7,
  id: "rcp_1",
  runId: "run_1",
  callId: "call_1",
  type: "tool.call.started",
  ts: 1_763_200_000_000,
  actor: "model",
  surface: "web",
  payload: { toolId: "files.file.write", risk: "write" },
  prevHash: FIRST_PREV_HASH,
};

test("OA-11: the hash is SHA-256 over the domain and the canonical JSON of all fields but the hash", () => {
  expect(receiptHash(receipt, sha256)).toBe(sha256(`elwood.receipt.v1\n${canonicalJson(receipt)}`));
  expect(receiptHash(receipt, sha256)).toMatch(/^[0-9a-f]{64}$/);
});

test("a receipt whose payload is written already has the same hash", () => {
  const hostile = { actor: 'a"\n', surface: "é\u2028", runId: "", tenant: "t\\", id: "😀" };
  const { callId: _, ...ofRun } = receipt;
  for (const each of [receipt, ofRun, { ...receipt, ...hostile, payload: {} }]) {
    const { payload, ...rest } = each;
    expect(hashWithPayload(rest, canonicalJson(payload), sha256)).toBe(receiptHash(each, sha256));
  }
  expect(() => hashWithPayload({ ...receipt, actor: "\ud800" }, "{}", sha256)).toThrow(TypeError);
});

test("every field counts", () => {
  const hash = receiptHash(receipt, sha256);
  for (const key of Object.keys(receipt) as (keyof typeof receipt)[]) {
    const { [key]: _, ...rest } = receipt;
    expect(receiptHash(rest as typeof receipt, sha256), `without ${key}`).not.toBe(hash);
    expect(receiptHash({ ...receipt, [key]: "changed" }, sha256), `${key} changed`).not.toBe(hash);
  }
});

test("a commitment hides even a small value, and fits only its own salt and value", () => {
  const commit = commitment("salt one", 4711, sha256);
  expect(commitment("salt one", 4711, sha256)).toBe(commit);
  expect(commitment("salt two", 4711, sha256)).not.toBe(commit);
  expect(commitment("salt one", 4712, sha256)).not.toBe(commit);
  expect(commit).not.toBe(sha256("4711"));
});
