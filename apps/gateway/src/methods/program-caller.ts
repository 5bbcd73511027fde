import { FailureError, type Failure } from "@elwood/core/base/failure";
import type { Result } from "@elwood/core/base/result";
import type { MethodName, MethodParams } from "@elwood/core/protocol/methods";
import type { MethodResult } from "@elwood/core/protocol/results";
import { plainLine } from "@elwood/core/message/session-text";
import type { WireApproval } from "@elwood/core/protocol/approval-shapes";
import { OWNER_TOKEN_ID, type Principal } from "@elwood/runtime/ports/ports";
import { makeDispatcher, type Dispatcher } from "./dispatch.ts";
import type { Services } from "./services.ts";

/** Where a run stands that a program asked for. */
export interface AskedRun {
  readonly sessionKey: string;
  readonly runId: string;
  /** `waiting`: for the owner, who decides elsewhere. */
  readonly status: "done" | "failed" | "waiting" | "running";
  readonly text: string;
  /** The gateway's own lines under the reply; absent where there are none. */
  readonly evidence?: string;
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
  /** What whoever asks has been shown. Where it is given, waiting ends once something else needs the owner. */
  readonly shown?: ReadonlySet<string> | undefined;
}

/**
 * The gateway's methods for a program, which came by MCP or by HTTP.
 *
 * M1 They have the scope `chat` and no other, whatever their token could do elsewhere: their words are a
 *    program's, nothing runs unasked because of them, and no method that decides can be called.
 * M2 A run is the gateway's: who hangs up or stops waiting ends nothing, and can ask again how it ended.
 * M3 Only the answer to a question that a host showed decides (`decide`), and only with a token that the owner
 *    made with the scope `approve` for that host; the receipt names that token. The owner's own token and a
 *    browser's, which may do everything, are nobody's in particular and decide nothing here.
 */
export class ProgramCaller {
  readonly #services: Services;
  readonly #principal: Principal;
  readonly #surface: string;
  readonly #dispatcher: Dispatcher = makeDispatcher();
  /** Whether the host may show the owner's decisions to be taken there. */
  readonly mayDecide: boolean;

  constructor(services: Services, principal: Principal, surface: string) {
    const { tokenId, scopes } = principal;
    this.#services = services;
    this.#surface = surface;
    this.mayDecide = tokenId !== OWNER_TOKEN_ID && scopes.has("approve") && !scopes.has("admin");
    this.#principal = { ...principal, scopes: new Set(["chat"] as const) };
  }

  async call<M extends MethodName>(
    method: M,
    params: MethodParams<M>,
    follow: (runId: string) => void = () => undefined,
    principal: Principal = this.#principal,
  ): Promise<MethodResult<M>> {
    const answered = await this.#dispatcher.call(method, params, {
      services: this.#services,
      tenant: principal.tenant,
      principal,
      surface: this.#surface,
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
    const sending = { sessionKey, message: text, ...(model === undefined ? {} : { model }) };
    return this.#watch(sessionKey, watching, async (follow) => {
      const { runId } = await this.call("chat.send", sending, follow);
      return runId;
    });
  }

  /** Waits on for the reply of a run that was asked for before. */
  async wait(sessionKey: string, runId: string, watching: Watching): Promise<AskedRun> {
    const { snapshot } = await this.call("chat.resume", { runId });
    if (snapshot.final || snapshot.error) return this.stand(sessionKey, runId);
    return this.#watch(sessionKey, watching, async (follow) => {
      follow(runId);
      return runId;
    });
  }

  /** What of a run waits for the owner. */
  async pending(sessionKey: string): Promise<readonly WireApproval[]> {
    return (await this.call("approvals.list", { status: "pending", sessionKey })).approvals;
  }

  /** The owner's answer, given in the host (M3). */
  async decide(approvalId: string, allow: boolean): Promise<void> {
    if (!this.mayDecide) return;
    const principal = { ...this.#principal, scopes: new Set(["chat", "approve"] as const) };
    if (allow) await this.call("exec.approve", { approvalId }, undefined, principal);
    else await this.call("exec.deny", { approvalId }, undefined, principal);
  }

  async #watch(
    sessionKey: string,
    watching: Watching,
    begin: (follow: (runId: string) => void) => Promise<string>,
  ): Promise<AskedRun> {
    const { shown, onProgress } = watching;
    const ended = Promise.withResolvers<void>();
    const needed = (approvalId: string) => {
      if (shown === undefined)
        onProgress(`\nElwood waits for its owner's decision, at ${this.approvalsLink()}\n`);
      else if (!shown.has(approvalId)) ended.resolve();
    };
    const stops: (() => void)[] = [this.#onNeeded(sessionKey, needed)];
    try {
      const runId = await begin((id) => {
        const feed = this.#services.runs.engine.feeds.get(id);
        const stop = feed?.subscribe(({ event, data }) => {
          // After a call, text is a draft until it has been compared with receipts.
          if (event === "chat.delta" && !feed.held) onProgress(data.text);
          if (event === "chat.final" || event === "chat.error") ended.resolve();
        });
        if (stop) stops.push(stop);
        else ended.resolve();
      });
      // What was asked before anybody listened.
      if (shown) for (const { approvalId } of await this.pending(sessionKey)) needed(approvalId);
      await this.#until(ended.promise, watching);
      return await this.stand(sessionKey, runId);
    } finally {
      for (const stop of stops) stop();
    }
  }

  /** How a run ended, or where it stands. */
  async stand(sessionKey: string, runId: string): Promise<AskedRun> {
    const { snapshot } = await this.call("chat.resume", { runId });
    if (snapshot.final) {
      const { text, model, usage, evidence } = snapshot.final;
      const { inputTokens, outputTokens } = usage;
      const own = evidence === "" ? {} : { evidence };
      return { sessionKey, runId, status: "done", text, ...own, model, usage: { inputTokens, outputTokens } };
    }
    if (snapshot.error) return { sessionKey, runId, status: "failed", text: snapshot.error.message };
    const waitingFor = (await this.pending(sessionKey)).map(({ summary }) => ({
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

  #onNeeded(sessionKey: string, needed: (approvalId: string) => void): () => void {
    const { tenant } = this.#principal;
    return this.#services.approvals.events.onEvent((event) => {
      if (event.kind === "requested" && event.tenant === tenant && event.approval.sessionId === sessionKey)
        needed(event.approval.id);
    });
  }
}
