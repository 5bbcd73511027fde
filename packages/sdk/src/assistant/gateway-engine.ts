import { failure } from "@elwood/core/base/failure";
import { ID_RANDOM_BYTES, makeId } from "@elwood/core/base/ids";
import type { EventData } from "@elwood/core/protocol/events";
import type { ClientTool, MethodName, MethodParams } from "@elwood/core/protocol/methods";
import type { MethodResult } from "@elwood/core/protocol/results";
import type { WireMessage } from "@elwood/core/protocol/shapes";
import { agentIdOf } from "@elwood/core/tool/client-tool";
import type { AssistantDefinition, ICoreEngineClient, OwnerQuestion } from "./engine-client.ts";
import { ConversationError, GatewayUnavailableError, HumanInputTimeoutError } from "./errors.ts";
import type { ConversationMessage, StreamEvent } from "./events.ts";
import { saysYes } from "./human-in-the-loop.ts";
import { jsonSchemaOf, type Tool } from "./tool.ts";
import {
  ConnectError,
  Connection,
  GatewayClient,
  growingWaits,
  RequestError,
  type Push,
  type Socket,
} from "../client.ts";
import { ToolRunner } from "./tool-runner.ts";

export interface GatewayEngineOptions {
  /** Where the gateway is; looked for on this machine where left out. */
  readonly url?: string;
  /** `ELWOOD_TOKEN` where left out. It needs the scopes `chat` and `admin`, and `approve` to decide approvals. */
  readonly token?: string;
  /** The folder of the gateway that is looked for. */
  readonly home?: string;
  /** What the gateway calls this program. */
  readonly name?: string;
  /** Opens the socket; the global WebSocket where absent. */
  readonly socket?: (url: string) => Socket;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What tools log. */
  readonly log?: (message: string) => void;
}

const FIRST_WAIT_MS = 100;
const MOST_WAIT_MS = 5_000;
const HISTORY_PAGE = 200;
const HISTORY_PAGES_MAX = 1_000;
/** Pushes of runs that nobody here has sent, until it turns out that somebody has. */
const EARLY_MAX = 1_000;
const RUNS_SHOWN = 5;
const RUNS_MAX = 1_000;

/** A run that this process follows. */
interface FollowedRun {
  readonly conversationId: string;
  ended: boolean;
}

type Listener = (event: StreamEvent) => void;

/**
 * An engine over the gateway's WebSocket. The connection is made with the first request and again
 * whenever it breaks; tools are registered again, and runs taken up, each time.
 */
export class GatewayEngine implements ICoreEngineClient {
  readonly #options: GatewayEngineOptions;
  /** The same for all connections of this engine: the gateway knows who came back. */
  readonly #clientId = crypto.randomUUID();
  readonly #assistants = new Map<string, AssistantDefinition>();
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #runs = new Map<string, FollowedRun>();
  readonly #questions = new Map<string, () => void>();
  readonly #runner: ToolRunner;
  #early: Push[] = [];
  #client: Promise<GatewayClient> | undefined;
  #lastSeq = 0;

  constructor(options: GatewayEngineOptions = {}) {
    this.#options = options;
    this.#runner = new ToolRunner({
      toolOf: (assistantId, name) => this.#tool(assistantId, name),
      send: async (invocationId, outcome) => {
        try {
          return (await this.#call("tool.result", { invocationId, outcome }, true)).accepted;
        } catch (error) {
          options.log?.(`an answer of a tool could not be handed over: ${String(error)}`);
          return undefined;
        }
      },
      log: (message) => options.log?.(message),
    });
  }

  async define(assistant: AssistantDefinition): Promise<void> {
    this.#assistants.set(assistant.id, assistant);
    await this.#register(assistant);
  }

  newConversationId(): string {
    return makeId("session", Date.now(), crypto.getRandomValues(new Uint8Array(ID_RANDOM_BYTES)));
  }

  async open(conversationId: string, assistantId: string): Promise<void> {
    await this.#call(
      "sessions.create",
      { sessionKey: conversationId, agentId: agentIdOf(assistantId) },
      true,
    );
  }

  async send(conversationId: string, prompt: string, key: string): Promise<{ readonly runId: string }> {
    const { runId } = await this.#call(
      "chat.send",
      { sessionKey: conversationId, message: prompt, idempotencyKey: key },
      true,
    );
    this.#follow(runId, conversationId);
    return { runId };
  }

  listen(conversationId: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(conversationId) ?? new Set();
    this.#listeners.set(conversationId, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(conversationId);
    };
  }

  async resume(
    conversationId: string,
    { runId, afterSeq }: { readonly runId?: string; readonly afterSeq: number },
  ): Promise<void> {
    const { runs } = await this.#call("runs.list", { sessionKey: conversationId, limit: RUNS_SHOWN }, true);
    const last = runId ?? runs[0]?.runId;
    const open = runs.filter(({ endedAt }) => endedAt === undefined).map((run) => run.runId);
    const wanted = [...new Set([...(last === undefined ? [] : [last]), ...open])].reverse();
    for (const each of wanted) {
      this.#runs.set(each, { conversationId, ended: false });
      await this.#catchUp(each, each === last ? afterSeq : 0);
    }
    const { approvals } = await this.#call(
      "approvals.list",
      { status: "pending", sessionKey: conversationId },
      true,
    );
    for (const approval of approvals) {
      const { approvalId, kind, summary, expiresAt, options, toolName, details } = approval;
      const asked = { inputStepId: approvalId, kind, prompt: summary, expiresAt };
      const more = kind === "approval" ? { tool: toolName, input: details } : {};
      this.#emit(conversationId, {
        type: "human_input_required",
        runId: approval.runId,
        seq: this.#lastSeq,
        ...asked,
        ...more,
        ...(options ? { options } : {}),
      });
    }
  }

  async abort(runId: string): Promise<void> {
    await this.#call("chat.abort", { runId }, true);
  }

  async history(conversationId: string): Promise<ConversationMessage[]> {
    const found: ConversationMessage[] = [];
    let before: string | undefined;
    for (let page = 0; page < HISTORY_PAGES_MAX; page += 1) {
      const { messages, more } = await this.#call(
        "chat.history",
        { sessionKey: conversationId, limit: HISTORY_PAGE, ...(before === undefined ? {} : { before }) },
        true,
      );
      found.unshift(...messages.flatMap(toMessages));
      before = messages[0]?.id;
      if (!more || before === undefined) break;
    }
    return found;
  }

  async submit(inputStepId: string, response: string): Promise<void> {
    const { approval } = await this.#call("approvals.get", { approvalId: inputStepId }, true);
    if (approval.kind !== "approval") {
      const { ok, decided } = await this.#call("owner.answer", { questionId: inputStepId, answer: response });
      if (!ok) throw alreadyDecided(decided.status);
      return;
    }
    const allowed = saysYes(response);
    if (allowed === undefined)
      throw new ConversationError(
        "invalid_response",
        'An approval is decided by "yes" or "no". Nothing was decided.',
      );
    const { ok, decided } = allowed
      ? await this.#call("exec.approve", { approvalId: inputStepId })
      : await this.#call("exec.deny", { approvalId: inputStepId });
    if (!ok) throw alreadyDecided(decided.status);
  }

  async askOwner(
    conversationId: string,
    { question, options, timeoutMs, key }: OwnerQuestion,
  ): Promise<string> {
    const { questionId } = await this.#call(
      "owner.ask",
      {
        sessionKey: conversationId,
        question,
        ...(options ? { options: [...options] } : {}),
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
        key: key ?? crypto.randomUUID(),
      },
      true,
    );
    try {
      return await this.#answerTo(questionId, question);
    } finally {
      this.#questions.delete(questionId);
    }
  }

  async #answerTo(questionId: string, question: string): Promise<string> {
    for (;;) {
      // Heard before the row is read: an answer in between is not missed.
      const changed = new Promise<void>((resolve) => this.#questions.set(questionId, resolve));
      const { approval } = await this.#call("approvals.get", { approvalId: questionId }, true);
      const { status, note = "" } = approval.decided;
      if (status === "approved") return note;
      if (status === "expired")
        throw new HumanInputTimeoutError(`Nobody answered in time: ${question}`, { cause: questionId });
      if (status === "denied")
        throw new ConversationError("withdrawn", "The question was withdrawn before it was answered.");
      await changed;
    }
  }

  async end(conversationId: string): Promise<void> {
    for (const [runId, run] of this.#runs)
      if (run.conversationId === conversationId && !run.ended) await this.abort(runId);
  }

  async getContext(assistantId: string): Promise<unknown> {
    return (await this.#call("assistant.context", { assistantId }, true)).context;
  }

  async setContext(assistantId: string, context: unknown): Promise<void> {
    await this.#call("assistant.context", { assistantId, context: context ?? null }, true);
  }

  async close(): Promise<void> {
    this.#runner.close();
    const client = this.#client;
    this.#client = undefined;
    await (await client?.catch(() => undefined))?.close();
  }

  #tool(assistantId: string, name: string): Tool | undefined {
    return this.#assistants.get(assistantId)?.tools.find((tool) => tool.name === name);
  }

  async #register({
    id,
    name,
    role,
    personality,
    model,
    engineTools,
    tools,
  }: AssistantDefinition): Promise<void> {
    await this.#call(
      "assistant.define",
      {
        assistantId: id,
        name,
        role,
        personality,
        ...(model === undefined ? {} : { model }),
        ...(engineTools === undefined ? {} : { gatewayTools: [...engineTools] }),
      },
      true,
    );
    await this.#call(
      "tools.register",
      { assistantId: id, clientId: this.#clientId, tools: tools.map(toWire) },
      true,
    );
  }

  async #call<M extends MethodName>(
    method: M,
    params: MethodParams<M>,
    again = false,
  ): Promise<MethodResult<M>> {
    const client = await this.#connected();
    try {
      if (client.hello.value && !client.has(method))
        throw new GatewayUnavailableError(
          "version",
          `The gateway is version ${client.hello.value.version}, which does not know ${method}. Nothing was sent. Update the gateway, or use an SDK of its version.`,
        );
      return await client.call(method, params, { again });
    } catch (error) {
      throw asSdkError(error);
    }
  }

  #connected(): Promise<GatewayClient> {
    const connecting = (this.#client ??= this.#connect());
    connecting.catch(() => {
      if (this.#client === connecting) this.#client = undefined;
    });
    return connecting;
  }

  async #connect(): Promise<GatewayClient> {
    const { socket, name = "sdk" } = this.#options;
    // Looked for each time: a gateway that was started again may have another address.
    const opening = async (signal: AbortSignal) =>
      Connection.open({
        ...(await this.#place()),
        client: { name, drafts: true },
        signal,
        ...(socket ? { socket } : {}),
      });
    // The first connection has to come about; the next ones are waited for.
    let first: Promise<Connection> | undefined;
    try {
      first = opening(new AbortController().signal);
      await first;
    } catch (error) {
      throw asSdkError(error);
    }
    const client = new GatewayClient({
      open: (signal) => {
        const made = first ?? opening(signal).catch(tryAgain);
        first = undefined;
        return made;
      },
      waitMs: growingWaits(FIRST_WAIT_MS, MOST_WAIT_MS),
    });
    client.onPush((push) => this.#pushed(push));
    client.onGap((runId) => void this.#catchUpSafely(runId));
    const ready = Promise.withResolvers<void>();
    let times = 0;
    client.onReady(() => {
      times += 1;
      if (times > 1) void this.#cameBack();
      else ready.resolve();
    });
    client.start();
    await ready.promise;
    return client;
  }

  async #place(): Promise<{ readonly url: string; readonly token: string }> {
    const { url, token } = this.#options;
    if (url !== undefined && token !== undefined) return { url, token };
    // Reads files; a page in a browser always says where its gateway is.
    const { findGateway } = await import("./find-gateway.ts");
    return findGateway(this.#options, this.#options.env ?? process.env);
  }

  /** After a break: the gateway is told of the tools again, and asked for what was missed. */
  async #cameBack(): Promise<void> {
    try {
      for (const assistant of this.#assistants.values()) await this.#register(assistant);
    } catch (error) {
      this.#options.log?.(`tools could not be registered again: ${String(error)}`);
    }
    for (const [runId, { ended }] of this.#runs) if (!ended) await this.#catchUpSafely(runId);
    for (const look of this.#questions.values()) look();
  }

  async #catchUpSafely(runId: string): Promise<void> {
    try {
      await this.#catchUp(runId, 0);
    } catch (error) {
      this.#options.log?.(`a run could not be taken up: ${String(error)}`);
    }
  }

  async #catchUp(runId: string, afterSeq: number): Promise<void> {
    const run = this.#runs.get(runId);
    if (!run || run.ended) return;
    const { snapshot, seq } = await this.#call("chat.resume", { runId, afterSeq }, true);
    if (snapshot.final) {
      if (snapshot.final.seq > afterSeq) this.#pushed({ event: "chat.final", data: snapshot.final });
      else run.ended = true;
    } else if (snapshot.error) {
      if (snapshot.error.seq > afterSeq) this.#pushed({ event: "chat.error", data: snapshot.error });
      else run.ended = true;
    } else if (snapshot.text !== "" && seq > afterSeq)
      this.#emit(run.conversationId, { type: "text_delta", runId, seq, text: snapshot.text, reset: true });
  }

  #follow(runId: string, conversationId: string): void {
    if (!this.#runs.has(runId)) this.#runs.set(runId, { conversationId, ended: false });
    const early = this.#early;
    this.#early = [];
    for (const push of early) this.#pushed(push);
  }

  #pushed(push: Push): void {
    if (push.event === "tool.invoke") void this.#runner.take(push.data);
    else if (push.event === "tool.cancel") this.#runner.cancel(push.data.invocationId, push.data.reason);
    else if (push.event === "exec.approval_request" || push.event === "owner.question") this.#asked(push);
    else if (push.event === "exec.approval_resolved") this.#resolved(push.data);
    else if ("seq" in push.data) this.#ofRun(push, push.data.runId);
  }

  #asked(push: Extract<Push, { event: "exec.approval_request" | "owner.question" }>): void {
    const { runId, sessionKey, expiresAt } = push.data;
    const seq = this.#lastSeq;
    const input =
      push.event === "owner.question"
        ? {
            inputStepId: push.data.questionId,
            kind: push.data.kind,
            prompt: push.data.question,
            ...(push.data.options ? { options: push.data.options } : {}),
          }
        : {
            inputStepId: push.data.approvalId,
            kind: "approval" as const,
            prompt: push.data.summary,
            tool: push.data.toolName,
            input: push.data.details,
          };
    this.#emit(sessionKey, { type: "human_input_required", runId, seq, expiresAt, ...input });
  }

  #resolved({ approvalId, runId, decided }: EventData<"exec.approval_resolved">): void {
    this.#questions.get(approvalId)?.();
    const conversationId = this.#runs.get(runId)?.conversationId;
    if (conversationId !== undefined)
      this.#emit(conversationId, {
        type: "human_input_resolved",
        runId,
        seq: this.#lastSeq,
        inputStepId: approvalId,
        decided,
      });
  }

  #ofRun(push: Push, runId: string): void {
    const run = this.#runs.get(runId);
    if (!run) {
      // Its acknowledgement may still be on the way to whoever sent it.
      this.#early.push(push);
      if (this.#early.length > EARLY_MAX) this.#early.shift();
      return;
    }
    if (run.ended) return;
    if (push.event === "chat.final" || push.event === "chat.error") this.#ended(run);
    for (const event of eventsOf(push)) this.#emit(run.conversationId, event);
  }

  /** Ended runs are remembered for a while: their end may be told twice. */
  #ended(run: FollowedRun): void {
    run.ended = true;
    if (this.#runs.size <= RUNS_MAX) return;
    for (const [runId, { ended }] of this.#runs) {
      if (ended) this.#runs.delete(runId);
      if (this.#runs.size <= RUNS_MAX) return;
    }
  }

  #emit(conversationId: string, event: StreamEvent): void {
    this.#lastSeq = Math.max(this.#lastSeq, event.seq);
    for (const listener of this.#listeners.get(conversationId) ?? []) listener(event);
  }
}

/** While a gateway is being started again, there is no word of it. */
function tryAgain(error: unknown): never {
  if (!(error instanceof GatewayUnavailableError) || !error.retryable) throw error;
  throw new ConnectError(failure("NETWORK", error.message), { code: 0, reason: "" }, undefined);
}

/** What a push of a run means to a conversation. */
function eventsOf(push: Push): StreamEvent[] {
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- the others are not about a run's answer
  switch (push.event) {
    case "chat.delta": {
      const { runId, seq, text, reset } = push.data;
      return [{ type: "text_delta", runId, seq, text, ...(reset ? { reset } : {}) }];
    }
    case "chat.thinking": {
      const { runId, seq, text } = push.data;
      return [{ type: "thinking", runId, seq, text }];
    }
    case "tool.started": {
      const { runId, seq, callId, tool } = push.data;
      return [{ type: "tool_call", runId, seq, callId, tool }];
    }
    case "tool.progress": {
      const { runId, seq, callId, tool, message } = push.data;
      return [{ type: "tool_progress", runId, seq, callId, tool, message }];
    }
    case "tool.finished": {
      const { runId, seq, callId, tool, status } = push.data;
      return [{ type: "tool_output", runId, seq, callId, tool, status }];
    }
    case "chat.final": {
      const { runId, seq, text, activity, evidence, usage, costUsd, aborted } = push.data;
      const message = textMessage("assistant", text, new Date(), { runId });
      return [
        { type: "message", runId, seq, message },
        { type: "activity", runId, seq, activity, evidence },
        { type: "usage", runId, seq, usage, ...(costUsd === undefined ? {} : { costUsd }) },
        { type: "turn_end", runId, seq, reason: aborted ? "aborted" : "answered" },
      ];
    }
    case "chat.error": {
      const { runId, seq, message, code, retryable } = push.data;
      return [
        { type: "error", runId, seq, message, code, retryable },
        { type: "turn_end", runId, seq, reason: code === "ABORTED" ? "aborted" : "failed" },
      ];
    }
    default:
      return [];
  }
}

function textMessage(
  sender: ConversationMessage["sender"],
  content: string,
  timestamp: Date,
  metadata: object,
): ConversationMessage {
  return { sender, type: "text", content, timestamp, metadata };
}

/** One message of the gateway may hold text, calls and their results. */
function toMessages({ id, runId, ts, role, origin, blocks, content }: WireMessage): ConversationMessage[] {
  const timestamp = new Date(ts);
  const metadata = { id, runId, origin };
  const found: ConversationMessage[] = [];
  if (content !== "")
    found.push(textMessage(role === "assistant" ? "assistant" : "user", content, timestamp, metadata));
  for (const block of blocks) {
    if (block.type === "tool_use") {
      const { callId, toolId, input } = block;
      found.push({
        sender: "assistant",
        type: "tool_call",
        content: { callId, tool: toolId, input },
        timestamp,
        metadata,
      });
    } else if (block.type === "tool_result") {
      const { callId, status, text } = block;
      found.push({
        sender: "tool",
        type: "tool_output",
        content: { callId, status, text },
        timestamp,
        metadata,
      });
    }
  }
  return found;
}

function toWire(tool: Tool): ClientTool {
  const { config, inputSchema, outputSchema } = tool;
  const { name, description, risk, sends, requiresApproval, idempotent, timeoutMs, canUndo, canReconcile } =
    config;
  return {
    name,
    description,
    inputSchema: jsonSchemaOf(inputSchema, "input"),
    ...(outputSchema === undefined ? {} : { outputSchema: jsonSchemaOf(outputSchema, "output") }),
    ...(risk === undefined ? {} : { risk }),
    ...(sends === undefined ? {} : { sends }),
    ...(requiresApproval === undefined ? {} : { requiresApproval }),
    ...(idempotent === undefined ? {} : { idempotent }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(canUndo ? { canUndo } : {}),
    ...(canReconcile ? { canReconcile } : {}),
  };
}

function alreadyDecided(status: string): ConversationError {
  return new ConversationError(
    "already_decided",
    `Somebody else was faster, or its time was over: it is ${status}. Your answer changed nothing.`,
  );
}

/** Failures of the gateway, with its own reason as the code. */
function asSdkError(error: unknown): Error {
  if (!(error instanceof RequestError)) return error instanceof Error ? error : new Error(String(error));
  const { reason, failure } = error;
  const more = { retryable: failure.retryable, cause: error };
  return reason === "NETWORK" || reason === "UNAUTHENTICATED" || reason === "SCOPE_MISSING"
    ? new GatewayUnavailableError(reason, error.message, more)
    : new ConversationError(reason, error.message, more);
}
