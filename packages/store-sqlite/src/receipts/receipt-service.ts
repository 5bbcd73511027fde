import { headLine, parseSavedHead } from "@elwood/core/receipts/checkpoint";
import { fail } from "@elwood/core/base/failure";
import type { StoredReceipt } from "@elwood/core/receipts/receipt";
import type { Body, Ledger } from "@elwood/runtime/ports/gate-ports";
import type { Unreadable } from "@elwood/core/receipts/verify-log";
import type { ReceiptLog, StoredCheckpoint } from "../receipt-log.ts";
import { proveReceipt, type ReceiptProof } from "./prove.ts";
import { toReceiptQuery, type AskedReceipts } from "./query.ts";
import type { LogHead, CheckpointSigner } from "./checkpoint-signer.ts";
import { verifyReceipts, type Verification } from "./verify.ts";
import { documentPieces } from "./export.ts";
import type { Conversations } from "./transcript-check.ts";

/** Receipt queries and proofs for clients. */
export interface ReceiptService {
  list(tenant: string, asked: AskedReceipts): Promise<{ receipts: readonly StoredReceipt[]; next?: number }>;
  /** From one number on, oldest first; what cannot be read any more is named apart. */
  after(
    tenant: string,
    seq: number,
    limit: number,
  ): {
    readonly receipts: readonly StoredReceipt[];
    readonly unreadable: readonly Unreadable[];
    readonly next?: number;
  };
  /** Smallest first. */
  checkpoints(tenant: string, after: number, limit: number): readonly StoredCheckpoint[];
  /** What signs the log now: its public key, and the log's name by it. */
  signer(tenant: string): { readonly publicPem: string; readonly origin: string };
  /** The whole log as one JSON document, piece by piece. */
  document(
    tenant: string,
    options: { readonly bodies: boolean; readonly at: number },
  ): Promise<AsyncIterable<string>>;
  /** The receipt with those contents behind its commitments that were not erased. */
  get(tenant: string, receiptId: string): Promise<{ receipt: StoredReceipt; bodies: readonly Body[] }>;
  /** `logOnly` leaves the conversations out, which take long to read. */
  verify(
    tenant: string,
    options?: { readonly held?: string | undefined; readonly logOnly?: boolean },
  ): Promise<Verification>;
  /** Signs a checkpoint first if none covers the receipt yet. */
  prove(tenant: string, receiptId: string): Promise<ReceiptProof>;
  /** Signs with another key from now on; answers the log's name by the old and by the new one. */
  rotate(
    tenant: string,
    by: { readonly actor: string; readonly surface: string },
  ): Promise<{
    readonly from: string;
    readonly to: string;
  }>;
  /** `line` is what a reply shows. */
  head(tenant: string): LogHead & { readonly line: string };
}

export function makeReceiptService(deps: {
  readonly ledger: Pick<Ledger, "receipts" | "receipt" | "body">;
  readonly log: ReceiptLog;
  readonly signer: CheckpointSigner;
  /** The last checkpoint that was signed, kept outside of the database. */
  readonly lastSigned?: (tenant: string) => string | undefined;
  readonly conversations?: Conversations;
}): ReceiptService {
  const { ledger, log, signer, conversations } = deps;

  async function find(tenant: string, receiptId: string): Promise<StoredReceipt> {
    const receipt = await ledger.receipt(tenant, receiptId);
    return receipt ?? fail("NOT_FOUND", `There is no receipt ${receiptId}.`);
  }

  return {
    async list(tenant, asked) {
      const receipts = await ledger.receipts(tenant, toReceiptQuery(asked));
      const last = receipts.at(-1);
      return receipts.length === asked.limit && last && last.seq > 1
        ? { receipts, next: last.seq }
        : { receipts };
    },

    after(tenant, seq, limit) {
      const entries: (StoredReceipt | Unreadable)[] = [];
      for (const page of log.pages(tenant, seq)) {
        entries.push(...page);
        if (entries.length > limit) break;
      }
      const shown = entries.slice(0, limit);
      const last = shown.at(-1);
      return {
        receipts: shown.flatMap((each) => ("unreadable" in each ? [] : [each])),
        unreadable: shown.flatMap((each) => ("unreadable" in each ? [each] : [])),
        ...(entries.length > limit && last ? { next: last.seq } : {}),
      };
    },

    checkpoints: (tenant, after, limit) =>
      log
        .checkpoints(tenant)
        .filter(({ size }) => size > after)
        .slice(0, limit),

    signer: (tenant) => ({
      publicPem: signer.key.publicPem,
      origin: signer.key.verifier(tenant).origin,
    }),

    async document(tenant, options) {
      return documentPieces(log, { tenant, publicPem: signer.key.publicPem, ...options });
    },

    async get(tenant, receiptId) {
      const receipt = await find(tenant, receiptId);
      const bodies = await Promise.all(commitsOf(receipt).map((commit) => ledger.body(tenant, commit)));
      return { receipt, bodies: bodies.filter((body) => body !== undefined) };
    },

    async verify(tenant, { held: text, logOnly = false } = {}) {
      const held = text === undefined ? undefined : parseSavedHead(text);
      if (held && !held.ok) return fail("INVALID_INPUT", `The checkpoint cannot be read: ${held.error}.`);
      const lastSigned = deps.lastSigned?.(tenant);
      const known = {
        tenant,
        publicPem: signer.key.publicPem,
        ...(lastSigned === undefined ? {} : { lastSigned }),
        ...(conversations === undefined || logOnly ? {} : { conversations }),
      };
      return verifyReceipts(log, held ? { ...known, held: held.value } : known);
    },

    async prove(tenant, receiptId) {
      const receipt = await find(tenant, receiptId);
      if (receipt.seq > signer.head(tenant).sealedSize) signer.signNow(tenant, "asked");
      return proveReceipt(log, receipt);
    },

    async rotate(tenant, by) {
      const from = signer.key.verifier(tenant).origin;
      await signer.rotate(tenant, by);
      return { from, to: signer.key.verifier(tenant).origin };
    },

    head(tenant) {
      const head = signer.head(tenant);
      return { ...head, line: headLine(head.size, head.root) };
    },
  };
}

/** Commitments to contents: the values of keys that end in `Commit`. What a call was about is no content of its own; see texts.ts. */
export function commitsOf(receipt: StoredReceipt): string[] {
  return Object.entries(receipt.payload)
    .filter(([key, value]) => key.endsWith("Commit") && key !== "targetCommit" && typeof value === "string")
    .map(([, value]) => String(value));
}
