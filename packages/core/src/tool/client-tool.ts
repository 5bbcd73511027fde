/** Tools that live in a program which is connected to the gateway, and the assistants that they belong to. */

/** An assistant of a program, by the name that the program gives it. */
export const ASSISTANT_ID_PATTERN = /^[a-z][a-z0-9-]*(_[a-z0-9-]+)*$/;
export const CLIENT_TOOL_NAME_PATTERN = /^[A-Za-z][A-Za-z0-9-]*(_[A-Za-z0-9-]+)*$/;

/** No folder can have such a name, so that no agent of the workspace is ever taken for a program's assistant. */
const AGENT_PREFIX = "app.";

export function agentIdOf(assistantId: string): string {
  return `${AGENT_PREFIX}${assistantId}`;
}

/** The assistant that an agent is; undefined for an agent of the workspace. */
export function assistantIdOf(agentId: string): string | undefined {
  return agentId.startsWith(AGENT_PREFIX) ? agentId.slice(AGENT_PREFIX.length) : undefined;
}

export function clientToolId(assistantId: string, name: string): string {
  return `${AGENT_PREFIX}${assistantId}.${name}`;
}
