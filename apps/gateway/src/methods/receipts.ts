import { fail } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import type { MethodName } from "@elwood/core/protocol/methods";
import type { MethodResult } from "@elwood/core/protocol/results";
import type { StoredReceipt } from "@elwood/core/receipts/receipt";
import { textsOf } from "@elwood/store-sqlite/receipts/texts";
import { verdictWords } from "@elwood/store-sqlite/receipts/verify";
import type { Handlers } from "./context.ts";

type ReceiptMethods = Extract<MethodName, `receipts.${string}`>;

/** The receipts, and whether they can be believed. */
export const receiptMethods: Handlers<ReceiptMethods, "system" | "ledger" | "receipts" | "access"> = {
  async "receipts.list"({ limit, after, ...asked }, { services, tenant }) {
    if (after !== undefined) {
      if (Object.values(asked).some((value) => value !== undefined))
        fail("INVALID_INPUT", 'receipts.list: "after" takes every receipt in order; leave the filters out.');
      const page = services.receipts.after(tenant, after, limit ?? LIMITS.receiptsPageMax);
      const { unreadable, next } = page;
      return {
        receipts: page.receipts.map(toWire),
        ...(unreadable.length > 0 ? { unreadable: [...unreadable] } : {}),
        ...(next === undefined ? {} : { next }),
      };
    }
    if (limit !== undefined && limit > LIMITS.pageSizeMax)
      fail("INVALID_INPUT", `receipts.list: without "after", "limit" is at most ${LIMITS.pageSizeMax}.`);
    const page = await services.receipts.list(tenant, { ...asked, limit: limit ?? LIMITS.pageSizeDefault });
    const targets = await textsOf(
      {
        target: async (callId) => (await services.ledger.call(tenant, callId))?.target,
        body: (commit) => services.ledger.body(tenant, commit),
      },
      page.receipts,
    );
    return {
      receipts: page.receipts.map(toWire),
      ...(targets.size > 0 ? { targets: Object.fromEntries(targets) } : {}),
      ...(page.next === undefined ? {} : { next: page.next }),
    };
  },

  async "receipts.get"({ receiptId }, { services, tenant }) {
    const { receipt, bodies } = await services.receipts.get(tenant, receiptId);
    return { receipt: toWire(receipt), bodies: [...bodies] };
  },

  async "receipts.checkpoints"({ after, limit = LIMITS.receiptsPageMax }, { services, tenant }) {
    const found = services.receipts.checkpoints(tenant, after ?? 0, limit + 1);
    const shown = found.slice(0, limit);
    const last = shown.at(-1);
    const { publicPem, origin } = services.receipts.signer(tenant);
    return {
      checkpoints: shown.map(({ size, note, at, reason }) => ({ size, note, at, reason })),
      ...(found.length > limit && last ? { next: last.size } : {}),
      publicKey: publicPem,
      origin,
    };
  },

  async "receipts.export_ticket"({ bodies = false }, { services, tenant }) {
    const { ticket, expiresAt } = services.access.exportTickets.issue({ tenant, bodies });
    const day = new Date(services.system.clock.now()).toISOString().slice(0, "2026-11-15".length);
    return {
      url: `/exports/receipts?ticket=${ticket}`,
      expiresAt,
      filename: `elwood-receipts-${day}.json`,
    };
  },

  async "receipts.verify"({ held }, { services, tenant }) {
    const verdict = await services.receipts.verify(tenant, { held });
    return { verdict, words: verdictWords(verdict) };
  },

  async "receipts.prove"({ receiptId }, { services, tenant }) {
    const proof = await services.receipts.prove(tenant, receiptId);
    return { ...proof, receipt: toWire(proof.receipt), path: [...proof.path] };
  },

  "receipts.rotate_key": async (_params, { services, tenant, principal, surface }) =>
    services.receipts.rotate(tenant, { actor: principal.name, surface }),

  "receipts.head": async (_params, { services, tenant }) => services.receipts.head(tenant),
};

function toWire(receipt: StoredReceipt): MethodResult<"receipts.prove">["receipt"] {
  return { ...receipt, payload: { ...receipt.payload } };
}
