import { canonicalJson } from "@elwood/core/base/canonical-json";
import { boundsOf } from "@elwood/core/policy/grant";
import { isReceipt } from "@elwood/core/receipts/read-receipt";
import type { StoredReceipt } from "@elwood/core/receipts/receipt";
import type { RecordedRows } from "../receipt-log.ts";

/**
 * Holds the rows that the gateway acts by against the receipts that must have come with them: a
 * permission or a token that nobody gave, one that came back, a call or an answer that says
 * something else than what was recorded. Receipts of rows that were purged stay; a row without
 * its receipt does not.
 */
export class RowCheck {
  /** What was recorded of each call, by type. */
  readonly #calls = new Map<string, Set<string>>();
  /** By approval: how it was decided, and what was asked. */
  readonly #decisions = new Map<string, Set<string>>();
  readonly #digests = new Map<string, string>();
  readonly #granted = new Map<string, string | undefined>();
  /** Where the words of a permission lie, for receipts that only commit to them. */
  readonly #wordsCommits = new Map<string, string>();
  /** By grant: the tool it is for, where its bounds lie, and what they are as canonical JSON. */
  readonly #grantedTools = new Map<string, string>();
  readonly #boundsCommits = new Map<string, string>();
  readonly #bounds = new Map<string, string>();
  readonly #revoked = new Set<string>();
  readonly #tokens = new Map<
    string,
    { readonly scopes: readonly string[]; readonly publicKey?: string; readonly actsFor?: string }
  >();

  add(receipt: StoredReceipt): void {
    const { type, callId } = receipt;
    if (callId !== undefined && type.startsWith("tool.call."))
      this.#calls.set(callId, (this.#calls.get(callId) ?? new Set()).add(type.slice("tool.call.".length)));
    if (isReceipt(receipt, "tool.call.asked"))
      this.#digests.set(receipt.payload.approvalId, receipt.payload.digest);
    else if (
      isReceipt(receipt, "tool.call.approved") ||
      isReceipt(receipt, "tool.call.denied") ||
      isReceipt(receipt, "tool.call.expired")
    ) {
      const { approvalId } = receipt.payload;
      if (approvalId !== undefined)
        this.#decisions.set(
          approvalId,
          (this.#decisions.get(approvalId) ?? new Set()).add(type.slice("tool.call.".length)),
        );
    } else if (isReceipt(receipt, "grant.created")) {
      const { grantId, words, wordsCommit, boundsCommit, toolId } = receipt.payload;
      if (grantId !== undefined) {
        this.#granted.set(grantId, words);
        this.#grantedTools.set(grantId, toolId);
        if (boundsCommit !== undefined) this.#boundsCommits.set(boundsCommit, grantId);
      }
      if (grantId !== undefined && wordsCommit !== undefined) this.#wordsCommits.set(wordsCommit, grantId);
    } else if (isReceipt(receipt, "grant.revoked")) {
      if (receipt.payload.grantId !== undefined) this.#revoked.add(receipt.payload.grantId);
    } else if (isReceipt(receipt, "token.created"))
      this.#tokens.set(receipt.payload.tokenId, receipt.payload);
    else if (isReceipt(receipt, "token.revoked")) this.#tokens.delete(receipt.payload.tokenId);
  }

  /** A content behind a commitment: the words of a permission are among them, unless they were forgotten. */
  addBody(commit: string, value: unknown): void {
    const grantId = this.#wordsCommits.get(commit);
    if (grantId !== undefined && typeof value === "string") this.#granted.set(grantId, value);
    const bounded = this.#boundsCommits.get(commit);
    if (bounded !== undefined) this.#bounds.set(bounded, canonicalJson(value));
  }

  /** What does not agree, in words; undefined where everything does. */
  problem({ calls, approvals, grants, tokens }: RecordedRows): string | undefined {
    for (const { id, state } of calls) {
      const recorded = this.#calls.get(id);
      if (recorded === undefined) return `the call ${id} has no receipt`;
      if (!(RECORDED_AS[state] ?? []).some((type) => recorded.has(type)))
        return `the call ${id} is stored as ${state}, and no receipt says so`;
    }
    for (const { id, status, digest } of approvals) {
      const asked = this.#digests.get(id);
      if (asked === undefined) return `the approval ${id} has no receipt`;
      if (asked !== digest)
        return `the approval ${id} is bound to another call than the one that was asked about`;
      if (status !== "pending" && !this.#decisions.get(id)?.has(status))
        return `the approval ${id} is stored as ${status}, and no receipt says so`;
    }
    for (const grant of grants) {
      const { id, words, toolId, revokedAt } = grant;
      if (!this.#granted.has(id)) return `the standing permission ${id} has no receipt`;
      const given = this.#granted.get(id);
      const bounds = this.#bounds.get(id);
      if (
        (given !== undefined && given !== words) ||
        toolId !== this.#grantedTools.get(id) ||
        (bounds !== undefined && bounds !== canonicalJson(boundsOf(grant)))
      )
        return `the standing permission ${id} says something else than what was given`;
      if (this.#revoked.has(id) && revokedAt === undefined)
        return `the standing permission ${id} was revoked, and is there again`;
    }
    for (const { id, scopes, public_key, acts_for: actsFor } of tokens) {
      const given = this.#tokens.get(id);
      if (given === undefined) return `the token ${id} has no receipt, or was revoked`;
      if (JSON.stringify(given.scopes) !== scopes || (given.actsFor ?? null) !== actsFor)
        return `the token ${id} may do something else than what it was given`;
      if ((given.publicKey ?? null) !== public_key)
        return `the token ${id} is opened by another key than the one it was given`;
    }
    return undefined;
  }
}

/** Receipts of which one must be there for a call that is stored in a state. */
const RECORDED_AS: Readonly<Record<string, readonly string[]>> = {
  requested: ["requested"],
  asked: ["asked"],
  approved: ["approved"],
  started: ["started"],
  succeeded: ["succeeded", "settled"],
  failed: ["failed", "settled"],
  unknown: ["unknown"],
  refused: ["refused"],
  denied: ["denied"],
  expired: ["expired"],
};
