import { isRecord } from "@elwood/core/base/is-record";
import type { LedgerEntry } from "./loopback-server.ts";

interface Block {
  readonly type?: string;
  readonly text?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: unknown;
  readonly tool_use_id?: string;
  readonly content?: unknown;
  readonly signature?: string;
  readonly cache_control?: unknown;
}

interface Turn {
  readonly role: string;
  readonly content: readonly Block[];
}

/**
 * What the Messages API refuses with 400, as far as an adapter can get it wrong: a test
 * that passes here must not fail there. Answers the first fault found.
 */
export function anthropicFault(request: LedgerEntry): string | undefined {
  if (request.path !== "/v1/messages") return undefined;
  const body = request.body as Record<string, unknown> | undefined;
  if (typeof body !== "object" || body === null) return "the body is not JSON";
  if (request.headers["anthropic-version"] === undefined) return "anthropic-version: header is required";
  if (!request.headers["x-api-key"] && !request.headers["authorization"]) return "no credentials were sent";
  if (typeof body["model"] !== "string" || body["model"] === "") return "model: Field required";
  if (typeof body["max_tokens"] !== "number" || body["max_tokens"] < 1)
    return "max_tokens: must be at least 1";
  const turns = turnsOf(body["messages"]);
  if (typeof turns === "string") return turns;
  return faultInTurns(turns) ?? faultInTools(body) ?? faultInThinking(body) ?? faultInCaching(body);
}

function turnsOf(messages: unknown): Turn[] | string {
  if (!Array.isArray(messages) || messages.length === 0) return "messages: at least one message is required";
  return messages.map((message: { role: string; content: unknown }) => ({
    role: message.role,
    content:
      typeof message.content === "string"
        ? [{ type: "text", text: message.content }]
        : (message.content as readonly Block[]),
  }));
}

function faultInTurns(turns: readonly Turn[]): string | undefined {
  if (turns[0]!.role !== "user") return "messages: first message must use the user role";
  for (const [i, turn] of turns.entries()) {
    const at = `messages.${i}`;
    if (turn.role !== "user" && turn.role !== "assistant") return `${at}.role: unexpected ${turn.role}`;
    if (!Array.isArray(turn.content) || turn.content.length === 0) return `${at}: content must not be empty`;
    for (const block of turn.content) {
      const fault = faultInBlock(block, turn.role);
      if (fault) return `${at}: ${fault}`;
    }
    const fault = faultInPairing(turns, i);
    if (fault) return `${at}: ${fault}`;
  }
  return undefined;
}

function faultInBlock(block: Block, role: string): string | undefined {
  switch (block.type) {
    case "text":
      return typeof block.text === "string" && block.text.trim() !== ""
        ? undefined
        : "text content blocks must contain non-whitespace text";
    case "thinking":
      if (role !== "assistant") return "thinking blocks belong to the assistant";
      return block.signature ? undefined : "thinking.signature: Field required";
    case "redacted_thinking":
      return role === "assistant" ? undefined : "redacted_thinking blocks belong to the assistant";
    case "tool_use":
      if (role !== "assistant") return "tool_use blocks belong to the assistant";
      if (!/^[a-zA-Z0-9_-]+$/.test(block.id ?? ""))
        return `tool_use.id: "${block.id}" does not match the pattern`;
      if (!/^[a-zA-Z0-9_-]{1,64}$/.test(block.name ?? ""))
        return `tool_use.name: "${block.name}" is not allowed`;
      return isRecord(block.input) ? undefined : "tool_use.input: Input should be a valid dictionary";
    case "tool_result":
      return role === "user" ? undefined : "tool_result blocks belong to the user";
    case "image":
    case "document":
      return role === "user" ? undefined : `${block.type} blocks are not allowed in assistant messages`;
    case undefined:
      return "type: Field required";
    default:
      return undefined;
  }
}

/** Each tool_use must be answered in the very next message, and nothing else may be. */
function faultInPairing(turns: readonly Turn[], i: number): string | undefined {
  const asked = turns[i]!.content.filter((b) => b.type === "tool_use").map((b) => b.id);
  if (new Set(asked).size !== asked.length) return "tool_use ids must be unique";
  const next = turns[i + 1]?.content ?? [];
  const answered = next.filter((b) => b.type === "tool_result").map((b) => b.tool_use_id);
  const missing = asked.filter((id) => !answered.includes(id));
  if (missing.length > 0)
    return `tool_use ids were found without tool_result blocks after them: ${missing.join(", ")}`;
  const before = turns[i - 1]?.content.filter((b) => b.type === "tool_use").map((b) => b.id) ?? [];
  const results = turns[i]!.content.filter((b) => b.type === "tool_result");
  const stray = results.find((b) => !before.includes(b.tool_use_id));
  if (stray) return `unexpected tool_use_id found in tool_result blocks: ${stray.tool_use_id}`;
  const firstOther = turns[i]!.content.findIndex((b) => b.type !== "tool_result");
  if (results.length > 0 && firstOther >= 0) {
    // The API takes text after results, but then often ends the turn without a word.
    return "content beside tool_result blocks makes the model end its turn in silence";
  }
  return undefined;
}

function faultInTools(body: Record<string, unknown>): string | undefined {
  const tools = (body["tools"] ?? []) as { name?: string; input_schema?: { type?: string } }[];
  const names = tools.map((t) => t.name ?? "");
  if (new Set(names).size !== names.length) return "tools: Tool names must be unique.";
  const bad = tools.find((t) => !/^[a-zA-Z0-9_-]{1,64}$/.test(t.name ?? ""));
  if (bad) return `tools: name "${bad.name}" should match pattern '^[a-zA-Z0-9_-]{1,64}$'`;
  if (tools.some((t) => t.input_schema?.type !== "object"))
    return 'tools: input_schema.type must be "object"';
  return undefined;
}

function faultInThinking(body: Record<string, unknown>): string | undefined {
  const thinking = body["thinking"] as { type?: string; budget_tokens?: number } | undefined;
  if (thinking?.type !== "enabled") return undefined;
  const budget = thinking.budget_tokens ?? 0;
  if (budget < 1024) return "thinking.budget_tokens: must be at least 1024";
  return budget < (body["max_tokens"] as number)
    ? undefined
    : "max_tokens must be greater than thinking.budget_tokens";
}

function faultInCaching(body: Record<string, unknown>): string | undefined {
  const marks = countCacheControls(body);
  return marks <= 4 ? undefined : `a maximum of 4 blocks with cache_control may be provided, found ${marks}`;
}

function countCacheControls(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countCacheControls(item), 0);
  if (typeof value !== "object" || value === null) return 0;
  let sum = 0;
  for (const [key, inner] of Object.entries(value)) {
    sum += key === "cache_control" && inner !== null ? 1 : countCacheControls(inner);
  }
  return sum;
}
