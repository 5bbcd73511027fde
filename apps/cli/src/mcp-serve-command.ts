import type { Client, RequestOptions } from "@modelcontextprotocol/client";
import type { Server, ServerContext } from "@modelcontextprotocol/server";
import { GatewayClient } from "@elwood/sdk/client";
import type { Link } from "./connect.ts";
import { EXIT, type Io } from "./io.ts";
import { VERSION } from "./version.ts";

/** By this name the gateway knows the token of this command. */
const TOKEN_NAME = "mcp serve";
/** Longer than the gateway lets anybody wait. */
const ANSWER_MS = 660_000;

/**
 * `elwood mcp serve`: Elwood as an MCP server on standard input and output, for a host that starts it. What
 * comes in goes to `/mcp` of the gateway: whoever speaks here is a program, whatever this command itself may
 * do. So it uses a token of the scopes `chat` and `execute` that is made for this and revoked at the end, or the one in its
 * environment where that is a program's already.
 */
export async function serveMcp(io: Io, link: Link): Promise<number> {
  try {
    const client = await GatewayClient.over(link.connection);
    if (!client.may("admin")) return await serve(io, link.endpoint);
    const { token, info } = await client.call("tokens.create", {
      name: TOKEN_NAME,
      scopes: ["chat", "execute"],
      expiresInDays: 30,
    });
    try {
      return await serve(io, { url: link.endpoint.url, token });
    } finally {
      await client.call("tokens.revoke", { tokenId: info.id });
    }
  } finally {
    await link.leave();
  }
}

async function serve(io: Io, endpoint: Link["endpoint"]): Promise<number> {
  const [{ Server: McpServer }, { StdioServerTransport, serveStdio }] = await Promise.all([
    import("@modelcontextprotocol/server"),
    import("@modelcontextprotocol/server/stdio"),
  ]);
  const ended = Promise.withResolvers<void>();
  for (const event of ["end", "close"]) io.stdin.once(event, () => ended.resolve());
  let gateway: Promise<Client> | undefined;
  const handle = serveStdio(
    () => {
      const host = new McpServer(
        { name: "elwood", title: "Elwood", version: VERSION },
        { capabilities: { tools: {}, resources: {} } },
      );
      passOn(host, () => (gateway ??= connect(endpoint, host)));
      return host;
    },
    {
      transport: new StdioServerTransport(io.stdin, io.stdout),
      onerror: (error) => io.stderr.write(`${error.message}\n`),
    },
  );
  try {
    await ended.promise;
  } finally {
    await handle.close();
    await (await gateway)?.close();
  }
  return EXIT.ok;
}

/** To the gateway the host is who asks: what it can show its user is what is said there. */
async function connect({ url, token }: Link["endpoint"], host: Server): Promise<Client> {
  const { Client: McpClient, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const elicitation = host.getClientCapabilities()?.elicitation;
  const client = new McpClient(host.getClientVersion() ?? { name: "a host", version: "" }, {
    capabilities: elicitation ? { elicitation } : {},
    versionNegotiation: { mode: "auto" },
    inputRequired: { autoFulfill: false },
  });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", url), { requestInit: { headers } }));
  return client;
}

/** Each question of the host's goes to the gateway as it is, and so does what its user answers in between. */
function passOn(host: Server, gateway: () => Promise<Client>): void {
  const options = (context: ServerContext): RequestOptions => ({
    signal: context.mcpReq.signal,
    timeout: ANSWER_MS,
  });
  host.setRequestHandler("tools/list", async ({ params }, context) =>
    (await gateway()).listTools(params, { ...options(context), cacheMode: "refresh" }),
  );
  host.setRequestHandler("resources/list", async ({ params }, context) =>
    (await gateway()).listResources(params, { ...options(context), cacheMode: "refresh" }),
  );
  host.setRequestHandler("resources/templates/list", async ({ params }, context) =>
    (await gateway()).listResourceTemplates(params, { ...options(context), cacheMode: "refresh" }),
  );
  host.setRequestHandler("resources/read", async ({ params }, context) =>
    (await gateway()).readResource(params, { ...options(context), cacheMode: "refresh" }),
  );
  host.setRequestHandler("tools/call", async ({ params }, context) => {
    const { specTypeSchemas, withInputRequired } = await import("@modelcontextprotocol/client");
    const { inputResponses, requestState, notify, _meta } = context.mcpReq;
    const state = requestState<string>();
    const progressToken = _meta?.["progressToken"];
    const asked = {
      method: "tools/call",
      params: {
        name: params.name,
        ...(params.arguments && { arguments: params.arguments }),
        ...(inputResponses && { inputResponses }),
        ...(state !== undefined && { requestState: state }),
      },
    };
    return (await gateway()).request(asked, withInputRequired(specTypeSchemas.CallToolResult), {
      ...options(context),
      allowInputRequired: true,
      ...(progressToken !== undefined && {
        onprogress: (progress) => {
          // Who has hung up is told nothing; the run goes on.
          notify({
            method: "notifications/progress",
            params: { ...progress, progressToken },
          }).catch(() => undefined);
        },
      }),
    });
  });
}
