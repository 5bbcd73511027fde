import { randomBytes } from "node:crypto";
import type { Clock } from "@elwood/runtime/ports/ports";

/**
 * Short-lived stand-ins for a token where a token must not appear: the login link and
 * the address of a stored file. Kept in memory only; a restart voids them all.
 */
export class Tickets<T> {
  readonly #clock: Clock;
  readonly #lifeMs: number;
  readonly #countMax: number;
  readonly #tickets = new Map<string, { value: T; expiresAt: number }>();

  constructor(clock: Clock, lifeMs: number, countMax: number) {
    this.#clock = clock;
    this.#lifeMs = lifeMs;
    this.#countMax = countMax;
  }

  issue(value: T): { ticket: string; expiresAt: number } {
    const now = this.#clock.now();
    for (const [ticket, { expiresAt }] of this.#tickets) if (expiresAt <= now) this.#tickets.delete(ticket);
    while (this.#tickets.size >= this.#countMax) {
      const oldest = this.#tickets.keys().next();
      if (oldest.done) break;
      this.#tickets.delete(oldest.value);
    }
    const ticket = randomBytes(24).toString("base64url");
    const expiresAt = now + this.#lifeMs;
    this.#tickets.set(ticket, { value, expiresAt });
    return { ticket, expiresAt };
  }

  /** The ticket's value, as long as it lives. */
  look(ticket: string): T | undefined {
    const found = this.#tickets.get(ticket);
    return found && found.expiresAt > this.#clock.now() ? found.value : undefined;
  }

  /** The ticket's value, once. */
  use(ticket: string): T | undefined {
    const value = this.look(ticket);
    this.#tickets.delete(ticket);
    return value;
  }
}
