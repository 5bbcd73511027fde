// A scripted MCP server over standard input and output: node mcp-stdio-server.ts <script.json> <journal>.
// The script is read again for each request, and each request leaves a line in the journal.
import { appendFileSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { answerMcp, type McpScript, type McpWire, type RpcMessage } from "./mcp-script.ts";

const [scriptFile = "", journal = ""] = process.argv.slice(2);
const asked = new Map<string, (message: RpcMessage) => void>();
const withdrawn = new Map<string | number, () => void>();

const write = (text: string) =>
  new Promise<void>((resolve) => {
    if (process.stdout.write(text)) resolve();
    else process.stdout.once("drain", resolve);
  });

const wire: McpWire = {
  send: (message) => write(`${JSON.stringify(message)}\n`),
  raw: write,
  ask(method, params) {
    const id = `ask-${asked.size}`;
    const { promise, resolve } = Promise.withResolvers<RpcMessage>();
    asked.set(id, resolve);
    void write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return promise;
  },
  cancelled: (id) => new Promise((resolve) => withdrawn.set(id, resolve)),
  crash: async () => process.exit(3),
};

process.stderr.write("scripted server started\n");
appendFileSync(journal, "start\n");

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line) as RpcMessage;
  const answer = typeof message.id === "string" ? asked.get(message.id) : undefined;
  if (message.method === undefined) {
    answer?.(message);
    continue;
  }
  const about = message.method === "tools/call" ? ` ${String(message.params?.["name"])}` : "";
  appendFileSync(journal, `${message.method}${about}\n`);
  if (message.method === "notifications/cancelled") {
    withdrawn.get(message.params?.["requestId"] as number)?.();
    continue;
  }
  void answerMcp(message, JSON.parse(readFileSync(scriptFile, "utf8")) as McpScript, wire);
}
