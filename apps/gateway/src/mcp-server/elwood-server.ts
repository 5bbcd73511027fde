import {
  McpServer,
  ResourceTemplate,
  type CallToolResult,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { FailureError } from "@elwood/core/base/failure";
import type { Redactor } from "@elwood/core/base/redact";
import type { Models } from "@elwood/runtime/ports/ports";
import { z } from "zod";
import type { AskedRun, McpCaller } from "./mcp-caller.ts";

export interface ElwoodServerOptions {
  readonly version: string;
  readonly caller: McpCaller;
  /** Who turns texts into vectors; without one there is no tool for it. */
  readonly embeddings?: { readonly model: string; readonly models: Models; readonly redact: Redactor };
}

const WAIT_SECONDS = { default: 50, max: 600 } as const;
const MESSAGE_CHARS_MAX = 100_000;
const MESSAGES_MAX = 100;
const TEXTS_MAX = 64;
const TEXT_CHARS_MAX = 32_000;
const LISTED = 50;

const waitSeconds = () =>
  z
    .int()
    .min(1)
    .max(WAIT_SECONDS.max)
    .default(WAIT_SECONDS.default)
    .describe(
      "How long to wait for the reply. The run goes on after that; ask for it with assistant.result.",
    );
const run = z.object({
  sessionKey: z.string(),
  runId: z.string(),
  status: z.enum(["done", "failed", "waiting", "running"]),
  text: z.string(),
  model: z.string().optional(),
  usage: z.object({ inputTokens: z.number(), outputTokens: z.number() }).optional(),
  waitingFor: z.array(z.object({ what: z.string(), link: z.string() })).optional(),
});
const askInput = z.strictObject({
  message: z.string().min(1).max(MESSAGE_CHARS_MAX),
  sessionKey: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe("To go on in a conversation; a new one where left out."),
  model: z.string().min(1).max(200).optional(),
  waitSeconds: waitSeconds(),
});
const resultInput = z.strictObject({
  sessionKey: z.string().min(1).max(64),
  runId: z.string().min(1).max(64),
});
const chatInput = z.strictObject({
  messages: z
    .array(
      z.strictObject({
        role: z.enum(["system", "user", "assistant"]),
        content: z.string().min(1).max(MESSAGE_CHARS_MAX),
      }),
    )
    .min(1)
    .max(MESSAGES_MAX),
  model: z.string().min(1).max(200).optional(),
  temperature: z.number().min(0).max(2).optional(),
  waitSeconds: waitSeconds(),
});
const chatOutput = z.object({
  text: z.string(),
  model: z.string(),
  usage: z.object({ inputTokens: z.number(), outputTokens: z.number() }),
});
const embedInput = z.strictObject({
  texts: z.array(z.string().min(1).max(TEXT_CHARS_MAX)).min(1).max(TEXTS_MAX),
  inputType: z.enum(["query", "document"]).default("document"),
});
const embedOutput = z.object({
  model: z.string(),
  tokens: z.number(),
  vectors: z.array(z.array(z.number())),
});
const searchInput = z.strictObject({
  query: z.string().trim().min(1).max(500),
  limit: z.int().min(1).max(50).default(10),
});
const searchOutput = z.object({ found: z.array(z.record(z.string(), z.unknown())) });

/** A handler by name, as `elwood.execute` finds it too. */
type Handlers = Readonly<
  Record<
    string,
    { readonly input: z.ZodType; run(input: never, context: ServerContext): Promise<CallToolResult> }
  >
>;

/**
 * Elwood as an MCP server. None of its tools decides anything: what needs the owner waits for the owner, on
 * the page, in the terminal or in a chat, and the answer says where.
 */
export function elwoodServer(options: ElwoodServerOptions): McpServer {
  const { version, caller } = options;
  const server = new McpServer({ name: "elwood", title: "Elwood", version });
  const handlers = handlersOf(options);
  server.registerTool(
    "assistant.ask",
    {
      description:
        "Ask the owner's personal assistant, which has its own tools and memory. What changes something waits for the owner.",
      inputSchema: askInput,
      outputSchema: run,
    },
    (input, context) => handlers["assistant.ask"]!.run(input as never, context),
  );
  server.registerTool(
    "assistant.result",
    {
      description: "How a run of assistant.ask ended, or where it stands.",
      inputSchema: resultInput,
      outputSchema: run,
      annotations: { readOnlyHint: true },
    },
    (input, context) => handlers["assistant.result"]!.run(input as never, context),
  );
  server.registerTool(
    "llm.chat",
    {
      description: "Ask the language model without tools, in a conversation of its own.",
      inputSchema: chatInput,
      outputSchema: chatOutput,
    },
    (input, context) => handlers["llm.chat"]!.run(input as never, context),
  );
  if (options.embeddings)
    server.registerTool(
      "llm.embed",
      {
        description: "Texts as vectors, by the embedder that the owner configured.",
        inputSchema: embedInput,
        outputSchema: embedOutput,
      },
      (input, context) => handlers["llm.embed"]!.run(input as never, context),
    );
  server.registerTool(
    "memory.search",
    {
      description: "Find in the owner's notes and conversations.",
      inputSchema: searchInput,
      outputSchema: searchOutput,
      annotations: { readOnlyHint: true },
    },
    (input, context) => handlers["memory.search"]!.run(input as never, context),
  );
  const executeInput = z.strictObject({
    action: z.enum(Object.keys(handlers) as [string, ...string[]]),
    input: z.record(z.string(), z.unknown()).default({}),
  });
  for (const name of ["elwood.execute", "openact.execute"])
    server.registerTool(
      name,
      {
        description: `Run one of ${Object.keys(handlers).join(", ")} by its name.`,
        inputSchema: executeInput,
      },
      async ({ action, input }, context) => {
        const handler = handlers[action]!;
        const parsed = handler.input.safeParse(input);
        if (!parsed.success)
          return problem(`The input does not fit ${action}: ${z.prettifyError(parsed.error)}`);
        return handler.run(parsed.data as never, context);
      },
    );
  addResources(server, caller);
  return server;
}

function handlersOf({ caller, embeddings }: ElwoodServerOptions): Handlers {
  return {
    "assistant.ask": {
      input: askInput,
      run: (input: z.infer<typeof askInput>, context) =>
        attempt(async () => {
          const sessionKey = input.sessionKey ?? (await caller.call("sessions.create", {})).sessionKey;
          const { message, model, waitSeconds: seconds } = input;
          return runResult(
            await caller.ask({ sessionKey, text: message, model }, watching(context, seconds)),
          );
        }),
    },
    "assistant.result": {
      input: resultInput,
      run: ({ sessionKey, runId }: z.infer<typeof resultInput>) =>
        attempt(async () => runResult(await caller.stand(sessionKey, runId))),
    },
    "llm.chat": {
      input: chatInput,
      run: (input: z.infer<typeof chatInput>, context) => attempt(() => chat(caller, input, context)),
    },
    ...(embeddings && {
      "llm.embed": {
        input: embedInput,
        run: (input: z.infer<typeof embedInput>, context: ServerContext) =>
          attempt(() => embed(embeddings, input, context)),
      },
    }),
    "memory.search": {
      input: searchInput,
      run: ({ query, limit }: z.infer<typeof searchInput>) =>
        attempt(async () => {
          const answer = await caller.call("memory.search", { query, limit });
          return structured({ found: Object.values(answer).find(Array.isArray) ?? [] });
        }),
    },
  };
}

/**
 * A session of its own without tools, which goes to the trash afterwards: so limits on cost, usage and
 * receipts are those of any run. A program's `system` is no system prompt of the owner's: like earlier
 * messages it is put before the last one as text.
 */
async function chat(
  caller: McpCaller,
  input: z.infer<typeof chatInput>,
  context: ServerContext,
): Promise<CallToolResult> {
  const last = input.messages.at(-1);
  if (last?.role !== "user") return problem("The last message must be the user's.");
  const lines = input.messages.map(({ role, content }) => `${role}: ${content}`);
  const text = lines.length === 1 ? last.content : lines.join("\n\n");
  const { sessionKey } = await caller.call("sessions.create", { title: "llm.chat over MCP" });
  try {
    await caller.call("sessions.configure", {
      sessionKey,
      tools: false,
      ...(input.temperature === undefined ? {} : { temperature: input.temperature }),
    });
    const asked = await caller.ask(
      { sessionKey, text, model: input.model },
      watching(context, input.waitSeconds),
    );
    if (asked.status === "failed") return problem(asked.text);
    if (asked.status !== "done") {
      await caller.call("chat.abort", { runId: asked.runId });
      return problem(`There was no answer within ${input.waitSeconds} seconds. The request was stopped.`);
    }
    const usage = asked.usage ?? { inputTokens: 0, outputTokens: 0 };
    return structured({ text: asked.text, model: asked.model ?? "", usage }, asked.text);
  } finally {
    await caller.call("sessions.delete", { sessionKey }).catch(() => undefined);
  }
}

async function embed(
  { model, models, redact }: NonNullable<ElwoodServerOptions["embeddings"]>,
  { texts, inputType }: z.infer<typeof embedInput>,
  context: ServerContext,
): Promise<CallToolResult> {
  const found = await models.resolve(model);
  if (!found.ok) return problem(found.error.message);
  const { provider, ref } = found.value;
  if (!provider.embed) return problem(`${provider.id} has no embeddings.`);
  const request = {
    model: ref.model,
    texts: texts.map((each) => redact(each)),
    inputType,
    signal: context.mcpReq.signal,
  };
  const made = await provider.embed(request);
  if (!made.ok) return problem(made.error.message);
  const { vectors, tokens, model: used } = made.value;
  return structured(
    { model: used, tokens, vectors: vectors.map((vector) => [...vector]) },
    `${vectors.length} vectors.`,
  );
}

function addResources(server: McpServer, caller: McpCaller): void {
  const json = (uri: URL, value: unknown) => ({
    contents: [{ uri: uri.href, mimeType: "application/json", text: JSON.stringify(value) }],
  });
  server.registerResource(
    "sessions",
    "elwood://sessions",
    { title: "Conversations", description: "The newest conversations.", mimeType: "application/json" },
    async (uri) => json(uri, await caller.call("sessions.list", { limit: LISTED })),
  );
  server.registerResource(
    "session",
    new ResourceTemplate("elwood://sessions/{sessionKey}", { list: undefined }),
    {
      title: "Conversation",
      description: "One conversation with its messages.",
      mimeType: "application/json",
    },
    async (uri, { sessionKey }) =>
      json(uri, await caller.call("chat.history", { sessionKey: String(sessionKey) })),
  );
  server.registerResource(
    "receipts",
    "elwood://receipts",
    {
      title: "Receipts",
      description: "What Elwood did, the newest first, from its signed log.",
      mimeType: "application/json",
    },
    async (uri) => json(uri, await caller.call("receipts.list", { limit: LISTED })),
  );
}

/** Text as it comes, where whoever asks wants to be told: as progress, each with a number that rises. */
function watching(context: ServerContext, seconds: number) {
  const token = context.mcpReq._meta?.["progressToken"];
  let progress = 0;
  return {
    waitMs: seconds * 1_000,
    signal: context.mcpReq.signal,
    onProgress: (message: string) => {
      if (token === undefined) return;
      progress += 1;
      const params = { progressToken: token, progress, message };
      // Who has hung up is told nothing; the run goes on.
      context.mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined);
    },
  };
}

function runResult(asked: AskedRun): CallToolResult {
  const waiting = (asked.waitingFor ?? []).map(({ what, link }) => `${what}: ${link}`);
  const words: Readonly<Record<AskedRun["status"], string>> = {
    done: asked.text,
    failed: asked.text,
    running: `It is still at work. Ask again with assistant.result, sessionKey ${asked.sessionKey}, runId ${asked.runId}.`,
    waiting: `It waits for its owner, who decides on their own surfaces. Nobody else can.\n${waiting.join("\n")}\nAsk again with assistant.result, sessionKey ${asked.sessionKey}, runId ${asked.runId}.`,
  };
  const shown = structured({ ...asked }, words[asked.status]);
  return asked.status === "failed" ? { ...shown, isError: true } : shown;
}

function structured(value: Record<string, unknown>, text: string = JSON.stringify(value)): CallToolResult {
  return { content: [{ type: "text", text }], structuredContent: value };
}

function problem(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

/** What the gateway refuses is told in its own words; anything else is a bug, and told by the protocol. */
async function attempt(work: () => Promise<CallToolResult>): Promise<CallToolResult> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof FailureError) return problem(cause.failure.message);
    throw cause;
  }
}
