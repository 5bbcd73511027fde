import { createServer } from "node:http";

/** A model that answers at once over the Anthropic wire, and notes when each request arrived. */
export interface InstantModel {
  readonly url: string;
  /** When the last request had arrived in full, by the clock of this process. */
  readonly arrivedAt: () => number;
  close(): Promise<void>;
}

const TEXT = "A short answer, the same every time.";

export async function startInstantModel(): Promise<InstantModel> {
  let arrivedAt = 0;
  const body = events()
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join("");
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      arrivedAt = performance.now();
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    arrivedAt: () => arrivedAt,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function events(): { type: string; [field: string]: unknown }[] {
  const words = TEXT.split(/(?<= )/);
  return [
    {
      type: "message_start",
      message: {
        id: "msg_bench",
        type: "message",
        role: "assistant",
        model: "claude-sonnet-5-5",
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: {
          input_tokens: 100,
          output_tokens: 1,
          cache_read_input_tokens: 0,
          cache_creation_input_tokens: 0,
        },
      },
    },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    ...words.map((text) => ({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } })),
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: { output_tokens: words.length },
    },
    { type: "message_stop" },
  ];
}
