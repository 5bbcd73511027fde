import { canonicalJson } from "@elwood/core/base/canonical-json";
import { FailureError } from "@elwood/core/base/failure";
import { isReceipt } from "@elwood/core/receipts/read-receipt";
import type { ReceiptPayloads } from "@elwood/core/receipts/receipt";
import { mustWrite } from "@elwood/runtime/gate/must-write";
import type { Ledger } from "@elwood/runtime/ports/gate-ports";
import type { RecordedChange } from "../config/config-writer.ts";
import type { Log, Person } from "@elwood/runtime/ports/ports";
import { sha256 } from "@elwood/platform/system";

/** Somebody proved who they are, or failed to. */
export interface AuthEvent {
  readonly accepted: boolean;
  /** The token's name; empty where it was refused. */
  readonly name: string;
  readonly surface: string;
  readonly remote: string;
  /** Which door: the socket, the login link, a file, the HTTP interface, a webhook. */
  readonly door: "ws" | "login" | "blobs" | "api" | "hook";
}

export interface NewTokenFact {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expiresAt?: number;
  readonly publicKey?: string;
  readonly actsFor?: string;
  readonly adopted?: true;
}

const CHANGES_LOOKED_AT = 50;

/**
 * Since when the owner's rules are as they are, by the receipts of their changes, other settings
 * apart. Infinity where none is on record.
 */
export async function rulesSince(ledger: Pick<Ledger, "receipts">, tenant: string): Promise<number> {
  const changes = await ledger.receipts(tenant, { types: ["policy.changed"], limit: CHANGES_LOOKED_AT });
  let since = Infinity;
  let newest: string | undefined;
  for (const change of changes) {
    if (!isReceipt(change, "policy.changed") || change.payload.hash === undefined) continue;
    const rules = canonicalJson(change.payload["rules"] ?? null);
    newest ??= rules;
    if (rules !== newest) break;
    since = change.ts;
  }
  return since;
}

/** Facts that belong to no run: who came in, and what the owner's rules are. */
export class Audit {
  readonly #ledger: Ledger;
  readonly #log: Log;
  readonly #tenant: string;

  constructor(ledger: Ledger, log: Log, tenant: string) {
    this.#ledger = ledger;
    this.#log = log;
    this.#tenant = tenant;
  }

  /** Never keeps anyone waiting: a log that cannot be written is told to the operator, not to the one who came. */
  noteAuth(event: AuthEvent): void {
    const { accepted, name, surface, remote, door } = event;
    this.#write(accepted ? "auth.accepted" : "auth.refused", name === "" ? "unknown" : name, surface, {
      remote,
      door,
    });
  }

  /** Before the token itself: one without a receipt is taken for one that somebody put there. */
  async noteToken(
    token: NewTokenFact,
    by: { readonly actor: string; readonly surface: string },
  ): Promise<void> {
    const { id: tokenId, name, scopes, expiresAt, publicKey, actsFor, adopted } = token;
    await mustWrite(this.#ledger, this.#tenant, "a token", {
      receipts: [
        {
          type: "token.created",
          runId: "",
          ...by,
          payload: {
            tokenId,
            name,
            scopes: [...scopes],
            ...(expiresAt === undefined ? {} : { expiresAt }),
            ...(publicKey === undefined ? {} : { publicKey }),
            ...(actsFor === undefined ? {} : { actsFor }),
            ...(adopted ? { adopted } : {}),
          },
        },
      ],
      changes: [],
    });
  }

  async noteTokenRevoked(
    tokenId: string,
    by: { readonly actor: string; readonly surface: string },
  ): Promise<void> {
    await mustWrite(this.#ledger, this.#tenant, "a token", {
      receipts: [{ type: "token.revoked", runId: "", ...by, payload: { tokenId } }],
      changes: [],
    });
  }

  /** Tokens from before they left receipts, once: where any has one, a token without is none of ours. */
  async adoptTokens(tokens: readonly NewTokenFact[]): Promise<void> {
    if (tokens.length === 0) return;
    const known = await this.#ledger.receipts(this.#tenant, { types: ["token.created"], limit: 1 });
    if (known.length > 0) return;
    for (const token of tokens)
      await this.noteToken({ ...token, adopted: true }, { actor: "gateway", surface: "gateway" });
  }

  /** Before the change counts. */
  async noteSettings(change: RecordedChange, by: Person): Promise<void> {
    const { keys, removed, secrets, revision } = change;
    const payload = {
      keys,
      ...(removed.length === 0 ? {} : { removed }),
      ...(secrets.length === 0 ? {} : { secrets }),
      revision,
    };
    await mustWrite(this.#ledger, this.#tenant, "the settings", {
      receipts: [{ type: "settings.changed", runId: "", actor: by.id, surface: by.surface, payload }],
      changes: [],
    });
  }

  /** A receipt where the rules are not those of the last start. */
  async notePolicy(policy: Readonly<Record<string, unknown>>): Promise<void> {
    const hash = sha256(canonicalJson(JSON.parse(JSON.stringify(policy))));
    // A panic stop is on record under the same type, without a hash.
    const changes = await this.#ledger.receipts(this.#tenant, {
      types: ["policy.changed"],
      limit: CHANGES_LOOKED_AT,
    });
    const known = changes.flatMap((one) => (isReceipt(one, "policy.changed") ? [one.payload.hash] : []));
    if (known.find((each) => each !== undefined) === hash) return;
    await mustWrite(this.#ledger, this.#tenant, "the rules", {
      receipts: [
        {
          type: "policy.changed",
          runId: "",
          actor: "owner",
          surface: "config",
          payload: { ...policy, hash },
        },
      ],
      changes: [],
    });
  }

  #write(
    type: "auth.accepted" | "auth.refused",
    actor: string,
    surface: string,
    payload: ReceiptPayloads["auth.accepted"],
  ): void {
    const receipts = [{ type, runId: "", actor, surface, payload }];
    mustWrite(this.#ledger, this.#tenant, "an auth event", { receipts, changes: [] }).catch(
      (error: unknown) => {
        const reason = error instanceof FailureError ? error.failure.reason : "INTERNAL";
        this.#log.error("an auth event could not be recorded", { type, reason });
      },
    );
  }
}
