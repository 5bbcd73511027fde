import { z } from "zod";
import { group, named, numberFrom, oneOf, openGroup, wholeNumber, words, yesOrNo } from "./leaves.ts";

/**
 * Settings that are validated but have no effect yet. Mistakes in them are reported now rather than when
 * they take effect.
 */
export const inactiveGroups = {
  stateDir: () => words("the path of a folder").optional(),
  security: () => group({ auditLog: yesOrNo().optional(), secretsFilter: yesOrNo().optional() }).optional(),
  connections: () =>
    named(
      openGroup({
        kind: words("a kind, for example llm").optional(),
        provider: words("a provider's name").optional(),
        api_base: words("an address").optional(),
        token: text().optional(),
        default_headers: named(text()).optional(),
        timeout_ms: wholeNumber(1).optional(),
      }),
    ).optional(),
  actions: () =>
    named(
      openGroup({
        connection: words("a connection's name").optional(),
        kind: words("a kind, for example llm").optional(),
        task: oneOf(["chat", "embed"]).optional(),
        model: words("a model").optional(),
        system: text().optional(),
        sampling: openGroup({
          temperature: numberFrom(0).optional(),
          top_p: numberFrom(0).optional(),
          max_tokens: wholeNumber(1).optional(),
        }).optional(),
        stream: yesOrNo().optional(),
        mcp_enabled: yesOrNo().optional(),
      }),
    ).optional(),
};

function text() {
  return z.string({ error: "must be text" });
}
