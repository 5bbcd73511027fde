import type { Part } from "@elwood/core/message/session";
import { MCP_LIMITS } from "./limits.ts";
import type { McpServers } from "./mcp-servers.ts";

/** `@wiki:page://home`, at the beginning of a message or behind a space. */
const MENTION = /(?:^|\s)@([A-Za-z0-9][A-Za-z0-9_-]{0,63}):(\S{1,2048})/g;

/** What the resources that a message names say, each as material that came with it: nobody's instruction. */
export async function mentionedParts(servers: McpServers, message: string): Promise<Part[]> {
  const known = new Set(servers.list().map(({ name }) => name));
  const parts: Part[] = [];
  for (const [, name = "", written = ""] of message.matchAll(MENTION)) {
    if (!known.has(name) || parts.length >= MCP_LIMITS.mentionsMax) continue;
    // The sentence goes on behind it.
    const uri = written.replace(/[.,;:!?)\]}"'»”]+$/u, "");
    parts.push({
      kind: "text",
      origin: "attached",
      text: `[@${name}:${uri}]\n${await servers.resource(name, uri)}`,
    });
  }
  return parts;
}
