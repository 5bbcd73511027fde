/** A tool as the scripted server lists it. */
export interface ScriptedMcpTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema?: Record<string, unknown>;
  readonly outputSchema?: Record<string, unknown>;
  readonly annotations?: Record<string, unknown>;
}

/** What a scripted server is. It can be changed between two requests. */
export interface McpScript {
  readonly tools: readonly ScriptedMcpTool[];
  /** It speaks the revision of 2026-07-28 and no other; else those that begin with `initialize`. */
  readonly modern?: boolean;
  /** What can be read, by address. */
  readonly resources?: Readonly<Record<string, string>>;
  /** Prepared texts, by name; `{who}` stands for an argument. */
  readonly prompts?: Readonly<Record<string, string>>;
  /** What tools answer, by name, whatever they are given. */
  readonly texts?: Readonly<Record<string, string>>;
  /** So many more tools, `more_1` and on. */
  readonly more?: number;
}

export interface RpcMessage {
  readonly jsonrpc?: string;
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: unknown;
  readonly error?: unknown;
}

/** How a server reaches its client, by whichever transport. */
export interface McpWire {
  send(message: unknown): Promise<void>;
  /** Bytes that are no message. */
  raw(text: string): Promise<void>;
  /** Asks the client for something, and resolves with its whole answer. */
  ask(method: string, params: Record<string, unknown>): Promise<RpcMessage>;
  /** Resolves once the client has withdrawn this request. */
  cancelled(id: string | number): Promise<void>;
  crash(): Promise<never>;
}

const COLOURS = {
  type: "object",
  properties: { colour: { type: "string", enum: ["red", "blue"] } },
  required: ["colour"],
};
const MODERN = "2026-07-28";
const MEGABYTE = 1024 * 1024;

function offers({ resources, prompts }: McpScript): Record<string, unknown> {
  return { ...(resources && { resources: {} }), ...(prompts && { prompts: {} }) };
}

/** Answers one request as the real protocol wants it; what a call does is in the tool's name. */
export async function answerMcp(request: RpcMessage, script: McpScript, wire: McpWire): Promise<void> {
  const { id, method, params = {} } = request;
  if (id === undefined) return;
  const result = (value: Record<string, unknown>) =>
    wire.send({ jsonrpc: "2.0", id, result: script.modern ? { resultType: "complete", ...value } : value });
  const error = (code: number, message: string) =>
    wire.send({ jsonrpc: "2.0", id, error: { code, message } });
  if (method === "server/discover" && script.modern)
    return result({
      supportedVersions: [MODERN],
      capabilities: { tools: {}, ...offers(script) },
      ttlMs: 0,
      cacheScope: "private",
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "scripted", version: "1.0.0" } },
    });
  if (method === "initialize" && !script.modern)
    return result({
      protocolVersion: params["protocolVersion"],
      capabilities: { tools: { listChanged: true }, ...offers(script) },
      serverInfo: { name: "scripted", version: "1.0.0" },
    });
  if (method === "ping") return result({});
  if (method === "tools/list") {
    const more = Array.from({ length: script.more ?? 0 }, (_, i) => ({ name: `more_${i}` }));
    const tools = [...script.tools, ...more].map((tool) => ({ inputSchema: { type: "object" }, ...tool }));
    return result({ tools, ...(script.modern ? { ttlMs: 0, cacheScope: "private" } : {}) });
  }
  const cached = script.modern ? { ttlMs: 0, cacheScope: "private" } : {};
  if (method === "resources/list" && script.resources)
    return result({
      resources: Object.keys(script.resources).map((uri) => ({ uri, name: uri.split("/").at(-1) })),
      ...cached,
    });
  if (method === "resources/read" && script.resources) {
    const uri = String(params["uri"]);
    const text = script.resources[uri];
    if (text === undefined) return error(-32002, "no such resource");
    return result({ contents: [{ uri, mimeType: "text/plain", text }], ...cached });
  }
  if (method === "prompts/list" && script.prompts)
    return result({
      prompts: Object.keys(script.prompts).map((name) => ({
        name,
        description: `The prompt ${name}`,
        arguments: [{ name: "who", required: true }],
      })),
      ...cached,
    });
  if (method === "prompts/get" && script.prompts) {
    const { who } = (params["arguments"] ?? {}) as { who?: string };
    const text = (script.prompts[String(params["name"])] ?? "").replaceAll("{who}", who ?? "");
    return result({ messages: [{ role: "user", content: { type: "text", text } }] });
  }
  if (method !== "tools/call") return error(-32601, `no method ${String(method)}`);
  const name = String(params["name"]);
  const given = (params["arguments"] ?? {}) as Record<string, unknown>;
  const text = (words: string) => result({ content: [{ type: "text", text: words }] });
  const token = (params["_meta"] as { progressToken?: unknown } | undefined)?.progressToken;
  const progress = (done: number, message?: string) =>
    wire.send({
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: { progressToken: token, progress: done, ...(message === undefined ? {} : { message }) },
    });
  const said = script.texts?.[name];
  if (said !== undefined) return text(said);
  switch (name) {
    case "fail":
      return result({ content: [{ type: "text", text: "the disk is full" }], isError: true });
    case "refuse":
      return error(-32602, "the argument is of the wrong kind");
    case "crash":
      return wire.crash();
    case "huge": {
      await wire.raw(
        `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"text","text":"`,
      );
      for (let sent = 0; sent < 100; sent++) await wire.raw("x".repeat(MEGABYTE));
      return wire.raw('"}]}}\n');
    }
    case "endless":
      for (let done = 1; ; done++) await progress(done, "y".repeat(64 * 1024));
    case "silent":
      return wire.cancelled(id);
    case "junk":
      await wire.raw("Listening on stdio!\n{not json\n{}\n[1,2]\n");
      return text("after the junk");
    case "twice":
      await text("first");
      return text("second");
    case "greedy": {
      const sampled = await wire.ask("sampling/createMessage", { messages: [], maxTokens: 1 });
      const roots = await wire.ask("roots/list", {});
      return text(JSON.stringify([sampled.error ?? sampled.result, roots.error ?? roots.result]));
    }
    case "ask": {
      const elicitation = {
        mode: "form",
        message: "Which one?",
        requestedSchema: given["schema"] ?? COLOURS,
      };
      if (!script.modern) {
        const answer = await wire.ask("elicitation/create", elicitation);
        return text(JSON.stringify(answer.result ?? answer.error));
      }
      if (params["inputResponses"]) return text(JSON.stringify(params["inputResponses"]));
      return result({
        resultType: "input_required",
        inputRequests: { q: { method: "elicitation/create", params: elicitation } },
        requestState: "opaque",
      });
    }
    case "misshapen":
      return result({ content: [], structuredContent: { count: "many" } });
    case "shaped":
      return result({ content: [], structuredContent: { count: 3 } });
    case "picture":
      return result({
        content: [
          { type: "text", text: "a picture" },
          { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" },
        ],
      });
    case "steps":
      await progress(1, "halfway");
      await progress(2);
      return text("done");
    case "environment":
      return text(JSON.stringify({ env: process.env, cwd: process.cwd() }));
    case "change":
      await wire.send({ jsonrpc: "2.0", method: "notifications/tools/list_changed" });
      return text("changed");
    default:
      return text(JSON.stringify({ name, given }));
  }
}
