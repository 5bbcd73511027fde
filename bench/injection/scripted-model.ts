import { createServer } from "node:http";

export interface ScriptedCall {
  readonly toolId: string;
  readonly input: unknown;
}

/** A model over the Anthropic wire that makes the calls of its script, one an answer, and then says that it is done. */
export interface ScriptedModel {
  readonly url: string;
  /** Answers the name of a model that plays this script. */
  add(calls: readonly ScriptedCall[]): string;
  /** How many calls of a script the model has asked for so far. */
  asked(model: string): number;
  forget(model: string): void;
  close(): Promise<void>;
}

interface Played {
  readonly calls: readonly ScriptedCall[];
  asked: number;
}

interface Request {
  readonly model: string;
  readonly messages: readonly { readonly role: string }[];
}

export async function startScriptedModel(): Promise<ScriptedModel> {
  const scripts = new Map<string, Played>();
  let made = 0;
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      // Only the gateway under measurement speaks to this server.
      const { model, messages } = JSON.parse(Buffer.concat(parts).toString()) as Request;
      const lap = messages.filter(({ role }) => role === "assistant").length;
      const script = scripts.get(model);
      const call = script?.calls[lap];
      if (script) script.asked = Math.min(lap + 1, script.calls.length);
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(events(call === undefined ? SAID : called(call, `${model}_${lap}`), call !== undefined));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`,
    add(calls) {
      const model = `scripted-${made++}`;
      scripts.set(model, { calls, asked: 0 });
      return model;
    },
    asked: (model) => scripts.get(model)?.asked ?? 0,
    forget: (model) => void scripts.delete(model),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Block = { readonly start: Record<string, unknown>; readonly delta: Record<string, unknown> };

const SAID: Block = {
  start: { type: "text", text: "" },
  delta: { type: "text_delta", text: "That is all I can say." },
};

function called({ toolId, input }: ScriptedCall, id: string): Block {
  return {
    start: { type: "tool_use", id: `toolu_${id}`, name: toolId.replaceAll(".", "__"), input: {} },
    delta: { type: "input_json_delta", partial_json: JSON.stringify(input) },
  };
}

function events({ start, delta }: Block, calls: boolean): string {
  const usage = {
    input_tokens: 10,
    output_tokens: 1,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
  };
  const message = {
    id: "msg_bench",
    type: "message",
    role: "assistant",
    model: "scripted",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  };
  const all = [
    { type: "message_start", message },
    { type: "content_block_start", index: 0, content_block: start },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: calls ? "tool_use" : "end_turn", stop_sequence: null },
      usage: { output_tokens: 1 },
    },
    { type: "message_stop" },
  ];
  return all.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}
