import type { ActivityItem } from "../activity.ts";
import { check, shorten } from "./check.ts";
import { citationsIn, withoutCitations } from "./citations.ts";
import { evidenceLine, notDone, whatOf, type LogHead } from "./evidence.ts";
import { factsOf, type EvidenceState } from "./facts.ts";
import { detectLocale, type Locale } from "./language.ts";
import { GROUNDING_LIMITS } from "./limits.ts";
import type { Problem, ProblemKind } from "./problem.ts";
import { escapeReserved, VERIFIED, VOICE } from "./reserved.ts";
import { askedOf } from "./request.ts";
import { sentencesOf, type Sentence } from "./sentences.ts";
import { WORDING } from "./templates.ts";
import { saidCount, wrongValue } from "./values.ts";
import { lexiconOf } from "./lexicons.ts";

export interface Draft {
  readonly draft: string;
  readonly activity: readonly ActivityItem[];
  readonly head?: LogHead;
  /** Language of Elwood's own words; the reply's, where it is not said. */
  readonly locale?: Locale;
  /** What the owner typed, without quotations and attachments. */
  readonly ownerWords?: string;
}

export interface Segment {
  readonly text: string;
  readonly by: "elwood" | "model";
  /** Calls that the model cited. */
  readonly cites: readonly string[];
  /** Set by Elwood alone. */
  readonly verified: boolean;
}

export interface Grounded {
  /** `repair`: hand `repairInstruction` to the model once, then ground again; still `repair`: send `fallback`. */
  readonly verdict: "grounded" | "repair";
  readonly state: EvidenceState;
  readonly locale: Locale;
  /** What may be shown: Elwood's sentences, then the model's text, escaped, with marks. */
  readonly text: string;
  readonly segments: readonly Segment[];
  readonly evidence: string;
  readonly prefix: readonly string[];
  readonly problems: readonly Problem[];
  /** Only part of the draft was short enough to be read. */
  readonly partly: boolean;
}

/** A reply held against the receipts. Pure: the same draft and activity give the same answer. */
export function ground({ draft, activity, head, locale, ownerWords }: Draft): Grounded {
  const facts = factsOf(activity);
  const asked = askedOf(ownerWords, detectLocale(draft, locale));
  const spoken = detectLocale(draft, asked.locale ?? locale ?? "en");
  const own = locale ?? spoken;
  const sentences = sentencesOf(draft);
  const { problems: mismatches } = check(sentences, facts, asked, spoken);
  const bad = new Set(mismatches.map((problem) => problem.sentence));
  const cited = sentences.map((sentence) => judgeCitations(sentence, activity, spoken, bad));
  const problems = [...mismatches, ...cited.flatMap(({ problem }) => (problem ? [problem] : []))].slice(
    0,
    GROUNDING_LIMITS.problemsMax,
  );
  const prefix = notDone(activity, own);
  const segments = segmentsOf(draft, sentences, cited, prefix);
  return {
    verdict: problems.length > 0 ? "repair" : "grounded",
    state: facts.state,
    locale: own,
    text: textOf(segments),
    segments,
    evidence: evidenceLine(activity, head, own),
    prefix,
    problems,
    partly: draft.length > GROUNDING_LIMITS.readCharsMax || sentences.length >= GROUNDING_LIMITS.sentencesMax,
  };
}

/** The fixed wording for a reply that could not be repaired: what is and what is not known, and nothing of the draft. */
export function fallback({ activity, head, locale, ownerWords, draft }: Draft): Grounded {
  const asked = askedOf(ownerWords);
  const own = locale ?? detectLocale(draft, asked.locale ?? "en");
  const facts = factsOf(activity);
  const text = fallbackText(activity, own);
  const prefix = notDone(activity, own);
  const lines = text.split("\n");
  return {
    verdict: "grounded",
    state: facts.state,
    locale: own,
    text,
    segments: lines.map((line) => ({ text: line, by: "elwood" as const, cites: [], verified: false })),
    evidence: evidenceLine(activity, head, own),
    prefix,
    problems: [],
    partly: false,
  };
}

export function fallbackText(activity: readonly ActivityItem[], locale: Locale): string {
  const wording = WORDING[locale];
  const changed = activity.filter((item) => item.status === "succeeded" && item.risk !== "read");
  const reads = activity.filter((item) => item.status === "succeeded" && item.risk === "read");
  const lines = notDone(activity, locale);
  if (changed.length > 0)
    lines.push(`${VOICE} ${wording.didSucceed.replace("{what}", () => whatOf(changed, locale))}`);
  else if (reads.length > 0)
    lines.push(`${VOICE} ${wording.onlyRead.replace("{what}", () => whatOf(reads, locale))}`);
  else if (lines.length === 0) lines.push(`${VOICE} ${wording.nothingRan}`);
  lines.push(`${VOICE} ${wording.withheld}`);
  return lines.join("\n");
}

const ADVICE: Readonly<Record<ProblemKind, string>> = {
  "no-call": "tells of something done, but no call did it",
  "not-succeeded": "tells of something as done whose call did not succeed",
  "other-deed": "tells of something done that none of the calls did",
  count: "counts more than the calls that succeeded",
  target: "names another target than the call had",
  amount: "names another amount than the call had",
  approval: "says that the owner approved, but no approval is recorded",
  "not-verified": "says that the result was checked, but nothing was looked up afterwards",
  "not-read": "tells of a look-up that no successful call made",
  promise: "promises something for later, but nothing is scheduled that would do it",
  denial: "denies something that a call did",
  "wrong-status": "gives a call another ending than it had",
  unbacked: "leaves the owner believing that it was done; say plainly what was and was not done, or ask",
  "made-up-citation": "cites a call that does not exist",
  "wrong-citation": "cites a call that does not show what the sentence says",
};

/** For the one repair pass: what the receipts say, and which sentences say something else. */
export function repairInstruction(problems: readonly Problem[], activity: readonly ActivityItem[]): string {
  const lines = activity
    .slice(0, GROUNDING_LIMITS.activityLinesMax)
    .map((item) => `[${item.cite}] ${item.summary}`);
  const rest = activity.length - lines.length;
  return [
    "Your reply was not sent, because parts of it do not match the receipts.",
    activity.length === 0
      ? "No tool was called in this run."
      : `Activity of this run, from Elwood's receipts:\n${lines.join("\n")}${rest > 0 ? `\n(and ${rest} more)` : ""}`,
    `These sentences do not match:\n${problems.map((problem) => `- "${problem.sentence.replaceAll('"', "'")}" ${ADVICE[problem.kind]}${problem.cites.length > 0 ? ` (${problem.cites.join(", ")})` : ""}.`).join("\n")}`,
    "Write the whole reply again, in the same language. Say only what the receipts show as done, say what failed, waits or is unknown, and cite calls as [c1]. Call no tool, and do not mention this note.",
  ].join("\n\n");
}

interface Cited {
  readonly cites: readonly string[];
  readonly verified: boolean;
  readonly problem?: Problem;
}

/** Verified: every cited call exists, succeeded and ended with no code but 0, and what the sentence names fits what they were about. */
function judgeCitations(
  sentence: Sentence,
  activity: readonly ActivityItem[],
  locale: Locale,
  bad: ReadonlySet<string>,
): Cited {
  const { known, madeUp } = citationsIn(sentence.text, activity);
  const cites = [...new Set(known.map((item) => item.cite))];
  const quoted = shorten(sentence.text);
  if (madeUp.length > 0)
    return { cites, verified: false, problem: { kind: "made-up-citation", sentence: quoted, cites: [] } };
  if (known.length === 0) return { cites, verified: false };
  const items = activity.filter((item) => cites.includes(item.cite));
  if (items.some((item) => item.status !== "succeeded" || item.exitCode !== undefined) || bad.has(quoted))
    return { cites, verified: false };
  const lexicon = lexiconOf(detectLocale(sentence.plain, locale));
  const counted = items.reduce((sum, item) => sum + (item.count ?? 1), 0);
  const changes = items.some((item) => item.risk !== "read");
  const fit =
    wrongValue(sentence.plain, items) === undefined &&
    (!changes || saidCount(sentence.plain, lexicon.numbers) <= counted);
  const says = !lexicon.question.test(sentence.plain) && !lexicon.condition.test(sentence.plain);
  return {
    cites,
    verified: fit && says && items.every((item) => item.undone !== true),
    ...(fit ? {} : { problem: { kind: "wrong-citation", sentence: quoted, cites } }),
  };
}

function segmentsOf(
  draft: string,
  sentences: readonly Sentence[],
  cited: readonly Cited[],
  prefix: readonly string[],
): Segment[] {
  const segments: Segment[] = prefix.map((text) => ({
    text: `${text}\n`,
    by: "elwood",
    cites: [],
    verified: false,
  }));
  let at = 0;
  const plain = (to: number) => {
    if (to > at)
      segments.push({ text: escapeReserved(draft.slice(at, to)), by: "model", cites: [], verified: false });
    at = Math.max(at, to);
  };
  for (const [index, sentence] of sentences.entries()) {
    const judged = cited[index];
    if (!judged || (judged.cites.length === 0 && !judged.problem)) continue;
    plain(sentence.start);
    segments.push({
      text: escapeReserved(withoutCitations(draft.slice(sentence.start, sentence.end))),
      by: "model",
      cites: judged.cites,
      verified: judged.verified,
    });
    at = sentence.end;
  }
  plain(draft.length);
  return segments;
}

/** Marks are written here and nowhere else. */
function textOf(segments: readonly Segment[]): string {
  const own = segments.filter((segment) => segment.by === "elwood").map((segment) => segment.text);
  const model = segments
    .filter((segment) => segment.by === "model")
    .map((segment) => {
      if (segment.cites.length === 0) return segment.text;
      const trailing = /\s*$/u.exec(segment.text)?.[0] ?? "";
      const mark = segment.verified
        ? `[${VERIFIED} ${segment.cites.join(" ")}]`
        : `[${segment.cites.join(" ")}]`;
      return `${segment.text.slice(0, segment.text.length - trailing.length)} ${mark}${trailing}`;
    });
  return `${own.join("")}${own.length > 0 && model.length > 0 ? "\n" : ""}${model.join("")}`;
}
