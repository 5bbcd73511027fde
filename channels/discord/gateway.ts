import type { ChannelClock, ChannelLog } from "@elwood/sdk/channel/channel";
import { WebSocket } from "ws";
import { z } from "zod";

/** An event, with its number in the session. */
export interface GatewayEvent {
  readonly type: string;
  readonly seq: number;
  readonly session: string;
  readonly data: unknown;
}

/** A session that Discord can continue: everything after `seq` comes again. */
export interface GatewaySession {
  readonly id: string;
  readonly url: string;
  readonly seq: number;
}

export type GatewayState =
  | { readonly kind: "connected"; readonly resumed: boolean }
  | { readonly kind: "waiting"; readonly why: string }
  /** Discord will not have this bot as it is set up. */
  | { readonly kind: "refused"; readonly code: number };

export type GatewayAddress =
  | { readonly ok: true; readonly url: string; readonly loginsLeft: number; readonly resetMs: number }
  | { readonly ok: false; readonly why: string; readonly code?: number };

export interface GatewayOptions {
  readonly token: string;
  readonly intents: number;
  readonly clock: ChannelClock;
  readonly log: ChannelLog;
  readonly signal: AbortSignal;
  /** Where a new session begins. */
  address(): Promise<GatewayAddress>;
  /** Whose events up to `seq` are stored. */
  session(): GatewaySession | undefined;
  /** A new session; undefined where the last one cannot be continued. */
  begin(session: GatewaySession | undefined): void;
  onEvent(event: GatewayEvent): void;
  onState(state: GatewayState): void;
}

/** Close codes after which the same login would be refused again. */
const REFUSED_CODES = new Set([4004, 4010, 4011, 4012, 4013, 4014]);
/** Close codes after which a session is over. */
const SESSION_OVER_CODES = new Set([4003, 4007, 4009]);
/** Any code but 1000 and 1001 leaves the session open for the next start. */
const CLOSE_AND_KEEP = 4900;
const FRAME_BYTES_MAX = 32 * 1024 * 1024;
const HANDSHAKE_MS = 30_000;
/** For Discord's first words, and for its answer to a login. */
const ANSWER_MS = 30_000;
const RECONNECT_MS = { first: 1_000, most: 60_000 };
/** Discord takes one login in five seconds, and 1,000 a day; a bot beyond that loses its token. */
const LOGIN_MS = { least: 5_000, most: 300_000 };
const LOGINS_RESERVED = 20;
const LOGINS_RESET_MS_MAX = 24 * 3_600_000;
/** A connection that lasted so long was a good one. */
const STEADY_MS = 60_000;

const frameSchema = z.object({
  op: z.number(),
  d: z.unknown(),
  s: z.number().nullish(),
  t: z.string().nullish(),
});
const helloSchema = z.object({ heartbeat_interval: z.number().min(1).max(600_000) });
const readySchema = z.object({ session_id: z.string(), resume_gateway_url: z.string() });

/**
 * The connection to Discord's gateway: one after another, until it is closed or refused.
 *
 * G1 A session is continued from the last event that is stored, not from the last that came: what was
 *    lost on the way to the store comes again, also after a restart.
 * G2 Waits grow while connections fail, and logins are counted: a network that is gone for an
 *    hour costs no login at all.
 * G3 A heartbeat without an answer means that the connection is dead; it is cut and made again.
 */
export class Gateway {
  readonly #options: GatewayOptions;
  #failures = 0;
  #logins = 0;
  #loggedInAt = -Infinity;
  #socket: WebSocket | undefined;

  constructor(options: GatewayOptions) {
    this.#options = options;
  }

  async run(): Promise<void> {
    const { signal, clock } = this.#options;
    while (!signal.aborted) {
      const startedAt = clock.now();
      const end = await this.#connect();
      if (signal.aborted) return;
      if (end.code !== undefined && REFUSED_CODES.has(end.code)) {
        this.#options.onState({ kind: "refused", code: end.code });
        return;
      }
      if (end.sessionOver || (end.code !== undefined && SESSION_OVER_CODES.has(end.code)))
        this.#options.begin(undefined);
      const steady = end.ready && clock.now() - startedAt >= STEADY_MS;
      this.#failures = steady ? 0 : this.#failures + 1;
      this.#options.onState({ kind: "waiting", why: end.why });
      await clock.sleep(growing(RECONNECT_MS.first, RECONNECT_MS.most, this.#failures - 1), signal);
    }
  }

  /** Cuts the connection; the next one continues the session from the last event that is stored. */
  reconnect(): void {
    this.#socket?.close(CLOSE_AND_KEEP);
  }

  async #connect(): Promise<ConnectionEnd> {
    const session = this.#options.session();
    if (session) return this.#talk(session.url, session);
    const address = await this.#options.address();
    if (!address.ok)
      return {
        why: address.why,
        ready: false,
        ...(address.code === undefined ? {} : { code: address.code }),
      };
    await this.#waitForLogin(address);
    return this.#options.signal.aborted
      ? { why: "closed", ready: false }
      : this.#talk(address.url, undefined);
  }

  /** G2 */
  async #waitForLogin(address: Extract<GatewayAddress, { ok: true }>): Promise<void> {
    const { clock, signal, log } = this.#options;
    // A clock that was set back makes nobody wait for a day.
    const since = Math.max(0, clock.now() - this.#loggedInAt);
    if (since > LOGIN_MS.most * 2) this.#logins = 0;
    const spacing = this.#logins === 0 ? 0 : growing(LOGIN_MS.least, LOGIN_MS.most, this.#logins - 1) - since;
    const scarce = address.loginsLeft <= LOGINS_RESERVED;
    if (scarce)
      log.warn("Discord allows few more logins today; waiting until it allows more", {
        left: address.loginsLeft,
      });
    await clock.sleep(Math.min(LOGINS_RESET_MS_MAX, Math.max(0, scarce ? address.resetMs : spacing)), signal);
    this.#logins += 1;
    this.#loggedInAt = clock.now();
  }

  async #talk(url: string, session: GatewaySession | undefined): Promise<ConnectionEnd> {
    const { signal } = this.#options;
    const socket = new WebSocket(`${url.replace(/\/$/, "")}/?v=10&encoding=json`, {
      handshakeTimeout: HANDSHAKE_MS,
      maxPayload: FRAME_BYTES_MAX,
      perMessageDeflate: false,
    });
    this.#socket = socket;
    const over = new AbortController();
    const talk: Talk = { socket, session, over: over.signal, acknowledged: true, ready: false };
    const { promise, resolve } = Promise.withResolvers<ConnectionEnd>();
    const close = (): void => socket.close(CLOSE_AND_KEEP);
    signal.addEventListener("abort", close, { once: true });
    socket.on("error", (error) => {
      talk.problem ??= error.message;
    });
    socket.on("message", (data: Buffer) => this.#read(talk, data));
    socket.on("close", (code) => resolve(endOf(talk, code)));
    void this.#expect(talk, () => talk.seq !== undefined || talk.heartbeatMs !== undefined);
    try {
      return await promise;
    } finally {
      over.abort();
      signal.removeEventListener("abort", close);
    }
  }

  #read(talk: Talk, data: Buffer): void {
    const frame = frameSchema.safeParse(parseJson(data));
    if (!frame.success) return this.#options.log.warn("Discord sent something that is not a frame");
    const { op, d, s, t } = frame.data;
    switch (op) {
      case 0:
        return this.#event(talk, t ?? "", s ?? 0, d);
      case 1:
        return this.#beat(talk);
      case 7:
        talk.problem = "Discord asked for a new connection.";
        return talk.socket.close(CLOSE_AND_KEEP);
      case 9:
        talk.problem = "Discord ended the session.";
        talk.sessionOver = d !== true;
        return talk.socket.close(CLOSE_AND_KEEP);
      case 10:
        return this.#hello(talk, d);
      case 11:
        talk.acknowledged = true;
        return undefined;
      default:
        return undefined;
    }
  }

  #hello(talk: Talk, d: unknown): void {
    const hello = helloSchema.safeParse(d);
    if (!hello.success || talk.heartbeatMs !== undefined) return;
    talk.heartbeatMs = hello.data.heartbeat_interval;
    const { token, intents } = this.#options;
    const { session } = talk;
    send(
      talk.socket,
      session
        ? { op: 6, d: { token, session_id: session.id, seq: session.seq } }
        : {
            op: 2,
            d: { token, intents, properties: { os: process.platform, browser: "elwood", device: "elwood" } },
          },
    );
    void this.#expect(talk, () => talk.ready);
    void this.#keepAlive(talk, talk.heartbeatMs);
  }

  #event(talk: Talk, type: string, seq: number, data: unknown): void {
    talk.seq = seq;
    if (type === "READY") {
      const ready = readySchema.safeParse(data);
      if (!ready.success) return talk.socket.close(CLOSE_AND_KEEP);
      talk.session = { id: ready.data.session_id, url: ready.data.resume_gateway_url, seq };
      this.#options.begin(talk.session);
    }
    if (type === "READY" || type === "RESUMED") {
      talk.ready = true;
      this.#options.onState({ kind: "connected", resumed: type === "RESUMED" });
    }
    this.#options.onEvent({ type, seq, data, session: talk.session?.id ?? "" });
  }

  /** G3 */
  async #keepAlive(talk: Talk, intervalMs: number): Promise<void> {
    const { clock } = this.#options;
    await clock.sleep(Math.floor(intervalMs * Math.random()), talk.over);
    while (!talk.over.aborted) {
      if (!talk.acknowledged) {
        talk.problem = "Discord did not answer.";
        talk.socket.terminate();
        return;
      }
      talk.acknowledged = false;
      this.#beat(talk);
      await clock.sleep(intervalMs, talk.over);
    }
  }

  #beat(talk: Talk): void {
    send(talk.socket, { op: 1, d: talk.seq ?? talk.session?.seq ?? null });
  }

  async #expect(talk: Talk, isSo: () => boolean): Promise<void> {
    await this.#options.clock.sleep(ANSWER_MS, talk.over);
    if (talk.over.aborted || isSo()) return;
    talk.problem = "Discord did not answer.";
    talk.socket.terminate();
  }
}

interface Talk {
  readonly socket: WebSocket;
  readonly over: AbortSignal;
  session: GatewaySession | undefined;
  seq?: number;
  heartbeatMs?: number;
  acknowledged: boolean;
  ready: boolean;
  sessionOver?: boolean;
  problem?: string;
}

interface ConnectionEnd {
  readonly why: string;
  readonly ready: boolean;
  readonly code?: number;
  readonly sessionOver?: boolean;
}

function endOf(talk: Talk, code: number): ConnectionEnd {
  const { problem, ready, sessionOver = false } = talk;
  return { why: problem ?? `Discord closed the connection (${code}).`, code, ready, sessionOver };
}

function growing(first: number, most: number, times: number): number {
  return Math.min(most, first * 2 ** Math.min(Math.max(times, 0), 16));
}

function send(socket: WebSocket, frame: unknown): void {
  // One that is closing has nobody to listen.
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(frame));
}

function parseJson(data: Buffer): unknown {
  try {
    return JSON.parse(data.toString());
  } catch {
    return undefined;
  }
}
