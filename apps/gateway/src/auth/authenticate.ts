import { timingSafeEqual } from "node:crypto";
import {
  OWNER_TOKEN_ID,
  SCOPES,
  type Clock,
  type Principal,
  type TokenStore,
} from "@elwood/runtime/ports/ports";
import { sha256 } from "@elwood/platform/system";

const TOUCH_AFTER_MS = 60_000;

/**
 * The owner's token opens everything; other tokens are rows with scopes. Tokens are
 * compared as digests, in constant time.
 */
export class Authenticator {
  readonly #tokens: TokenStore;
  readonly #clock: Clock;
  readonly #ownerDigest: Buffer;
  readonly #tenant: string;

  constructor(options: { tokens: TokenStore; clock: Clock; ownerToken: string; tenant: string }) {
    this.#tokens = options.tokens;
    this.#clock = options.clock;
    this.#tenant = options.tenant;
    this.#ownerDigest = Buffer.from(sha256(options.ownerToken), "hex");
  }

  async principalOf(token: string): Promise<Principal | undefined> {
    const digest = sha256(token);
    if (timingSafeEqual(Buffer.from(digest, "hex"), this.#ownerDigest)) {
      return { tenant: this.#tenant, tokenId: OWNER_TOKEN_ID, name: "owner", scopes: new Set(SCOPES) };
    }
    const row = await this.#tokens.findByHash(this.#tenant, digest);
    const now = this.#clock.now();
    if (!row || (row.expiresAt !== undefined && row.expiresAt <= now)) return undefined;
    if (now - (row.lastUsedAt ?? 0) > TOUCH_AFTER_MS) await this.#tokens.touch(this.#tenant, row.id, now);
    const { id: tokenId, name, expiresAt } = row;
    const life = expiresAt === undefined ? {} : { expiresAt };
    return { tenant: this.#tenant, tokenId, name, scopes: new Set(row.scopes), ...life };
  }
}
