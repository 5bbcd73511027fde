import type { AgentPrompt } from "@elwood/core/protocol/shapes";
import type { GatewayClient } from "@elwood/sdk/client";
import { EXIT, type Io } from "./io.ts";
import { table } from "./table.ts";
import { visibleText } from "./terminal-text.ts";
import { say } from "./words/say.ts";

export interface PromptOptions {
  readonly agentId?: string;
  readonly form: "text" | "tokens" | "json";
}

/** `elwood prompt show`: all that goes before the first message of a conversation. */
export async function showPrompt(
  io: Io,
  client: Pick<GatewayClient, "call">,
  { agentId, form }: PromptOptions,
): Promise<number> {
  const prompt = await client.call("agents.prompt", agentId === undefined ? {} : { agentId });
  if (form === "json") io.stdout.write(`${JSON.stringify(prompt)}\n`);
  else if (form === "tokens") io.stdout.write(costs(io, prompt));
  else io.stdout.write(texts(io, prompt));
  return EXIT.ok;
}

function texts(io: Io, { system, tools, tokens }: AgentPrompt): string {
  const told = tools.map(
    ({ toolId, description, inputSchema }) =>
      `${RULE} ${toolId}\n${description}\n${JSON.stringify(inputSchema)}`,
  );
  const size = `${RULE} ${say(io, "{0} in all, estimated", inTokens(io, tokens))}`;
  return `${[system, ...told, size].map(visibleText).join("\n\n")}\n`;
}

const RULE = "───";

/** The dearest first: that is where to cut. */
function costs(io: Io, { systemTokens, tools, tokens }: AgentPrompt): string {
  const parts = [
    { what: say(io, "system prompt"), tokens: systemTokens },
    ...tools.map((tool) => ({ what: tool.toolId, tokens: tool.tokens })),
  ].toSorted((a, b) => b.tokens - a.tokens);
  const rows = parts.map((part) => [visibleText(part.what), String(part.tokens)]);
  return `${table(io, COLUMNS, rows)}\n${say(io, "{0} in all, estimated", inTokens(io, tokens))}\n`;
}

const COLUMNS = [{ title: "PART" }, { title: "TOKENS" }] as const;

function inTokens(io: Io, count: number): string {
  return say(io, "{0} tokens", count.toLocaleString("en"));
}
