import type { ToolContext, ToolDefinition } from "@elwood/sdk/tool";

/** One handler run as the gateway would, with a fetch of the test's own. */
export function run(
  tool: ToolDefinition,
  input: Record<string, unknown>,
  fetch: typeof globalThis.fetch,
  secrets: Record<string, string> = {},
): Promise<{ value: Record<string, unknown>; text: string; truncated?: boolean }> {
  const ctx: ToolContext = {
    callId: "call-1",
    session: "ses_1",
    idempotencyKey: "key-1",
    signal: new AbortController().signal,
    progress: () => undefined,
    fetch,
    secrets,
  };
  const schema = tool.input as { parse(value: unknown): unknown };
  return Promise.resolve(tool.handler(schema.parse(input), ctx)) as ReturnType<typeof run>;
}

/** A fetch that answers with one response, and notes what it was asked. */
export function answering(
  body: BodyInit | null,
  init: ResponseInit & { url?: string } = {},
): { fetch: typeof globalThis.fetch; asked: { url: string; headers: Headers }[] } {
  const asked: { url: string; headers: Headers }[] = [];
  const fetch: typeof globalThis.fetch = async (input, options) => {
    const url = input instanceof Request ? input.url : String(input);
    asked.push({ url, headers: new Headers(options?.headers) });
    const response = new Response(body, init);
    Object.defineProperty(response, "url", { value: init.url ?? url });
    return response;
  };
  return { fetch, asked };
}
