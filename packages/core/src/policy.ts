import type { Decision, ToolContract } from "./tool.ts";

/** A rule that spoke, and why, in words a person understands. */
export interface Verdict {
  readonly decision: Decision;
  /** Stable id such as `hard.own-state`, `owner.deny`, `ask.destructive`, `mode.strict`, `owner.allow`, `grant`, `read`. */
  readonly rule: string;
  /** 1 to 7: the layer of the policy that spoke. */
  readonly layer: number;
  readonly reason: string;
  /** The grant that lifted the question, where one did. */
  readonly grantId?: string;
}

/** A rule the owner wrote. */
export interface OwnerRule {
  /** `files.*`, `files.file.write`, `*` */
  readonly tool: string;
  readonly decision: Decision;
  /** Where it was written, such as `config.yaml:31`. */
  readonly origin: string;
}

/** Something about this very call that the tool or the gate found out by looking at its input. */
export interface CallFact {
  readonly kind: "deny" | "ask";
  /** Stable id such as `hard.own-state`, `ask.shell-syntax`, `ask.agent-file`. */
  readonly rule: string;
  readonly reason: string;
}

export type PolicyMode = "balanced" | "strict";

/** All that a decision depends on; plain data, so that it can be explained and repeated. */
export interface PolicyFacts {
  readonly contract: ToolContract;
  /** `granted`: the owner knows this contract. Otherwise it asks every time. */
  readonly standing: "granted" | "new" | "changed";
  readonly facts: readonly CallFact[];
  readonly rules: readonly OwnerRule[];
  readonly mode: PolicyMode;
  /** A grant that covers this call, if any. */
  readonly grant?: { readonly id: string; readonly scope: string };
}
