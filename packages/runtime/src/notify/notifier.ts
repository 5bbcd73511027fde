import { askedBy } from "@elwood/core/card/card";
import { LIMITS } from "@elwood/core/base/limits";
import type { LocalTime } from "@elwood/core/base/local-time";
import { safelyParse } from "@elwood/core/base/safe-parse";
import type { Approval } from "@elwood/core/policy/approval";
import { z } from "zod";
import type { Approvals } from "../gate/approvals.ts";
import type { ChannelStates } from "../ports/channel-ports.ts";
import type { Ledger } from "../ports/gate-ports.ts";
import type { Clock, Log } from "../ports/ports.ts";

/** What somebody who is not looking is told. */
export interface Notice {
  /** A later one of the same key takes the place of an earlier one, where the target can do that. */
  readonly key: string;
  readonly title: string;
  /** One line for each thing that waits, as far as they are named. */
  readonly lines: readonly string[];
  /** Of the page: where to decide. */
  readonly path: string;
  /** It was told before. */
  readonly reminder: boolean;
  readonly approvals: readonly Approval[];
}

/** One way to reach the owner: a chat of a channel, the browsers, the desktop. */
export interface NotifyTarget {
  readonly name: string;
  /** What it throws is logged; other targets are told all the same. */
  send(notice: Notice): Promise<void>;
}

/** Minutes of the day in the owner's time zone; `from` after `to` goes over midnight. */
export interface QuietHours {
  readonly from: number;
  readonly to: number;
}

export interface NotifierDeps {
  readonly tenant: string;
  readonly ledger: Pick<Ledger, "approvals">;
  readonly approvals: Pick<Approvals, "onEvent">;
  readonly states: ChannelStates;
  readonly targets: readonly NotifyTarget[];
  readonly quietHours?: QuietHours;
  readonly clock: Clock;
  readonly localTime: LocalTime;
  readonly log: Log;
}

/**
 * Tells the owner what waits for a decision, when nobody answers at once.
 *
 * N1 Each approval or question is told once, and once more where it still waits after a while. That it is being
 *    told is stored before, and that it was told after: what a crash leaves in between is told again, under the
 *    same key, by which chats and browsers show it once.
 * N2 What comes within a minute is told as one. In quiet hours nothing rings; what still waits at their end is
 *    told then, as one.
 * N3 What was decided in the meantime is not told at all.
 * N4 Nothing waits: no timer runs.
 */
export class Notifier {
  readonly #deps: NotifierDeps;
  readonly #stopped = new AbortController();
  #wake = new AbortController();
  #lastAt = -Infinity;

  constructor(deps: NotifierDeps) {
    this.#deps = deps;
  }

  /** Until `stop`. */
  async run(): Promise<void> {
    const { tenant, approvals, clock, log } = this.#deps;
    if (this.#deps.targets.length === 0) return;
    const stop = approvals.onEvent((event) => {
      if (event.tenant === tenant && event.kind === "requested") this.#wake.abort();
    });
    try {
      while (!this.#stopped.signal.aborted) {
        this.#wake = new AbortController();
        const woken = AbortSignal.any([this.#stopped.signal, this.#wake.signal]);
        const waitMs = await this.#look().catch((error: unknown) => {
          log.error("could not look at what waits for the owner; it is tried again", { error });
          return LIMITS.notifyCheckMs;
        });
        if (waitMs === undefined) await fired(woken);
        else await clock.sleep(Math.min(waitMs, LIMITS.notifyCheckMs), woken);
      }
    } finally {
      stop();
    }
  }

  stop(): void {
    this.#stopped.abort();
  }

  /** Tells what is due, and answers how long until something else is. Undefined where nothing waits. */
  async #look(): Promise<number | undefined> {
    const { tenant, ledger, states, clock, quietHours, localTime } = this.#deps;
    const pending = await ledger.approvals(tenant, { status: "pending", limit: LIMITS.pageSizeMax });
    const stored = await states.read(tenant, STATE.channel, STATE.key);
    const known = readTold(stored);
    const told = new Map(pending.map(({ id }) => [id, known[id] ?? {}]));
    const now = clock.now();
    if (pending.length === 0) {
      if (stored !== undefined && stored !== "{}") await this.#store(told);
      return undefined;
    }
    const dueAt = ({ id, createdAt }: Approval): number => {
      const { at, again, open } = told.get(id)!;
      if (open) return at ?? now;
      if (again !== undefined) return Infinity;
      return at === undefined ? createdAt + LIMITS.notifyDelayMs : at + LIMITS.notifyRemindMs;
    };
    const quietMs = quietHours === undefined ? 0 : quietFor(quietHours, localTime, now);
    const free = Math.max(now + quietMs, this.#lastAt + LIMITS.notifyGapMs);
    const due = pending.filter((approval) => dueAt(approval) <= now);
    if (due.length > 0 && free <= now) {
      for (const { id } of due) {
        const { at, again, open } = told.get(id)!;
        if (!open)
          told.set(id, at === undefined ? { at: now, open: true } : { at, again: again ?? now, open: true });
      }
      const first = due.filter(({ id }) => told.get(id)!.again === undefined);
      // N1
      await this.#store(told);
      this.#lastAt = now;
      await this.#tell(noticeOf(due, first.length === 0));
      for (const { id } of due) {
        const { open: _open, ...rest } = told.get(id)!;
        told.set(id, rest);
      }
      await this.#store(told);
    }
    const next = Math.min(...pending.map(dueAt));
    return next === Infinity ? undefined : Math.max(1, Math.max(next, free) - now);
  }

  async #tell(notice: Notice): Promise<void> {
    const { targets, log } = this.#deps;
    await Promise.all(
      targets.map(async (target) => {
        try {
          await target.send(notice);
        } catch (error) {
          log.warn("a notification could not be sent", { target: target.name, error });
        }
      }),
    );
  }

  async #store(told: ReadonlyMap<string, Told>): Promise<void> {
    const kept = Object.fromEntries([...told].filter(([, { at }]) => at !== undefined));
    await this.#deps.states.write(this.#deps.tenant, STATE.channel, STATE.key, JSON.stringify(kept));
  }
}

const STATE = { channel: "notify", key: "approvals" } as const;

/** When it was told, and when again. */
interface Told {
  readonly at?: number | undefined;
  readonly again?: number | undefined;
  /** It is being told, or was when the process died. */
  readonly open?: boolean | undefined;
}

const toldSchema = z.record(
  z.string(),
  z.object({ at: z.number().optional(), again: z.number().optional(), open: z.boolean().optional() }),
);

function readTold(stored: string | undefined): Readonly<Record<string, Told>> {
  if (stored === undefined) return {};
  const read = safelyParse(toldSchema, JSON.parse(stored));
  return read.success ? read.data : {};
}

function noticeOf(due: readonly Approval[], reminder: boolean): Notice {
  const named = due
    .slice(0, LIMITS.notifyLinesMax)
    .map(({ card }) => [card.summary, askedBy(card)].filter((part) => part !== "").join(", "));
  const more = due.length - named.length;
  const only = due.length === 1 ? due[0] : undefined;
  const title = only === undefined ? `${due.length} things wait for you` : TITLES[only.card.kind];
  return {
    key: only?.id ?? "approvals",
    title: reminder ? `Reminder: ${title}` : title,
    lines: more > 0 ? [...named, `and ${more} more`] : named,
    path: only === undefined ? "/approvals" : `/approvals/${only.id}`,
    reminder,
    approvals: due,
  };
}

const TITLES = {
  approval: "Elwood waits for your decision",
  question: "Elwood has a question",
  settle: "Elwood does not know what became of a call",
} as const;

/** How long the quiet hours go on; 0 outside of them. Looked at again after a change of the clock. */
function quietFor({ from, to }: QuietHours, localTime: LocalTime, now: number): number {
  const [hours = 0, minutes = 0] = localTime.format(now).slice(-"09:12".length).split(":").map(Number);
  const at = hours * 60 + minutes;
  const inside = from <= to ? at >= from && at < to : at >= from || at < to;
  if (!inside) return 0;
  const left = (to - at + DAY_MINUTES) % DAY_MINUTES;
  return left * MINUTE_MS - (now % MINUTE_MS);
}

const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;

function fired(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
