import type { MethodName } from "@elwood/core/protocol/methods";
import type { WireMcpServer } from "@elwood/core/protocol/mcp-shapes";
import { showLine } from "@elwood/core/base/show";
import { FailureError } from "@elwood/core/base/failure";
import type { ServerView } from "../mcp/mcp-servers.ts";
import { knownTool } from "./tools.ts";
import { personOf, type Handlers } from "./context.ts";

const LOG_LINES = 100;

export const mcpMethods: Handlers<Extract<MethodName, `mcp.${string}`>, "mcp" | "config" | "tools"> = {
  async "mcp.list"(_params, { services: { mcp } }) {
    return { servers: (await mcp.servers()).list().map(wire) };
  },

  async "mcp.add"({ name, ...given }, context) {
    const { mcp, config } = context.services;
    const { addServer } = await import("../mcp/change-servers.ts");
    await addServer({ config, mcp, home: mcp.home }, name, given, personOf(context));
    // It is configured from here on, whether it answers or not.
    const servers = await mcp.servers();
    try {
      const server = await servers.test(name);
      await mcp.settled();
      return { server: wire(server) };
    } catch (error) {
      if (!(error instanceof FailureError)) throw error;
      return { server: wire(servers.view(name)), problem: error.failure.message };
    }
  },

  async "mcp.remove"({ name }, context) {
    const { mcp, config } = context.services;
    const { removeServer } = await import("../mcp/change-servers.ts");
    await removeServer({ config, mcp }, name, personOf(context));
    return { ok: true };
  },

  async "mcp.test"({ name }, { services: { mcp } }) {
    const server = await (await mcp.servers()).test(name);
    await mcp.settled();
    return { server: wire(server) };
  },

  async "mcp.restart"({ name }, { services: { mcp } }) {
    const server = await (await mcp.servers()).restart(name);
    await mcp.settled();
    return { server: wire(server) };
  },

  async "mcp.login"({ name, address }, { services: { mcp } }) {
    const servers = await mcp.servers();
    if (address === undefined) return servers.beginLogin(name);
    return { server: wire(await servers.finishLogin(name, address)) };
  },

  async "mcp.resources"({ name }, { services: { mcp } }) {
    return { resources: [...(await (await mcp.servers()).resources(name))] };
  },

  async "mcp.resource"({ name, uri }, { services: { mcp } }) {
    return { part: attached(`[@${name}:${uri}]\n${await (await mcp.servers()).resource(name, uri)}`) };
  },

  async "mcp.prompts"({ name }, { services: { mcp } }) {
    const servers = await (name === undefined ? mcp.opened() : mcp.servers());
    if (servers === undefined) return { prompts: [] };
    const of = async (server: string) =>
      (await servers.prompts(server)).map((prompt) => ({
        ...prompt,
        server,
        arguments: prompt.arguments.map((each) => ({ ...each })),
      }));
    if (name !== undefined) return { prompts: await of(name) };
    const running = servers.list().filter(({ state }) => state === "running");
    const found = await Promise.allSettled(running.map((each) => of(each.name)));
    // One that does not answer keeps nobody from using the others.
    return { prompts: found.flatMap((each) => (each.status === "fulfilled" ? each.value : [])) };
  },

  async "mcp.prompt"({ name, prompt, arguments: given = {} }, { services: { mcp } }) {
    const text = await (await mcp.servers()).prompt(name, prompt, given);
    return { part: attached(`[the prompt ${showLine(prompt)} of ${name}]\n${text}`) };
  },

  async "mcp.logout"({ name }, { services: { mcp } }) {
    await (await mcp.servers()).logout(name);
    return { ok: true };
  },

  async "mcp.label"({ toolId, contractHash, label }, context) {
    const { tools } = context.services;
    const tool = knownTool(tools, toolId);
    const by = personOf(context);
    if (label !== null) await tools.registry.grant(context.tenant, tool, contractHash, by, label);
    else if (tool.label !== undefined) await tools.registry.revoke(context.tenant, tool.contract.id, by);
    return { ok: true };
  },

  async "mcp.logs"({ name, limit = LOG_LINES }, { services: { mcp } }) {
    return { lines: [...(await mcp.servers()).logs(name, limit)] };
  },
};

/** A server's words are material, wherever they come up. */
function attached(text: string) {
  return { kind: "text" as const, origin: "attached" as const, text };
}

function wire({ name, where, state, tools, ...view }: ServerView): WireMcpServer {
  const { transport, problem, caged, login, protocol, server } = view;
  return {
    name,
    where,
    state,
    ...(transport && { transport }),
    ...(problem === undefined ? {} : { problem }),
    ...(caged === undefined ? {} : { caged }),
    ...(login === undefined ? {} : { login }),
    ...(protocol === undefined ? {} : { protocol }),
    ...(server === undefined ? {} : { server }),
    ...(tools && { tools: tools.map((tool) => ({ ...tool })) }),
  };
}
