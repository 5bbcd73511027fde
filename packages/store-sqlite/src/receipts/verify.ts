import type { SavedHead } from "@elwood/core/receipts/checkpoint";
import { fail } from "@elwood/core/base/failure";
import { commitment } from "@elwood/core/receipts/receipt";
import { LogVerification, type LogVerdict } from "@elwood/core/receipts/verify-log";
export { verdictWords } from "@elwood/core/receipts/verdict-words";
import { sha256 } from "@elwood/platform/system";
import type { ReceiptLog } from "../receipt-log.ts";
import { logKey, logKeyFrom } from "./log-key.ts";
import { RowCheck } from "./recorded-rows.ts";
import { TranscriptCheck, type Conversations } from "./transcript-check.ts";

export interface VerifyOptions {
  readonly tenant: string;
  /** undefined where none was ever made; then there must be no checkpoint either. */
  readonly publicPem: string | undefined;
  readonly held?: SavedHead;
  /** The last checkpoint that was signed, from a file beside the key and not from the database. */
  readonly lastSigned?: string;
  /** What is told in them of calls and replies is held against the receipts; left out where only the log is to be judged. */
  readonly conversations?: Conversations;
}

export type Verification = LogVerdict & {
  /** Checkpoints and stored contents that were looked at. */
  readonly checkpoints: number;
  readonly bodies: number;
};

/**
 * Checks the whole log against itself, its signatures, what its owner kept elsewhere, the contents
 * that are still there against their commitments, and rows and conversations against the log. Reads only, a page at a time, and
 * lets others work between pages.
 */
export async function verifyReceipts(log: ReceiptLog, options: VerifyOptions): Promise<Verification> {
  const { tenant, publicPem, held, lastSigned, conversations } = options;
  // Before the receipts: what is sealed meanwhile is not asked for.
  const stored = log.checkpoints(tenant);
  if (stored.length > 0 && publicPem === undefined) {
    fail(
      "NOT_FOUND",
      "The receipts are signed, but the public key is missing (keys/receipts.pub), so they cannot be checked. Name the file with --key.",
    );
  }
  const verification = new LogVerification({
    tenant,
    sha256,
    // A log from which everything was deleted, its checkpoints too, says nothing of itself.
    checkpoints: [...stored.map(({ note }) => note), ...(lastSigned === undefined ? [] : [lastSigned])],
    ...(publicPem === undefined ? {} : { key: logKey(publicPem, tenant) }),
    rotations: log.rotations(tenant),
    keyFrom: (publicKey) => logKeyFrom(publicKey, tenant),
    ...(held === undefined ? {} : { held }),
  });
  // Before the receipts too: each row came with its receipt, and a run is told once it is on record.
  const told = new TranscriptCheck();
  if (conversations !== undefined) await told.read(conversations, tenant);
  const rows = log.recordedRows(tenant);
  const check = new RowCheck();
  let open = true;
  for (const page of log.pages(tenant)) {
    open = page.every((entry) => verification.add(entry));
    for (const entry of page) {
      if ("unreadable" in entry) continue;
      check.add(entry);
      told.add(entry);
    }
    if (!open) break;
    await turn();
  }
  const verdict = verification.finish();
  const { bad, count } = await checkBodies(log, tenant, [check, told]);
  const seen = { checkpoints: stored.length, bodies: count };
  if (verdict.status !== "intact") return { ...verdict, ...seen };
  const wrong = check.problem(rows);
  if (wrong !== undefined)
    return { status: "altered", seq: 0, why: `${wrong}, so the database was changed past Elwood`, ...seen };
  const untrue = bad === undefined ? told.problem() : undefined;
  if (untrue !== undefined)
    return { status: "altered", seq: 0, why: `${untrue}, so its file was changed past Elwood`, ...seen };
  if (bad === undefined) return { ...verdict, ...seen };
  const receipt = log.committing(tenant, bad);
  const why = `the content stored behind the commitment ${bad.slice(0, 16)}… is not what was recorded`;
  return { status: "altered", seq: receipt?.seq ?? 0, ...(receipt ? { id: receipt.id } : {}), why, ...seen };
}

async function checkBodies(
  log: ReceiptLog,
  tenant: string,
  checks: readonly Pick<RowCheck, "addBody">[],
): Promise<{ bad: string | undefined; count: number }> {
  let count = 0;
  for (const page of log.bodies(tenant)) {
    for (const body of page) {
      count += 1;
      if ("broken" in body || commitment(body.salt, body.value, sha256) !== body.commit)
        return { bad: body.commit, count };
      for (const check of checks) check.addBody(body.commit, body.value);
    }
    await turn();
  }
  return { bad: undefined, count };
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Exit codes of `receipts verify`. */
export const VERIFY_EXIT = { intact: 0, altered: 10, truncated: 11, unsealed: 12 } as const;

export function verifyExit(verdict: LogVerdict, strict: boolean): number {
  if (verdict.status !== "intact") return VERIFY_EXIT[verdict.status];
  return strict && verdict.unsealed > 0 ? VERIFY_EXIT.unsealed : VERIFY_EXIT.intact;
}
