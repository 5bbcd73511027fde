import type { ActionSpec, ActionTask, ModerationHook, Sampling } from "@elwood/core/action/action-spec";
import type {
  ChatInput,
  EmbedInput,
  ExecutionResult,
  InputMessage,
  RerankInput,
  ResourceGet,
  ResourcePlace,
  ResourceSearch,
} from "@elwood/core/action/execution-shapes";
import { PersonalData } from "@elwood/core/action/personal-data";
import { renderTemplate } from "@elwood/core/action/template";
import { failure, FailureError, type Failure, type FailureReason } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import type { Redactor } from "@elwood/core/base/redact";
import type { Result } from "@elwood/core/base/result";
import { addUsage, NO_USAGE, totalTokens, type Message, type Usage } from "@elwood/core/message/message";
import {
  formatModelRef,
  toWireName,
  type AnsweredBy,
  type ModelEvent,
  type StopReason,
  type ToolSpec,
} from "@elwood/core/model/model";
import { costUsd, priceOf, type PriceRow } from "@elwood/core/model/price";
import { tokensOfMessage, tokensOfText } from "@elwood/core/model/tokens";
import type { Sha256 } from "@elwood/core/receipts/receipt";
import type { ActionStore, Execution } from "../ports/action-ports.ts";
import type { Governance, PlannedRequest } from "../ports/governance.ts";
import type { Observe } from "../ports/observe.ts";
import type { Clock, Ids, ResolvedModel } from "../ports/ports.ts";
import { AnswerCache, cosine, type CachePlace } from "./answer-cache.ts";
import { governedChat } from "./governed-request.ts";
import { jsonInstruction, readJsonAnswer, repairInstruction, type SchemaCheck } from "./json-answer.ts";
import { modelInput, type ModelInput } from "./model-input.ts";
import { Slots, type SlotLimits } from "./slots.ts";

/** The model of an action, and what its connection allows. */
export interface ActionModel {
  readonly model: ResolvedModel;
  /** Names the connection, for its own limits. */
  readonly connection?: string;
  readonly slots?: SlotLimits;
  readonly timeoutMs?: number;
}

/** A tool that Elwood itself calls for the model of an action. */
export interface BridgedTool {
  readonly spec: ToolSpec;
  /** The tool's own id. */
  readonly toolId: string;
  /** Narrows what the tool accepts. */
  readonly check?: SchemaCheck;
}

/** Makes calls for executions, through the gate. */
export interface ToolBridge {
  /** The tools that an action lists; a Failure where one is not there. */
  tools(
    spec: ActionSpec,
    about: Pick<ExecutionContext, "tenant" | "trn">,
  ): Promise<Result<readonly BridgedTool[], Failure>>;
  /** Where the calls of one execution belong; `close` ends those that are left. */
  open(execution: ExecutionContext): Promise<BridgeCalls>;
}

export interface BridgeCalls {
  call(toolId: string, input: unknown): Promise<BridgedOutcome>;
  close(): Promise<void>;
}

export interface BridgedOutcome {
  readonly callId: string;
  readonly status: "ok" | "error";
  /** How the call ended, in the words of its receipt. */
  readonly ended: string;
  readonly text: string;
  readonly value?: unknown;
}

/** Who asked for an execution, and which. */
export interface ExecutionContext {
  readonly id: string;
  readonly tenant: string;
  readonly tokenId: string;
  /** The name of the token. */
  readonly by: string;
  readonly surface: string;
  /** The action's resource name, with its version. */
  readonly trn: string;
  readonly signal: AbortSignal;
}

/** What a hook said of a text. */
export interface Moderated {
  readonly allowed: boolean;
  readonly reason: string;
}

export interface ExecuteDeps {
  readonly models: (
    tenant: string,
    spec: ActionSpec,
    asked: string | undefined,
  ) => Promise<Result<ActionModel, Failure>>;
  readonly store: ActionStore;
  readonly governance: Governance;
  readonly observe?: Observe | undefined;
  /** How much of an answer that is passed on as it comes is kept for who observes. */
  readonly passedOnCharsKept: number;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly sha256: Sha256;
  readonly redact: Redactor;
  readonly prices: readonly PriceRow[];
  /** Compiles a JSON Schema. */
  readonly schemaCheck: (schema: Readonly<Record<string, unknown>>) => SchemaCheck;
  /** What a hook says; it throws where nobody answers in time. */
  readonly moderate: (
    hook: ModerationHook,
    about: { readonly stage: "before" | "after"; readonly action: string; readonly text: string },
    signal: AbortSignal,
  ) => Promise<Moderated>;
  /** For the cache by meaning. */
  readonly embed: (text: string, signal: AbortSignal) => Promise<Float32Array | undefined>;
  readonly bridge: ToolBridge;
}

/** Something on record, or a place in it. */
export interface Resource {
  readonly uri: string;
  readonly place: ResourcePlace;
  readonly title: string;
  readonly text: string;
  readonly at: number;
}

/** Reads what is on record, as far as whoever asks may read it. */
export interface ResourceReader {
  /** The best of each place in turn. */
  search(asked: ResourceSearch): Promise<readonly Resource[]>;
  get(asked: ResourceGet): Promise<Resource>;
}

export interface ExecutionRequest extends Omit<ExecutionContext, "id"> {
  readonly spec: ActionSpec;
  readonly input: ChatInput & EmbedInput & RerankInput & ResourceSearch & ResourceGet;
  /** The same, where the action takes anything. */
  readonly raw: Readonly<Record<string, unknown>>;
  readonly onEvent?: (event: ExecutionEvent) => void | Promise<void>;
  /** Text is taken from the events, as it comes: the result holds none, and as little as possible of it is kept until then. */
  readonly passesOn?: boolean;
  /** Absent where whoever asks may read nothing. */
  readonly read?: ResourceReader;
}

/** What can be watched of an execution. */
export type ExecutionEvent =
  | { readonly type: "text"; readonly text: string }
  /** The attempt failed and another follows: text so far is void. */
  | { readonly type: "retry" }
  | { readonly type: "tool"; readonly tool: string; readonly status: string; readonly callId?: string }
  | {
      readonly type: "note";
      readonly stage: "before" | "after";
      readonly what: string;
      readonly reason: string;
    };

type Note = NonNullable<ExecutionResult["notes"]>[number];

/** What an execution has come to so far; told also where it fails. */
interface Spent {
  usage: Usage;
  costUsd: number | undefined;
  priced: boolean;
  model?: string;
  profile?: string;
}

/**
 * Executes actions.
 *
 * X1 Every execution is put on record with what it used, however it ended.
 * X2 Every request to a model goes through the governance, and every call of a tool through the gate.
 * X3 An answer that was asked for by a schema fits it, or the execution fails: there is one try to repair it.
 * X4 Nothing that is marked sensitive is cached.
 */
export class ActionExecutor {
  readonly #deps: ExecuteDeps;
  readonly #slots: Slots;
  readonly #cache: AnswerCache;
  #executing = 0;

  constructor(deps: ExecuteDeps) {
    this.#deps = deps;
    this.#slots = new Slots(deps.clock);
    this.#cache = new AnswerCache(deps);
  }

  /** How many are under way: those that end at the same moment are put on record together. */
  get executing(): number {
    return this.#executing;
  }

  /** Throws a FailureError where it does not come to an answer. */
  async execute(request: ExecutionRequest): Promise<ExecutionResult> {
    this.#executing++;
    try {
      return await this.#recorded(request);
    } finally {
      this.#executing--;
    }
  }

  async #recorded(request: ExecutionRequest): Promise<ExecutionResult> {
    const { clock, ids, store } = this.#deps;
    const startedAt = clock.now();
    const id = ids.next("execution");
    const spent: Spent = { usage: NO_USAGE, costUsd: 0, priced: true };
    const record = (end: Pick<Execution, "status" | "cached" | "reason">) =>
      store.noteExecution(request.tenant, {
        id,
        action: request.trn,
        tokenId: request.tokenId,
        surface: request.surface,
        startedAt,
        endedAt: clock.now(),
        usage: spent.usage,
        ...(spent.model === undefined ? {} : { model: spent.model }),
        ...(spent.profile === undefined ? {} : { profile: spent.profile }),
        ...(spent.costUsd === undefined ? {} : { costUsd: spent.costUsd }),
        ...end,
      });
    try {
      const result = await this.#inTime({ ...request, id }, spent);
      await record({ status: "done", ...(result.cached ? { cached: result.cached } : {}) });
      return result;
    } catch (error) {
      const reason = error instanceof FailureError ? error.failure.reason : "INTERNAL";
      await record({ status: request.signal.aborted ? "cancelled" : "failed", reason });
      throw error;
    }
  }

  /** Within the time and the number at once that the action and its connection allow. */
  async #inTime(request: ExecutionRequest & ExecutionContext, spent: Spent): Promise<ExecutionResult> {
    const { clock } = this.#deps;
    const { spec, trn, tenant } = request;
    const found = asksModel(spec.task)
      ? await this.#deps.models(tenant, spec, request.input.model)
      : undefined;
    if (found && !found.ok) throw new FailureError(found.error);
    const asked = found?.value;
    const timeoutMs = Math.min(
      spec.limits?.timeout_ms ?? asked?.timeoutMs ?? LIMITS.actionTimeoutMs,
      LIMITS.actionTimeoutMaxMs,
    );
    const over = new AbortController();
    const late = new AbortController();
    void (async () => {
      await clock.sleep(timeoutMs, over.signal);
      if (!over.signal.aborted) late.abort("late");
    })();
    const signal = AbortSignal.any([request.signal, late.signal]);
    const freed: (() => void)[] = [];
    try {
      const lines: [string, SlotLimits][] = [
        [`action ${tenant} ${trn}`, { maxConcurrency: spec.limits?.max_concurrency }],
        ...(asked?.connection === undefined
          ? []
          : ([[`connection ${asked.connection}`, asked.slots ?? {}]] as [string, SlotLimits][])),
      ];
      for (const [key, limits] of lines) {
        const taken = await this.#slots.take(key, limits, signal);
        if (!taken.ok) throw new FailureError(taken.error);
        freed.push(taken.value);
      }
      return await this.#perform({ ...request, signal }, asked, spent);
    } catch (error) {
      if (!late.signal.aborted || request.signal.aborted) throw error;
      throw new FailureError(
        failure("TIMEOUT", `${shortName(trn)} had no answer after ${timeoutMs / 1_000} s and was stopped.`),
      );
    } finally {
      over.abort("over");
      for (const free of freed) free();
    }
  }

  async #perform(
    request: ExecutionRequest & ExecutionContext,
    asked: ActionModel | undefined,
    spent: Spent,
  ): Promise<ExecutionResult> {
    const { task } = request.spec;
    if (task === "http") return this.#http(request);
    if (task === "resources.search" || task === "resources.get") return this.#read(request, task);
    if (task === "embed") return this.#embed(request, mustHave(asked), spent);
    if (task === "rerank") return this.#rerank(request, mustHave(asked), spent);
    return this.#chat(request, mustHave(asked), spent);
  }

  async #chat(
    request: ExecutionRequest & ExecutionContext,
    { model }: ActionModel,
    spent: Spent,
  ): Promise<ExecutionResult> {
    const { clock, bridge } = this.#deps;
    const { spec, input, tenant, signal } = request;
    const notes: Note[] = [];
    const note = async (each: Note) => {
      notes.push(each);
      await request.onEvent?.({ type: "note", ...each });
    };
    const prepared = await this.#prepare(request, note);
    const bridged = (spec.tool_calls ?? []).length === 0 ? [] : must(await bridge.tools(spec, request));
    const clientTools = (input.tools ?? []).map(
      ({ name, description = "", schema = { type: "object" } }): ToolSpec => ({
        toolId: name,
        description,
        inputSchema: { ...schema },
      }),
    );
    const tools = [...bridged.map((tool) => tool.spec), ...clientTools];
    const sampling: Sampling = { ...spec.sampling, ...input.sampling };
    const schema = input.json_schema ?? spec.json_schema;
    const wantsJson =
      schema !== undefined || (input.response_format ?? spec.response_format ?? "text") === "json";
    const system = [...prepared.system, ...(wantsJson ? [jsonInstruction(schema)] : [])].join("\n\n");
    const asked = {
      provider: model.ref.provider,
      model: model.ref.model,
      system,
      messages: prepared.messages.map(({ role, blocks }) => ({ role, blocks })),
      tools,
      sampling,
      schema: schema ?? null,
      format: wantsJson,
    };
    const sensitive = spec.sensitive === true || input.sensitive === true || prepared.blobs.size > 0;
    const place: CachePlace | undefined =
      spec.cache === undefined || sensitive || bridged.length > 0
        ? undefined
        : await this.#cache.place(tenant, spec.cache, asked, lastText(prepared), signal);
    const cached = place && (await this.#cache.find(place, clock.now()));
    const common = { id: request.id, action: request.trn, ...(notes.length > 0 ? { notes } : {}) };
    if (cached) {
      spent.model = `${cached.kept.model_info.provider}/${cached.kept.model_info.model}`;
      await request.onEvent?.({ type: "text", text: cached.kept.text });
      return {
        ...common,
        ...cached.kept,
        ...(request.passesOn === true ? { text: "" } : {}),
        tool_calls: [],
        usage: wireUsage(NO_USAGE),
        cost: 0,
        cached: cached.by,
      };
    }
    const checked = wantsJson
      ? schema === undefined
        ? () => []
        : this.#deps.schemaCheck(schema)
      : undefined;
    const held = wantsJson || spec.moderation?.after !== undefined;
    const answer = await this.#converse(
      request,
      {
        model,
        system,
        prepared,
        tools,
        bridged,
        sampling,
        held,
        passesOn: request.passesOn === true && !held && !place && bridged.length === 0,
      },
      spent,
    );
    let { text } = answer;
    let json: unknown;
    let repaired = false;
    if (checked && answer.toolCalls.length === 0) {
      const first = readJsonAnswer(text, checked);
      if (first.ok) json = first.value;
      else {
        const again = await this.#ask(
          request,
          {
            model,
            system,
            prepared,
            tools: [],
            sampling,
            messages: [
              ...answer.messages,
              said("assistant", text === "" ? "(nothing)" : text, clock.now()),
              said("user", repairInstruction(first.error), clock.now()),
            ],
            held: true,
            passesOn: false,
          },
          spent,
        );
        const second = readJsonAnswer(again.text, checked);
        if (!second.ok)
          throw new FailureError(
            failure(
              "BAD_REPLY",
              `The model's answer did not fit the schema, nor did its second try: ${second.error} Nothing of it is given out.`,
            ),
          );
        ({ text } = again);
        json = second.value;
        repaired = true;
      }
    }
    await this.#moderate(request, "after", text, note);
    if (held) await request.onEvent?.({ type: "text", text });
    const info = {
      provider: model.ref.provider,
      model: answer.model,
      finish_reason: FINISH[answer.stopReason],
    } as const;
    const kept = { text, ...(json === undefined ? {} : { json }), model_info: info };
    if (place && answer.toolCalls.length === 0 && info.finish_reason === "stop")
      await this.#cache.keep(place, kept, clock.now());
    return {
      ...common,
      ...(notes.length > 0 ? { notes } : {}),
      ...kept,
      ...(request.passesOn === true ? { text: "" } : {}),
      tool_calls: answer.toolCalls.map(({ callId, toolId, input: args }) => ({
        id: callId,
        name: clientName(toolId, clientTools),
        args,
      })),
      usage: wireUsage(spent.usage),
      cost: spent.costUsd ?? null,
      ...(repaired ? { repaired } : {}),
      ...(answer.bridge.length > 0 ? { bridge: answer.bridge } : {}),
    };
  }

  /** What the model is sent: the action's own words, its template filled in, personal data out, and looked at. */
  async #prepare(
    { spec, input, trn, ...request }: ExecutionRequest & ExecutionContext,
    note: (note: Note) => Promise<void>,
  ): Promise<ModelInput> {
    const { redact, clock } = this.#deps;
    const variables = input.variables ?? {};
    const fill = (template: string) => {
      const filled = renderTemplate(template, variables);
      if (!filled.ok) throw invalid(`${shortName(trn)}: ${filled.error}`);
      return filled.value;
    };
    const given: InputMessage[] = [...(input.messages ?? [])];
    if (input.template !== undefined) {
      const templates = spec.templates ?? {};
      const template = Object.hasOwn(templates, input.template) ? templates[input.template] : undefined;
      if (template === undefined) throw invalid(`${shortName(trn)} has no template "${input.template}".`);
      given.push({ role: "user", content: fill(template) });
    }
    const personal = new PersonalData();
    const kinds = new Set<string>();
    const clean = (text: string) => {
      const plain = redact(text);
      if (spec.redact_pii !== true) return plain;
      const taken = personal.takeOut(plain);
      for (const kind of taken.kinds) kinds.add(kind);
      return taken.text;
    };
    const own = spec.system === undefined ? [] : [fill(spec.system).trim()];
    const read = must(modelInput(given, { now: clock.now(), clean }));
    if (kinds.size > 0) {
      const reason = `Taken out before it was sent: ${[...kinds].join(", ")}.`;
      await note({ stage: "before", what: "redacted", reason });
    }
    const prepared = { ...read, system: [...own, ...read.system] };
    const text = prepared.messages.flatMap(({ blocks }) =>
      blocks.flatMap((b) => (b.type === "text" ? [b.text] : [])),
    );
    await this.#moderate({ ...request, spec, input, trn }, "before", text.join("\n\n"), note);
    return prepared;
  }

  async #moderate(
    { spec, trn, signal }: ExecutionRequest & ExecutionContext,
    stage: "before" | "after",
    text: string,
    note: (note: Note) => Promise<void>,
  ): Promise<void> {
    const hook = spec.moderation?.[stage];
    if (!hook) return;
    let said: Moderated;
    try {
      said = await this.#deps.moderate(hook, { stage, action: trn, text }, signal);
    } catch (error) {
      // Who stopped it does not want it looked at any more.
      if (!(error instanceof FailureError) || signal.aborted) throw error;
      const down = `The hook that looks at it did not answer: ${error.failure.message}`;
      if (hook.when_down === "open") {
        await note({ stage, what: "not looked at", reason: down });
        return;
      }
      said = { allowed: false, reason: down };
    }
    if (said.allowed) return;
    await note({ stage, what: "blocked", reason: said.reason });
    const where = stage === "before" ? "Nothing was sent to the model." : "The answer is not given out.";
    throw new FailureError(failure("BLOCKED", `Blocked by moderation: ${said.reason} ${where}`));
  }

  /** Rounds with the model: calls of the action's own tools are made and answered, up to as many rounds as it allows. */
  async #converse(
    request: ExecutionRequest & ExecutionContext,
    plan: Conversation,
    spent: Spent,
  ): Promise<
    Answer & {
      readonly messages: readonly Message[];
      readonly bridge: NonNullable<ExecutionResult["bridge"]>;
    }
  > {
    const { clock, bridge } = this.#deps;
    const { spec } = request;
    let messages = plan.prepared.messages;
    const made: { callId: string; tool: string; status: string }[] = [];
    let calls: BridgeCalls | undefined;
    try {
      const turnsMax = Math.min(spec.tool_turns ?? 1, LIMITS.actionToolTurnsMax);
      for (let turn = 0; ; turn++) {
        const last = turn >= turnsMax;
        const tools =
          last && plan.bridged.length > 0
            ? plan.tools.filter((each) => !isBridged(each.toolId, plan.bridged))
            : plan.tools;
        const answer = await this.#ask(request, { ...plan, tools, messages }, spent);
        const own = answer.toolCalls.filter(({ toolId }) => isBridged(toolId, plan.bridged));
        // Where the client has to run one of them as well, it gets all of its own and the rest is left.
        if (own.length === 0 || own.length < answer.toolCalls.length)
          return {
            ...answer,
            toolCalls: answer.toolCalls.filter((each) => !own.includes(each)),
            messages,
            bridge: made,
          };
        calls ??= await bridge.open(request);
        const results: Message[] = [];
        for (const call of own) {
          const tool = plan.bridged.find((each) => toWireName(each.spec.toolId) === toWireName(call.toolId))!;
          const problems =
            call.malformed === undefined
              ? (tool.check?.(call.input) ?? [])
              : ["the arguments are not valid JSON"];
          const outcome: BridgedOutcome =
            problems.length > 0
              ? {
                  callId: call.callId,
                  status: "error",
                  ended: "refused",
                  text: `The arguments do not fit: ${problems.join("; ")}`,
                }
              : await calls.call(tool.toolId, call.input);
          made.push({ callId: outcome.callId, tool: tool.toolId, status: outcome.ended });
          await request.onEvent?.({
            type: "tool",
            tool: tool.toolId,
            status: outcome.ended,
            callId: outcome.callId,
          });
          results.push({
            id: `r${made.length}`,
            ts: clock.now(),
            role: "tool",
            origin: "tool",
            blocks: [
              { type: "tool_result", callId: call.callId, status: outcome.status, text: outcome.text },
            ],
          });
        }
        const assistant: Message = {
          id: `a${turn}`,
          ts: clock.now(),
          role: "assistant",
          origin: "model",
          blocks: [...answer.blocks],
        };
        messages = [...messages, assistant, ...results];
      }
    } finally {
      await calls?.close();
    }
  }

  async #ask(
    request: ExecutionRequest & ExecutionContext,
    plan: Omit<Conversation, "bridged"> & {
      readonly messages: readonly Message[];
    },
    spent: Spent,
  ): Promise<Answer> {
    const { governance, clock, observe } = this.#deps;
    const { model, system, prepared, tools, sampling, messages } = plan;
    const modelRequest = {
      model: model.ref.model,
      system,
      messages,
      tools,
      maxOutputTokens: sampling.max_tokens ?? model.maxOutputTokens,
      ...(sampling.temperature === undefined ? {} : { temperature: sampling.temperature }),
      ...(sampling.top_p === undefined ? {} : { topP: sampling.top_p }),
      ...(plan.passesOn ? { textKeptMax: this.#deps.passedOnCharsKept } : {}),
      readBlob: async (blobId: string) => prepared.blobs.get(blobId),
      writeBlob: async () => {
        throw new FailureError(
          failure("BAD_REPLY", "The model answered with a picture, which actions do not take."),
        );
      },
      signal: request.signal,
    };
    const inputTokens = () =>
      tokensOfText(system) + messages.reduce((sum, message) => sum + tokensOfMessage(message), 0);
    const planned = this.#planned(request, model, "llm.chat", inputTokens);
    for await (const event of governedChat(model.provider, modelRequest, planned, {
      governance,
      clock,
      observe,
    })) {
      if (event.type === "text" && !plan.held) await request.onEvent?.(event);
      if (event.type === "retry" && !plan.held) await request.onEvent?.({ type: "retry" });
      if (event.type === "done") {
        this.#count(spent, event.answeredBy ?? model, event.usage);
        return answerOf(event);
      }
      if (event.type === "failed") {
        if (event.usage) this.#count(spent, event.answeredBy ?? model, event.usage);
        throw new FailureError(event.failure);
      }
    }
    throw new FailureError(failure("BAD_REPLY", "The model's answer ended without an end."));
  }

  #planned(
    { id: runId, tenant, tokenId, trn }: ExecutionContext,
    model: ResolvedModel,
    name: string,
    inputTokens: () => number,
  ): Omit<PlannedRequest, "outputTokensMax" | "signal"> {
    return { tenant, runId, tokenId, names: [name, trn], model: model.ref, inputTokens };
  }

  #count(spent: Spent, { ref, profile }: AnsweredBy, usage: Usage): void {
    const price = priceOf(ref, this.#deps.prices, this.#deps.clock.now());
    spent.usage = addUsage(spent.usage, usage);
    spent.model = formatModelRef(ref);
    if (profile !== undefined) spent.profile = profile;
    spent.priced &&= price !== undefined;
    spent.costUsd = spent.priced && price ? (spent.costUsd ?? 0) + costUsd(usage, price) : undefined;
  }

  async #embed(
    request: ExecutionRequest & ExecutionContext,
    { model }: ActionModel,
    spent: Spent,
  ): Promise<ExecutionResult> {
    const { inputs, input_type: inputType = "document", dimensions } = request.input;
    const vectors = await this.#vectors(request, model, inputs, inputType, spent, "llm.embed", dimensions);
    return {
      id: request.id,
      action: request.trn,
      text: "",
      tool_calls: [],
      usage: wireUsage(spent.usage),
      cost: spent.costUsd ?? null,
      model_info: { provider: model.ref.provider, model: model.ref.model, finish_reason: "stop" },
      embeddings: vectors.map((vector) => [...vector]),
    };
  }

  /** By how near each document is to the query, as the embedder sees it. */
  async #rerank(
    request: ExecutionRequest & ExecutionContext,
    { model }: ActionModel,
    spent: Spent,
  ): Promise<ExecutionResult> {
    const { query, documents, top_n: topN = documents.length } = request.input;
    const [question] = await this.#vectors(request, model, [query], "query", spent, "llm.rerank");
    const vectors = await this.#vectors(request, model, documents, "document", spent, "llm.rerank");
    const ranking = vectors
      .map((vector, index) => ({ index, score: question ? cosine(question, vector) : 0 }))
      .toSorted((a, b) => b.score - a.score || a.index - b.index)
      .slice(0, topN);
    return {
      id: request.id,
      action: request.trn,
      text: "",
      tool_calls: [],
      usage: wireUsage(spent.usage),
      cost: spent.costUsd ?? null,
      model_info: { provider: model.ref.provider, model: model.ref.model, finish_reason: "stop" },
      ranking,
    };
  }

  async #vectors(
    request: ExecutionRequest & ExecutionContext,
    model: ResolvedModel,
    texts: readonly string[],
    inputType: "query" | "document",
    spent: Spent,
    name: string,
    dims?: number,
  ): Promise<readonly Float32Array[]> {
    const { redact, governance, clock, observe } = this.#deps;
    const { provider, ref } = model;
    if (!provider.embed) throw invalid(`${ref.provider} makes no embeddings.`);
    const personal = new PersonalData();
    const sent = texts.map((text) =>
      request.spec.redact_pii === true ? personal.takeOut(redact(text)).text : redact(text),
    );
    const inputTokens = () => sent.reduce((sum, text) => sum + tokensOfText(text), 0);
    const planned = {
      ...this.#planned(request, model, name, inputTokens),
      outputTokensMax: 0,
      signal: request.signal,
    };
    const place = must(await governance.reserve(planned));
    const startedAt = clock.now();
    const made = await provider.embed({
      model: ref.model,
      texts: sent,
      inputType,
      signal: request.signal,
      ...(dims === undefined ? {} : { dims }),
    });
    const usage = made.ok ? { ...NO_USAGE, inputTokens: made.value.tokens } : undefined;
    observe?.({
      kind: "model",
      tenant: request.tenant,
      runId: request.id,
      operation: "embed",
      asked: ref,
      answered: ref,
      startedAt,
      endedAt: clock.now(),
      outcome: made.ok ? "done" : "failed",
      ...(made.ok ? {} : { reason: made.error.reason }),
      ...(usage ? { usage } : {}),
    });
    await place.settle({ outcome: made.ok ? "done" : "failed", ...(usage ? { usage } : {}) });
    if (!made.ok) throw new FailureError(made.error);
    this.#count(spent, model, usage ?? NO_USAGE);
    return made.value.vectors;
  }

  /** Reads what is on record: no model is asked, and nothing is changed. */
  async #read(
    { id, trn, tenant, input, read }: ExecutionRequest & ExecutionContext,
    task: "resources.search" | "resources.get",
  ): Promise<ExecutionResult> {
    const refused = this.#deps.governance.refusal(tenant, [task, trn]);
    if (refused) throw new FailureError(refused);
    if (!read)
      throw new FailureError(
        failure(
          "SCOPE_MISSING",
          'What is on record is read with a token that has the scope "chat" too. Nothing was read.',
        ),
      );
    const resources = task === "resources.search" ? await read.search(input) : [await read.get(input)];
    return {
      id,
      action: trn,
      text: resources.map(({ title, text }) => `${title}\n${text}`).join("\n\n"),
      tool_calls: [],
      usage: wireUsage(NO_USAGE),
      cost: 0,
      model_info: { provider: "elwood", model: "none", finish_reason: "none" },
      output: { resources },
    };
  }

  /** An http action is a call of a tool: the gate decides, and its receipt is the proof. */
  async #http(request: ExecutionRequest & ExecutionContext): Promise<ExecutionResult> {
    const { bridge, governance } = this.#deps;
    const refused = governance.refusal(request.tenant, [request.trn]);
    if (refused) throw new FailureError(refused);
    const [tool] = must(await bridge.tools(request.spec, request));
    if (!tool) throw invalid(`${shortName(request.trn)} has no tool.`);
    const calls = await bridge.open(request);
    try {
      const outcome = await calls.call(tool.toolId, request.raw);
      await request.onEvent?.({
        type: "tool",
        tool: tool.toolId,
        status: outcome.ended,
        callId: outcome.callId,
      });
      if (outcome.status === "error")
        throw new FailureError(
          failure(CALL_REASONS[outcome.ended] ?? "UPSTREAM_ERROR", outcome.text, { retryable: false }),
        );
      return {
        id: request.id,
        action: request.trn,
        text: outcome.text,
        tool_calls: [],
        usage: wireUsage(NO_USAGE),
        cost: 0,
        model_info: { provider: "http", model: "none", finish_reason: "none" },
        bridge: [{ callId: outcome.callId, tool: tool.toolId, status: outcome.ended }],
        ...(outcome.value === undefined ? {} : { output: outcome.value }),
      };
    } finally {
      await calls.close();
    }
  }
}

function asksModel(task: ActionTask): boolean {
  return task === "chat" || task === "embed" || task === "rerank";
}

interface Conversation {
  readonly model: ResolvedModel;
  readonly system: string;
  readonly prepared: ModelInput;
  readonly tools: readonly ToolSpec[];
  readonly bridged: readonly BridgedTool[];
  readonly sampling: Sampling;
  /** Text is shown only once it is whole: it may still be replaced, or not be given out at all. */
  readonly held: boolean;
  /** Text is shown as it comes, and nobody needs it afterwards. */
  readonly passesOn: boolean;
}

interface Answer {
  readonly text: string;
  readonly blocks: Extract<ModelEvent, { type: "done" }>["blocks"];
  readonly toolCalls: readonly Extract<Message["blocks"][number], { type: "tool_use" }>[];
  readonly stopReason: StopReason;
  readonly model: string;
}

function answerOf({ blocks, stopReason, model }: Extract<ModelEvent, { type: "done" }>): Answer {
  return {
    text: blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join(""),
    blocks,
    toolCalls: blocks.flatMap((block) => (block.type === "tool_use" ? [block] : [])),
    stopReason,
    model,
  };
}

const FINISH: Readonly<Record<StopReason, ExecutionResult["model_info"]["finish_reason"]>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  pause_turn: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
  context_full: "length",
  refusal: "content_filter",
};

/** How a call that was not made is told; whatever else failed did so at the other end. */
const CALL_REASONS: Readonly<Record<string, FailureReason>> = {
  refused: "INVALID_INPUT",
  denied: "DENIED",
  expired: "DENIED",
  unknown: "OUTCOME_UNKNOWN",
};

export function wireUsage(usage: Usage): ExecutionResult["usage"] {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens, estimated } = usage;
  return {
    prompt_tokens: inputTokens + cacheReadTokens + cacheWriteTokens,
    completion_tokens: outputTokens,
    total_tokens: totalTokens(usage),
    ...(cacheReadTokens > 0 ? { cached_tokens: cacheReadTokens } : {}),
    ...(reasoningTokens === undefined ? {} : { reasoning_tokens: reasoningTokens }),
    ...(estimated ? { estimated } : {}),
  };
}

/** Providers know a tool by its wire name, which a client's own name need not be. */
function clientName(toolId: string, tools: readonly ToolSpec[]): string {
  return tools.find((tool) => toWireName(tool.toolId) === toWireName(toolId))?.toolId ?? toolId;
}

function isBridged(toolId: string, bridged: readonly BridgedTool[]): boolean {
  return bridged.some(({ spec }) => toWireName(spec.toolId) === toWireName(toolId));
}

function lastText({ messages }: ModelInput): string {
  const blocks = messages.at(-1)?.blocks ?? [];
  return blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

function said(role: "user" | "assistant", text: string, ts: number): Message {
  const origin = role === "user" ? "gateway" : "model";
  return { id: `${role}-repair`, ts, role, origin, blocks: [{ type: "text", text }] };
}

function shortName(trn: string): string {
  return trn.slice(trn.lastIndexOf("/") + 1);
}

function invalid(text: string): FailureError {
  return new FailureError(failure("INVALID_INPUT", `${text} Nothing was sent.`));
}

function must<T>(result: Result<T, Failure>): T {
  if (!result.ok) throw new FailureError(result.error);
  return result.value;
}

function mustHave(asked: ActionModel | undefined): ActionModel {
  if (!asked) throw new Error("an action with a model was executed without one");
  return asked;
}
