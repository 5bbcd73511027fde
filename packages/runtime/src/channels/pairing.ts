import type { ChannelSender } from "@elwood/core/channel/channel";
import { fail } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import { showLine } from "@elwood/core/base/show";
import type { ChannelStates, Pairing, Pairings } from "../ports/channel-ports.ts";
import type { Clock } from "../ports/ports.ts";

export interface PairingDeps {
  readonly tenant: string;
  readonly pairings: Pairings;
  readonly channelStates: ChannelStates;
  readonly clock: Clock;
  /** SHA-256, as hex. */
  readonly hash: (text: string) => string;
  /** So many bytes of chance. */
  readonly random: (bytes: number) => Uint8Array;
}

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const CODE_CHARS = 8;
/** Where wrong codes are counted. */
const TRIES = { channel: "pairing", key: "tries" } as const;

/**
 * Lets people in. Whoever is not known gets a code, and nothing else of theirs is looked at; the owner
 * types the code on the host.
 *
 * K1 A code has 40 bits, is stored as a hash only, belongs to one sender, and counts once and for ten minutes.
 * K2 After five wrong codes all open ones are void: guessing gets nowhere.
 * K3 Being let in means being answered. It never means speaking as the owner.
 */
export class PairingService {
  readonly #deps: PairingDeps;

  constructor(deps: PairingDeps) {
    this.#deps = deps;
  }

  makeCode(): string {
    const bytes = this.#deps.random((CODE_CHARS * 5) / 8);
    let bits = 0n;
    for (const byte of bytes) bits = (bits << 8n) | BigInt(byte);
    return Array.from({ length: CODE_CHARS }, (_, i) => ALPHABET[Number((bits >> BigInt(i * 5)) & 31n)]).join(
      "",
    );
  }

  /** Whether somebody who is not known is to be given a code now. */
  async mayAsk(channel: string, senderId: string): Promise<boolean> {
    const { tenant, pairings, clock } = this.#deps;
    const asked = (await pairings.list(tenant)).filter(
      (each) => each.channel === channel && each.state === "asked" && (each.expiresAt ?? 0) > clock.now(),
    );
    return !asked.some((each) => each.senderId === senderId) && asked.length < LIMITS.pairingsAskedMax;
  }

  /** Stores the code that a sender is given. */
  async ask(channel: string, sender: ChannelSender, code: string): Promise<void> {
    const { tenant, pairings, clock } = this.#deps;
    const at = clock.now();
    for (const each of await pairings.list(tenant))
      if (each.state === "asked" && (each.expiresAt ?? 0) <= at)
        await pairings.remove(tenant, each.channel, each.senderId);
    await pairings.put(tenant, {
      channel,
      senderId: sender.id,
      name: showLine(sender.name).slice(0, LIMITS.titleCharsMax),
      state: "asked",
      codeHash: this.#hashOf(code),
      expiresAt: at + LIMITS.pairingCodeMs,
      at,
    });
  }

  async isPaired(channel: string, senderId: string): Promise<boolean> {
    const { tenant, pairings } = this.#deps;
    return (await pairings.find(tenant, channel, senderId))?.state === "paired";
  }

  /** Those who are let in, and those whose code is still good. */
  async list(): Promise<readonly Pairing[]> {
    const { tenant, pairings, clock } = this.#deps;
    const all = await pairings.list(tenant);
    return all.filter((each) => each.state === "paired" || (each.expiresAt ?? 0) > clock.now());
  }

  /** Fails with words where the code is none, or none any more. */
  async approve(code: string): Promise<Pairing> {
    const { tenant, pairings, clock } = this.#deps;
    const hash = this.#hashOf(code);
    const asked = (await this.list()).filter(({ state }) => state === "asked");
    const found = asked.find(({ codeHash }) => codeHash === hash);
    if (!found) return this.#wrongCode(asked);
    await this.#countTries(0);
    const { channel, senderId, name } = found;
    const paired: Pairing = { channel, senderId, name, state: "paired", at: clock.now() };
    await pairings.put(tenant, paired);
    return paired;
  }

  /** False where there is nobody of that id. */
  async remove(channel: string, senderId: string): Promise<boolean> {
    const { tenant, pairings } = this.#deps;
    return pairings.remove(tenant, channel, senderId);
  }

  /** K2 */
  async #wrongCode(asked: readonly Pairing[]): Promise<never> {
    const { tenant, pairings, channelStates } = this.#deps;
    if (asked.length === 0)
      fail(
        "NOT_FOUND",
        "There is no open code. Codes count for ten minutes; let the person write to Elwood again for a new one. Nobody was let in.",
      );
    const tries = 1 + Number((await channelStates.read(tenant, TRIES.channel, TRIES.key)) ?? "0");
    if (tries < LIMITS.pairingTriesMax) {
      await this.#countTries(tries);
      const left = LIMITS.pairingTriesMax - tries;
      fail(
        "NOT_FOUND",
        `That is no open code. Nobody was let in. ${left} more tries before all open codes are void.`,
      );
    }
    for (const { channel, senderId } of asked) await pairings.remove(tenant, channel, senderId);
    await this.#countTries(0);
    return fail(
      "TOO_MANY_ATTEMPTS",
      `That was the ${LIMITS.pairingTriesMax}th wrong code, so all open codes are void now. Nobody was let in. Let the person write to Elwood again for a new one.`,
      { retryable: false },
    );
  }

  #countTries(tries: number): Promise<void> {
    const { tenant, channelStates } = this.#deps;
    return channelStates.write(tenant, TRIES.channel, TRIES.key, String(tries));
  }

  /** As people read a code aloud: case, spaces and dashes do not matter, nor do O for 0 and I or L for 1. */
  #hashOf(code: string): string {
    const plain = code.toUpperCase().replaceAll(/[\s-]/g, "").replaceAll("O", "0").replaceAll(/[IL]/g, "1");
    return this.#deps.hash(`elwood.pairing.v1\n${plain}`);
  }
}
