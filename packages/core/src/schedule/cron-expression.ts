/**
 * The cron expressions that Elwood takes: minute, hour, day of the month, month, day of the week.
 * Lists, ranges, steps, English names of months and weekdays, `L` for the last day of a month, and
 * `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`. As in every cron, a day that is given both
 * by the month and by the week means either.
 */

/** What is wrong with an expression, as the end of a sentence that begins with it; undefined where nothing is. */
export function cronProblem(expression: string): string | undefined {
  const text = expression.trim();
  if (NICKNAMES.has(text.toLowerCase())) return undefined;
  const fields = text.split(/\s+/u);
  if (fields.length !== FIELDS.length)
    return `has ${fields.length} parts and needs 5: minute, hour, day of the month, month, day of the week; for example "0 9 * * 1-5"`;
  for (const [at, field] of FIELDS.entries()) {
    const problem = fieldProblem(field, fields[at] ?? "");
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Whether it means times of day, and not every hour: those are the ones that a change of the clocks can skip or repeat. */
export function namesHours(expression: string): boolean {
  const text = expression.trim().toLowerCase();
  return text === "@hourly" ? false : NICKNAMES.has(text) || text.split(/\s+/u)[1] !== "*";
}

interface Field {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
  readonly last?: true;
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const FIELDS: readonly Field[] = [
  { name: "minute", min: 0, max: 59 },
  { name: "hour", min: 0, max: 23 },
  { name: "day of the month", min: 1, max: 31, last: true },
  { name: "month", min: 1, max: 12, names: MONTHS },
  { name: "day of the week", min: 0, max: 7, names: WEEKDAYS },
];
const NICKNAMES: ReadonlySet<string> = new Set(["@hourly", "@daily", "@weekly", "@monthly", "@yearly"]);

function fieldProblem(field: Field, text: string): string | undefined {
  for (const part of text.split(",")) {
    const found = /^(\*|[a-z0-9]+)(?:-([a-z0-9]+))?(?:\/(\d{1,4}))?$/iu.exec(part);
    const wrong = `has the ${field.name} "${text}"`;
    if (!found) return `${wrong}, which is none`;
    const [, first = "", second, step] = found;
    if (first === "*" && second !== undefined) return `${wrong}, which is none`;
    if (field.last && first.toLowerCase() === "l" && second === undefined && step === undefined) continue;
    const from = first === "*" ? field.min : numberOf(field, first);
    const to = second === undefined ? from : numberOf(field, second);
    if (from === undefined || to === undefined) return `${wrong}, which must be ${field.min} to ${field.max}`;
    if (to < from) return `${wrong}, which ends before it begins`;
    if (step === undefined) continue;
    if (first !== "*" && second === undefined) return `${wrong}; a step needs a range, such as "*/${step}"`;
    if (Number(step) < 1 || Number(step) > field.max) return `${wrong}, whose step is too large or zero`;
  }
  return undefined;
}

function numberOf({ min, max, names }: Field, text: string): number | undefined {
  if (/^\d{1,2}$/u.test(text)) {
    const value = Number(text);
    return value >= min && value <= max ? value : undefined;
  }
  const index = names?.indexOf(text.toLowerCase()) ?? -1;
  return index < 0 ? undefined : index + min;
}
