/** An assistant behind Express, or behind Node's own server: a handler of its requests. The answer is streamed. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Assistant } from "@elwood/sdk";

const PROMPT_BYTES_MAX = 100_000;

export function expressHandler(
  assistant: Assistant,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return async (request, response) => {
    let prompt = "";
    for await (const piece of request) {
      prompt += String(piece);
      if (prompt.length > PROMPT_BYTES_MAX) break;
    }
    if (prompt.trim() === "" || prompt.length > PROMPT_BYTES_MAX) {
      response.writeHead(400).end("Send a question as the body.\n");
      return;
    }
    // Whoever goes away stops the run.
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    const conversation = assistant.openConversation(assistant.newConversationId());
    response.setHeader("content-type", "text/plain; charset=utf-8");
    for await (const event of conversation.stream(prompt, { signal: gone.signal })) {
      if (event.type === "text_delta") response.write(event.text);
      if (event.type === "error") response.destroy(new Error(event.message));
    }
    response.end();
  };
}
