/**
 * What receipts say of calls that the model sees no result of, because a program made them, and of
 * calls that stand otherwise by now than their result says. It follows a result, as the gateway's own
 * words; text that somebody else wrote cannot begin such a note (`neutralised`).
 */
export interface NotedCall {
  readonly cite: string;
  readonly summary: string;
  /** Whether it is one like the others: done, and nothing to say of it alone. */
  readonly plain: boolean;
  readonly toolId?: string;
  readonly risk?: string;
}

/** So many calls are told one by one; those that did not succeed before others. */
export const NOTED_CALLS_MAX = 60;

const HEADING = "Also on record, from Elwood's receipts:\n";
/** The heading of earlier versions, which stands in their conversations. */
const OLD_HEADING = "Activity of this run, from Elwood's receipts:\n";

/** Empty where there is nothing to tell. */
export function activityNote(calls: readonly NotedCall[]): string {
  if (calls.length === 0) return "";
  const telling = calls.filter(({ plain }) => !plain).slice(0, NOTED_CALLS_MAX);
  const room = NOTED_CALLS_MAX - telling.length;
  const told = new Set([...telling, ...calls.filter(({ plain }) => plain).slice(0, room)]);
  const lines = linesOf(calls.filter((call) => told.has(call)));
  const left = calls.filter((call) => !told.has(call));
  const [first, last] = [left[0], left.at(-1)];
  const more =
    first === undefined || last === undefined
      ? []
      : [
          `… and ${left.length} more, [${first.cite}] to [${last.cite}]${left.every(({ plain }) => plain) ? ", all done" : ""}`,
        ];
  return `${HEADING}${[...lines, ...more].join("\n")}`;
}

function linesOf(calls: readonly NotedCall[]): string[] {
  const lines: string[] = [];
  let single: NotedCall[] = [];
  for (const run of readsTogether(calls)) {
    const [one, end] = [run[0], run.at(-1)];
    const same = run.every(({ summary }) => summary === one?.summary);
    if (run.length < READS_MIN || same || !one || !end) {
      single.push(...run);
      continue;
    }
    lines.push(...grouped(single), `[${one.cite}] to [${end.cite}] ${one.toolId}, ${run.length} times: done`);
    single = [];
  }
  return [...lines, ...grouped(single)];
}

/** Calls with numbers in a row, of which the same is to be said, share a line. */
function grouped(calls: readonly NotedCall[]): string[] {
  const rows: { first: string; last: string; readonly summary: string }[] = [];
  for (const { cite, summary } of calls) {
    const row = rows.at(-1);
    if (row?.summary === summary && numberOf(cite) === numberOf(row.last) + 1) row.last = cite;
    else rows.push({ first: cite, last: cite, summary });
  }
  return rows.map(({ first, last, summary }) =>
    first === last ? `[${first}] ${summary}` : `[${first}] to [${last}] ${summary}`,
  );
}

const READS_MIN = 4;

/** Many reads of one tool in a row are told in one line: what they gave, the program has made something of. */
function readsTogether(calls: readonly NotedCall[]): NotedCall[][] {
  const runs: NotedCall[][] = [];
  for (const call of calls) {
    const run = runs.at(-1);
    const before = run?.at(-1);
    const alike =
      before !== undefined &&
      isPlainRead(before) &&
      isPlainRead(call) &&
      before.toolId === call.toolId &&
      numberOf(call.cite) === numberOf(before.cite) + 1;
    if (alike) run?.push(call);
    else runs.push([call]);
  }
  return runs;
}

function isPlainRead({ plain, risk, toolId }: NotedCall): boolean {
  return plain && risk === "read" && toolId !== undefined;
}

function numberOf(cite: string): number {
  return Number(cite.slice(1));
}

export interface ActivityParts {
  readonly output: string;
  /** The note with the empty line before it; empty where there is none. */
  readonly activity: string;
}

export function activityParts(text: string): ActivityParts {
  for (const heading of [HEADING, OLD_HEADING]) {
    const at = text.lastIndexOf(`${heading}[c`);
    if (at === 0) return { output: "", activity: text };
    if (at > 1 && text.slice(at - 2, at) === "\n\n")
      return { output: text.slice(0, at - 2), activity: text.slice(at - 2) };
  }
  return { output: text, activity: "" };
}
