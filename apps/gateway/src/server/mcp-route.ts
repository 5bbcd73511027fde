import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fail } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import { createMcpHandler, createRequestStateCodec } from "@modelcontextprotocol/server";
import { newToken } from "@elwood/platform/system";
import { ProgramCaller } from "../methods/program-caller.ts";
import { elwoodServer } from "../mcp-server/elwood-server.ts";
import type { ShownRun } from "../mcp-server/show-approval.ts";
import type { Services } from "../methods/services.ts";
import { readBody, SECURITY_HEADERS } from "./http.ts";
import { requirePrincipal, type AccessDeps } from "./principal.ts";

/** `/mcp`: Elwood as an MCP server over streamable HTTP. Host and Origin have been checked by then. */
export interface McpRoute {
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

/** By this name the command for standard input and output makes its token. */
export const STDIO_TOKEN_NAME = "mcp serve";

export function makeMcpRoute(deps: AccessDeps & { readonly services: Services }): McpRoute {
  const { services } = deps;
  // A key of this process: a host that comes back after a restart asks for the run with assistant.result.
  const key = newToken();
  return {
    async answer(request, response) {
      const principal = await requirePrincipal(request, deps, { door: "api" });
      const [mayAsk, mayExecute] = (["chat", "execute"] as const).map((scope) => principal.scopes.has(scope));
      if (!mayAsk && !mayExecute)
        fail("SCOPE_MISSING", 'This needs a token with the scope "chat" or "execute". Nothing was done.');
      if (!services.mcpServer.enabled && principal.name !== STDIO_TOKEN_NAME)
        fail("NOT_FOUND", "Elwood is no MCP server here until `api.mcp: true` stands in its settings.");
      const { actions, system, installation } = services;
      const shownRuns = createRequestStateCodec<ShownRun>({ key, bind: () => principal.tokenId });
      const offered = mayExecute ? await actions.offered() : [];
      const handler = createMcpHandler(
        () =>
          elwoodServer({
            version: installation.version,
            ...(mayAsk && {
              assistant: { caller: new ProgramCaller(services, principal, "mcp"), shownRuns },
            }),
            ...(mayExecute && { actions: { principal, offered, service: () => actions.service() } }),
          }),
        { onerror: (error) => system.log.debug("an MCP request was refused", { error }) },
      );
      const hungUp = new AbortController();
      response.once("close", () => hungUp.abort());
      try {
        const answer = await handler.fetch(await webRequest(request, hungUp.signal));
        response.writeHead(answer.status, { ...Object.fromEntries(answer.headers), ...SECURITY_HEADERS });
        if (answer.body === null) response.end();
        else
          await pipeline(Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0]), response);
      } catch (error) {
        // Who hung up is answered no more; the run that they asked for goes on.
        if (!hungUp.signal.aborted) throw error;
      } finally {
        await handler.close();
      }
    },
  };
}

async function webRequest(request: IncomingMessage, signal: AbortSignal): Promise<Request> {
  const headers = new Headers();
  for (const [name, values] of Object.entries(request.headersDistinct))
    for (const value of values ?? []) headers.append(name, value);
  const method = request.method ?? "GET";
  const url = `http://${request.headers.host ?? "gateway.invalid"}/mcp`;
  if (method === "GET" || method === "HEAD") return new Request(url, { method, headers, signal });
  const body = await readBody(request, LIMITS.mcpBodyBytesMax);
  return new Request(url, { method, headers, signal, body: new Uint8Array(body) });
}
