/** An assistant behind HTTP: a handler of web-standard requests, as Hono and others take it. The answer is streamed. */
import type { Assistant } from "@elwood/sdk";

export function handler(assistant: Assistant): (request: Request) => Promise<Response> {
  return async (request) => {
    const prompt = await request.text();
    if (prompt.trim() === "") return new Response("Send a question as the body.\n", { status: 400 });
    const conversation = assistant.openConversation(assistant.newConversationId());
    const pieces = conversation.stream(prompt, { signal: request.signal });
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        for await (const event of pieces) {
          if (event.type === "text_delta") controller.enqueue(new TextEncoder().encode(event.text));
          if (event.type === "error") controller.error(new Error(event.message));
        }
        controller.close();
      },
    });
    return new Response(body, { headers: { "content-type": "text/plain; charset=utf-8" } });
  };
}
