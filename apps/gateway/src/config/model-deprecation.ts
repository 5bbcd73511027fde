import { formatModelRef, parseModelRef } from "@elwood/core/model/model";
import { KNOWN_PROVIDERS } from "@elwood/providers/known-providers";
import type { Notice } from "./problem.ts";

interface DeprecatedModels {
  readonly provider: string;
  readonly models: readonly string[];
  /** Midnight UTC of the day its maker named (Anthropic: the deprecation list in its SDK 1.8.0). */
  readonly ends: string;
}

const DEPRECATED_MODELS: readonly DeprecatedModels[] = [
  {
    provider: "anthropic",
    models: ["claude-sonnet-4-5", "claude-sonnet-4-5-20250929"],
    ends: "2026-11-30",
  },
];

/** A notice about a model that its vendor has deprecated. */
export function modelDeprecationNotice(model: string, key: string, nowMs: number): Notice | undefined {
  const parsed = parseModelRef(model);
  if (!parsed.ok) return undefined;
  const { provider, model: id } = parsed.value;
  const end = DEPRECATED_MODELS.find((row) => row.provider === provider && row.models.includes(id));
  if (end === undefined) return undefined;
  const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" }).format(
    new Date(end.ends),
  );
  const verb = nowMs < Date.parse(end.ends) ? "stops working on" : "stopped working on";
  const successor = KNOWN_PROVIDERS[provider]?.model;
  const next =
    successor === undefined ? "" : ` Set \`${key}\` to ${formatModelRef({ provider, model: successor })}.`;
  return { kind: "warning", key, text: `\`${id}\` ${verb} ${day}.${next}` };
}
