import type { ModelRef } from "@elwood/core/model/model";
import { MINIMAL_TOOLS, modelProfile } from "@elwood/core/model/model-profile";
import type { Agent } from "../ports/ports.ts";

/** An agent as its model can deal with it. What the agent's own settings say goes before. */
export function agentFor(agent: Agent, ref: ModelRef): Agent {
  const profile = modelProfile(ref);
  const prompt = agent.prompt ?? profile.prompt;
  // A list of the owner's own is as long as they want it.
  const toolSet = agent.toolSet ?? (agent.tools === undefined ? profile.tools : "standard");
  if (toolSet !== "minimal") return { ...agent, prompt, toolSet };
  return { ...agent, prompt, toolSet, tools: agent.tools ?? MINIMAL_TOOLS };
}
