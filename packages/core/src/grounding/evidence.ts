import { isChanged, type ActivityItem } from "../tool/activity.ts";
import { callName, callTarget, effectVerb, safe } from "./call-words.ts";
import { isGood, isLater, isMadeGood } from "./session-calls.ts";
import { PLAN_SEPARATOR, plannedCall } from "../tool/plan.ts";
import type { Locale } from "../request/language.ts";
import { GROUNDING_LIMITS } from "./limits.ts";
import { ENDED, MARKS, VOICE } from "./reserved.ts";
import { tokensOf } from "./tool-acts.ts";
import { WORDING, type NotDoneWay } from "./wording.ts";

/**
 * What stands under a reply, from receipts alone; nothing where no call ran and nothing is
 * marked. At most three lines: effects by verb and target, those that ran unasked first;
 * every host that data went to; local reads as a count.
 */
export function evidenceLines(
  activity: readonly ActivityItem[],
  marked: number,
  locale: Locale = "en",
): string[] {
  const effects = effectGroups(activity, locale)
    .map(({ verb, targets }) => `${verb} ${targets.join(WORDING[locale].and)}`)
    .join(" · ");
  return [...(effects === "" ? [] : [effects]), ...otherLines(activity, marked, locale)];
}

/** The same for a terminal, where several targets of one kind stand below each other. */
export function evidenceAsList(
  activity: readonly ActivityItem[],
  marked: number,
  locale: Locale = "en",
): string[] {
  const effects = effectGroups(activity, locale).flatMap(({ verb, targets }) =>
    targets.length === 1 ? [`${verb} ${targets.join("")}`] : [verb, ...targets.map((each) => `  ${each}`)],
  );
  return [...effects, ...otherLines(activity, marked, locale)];
}

/** Every host that data went to, then local reads and marks as counts. */
function otherLines(activity: readonly ActivityItem[], marked: number, locale: Locale): string[] {
  const wording = WORDING[locale];
  const lines: string[] = [];
  const hosts = hostsReached(activity);
  if (hosts.length > 0) lines.push(wording.sentTo(hosts.join(", ")));
  const programs = new Set(activity.flatMap(({ parent }) => parent ?? []));
  const reads = activity.filter(
    (item) =>
      isRead(item) &&
      hostsOf(item).length === 0 &&
      !item.rehearsal &&
      !programs.has(item.callId) &&
      tokensOf(item.toolId)[0] !== "program",
  ).length;
  const rest = [
    ...(reads > 0 ? [wording.reads(reads)] : []),
    ...(marked > 0 ? [`${VOICE} ${wording.marked(marked)}`] : []),
  ];
  if (rest.length > 0) lines.push(rest.join(" · "));
  return lines;
}

/** The same as it is kept and sent. */
export function evidenceText(activity: readonly ActivityItem[], marked: number, locale?: Locale): string {
  return evidenceLines(activity, marked, locale).join("\n");
}

/** What was done, by verb; those that ran unasked first. */
function effectGroups(
  activity: readonly ActivityItem[],
  locale: Locale,
): { readonly verb: string; readonly targets: readonly string[] }[] {
  const wording = WORDING[locale];
  const done = activity.filter(
    ({ status, risk, toolId }) => status === "succeeded" && risk !== "read" && !isQuestion(toolId),
  );
  const unasked = done.filter(({ approval }) => !approval?.required);
  const groups = new Map<
    string,
    { readonly mark: string; readonly verb: string; readonly targets: Map<string, number> }
  >();
  for (const item of [...unasked, ...done.filter((each) => !unasked.includes(each))]) {
    const verb = effectVerb(item, locale);
    const mark = item.exitCode === undefined ? MARKS.succeeded : ENDED;
    const key = `${mark} ${verb} ${unasked.includes(item)}`;
    const group = groups.get(key) ?? { mark, verb, targets: new Map<string, number>() };
    const notes = [
      ...(item.exitCode === undefined ? [] : [wording.ended(item.exitCode)]),
      ...(item.undone ? [wording.undone] : []),
    ];
    const target = `${callTarget(item, locale)}${notes.length > 0 ? ` (${notes.join(", ")})` : ""}`;
    group.targets.set(target, (group.targets.get(target) ?? 0) + 1);
    groups.set(key, group);
  }
  return [...groups.values()].map(({ mark, verb, targets }) => {
    const names = [...targets].map(([name, times]) => (times === 1 ? name : `${name} ×${times}`));
    return { verb: `${mark} ${verb}`, targets: someOf(names, locale) };
  });
}

/** All of a few; of many some, and how many more there are. */
function someOf(names: readonly string[], locale: Locale): string[] {
  const { targetsPerSentenceMax, targetsOfManyMax } = GROUNDING_LIMITS;
  const shown = names.length > targetsPerSentenceMax ? names.slice(0, targetsOfManyMax) : names;
  const rest = names.length - shown.length;
  return [...shown, ...(rest > 0 ? [WORDING[locale].more(rest)] : [])];
}

function isRead({ risk, status, toolId }: ActivityItem): boolean {
  return risk === "read" && status === "succeeded" && !isQuestion(toolId) && isLook(toolId);
}

/** What changes nothing is not a read for that: a tool that counts or checks what it is given looks nothing up. */
function isLook(toolId: string): boolean {
  return LOOKS.has(tokensOf(toolId).at(-1) ?? "");
}

const LOOKS: ReadonlySet<string> = new Set(
  "read list search get find fetch query look lookup show view browse open scan stat status describe info inspect recall load download".split(
    " ",
  ),
);

/** A question to the owner is neither an effect nor a look. */
function isQuestion(toolId: string): boolean {
  return tokensOf(toolId)[0] === "owner";
}

/** Hosts that a call may have sent something to, whether or not it succeeded in the end. */
function hostsReached(activity: readonly ActivityItem[]): string[] {
  const went = activity.filter(({ status }) => !["denied", "expired", "pending"].includes(status));
  return [...new Set(went.flatMap(hostsOf))];
}

const HOST =
  /^(?:https?|wss?):\/\/(?:[^\s/@]{1,200}@)?(\[[0-9a-f:.]{2,45}\](?::\d{1,5})?|[^\s/?#@]{1,260})/iu;

/** The one that the call names; else those that its tool says it reaches. */
function hostsOf({ target, hosts = [] }: ActivityItem): string[] {
  const named = HOST.exec(target ?? "")?.[1];
  const reached = named === undefined ? hosts.map((origin) => HOST.exec(origin)?.[1] ?? origin) : [named];
  return reached.map((host) => safe(host.toLowerCase()));
}

/** Effects that are not done in the end: nothing later made them good, and no reply could do without them. */
export function notDoneItems(
  activity: readonly ActivityItem[],
): { readonly item: ActivityItem; readonly way: NotDoneWay }[] {
  return activity.flatMap((item) => {
    if (item.status === "succeeded" || isQuestion(item.toolId) || item.rehearsal) return [];
    // A look-up that failed is an attempt; a look-up that waits is news.
    if (item.risk === "read" && item.status !== "pending") return [];
    if (isMadeGood(item, activity) || isFollowedNote(item, activity) || isPlanDone(item, activity)) return [];
    return [{ item, way: wayOf(item) }];
  });
}

/** The owner said no and what to do instead, and that was done. */
function isFollowedNote(item: ActivityItem, activity: readonly ActivityItem[]): boolean {
  if (item.status !== "denied" || item.approval?.noted !== true) return false;
  return activity.some(
    (other) =>
      isLater(other, item) &&
      other.status === "succeeded" &&
      other.risk !== "read" &&
      (isProgram(item) || tokensOf(other.toolId)[0] === tokensOf(item.toolId)[0]),
  );
}

/** A program was not run, and every call on its list was made later, by another program or alone. */
function isPlanDone(item: ActivityItem, activity: readonly ActivityItem[]): boolean {
  if (!isProgram(item) || item.target === undefined) return false;
  const made = new Set(
    activity
      .filter((other) => isLater(other, item) && isGood(other) && other.risk !== "read")
      .map(({ toolId, target }) => plannedCall(toolId, target)),
  );
  return item.target.split(PLAN_SEPARATOR).every((call) => made.has(call));
}

/** Its risk is that of the calls on its list. */
function isProgram({ toolId, risk }: ActivityItem): boolean {
  return tokensOf(toolId)[0] === "program" && risk !== "read";
}

function wayOf(item: ActivityItem): NotDoneWay {
  const { status, approval, stopped } = item;
  if (stopped && status !== "unknown") return "stopped";
  if (status === "denied") {
    if (isChanged(item)) return "changed";
    const by = approval?.by?.kind;
    return by === "policy" || by === "none" || by === undefined ? "blocked" : "denied";
  }
  return status === "succeeded" ? "failed" : status;
}

const WAYS: readonly NotDoneWay[] = [
  "failed",
  "denied",
  "blocked",
  "changed",
  "stopped",
  "expired",
  "unknown",
  "pending",
];

/** Elwood's own sentences for what is not done in the end, one a kind, whatever the model wrote. */
export function notDone(activity: readonly ActivityItem[], locale: Locale = "en"): string[] {
  const wording = WORDING[locale];
  const items = notDoneItems(activity);
  return WAYS.flatMap((way) => {
    const names = items.filter((each) => each.way === way).map(({ item }) => callName(item, locale));
    if (names.length === 0) return [];
    return [
      `${VOICE} ${wording.notDone[way].replace("{what}", () => someOf(counted(names), locale).join(wording.and))}`,
    ];
  });
}

/** The same call more than once is one entry with a number. */
function counted(names: readonly string[]): string[] {
  const times = new Map<string, number>();
  for (const name of names) times.set(name, (times.get(name) ?? 0) + 1);
  return [...times].map(([name, n]) => (n === 1 ? name : `${name} ×${n}`));
}
