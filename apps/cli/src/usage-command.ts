import { budgetAlert } from "@elwood/core/model/budget-alert";
import { plainLine } from "@elwood/core/message/session-text";
import type { UsageSummary } from "@elwood/core/protocol/owner-shapes";
import type { GatewayClient } from "@elwood/sdk/client";
import { EXIT, type Io } from "./io.ts";
import { table } from "./table.ts";
import { gatewayText, say, type Speaking } from "./words/say.ts";

export type UsageKind = "day" | "model" | "session" | "action" | "profile" | "tenant";

type Spent = UsageSummary["total"];

interface UsageOptions {
  readonly by: UsageKind;
  readonly days: number;
  readonly form: "table" | "csv" | "json";
}

/** `elwood usage` */
export async function usage(
  io: Io,
  client: Pick<GatewayClient, "call">,
  { by, days, form }: UsageOptions,
): Promise<number> {
  const summary = await client.call("usage.summary", { days });
  if (form === "json") {
    io.stdout.write(`${JSON.stringify(summary, null, 2)}\n`);
    return EXIT.ok;
  }
  const lines = linesBy(form === "table" ? io : {}, by, summary);
  if (form === "csv") {
    const rows = lines.map(([name, spent]) => [name, ...numbersOf(spent)]);
    const text = [[by, ...NUMBERS], ...rows].map((row) => row.map(csvCell).join(","));
    io.stdout.write(`${text.join("\r\n")}\r\n`);
    return EXIT.ok;
  }
  const { caps } = summary;
  const total = ["action", "tenant"].includes(by)
    ? lines.reduce<Spent>((sum, [, spent]) => plus(sum, spent), NOTHING)
    : summary.total;
  const rows = [...lines, [say(io, "total"), total] as const].map(([name, spent]) => [
    plainLine(name),
    spent.laps.toLocaleString("en"),
    spent.inputTokens.toLocaleString("en"),
    spent.cacheReadTokens.toLocaleString("en"),
    spent.outputTokens.toLocaleString("en"),
    costText(io, spent),
  ]);
  const alert = budgetAlert(caps.todayUsd, caps.dayCostUsd)?.shown.text;
  const today =
    (alert && gatewayText(io, alert)) ??
    say(io, "Today: {0} of {1}.", `$${caps.todayUsd.toFixed(2)}`, `$${caps.dayCostUsd.toFixed(2)}`);
  io.stdout.write(table(io, COLUMNS, rows));
  io.stdout.write(
    `\n${today} ${say(io, "Estimates from list prices and your own; what your provider bills is the provider's word.")}\n`,
  );
  return EXIT.ok;
}

const COLUMNS = [
  { title: "", flexible: true },
  { title: "QUESTIONS", align: "right" },
  { title: "IN", align: "right" },
  { title: "FROM CACHE", align: "right" },
  { title: "OUT", align: "right" },
  { title: "COST", align: "right" },
] as const;

const NUMBERS = [
  "questions",
  "input_tokens",
  "output_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "total_tokens",
  "cost_usd",
  "questions_of_unknown_price",
];

function linesBy(io: Speaking, by: UsageKind, summary: UsageSummary): (readonly [string, Spent])[] {
  const { days, models, sessions, actions, profiles, tenants = [] } = summary;
  if (by === "model") return models.map((each) => [each.model, each]);
  if (by === "action") return actions.map((each) => [each.action, each]);
  if (by === "profile") return profiles.map((each) => [each.profile ?? say(io, "no profile"), each]);
  if (by === "tenant") return tenants.map((each) => [each.tenant, each]);
  if (by === "session")
    return sessions.map((each) => [each.title ?? each.sessionKey ?? say(io, "deleted conversations"), each]);
  return days
    .filter((each) => each.models.length > 0)
    .map((each) => [each.day, each.models.reduce<Spent>(plus, NOTHING)]);
}

const NOTHING: Spent = {
  costUsd: 0,
  tokens: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  laps: 0,
  unpriced: 0,
};

function plus(a: Spent, b: Spent): Spent {
  const keys = Object.keys(NOTHING) as (keyof Spent)[];
  return Object.fromEntries(keys.map((key) => [key, a[key] + b[key]])) as Spent;
}

function numbersOf(spent: Spent): string[] {
  const { laps, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, tokens } = spent;
  const counts = [laps, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, tokens].map(String);
  const cost = spent.unpriced === spent.laps && spent.laps > 0 ? "" : spent.costUsd.toFixed(6);
  return [...counts, cost, String(spent.unpriced)];
}

/** What has no known price is unknown, which is not the same as nothing. */
function costText(io: Io, { costUsd, laps, unpriced }: Spent): string {
  if (laps > 0 && unpriced === laps) return say(io, "unknown");
  return `$${costUsd.toFixed(4)}${unpriced > 0 ? ` ${say(io, "+ {0} unknown", unpriced)}` : ""}`;
}

/** Quoted where it must be; what a spreadsheet would take for a formula is kept from being one. */
function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
