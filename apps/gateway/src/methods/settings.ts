import { fail } from "@elwood/core/base/failure";
import { personOf, type Handlers, type MethodContext } from "./context.ts";
import { knownTool } from "./tools.ts";

type SettingsMethods = "settings.get" | "settings.set" | "tools.enable" | "tools.disable" | "agents.save";
type Uses = "settings" | "agentEditor" | "tools" | "assistants";

/**
 * What Elwood is set to, for its owner alone. There is no way here over HTTP or MCP, from a chat service, a tool
 * or a program that a model wrote; a connection that serves an assistant of a program is turned away, too.
 */
export const settingsMethods: Handlers<SettingsMethods, Uses> = {
  async "settings.get"({ key }, context) {
    ownerOnly(context);
    return (await context.services.settings()).get(key);
  },

  async "settings.set"({ key, value, expected, confirm }, context) {
    const changer = changerOf(context, confirm);
    return (await context.services.settings()).set(key, value, expected, changer);
  },

  async "tools.disable"({ toolId }, context) {
    const { contract } = knownTool(context.services.tools, toolId);
    const settings = await context.services.settings();
    return settings.setToolRule(contract.id, "deny", changerOf(context, true));
  },

  async "tools.enable"({ toolId, rule = "usual", confirm }, context) {
    const { contract } = knownTool(context.services.tools, toolId);
    const settings = await context.services.settings();
    return settings.setToolRule(contract.id, rule, changerOf(context, confirm));
  },

  async "agents.save"(params, context) {
    const { by, mayApprove } = changerOf(context, params.confirm);
    return (await context.services.agentEditor()).save(params, { by, mayApprove });
  },
};

function changerOf(context: MethodContext<Uses>, confirm: boolean | undefined) {
  ownerOnly(context);
  return {
    by: personOf(context),
    mayApprove: context.principal.scopes.has("approve"),
    confirm: confirm === true,
  };
}

function ownerOnly({ services, link }: MethodContext<Uses>): void {
  if (link && services.assistants.isAssistants(link))
    fail(
      "SCOPE_MISSING",
      "This connection serves an assistant of a program, and settings are the owner's alone. Nothing was changed.",
    );
}
