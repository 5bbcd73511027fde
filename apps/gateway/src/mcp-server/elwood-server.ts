import {
  McpServer,
  ResourceTemplate,
  type CallToolResult,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import type { AskedRun, ProgramCaller } from "../methods/program-caller.ts";
import { actionOffers, type ActionAccess } from "./action-offers.ts";
import { offer, structured, toldAsProgress, type Offer } from "./offer.ts";
import { approvalToShow, canShow, takeAnswer, type ShownRun, type ShownRuns } from "./show-approval.ts";

export interface ElwoodServerOptions {
  readonly version: string;
  /** For whoever may talk to the assistant. */
  readonly assistant?: { readonly caller: ProgramCaller; readonly shownRuns: ShownRuns };
  /** For whoever may execute actions. */
  readonly actions?: ActionAccess;
}

const WAIT_SECONDS = { default: 50, max: 600 } as const;
const MESSAGE_CHARS_MAX = 100_000;
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
const searchInput = z.strictObject({
  query: z.string().trim().min(1).max(500),
  limit: z.int().min(1).max(50).default(10),
});
const searchOutput = z.object({ found: z.array(z.record(z.string(), z.unknown())) });

/**
 * Elwood as an MCP server. None of its tools decides anything: what needs the owner waits for the owner, on
 * the page, in the terminal or in a chat, and the answer says where.
 */
export function elwoodServer({ version, assistant, actions }: ElwoodServerOptions): McpServer {
  const server = new McpServer(
    { name: "elwood", title: "Elwood", version },
    assistant && {
      requestState: { verify: (state, context) => assistant.shownRuns.verify(state, context) },
    },
  );
  const own = assistant
    ? [askOffer(assistant), resultOffer(assistant.caller), searchOffer(assistant.caller)]
    : [];
  const executed = actions ? actionOffers(actions, OWN_NAMES) : [];
  for (const each of [...own, ...executed])
    server.registerTool(
      each.name,
      {
        description: each.description,
        inputSchema: each.input,
        ...(each.output && { outputSchema: each.output }),
        ...(each.annotations && { annotations: each.annotations }),
      },
      (input: unknown, context) => each.execute(input, context),
    );
  if (assistant) addResources(server, assistant.caller);
  return server;
}

const OWN_NAMES: ReadonlySet<string> = new Set(["assistant.ask", "assistant.result", "memory.search"]);

/** The run is asked for once: where the host comes back with an answer, it is waited for on. */
function askOffer({ caller, shownRuns }: NonNullable<ElwoodServerOptions["assistant"]>): Offer {
  return offer({
    name: "assistant.ask",
    description:
      "Ask the owner's personal assistant, which has its own tools and memory. What changes something waits for the owner.",
    input: askInput,
    output: run,
    async run({ message: text, model, ...input }, context) {
      const before = context.mcpReq.requestState<ShownRun>();
      const watched = {
        ...watching(context, input.waitSeconds),
        ...(canShow(context) && { shown: new Set(before?.shown) }),
      };
      if (before && !(await takeAnswer(caller, before, context)))
        return runResult(await caller.stand(before.sessionKey, before.runId));
      const sessionKey =
        before?.sessionKey ?? input.sessionKey ?? (await caller.call("sessions.create", {})).sessionKey;
      const asked = before
        ? await caller.wait(sessionKey, before.runId, watched)
        : await caller.ask({ sessionKey, text, model }, watched);
      const shown = await approvalToShow(caller, asked, before?.shown ?? [], context, shownRuns);
      return shown ?? runResult(asked);
    },
  });
}

function resultOffer(caller: ProgramCaller): Offer {
  return offer({
    name: "assistant.result",
    description: "How a run of assistant.ask ended, or where it stands.",
    input: resultInput,
    output: run,
    annotations: { readOnlyHint: true },
    run: async ({ sessionKey, runId }) => runResult(await caller.stand(sessionKey, runId)),
  });
}

function searchOffer(caller: ProgramCaller): Offer {
  return offer({
    name: "memory.search",
    description: "Find in the owner's notes and conversations.",
    input: searchInput,
    output: searchOutput,
    annotations: { readOnlyHint: true },
    async run({ query, limit }) {
      const answer = await caller.call("memory.search", { query, limit });
      return structured({ found: Object.values(answer).find(Array.isArray) ?? [] });
    },
  });
}

function addResources(server: McpServer, caller: ProgramCaller): void {
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

function watching(context: ServerContext, seconds: number) {
  return {
    waitMs: seconds * 1_000,
    signal: context.mcpReq.signal,
    onProgress: toldAsProgress(context),
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
  const { evidence: _evidence, ...told } = asked;
  const shown = structured(told, words[asked.status]);
  return asked.status === "failed" ? { ...shown, isError: true } : shown;
}
