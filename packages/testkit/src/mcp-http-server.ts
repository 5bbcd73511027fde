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
  /** Servers of the older revisions ask and tell on a stream beside the calls, once it is opened. */
  tell(message: unknown): Promise<void>;
}

export async function startMcpHttp(script: McpScript): Promise<McpHttpServer> {
  const server = await new LoopbackServer().start();
  const asked: string[] = [];
  let refused: number | undefined;
  let current = script;
  let beside: Exchange | undefined;
  const owed = new Map<string, RpcMessage>();
  const questions = new Map<string | number, (answer: RpcMessage) => void>();
  const tell = async (message: unknown) => {
    if (beside === undefined) throw new Error("there is no stream beside the calls");
    await beside.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  };
  const ask: McpWire["ask"] = async (method, params) => {
    const id = `ask-${questions.size}`;
    const { promise, resolve } = Promise.withResolvers<RpcMessage>();
    questions.set(id, resolve);
    await tell({ jsonrpc: "2.0", id, method, params });
    return promise;
  };
  server.always("GET /mcp", async (exchange) => {
    const last = exchange.request.headers["last-event-id"];
    asked.push(last === undefined ? "stream" : `stream after ${last}`);
    if (current.modern) {
      exchange.head(405);
      exchange.end();
      return;
    }
    exchange.head(200, { "content-type": "text/event-stream" });
    const message = last === undefined ? undefined : owed.get(last);
    if (message === undefined) {
      beside = exchange;
      await exchange.write(": open\n\n");
      await exchange.gone;
      if (beside === exchange) beside = undefined;
    } else if (message.params?.["name"] === "never") await exchange.write(early(last ?? ""));
    else
      await answerMcp(
        message,
        current,
        wireOf(exchange, () => false, ask),
      );
    exchange.end();
  });
  server.always("POST /mcp", async (exchange) => {
    const message = exchange.request.body as RpcMessage;
    if (message.method === undefined) {
      questions.get(message.id ?? "")?.(message);
      exchange.head(202);
      exchange.end();
      return;
    }
    asked.push(
      message.method === "tools/call" ? `tools/call ${String(message.params?.["name"])}` : message.method,
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
    const name = message.params?.["name"];
    if (name === "later" || name === "never") {
      const id = `event-${owed.size}`;
      owed.set(id, message);
      await exchange.write(early(id));
      exchange.end();
      return;
    }
    let isGone = false;
    void exchange.gone.then(() => (isGone = true));
    await Promise.race([
      answerMcp(
        message,
        current,
        wireOf(exchange, () => isGone, ask),
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
    tell,
    [Symbol.asyncDispose]: () => server.close(),
  };
}

/** The stream of an answer that ends before it: the client is to come back for it. */
function early(id: string): string {
  return `id: ${id}\nretry: 10\ndata: \n\n`;
}

function wireOf(exchange: Exchange, isGone: () => boolean, ask: McpWire["ask"]): McpWire {
  const write = async (text: string) => {
    if (isGone()) throw new Error("the client is gone");
    await exchange.write(text);
  };
  return {
    send: (message) => write(`event: message\ndata: ${JSON.stringify(message)}\n\n`),
    raw: (text) => write(text.replace(/^(?=\{)/, "event: message\ndata: ").replace(/\n$/, "\n\n")),
    ask,
    cancelled: () => exchange.gone,
    async crash() {
      exchange.cut();
      throw new Error("cut");
    },
  };
}
