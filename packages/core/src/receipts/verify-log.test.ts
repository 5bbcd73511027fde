import { createHash, generateKeyPairSync, sign, verify } from "node:crypto";
import { expect, test } from "vitest";
import {
  checkpointText,
  formatNote,
  headLine,
  keyIdOf,
  logIdOf,
  originOf,
  parseSavedHead,
} from "./checkpoint.ts";
import { leafHash, merkleRoot } from "./merkle.ts";
import { FIRST_PREV_HASH, receiptHash, type StoredReceipt, type Sha256 } from "./receipt.ts";
import { verifyLog, type LogVerdict, type Unreadable } from "./verify-log.ts";

const sha256: Sha256 = (data) => createHash("sha256").update(data).digest("hex");
const { publicKey, privateKey } = generateKeyPairSync("ed25519");
const raw = publicKey.export({ format: "raw-public" });
const origin = originOf(logIdOf(raw, sha256), "default");
const keyId = keyIdOf(origin, raw, sha256);
const key = {
  origin,
  keyId,
  verify: (text: string, signature: Uint8Array) => verify(null, Buffer.from(text), publicKey, signature),
};

function log(count: number): StoredReceipt[] {
  let prevHash = FIRST_PREV_HASH;
  return Array.from({ length: count }, (_, i) => {
    const body = {
      v: 1,
      tenant: "default",
      seq: i + 1,
      id: `rcp_${i + 1}`,
      runId: "run_1",
      type: "run.started",
      ts: i,
      actor: "gateway",
      surface: "web",
      payload: { i },
      prevHash,
    } as const;
    const receipt = { ...body, hash: receiptHash(body, sha256) };
    prevHash = receipt.hash;
    return receipt;
  });
}

const receipts = log(10);
const rootAt = (size: number) =>
  merkleRoot(
    receipts.slice(0, size).map((receipt) => leafHash(receipt.hash, sha256)),
    sha256,
  );
function noteAt(size: number): string {
  const text = checkpointText({ origin, size, root: rootAt(size) });
  return formatNote(text, [{ name: origin, keyId, signature: sign(null, Buffer.from(text), privateKey) }]);
}
const checkpoints = [noteAt(4), noteAt(8)];

function held(text: string) {
  const parsed = parseSavedHead(text);
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.value;
}

const judge = (
  entries: readonly (StoredReceipt | Unreadable)[],
  more: Partial<Parameters<typeof verifyLog>[1]> = {},
): LogVerdict => verifyLog(entries, { tenant: "default", sha256, key, checkpoints, ...more });

test("a log that nobody touched is intact, and says how much of it is sealed", () => {
  const intact = { status: "intact", size: 10, sealedSize: 8, unsealed: 2, root: rootAt(10) };
  expect(judge(receipts)).toEqual(intact);
  expect(judge(receipts, { held: held(noteAt(6)) })).toEqual(intact);
  expect(judge(receipts, { held: held(headLine(10, rootAt(10))) })).toEqual(intact);
  expect(judge([], { checkpoints: [] })).toMatchObject({ status: "intact", size: 0, unsealed: 0 });
});

test("the first bad receipt is named, with what is wrong with it", () => {
  const at = (seq: number, why: RegExp) => ({
    status: "altered",
    seq,
    id: expect.any(String) as string,
    why: expect.stringMatching(why) as string,
  });
  expect(judge(receipts.with(2, { ...receipts[2]!, ts: 99 }))).toEqual(at(3, /does not have its hash/));
  // What stands in the place of a missing one is not it, and is not named for it.
  expect(judge(receipts.toSpliced(4, 1))).toEqual({
    status: "altered",
    seq: 5,
    why: "receipt 5 is missing",
  });
  expect(judge(receipts.toSpliced(5, 0, receipts[4]!))).toEqual(at(6, /says it is receipt 5/));
  const unreadable: Unreadable = { seq: 2, id: "rcp_2", unreadable: "its payload is no JSON" };
  expect(judge([receipts[0]!, unreadable, ...receipts.slice(2)])).toEqual(at(2, /no JSON/));
  expect(judge(receipts, { tenant: "other", checkpoints: [] })).toEqual(at(1, /another log/));
  const lone = { ...receipts[6]!, prevHash: "a".repeat(64) };
  const rehashed = { ...lone, hash: receiptHash(withoutHash(lone), sha256) };
  expect(judge(receipts.with(6, rehashed), { checkpoints: [] })).toEqual(at(7, /does not follow/));
});

test("a receipt that holds what JSON cannot hold is altered, not a crash", () => {
  const odd = { ...receipts[0]!, payload: { n: Number.POSITIVE_INFINITY } };
  expect(judge([odd])).toMatchObject({ status: "altered", seq: 1 });
});

test("a rewritten history is found by the first signed root it no longer has, from the last one it has", () => {
  const rewritten = log(10).slice(0, 5);
  for (let i = 5; i < 10; i++) {
    const body = withoutHash({ ...receipts[i]!, payload: { i: -i }, prevHash: rewritten[i - 1]!.hash });
    rewritten.push({ ...body, hash: receiptHash(body, sha256) });
  }
  expect(judge(rewritten, { checkpoints: [] })).toMatchObject({ status: "intact" });
  expect(judge(rewritten)).toMatchObject({ status: "altered", seq: 5, id: "rcp_5", to: 8 });
  expect(judge(rewritten, { checkpoints: [], held: held(headLine(6, rootAt(6))) })).toMatchObject({
    status: "altered",
    seq: 1,
    to: 6,
    why: expect.stringContaining("you hold") as string,
  });
});

test("fewer receipts than a checkpoint vouches for is a cut", () => {
  const cut = receipts.slice(0, 6);
  expect(judge(cut)).toMatchObject({ status: "truncated", size: 6, expected: 8 });
  expect(judge(cut, { checkpoints: [noteAt(4)] })).toMatchObject({ status: "intact", unsealed: 2 });
  const verdict = judge(cut, { checkpoints: [noteAt(4)], held: held(noteAt(10)) });
  expect(verdict).toMatchObject({ status: "truncated", size: 6, expected: 10 });
});

test("a checkpoint that was changed, or is of another key or log, counts against the log", () => {
  const altered = { status: "altered" };
  expect(judge(receipts, { checkpoints: [noteAt(4).replace("\n4\n", "\n5\n")] })).toMatchObject(altered);
  expect(judge(receipts, { checkpoints: ["garbage"] })).toMatchObject(altered);
  const elsewhere = originOf("b".repeat(32), "default");
  const other = noteAt(4).replaceAll(origin, elsewhere);
  expect(judge(receipts, { held: held(other) })).toMatchObject({
    ...altered,
    why: expect.stringContaining(elsewhere) as string,
  });
});

function withoutHash(receipt: StoredReceipt): Omit<StoredReceipt, "hash"> {
  const { hash: _, ...rest } = receipt;
  return rest;
}
