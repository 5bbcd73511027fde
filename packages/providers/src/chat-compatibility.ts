/** A feature of OpenAI's API that a compatible server may lack. */
export type UnsupportedFeature =
  | "no-stream-options"
  | "no-stream"
  | "no-max-tokens"
  | "new-max-tokens"
  | "no-effort";

interface Sent {
  readonly stream: boolean;
  readonly streamOptions: boolean;
  readonly maxTokens: "old" | "new" | "none";
  readonly effort: boolean;
}

/** The shape of the next request, without the features the server has refused. */
export function shapeFor(unsupported: ReadonlySet<UnsupportedFeature>, effortAsked: boolean): Sent {
  const stream = !unsupported.has("no-stream");
  return {
    stream,
    streamOptions: stream && !unsupported.has("no-stream-options"),
    maxTokens: unsupported.has("no-max-tokens") ? "none" : unsupported.has("new-max-tokens") ? "new" : "old",
    effort: effortAsked && !unsupported.has("no-effort"),
  };
}

/**
 * Which feature to leave out after a refused request; undefined if the refusal is about something else.
 * Each feature is left out once, so this terminates.
 */
export function unsupportedFeature(error: unknown, sent: Sent): UnsupportedFeature | undefined {
  const { status, error: body } = (error ?? {}) as { status?: unknown; error?: unknown };
  if (status !== 400 && status !== 422 && status !== 501) return undefined;
  const text = JSON.stringify(body ?? "").toLowerCase();
  if (sent.streamOptions && text.includes("stream_options")) return "no-stream-options";
  if (sent.maxTokens === "old" && text.includes("max_completion_tokens")) return "new-max-tokens";
  // vLLM counts the room we ask for against its context: what was said may well fit.
  if (sent.maxTokens !== "none" && /max_(completion_)?tokens|maximum context length/.test(text))
    return "no-max-tokens";
  if (sent.effort && /reasoning|think/.test(text)) return "no-effort";
  if (sent.stream && /stream(ing)?\b/.test(text)) return "no-stream";
  return undefined;
}
