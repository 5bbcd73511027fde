import { generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import { checkpointText, formatNote, keyIdOf, logIdOf, originOf } from "@elwood/core/receipts/checkpoint";
import { leafHash, merkleRoot } from "@elwood/core/receipts/merkle";
import { FIRST_PREV_HASH, receiptHash, type StoredReceipt } from "@elwood/core/receipts/receipt";
import { describe, expect, test } from "vitest";
import { sha256 } from "./sha256.ts";
import { withOneLetterChanged } from "./one-letter.ts";
import { verifyEd25519, verifyFetched, type FetchedLog } from "./verify-log.ts";

const TENANT = "default";
const now = async () => {};
const check = (log: FetchedLog) => verifyFetched(log, verifyEd25519, now);

function chain(
  count: number,
  change: (receipt: StoredReceipt) => StoredReceipt = (each) => each,
): StoredReceipt[] {
  const receipts: StoredReceipt[] = [];
  let prevHash = FIRST_PREV_HASH;
  for (let seq = 1; seq <= count; seq++) {
    const { hash: _, ...rest } = change({
      v: 1,
      tenant: TENANT,
      seq,
      id: `rcp_${seq}`,
      runId: "run_1",
      type: "run.started",
      ts: 1_000 + seq,
      actor: "gateway",
      surface: "test",
      payload: { n: seq },
      prevHash,
      hash: "",
    });
    const receipt = { ...rest, prevHash };
    prevHash = receiptHash(receipt, sha256);
    receipts.push({ ...receipt, hash: prevHash });
  }
  return receipts;
}

function signer({ publicKey, privateKey }: { publicKey: KeyObject; privateKey: KeyObject }) {
  const raw = publicKey.export({ type: "spki", format: "der" }).subarray(-32);
  const origin = originOf(logIdOf(raw, sha256), TENANT);
  return {
    pem: String(publicKey.export({ type: "spki", format: "pem" })),
    note(receipts: readonly StoredReceipt[], size: number): string {
      const leaves = receipts.slice(0, size).map(({ hash }) => leafHash(hash, sha256));
      const text = checkpointText({ origin, size, root: merkleRoot(leaves, sha256) });
      const signature = sign(null, Buffer.from(text), privateKey);
      return formatNote(text, [{ name: origin, keyId: keyIdOf(origin, raw, sha256), signature }]);
    },
  };
}

const own = signer(generateKeyPairSync("ed25519"));
const receipts = chain(30);
const log: FetchedLog = {
  tenant: TENANT,
  receipts,
  checkpoints: [own.note(receipts, 10), own.note(receipts, 20)],
  publicKey: own.pem,
};

describe("a log that is checked in the browser", () => {
  test("is intact as it was written, and its tail is said not to be signed", async () => {
    expect(await check(log)).toMatchObject({
      signatures: true,
      verdict: { status: "intact", size: 30, sealedSize: 20, unsealed: 10 },
    });
  });

  test.each<[string, readonly StoredReceipt[], number]>([
    [
      "a changed payload",
      receipts.map((each) => (each.seq === 7 ? { ...each, payload: { n: 8 } } : each)),
      7,
    ],
    ["a receipt taken out", receipts.filter(({ seq }) => seq !== 12), 12],
    ["two receipts swapped", [...receipts.slice(0, 4), receipts[5]!, receipts[4]!, ...receipts.slice(6)], 5],
  ])("%s is named as the first bad receipt", async (_what, changed, seq) => {
    expect((await check({ ...log, receipts: changed })).verdict).toMatchObject({ status: "altered", seq });
  });

  test("one letter that is changed in a copy is found where it is, and the log itself stays as it was", async () => {
    const before = JSON.stringify(log);
    const tried = withOneLetterChanged(log)!;
    expect(tried).toMatchObject({ seq: 30, before: "run.started", after: "run.startex" });
    expect((await check(tried.log)).verdict).toMatchObject({ status: "altered", seq: 30 });
    expect(JSON.stringify(log)).toBe(before);
    expect(withOneLetterChanged({ ...log, receipts: [] })).toBeUndefined();
  });

  test("rewritten with all hashes made anew it is still found out by the signatures", async () => {
    const rewritten = chain(30, (each) => (each.seq === 3 ? { ...each, payload: { n: 0 } } : each));
    expect((await check({ ...log, receipts: rewritten })).verdict).toMatchObject({
      status: "altered",
      to: 10,
    });
  });

  test("signed anew with another key it is found out, since the key names the log", async () => {
    const thief = signer(generateKeyPairSync("ed25519"));
    const rewritten = chain(30, (each) => (each.seq === 3 ? { ...each, payload: { n: 0 } } : each));
    const stolen = { ...log, receipts: rewritten, checkpoints: [thief.note(rewritten, 10)] };
    expect((await check(stolen)).verdict.status).toBe("altered");
  });

  test("a signature that was tampered with is bad, although the check is first made as if it were good", async () => {
    const note = own.note(receipts, 10);
    const cut = note.lastIndexOf(" ") + 10;
    const forged = note.slice(0, cut) + (note[cut] === "A" ? "B" : "A") + note.slice(cut + 1);
    expect((await check({ ...log, checkpoints: [forged] })).verdict.status).toBe("altered");
  });

  test("a cut tail is found out by a checkpoint that covers more", async () => {
    expect((await check({ ...log, receipts: receipts.slice(0, 15) })).verdict).toMatchObject({
      status: "truncated",
      size: 15,
      expected: 20,
    });
  });

  test("a browser that cannot check signatures says so, and still checks the chain", async () => {
    const none = await verifyFetched(log, async () => undefined, now);
    expect(none).toMatchObject({ signatures: false, verdict: { status: "intact" } });
  });
});
