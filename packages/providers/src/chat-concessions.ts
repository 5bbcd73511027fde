/** A thing that OpenAI's API has and a compatible server may not. */
export type Concession = "no-stream-options" | "no-stream" | "no-max-tokens" | "new-max-tokens" | "no-effort";

interface Sent {
  readonly stream: boolean;
  readonly streamOptions: boolean;
  readonly maxTokens: "old" | "new" | "none";
  readonly effort: boolean;
}

/** What the next request is to look like, given what the server would not take. */
export function shapeFor(conceded: ReadonlySet<Concession>, effortAsked: boolean): Sent {
  const stream = !conceded.has("no-stream");
  return {
    stream,
    streamOptions: stream && !conceded.has("no-stream-options"),
    maxTokens: conceded.has("no-max-tokens") ? "none" : conceded.has("new-max-tokens") ? "new" : "old",
    effort: effortAsked && !conceded.has("no-effort"),
  };
}

/**
 * What to give up after a request was refused; undefined where the refusal is about
 * something else. Each can be given up once, so this ends.
 */
export function concede(error: unknown, sent: Sent): Concession | undefined {
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
