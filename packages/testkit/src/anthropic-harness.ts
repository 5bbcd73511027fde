import { toWireName } from "@elwood/core/model/model";
import type { ModelProvider } from "@elwood/runtime/ports/ports";
import { never, type StreamPart } from "./answers.ts";
import { anthropic, ANTHROPIC_ROUTE, startAnthropic, type AnthropicReply } from "./anthropic-server.ts";
import type { Answer } from "./loopback-server.ts";
import {
  OPAQUE_BYTES,
  RAW_TEXT,
  type ContractAnswer,
  type ContractFault,
  type ProviderHarness,
} from "./provider-harness.ts";

/** The contract's answers in the words of the Messages API. */
export async function anthropicHarness(make: (baseUrl: string) => ModelProvider): Promise<ProviderHarness> {
  const server = await startAnthropic();
  return {
    provider: make(server.url),
    will: (...answers) => void server.will(...answers.map(toWire)),
    tries: () => server.requests.length,
    untilTries: (count) => server.untilRequests(count),
    abandoned: () => server.last().hungUp,
    sent: () => server.last(ANTHROPIC_ROUTE).text,
    assertDone: () => server.assertDone(),
    close: () => server.close(),
  };
}

function toWire(answer: ContractAnswer): Answer {
  const refused = refusal(answer);
  if (refused) return refused;
  if (answer.fault === "silence" && !answer.say) return never();
  const called = answer.say?.some((part) => "tool" in part) ?? false;
  const reply: AnthropicReply = {
    content: [],
    stop: STOPS[answer.stop ?? (called ? "tool_use" : "end_turn")],
    ...(answer.usage
      ? {
          usage: {
            input_tokens: answer.usage.inputTokens,
            output_tokens: answer.usage.outputTokens,
            cache_read_input_tokens: answer.usage.cacheReadTokens,
            cache_creation_input_tokens: answer.usage.cacheWriteTokens,
          },
        }
      : {}),
  };
  return anthropic.stream([anthropic.start(reply), ...spoken(answer), ...ending(answer, reply)]);
}

const STOPS = {
  end_turn: "end_turn",
  tool_use: "tool_use",
  max_tokens: "max_tokens",
  stop_sequence: "stop_sequence",
  pause_turn: "pause_turn",
  refusal: "refusal",
  context_full: "model_context_window_exceeded",
} as const;

function spoken(answer: ContractAnswer): StreamPart[] {
  let index = 0;
  return (answer.say ?? []).flatMap((part): StreamPart[] => {
    if ("wait" in part) return [part];
    if ("unknownEvent" in part) return [anthropic.event("weather_report", { sunny: true }), anthropic.ping()];
    if ("image" in part) throw new Error("the Messages API makes no pictures");
    if ("text" in part) return anthropic.block({ type: "text", text: part.text }, index++);
    if ("thinking" in part)
      return anthropic.block({ type: "thinking", thinking: part.thinking, signature: OPAQUE_BYTES }, index++);
    const { tool, ...rest } = part;
    return anthropic.block(
      { type: "tool_use", name: toWireName(tool), id: `toolu_${index}`, ...rest },
      index++,
    );
  });
}

function ending({ fault }: ContractAnswer, reply: AnthropicReply): StreamPart[] {
  if (fault === "cut") return [{ cut: true }];
  if (fault === "silence") return [{ hang: true }];
  if (fault === "bad-json") return ['event: content_block_start\ndata: {"type": "content_bl\n\n'];
  if (fault === "overloaded-after-200") return [anthropic.errorEvent("overloaded_error", RAW_TEXT)];
  return anthropic.end(reply);
}

const ERRORS: Partial<Record<ContractFault, readonly [status: number, message?: string]>> = {
  AUTH: [401],
  BILLING: [400, "Your credit balance is too low"],
  RATE_LIMITED: [429],
  OVERLOADED: [529],
  CONTEXT_FULL: [400, "prompt is too long: 210000 tokens > 200000 maximum"],
  MODEL_UNKNOWN: [404],
  BAD_REQUEST: [400],
  UPSTREAM_ERROR: [500],
};

function refusal({ fault, retryAfterMs }: ContractAnswer): Answer | undefined {
  const error = fault && ERRORS[fault];
  if (!error) return undefined;
  const headers: Record<string, string> =
    retryAfterMs === undefined ? {} : { "retry-after-ms": String(retryAfterMs) };
  return anthropic.error(error[0], { message: `${RAW_TEXT} ${error[1] ?? ""}`, headers });
}
