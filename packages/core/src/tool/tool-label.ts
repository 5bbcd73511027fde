import { WORST_LABELS, type ToolContract } from "./tool.ts";
import { TOOL_LABELS, type ToolLabel } from "../base/label.ts";
import type { Sha256 } from "../receipts/receipt.ts";

export { TOOL_LABELS, type ToolLabel };

/** What a tool's server says of it. It can make a label stricter, and suggest one; it never allows anything. */
export interface ToolClaims {
  readonly reads?: boolean;
  readonly destroys?: boolean;
  /** It deals with others outside. */
  readonly reachesOut?: boolean;
  /** Its description, as the model is given it. */
  readonly says?: string;
  /** How a card is headed: a sentence with whose tool it is and its name in words; else by its description. */
  readonly heading?: string;
}

/**
 * The contract of a tool as its label makes it. What the server itself says counts where it is stricter than
 * the label. Its answers stay anybody's words, whatever the label.
 */
export function withLabel(contract: ToolContract, label: ToolLabel, claims: ToolClaims = {}): ToolContract {
  const reads = label === "reads" && claims.reads !== false;
  const risk = claims.destroys ? "destructive" : reads ? "read" : "write";
  const egress = label === "sends" || claims.reachesOut ? "third_party" : "none";
  return { ...contract, risk, labels: { ...contract.labels, egress } };
}

/** The contract as it counts now, for a tool that the owner may label: with their label, or as the worst without one. */
export function asLabelled(
  contract: ToolContract,
  label: ToolLabel | undefined,
  claims: ToolClaims,
): ToolContract {
  if (label !== undefined) return withLabel(contract, label, claims);
  const { egress } = WORST_LABELS;
  return { ...contract, risk: "destructive", labels: { ...contract.labels, egress } };
}

/** Which label the server's own words come nearest to; undefined where it says nothing. */
export function suggestedLabel({ reads, destroys, reachesOut }: ToolClaims): ToolLabel | undefined {
  if (reads === true) return "reads";
  if (reachesOut === true) return "sends";
  return reads === false || destroys !== undefined ? "changes" : undefined;
}

/** What the owner knows of a tool that they labelled: its contract, and the label. With another contract it is void. */
export function labelHash(contractHash: string, label: ToolLabel, sha256: Sha256): string {
  return sha256(`elwood.tool-label.v1\n${contractHash}\n${label}`);
}

/** The label under which the owner knows a contract. */
export function labelOf(
  known: string | undefined,
  contractHash: string,
  sha256: Sha256,
): ToolLabel | undefined {
  if (known === undefined || known === contractHash) return undefined;
  return TOOL_LABELS.find((label) => labelHash(contractHash, label, sha256) === known);
}

/** A label as people read it. */
export const LABEL_WORDS: Readonly<Record<ToolLabel, { readonly word: string; readonly means: string }>> = {
  reads: { word: "only reads", means: "runs without asking" },
  changes: { word: "changes things", means: "asks unless you asked for it" },
  sends: { word: "sends things out", means: "asks unless you named who gets what" },
};
