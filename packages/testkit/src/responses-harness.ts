import { toWireName } from "@elwood/core/model/model";
import type { ModelProvider } from "@elwood/runtime/ports/ports";
import { never, type StreamPart } from "./answers.ts";
import type { Answer } from "./loopback-server.ts";
import { openaiRefusal } from "./openai-refusal.ts";
import { RESPONSES_ROUTE, startOpenai } from "./openai-server.ts";
import { OPAQUE_BYTES, RAW_TEXT, type ContractAnswer, type ProviderHarness } from "./provider-harness.ts";
import { responses, type ResponsesItem, type ResponsesReply } from "./responses-wire.ts";

/** The contract's answers in the words of the Responses API. */
export async function responsesHarness(make: (baseUrl: string) => ModelProvider): Promise<ProviderHarness> {
  const server = await startOpenai();
  return {
    provider: make(server.baseUrl),
    will: (...answers) => void server.willRespond(...answers.map(toWire)),
    tries: () => server.requests.length,
    untilTries: (count) => server.untilRequests(count),
    abandoned: () => server.last().hungUp,
    sent: () => server.last(RESPONSES_ROUTE).text,
    assertDone: () => server.assertDone(),
    close: () => server.close(),
  };
}

type Part = StreamPart | ({ readonly type: string } & Readonly<Record<string, unknown>>);

function toWire(answer: ContractAnswer): Answer {
  const refused = openaiRefusal(answer);
  if (refused) return refused;
  if (answer.fault === "silence" && !answer.say) return never();
  const items: ResponsesItem[] = [];
  const parts: Part[] = [];
  for (const part of answer.say ?? []) {
    if ("wait" in part) {
      parts.push(part);
      continue;
    }
    if ("unknownEvent" in part) {
      parts.push({ type: "response.weather_report", sunny: true }, ": a comment\n\n");
      continue;
    }
    const item = itemOf(part, answer);
    parts.push(...responses.item(item, items.length));
    items.push(item);
  }
  const reply: ResponsesReply = {
    items,
    ...(answer.stop === "max_tokens" ? { incomplete: "max_output_tokens" as const } : {}),
    ...(answer.usage
      ? {
          usage: {
            input: answer.usage.inputTokens + answer.usage.cacheReadTokens + answer.usage.cacheWriteTokens,
            cached: answer.usage.cacheReadTokens,
            cacheWrite: answer.usage.cacheWriteTokens,
            output: answer.usage.outputTokens,
          },
        }
      : {}),
  };
  return responses.stream([...responses.opening(reply), ...parts, ...ending(answer, reply)]);
}

function itemOf(part: object, answer: ContractAnswer): ResponsesItem {
  const said = part as {
    text?: string;
    thinking?: string;
    image?: Uint8Array;
    tool?: string;
    input?: unknown;
    json?: string;
  };
  if (said.text !== undefined)
    return answer.stop === "refusal"
      ? { type: "refusal", refusal: said.text }
      : { type: "text", text: said.text };
  if (said.thinking !== undefined)
    return { type: "reasoning", summary: said.thinking, encrypted: OPAQUE_BYTES };
  if (said.image) return { type: "image", base64: Buffer.from(said.image).toString("base64") };
  return {
    type: "call",
    name: toWireName(said.tool ?? ""),
    callId: `call_${said.tool}`,
    ...(said.input === undefined ? {} : { input: said.input }),
    ...(said.json === undefined ? {} : { json: said.json }),
  };
}

function ending({ fault }: ContractAnswer, reply: ResponsesReply): Part[] {
  if (fault === "cut") return [{ cut: true }];
  if (fault === "silence") return [{ hang: true }];
  if (fault === "bad-json") return ['event: response.output_item.added\ndata: {"type": "respo\n\n'];
  if (fault === "overloaded-after-200") return [responses.failed("server_is_overloaded", RAW_TEXT)];
  return [responses.closing(reply)];
}
