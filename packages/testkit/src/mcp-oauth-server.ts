import { createHash } from "node:crypto";
import { answerMcp, type McpScript, type RpcMessage } from "./mcp-script.ts";
import { LoopbackServer, type Exchange } from "./loopback-server.ts";

/** An MCP server over HTTP that wants a login by OAuth 2.1, and who logs people in for it. */
export interface McpOAuthServer extends AsyncDisposable {
  readonly url: string;
  /** Where it says that logins begin, and where codes become tokens; hostile ones lie elsewhere. */
  endpoints: { authorize?: string; token?: string };
  /** The tokens that are good. */
  readonly good: Set<string>;
  /** Whether a token may be renewed. */
  renews: boolean;
  /** Scopes: what it wants for every request, and for calls beside that. */
  readonly scopes: { basic?: string; calls?: string };
  /** The one client that it knows, where nobody can register. */
  client: { readonly id: string; readonly secret: string } | undefined;
  /** What was asked, a line each. */
  readonly asked: string[];
  /** The browser's part: logs in at the address, and answers where it was sent to. */
  approve(address: string): string;
}

export async function startMcpOAuth(script: McpScript): Promise<McpOAuthServer> {
  const server = await new LoopbackServer().start();
  const good = new Set<string>();
  const asked: string[] = [];
  const codes = new Map<
    string,
    { readonly challenge: string; readonly redirect: string; readonly scope: string }
  >();
  const granted = new Map<string, string>();
  let made = 0;
  const json = (exchange: Exchange, status: number, value: unknown, headers: Record<string, string> = {}) => {
    exchange.head(status, { "content-type": "application/json", ...headers });
    exchange.end(JSON.stringify(value));
  };
  const nothing = (exchange: Exchange) => json(exchange, 404, {});
  const state: McpOAuthServer = {
    url: `${server.url}/mcp`,
    endpoints: {},
    good,
    renews: true,
    scopes: {},
    client: undefined,
    asked,
    approve(address) {
      const { searchParams } = new URL(address);
      const redirect = searchParams.get("redirect_uri") ?? "";
      if (searchParams.get("code_challenge_method") !== "S256") throw new Error("no proof key");
      const code = `code-${++made}`;
      const scope = searchParams.get("scope") ?? "";
      codes.set(code, { challenge: searchParams.get("code_challenge") ?? "", redirect, scope });
      const back = new URL(redirect);
      back.searchParams.set("code", code);
      back.searchParams.set("state", searchParams.get("state") ?? "");
      return back.href;
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
  const resource = { resource: `${server.url}/mcp`, authorization_servers: [server.url] };
  server.always("GET /.well-known/oauth-protected-resource/mcp", (exchange) => json(exchange, 200, resource));
  server.always("GET /.well-known/oauth-protected-resource", (exchange) => json(exchange, 200, resource));
  server.always("GET /.well-known/openid-configuration", nothing);
  server.always("GET /.well-known/oauth-authorization-server", (exchange) =>
    json(exchange, 200, {
      issuer: server.url,
      authorization_endpoint: state.endpoints.authorize ?? `${server.url}/authorize`,
      token_endpoint: state.endpoints.token ?? `${server.url}/token`,
      ...(!state.client && { registration_endpoint: `${server.url}/register` }),
      response_types_supported: ["code"],
      code_challenge_methods_supported: ["S256"],
      token_endpoint_auth_methods_supported: [state.client ? "client_secret_basic" : "none"],
    }),
  );
  server.always("POST /register", (exchange) => {
    asked.push("register");
    json(exchange, 201, { ...(exchange.request.body as object), client_id: `client-${++made}` });
  });
  server.always("POST /token", (exchange) => {
    const form = new URLSearchParams(exchange.request.text);
    const grant = form.get("grant_type") ?? "";
    asked.push(`token ${grant}`);
    const { client } = state;
    const basic = client && `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString("base64")}`;
    if (basic !== undefined && exchange.request.headers["authorization"] !== basic)
      return json(exchange, 401, { error: "invalid_client" });
    let scope: string | undefined;
    if (grant === "refresh_token" && !state.renews) return json(exchange, 400, { error: "invalid_grant" });
    if (grant === "authorization_code") {
      const code = codes.get(form.get("code") ?? "");
      codes.delete(form.get("code") ?? "");
      const proof = createHash("sha256")
        .update(form.get("code_verifier") ?? "")
        .digest("base64url");
      if (code?.challenge !== proof || code.redirect !== form.get("redirect_uri"))
        return json(exchange, 400, { error: "invalid_grant" });
      scope = code.scope;
    }
    const token = `token-${++made}`;
    good.add(token);
    granted.set(token, scope ?? [...granted.values()].at(-1) ?? "");
    return json(exchange, 200, {
      access_token: token,
      token_type: "Bearer",
      refresh_token: `refresh-${made}`,
      expires_in: 3600,
    });
  });
  server.always("POST /mcp", async (exchange) => {
    const token = (exchange.request.headers["authorization"] ?? "").replace(/^Bearer /, "");
    const metadata = `resource_metadata="${server.url}/.well-known/oauth-protected-resource/mcp"`;
    const { basic, calls } = state.scopes;
    if (!good.has(token)) {
      const scope = basic === undefined ? "" : `, scope="${basic}"`;
      return json(exchange, 401, {}, { "www-authenticate": `Bearer ${metadata}${scope}` });
    }
    const message = exchange.request.body as RpcMessage;
    const has = granted.get(token)?.split(" ") ?? [];
    if (message.method === "tools/call" && calls !== undefined && !has.includes(calls))
      return json(
        exchange,
        403,
        { error: "insufficient_scope" },
        { "www-authenticate": `Bearer ${metadata}, error="insufficient_scope", scope="${calls}"` },
      );
    if (message.id === undefined) {
      exchange.head(202);
      exchange.end();
      return;
    }
    exchange.head(200, { "content-type": "text/event-stream" });
    await answerMcp(message, script, {
      send: (each) => exchange.write(`event: message\ndata: ${JSON.stringify(each)}\n\n`),
      raw: (text) => exchange.write(text),
      ask: async () => {
        throw new Error("a client over HTTP is not asked here");
      },
      cancelled: () => exchange.gone,
      async crash() {
        exchange.cut();
        throw new Error("cut");
      },
    });
    exchange.end();
  });
  return state;
}
