import { ToolError } from "@elwood/sdk/tool-answer";
import { WORKSPACE_LIMITS } from "./limits.ts";
import type { CallBody, FetchError, FetchHead, HostFunction, ToHost } from "./wire.ts";

/** What a process is asked to do for one call. */
export interface HostCall {
  readonly tool: string;
  readonly fn: HostFunction;
  readonly body: CallBody;
  readonly signal: AbortSignal;
  /** Only a call that may act is given a way out. */
  readonly fetch?: typeof globalThis.fetch;
  readonly progress?: (message: string) => void;
}

type Send = (head: ToHost, body?: string) => void;

/** A call that a process works on, seen from the gateway: its requests, its reports, its end. */
export class OpenCall {
  readonly answer: Promise<string>;
  readonly over: AbortSignal;
  readonly #call: HostCall;
  readonly #send: Send;
  readonly #ended = new AbortController();
  readonly #fetching = new Map<number, AbortController>();
  readonly #settle: { resolve(answer: string): void; reject(error: Error): void };
  #fetches = 0;
  #reports = 0;

  constructor(call: HostCall, send: Send) {
    this.#call = call;
    this.#send = send;
    this.over = this.#ended.signal;
    const { promise, ...settle } = Promise.withResolvers<string>();
    this.answer = promise;
    this.#settle = settle;
    // Whoever asked may have gone by the time it fails.
    promise.catch(() => undefined);
  }

  done(how: "answer" | "threw", body: string): void {
    if (how === "answer") this.#settle.resolve(body);
    else this.#settle.reject(new Error(body.slice(0, WORKSPACE_LIMITS.lineCharsMax)));
    this.#end();
  }

  /** It will not answer any more. */
  lost(why: string): void {
    this.#settle.reject(new Error(why));
    this.#end();
  }

  report(message: string): void {
    if (++this.#reports <= WORKSPACE_LIMITS.progressPerCallMax) this.#call.progress?.(message);
  }

  /** False where an honest process would not have asked. */
  fetch(f: number, head: FetchHead, body: string): boolean {
    if (this.#fetching.has(f)) return false;
    this.#fetches++;
    const refusal = this.#refusal();
    const { signal } = this.#call;
    if (refusal !== undefined || signal.aborted) {
      this.#send({ t: "failed", f, error: refusal ?? failed(new Error("the call was stopped")) });
      return true;
    }
    const own = new AbortController();
    this.#fetching.set(f, own);
    void this.#exchange(f, head, body, AbortSignal.any([own.signal, signal, this.over]));
    return true;
  }

  drop(f: number): boolean {
    const own = this.#fetching.get(f);
    own?.abort("dropped");
    return own !== undefined;
  }

  #refusal(): FetchError | undefined {
    const { fetchesPerCallMax, fetchesAtOnceMax } = WORKSPACE_LIMITS;
    if (this.#call.fetch === undefined)
      return refused("no_web", "Only a handler reaches the web. Nothing was sent.");
    if (this.#fetches > fetchesPerCallMax)
      return refused("too_many", `A call makes ${fetchesPerCallMax} requests at most. Nothing was sent.`);
    if (this.#fetching.size >= fetchesAtOnceMax)
      return refused(
        "too_many",
        `A call makes ${fetchesAtOnceMax} requests at once at most. Nothing was sent.`,
      );
    return undefined;
  }

  async #exchange(f: number, head: FetchHead, body: string, signal: AbortSignal): Promise<void> {
    const { url, method, headers, redirect } = head;
    try {
      const response = await this.#call.fetch!(url, {
        method,
        headers: headers.map(([name, value]): [string, string] => [name, value]),
        redirect,
        signal,
        ...(body === "" ? {} : { body: Buffer.from(body, "base64") }),
      });
      const bytes = Buffer.from(await response.arrayBuffer());
      if (bytes.length > WORKSPACE_LIMITS.responseBytesMax) throw new Error("the answer is too large");
      this.#send(
        {
          t: "fetched",
          f,
          url: response.url,
          status: response.status,
          statusText: response.statusText,
          headers: [...response.headers],
          redirected: response.redirected,
        },
        bytes.toString("base64"),
      );
    } catch (error) {
      this.#send({ t: "failed", f, error: failed(error) });
    } finally {
      this.#fetching.delete(f);
    }
  }

  #end(): void {
    this.#ended.abort("ended");
  }
}

function refused(code: string, message: string): FetchError {
  return { kind: "tool", name: "ToolError", code, message, retryable: false };
}

function failed(error: unknown): FetchError {
  if (error instanceof ToolError) {
    const { name, code, message, retryable } = error;
    return { kind: "tool", name, code, message, retryable };
  }
  const name = error instanceof Error ? error.name : "Error";
  const message = error instanceof Error ? error.message : String(error);
  return { kind: "other", name, code: "", message, retryable: false };
}
