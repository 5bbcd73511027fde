import { GatewayClient } from "@elwood/sdk/client";
import type { Link } from "./connect.ts";
import { EXIT, type Io } from "./io.ts";

/** By this name the gateway knows the token of this command. */
const TOKEN_NAME = "mcp serve";

/**
 * `elwood mcp serve`: Elwood as an MCP server on standard input and output, for a host that starts it. What
 * comes in goes to `/mcp` of the gateway with a token of the scope `chat`, made for this and revoked at the
 * end: whoever speaks here is a program, whatever this command itself may do.
 */
export async function serveMcp(io: Io, link: Link): Promise<number> {
  try {
    return await serve(io, await GatewayClient.over(link.connection), link.endpoint.url);
  } finally {
    await link.leave();
  }
}

async function serve(io: Io, client: GatewayClient, url: string): Promise<number> {
  const [{ StreamableHTTPClientTransport }, { StdioServerTransport }] = await Promise.all([
    import("@modelcontextprotocol/client"),
    import("@modelcontextprotocol/server/stdio"),
  ]);
  const { token, info } = await client.call("tokens.create", {
    name: TOKEN_NAME,
    scopes: ["chat"],
    expiresInDays: 30,
  });
  const headers = { authorization: `Bearer ${token}` };
  const gateway = new StreamableHTTPClientTransport(new URL("/mcp", url), { requestInit: { headers } });
  const host = new StdioServerTransport(io.stdin, io.stdout);
  const ended = Promise.withResolvers<void>();
  const complain = (error: Error) => io.stderr.write(`${error.message}\n`);
  const pending = new Set<Promise<void>>();
  const fromHost: NonNullable<typeof host.onmessage> = (message) => {
    const sent = gateway.send(message).catch((error: unknown) => {
      const words = error instanceof Error ? error.message : "The gateway did not answer.";
      complain(new Error(words));
      if (!("id" in message) || !("method" in message)) return undefined;
      return host.send({ jsonrpc: "2.0", id: message.id, error: { code: -32_000, message: words } });
    });
    pending.add(sent);
    void sent.finally(() => pending.delete(sent));
  };
  const fromGateway: NonNullable<typeof gateway.onmessage> = (message) => {
    // The revision that was agreed on goes into the headers of what follows.
    const agreed = "result" in message ? message.result["protocolVersion"] : undefined;
    if (typeof agreed === "string") gateway.setProtocolVersion(agreed);
    host.send(message).catch(complain);
  };
  Object.assign(host, { onmessage: fromHost, onerror: complain, onclose: () => ended.resolve() });
  Object.assign(gateway, { onmessage: fromGateway });
  io.stdin.once("end", () => ended.resolve());
  try {
    await gateway.start();
    await host.start();
    await ended.promise;
    await Promise.all(pending);
  } finally {
    await gateway.close();
    await client.call("tokens.revoke", { tokenId: info.id });
  }
  return EXIT.ok;
}
