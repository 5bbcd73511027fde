import { formatModelRef } from "@elwood/core/model/model";
import type { Clock, Models } from "@elwood/runtime/ports/ports";
import { finding, ok, type Finding } from "./finding.ts";

const ANSWER_TOKENS_MAX = 64;
const ANSWER_MS_MAX = 60_000;

/** One short question to the model that answers by default. It costs a fraction of a cent. */
export async function liveCall(models: () => Promise<Models>, clock: Pick<Clock, "now">): Promise<Finding> {
  const resolved = await (await models()).resolve(undefined);
  if (!resolved.ok) {
    return finding("error", "model.live", resolved.error.message, resolved.error.reason, "elwood auth list");
  }
  const { ref, provider } = resolved.value;
  const name = formatModelRef(ref);
  const began = clock.now();
  const stream = provider.chat({
    model: ref.model,
    system: "Answer in one word.",
    messages: [
      {
        id: "doctor",
        ts: began,
        role: "user",
        origin: "owner",
        blocks: [{ type: "text", text: "Say: ready" }],
      },
    ],
    tools: [],
    maxOutputTokens: ANSWER_TOKENS_MAX,
    readBlob: async () => undefined,
    writeBlob: async () => "none",
    signal: AbortSignal.timeout(ANSWER_MS_MAX),
  });
  for await (const event of stream) {
    if (event.type === "done") {
      const tokens = event.usage.inputTokens + event.usage.outputTokens;
      return ok("model.live", `${name} answered a live call.`, `${clock.now() - began} ms, ${tokens} tokens`);
    }
    if (event.type === "failed") {
      const { reason, message } = event.failure;
      const fix = reason === "AUTH" ? `elwood auth ${ref.provider}` : "Try again; see also: elwood auth list";
      return finding("error", "model.live", `${name} did not answer: ${message}`, reason, fix);
    }
  }
  throw new Error("the stream of a model ended without a last word");
}
