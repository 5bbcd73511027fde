import { canonicalJson } from "@elwood/core/base/canonical-json";
import { fail } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import { showLine, showText } from "@elwood/core/base/show";
import type { EventData } from "@elwood/core/protocol/events";
import type { ClientOutcome, ClientTool } from "@elwood/core/protocol/methods";
import type { Sha256 } from "@elwood/core/receipts/receipt";
import { clientToolId } from "@elwood/core/tool/client-tool";
import type { Clock } from "@elwood/runtime/ports/ports";
import { defineTool, ToolError, type Settled, type ToolContext, type ToolDefinition } from "@elwood/sdk/tool";
import { lazySchema, shownSchema } from "../mcp/tool-schema.ts";
import type { ToolGroup } from "../tools/tool-snapshot.ts";
import type { AssistantStore, StoredAssistant } from "./assistant-store.ts";

/** One connection of a client, as long as it lasts. */
export interface ClientLink {
  push(event: "tool.invoke", data: EventData<"tool.invoke">): void;
  push(event: "tool.cancel", data: EventData<"tool.cancel">): void;
  /** Fires when the connection is gone. */
  readonly gone: AbortSignal;
}

export interface ClientToolsDeps {
  readonly store: AssistantStore;
  readonly clock: Pick<Clock, "sleep">;
  readonly sha256: Sha256;
}

/** The program that serves an assistant's tools: who it is, its connection, and its tools as it has them now. */
interface Server {
  readonly clientId: string;
  readonly link: ClientLink;
  /** By the name of the tool. */
  readonly pins: ReadonlyMap<string, string>;
}

/** Something a client was asked to do and has not answered. */
interface Invocation {
  readonly assistantId: string;
  readonly clientId: string;
  readonly data: EventData<"tool.invoke">;
  readonly progress: (message: string) => void;
  readonly answer: PromiseWithResolvers<Answered>;
  readonly pausing: ToolContext["pausing"];
}

type Answered = Exclude<ClientOutcome, { readonly kind: "progress" }>;

/**
 * Tools that live in programs which are connected to the gateway. To the gate they are tools like
 * any other; their handlers ask the program, over its connection.
 *
 * C1 An assistant's tools are served by one program at a time. Another is refused while it is connected.
 * C2 A tool is asked only as it was when the run began: one that its program changed since is not called.
 * C3 Whoever loses the connection and comes back is asked again under the same id, and answers once.
 * C4 Only the program's own answer says that a call succeeded or failed. If the program does not come
 *    back in time, or comes back as another process, whether the call took effect is not known.
 */
export class ClientTools {
  readonly #deps: ClientToolsDeps;
  readonly #servers = new Map<string, Server>();
  readonly #invocations = new Map<string, Invocation>();
  /** Those who wait for the program of an assistant. */
  readonly #arrivals = new Map<string, Set<() => void>>();
  #tries = 0;

  constructor(deps: ClientToolsDeps) {
    this.#deps = deps;
  }

  /** All of them, also those whose program is away. */
  async group(): Promise<ToolGroup> {
    const assistants = await this.#deps.store.list();
    const made = assistants.flatMap((assistant) =>
      assistant.tools.map((tool) => this.#toolOf(assistant, tool)),
    );
    return {
      source: "client",
      tools: made.filter((each) => typeof each !== "string"),
      problems: made.filter((each) => typeof each === "string"),
    };
  }

  /** Why these tools cannot be registered: a sentence, or undefined where they can. */
  problemWith(assistant: StoredAssistant, tools: readonly ClientTool[]): string | undefined {
    const names = tools.map(({ name }) => name.toLowerCase());
    const twice = names.find((name, i) => names.indexOf(name) !== i);
    if (twice !== undefined) return `Two of the tools are called "${showLine(twice)}".`;
    return tools.map((tool) => this.#toolOf(assistant, tool)).find((made) => typeof made === "string");
  }

  /** C1. Throws a Failure where another program serves the assistant. */
  claim(assistantId: string, clientId: string, tools: readonly ClientTool[]): void {
    const server = this.#servers.get(assistantId);
    if (!server || server.link.gone.aborted || server.clientId === clientId) return;
    if (server.pins.size > 0 || tools.length > 0)
      fail(
        "CONFLICT",
        `Another program that is connected already serves the tools of "${assistantId}". Nothing was registered. Stop that program, or give this assistant another id.`,
      );
  }

  /** From now on this connection is asked for the assistant's tools. */
  serve(assistantId: string, clientId: string, tools: readonly ClientTool[], link: ClientLink): void {
    this.claim(assistantId, clientId, tools);
    const pins = new Map(tools.map((tool) => [tool.name, this.#pinOf(tool)]));
    this.#servers.set(assistantId, { clientId, link, pins });
    for (const [id, invocation] of this.#invocations) {
      if (invocation.assistantId !== assistantId) continue;
      // C3, C4
      if (invocation.clientId === clientId) link.push("tool.invoke", invocation.data);
      else this.#lost(id, "the program was started again in the middle of it");
    }
    if (link.gone.aborted) void this.#left(assistantId, clientId);
    else link.gone.addEventListener("abort", () => void this.#left(assistantId, clientId), { once: true });
    for (const arrived of this.#arrivals.get(assistantId) ?? []) arrived();
  }

  /** False where nobody waits for it, or somebody else was asked. */
  result(invocationId: string, outcome: ClientOutcome, link: ClientLink): boolean {
    const invocation = this.#invocations.get(invocationId);
    if (!invocation || this.#servers.get(invocation.assistantId)?.link !== link) return false;
    if (outcome.kind === "progress") invocation.progress(showLine(outcome.message));
    else invocation.answer.resolve(outcome);
    return true;
  }

  /**
   * The program asks the owner in this conversation: the time of the calls that it is at work on there stands still
   * until `answered`, which is told when nobody waits any more.
   */
  pause(sessionKey: string, link: ClientLink, answered: (over: AbortSignal) => Promise<unknown>): void {
    for (const { assistantId, data, answer, pausing } of this.#invocations.values()) {
      if (data.sessionKey !== sessionKey || this.#servers.get(assistantId)?.link !== link || !pausing)
        continue;
      const over = new AbortController();
      const end = () => over.abort("over");
      answer.promise.then(end, end);
      // A wait that fails ends the pause, and the call's time runs on; whoever asked is told of it.
      void pausing(answered(over.signal)).catch(() => undefined);
    }
  }

  #pinOf(tool: ClientTool): string {
    return this.#deps.sha256(`elwood.client-tool.v1\n${canonicalJson(tool)}`);
  }

  /**
   * A program's tool as the gateway takes it in. Nothing that the program says of it lowers anything: it counts as
   * destructive and outbound until the owner labels it. The error is a sentence.
   */
  #toolOf(assistant: StoredAssistant, tool: ClientTool): ToolDefinition | string {
    const { assistantId, definedBy } = assistant;
    const leftOut = (why: string) =>
      `The tool "${tool.name}" of the assistant "${assistantId}" was left out: ${why}.`;
    const input = shownSchema(tool.inputSchema);
    if ("problem" in input) return leftOut(input.problem);
    if (input.schema["type"] !== undefined && input.schema["type"] !== "object")
      return leftOut("its input must be an object with named arguments");
    const output = tool.outputSchema === undefined ? undefined : shownSchema(tool.outputSchema);
    if (output && "problem" in output) return leftOut(output.problem);
    const { requiresApproval, idempotent, timeoutMs = LIMITS.toolTimeoutMs, canUndo, canReconcile } = tool;
    const pinned = { assistantId, name: tool.name, pin: this.#pinOf(tool), timeoutMs };
    const made = defineTool({
      id: clientToolId(assistantId, tool.name),
      description: described(tool, definedBy),
      risk: "destructive",
      input: lazySchema({ type: "object", ...input.schema }),
      ...(output && { output: lazySchema(output.schema) }),
      ...(requiresApproval && { requiresApproval }),
      ...(idempotent && { idempotent }),
      timeoutMs,
      target: () => showLine(definedBy),
      handler: async (value, ctx) => answerOf(await this.#ask(pinned, "call", { input: value }, ctx)),
      ...(canUndo && {
        undo: async (value: unknown, result: unknown, ctx: ToolContext) =>
          answerOf(await this.#ask(pinned, "undo", { input: value, output: result }, ctx)),
      }),
      ...(canReconcile && {
        reconcile: async (value: unknown, idempotencyKey: string) =>
          settledOf(await this.#ask(pinned, "reconcile", { input: value }, { idempotencyKey })),
      }),
    });
    return { ...made, code: pinned.pin, claims: claimsOf(tool) };
  }

  async #ask(
    tool: {
      readonly assistantId: string;
      readonly name: string;
      readonly pin: string;
      readonly timeoutMs: number;
    },
    what: EventData<"tool.invoke">["what"],
    given: { readonly input: unknown; readonly output?: unknown },
    ctx: Pick<ToolContext, "idempotencyKey"> & Partial<ToolContext>,
  ): Promise<Answered> {
    const { assistantId, name, pin, timeoutMs } = tool;
    const server = await this.#serverOf(assistantId, ctx.signal);
    if (!server)
      throw new ToolError(
        "program_away",
        `The program that ${name} lives in is not connected. Nothing was sent to it.`,
        { retryable: true },
      );
    // C2
    if (server.pins.get(name) !== pin)
      throw new ToolError(
        "tool_changed",
        `${name} has changed in its program since this run began. It was not called; a new message uses it as it is now.`,
      );
    // A second try of the same call is another invocation, with the same idempotency key.
    const invocationId = `${ctx.callId ?? what}:${(this.#tries += 1)}`;
    const data: EventData<"tool.invoke"> = {
      invocationId,
      what,
      assistantId,
      tool: name,
      ...given,
      idempotencyKey: ctx.idempotencyKey,
      ...(ctx.callId === undefined ? {} : { callId: ctx.callId }),
      ...(ctx.run === undefined ? {} : { ofRun: ctx.run }),
      ...(ctx.session === undefined ? {} : { sessionKey: ctx.session }),
      timeoutMs,
    };
    const answer = Promise.withResolvers<Answered>();
    const progress = (message: string) => ctx.progress?.(message);
    const { pausing } = ctx;
    this.#invocations.set(invocationId, {
      assistantId,
      clientId: server.clientId,
      data,
      progress,
      answer,
      pausing,
    });
    const stop = () => {
      const reason = String(ctx.signal?.reason ?? "stopped");
      this.#servers.get(assistantId)?.link.push("tool.cancel", { invocationId, reason });
      answer.reject(new Error("it was stopped before its program answered"));
    };
    ctx.signal?.addEventListener("abort", stop, { once: true });
    try {
      if (ctx.signal?.aborted) stop();
      else server.link.push("tool.invoke", data);
      return await answer.promise;
    } finally {
      ctx.signal?.removeEventListener("abort", stop);
      this.#invocations.delete(invocationId);
    }
  }

  /** The program that is connected now, or comes within the time for it. */
  async #serverOf(assistantId: string, signal?: AbortSignal): Promise<Server | undefined> {
    const connected = () => {
      const server = this.#servers.get(assistantId);
      return server?.link.gone.aborted === false ? server : undefined;
    };
    if (connected()) return connected();
    const over = new AbortController();
    const arrived = Promise.withResolvers<void>();
    const waiting = this.#arrivals.get(assistantId) ?? new Set();
    this.#arrivals.set(assistantId, waiting.add(arrived.resolve));
    try {
      const ended = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
      await Promise.race([arrived.promise, this.#deps.clock.sleep(LIMITS.clientToolWaitMs, ended)]);
      return connected();
    } finally {
      over.abort("over");
      waiting.delete(arrived.resolve);
    }
  }

  /** C4 */
  async #left(assistantId: string, clientId: string): Promise<void> {
    const open = [...this.#invocations].filter(([, invocation]) => invocation.assistantId === assistantId);
    if (open.length === 0) return;
    const back = new AbortController();
    const arrived = () => back.abort("back");
    const waiting = this.#arrivals.get(assistantId) ?? new Set();
    this.#arrivals.set(assistantId, waiting.add(arrived));
    await this.#deps.clock.sleep(LIMITS.clientToolGoneMs, back.signal);
    waiting.delete(arrived);
    if (back.signal.aborted) return;
    for (const [id, invocation] of open)
      if (invocation.clientId === clientId) this.#lost(id, "its program went away and did not come back");
  }

  #lost(invocationId: string, why: string): void {
    this.#invocations.get(invocationId)?.answer.reject(new Error(why));
  }
}

/** An exception is no answer: the gate then does what it does with any call that broke off. */
function answerOf(outcome: Answered): unknown {
  if (outcome.kind === "succeeded") return { ok: true, value: outcome.value };
  if (outcome.kind === "broke") throw new Error(showText(outcome.message));
  const { code, message, retryable = false } = outcome;
  throw new ToolError(code, "The program says that it did not happen.", {
    retryable,
    quoted: showText(message),
  });
}

function settledOf(outcome: Answered): Settled {
  if (outcome.kind !== "succeeded") return "unknown";
  const { value } = outcome;
  return value === "happened" || value === "did-not-happen" ? value : "unknown";
}

function claimsOf({ risk, sends }: ClientTool) {
  return {
    ...(risk !== undefined && { reads: risk === "read" }),
    ...(risk === "destructive" && { destroys: true }),
    ...(sends !== undefined && { reachesOut: sends }),
  };
}

/** The program's words stand between marks, with what hides in them written out. */
function described({ name, description }: ClientTool, program: string): string {
  const from = `The tool "${name}" of the program "${showLine(program)}".`;
  const words = showText(description).trim();
  if (words === "") return `${from} Its program does not describe it.`;
  return `${from} Its program describes it as follows: «${words.replaceAll(/[«»]/g, '"')}»`;
}
