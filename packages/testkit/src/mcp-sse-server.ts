import { answerMcp, type McpScript, type McpWire, type RpcMessage } from "./mcp-script.ts";
import { LoopbackServer, type Exchange } from "./loopback-server.ts";

/** A scripted MCP server of the first kind: HTTP with server-sent events, as of 2024-11-05. */
export interface McpSseServer extends AsyncDisposable {
  readonly url: string;
  /** How many streams were opened. */
  readonly streams: () => number;
  /** Breaks the stream that is open. */
  cut(): void;
}

/** `endpoint` is where the server wants messages to be sent; of its own unless told. */
export async function startMcpSse(script: McpScript, endpoint?: string): Promise<McpSseServer> {
  const server = await new LoopbackServer().start();
  let open: Exchange | undefined;
  let streams = 0;
  server.always("POST /sse", (exchange) => {
    exchange.head(405);
    exchange.end();
  });
  server.always("GET /sse", async (exchange) => {
    streams += 1;
    open = exchange;
    exchange.head(200, { "content-type": "text/event-stream" });
    await exchange.write(`event: endpoint\ndata: ${endpoint ?? `/messages?session=${streams}`}\n\n`);
    await exchange.gone;
  });
  server.always("POST /messages", async (exchange) => {
    exchange.head(202);
    exchange.end();
    const stream = open;
    if (stream) await answerMcp(exchange.request.body as RpcMessage, script, wireOf(stream));
  });
  return {
    url: `${server.url}/sse`,
    streams: () => streams,
    cut: () => open?.cut(),
    [Symbol.asyncDispose]: () => server.close(),
  };
}

function wireOf(stream: Exchange): McpWire {
  return {
    send: (message) => stream.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`),
    raw: (text) => stream.write(text),
    ask: async () => {
      throw new Error("a client is not asked here");
    },
    cancelled: () => stream.gone,
    async crash() {
      stream.cut();
      throw new Error("cut");
    },
  };
}
