import { FailureError, type Failure } from "@elwood/core/base/failure";
import type { Result } from "@elwood/core/base/result";
import type { MethodName, MethodParams } from "@elwood/core/protocol/methods";
import type { MethodResult } from "@elwood/core/protocol/results";
import { plainLine } from "@elwood/core/message/session-text";
import type { Principal } from "@elwood/runtime/ports/ports";
import { makeDispatcher, type Dispatcher } from "../methods/dispatch.ts";
import type { Services } from "../methods/services.ts";

/** Where a run stands that was asked for over MCP. */
export interface AskedRun {
  readonly sessionKey: string;
  readonly runId: string;
  /** `waiting`: for the owner, who decides elsewhere. */
  readonly status: "done" | "failed" | "waiting" | "running";
  readonly text: string;
  readonly model?: string;
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number };
  /** What the owner is asked, and where they decide. */
  readonly waitingFor?: readonly { readonly what: string; readonly link: string }[];
}

export interface Watching {
  readonly waitMs: number;
  readonly signal: AbortSignal;
  /** Text as it is written, and what is waited for. */
  readonly onProgress: (text: string) => void;
}

/**
 * The gateway's methods for somebody who came by MCP.
 *
 * M1 They have the scope `chat` and no other, whatever their token could do elsewhere: their words are a
 *    program's, nothing runs unasked because of them, and no method that decides can be called.
 * M2 A run is the gateway's: who hangs up or stops waiting ends nothing, and can ask again how it ended.
 */
export class McpCaller {
  readonly #services: Services;
  readonly #principal: Principal;
  readonly #dispatcher: Dispatcher = makeDispatcher();

  constructor(services: Services, principal: Principal) {
    this.#services = services;
    this.#principal = { ...principal, scopes: new Set(["chat"] as const) };
  }

  async call<M extends MethodName>(
    method: M,
    params: MethodParams<M>,
    follow: (runId: string) => void = () => undefined,
  ): Promise<MethodResult<M>> {
    const answered = await this.#dispatcher.call(method, params, {
      services: this.#services,
      tenant: this.#principal.tenant,
      principal: this.#principal,
      surface: "mcp",
      drafts: false,
      replyNow: () => undefined,
      follow,
    });
    // The table of methods says what each answers; the dispatcher does not know which one this was.
    const result = answered as Result<MethodResult<M>, Failure>;
    if (!result.ok) throw new FailureError(result.error);
    return result.value;
  }

  /** Sends a message as a program, and waits for the reply for so long. */
  async ask(
    message: { readonly sessionKey: string; readonly text: string; readonly model?: string | undefined },
    watching: Watching,
  ): Promise<AskedRun> {
    const { sessionKey, text, model } = message;
    const ended = Promise.withResolvers<void>();
    const stops: (() => void)[] = [this.#tellWaiting(sessionKey, watching.onProgress)];
    try {
      const sent = await this.call(
        "chat.send",
        { sessionKey, message: text, ...(model === undefined ? {} : { model }) },
        (runId) => {
          const feed = this.#services.runs.engine.feeds.get(runId);
          const stop = feed?.subscribe(({ event, data }) => {
            // After a call, text is a draft until it has been compared with receipts.
            if (event === "chat.delta" && !feed.held) watching.onProgress(data.text);
            if (event === "chat.final" || event === "chat.error") ended.resolve();
          });
          if (stop) stops.push(stop);
          else ended.resolve();
        },
      );
      await this.#until(ended.promise, watching);
      return await this.stand(sessionKey, sent.runId);
    } finally {
      for (const stop of stops) stop();
    }
  }

  /** How a run ended, or where it stands. */
  async stand(sessionKey: string, runId: string): Promise<AskedRun> {
    const { snapshot } = await this.call("chat.resume", { runId });
    if (snapshot.final) {
      const { text, model, usage } = snapshot.final;
      const { inputTokens, outputTokens } = usage;
      return { sessionKey, runId, status: "done", text, model, usage: { inputTokens, outputTokens } };
    }
    if (snapshot.error) return { sessionKey, runId, status: "failed", text: snapshot.error.message };
    const { approvals } = await this.call("approvals.list", { status: "pending", sessionKey });
    const waitingFor = approvals.map(({ summary }) => ({
      what: plainLine(summary),
      link: this.approvalsLink(),
    }));
    if (waitingFor.length === 0) return { sessionKey, runId, status: "running", text: "" };
    return { sessionKey, runId, status: "waiting", text: "", waitingFor };
  }

  /** Where the owner decides. It names a page and authorises nothing. */
  approvalsLink(): string {
    return `${this.#services.clients.url()}/approvals`;
  }

  async #until(ended: Promise<void>, { waitMs, signal }: Watching): Promise<void> {
    const stop = new AbortController();
    const over = AbortSignal.any([signal, stop.signal]);
    try {
      await Promise.race([ended, this.#services.system.clock.sleep(waitMs, over)]);
    } finally {
      stop.abort();
    }
  }

  #tellWaiting(sessionKey: string, tell: (text: string) => void): () => void {
    const { tenant } = this.#principal;
    return this.#services.approvals.events.onEvent((event) => {
      if (event.kind !== "requested" || event.tenant !== tenant || event.approval.sessionId !== sessionKey)
        return;
      tell(`\nElwood waits for its owner's decision, at ${this.approvalsLink()}\n`);
    });
  }
}
