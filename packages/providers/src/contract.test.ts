import { anthropicHarness } from "@elwood/testkit/anthropic-harness";
import { chatHarness } from "@elwood/testkit/chat-harness";
import { describeEmbedContract } from "@elwood/testkit/embed-contract";
import type { ManualClock } from "@elwood/testkit/manual-clock";
import { describeProviderContract } from "@elwood/testkit/provider-contract";
import { CONTRACT_KEY } from "@elwood/testkit/provider-harness";
import { responsesHarness } from "@elwood/testkit/responses-harness";
import { makeAnthropic } from "./anthropic.ts";
import { makeProvider } from "./models.ts";
import { makeOpenaiChat } from "./openai-chat.ts";
import { makeOpenaiResponses } from "./openai-responses.ts";

const options = (id: string, label: string, clock: ManualClock) => (baseUrl: string) => ({
  who: {
    id,
    label,
    baseUrl,
    local: false,
    credential: { type: "api_key" as const, secret: CONTRACT_KEY, source: "TEST_KEY" },
  },
  clock,
  random: () => 0.5,
});

describeProviderContract(
  "Anthropic",
  (clock) => anthropicHarness((url) => makeAnthropic(options("anthropic", "Anthropic", clock)(url))),
  {
    "a picture that the model makes is stored and named": "the Messages API makes no pictures",
    "REFUSED is said at once and not tried again": "a refusal is a stop reason in this API, never an error",
  },
);

describeProviderContract(
  "OpenAI Responses",
  (clock) => responsesHarness((url) => makeOpenaiResponses(options("openai", "OpenAI", clock)(url))),
  {
    "stop reason stop_sequence": "the API takes no stop sequences",
    "stop reason pause_turn": "the API has no such ending",
    "stop reason context_full": "the API refuses before it answers: CONTEXT_FULL",
  },
);

describeProviderContract(
  "OpenAI-compatible Chat Completions",
  (clock) => chatHarness((url) => makeOpenaiChat(options("ollama", "Ollama", clock)(url))),
  {
    "stop reason stop_sequence": "finish_reason stop does not tell it from the end",
    "stop reason pause_turn": "the API has no such ending",
    "stop reason context_full": "the API refuses before it answers: CONTEXT_FULL",
    "its own thinking goes back untouched": "there is no field for it that all servers know",
  },
);

describeEmbedContract("OpenAI-compatible Chat Completions", (url, clock) =>
  makeOpenaiChat(options("ollama", "Ollama", clock)(url)),
);

describeEmbedContract("a provider whose code is loaded later", (baseUrl, clock) =>
  makeProvider(
    { id: "openai", label: "OpenAI", api: "responses", baseUrl, keyNeeded: true },
    { type: "api_key", secret: CONTRACT_KEY, source: "TEST_KEY" },
    { clock, random: () => 0.5 },
  ),
);
