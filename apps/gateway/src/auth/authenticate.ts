import { timingSafeEqual } from "node:crypto";
import {
  OWNER_TOKEN_ID,
  SCOPES,
  type Clock,
  type Principal,
  type TokenStore,
} from "@elwood/runtime/ports/ports";
import { sha256 } from "@elwood/platform/system";
import type { DeviceLogins } from "./device-logins.ts";

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
  readonly #devices: DeviceLogins;

  readonly #arrived: (tenant: string) => Promise<void>;

  constructor(options: {
    tokens: TokenStore;
    devices: DeviceLogins;
    clock: Clock;
    ownerToken: string;
    /** Whose the installation and all of its tokens are. */
    tenant: string;
    /** Somebody of another tenant is there. */
    arrived: (tenant: string) => Promise<void>;
  }) {
    this.#tokens = options.tokens;
    this.#devices = options.devices;
    this.#clock = options.clock;
    this.#tenant = options.tenant;
    this.#arrived = options.arrived;
    this.#ownerDigest = Buffer.from(sha256(options.ownerToken), "hex");
  }

  get tenant(): string {
    return this.#tenant;
  }

  async principalOf(token: string): Promise<Principal | undefined> {
    const digest = sha256(token);
    if (timingSafeEqual(Buffer.from(digest, "hex"), this.#ownerDigest)) {
      return { tenant: this.#tenant, tokenId: OWNER_TOKEN_ID, name: "owner", scopes: new Set(SCOPES) };
    }
    const device = this.#devices.ownerOf(digest);
    const row = device
      ? (await this.#tokens.list(this.#tenant)).find(({ id }) => id === device.deviceId)
      : await this.#tokens.findByHash(this.#tenant, digest);
    const now = this.#clock.now();
    if (!row || (row.expiresAt !== undefined && row.expiresAt <= now)) return undefined;
    if (now - (row.lastUsedAt ?? 0) > TOUCH_AFTER_MS) await this.#tokens.touch(this.#tenant, row.id, now);
    const { id: tokenId, name, actsFor: tenant = this.#tenant } = row;
    const expiresAt = device?.expiresAt ?? row.expiresAt;
    const life = expiresAt === undefined ? {} : { expiresAt };
    if (tenant !== this.#tenant) await this.#arrived(tenant);
    return { tenant, tokenId, name, scopes: new Set(row.scopes), ...life };
  }
}
