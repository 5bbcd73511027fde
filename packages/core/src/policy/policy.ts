import type { Authority, ValueOrigin } from "../authority/authority.ts";
import { sourceInWords } from "../authority/source-words.ts";
import { matchesTool, type Decision, type ToolContract } from "../tool/tool.ts";

/** A rule that spoke, and why, in words a person understands. */
export interface Verdict {
  readonly decision: Decision;
  /** Stable id such as `hard.own-state`, `owner.deny`, `ask.destructive`, `authority.value`, `mode.strict`, `authority`, `authority.known`, `mode.trusting`, `owner.allow`, `grant`, `read`. */
  readonly rule: string;
  /** 1 to 7: the layer of the policy that spoke. */
  readonly layer: number;
  readonly reason: string;
  /** The grant that lifted the question, where one did. */
  readonly grantId?: string;
  /** Where the value came from that asked, if a call brought it, and what else was read that anybody may have written. */
  readonly sources?: readonly string[];
  /** The owner's words that ask for the call, or that came nearest to it. */
  readonly clause?: string;
  /** The critical values of the call, as `name: value`. */
  readonly values?: readonly string[];
}

/** A rule the owner wrote. */
export interface OwnerRule {
  /** `files.*`, `files.file.write`, `*` */
  readonly tool: string;
  readonly decision: Decision;
  /** Where it was written, such as `config.yaml:31`. */
  readonly origin: string;
  /**
   * Written in `permissions.toolPolicy`, beside the list of safe commands: what only looks runs
   * though an `ask` stands there, and an `allow` lets an address be fetched, or words be searched
   * for, that carry nothing private. A rule of `policy.rules` says what it says.
   */
  readonly older?: true;
}

/** Something about this very call that the tool or the gate found out by looking at its input. */
export interface CallFact {
  /**
   * `harmless`: this very call only reads and carries nothing out, though its tool can do
   * more. `undoable`: it changes something in the owner's folders, and what was there before
   * is stored, fits and is kept long enough to be put back. Both are heard from Elwood's own
   * tools alone, and only where the mode would have asked.
   */
  readonly kind: "deny" | "ask" | "harmless" | "undoable";
  /** Stable id such as `hard.own-state`, `ask.shell-syntax`, `ask.agent-file`. */
  readonly rule: string;
  readonly reason: string;
}

/** From the tightest to the loosest. */
export const POLICY_MODES = ["strict", "balanced", "trusting"] as const;
export type PolicyMode = (typeof POLICY_MODES)[number];

/** Whether a switch from one mode to another lets more run unasked. */
export function isLooser(from: PolicyMode, to: PolicyMode): boolean {
  return POLICY_MODES.indexOf(to) > POLICY_MODES.indexOf(from);
}

/** All that a decision depends on; plain data, so that it can be explained and repeated. */
export interface PolicyFacts {
  readonly contract: ToolContract;
  /**
   * `granted`: the owner knows this contract. `written`: its code was written for this very message, the owner
   * allowed that with all of it on the card, and the call hands it nothing that they did not type. Otherwise it
   * asks every time.
   */
  readonly standing: "granted" | "written" | "new" | "changed";
  readonly facts: readonly CallFact[];
  readonly rules: readonly OwnerRule[];
  readonly mode: PolicyMode;
  /** Whether words that the owner typed ask for this call; where it is not known, they do not. */
  readonly authority?: Authority;
  /** A grant that covers this call, if any. */
  readonly grant?: {
    readonly id: string;
    readonly scope: string;
    /** It was given since the owner's rules are as they are: then it answers a rule that asks. */
    readonly sinceRules?: boolean;
  };
  /** What it sends out holds nothing that is private; where that is not known, it may. */
  readonly carriesNothing?: boolean;
}

/**
 * What is done with a call: the first layer that has something to say decides. Nothing that
 * a tool or a caller declares can lower what a layer before it said, because a later layer
 * is never heard. Only the owner's allow rules and grants take something away, and only
 * the mode's own question (layer 5).
 */
export function decide(facts: PolicyFacts): Verdict {
  for (const layer of LAYERS) {
    const spoken = layer(facts);
    if (spoken !== undefined) return spoken;
  }
  const harmless = facts.facts.find((fact) => fact.kind === "harmless");
  if (harmless !== undefined) return verdict("allow", harmless.rule, READ_LAYER, harmless.reason);
  return verdict("allow", "read", READ_LAYER, "It only reads, and carries nothing out.");
}

/** Whether a longer answer than "once" could keep this question from being asked again. */
export function isLiftable(asked: Verdict): boolean {
  return asked.decision === "ask" && asked.layer === MODE_LAYER;
}

/** Whether a standing permission could have changed a verdict that was found without one. */
export function isGrantHeard(without: Verdict): boolean {
  return without.layer === MODE_LAYER || without.rule === "owner.ask";
}

/** Whether a longer answer than "once" can be offered: to the mode's question, and to a rule by which the owner wants to be asked. */
export function offersLonger(asked: Verdict): boolean {
  return isLiftable(asked) || asked.rule === "owner.ask";
}

type Layer = (facts: PolicyFacts) => Verdict | undefined;

/** The layer whose question the owner can lift by a standing permission. */
export const MODE_LAYER = 5;
/** The last layer: what only reads, and carries nothing out. */
export const READ_LAYER = 7;

const LAYERS: readonly Layer[] = [
  hardDenies,
  (facts) => ownerRule(facts, "deny", 2),
  alwaysAsks,
  ownerAsks,
  (facts) =>
    asksByMode(facts) &&
    !isAuthorised(facts) &&
    !isTrusted(facts) &&
    !isFirstUse(facts) &&
    lifting(facts) === undefined
      ? modeAsks(facts)
      : undefined,
  (facts) =>
    asksByMode(facts)
      ? (lifting(facts) ?? authorisedSo(facts) ?? trustedSo(facts) ?? firstUseSo(facts))
      : undefined,
];

function hardDenies({ facts }: PolicyFacts): Verdict | undefined {
  const denies = facts.filter((fact) => fact.kind === "deny");
  const [first] = denies;
  return first && verdict("deny", first.rule, 1, sentences(denies));
}

/** All that makes a call ask, whoever wrote it and whatever was granted. The first names the rule, the reason names them all. */
function alwaysAsks(given: PolicyFacts): Verdict | undefined {
  const { contract, standing, facts } = given;
  if (contract.policy?.default === "deny") {
    return verdict("deny", "tool.deny", 3, "The tool's own policy denies every call of it.");
  }
  const asks: { rule: string; reason: string }[] = facts.filter((fact) => fact.kind === "ask");
  if (contract.risk === "destructive" && !isTrusted(given)) {
    asks.unshift({
      rule: "ask.destructive",
      // Whether it can be taken back is told by its preview, which knows.
      reason: "Destructive calls always ask.",
    });
  }
  if (standing !== "granted" && !isFirstUse(given)) {
    const { rule, reason } = STANDING_ASKS[standing === "changed" ? "changed" : "new"];
    asks.push({ rule, reason: `${reason}${reachOf(contract)}` });
  }
  if (contract.requiresApproval || contract.policy?.default === "ask") {
    asks.push({ rule: "ask.tool-policy", reason: "The tool itself wants to be asked about every call." });
  }
  const [first] = asks;
  return first && verdict("ask", first.rule, 3, sentences(asks));
}

const STANDING_ASKS = {
  new: {
    rule: "ask.new-tool",
    reason: "The tool is new: you have not said yet that it may be used unasked.",
  },
  changed: {
    rule: "ask.changed-tool",
    reason:
      "The tool is not the one you knew: its description, its schema, its labels or its code have changed.",
  },
} as const;

/** What a tool that the owner does not know would be given, as far as it says so. */
function reachOf({ hosts, secrets = [] }: ToolContract): string {
  if (hosts === undefined) return "";
  const where = hosts.length === 0 ? "It asks for no place on the web" : `It may reach ${hosts.join(", ")}`;
  return ` ${where}${secrets.length === 0 ? "" : `, and is given ${secrets.join(", ")}`}.`;
}

function ownerRule({ contract, rules }: PolicyFacts, decision: Decision, layer: number): Verdict | undefined {
  const rule = mostSpecific(rules, contract.id, decision);
  if (rule === undefined) return undefined;
  return verdict(decision, `owner.${decision}`, layer, ruleSentence(rule));
}

/** Who was asked because of a rule of theirs, and answered for longer, is not asked again. */
function ownerAsks(facts: PolicyFacts): Verdict | undefined {
  const { contract, grant } = facts;
  const harmless = facts.facts.some(({ kind }) => kind === "harmless");
  const asked = ownerRule(
    { ...facts, rules: facts.rules.filter(({ older }) => !(older && harmless)) },
    "ask",
    4,
  );
  const answered =
    grant?.sinceRules === true && (grant.scope === "call" || contract.labels.egress === "none");
  if (asked === undefined || !answered || contract.risk === "destructive") return asked;
  return granted(grant);
}

/** Rules of one layer say the same; the one that names the tool most exactly is the one to tell about. */
function mostSpecific(
  rules: readonly OwnerRule[],
  toolId: string,
  decision: Decision,
): OwnerRule | undefined {
  let best: OwnerRule | undefined;
  for (const rule of rules) {
    if (rule.decision !== decision || !matchesTool(rule.tool, toolId)) continue;
    if (best === undefined || specificity(rule, toolId) > specificity(best, toolId)) best = rule;
  }
  return best;
}

function specificity(rule: OwnerRule, toolId: string): number {
  return rule.tool === toolId ? Number.POSITIVE_INFINITY : rule.tool.length;
}

/** Everything but a read that stays on this machine. A risk or an egress that nobody knows counts as one that acts. */
function asksByMode({ contract, facts }: PolicyFacts): boolean {
  if (facts.some((fact) => fact.kind === "harmless")) return false;
  return contract.risk !== "read" || contract.labels.egress !== "none";
}

/** What the owner asked for themselves needs no question, but in the mode strict. */
function isAuthorised({ mode, authority }: PolicyFacts): boolean {
  return mode !== "strict" && authority?.authorised === true;
}

function authorisedSo(facts: PolicyFacts): Verdict | undefined {
  const { authority } = facts;
  if (!isAuthorised(facts) || authority?.authorised !== true) return undefined;
  const { known, reason, clause, values } = authority;
  const rule = known === undefined ? "authority" : "authority.known";
  return { ...verdict("allow", rule, MODE_LAYER, reason), ...(clause === "" ? {} : { clause }), values };
}

/** The rule by which a tool is used for the message that it was written for. */
export const FIRST_USE_RULE = "tool.first-use";

/** The card for writing a tool says so: used for the same message, it only reads, gets no key, and is given what the owner typed. */
function isFirstUse({ mode, standing, contract }: PolicyFacts): boolean {
  return (
    mode !== "strict" &&
    standing === "written" &&
    contract.risk === "read" &&
    (contract.secrets ?? []).length === 0
  );
}

function firstUseSo(facts: PolicyFacts): Verdict | undefined {
  if (!isFirstUse(facts)) return undefined;
  return verdict(
    "allow",
    FIRST_USE_RULE,
    MODE_LAYER,
    "You allowed this tool for this message, and it is given nothing but what you typed.",
  );
}

/** The rule by which a call runs because it can be undone. */
export const TRUSTED_RULE = "mode.trusting";

/** In the mode trusting, a change in the owner's folders that can be undone needs no question. */
function isTrusted({ mode, facts, contract }: PolicyFacts): boolean {
  return (
    mode === "trusting" &&
    contract.risk !== "read" &&
    contract.labels.egress === "none" &&
    facts.some((fact) => fact.kind === "undoable")
  );
}

function trustedSo(facts: PolicyFacts): Verdict | undefined {
  if (!isTrusted(facts)) return undefined;
  const undoable = facts.facts.find((fact) => fact.kind === "undoable");
  return verdict("allow", TRUSTED_RULE, MODE_LAYER, undoable?.reason ?? "It can be undone.");
}

function modeAsks(facts: PolicyFacts): Verdict {
  const { contract, mode, rules, authority } = facts;
  const outbound = contract.labels.egress !== "none";
  const changes = outbound ? "It changes something outside this machine" : "It changes something";
  const what = contract.risk === "read" ? "It carries something out of this machine" : changes;
  const rule = outbound ? mostSpecific(rules, contract.id, "allow") : undefined;
  const powerless = rule ? ` ${ruleSentence(rule)} That does not cover where the data goes.` : "";
  if (mode === "strict")
    return verdict(
      "ask",
      "mode.strict",
      MODE_LAYER,
      `${what}, and in the mode strict every such call asks.${powerless}`,
    );
  if (authority?.authorised !== false)
    return verdict(
      "ask",
      "authority.none",
      MODE_LAYER,
      `${what}, and nothing that you typed asks for it.${powerless}`,
    );
  const { origin, clause, values } = authority;
  return {
    // What was not asked for is the reason. That it changes something is no news, unless it does so elsewhere.
    ...verdict(
      "ask",
      authority.rule,
      MODE_LAYER,
      `${authority.reason}${outbound ? ` ${what}.` : ""}${powerless}`,
    ),
    ...(clause === undefined ? {} : { clause }),
    ...(values === undefined ? {} : { values }),
    ...(origin.callId === undefined ? {} : { sources: [sourceWords(origin)] }),
  };
}

/** A call that brought something, in words. */
export function sourceWords({ callId = "", ...source }: Omit<ValueOrigin, "from">): string {
  return `${sourceInWords(source)} (${callId})`;
}

/**
 * What takes the mode's question away. A call that carries something out is let go only by
 * a grant over its very arguments: a rule names a tool, and a tool's name says nothing
 * about where the data goes.
 */
function lifting({ contract, rules, grant, carriesNothing, mode }: PolicyFacts): Verdict | undefined {
  const staysHere = contract.labels.egress === "none";
  const rule = staysHere ? mostSpecific(rules, contract.id, "allow") : undefined;
  if (rule !== undefined) return verdict("allow", "owner.allow", 6, ruleSentence(rule));
  const older =
    staysHere || !carriesNothing || mode === "strict"
      ? undefined
      : mostSpecific(
          rules.filter((each) => each.older),
          contract.id,
          "allow",
        );
  if (older !== undefined)
    return verdict("allow", "owner.allow", 6, `${ruleSentence(older)} What it sends holds nothing private.`);
  if (grant === undefined || !(staysHere || grant.scope === "call")) return undefined;
  return granted(grant);
}

function granted({ id, scope }: NonNullable<PolicyFacts["grant"]>): Verdict {
  const words = scope === "call" ? "this very call" : "this tool";
  return { ...verdict("allow", "grant", 6, `You gave a standing permission for ${words}.`), grantId: id };
}

const RULE_WORDS: Readonly<Record<Decision, string>> = { allow: "allows", ask: "asks for", deny: "denies" };

function ruleSentence(rule: OwnerRule): string {
  return `Your rule at ${rule.origin} ${RULE_WORDS[rule.decision]} ${rule.tool === "*" ? "every tool" : rule.tool}.`;
}

function sentences(parts: readonly { readonly reason: string }[]): string {
  return [...new Set(parts.map((part) => part.reason))].join(" ");
}

function verdict(decision: Decision, rule: string, layer: number, reason: string): Verdict {
  return { decision, rule, layer, reason };
}
