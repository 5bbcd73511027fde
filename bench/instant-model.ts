import { createServer } from "node:http";

/** A model that answers at once over the Anthropic wire, and notes when each request arrived. */
export interface InstantModel {
  readonly url: string;
  /** When the last request had arrived in full, by the clock of this process. */
  readonly arrivedAt: () => number;
  /** How many requests there were. */
  readonly requests: () => number;
  close(): Promise<void>;
}

const TEXT = "A short answer, the same every time.";

/** What the model writes: the same short text, unless a benchmark wants it to look at the last message. */
export type InstantAnswer = (last: WireMessage) => InstantReply;
export type InstantReply =
  | { readonly text: string }
  | { readonly tool: string; readonly input: Readonly<Record<string, unknown>> };

/** As much of a request as an answer may depend on. */
export interface WireMessage {
  readonly role: string;
  readonly content: string | readonly { readonly type: string; readonly text?: string }[];
}

export async function startInstantModel(answer?: InstantAnswer): Promise<InstantModel> {
  let arrivedAt = 0;
  let requests = 0;
  const same = streamOf({ text: TEXT });
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    if (answer) request.on("data", (piece: Buffer) => pieces.push(piece));
    else request.resume();
    request.on("end", () => {
      arrivedAt = performance.now();
      requests += 1;
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(answer ? streamOf(answer(lastMessage(Buffer.concat(pieces)))) : same);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    arrivedAt: () => arrivedAt,
    requests: () => requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/**
 * The last message of a request, without reading the rest, which is thousands of characters: a real model does that on
 * another machine, and here it would take the time of what is measured.
 */
function lastMessage(body: Buffer): WireMessage {
  const from = body.lastIndexOf('{"role":"');
  let depth = 0;
  let isText = false;
  for (let at = from; at >= 0 && at < body.length; at += 1) {
    const sign = body[at];
    if (isText && sign === BACKSLASH) at += 1;
    else if (sign === QUOTE) isText = !isText;
    else if (!isText && sign === OPENS) depth += 1;
    else if (!isText && sign === CLOSES && --depth === 0)
      return JSON.parse(body.toString("utf8", from, at + 1)) as WireMessage;
  }
  throw new Error("the request has no message");
}

const [QUOTE, BACKSLASH, OPENS, CLOSES] = Buffer.from('"\\{}');

function streamOf(reply: InstantReply): string {
  return events(reply)
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join("");
}

function events(reply: InstantReply): { type: string; [field: string]: unknown }[] {
  const isText = "text" in reply;
  const pieces = isText ? reply.text.split(/(?<= )/) : [JSON.stringify(reply.input)];
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
    {
      type: "content_block_start",
      index: 0,
      content_block: isText
        ? { type: "text", text: "" }
        : { type: "tool_use", id: "toolu_bench", name: reply.tool, input: {} },
    },
    ...pieces.map((piece) => ({
      type: "content_block_delta",
      index: 0,
      delta: isText ? { type: "text_delta", text: piece } : { type: "input_json_delta", partial_json: piece },
    })),
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: isText ? "end_turn" : "tool_use", stop_sequence: null },
      usage: { output_tokens: pieces.length },
    },
    { type: "message_stop" },
  ];
}
