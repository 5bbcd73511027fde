import { LIMITS } from "@elwood/core/limits";
import type { MethodResult } from "@elwood/core/protocol/results";
import type { Receipt } from "@elwood/core/receipt";
import { verdictWords } from "../receipts/verify.ts";
import type { Handlers } from "./context.ts";

type ReceiptMethods = Extract<keyof Handlers, `receipts.${string}`>;

/** The receipts, and whether they can be believed. */
export const receiptMethods: Pick<Handlers, ReceiptMethods> = {
  async "receipts.list"({ limit, ...asked }, { deps, tenant }) {
    const page = await deps.receipts.list(tenant, { ...asked, limit: limit ?? LIMITS.pageSizeDefault });
    return {
      receipts: page.receipts.map(toWire),
      ...(page.next === undefined ? {} : { next: page.next }),
    };
  },

  async "receipts.get"({ receiptId }, { deps, tenant }) {
    const { receipt, bodies } = await deps.receipts.get(tenant, receiptId);
    return { receipt: toWire(receipt), bodies: [...bodies] };
  },

  async "receipts.verify"({ held }, { deps, tenant }) {
    const verdict = await deps.receipts.verify(tenant, held);
    return { verdict, words: verdictWords(verdict) };
  },

  async "receipts.prove"({ receiptId }, { deps, tenant }) {
    const proof = await deps.receipts.prove(tenant, receiptId);
    return { ...proof, receipt: toWire(proof.receipt), path: [...proof.path] };
  },

  "receipts.rotate_key": async (_params, { deps, tenant, principal, surface }) =>
    deps.receipts.rotate(tenant, { actor: principal.name, surface }),

  "receipts.head": async (_params, { deps, tenant }) => deps.receipts.head(tenant),
};

function toWire(receipt: Receipt): MethodResult<"receipts.prove">["receipt"] {
  return { ...receipt, payload: { ...receipt.payload } };
}
