import { toWireName } from "@elwood/core/model/model";
import type { ModelProvider } from "@elwood/runtime/ports/ports";
import { never, type StreamPart } from "./answers.ts";
import { chat, type ChatReply } from "./chat-wire.ts";
import type { Answer } from "./loopback-server.ts";
import { openaiRefusal } from "./openai-refusal.ts";
import { CHAT_ROUTE, startOpenai } from "./openai-server.ts";
import { RAW_TEXT, type ContractAnswer, type ProviderHarness } from "./provider-harness.ts";

/** The contract's answers in the words of Chat Completions. */
export async function chatHarness(make: (baseUrl: string) => ModelProvider): Promise<ProviderHarness> {
  const server = await startOpenai();
  return {
    provider: make(server.baseUrl),
    will: (...answers) => void server.willChat(...answers.map(toWire)),
    tries: () => server.requests.length,
    untilTries: (count) => server.untilRequests(count),
    abandoned: () => server.last().hungUp,
    sent: () => server.last(CHAT_ROUTE).text,
    assertDone: () => server.assertDone(),
    close: () => server.close(),
  };
}

function toWire(answer: ContractAnswer): Answer {
  const refused = openaiRefusal(answer);
  if (refused) return refused;
  if (answer.fault === "silence" && !answer.say) return never();
  const said = answer.say ?? [];
  const calls = said.flatMap((part) => ("tool" in part ? [part] : []));
  const reply: ChatReply = {
    finish:
      answer.stop === "max_tokens"
        ? "length"
        : answer.stop === "refusal"
          ? "content_filter"
          : calls.length > 0
            ? "tool_calls"
            : "stop",
    ...(answer.usage
      ? {
          usage: {
            prompt: answer.usage.inputTokens + answer.usage.cacheReadTokens,
            cached: answer.usage.cacheReadTokens,
            completion: answer.usage.outputTokens,
          },
        }
      : {}),
  };
  let call = 0;
  const parts = said.flatMap((part): (object | StreamPart)[] => {
    if ("wait" in part) return [part];
    if ("unknownEvent" in part) return [": keep-alive\n\n", { choices: [], weather: "sunny" }];
    if ("text" in part) return body({ text: part.text });
    if ("thinking" in part) return body({ reasoning: part.thinking });
    if ("image" in part)
      return body({ images: [`data:image/png;base64,${Buffer.from(part.image).toString("base64")}`] });
    const { tool, ...rest } = part;
    const made = body({ calls: [{ name: toWireName(tool), id: `call_${tool}`, ...rest }] });
    return renumber(made, call++);
  });
  return chat.stream([...parts, ...ending(answer, reply)]);
}

/** What a reply of one kind of content streams, without its end. */
function body(reply: ChatReply): object[] {
  const chunks = chat.chunks(reply, false);
  return chunks.slice(0, -2).filter((chunk) => typeof chunk === "object");
}

function renumber(chunks: object[], index: number): object[] {
  return chunks.map(
    (chunk) =>
      JSON.parse(
        JSON.stringify(chunk).replace('"tool_calls":[{"index":0', `"tool_calls":[{"index":${index}`),
      ) as object,
  );
}

function ending({ fault }: ContractAnswer, reply: ChatReply): (object | StreamPart)[] {
  if (fault === "cut") return [{ cut: true }];
  if (fault === "silence") return [{ hang: true }];
  if (fault === "bad-json") return ['data: {"choices": [{"del\n\n'];
  if (fault === "overloaded-after-200") return [{ error: { code: 503, message: RAW_TEXT } }];
  return chat.chunks(reply).slice(-3);
}
