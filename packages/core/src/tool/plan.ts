import { CARD_CHARS_MAX, showLine } from "../base/show.ts";
import { RISKS, type Preview, type Risk } from "./tool.ts";

/** One call of a plan: what the owner sees of it, and the digest that what runs must have. */
export interface PlanItem {
  readonly toolId: string;
  /** As it would run. */
  readonly input: unknown;
  readonly risk: Risk;
  readonly digest: string;
  readonly summary: string;
  /** What the call is about. */
  readonly target?: string;
  readonly preview?: Preview;
  readonly rule: string;
}

/** A call that a rehearsal saw, with what it takes to decide whether it may be made later without asking. */
export interface PlannedCall extends PlanItem {
  readonly contractHash: string;
  /** Why it would ask, or why it would not. */
  readonly reason: string;
  /** It would be made without asking. */
  readonly unasked?: true;
  /** It asks whatever was allowed before: no standing permission helps. */
  readonly always?: true;
}

/** What a call would answer, as far as that is known, and the text that it would leave at a place. */
export interface Foreseen {
  readonly output: Readonly<Record<string, unknown>>;
  readonly leaves?: { readonly at: string; readonly text: string };
}

/** The texts that calls before it would have left, by place. */
export type TextsLeft = ReadonlyMap<string, string>;

/** What cannot be shown whole cannot be allowed. */
export function isShownWhole({ input, preview }: Pick<PlannedCall, "input" | "preview">): boolean {
  return JSON.stringify({ input, preview }).length <= CARD_CHARS_MAX;
}

/** How much of a card a call takes: what is read of it, without what only Elwood compares. */
export function shownChars({ input, summary, preview }: PlanItem): number {
  const { before, after } = preview ?? {};
  return JSON.stringify([summary, input, before, after]).length;
}

/** What a program would do, and how that is told. */
export interface Plan {
  readonly items: readonly PlanItem[];
  readonly seen: DryRunSeed;
  readonly preview: Preview;
  readonly unseen: DryRunGaps;
  readonly problem?: undefined;
}

/** Clock and random seed of a dry run. The program starts with the same, so that it does what was shown. */
export interface DryRunSeed {
  readonly startedAt: number;
  readonly seed: string;
}

/** What a dry run could not find out. */
export interface DryRunGaps {
  /** The tools of calls whose inputs are made of results that are not known yet, one for each call. */
  readonly calls: readonly string[];
  /** The tool whose call ended the dry run: it reads, needs approval, and the rest depends on its answer. */
  readonly endsAt?: string;
  /** Why else it ended before the program did: it failed on made-up results, took too long, or listed as much as there may be. */
  readonly ended?: "failed" | "time" | "full";
  /** Calls that were seen and are not listed: they hold a secret, or the card has no room for them. */
  readonly unlisted?: number;
}

/** What must be typed to allow a plan that destroys something: the verb its card begins with, as for every other call. */
export const PLAN_WORD = "run";

/** A plan is as risky as the worst of its calls. */
export function highestRisk(risks: readonly Risk[]): Risk {
  return RISKS.findLast((each) => risks.includes(each)) ?? "read";
}

/** What a program is about whose calls ask together: "write a.txt, delete b.txt". */
export function planTarget(items: readonly Pick<PlanItem, "toolId" | "target">[]): string {
  return items.map(({ toolId, target }) => plannedCall(toolId, target)).join(PLAN_SEPARATOR);
}

/** One call as it stands in the target of its program. */
export function plannedCall(toolId: string, target: string | undefined): string {
  const action = toolId.split(".").at(-1) ?? toolId;
  return showLine(target === undefined ? toolId : `${action} ${target}`);
}

export const PLAN_SEPARATOR = ", ";

/** "15 calls: github.issue.close (15)" */
export function planSentence(items: readonly Pick<PlanItem, "toolId">[]): string {
  const tools = counted(items.map(({ toolId }) => toolId));
  return showLine(
    `A program would make ${items.length === 1 ? "1 call that asks" : `${items.length} calls that ask`}: ${tools}`,
  );
}

/** What the owner must know of a plan beside its list; undefined where all of it was seen. */
export function dryRunGapsSentence({ calls, endsAt, ended, unlisted = 0 }: DryRunGaps): string | undefined {
  const many = calls.length === 1 ? "1 call" : `${calls.length} calls`;
  const sentences = [
    ...(calls.length === 0
      ? []
      : [
          `Not known yet: ${many} whose input is made of results that only come with the run: ${counted(calls)}. None was made to find out, and none is listed.`,
        ]),
    ...(endsAt === undefined
      ? []
      : [`Not known yet: what the program does after ${endsAt} has answered, which asks first.`]),
    ...(ended === undefined ? [] : [ENDED_WORDS[ended]]),
    ...(unlisted === 0
      ? []
      : [
          `Not listed: ${unlisted === 1 ? "1 more call, which asks for itself" : `${unlisted} more calls, each of which asks for itself`}.`,
        ]),
  ];
  return sentences.length === 0 ? undefined : showLine(sentences.join(" "));
}

const ENDED_WORDS: Readonly<Record<NonNullable<DryRunGaps["ended"]>, string>> = {
  failed:
    "Not known yet: what the program does after these calls. The rehearsal did not see its end, because the program could not go on without their real results.",
  time: "Not known yet: what the program does after these calls. The rehearsal did not see its end, because it took too long.",
  full: "Not known yet: what the program does after these calls. The rehearsal did not see its end, because the list is full.",
};

function counted(toolIds: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const toolId of toolIds) counts.set(toolId, (counts.get(toolId) ?? 0) + 1);
  return [...counts].map(([toolId, count]) => `${toolId} (${count})`).join(", ");
}

const DEPTH_MAX = 6;

/** What stands for a result that is not known yet. */
export function stubMark(number: number): string {
  return `(result of planned call ${number})`;
}

/** Also where it was cut, written in capitals, or put into an address or a file's name. */
const MARK = /result of planned/;
/** Nobody counts so far, and a planned number with something added is one too. */
const NUMBER = /(?<!\d)99999\d{7}(?!\d)/;

/** Whether an input was made of a result that is not known yet: the real one will differ. */
export function isMadeOfStub(input: unknown): boolean {
  const text = JSON.stringify(input) ?? "";
  if (NUMBER.test(text) || text.includes(STUB_MOMENT)) return true;
  return MARK.test(text.toLowerCase().replaceAll(/(?:%[0-9a-f]{2}|[^\p{L}\p{N}])+/gu, " "));
}

/**
 * A placeholder result for a call of a dry run, in the shape of the tool's output. Texts
 * say what they are, so that whatever is made of them later is seen not to be the real
 * thing: a call with such an input is not the one that was listed.
 */
export function stubOf(schema: unknown, mark: string, depth = 0): unknown {
  if (typeof schema !== "object" || schema === null || depth > DEPTH_MAX) return mark;
  const {
    type,
    properties,
    required,
    items,
    anyOf,
    oneOf,
    enum: values,
    const: constant,
  } = schema as {
    type?: string | string[];
    properties?: Record<string, unknown>;
    required?: string[];
    items?: unknown;
    anyOf?: unknown[];
    oneOf?: unknown[];
    enum?: unknown[];
    const?: unknown;
  };
  if (constant !== undefined) return constant;
  if (values !== undefined) return values[0];
  const either = anyOf ?? oneOf;
  if (either !== undefined) return stubOf(either[0], mark, depth + 1);
  const kind = (Array.isArray(type) ? type[0] : type) ?? (properties === undefined ? "" : "object");
  if (kind === "object") {
    const names = required ?? Object.keys(properties ?? {});
    return Object.fromEntries(names.map((name) => [name, stubOf(properties?.[name], mark, depth + 1)]));
  }
  if (kind === "array") return items === undefined ? [] : [stubOf(items, mark, depth + 1)];
  return Object.hasOwn(PLAIN_STUBS, kind) ? PLAIN_STUBS[kind] : mark;
}

/** Nobody's real number. */
const STUB_NUMBER = 999_999_999_937;

/** The same as a moment, to the minute. */
const STUB_MOMENT = new Date(STUB_NUMBER).toISOString().slice(0, "2001-09-09T01:46".length);

const PLAIN_STUBS: Readonly<Record<string, unknown>> = {
  number: STUB_NUMBER,
  integer: STUB_NUMBER,
  boolean: true,
  null: null,
};
