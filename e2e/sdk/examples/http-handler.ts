/** An assistant behind HTTP: a handler of web-standard requests, as Hono and others take it. The answer is streamed. */
import type { Assistant } from "@elwood/sdk";

export function handler(assistant: Assistant): (request: Request) => Promise<Response> {
  return async (request) => {
    const prompt = await request.text();
    if (prompt.trim() === "") return new Response("Send a question as the body.\n", { status: 400 });
    // Whoever goes away stops the run.
    const gone = new AbortController();
    const signal = AbortSignal.any([request.signal, gone.signal]);
    const conversation = assistant.openConversation(assistant.newConversationId());
    const pieces = conversation.stream(prompt, { signal });
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        for (;;) {
          const { done, value: event } = await pieces.next();
          if (done) return controller.close();
          if (event.type === "error") return controller.error(new Error(event.message));
          if (event.type === "text_delta") return controller.enqueue(new TextEncoder().encode(event.text));
        }
      },
      cancel: () => gone.abort(),
    });
    return new Response(body, { headers: { "content-type": "text/plain; charset=utf-8" } });
  };
}
