import type { Socket } from "node:net";
import { parseAddress } from "@elwood/core/net/address";
import {
  isRefusal,
  judgeAddresses,
  readHost,
  readTarget,
  type AddressRule,
  type Refusal,
  type Target,
  type WebRules,
} from "@elwood/core/net/web-address";
import { WEB_LIMITS } from "./web-limits.ts";
import { AddressRefused, Unreachable } from "./web-errors.ts";
import { errorCode } from "@elwood/platform/system-error";
import { withDeadline } from "@elwood/runtime/async/deadline";
import { systemClock } from "@elwood/platform/system";

/** All that a name stands for, from one lookup. Rejects where the name is unknown. */
export type Resolve = (name: string) => Promise<readonly string[]>;
/** Opens a connection to an address, never to a name. */
export type Connect = (address: string, port: number, signal: AbortSignal) => Promise<Socket>;

export interface DialerDeps {
  /** Asked anew for each target: ports and network cards change while Elwood runs. */
  readonly rules: () => WebRules;
  readonly resolve: Resolve;
  readonly connect: Connect;
}

/** A target that may be dialled, with the only addresses at which it may. */
export interface CheckedTarget {
  readonly ok: true;
  readonly host: string;
  readonly port: number;
  readonly addresses: readonly [string, ...string[]];
  /** The owner named this origin in `web.allowedOrigins`. */
  readonly exempt: boolean;
}

export type Check =
  | CheckedTarget
  | { readonly ok: false; readonly rule: AddressRule; readonly reason: string }
  /** No rule spoke: the name could not be looked up. */
  | { readonly ok: false; readonly rule: "unresolved"; readonly reason: string };

/**
 * The one way from Elwood's tools to other machines.
 *
 * D1 A name is looked up once. Every answer is checked, and only a checked answer is dialled:
 *    what a second lookup would say is never asked.
 * D2 Addresses are judged by their bytes, after every spelling has been undone.
 * D3 Before a call is decided only `judge` is asked: a name that is looked up has already left this machine.
 * D4 The gateway itself is out of reach under each of its names and addresses, whatever the owner allowed.
 */
export interface GuardedDialer {
  /** What the text of an address alone breaks, for the time before a decision: looks nothing up. */
  judge(url: string | URL): Refusal | undefined;
  check(url: string | URL, signal?: AbortSignal): Promise<Check>;
  checkHost(host: string, port: number, signal?: AbortSignal): Promise<Check>;
  /** Connects to a target that was checked a moment ago. */
  connect(target: CheckedTarget, signal?: AbortSignal): Promise<Socket>;
  /** Checks and connects; throws AddressRefused or Unreachable. Nothing has been sent in either case. */
  dial(host: string, port: number, signal?: AbortSignal): Promise<Socket>;
}

export function makeGuardedDialer({ rules, resolve, connect }: DialerDeps): GuardedDialer {
  const look = async (
    judge: (rules: WebRules) => Target | Refusal,
    signal: AbortSignal | undefined,
  ): Promise<Check> => {
    const held = rules();
    const target = judge(held);
    if (isRefusal(target)) return { ok: false, ...target };
    const { host, port, exempt } = target;
    if (target.address !== undefined) {
      const refused = judgeAddresses(target, [target.address], held);
      return refused ? { ok: false, ...refused } : { ok: true, host, port, exempt, addresses: [host] };
    }
    const answers = await answersFor(host, resolve, signal);
    if (answers === undefined) return unresolved(host);
    const refused = judgeAddresses(target, answers.map(parseAddress), held);
    if (refused !== undefined) return { ok: false, ...refused };
    const [first, ...others] = answers;
    return first === undefined
      ? unresolved(host)
      : { ok: true, host, port, exempt, addresses: [first, ...others] };
  };

  const dialer: GuardedDialer = {
    judge(url) {
      const held = rules();
      const target = readTarget(url, held);
      if (isRefusal(target)) return target;
      return target.address && judgeAddresses(target, [target.address], held);
    },
    check: (url, signal) => look((held) => readTarget(url, held), signal),
    checkHost: (host, port, signal) => look((held) => readHost(host, port, held), signal),
    connect: (target, signal) => connectInTurn(target, connect, signal),
    async dial(host, port, signal) {
      const checked = await dialer.checkHost(host, port, signal);
      return connectInTurn(orThrow(checked, host), connect, signal);
    },
  };
  return dialer;
}

/** The target, or the error that says why there is none. */
export function orThrow(checked: Check, shown: string): CheckedTarget {
  if (checked.ok) return checked;
  if (checked.rule === "unresolved") throw new Unreachable("not_found", checked.reason);
  throw new AddressRefused(
    checked.rule,
    `Elwood does not connect to ${shown}. ${checked.reason} Nothing was sent.`,
  );
}

function unresolved(host: string): Check {
  return { ok: false, rule: "unresolved", reason: `The name ${host} was not found. Nothing was sent.` };
}

/** undefined where the lookup fails or takes too long. */
async function answersFor(
  host: string,
  resolve: Resolve,
  signal: AbortSignal | undefined,
): Promise<readonly string[] | undefined> {
  try {
    const late = () => undefined;
    const answers = await withDeadline(systemClock, WEB_LIMITS.resolveMs, resolve(host), late, signal);
    return answers === undefined || answers.length > WEB_LIMITS.addressesMax ? undefined : answers;
  } catch {
    signal?.throwIfAborted();
    return undefined;
  }
}

/** A machine without IPv6 still gets IPv6 answers, so the checked addresses are tried in turn. */
async function connectInTurn(
  { host, port, addresses }: CheckedTarget,
  connect: Connect,
  signal: AbortSignal | undefined,
): Promise<Socket> {
  const tried = addresses.slice(0, WEB_LIMITS.addressesTriedMax);
  const endsAt = performance.now() + WEB_LIMITS.connectMs;
  let why = "";
  for (const [at, address] of tried.entries()) {
    signal?.throwIfAborted();
    const left = endsAt - performance.now();
    if (left <= 0) break;
    const last = at === tried.length - 1;
    const limit = AbortSignal.timeout(Math.ceil(last ? left : Math.min(left, WEB_LIMITS.connectTryMs)));
    try {
      const socket = await connect(address, port, signal ? AbortSignal.any([signal, limit]) : limit);
      // Whoever gets it may not listen yet when the other side hangs up, and an error unheard ends the process.
      socket.on("error", () => socket.destroy());
      return socket;
    } catch (cause) {
      signal?.throwIfAborted();
      why = limit.aborted ? "it did not answer in time" : codeOf(cause);
    }
  }
  throw new Unreachable(
    "unreachable",
    `No connection to ${host} on port ${port}: ${why || "it did not answer in time"}. Nothing was sent.`,
  );
}

const CONNECT_WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  EHOSTUNREACH: "there is no way to that machine",
  ENETUNREACH: "there is no way to that network",
  ECONNRESET: "it closed the connection at once",
  ETIMEDOUT: "it did not answer in time",
};

function codeOf(cause: unknown): string {
  const code = errorCode(cause) ?? "";
  return CONNECT_WORDS[code] ?? (code === "" ? "the connection failed" : `the connection failed (${code})`);
}
