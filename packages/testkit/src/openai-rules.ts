import { isRecord } from "@elwood/core/base/is-record";
import type { LedgerEntry } from "./loopback-server.ts";

type Fields = Readonly<Record<string, unknown>>;

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * What OpenAI's two APIs, or the strictest of the compatible servers, refuse with 400, as
 * far as an adapter can get it wrong. Answers the first fault found.
 */
export function openaiFault(request: LedgerEntry): string | undefined {
  if (request.method !== "POST") return undefined;
  const body = request.body as Fields | undefined;
  if (typeof body !== "object" || body === null) return "the body is not JSON";
  if (!/^Bearer \S+$/.test(request.headers["authorization"] ?? "")) return "no API key was sent";
  if (typeof body["model"] !== "string" || body["model"] === "") return "you must provide a model parameter";
  if (request.path.endsWith("/responses")) return responsesFault(body);
  if (request.path.endsWith("/chat/completions")) return chatFault(body);
  return undefined;
}

function responsesFault(body: Fields): string | undefined {
  const input = body["input"] as readonly Fields[] | string | undefined;
  if (input === undefined || input.length === 0) return "input: at least one item is required";
  const max = body["max_output_tokens"];
  if (typeof max === "number" && max < 16) return "max_output_tokens: expected a value >= 16";
  const reasons = !/^(gpt-4|gpt-3)/.test(word(body["model"]));
  if (!reasons && body["reasoning"])
    return "Unsupported parameter: 'reasoning.effort' is not supported with this model.";
  if (reasons && body["temperature"] !== undefined)
    return "Unsupported parameter: 'temperature' is not supported with this model.";
  const tools = (body["tools"] ?? []) as readonly Fields[];
  const bad = tools.find((t) => t["type"] === "function" && !NAME.test(word(t["name"])));
  if (bad) return `tools: name "${word(bad["name"])}" does not match the pattern`;
  return typeof input === "string" ? undefined : itemsFault(input, body["store"] === false);
}

function itemsFault(items: readonly Fields[], stateless: boolean): string | undefined {
  const outputs = items.filter((i) => i["type"] === "function_call_output").map((i) => i["call_id"]);
  const calls = items.filter((i) => i["type"] === "function_call").map((i) => i["call_id"]);
  for (const [at, item] of items.entries()) {
    switch (item["type"]) {
      case "function_call":
        if (!NAME.test(word(item["name"]))) return `input[${at}].name is not allowed`;
        if (word(item["call_id"]).length > 64) return `input[${at}].call_id is longer than 64`;
        if (!outputs.includes(item["call_id"]))
          return `No tool output found for function call ${word(item["call_id"])}.`;
        if (stateless && item["id"] !== undefined) return `Item with id '${word(item["id"])}' not found.`;
        break;
      case "function_call_output":
        if (!calls.includes(item["call_id"]))
          return `No tool call found for function call output ${word(item["call_id"])}.`;
        break;
      case "reasoning": {
        const next = items[at + 1];
        const follows =
          next?.["type"] === "function_call" ||
          next?.["type"] === "reasoning" ||
          next?.["role"] === "assistant";
        if (!follows)
          return `Item '${word(item["id"])}' of type 'reasoning' was provided without its required following item.`;
        if (stateless && !item["encrypted_content"])
          return `Item with id '${word(item["id"])}' not found. Items are not persisted when store is false.`;
        break;
      }
      default: {
        const fault = messageFault(item);
        if (fault) return `input[${at}]: ${fault}`;
      }
    }
  }
  return undefined;
}

function messageFault(item: Fields): string | undefined {
  const role = word(item["role"]);
  if (!["user", "assistant", "system", "developer"].includes(role))
    return `unknown item ${JSON.stringify(item).slice(0, 80)}`;
  const content = item["content"];
  if (typeof content === "string") return content === "" ? "content is empty" : undefined;
  if (!Array.isArray(content) || content.length === 0) return "content is empty";
  const allowed =
    role === "assistant" ? ["output_text", "refusal"] : ["input_text", "input_image", "input_file"];
  const wrong = (content as Fields[]).find((part) => !allowed.includes(word(part["type"])));
  return wrong ? `content type ${word(wrong["type"])} is not supported for role ${role}` : undefined;
}

function chatFault(body: Fields): string | undefined {
  const messages = body["messages"] as readonly Fields[] | undefined;
  if (!Array.isArray(messages) || messages.length === 0) return "messages: at least one is required";
  const tools = (body["tools"] ?? []) as readonly { function?: Fields }[];
  if (body["tools"] !== undefined && tools.length === 0) return "tools: [] is too short";
  if (tools.some((t) => !NAME.test(word(t.function?.["name"]))))
    return "tools: a name does not match the pattern";
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at] as Fields;
    if (message["role"] === "tool")
      return `messages[${at}]: role 'tool' must follow a message with 'tool_calls'`;
    if (message["role"] !== "assistant") {
      if (isEmpty(message["content"])) return `messages[${at}]: content is empty`;
      continue;
    }
    const calls = (message["tool_calls"] ?? []) as readonly { id: string; function: Fields }[];
    if (message["tool_calls"] !== undefined && calls.length === 0)
      return `messages[${at}].tool_calls: [] is too short`;
    if (calls.length === 0 && isEmpty(message["content"])) return `messages[${at}]: content is empty`;
    const unread = calls.find((c) => !isJsonObject(c.function["arguments"]));
    if (unread) return `messages[${at}]: arguments of ${unread.id} are not a JSON object`;
    for (const call of calls) {
      at += 1;
      const answer = messages[at] as Fields | undefined;
      if (answer?.["role"] !== "tool" || !calls.some((c) => c.id === answer["tool_call_id"]))
        return `an assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id': ${call.id}`;
      if (typeof answer["content"] !== "string")
        return `messages[${at}]: content of a tool message must be a string`;
    }
  }
  return undefined;
}

function isEmpty(content: unknown): boolean {
  return (
    content === undefined ||
    content === null ||
    content === "" ||
    (Array.isArray(content) && content.length === 0)
  );
}

function isJsonObject(text: unknown): boolean {
  try {
    return isRecord(JSON.parse(word(text)));
  } catch {
    return false;
  }
}

function word(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
