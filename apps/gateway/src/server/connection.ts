import { isRecord } from "@elwood/core/base/is-record";
import { parseJson } from "@elwood/core/base/parse-json";
import { showLine } from "@elwood/core/base/show";
import { safelyParse } from "@elwood/core/base/safe-parse";
import { type Failure, FailureError, failure } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import { EVENT_NAMES, type EventName } from "@elwood/core/protocol/events";
import {
  CLOSE_CODES,
  type Hello,
  PROTOCOL_VERSION,
  type RequestFrame,
  authFrameSchema,
  requestFrameSchema,
  toErrorObject,
} from "@elwood/core/protocol/frames";
import type { ClientLink } from "../assistants/client-tools.ts";
import type { MethodContext } from "../methods/context.ts";
import type { Dispatcher } from "../methods/dispatch.ts";
import type { Services } from "../methods/services.ts";
import { type Principal, SCOPES } from "@elwood/runtime/ports/ports";
import type { Authenticator } from "../auth/authenticate.ts";
import type { FailedAuthLimiter } from "../auth/failed-auth.ts";
import { PushStream } from "./push-stream.ts";
import type { ServerSocket } from "./socket-pair.ts";
import { METHOD_NAMES } from "@elwood/core/protocol/methods";

export interface ConnectionDeps {
  readonly services: Services;
  readonly dispatcher: Dispatcher;
  readonly authenticator: Authenticator;
  readonly limiter: FailedAuthLimiter;
  /** Which build of the page is served, where there is one. */
  readonly build: () => Promise<string | undefined>;
}

/**
 * One WebSocket client, from its first frame to its close.
 *
 * W1 Before a good auth frame nothing but `health.check` is answered, and the client has
 *    a few seconds and a few kilobytes to prove itself.
 * W2 A bad frame earns an error, never a crash, and touches no other connection.
 * W3 chat.send requests are handled one after another, so that a client's messages keep their order.
 * W4 Frames that come while a token is being looked up wait for it; what comes after our
 *    own close is not looked at.
 * W5 A connection ends with its token's time: no frame is heard and nothing pushed after it.
 */
export class Connection {
  readonly #socket: ServerSocket;
  readonly #deps: ConnectionDeps;
  readonly #remote: string;
  readonly #pushes: PushStream;
  readonly #authTimer: NodeJS.Timeout;
  readonly #gone = new AbortController();
  readonly #link: ClientLink = {
    push: (event, data) => this.push(event, data),
    gone: this.#gone.signal,
  };
  #principal: Principal | undefined;
  #clientName = "ws";
  /** Frames behind an auth frame that is not decided yet (W4). */
  #waiting: { data: Buffer; isBinary: boolean }[] | undefined;
  #inFlight = 0;
  #sending: Promise<void> = Promise.resolve();

  constructor(socket: ServerSocket, remote: string, deps: ConnectionDeps) {
    this.#socket = socket;
    this.#deps = deps;
    this.#remote = remote;
    this.#pushes = new PushStream(socket, deps.services.runs.engine.feeds, deps.services.system.log);
    this.#authTimer = setTimeout(
      () => this.close(CLOSE_CODES.policy, "no auth frame in time"),
      LIMITS.preAuthMs,
    );
    socket.on("message", (data: Buffer, isBinary: boolean) => {
      try {
        this.#receive(data, isBinary);
      } catch (error) {
        this.#broke(error);
      }
    });
    // ws reports protocol violations here and closes by itself.
    socket.on("error", (error) =>
      deps.services.system.log.debug("a client broke the WebSocket protocol", { error }),
    );
    socket.on("close", () => {
      clearTimeout(this.#authTimer);
      this.#gone.abort("closed");
      this.#pushes.stop();
    });
  }

  get authenticated(): boolean {
    return this.#principal !== undefined;
  }

  /** It has shown a token that is being looked up. */
  get authenticating(): boolean {
    return this.#waiting !== undefined;
  }

  get tokenId(): string | undefined {
    return this.#principal?.tokenId;
  }

  get tenant(): string | undefined {
    return this.#principal?.tenant;
  }

  push(event: EventName, data: unknown): void {
    if (this.#principal?.scopes.has("chat") && !this.#isOver()) this.#pushes.send(event, data);
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
    // A client that does not answer the close is cut off.
    setTimeout(() => this.#socket.terminate(), 1_000).unref();
  }

  #receive(data: Buffer, isBinary: boolean): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    if (this.#isOver()) {
      this.#leave();
      return;
    }
    if (!this.#principal && data.length > LIMITS.preAuthFrameBytesMax) {
      this.close(CLOSE_CODES.tooLarge, "first frames may hold 64 KiB");
      return;
    }
    if (this.#waiting) {
      if (this.#waiting.length < LIMITS.requestsInFlightPerConnectionMax)
        this.#waiting.push({ data, isBinary });
      else this.close(CLOSE_CODES.policy, "too many frames before authentication");
      return;
    }
    const frame = isBinary ? undefined : parseJson(data.toString("utf8"));
    if (frame === undefined) {
      const what = isBinary
        ? "Binary frames are not understood; send JSON as text."
        : "The frame is not valid JSON.";
      this.#refuseFrame(null, failure(isBinary ? "BAD_FRAME" : "BAD_JSON", `${what} Nothing was done.`));
      return;
    }
    if (isRecord(frame) && frame["type"] === "auth") {
      this.#authenticate(frame).catch((error: unknown) => this.#broke(error));
      return;
    }
    const request = safelyParse(requestFrameSchema, frame);
    if (!request.success) {
      const id = isRecord(frame) && typeof frame["id"] === "string" ? frame["id"].slice(0, 200) : null;
      this.#refuseFrame(
        id,
        failure(
          "BAD_FRAME",
          'A request is {"id": string, "method": string, "params": object}. Nothing was done.',
        ),
      );
      return;
    }
    if (!this.#principal && !this.#deps.dispatcher.isOpen(request.data.method)) {
      this.#refuseFrame(
        request.data.id,
        failure("UNAUTHENTICATED", 'The first frame must be {type: "auth", token}. Nothing was done.'),
      );
      return;
    }
    this.#take(request.data);
  }

  #take(request: RequestFrame): void {
    if (this.#inFlight >= LIMITS.requestsInFlightPerConnectionMax) {
      this.#answerError(
        request.id,
        failure(
          "TOO_MANY_REQUESTS",
          `This connection already has ${LIMITS.requestsInFlightPerConnectionMax} requests open. This one was not handled; send it again when some are answered.`,
        ),
      );
      return;
    }
    this.#inFlight += 1;
    const handle = () => this.#handle(request).catch((error: unknown) => this.#broke(error));
    if (request.method === "chat.send") this.#sending = this.#sending.then(handle);
    else void handle();
  }

  /** W2: a fault of ours in handling one client's frame closes that connection, and touches no other. */
  #broke(error: unknown): void {
    this.#deps.services.system.log.error("a frame could not be handled", { error });
    this.close(CLOSE_CODES.internal, "internal error");
  }

  async #handle(request: RequestFrame): Promise<void> {
    let replied = false;
    const context: MethodContext<keyof Services> = {
      services: this.#deps.services,
      tenant: this.#principal?.tenant ?? "",
      principal: this.#principal ?? NOBODY,
      surface: this.#clientName,
      drafts: this.#pushes.drafts,
      replyNow: (result) => {
        replied = true;
        this.#pushes.answer({ id: request.id, result });
      },
      follow: (runId) => this.#pushes.follow(runId),
      link: this.#link,
    };
    try {
      const { ids, requests } = this.#deps.services.system;
      const call = () => this.#deps.dispatcher.call(request.method, request.params, context);
      const outcome = await (requests ? requests.handle(ids.next("request"), call) : call());
      if (replied) return;
      if (outcome.ok) this.#pushes.answer({ id: request.id, result: outcome.value });
      else this.#answerError(request.id, outcome.error);
    } finally {
      this.#inFlight -= 1;
    }
  }

  async #authenticate(frame: Record<string, unknown>): Promise<void> {
    if (this.#principal) {
      this.#answerError(
        null,
        failure("BAD_FRAME", "This connection is already authenticated. Nothing was done."),
      );
      return;
    }
    const waiting = (this.#waiting = []);
    const { limiter } = this.#deps;
    const { log } = this.#deps.services.system;
    try {
      const token = typeof frame["token"] === "string" ? frame["token"] : "";
      const isTooEarly = limiter.waitBeforeMs(this.#remote, token) > 0;
      const isAdmitted = !isTooEarly && (await this.#admit(frame));
      const waitMs = isAdmitted ? 0 : limiter.waitMs(this.#remote);
      if (waitMs > 0) {
        this.#turnAway(
          failure(
            "TOO_MANY_ATTEMPTS",
            `Too many failed attempts from this address. Try again in ${Math.ceil(waitMs / 1000)} s.`,
            { retryAfterMs: waitMs },
          ),
        );
      } else if (!isAdmitted) {
        limiter.failed(this.#remote);
        log.warn("refused a client: wrong token", { remote: this.#remote });
        this.#noteAuth(false, "");
        this.#turnAway(
          failure("UNAUTHENTICATED", "The token was not accepted. Get a fresh login link with: elwood open"),
        );
      }
    } catch (error) {
      log.error("a token could not be looked up", { error });
      this.#answerError(
        null,
        error instanceof FailureError
          ? error.failure
          : failure("INTERNAL", "The token could not be looked up. The log says more."),
      );
      this.close(CLOSE_CODES.internal, "the token could not be looked up");
    }
    this.#waiting = undefined;
    for (const { data, isBinary } of waiting) this.#receive(data, isBinary);
  }

  async #admit(frame: Record<string, unknown>): Promise<boolean> {
    const parsed = safelyParse(authFrameSchema, frame);
    const principal = parsed.success
      ? await this.#deps.authenticator.principalOf(parsed.data.token)
      : undefined;
    if (!parsed.success || !principal) return false;
    const build = await this.#deps.build();
    const { installation, system } = this.#deps.services;
    clearTimeout(this.#authTimer);
    this.#principal = principal;
    this.#leaveInTime(principal).catch((error: unknown) => this.#broke(error));
    // It goes into receipts, and stands wherever they are read: it deceives nobody there, and holds no key.
    this.#clientName = showLine(system.redact(parsed.data.client?.name ?? "ws"));
    this.#noteAuth(true, principal.name);
    this.#pushes.drafts = parsed.data.client?.drafts ?? false;
    const hello = helloTo(principal, installation.version, build, system.clock.now());
    this.#pushes.answer({ type: "auth", ok: true, hello });
    return true;
  }

  #noteAuth(accepted: boolean, name: string): void {
    const surface = this.#clientName;
    this.#deps.services.access.audit.noteAuth({ accepted, name, surface, remote: this.#remote, door: "ws" });
  }

  /** W5 */
  #isOver(): boolean {
    const { expiresAt = Infinity } = this.#principal ?? {};
    return this.#deps.services.system.clock.now() >= expiresAt;
  }

  async #leaveInTime({ expiresAt }: Principal): Promise<void> {
    if (expiresAt === undefined) return;
    const { clock } = this.#deps.services.system;
    await clock.sleep(expiresAt - clock.now(), this.#gone.signal);
    if (!this.#gone.signal.aborted) this.#leave();
  }

  #leave(): void {
    const words = "The token's time is over. Nothing more is done for this connection; use another token.";
    this.#answerError(null, failure("UNAUTHENTICATED", words));
    this.close(CLOSE_CODES.policy, "token expired");
  }

  #turnAway(reason: Failure): void {
    this.#answerError(null, reason);
    this.close(CLOSE_CODES.policy, "not authenticated");
  }

  /** W1: a stranger's bad frame ends the connection; a known client's is answered. */
  #refuseFrame(id: string | null, reason: Failure): void {
    this.#answerError(id, reason);
    if (!this.#principal) this.close(CLOSE_CODES.policy, "not authenticated");
  }

  #answerError(id: string | null, reason: Failure): void {
    const message = this.#deps.services.system.redact(reason.message);
    this.#pushes.answer({ id, error: toErrorObject({ ...reason, message }) });
  }
}

const NOBODY: Principal = { tenant: "", tokenId: "", name: "nobody", scopes: new Set() };

/** What a client is told once it is known: what there is, what it may do, and how much at once. */
function helloTo(principal: Principal, version: string, build: string | undefined, now: number): Hello {
  return {
    protocol: PROTOCOL_VERSION,
    version,
    methods: METHOD_NAMES,
    events: EVENT_NAMES,
    limits: {
      frameBytesMax: LIMITS.frameBytesMax,
      messageCharsMax: LIMITS.messageCharsMax,
      blobBytesMax: LIMITS.blobBytesMax,
      requestsInFlightMax: LIMITS.requestsInFlightPerConnectionMax,
    },
    scopes: SCOPES.filter((scope) => principal.scopes.has(scope)),
    build: build ?? version,
    now,
  };
}
