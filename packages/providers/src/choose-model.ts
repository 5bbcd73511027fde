import { parseModelRef, type ModelRef } from "@elwood/core/model/model";
import { KNOWN_PROVIDERS } from "./known-providers.ts";

export const DEMO_MODEL: ModelRef = { provider: "demo", model: "scripted" };

/** The configured model; else the usual one of the first provider that has a key; else the demo. */
export function chooseModel(configured: string | undefined, providersWithKey: readonly string[]): ModelRef {
  if (configured !== undefined) {
    const parsed = parseModelRef(configured);
    if (parsed.ok) return parsed.value;
  }
  for (const [provider, { model }] of Object.entries(KNOWN_PROVIDERS)) {
    if (model !== undefined && providersWithKey.includes(provider)) return { provider, model };
  }
  return DEMO_MODEL;
}
