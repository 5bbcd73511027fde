import type { EventData } from "@elwood/core/protocol/events";
import { previewSchema } from "@elwood/core/protocol/approval-shapes";
import { lineDiff } from "./line-diff.ts";
import type { Paint } from "./paint.ts";
import { visibleText } from "./terminal-text.ts";

type Asked = EventData<"exec.approval_request">;

/** What is decided, as somebody reads it: the sentence, then the change or the command, then why it asks. */
export function cardLines(asked: Asked, paint: Paint): string[] {
  const { summary, reason, sources, plan = [] } = asked;
  const items = plan.flatMap((item, i) => [
    `${i + 1}. ${visibleText(item.summary)}`,
    ...bodyLines({ toolName: item.toolId, ...item }, item.input, paint).map((line) => `  ${line}`),
  ]);
  return [
    paint("bold", visibleText(summary)),
    ...(plan.length > 0 ? items : bodyLines(asked, asked.details, paint)).map((line) => `  ${line}`),
    visibleText(reason),
    ...(sources.length === 0 ? [] : [visibleText(`Read before: ${sources.join(", ")}`)]),
  ];
}

/** The rest of what is known about the call: for those who want to look closer. */
export function closerLines(asked: Asked): string[] {
  const { toolName, risk, rule, details, approvalId, scopes = [] } = asked;
  const after = previewOf(asked)?.after;
  return [
    `tool      ${toolName} (${risk})`,
    `rule      ${rule}`,
    `approval  ${approvalId}`,
    ...scopes.map(({ scope, words }) => `for longer (--scope ${scope}): ${words}`),
    // A program's own facts: its file, its folder, what it can reach.
    ...(isCommand(toolName) && after !== undefined ? after.split("\n") : []),
    "input",
    ...JSON.stringify(details, null, 2).split("\n"),
  ].map(visibleText);
}

interface Shown {
  readonly toolName: string;
  readonly summary: string;
  readonly preview?: unknown;
}

/** What would happen with `input`: a diff, a command, or the values one by one; never escaped, each thing once. */
export function bodyLines(
  call: Shown & { readonly details?: unknown },
  input: unknown,
  paint: Paint,
): string[] {
  const values = valuesOf(input);
  if (isCommand(call.toolName)) return commandLines(values);
  const preview = previewOf(call);
  const asked = valuesOf(call.details ?? input);
  if (preview?.before === undefined && preview?.after === undefined)
    return values.flatMap(([name, value]) => valueLines(name, value));
  // Where one of the values is what the preview ends with, the diff follows an edit of it alone:
  // with another path, say, nobody here knows what is there before.
  const content = asked.find(([, value]) => value === preview.after)?.[0];
  const same = (name: string) =>
    JSON.stringify(valueOf(values, name)) === JSON.stringify(valueOf(asked, name));
  const names = new Set([...values, ...asked].map(([name]) => name));
  if ([...names].some((name) => name !== content && !same(name)))
    return values.flatMap(([name, value]) => valueLines(name, value));
  const edited = content === undefined ? undefined : valueOf(values, content);
  const after = typeof edited === "string" ? edited : (preview.after ?? "");
  const rest = values.filter(
    ([name, value]) => name !== content && isTelling(value) && !call.summary.includes(String(value)),
  );
  const diff = lineDiff(visibleText(preview.before ?? ""), visibleText(after), paint);
  return [...rest.flatMap(([name, value]) => valueLines(name, value)), ...diff];
}

function valueOf(values: readonly (readonly [string, unknown])[], wanted: string): unknown {
  return values.find(([name]) => name === wanted)?.[1];
}

function commandLines(values: readonly (readonly [string, unknown])[]): string[] {
  const lines = values.flatMap(([name, value]) => {
    if (name === "command")
      return String(value)
        .split("\n")
        .map((line, i) => `${i === 0 ? "$" : " "} ${line}`);
    if (name === "argv" && Array.isArray(value))
      return [`$ ${value.map((word) => shellWord(String(word))).join(" ")}`];
    return valueLines(name, value);
  });
  return lines.map(visibleText);
}

function valueLines(name: string, value: unknown): string[] {
  if (typeof value !== "string") return [visibleText(`${name}: ${JSON.stringify(value)}`)];
  const text = visibleText(value);
  if (!text.includes("\n")) return [`${visibleText(name)}: ${text}`];
  return [
    `${visibleText(name)}:`,
    ...text
      .replace(/\n$/, "")
      .split("\n")
      .map((line) => `  ${line}`),
  ];
}

function isCommand(toolName: string): boolean {
  return toolName.startsWith("shell.");
}

/** A switch that is off says nothing. */
function isTelling(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || value === true;
}

function valuesOf(input: unknown): (readonly [string, unknown])[] {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return [["input", input]];
  return Object.entries(input);
}

function previewOf({ preview }: { readonly preview?: unknown }) {
  const parsed = previewSchema.safeParse(preview);
  return parsed.success ? parsed.data : undefined;
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
