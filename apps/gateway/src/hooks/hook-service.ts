import type { IncomingHttpHeaders } from "node:http";
import { fail } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import { PAGE_TARGET } from "@elwood/core/schedule/job";
import { isEnded, type Run } from "@elwood/core/message/session";
import type { Clock, Ids, Principal, RunStore, SessionStore } from "@elwood/runtime/ports/ports";
import type { Engine } from "@elwood/runtime/run/engine";
import type { Hook } from "../config/schema.ts";
import { hookParts, type HookBody } from "./hook-message.ts";
import { deliveryKey, isSigned } from "./signature.ts";

export interface HookServiceDeps {
  readonly hooks: Readonly<Record<string, Hook>>;
  readonly tenant: string;
  readonly agentId: string;
  readonly engine: Pick<Engine, "submit" | "start">;
  readonly sessions: Pick<SessionStore, "create" | "rename" | "bind" | "findByKey">;
  readonly runs: Pick<RunStore, "list">;
  /** The reply of a run is owed to a chat from now on, once however often it is said. */
  readonly owe: (runId: string, target: string) => Promise<void>;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** A run that another system set off; it is on disk, and begins with `start`. */
export interface AcceptedHook {
  readonly runId: string;
  /** It had come in before; there is nothing to start. */
  readonly repeated: boolean;
  start(): void;
}

/**
 * Lets other systems set off runs. What comes in authorises nothing: the words of the template are a job's,
 * the rest is data, and the principal may only chat.
 *
 * K1 Nothing is told or done before the secret or signature was right; an unknown name is refused alike.
 * K2 A run is stored before its request is answered. A delivery that comes again under its key sets off none.
 * K3 All runs of one webhook are in one session, one after another.
 * K4 Where a webhook has a target, the reply is owed to it before its request is answered, and after a
 *    crash in between with the next start.
 */
export class HookService {
  readonly #deps: HookServiceDeps;
  /** When requests of each webhook came in, within the last minute. */
  readonly #recent = new Map<string, number[]>();
  readonly #sessions = new Map<string, Promise<string>>();

  constructor(deps: HookServiceDeps) {
    this.#deps = deps;
  }

  /** Undefined where nobody who knows the secret sent it. */
  async accept(
    name: string,
    headers: IncomingHttpHeaders,
    bytes: Uint8Array,
  ): Promise<AcceptedHook | undefined> {
    const { hooks, clock, engine, tenant } = this.#deps;
    const hook = Object.hasOwn(hooks, name) ? hooks[name] : undefined;
    if (!hook || !isSigned(hook, headers, bytes, clock.now())) return undefined;
    this.#limit(name);
    const body = bodyOf(bytes);
    const key = deliveryKey(hook, headers, body.json);
    if (key !== undefined && key.length > LIMITS.idempotencyKeyCharsMax)
      fail(
        "INVALID_INPUT",
        `The key has more than ${LIMITS.idempotencyKeyCharsMax} characters. Nothing was done.`,
      );
    const { run, repeated } = await engine.submit({
      principal: this.#principal(name),
      origin: "webhook",
      sessionId: await this.#sessionOf(name),
      parts: hookParts(hook.message, body),
      surface: "webhook",
      ...(key === undefined ? {} : { idempotencyKey: key }),
    });
    if (hook.target !== PAGE_TARGET) await this.#deps.owe(run.id, hook.target);
    return { runId: run.id, repeated, start: () => this.#start(tenant, run, repeated) };
  }

  /** K4. A run begins after its request was answered, so that only runs that are not over can lack it. */
  async recover(): Promise<void> {
    const { hooks, sessions, runs, tenant, owe } = this.#deps;
    for (const [name, { target }] of Object.entries(hooks)) {
      if (target === PAGE_TARGET) continue;
      const session = await sessions.findByKey(tenant, { channel: "webhook", chat: name });
      if (!session) continue;
      const recent = await runs.list(tenant, { sessionId: session.id, limit: LIMITS.pageSizeMax });
      for (const run of recent.runs) if (!isEnded(run.status)) await owe(run.id, target);
    }
  }

  #start(tenant: string, run: Run, repeated: boolean): void {
    if (!repeated) this.#deps.engine.start(tenant, run);
  }

  #principal(name: string): Principal {
    return { tenant: this.#deps.tenant, tokenId: `hook:${name}`, name, scopes: new Set(["chat"]) };
  }

  #limit(name: string): void {
    const now = this.#deps.clock.now();
    const recent = (this.#recent.get(name) ?? []).filter((at) => at > now - MINUTE_MS);
    if (recent.length >= LIMITS.hookRequestsPerMinuteMax) {
      const retryAfterMs = recent[0]! + MINUTE_MS - now;
      fail(
        "TOO_MANY_REQUESTS",
        `This webhook takes ${LIMITS.hookRequestsPerMinuteMax} requests a minute. Nothing was done; send it again in ${Math.ceil(retryAfterMs / 1000)} s.`,
        { retryAfterMs },
      );
    }
    this.#recent.set(name, [...recent, now]);
  }

  /** One search for each webhook at a time, so that two first requests do not make two sessions. */
  #sessionOf(name: string): Promise<string> {
    const searching = this.#sessions.get(name) ?? this.#findOrMake(name);
    this.#sessions.set(name, searching);
    return searching.finally(() => this.#sessions.delete(name));
  }

  async #findOrMake(name: string): Promise<string> {
    const { sessions, tenant, agentId, ids, clock } = this.#deps;
    const key = { channel: "webhook", chat: name };
    const known = await sessions.findByKey(tenant, key);
    if (known) return known.id;
    const id = ids.next("session");
    const title = `Webhook ${name}`;
    await sessions.create(tenant, { id, agentId, title, at: clock.now() });
    // Else the first message would give it another title.
    await sessions.rename(tenant, id, title, "owner");
    await sessions.bind(tenant, id, key);
    return id;
  }
}

const MINUTE_MS = 60_000;

function bodyOf(bytes: Uint8Array): HookBody {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return fail("INVALID_INPUT", "The body is not text in UTF-8. Nothing was done.");
  }
  try {
    return { text, json: JSON.parse(text) as unknown };
  } catch (error) {
    if (error instanceof SyntaxError) return { text };
    throw error;
  }
}
