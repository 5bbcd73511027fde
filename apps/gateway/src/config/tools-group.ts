import { group, listOf, named, wholeNumber } from "./leaves.ts";
import { toolPattern } from "./policy-groups.ts";

export const TOOLS_DEFAULTS = { secrets: {} as Record<string, string[]> } as const;

/** Names that are never handed to a tool: whoever holds them can speak as the owner. */
const SECRET_NAME = /^(?!ELWOOD_)[A-Z][A-Z0-9_]{0,63}$/;

/** What tools of the workspace are given. The limits are understood, without effect yet: each tool has its own. */
export const toolsGroups = {
  tools: () =>
    group({
      secrets: named(listOf(toolPattern(), "a list of tools, for example [posthog.*]"), SECRET_NAME).default(
        TOOLS_DEFAULTS.secrets,
      ),
      timeoutMs: wholeNumber(1).optional(),
      maxOutputBytes: wholeNumber(1).optional(),
    }),
};
