import { execFile } from "node:child_process";
import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { headLine, parseSavedHead } from "@elwood/core/receipts/checkpoint";
import { edgeRoot, EMPTY_EDGE, grow, leafHash } from "@elwood/core/receipts/merkle";
import { receiptHash, type StoredReceipt } from "@elwood/core/receipts/receipt";
import { rotationOf, rotationText, type Rotation } from "@elwood/core/receipts/rotation";
import type { LogVerdict } from "@elwood/core/receipts/verify-log";
import { LedgerScript } from "@elwood/testkit/ledger-script";
import { ManualClock } from "@elwood/testkit/manual-clock";
import { memoryLog } from "@elwood/testkit/memory-log";
import { TENANT } from "@elwood/testkit/store-script";
import { expect, test } from "vitest";
import { sha256 } from "@elwood/platform/system";
import type { ReceiptLog, StoredCheckpoint } from "../receipt-log.ts";
import { exportFolder } from "./export.ts";
import { keyPaths, logKey, openSigningKey, signingKey, type SigningKey } from "./log-key.ts";
import { makeNextKey } from "./next-key.ts";
import { openReceipts } from "./open-receipts.ts";
import { proofProblem, proveReceipt } from "./prove.ts";
import { testHome, testLog } from "./test-log.ts";
import { verifyReceipts } from "./verify.ts";

const BY = { actor: "owner", surface: "cli" };

async function opened(paths = testHome()) {
  const clock = new ManualClock();
  const kit = {
    clock,
    logger: memoryLog(),
    script: (ledger: ConstructorParameters<typeof LedgerScript>[0]) => new LedgerScript(ledger),
  };
  const log = await testLog(kit, { paths, deps: { keys: paths.keys } });
  const add = async (count: number) => {
    for (let i = 0; i < count; i++) await log.script.write([log.script.receipt("run.started")]);
  };
  return { ...log, add, from: log.stores.receiptLog };
}

/** Five receipts under each of three keys. */
async function rotatedTwice() {
  const log = await opened();
  const pems = [log.signer.key.publicPem];
  const lines: string[] = [];
  for (let i = 0; i < 3; i++) {
    if (i > 0) {
      await log.signer.rotate(TENANT, BY);
      pems.push(log.signer.key.publicPem);
    }
    await log.add(5);
    const { size, root } = log.signer.signNow(TENANT, "asked");
    lines.push(headLine(size, root));
  }
  return { ...log, pems, lines };
}

const verdictOf = async (from: ReceiptLog, publicPem: string, held?: string): Promise<LogVerdict> => {
  const kept = held === undefined ? undefined : parseSavedHead(held);
  return verifyReceipts(from, { tenant: TENANT, publicPem, ...(kept?.ok ? { held: kept.value } : {}) });
};

/** What the verifier of the export says, which knows nothing of ours. */
async function bundleVerdict(from: ReceiptLog, publicPem: string, key?: string): Promise<LogVerdict> {
  const folder = join(testHome().home, "bundle");
  await exportFolder(from, folder, { tenant: TENANT, publicPem, bodies: true, at: 0 });
  const file = join(folder, "trusted.pem");
  if (key !== undefined) writeFileSync(file, key);
  const args = [join(folder, "verify.mjs"), "--json", ...(key === undefined ? [] : ["--key", file])];
  const answer = await promisify(execFile)(process.execPath, args).catch(
    (error: { stdout: string }) => error,
  );
  return JSON.parse(answer.stdout) as LogVerdict;
}

test("a log that changed its key verifies with each of its keys, and with what was kept under each", async () => {
  const { from, pems, lines, paths } = await rotatedTwice();
  expect(new Set(pems).size).toBe(3);
  for (const pem of pems) {
    for (const held of [undefined, ...lines, ...from.checkpoints(TENANT).map(({ note }) => note)])
      expect(await verdictOf(from, pem, held)).toMatchObject({ status: "intact", size: 17, unsealed: 0 });
    expect(await bundleVerdict(from, pems[2]!, pem)).toMatchObject({
      status: "intact",
      size: 17,
      unsealed: 0,
    });
  }
  const stranger = signingKey(generateKeyPairSync("ed25519").privateKey).publicPem;
  for (const verdict of [await verdictOf(from, stranger), await bundleVerdict(from, pems[2]!, stranger)])
    expect(verdict).toMatchObject({ status: "altered", why: expect.stringContaining("never signed by") });
  // Of the old keys only the public halves are left.
  const files = readdirSync(paths.keys);
  expect(files.filter((name) => name.endsWith(".key"))).toEqual(["receipts.key"]);
  expect(files.filter((name) => /^receipts-[0-9a-f]{32}\.pub$/.test(name))).toHaveLength(2);
  expect(statSync(keyPaths(paths.keys).secret).mode & 0o777).toBe(0o600);
  expect((await openSigningKey(paths.keys)).publicPem).toBe(pems[2]);
});

test("a receipt from before the change is proven under the key of today", async () => {
  const { from, pems, stores } = await rotatedTwice();
  const [first] = (await stores.ledger.receipts(TENANT, { limit: 50 })).toReversed();
  const proof = proveReceipt(from, first!);
  expect(proofProblem(proof, logKey(pems[2]!, TENANT))).toBeUndefined();
  expect(proofProblem(proof, logKey(pems[0]!, TENANT))).toContain("not signed by");
});

/** The log as a forger would leave it: `forge` may change each rotation, and everything after it is made to fit, signed with these keys. */
function forged(
  from: ReceiptLog,
  sign: (size: number) => SigningKey,
  forge: (rotation: Rotation, before: { size: number; root: string }) => Rotation,
  more: (receipt: StoredReceipt) => StoredReceipt = (receipt) => receipt,
): ReceiptLog {
  const receipts: StoredReceipt[] = [];
  const checkpoints: StoredCheckpoint[] = [];
  const signed = new Map(from.checkpoints(TENANT).map((checkpoint) => [checkpoint.size, checkpoint]));
  let edge = EMPTY_EDGE;
  let before = { size: 0, root: "" };
  for (const receipt of [...from.pages(TENANT)].flat() as StoredReceipt[]) {
    const claimed = rotationOf(receipt);
    const payload = claimed ? { rotation: forge(claimed, before) } : receipt.payload;
    const { hash: _, ...body } = more({
      ...receipt,
      payload,
      prevHash: receipts.at(-1)?.hash ?? receipt.prevHash,
    });
    const made = { ...body, hash: receiptHash(body, sha256) };
    receipts.push(made);
    edge = grow(edge, leafHash(made.hash, sha256), sha256);
    const checkpoint = signed.get(made.seq);
    if (!checkpoint) continue;
    before = { size: made.seq, root: edgeRoot(edge, sha256) };
    checkpoints.push({ ...checkpoint, edge, note: sign(made.seq).signCheckpoint(TENANT, before) });
  }
  return {
    ...from,
    pages: function* () {
      yield receipts;
    },
    checkpoints: () => checkpoints,
    rotations: () => receipts.filter((receipt) => rotationOf(receipt) !== undefined),
  };
}

const fresh = () => signingKey(generateKeyPairSync("ed25519").privateKey);

test("a change of key that the old key did not sign is refused, whichever key is trusted", async () => {
  const { from, signer, add } = await opened();
  await add(4);
  const old = signer.key.publicPem;
  await signer.rotate(TENANT, BY);
  await add(2);
  signer.signNow(TENANT, "asked");
  const thief = fresh();
  const theirs = (rotation: Rotation): Rotation => {
    const claim = { ...rotation, to: thief.publicKey };
    const signature = thief.sign(rotationText(TENANT, claim));
    return { ...claim, signedByOld: signature, signedByNew: signature };
  };
  // What the true key had signed before the change they leave as it is.
  const sign = (size: number): SigningKey =>
    size <= 4 ? { ...thief, signCheckpoint: () => from.checkpoints(TENANT)[0]!.note } : thief;
  const log = forged(from, sign, theirs);
  for (const verdict of [
    await verdictOf(log, thief.publicPem),
    await verdictOf(log, old),
    await bundleVerdict(log, thief.publicPem),
    await bundleVerdict(log, thief.publicPem, old),
  ])
    expect(verdict).toMatchObject({
      status: "altered",
      seq: 5,
      why: "the old key did not sign that another follows it",
    });
  const today = await verdictOf(log, signer.key.publicPem);
  expect(today).toMatchObject({ status: "altered", why: expect.stringContaining("never signed by") });
});

test("whoever stole the old key cannot rewrite what came before the change, nor bring in another key", async () => {
  const first = fresh();
  const paths = testHome();
  const { signer, from, add } = await opened(paths);
  const stolen = signingKey(readSecret(paths.keys));
  await add(4);
  await signer.rotate(TENANT, BY);
  await add(2);
  signer.signNow(TENANT, "asked");
  const pem = signer.key.publicPem;
  const keep = from.checkpoints(TENANT);
  const sign = (size: number): SigningKey =>
    size <= 4 ? stolen : { ...first, signCheckpoint: () => keep.find((each) => each.size === size)!.note };
  const edited = (receipt: StoredReceipt): StoredReceipt =>
    receipt.seq === 2 ? { ...receipt, actor: "nobody" } : receipt;
  // The two keys have signed which history was handed over.
  const rewritten = forged(from, sign, (rotation) => rotation, edited);
  for (const verdict of [await verdictOf(rewritten, pem), await bundleVerdict(rewritten, pem)])
    expect(verdict).toMatchObject({
      status: "altered",
      seq: 5,
      why: "it was made for another state of the log",
    });
  const patched = forged(
    from,
    sign,
    (rotation, before) => {
      const claim = { ...rotation, ...before };
      return { ...claim, signedByOld: stolen.sign(rotationText(TENANT, claim)) };
    },
    edited,
  );
  for (const verdict of [await verdictOf(patched, pem), await bundleVerdict(patched, pem)])
    expect(verdict).toMatchObject({
      status: "altered",
      why: "the new key did not sign that it follows the old one",
    });
  const elsewhere = fresh();
  const handed = forged(
    from,
    (size) => (size <= 4 ? stolen : elsewhere),
    (rotation) => {
      const claim = { ...rotation, to: elsewhere.publicKey };
      const text = rotationText(TENANT, claim);
      return { ...claim, signedByOld: stolen.sign(text), signedByNew: elsewhere.sign(text) };
    },
  );
  for (const verdict of [await verdictOf(handed, pem), await bundleVerdict(handed, pem)])
    expect(verdict).toMatchObject({ status: "altered", why: expect.stringContaining("never signed by") });
});

test("receipts that come while the key changes are kept, and sealed by the new one", async () => {
  const { signer, script, from, add } = await opened();
  await add(3);
  const writes = [script.receipt("run.started"), script.receipt("run.finished")].map((receipt) =>
    script.write([receipt]),
  );
  const [rotated, second] = await Promise.allSettled([
    signer.rotate(TENANT, BY),
    signer.rotate(TENANT, BY),
    ...writes,
  ]);
  expect(rotated.status).toBe("fulfilled");
  expect(second).toMatchObject({ status: "rejected", reason: { failure: { reason: "CONFLICT" } } });
  await add(1);
  signer.signNow(TENANT, "asked");
  expect(await verdictOf(from, signer.key.publicPem)).toMatchObject({
    status: "intact",
    size: 7,
    unsealed: 0,
  });
});

test("a plug pulled while the key changes leaves one key in force, by what the log says", async () => {
  const { paths, signer, stores, clock, logger, from, add } = await opened();
  await add(2);
  signer.signNow(TENANT, "asked");
  const files = keyPaths(paths.keys);
  const start = async () => {
    const again = await openReceipts(stores, { keys: paths.keys, clock, log: logger });
    again.signer.signNow(TENANT, "asked");
    expect(existsSync(files.next)).toBe(false);
    expect(readFileSync(files.public, "utf8")).toBe(again.signer.key.publicPem);
    return again.signer.key.publicPem;
  };
  // Before the receipt: the old key goes on.
  await makeNextKey(paths.keys);
  const old = signer.key.publicPem;
  expect(await start()).toBe(old);
  // After it, and before the files: as they were then, with the new key beside them.
  const secret = readFileSync(files.secret);
  await signer.rotate(TENANT, BY);
  const fresh = signer.key.publicPem;
  writeFileSync(files.next, readFileSync(files.secret), { mode: 0o600 });
  writeFileSync(files.secret, secret);
  writeFileSync(files.public, old);
  expect(await start()).toBe(fresh);
  // Between the files.
  writeFileSync(files.public, old);
  expect(await start()).toBe(fresh);
  expect(await verdictOf(from, fresh)).toMatchObject({ status: "intact" });
  expect(logger.entries.filter(({ level }) => level === "error")).toEqual([]);
});

function readSecret(keys: string) {
  return createPrivateKey(readFileSync(keyPaths(keys).secret, "utf8"));
}
