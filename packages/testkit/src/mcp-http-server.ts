import { answerMcp, type McpScript, type McpWire, type RpcMessage } from "./mcp-script.ts";
import { LoopbackServer, type Exchange } from "./loopback-server.ts";

/** A scripted MCP server over streamable HTTP. */
export interface McpHttpServer extends AsyncDisposable {
  readonly url: string;
  script: McpScript;
  /** The methods that were asked for, with the name of the tool. */
  readonly asked: readonly string[];
  /** The headers of the last request. */
  headers(): Readonly<Record<string, string>>;
  /** From now on each request is answered with this status. */
  refuse(status: number | undefined): void;
}

export async function startMcpHttp(script: McpScript): Promise<McpHttpServer> {
  const server = await new LoopbackServer().start();
  const asked: string[] = [];
  let refused: number | undefined;
  let current = script;
  server.always("POST /mcp", async (exchange) => {
    const message = exchange.request.body as RpcMessage;
    asked.push(
      message.method === "tools/call"
        ? `tools/call ${String(message.params?.["name"])}`
        : String(message.method),
    );
    if (refused !== undefined) {
      exchange.head(refused, { "content-type": "text/plain" });
      exchange.end("no");
      return;
    }
    if (message.id === undefined) {
      exchange.head(202);
      exchange.end();
      return;
    }
    exchange.head(200, { "content-type": "text/event-stream" });
    let isGone = false;
    void exchange.gone.then(() => (isGone = true));
    await Promise.race([
      answerMcp(
        message,
        current,
        wireOf(exchange, () => isGone),
      ),
      exchange.gone,
    ]);
    exchange.end();
  });
  return {
    url: `${server.url}/mcp`,
    get script() {
      return current;
    },
    set script(next) {
      current = next;
    },
    asked,
    headers: () => server.requests.at(-1)?.headers ?? {},
    refuse: (status) => (refused = status),
    [Symbol.asyncDispose]: () => server.close(),
  };
}

function wireOf(exchange: Exchange, isGone: () => boolean): McpWire {
  const write = async (text: string) => {
    if (isGone()) throw new Error("the client is gone");
    await exchange.write(text);
  };
  return {
    send: (message) => write(`event: message\ndata: ${JSON.stringify(message)}\n\n`),
    raw: (text) => write(text.replace(/^(?=\{)/, "event: message\ndata: ").replace(/\n$/, "\n\n")),
    ask: async () => {
      throw new Error("a client over HTTP is not asked here");
    },
    cancelled: () => exchange.gone,
    async crash() {
      exchange.cut();
      throw new Error("cut");
    },
  };
}
