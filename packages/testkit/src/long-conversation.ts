import { createHash } from "node:crypto";
import { RUN_LIMITS } from "@elwood/core/base/limits";
import { LocalTime } from "@elwood/core/base/local-time";
import { textOf, type Block, type Message, type Usage } from "@elwood/core/message/message";
import type { ModelEvent, ModelRequest, ToolSpec } from "@elwood/core/model/model";
import { ok } from "@elwood/core/base/result";
import { tokensOfMessage, tokensOfText, tokensOfTool } from "@elwood/core/model/tokens";
import { FixedIds } from "./fixed-ids.ts";
import { fromOwner } from "./principals.ts";
import { ManualClock } from "./manual-clock.ts";
import { memoryStores } from "./memory-stores.ts";
import type { EngineDeps } from "@elwood/runtime/run/engine-deps";
import { Engine } from "@elwood/runtime/run/engine";
import type { RunEvent } from "@elwood/runtime/run/feed";
import type { RunRecorder, Stores, ToolHost } from "@elwood/runtime/ports/ports";
import { sessionMessages } from "@elwood/runtime/run/transcript-view";
import type { CompactionRequest } from "@elwood/runtime/compaction/request";

/** For tests: an engine with a model of a small window that is a function of what it is asked. */

export const TENANT = "default";
export const SESSION = "ses_00000000000000000000000001";

export type Answering = (request: ModelRequest, asked: number) => ModelEvent | Promise<ModelEvent>;

export interface Conversation {
  readonly engine: Engine;
  readonly stores: Stores;
  readonly clock: ManualClock;
  /** Questions that the owner's messages led to, and those for a summary. */
  readonly requests: ModelRequest[];
  readonly summaries: ModelRequest[];
  say(text: string): Promise<{ runId: string; events: RunEvent[]; end: RunEvent }>;
  ask(request: CompactionRequest): Promise<RunEvent>;
  messages(): Promise<Message[]>;
}

export interface ConversationOptions {
  readonly contextTokens?: number;
  readonly compactionThreshold?: number;
  readonly answer?: Answering;
  readonly summary?: Answering;
  readonly specs?: readonly ToolSpec[];
  readonly call?: (toolId: string, input: unknown) => string;
  readonly stores?: Stores;
  readonly clock?: ManualClock;
  readonly ids?: FixedIds;
  readonly limits?: Partial<typeof RUN_LIMITS>;
}

export const SUMMARY =
  "## What the owner wants\nHelp with the household, one thing after the other.\n## Done\nEach question so far was answered in a few words.";

export function said(text: string, request?: ModelRequest, more: Partial<Usage> = {}): ModelEvent {
  const usage: Usage = {
    inputTokens: request ? sizeOf(request) : 10,
    outputTokens: tokensOfText(text),
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    ...more,
  };
  return { type: "done", stopReason: "end_turn", blocks: [{ type: "text", text }], usage, model: "m" };
}

export function called(input: unknown, request: ModelRequest, toolId = "test.page.read"): ModelEvent {
  const blocks: Block[] = [{ type: "tool_use", callId: "p", toolId, input }];
  const usage: Usage = {
    inputTokens: sizeOf(request),
    outputTokens: 20,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
  };
  return { type: "done", stopReason: "tool_use", blocks, usage, model: "m" };
}

export function failedWith(reason: "CONTEXT_FULL" | "OVERLOADED"): ModelEvent {
  const message =
    reason === "OVERLOADED" ? "It is overloaded (529). Your message is kept." : "It is too long.";
  return { type: "failed", failure: { reason, message, retryable: false }, blocks: [] };
}

/** As our own estimate has it, over what is really sent. */
export function sizeOf({ system, messages, tools }: ModelRequest): number {
  return (
    tokensOfText(system) +
    messages.reduce((sum, message) => sum + tokensOfMessage(asSent(message)), 0) +
    tools.reduce((sum, tool) => sum + tokensOfTool(tool), 0)
  );
}

/** What is sent has its stamp in its text already. */
function asSent(message: Message): Message {
  return { ...message, origin: "owner", role: message.role === "user" ? "assistant" : message.role };
}

export function wordsOf({ messages }: ModelRequest): string {
  return messages
    .flatMap(({ blocks }) => blocks.map((block) => ("text" in block ? block.text : JSON.stringify(block))))
    .join("\n");
}

export async function conversation(options: ConversationOptions = {}): Promise<Conversation> {
  const clock = options.clock ?? new ManualClock({ start: Date.parse("2026-11-15T10:00:00Z") });
  const stores = options.stores ?? memoryStores();
  const requests: ModelRequest[] = [];
  const summaries: ModelRequest[] = [];
  const { answer = (request) => said("Cats are lovely animals.", request), summary = () => said(SUMMARY) } =
    options;
  const deps: EngineDeps = {
    stores,
    clock,
    ids: options.ids ?? new FixedIds(),
    log: { error() {}, warn() {}, info() {}, debug() {} },
    hash: (text) => createHash("sha256").update(text).digest("hex"),
    limits: { ...RUN_LIMITS, ...options.limits },
    prices: [{ match: "test/*", input: 1, output: 1 }],
    compactionThreshold: options.compactionThreshold,
    localTime: new LocalTime("UTC"),
    redact: (text) => text.replaceAll("hunter2hunter2", "[redacted]"),
    agents: {
      list: async () => [],
      load: async (id) => ({ id, name: id, description: "", soul: "", instructions: "", toolNotes: "" }),
    },
    models: {
      resolve: async () =>
        ok({
          ref: { provider: "test", model: "m" },
          demo: false,
          maxOutputTokens: 500,
          ...(options.contextTokens === undefined ? {} : { contextTokens: options.contextTokens }),
          provider: {
            id: "test",
            async *chat(request) {
              const sums = request.system.startsWith("You write the notes");
              (sums ? summaries : requests).push(request);
              yield await (sums ? summary(request, summaries.length) : answer(request, requests.length));
            },
          },
        }),
    },
    tools: fakeTools(options),
    recorder: NO_RECORD,
  };
  const engine = new Engine(deps);
  if (!options.stores) {
    await stores.sessions.create(TENANT, { id: SESSION, agentId: "assistant", title: "", at: clock.now() });
  }
  const follow = (runId: string) => {
    const events: RunEvent[] = [];
    const end = new Promise<RunEvent>((resolve) => {
      engine.feeds.get(runId)?.subscribe((event) => {
        events.push(event);
        if (event.event === "chat.final" || event.event === "chat.error") resolve(event);
      });
    });
    return { events, end };
  };
  const about = { ...fromOwner(TENANT), sessionId: SESSION, surface: "test" };
  return {
    engine,
    stores,
    clock,
    requests,
    summaries,
    async say(text) {
      const { run } = await engine.submit({ ...about, parts: [{ kind: "text", text, origin: "owner" }] });
      const { events, end } = follow(run.id);
      engine.start(TENANT, run);
      return { runId: run.id, events, end: await end };
    },
    async ask(request) {
      const { run } = await engine.submitCompaction(about, request);
      const { end } = follow(run.id);
      engine.start(TENANT, run);
      return end;
    },
    async messages() {
      return (await sessionMessages(stores, TENANT, SESSION)).messages.map(({ message }) => message);
    },
  };
}

/** Keeps nothing; for suites in which no process dies. */
export const NO_RECORD: RunRecorder = {
  noteRun: async () => undefined,
  openRuns: async () => [],
  noteReply: async () => undefined,
  recordedEnding: async () => undefined,
};

function fakeTools({ specs = [], call = () => "done" }: ConversationOptions): ToolHost {
  return {
    specs: () => specs,
    storeSecrets: async (_tenant, _callId, input) => input,
    closeRun: async () => new Map(),
    closeOrphanedCalls: async () => undefined,
    activity: async () => [],
    sessionActivity: async () => [],
    async call({ toolId, input }, context) {
      context.entered();
      context.started();
      return { status: "ok", text: call(toolId, input) };
    },
  };
}

/** Sentences without any detail that would have to survive. */
export function chatter(words: number): string {
  return Array.from({ length: words }, (_, i) => FILLER[i % FILLER.length]).join(" ");
}

const FILLER = [
  "the",
  "garden",
  "was",
  "green",
  "and",
  "the",
  "cat",
  "slept",
  "under",
  "a",
  "tree",
  "while",
  "it",
  "rained",
];

export function textsOf(messages: readonly Message[]): string[] {
  return messages.map(textOf);
}
