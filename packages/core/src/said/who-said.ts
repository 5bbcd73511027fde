import { showLine } from "../base/show.ts";
import { contentProblem } from "../outgoing/content-problem.ts";
import type { ToolContract } from "../tool/tool.ts";
import { argumentsOf, isPresent, leavesOf, RIGHTS } from "./call-values.ts";
import { isKnownPlace, type KnownPlaces } from "./known-places.ts";
import { emailsIn, OwnerWords } from "./owner-words.ts";
import { isNamed, type SeenResult } from "./records.ts";
import { sourceInWords } from "./source-words.ts";
import { readMoment } from "./spoken-times.ts";

/** What is known of a conversation when a call wants to leave it. */
export interface Spoken {
  /** The owner's own messages as they typed them, oldest first; nothing that was piped, attached, quoted or recalled. */
  readonly said: readonly string[];
  /** Options that the model offered and the owner picked: its words, so they count for local changes alone that can be undone. */
  readonly picked?: readonly string[];
  readonly seen: readonly SeenResult[];
  /** Where the owner let this very tool go to before, by hand; only where they want that to count. */
  readonly known?: KnownPlaces;
  /** The days that may be today for the owner, such as `2026-11-15`. Since when something holds is no addition to it. */
  readonly today?: readonly string[];
  /** Takes secrets out of a value before it is quoted in a reason, which is kept and shown. */
  readonly redact?: (text: string) => string;
}

/** Where a value came from, as far as it can be told. */
export interface ValueOrigin {
  readonly from: "owner" | "trusted" | "untrusted" | "model";
  readonly callId?: string;
  readonly toolId?: string;
  readonly target?: string;
}

export type WhoSaid =
  | {
      readonly said: true;
      readonly reason: string;
      /** Arguments that were not said this time, but allowed before. */
      readonly known?: readonly string[];
    }
  | {
      readonly said: false;
      /** `said.critical`, `said.reference`, `said.no-target`, `said.content`, `said.copied`, `said.unlabelled` */
      readonly rule: string;
      readonly argument: string;
      readonly reason: string;
      readonly origin: ValueOrigin;
    };

/**
 * Whether the owner said what a call is about: every critical value of it by its kind, and
 * no link, address, account or code in its content that they did not say. It looks only
 * at what is said and what would leave; whether an attack was noticed does not matter.
 */
export function whoSaid(
  contract: Pick<ToolContract, "id" | "labels" | "input" | "risk"> & Partial<Pick<ToolContract, "canUndo">>,
  input: unknown,
  spoken: Spoken,
): WhoSaid {
  const { said, seen, known } = spoken;
  const { critical, content, ids, time } = contract.labels;
  const values = argumentsOf(input, contract.input);
  if (critical.includes("*"))
    return unsaid(
      "said.unlabelled",
      "*",
      "Nothing is known of which of its arguments matter",
      undefined,
      seen,
    );
  const { canUndo = false, risk, labels } = contract;
  const mayPick = canUndo && risk === "write" && labels.egress === "none";
  const typed = mayPick ? [...said, ...(spoken.picked ?? [])] : said;
  const words = new OwnerWords(typed);
  const stated = critical.filter((name) => isPresent(values[name]));
  const fromBefore = new Set<string>();
  for (const name of stated) {
    const kind = ids[name];
    for (const leaf of leavesOf(values[name])) {
      const isOwners =
        kind === undefined
          ? isSaid(leaf, name, words) || keepsItsName(leaf, name, values, words)
          : isReference(leaf, kind, seen, words);
      if (!isOwners && kind === undefined && isKnownPlace(leaf, known?.get(name))) fromBefore.add(name);
      else if (!isOwners) {
        const rule = kind === undefined ? "said.critical" : "said.reference";
        return unsaid(rule, name, `You did not say ${quoted(leaf, spoken)} (${name})`, leaf, seen);
      }
    }
  }
  if (stated.length === 0 && contract.risk !== "read") {
    const problem = withoutTarget(values, { content, time }, words, spoken);
    if (problem) return problem;
  }
  const elsewhere = seenElsewhere(contract, stated, values, seen);
  for (const name of content) {
    const problem = contentAsks(name, values[name], typed, spoken, elsewhere);
    if (problem) return problem;
  }
  return saidWith(stated, [...fromBefore]);
}

/** Without what was read from the very thing that the owner named: its text may go back where it is. */
function seenElsewhere(
  { labels, id }: Pick<ToolContract, "labels" | "id">,
  stated: readonly string[],
  values: Readonly<Record<string, unknown>>,
  seen: readonly SeenResult[],
): readonly SeenResult[] {
  if (labels.egress !== "none") return seen;
  const about = stated.map((name) => plainPath(values[name]));
  const [area] = id.split(".");
  return seen.filter(
    ({ target, toolId }) =>
      target === undefined || toolId.split(".")[0] !== area || !about.includes(plainPath(target)),
  );
}

function plainPath(value: unknown): unknown {
  return typeof value === "string" ? value.trim().replace(/^(?:\.\/)+/, "") : value;
}

function saidWith(stated: readonly string[], known: readonly string[]): WhoSaid {
  const about = stated.filter((name) => !known.includes(name)).join(", ");
  const reason = `You said yourself what this is about${about === "" ? "" : ` (${about})`}.`;
  if (known.length === 0) return { said: true, reason };
  const before = `You allowed the same before (${known.join(", ")}), and want that to count.`;
  return { said: true, reason: about === "" ? before : `${reason} ${before}`, known };
}

/** A call that names nobody and nothing must repeat the owner's own words: otherwise anything could be put there. */
function withoutTarget(
  values: Readonly<Record<string, unknown>>,
  labels: { readonly content: readonly string[]; readonly time: readonly string[] },
  words: OwnerWords,
  spoken: Spoken,
): WhoSaid | undefined {
  const { seen } = spoken;
  const present = labels.content.filter((name) => isPresent(values[name]));
  if (present.length === 0)
    return unsaid("said.no-target", "", "It names nothing that you could have said", undefined, seen);
  for (const name of present) {
    for (const leaf of leavesOf(values[name])) {
      const text = withoutToday(String(leaf), spoken.today);
      const lines = text.split("\n").filter((line) => /[\p{L}\p{N}]/u.test(line));
      if (lines.length === 0 || !lines.every((line) => words.sentence(line)))
        return unsaid(
          "said.no-target",
          name,
          `You did not say ${quoted(leaf, spoken)} (${name})`,
          leaf,
          seen,
        );
    }
  }
  return undefined;
}

/** "Bike: red (since 2026-11-15)" on that very day says no more than "Bike: red". */
function withoutToday(text: string, today: readonly string[] = []): string {
  return text.replaceAll(
    /\s*[([](?:since|as of|from|seit|ab|desde|depuis) (\d{4}-\d{2}(?:-\d{2})?)[)\]]/giu,
    (whole, day: string) => (today.some((each) => each === day || each.slice(0, 7) === day) ? "" : whole),
  );
}

/** Links, addresses, accounts and codes in a text for others, and long copies of what only the owner should see. */
function contentAsks(
  name: string,
  value: unknown,
  typed: readonly string[],
  spoken: Spoken,
  elsewhere: readonly SeenResult[],
): WhoSaid | undefined {
  const { seen } = spoken;
  const problem = contentProblem(value, typed, elsewhere);
  if (problem === undefined) return undefined;
  if (problem.kind === "too-much")
    return unsaid("said.content", name, `Its ${name} is too much to look through`, undefined, seen);
  if (problem.kind === "stranger")
    return unsaid(
      "said.content",
      name,
      `Its ${name} holds ${quoted(problem.value, spoken)}, which you did not say`,
      problem.value,
      seen,
    );
  const { from } = problem;
  const what = `Its ${name} copies text from ${sourceInWords(from)}, which is private`;
  return {
    ...unsaid("said.copied", name, what, undefined, seen),
    origin: {
      from: "trusted",
      callId: from.callId,
      toolId: from.toolId,
      ...(from.target === undefined ? {} : { target: from.target }),
    },
  };
}

function isSaid(value: unknown, name: string, words: OwnerWords): boolean {
  if (typeof value === "number") return words.number(value);
  if (typeof value === "boolean") return words.word(name.toLowerCase().slice(0, STEM_CHARS));
  if (typeof value !== "string") return false;
  const text = value.trim();
  if (emailsIn(text)[0] === text.toLowerCase()) return words.email(text);
  if (/^-?\d+(?:\.\d+)?$/u.test(text)) return words.number(Number(text));
  if (readMoment(text)) return words.moment(text);
  if (Object.hasOwn(RIGHTS, text.toLowerCase()))
    return RIGHTS[text.toLowerCase()]!.every((each) => words.word(each));
  if (isWebAddress(text)) return words.address(text) || (!text.includes("/") && words.phrase(text));
  return words.phrase(text);
}

/** "Move a.txt to old/" says old/a.txt: the folder was said, and the name is that of another path of the call, which was said too. */
function keepsItsName(
  value: unknown,
  name: string,
  values: Readonly<Record<string, unknown>>,
  words: OwnerWords,
): boolean {
  const [, folder, base] = /^([^\s:]+)\/([^/]+)$/u.exec(typeof value === "string" ? value.trim() : "") ?? [];
  if (folder === undefined || base === undefined) return false;
  if (!words.phrase(folder) && !words.phrase(`${folder}/`)) return false;
  return Object.entries(values).some(
    ([other, path]) =>
      other !== name &&
      typeof path === "string" &&
      path.split("/").at(-1) === base &&
      isSaid(path, other, words),
  );
}

const STEM_CHARS = 5;

function isWebAddress(text: string): boolean {
  return /^https?:\/\//iu.test(text) || /^(?:[\p{L}\p{N}-]+\.)+\p{L}{2,}(?::\d+)?(?:\/\S*)?$/u.test(text);
}

/** An id counts as said where the owner said the thing it stands for; a long one also where they wrote it. */
function isReference(value: unknown, kind: string, seen: readonly SeenResult[], words: OwnerWords): boolean {
  if (typeof value !== "string" && typeof value !== "number") return false;
  const id = String(value);
  if (isNamed(id, kind, seen, words)) return true;
  return id.length >= WRITTEN_ID_CHARS_MIN && /\d/u.test(id) && words.phrase(id);
}

const WRITTEN_ID_CHARS_MIN = 6;

function unsaid(
  rule: string,
  argument: string,
  what: string,
  value: unknown,
  seen: readonly SeenResult[],
): Extract<WhoSaid, { said: false }> {
  const origin = originOf(value, seen);
  return { said: false, rule, argument, reason: `${what}${whence(origin)}.`, origin };
}

/**
 * The earliest result that holds the value: those after it may only repeat it. A result of a call that was
 * made with the value does not count. Where none is left, the model wrote it.
 */
export function originOf(value: unknown, seen: readonly SeenResult[]): ValueOrigin {
  if (typeof value !== "string" && typeof value !== "number") return { from: "model" };
  const wanted = String(value).toLowerCase();
  const source =
    wanted.length < ORIGIN_CHARS_MIN
      ? undefined
      : seen.find(
          ({ value: result, target = "" }) =>
            !isMadeWith(target.toLowerCase(), wanted) && textOf(result).toLowerCase().includes(wanted),
        );
  if (!source) return { from: "model" };
  const { callId, toolId, target, trust } = source;
  const from = trust === "trusted" ? "trusted" : "untrusted";
  return { from, callId, toolId, ...(target === undefined ? {} : { target }) };
}

const ORIGIN_CHARS_MIN = 2;

function isMadeWith(target: string, value: string): boolean {
  return target === value || target.endsWith(`/${value}`) || (target !== "" && value.endsWith(`/${target}`));
}

function whence({ from, toolId, target }: ValueOrigin): string {
  if (toolId === undefined) return "; the model wrote it";
  const what = sourceInWords({ toolId, ...(target === undefined ? {} : { target }) });
  return from === "trusted"
    ? `; it came from ${what}`
    : `; it came from ${what}, which anybody may have written`;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? "");
}

const SHOWN_CHARS_MAX = 80;

/** A secret must be gone before the text is cut: half of one is known to nobody as a secret any more. */
function quoted(value: unknown, { redact = (text) => text }: Pick<Spoken, "redact">): string {
  const text = showLine(redact(String(value)));
  return `“${text.length > SHOWN_CHARS_MAX ? `${text.slice(0, SHOWN_CHARS_MAX)}…` : text}”`;
}
