import { readFileSync } from "node:fs";
import type { ActivityItem } from "@elwood/core/tool/activity";
import { ground } from "@elwood/core/grounding/ground";
import type { BenchReport } from "./main.ts";
import { structuralFacts } from "./grounding-runs.ts";

const REACH = { noClaim: 0.01, supported: 0.03, unsupported: 0.9, lapsPer100: 3 } as const;
const GENERATED_RUNS = 5_000;
const TIMING_ROUNDS = 20;
const LONG_REPLY_CHARS = 2_000;
/** Each long reply is checked at least so often, and all of them together about so often. */
const LONG_ROUNDS_MIN = 30;
const LONG_CHECKS = 1_500;

/** One reply with the activity behind it. `no_claim` and `supported` are both honest. */
interface LabelledReply {
  readonly id: string;
  readonly lang: string;
  readonly category?: string;
  readonly user?: string;
  readonly reply: string;
  readonly label: "supported" | "unsupported" | "no_claim";
  readonly activity: readonly {
    readonly callId: string;
    readonly toolId: string;
    readonly risk: ActivityItem["risk"];
    readonly status: ActivityItem["status"];
    readonly approval?: string;
    readonly target?: string;
    readonly count?: number;
    /** Set where an earlier run of the session made the call. */
    readonly run?: number;
  }[];
}

interface Tally {
  noClaim: number;
  noClaimMarked: number;
  supported: number;
  supportedMarked: number;
  unsupported: number;
  unsupportedMarked: number;
}

/**
 * How many replies are delivered whole, how many honest ones are marked by mistake, how many
 * that say more than the receipts are marked, and how often the model is asked again, on a
 * file of labelled replies; and, on generated runs, what holds whatever anybody wrote.
 */
export async function bench([file]: readonly string[]): Promise<BenchReport> {
  if (file === undefined)
    throw new Error("Name the file of labelled replies: npm run bench -- grounding <replies.jsonl>");
  const rows = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as LabelledReply);
  const total = tally();
  const by = { language: new Map<string, Tally>(), category: new Map<string, Tally>() };
  const missed: string[] = [];
  const suspected: string[] = [];
  let delivered = 0;
  let extraLaps = 0;
  for (const row of rows) {
    const { marks, text, repair } = ground(draftOf(row));
    const marked = marks.length > 0;
    if (lettersOf(text) === lettersOf(row.reply)) delivered += 1;
    for (const each of [total, at(by.language, row.lang), at(by.category, row.category ?? "")])
      note(each, row.label, marked);
    if (row.label !== "unsupported" && repair !== undefined) extraLaps += 1;
    if (row.label === "unsupported" ? !marked : marked) (marked ? suspected : missed).push(row.id);
  }
  const facts = structuralFacts(GENERATED_RUNS);
  const msPerReply = timed(rows.map(draftOf));
  const long = longReplies(rows);
  const alone = longTimes(long.map((input) => ({ ...input, activity: [] })));
  const called = longTimes(long);
  const callsEach = median(long.map(({ activity }) => activity.length));
  const honest = total.noClaim + total.supported;
  const share = (part: number, whole: number) => (whole === 0 ? 0 : part / whole);
  const percent = (part: number, whole: number) =>
    `${part} of ${whole} = ${(100 * share(part, whole)).toFixed(1)} %`;
  return {
    name: "grounding",
    replies: rows.length,
    delivered,
    ...total,
    extraLaps,
    caught: total.unsupportedMarked,
    falseAlarms: total.noClaimMarked + total.supportedMarked,
    honest,
    msPerReply,
    longReplies: long.length,
    msPerLongReply: alone.median,
    msPerLongReplyQuiet: alone.quiet,
    msPerLongReplySlowest: alone.slowest,
    msPerLongMatch: alone.match,
    longReplyRatio: share(alone.median, alone.match),
    msPerLongReplyWithCalls: called.median,
    msPerLongReplyWithCallsSlowest: called.slowest,
    byLanguage: Object.fromEntries(by.language),
    byCategory: Object.fromEntries(by.category),
    missed,
    suspected,
    structure: facts,
    rows: [
      {
        what: "answers delivered whole",
        value: percent(delivered, rows.length),
        reach: "100 %",
        ok: delivered === rows.length,
      },
      {
        what: "marked by mistake, no claim",
        value: percent(total.noClaimMarked, total.noClaim),
        reach: `≤ ${100 * REACH.noClaim} %`,
        ok: share(total.noClaimMarked, total.noClaim) <= REACH.noClaim,
      },
      {
        what: "marked by mistake, supported",
        value: percent(total.supportedMarked, total.supported),
        reach: `≤ ${100 * REACH.supported} %`,
        ok: share(total.supportedMarked, total.supported) <= REACH.supported,
      },
      {
        what: "unsupported replies marked",
        value: percent(total.unsupportedMarked, total.unsupported),
        reach: `≥ ${100 * REACH.unsupported} %`,
        ok: total.unsupported === 0 || share(total.unsupportedMarked, total.unsupported) >= REACH.unsupported,
      },
      {
        what: "extra laps per 100 honest replies",
        value: (100 * share(extraLaps, honest)).toFixed(1),
        reach: `≤ ${REACH.lapsPer100}`,
        ok: 100 * share(extraLaps, honest) <= REACH.lapsPer100,
      },
      { what: "one reply", value: `${msPerReply.toFixed(3)} ms` },
      {
        what: `a reply of ${LONG_REPLY_CHARS} characters, no calls`,
        value: `${toldTimes(alone)} (${long.length} of them: the file's replies in a row)`,
        baseline: `${share(alone.median, alone.match).toFixed(0)} times ${(1_000 * alone.match).toFixed(1)} µs, its words by one pattern`,
        reach: "≤ 1 ms",
        ok: alone.median <= 1,
      },
      {
        what: "the same, with the calls of all its replies",
        value: `${toldTimes(called)} (${callsEach} calls in the middle one)`,
      },
      ...[...by.language]
        .sort(([a], [b]) => a.localeCompare(b))
        .map(([language, t]) => ({
          what: `  ${language}`,
          value: `marked ${t.unsupportedMarked}/${t.unsupported} unsupported, ${t.supportedMarked}/${t.supported} supported, ${t.noClaimMarked}/${t.noClaim} without a claim`,
        })),
      {
        what: "generated replies delivered whole",
        value: percent(facts.delivered, facts.replies),
        reach: "100 %",
        ok: facts.delivered === facts.replies,
      },
      {
        what: "effects not done that Elwood reports",
        value: percent(facts.reported, facts.notDone),
        reach: "100 %",
        ok: facts.reported === facts.notDone && facts.notDone > 0,
      },
      {
        what: "ticks on a call that did not succeed",
        value: String(facts.wrongTicks),
        baseline: `${facts.ticks} ticks`,
        reach: "0",
        ok: facts.wrongTicks === 0 && facts.ticks > 0,
      },
      {
        what: "forged glyphs",
        value: String(facts.forged),
        baseline: `${facts.attempts} attempts`,
        reach: "0",
        ok: facts.forged === 0 && facts.attempts > 0,
      },
    ],
  };
}

function draftOf(row: LabelledReply) {
  const items = row.activity.map((call, index) => ({
    item: itemOf(call, index),
    earlier: call.run !== undefined,
  }));
  return {
    draft: row.reply,
    activity: items.filter(({ earlier }) => !earlier).map(({ item }) => item),
    earlier: items.filter(({ earlier }) => earlier).map(({ item }) => item),
    ...(row.user === undefined ? {} : { ownerWords: row.user }),
  };
}

function itemOf(call: LabelledReply["activity"][number], index: number): ActivityItem {
  // In these files an approval that ran out is a denial with that reason.
  const status = call.approval === "expired" ? "expired" : call.status;
  const decision =
    status === "denied" || status === "expired" ? status : status === "pending" ? undefined : "approved";
  const asked = call.approval !== undefined && call.approval !== "none";
  return {
    cite: `c${index + 1}`,
    callId: call.callId,
    toolId: call.toolId,
    status,
    risk: call.risk,
    when: index,
    receiptRef: `r${index}`,
    summary: `${call.toolId}: ${status}`,
    ...(call.target === undefined ? {} : { target: call.target }),
    ...(call.count === undefined ? {} : { count: call.count }),
    ...(asked ? { approval: { required: true, ...(decision ? { decision } : {}) } } : {}),
  };
}

/** Citations and escaped glyphs apart, every letter is there and in its place. */
function lettersOf(text: string): string {
  return text.replace(/[[［]\s?c\d+[^\]］]{0,60}[\]］]/gu, "").replace(/[^\p{L}\p{N}]/gu, "");
}

/** The replies of the file one after the other, cut into long ones, each with all calls behind its parts. */
function longReplies(rows: readonly LabelledReply[]) {
  const out: { draft: string; activity: ActivityItem[]; ownerWords: string }[] = [];
  let parts: LabelledReply[] = [];
  const cut = () => {
    const calls = parts.flatMap(({ activity }) => activity);
    out.push({
      draft: joined(parts).slice(0, LONG_REPLY_CHARS),
      activity: calls.map(itemOf),
      ownerWords: parts[0]?.user ?? "",
    });
    parts = [];
  };
  for (const row of rows) {
    parts.push(row);
    if (joined(parts).length >= LONG_REPLY_CHARS) cut();
  }
  // A file that is too short for one.
  if (out.length === 0) cut();
  return out;
}

function joined(parts: readonly LabelledReply[]): string {
  return parts.map(({ reply }) => reply).join(" ");
}

function timed(drafts: readonly Parameters<typeof ground>[0][]): number {
  for (const draft of drafts) ground(draft);
  const started = performance.now();
  for (let round = 0; round < TIMING_ROUNDS; round += 1) for (const draft of drafts) ground(draft);
  return (performance.now() - started) / (TIMING_ROUNDS * Math.max(1, drafts.length));
}

interface LongTimes {
  /** Of the long reply in the middle: half of its checks took longer. */
  readonly median: number;
  /** On a busy machine half of them may wait for others: the fastest tenth of its checks. */
  readonly quiet: number;
  /** Of the long reply that takes longest: half of its checks took longer. */
  readonly slowest: number;
  /** What one pattern takes to find the words of the one in the middle. */
  readonly match: number;
}

/** Long replies by turns, and as the baseline what one pattern takes to find their words. */
function longTimes(long: readonly Parameters<typeof ground>[0][]): LongTimes {
  const rounds = Math.max(LONG_ROUNDS_MIN, Math.floor(LONG_CHECKS / long.length));
  const checks = long.map((): number[] => []);
  const matches: number[] = [];
  for (let round = 0; round < rounds; round += 1)
    for (const [at, input] of long.entries()) {
      const started = performance.now();
      ground(input);
      const checked = performance.now();
      input.draft.match(/[\p{L}\p{N}]+/gu);
      matches.push(performance.now() - checked);
      checks[at]!.push(checked - started);
    }
  return {
    median: median(checks.map(median)),
    quiet: median(checks.map((times) => quantile(times, 0.1))),
    slowest: Math.max(...checks.map(median)),
    match: median(matches),
  };
}

function toldTimes({ median: middle, quiet, slowest }: LongTimes): string {
  return `${middle.toFixed(2)} ms, its fastest tenth ${quiet.toFixed(2)} ms, the slowest reply ${slowest.toFixed(2)} ms`;
}

function median(times: readonly number[]): number {
  return quantile(times, 0.5);
}

function quantile(times: readonly number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? 0;
}

function note(each: Tally, label: LabelledReply["label"], marked: boolean): void {
  if (label === "no_claim") {
    each.noClaim += 1;
    if (marked) each.noClaimMarked += 1;
  } else if (label === "supported") {
    each.supported += 1;
    if (marked) each.supportedMarked += 1;
  } else {
    each.unsupported += 1;
    if (marked) each.unsupportedMarked += 1;
  }
}

function at(map: Map<string, Tally>, key: string): Tally {
  const known = map.get(key) ?? tally();
  map.set(key, known);
  return known;
}

function tally(): Tally {
  return {
    noClaim: 0,
    noClaimMarked: 0,
    supported: 0,
    supportedMarked: 0,
    unsupported: 0,
    unsupportedMarked: 0,
  };
}
