import { fail } from "@elwood/core/base/failure";
import { parseJson } from "@elwood/core/base/parse-json";
import { isLooser, POLICY_MODES } from "@elwood/core/policy/policy";
import type { WireExplanation } from "@elwood/core/protocol/tool-shapes";
import type { GatewayClient } from "@elwood/sdk/client";
import { canAsk, confirm } from "./confirm.ts";
import { EXIT, type Io } from "./io.ts";
import { paintFor, type Style } from "./paint.ts";
import { visibleText } from "./terminal-text.ts";
import { gatewayText, say, type Sentence } from "./words/say.ts";

/** `elwood policy explain <tool id> '<input json>'`: what would become of a call. Runs nothing. */
export async function explainPolicy(
  io: Io,
  deps: { readonly client: GatewayClient },
  options: {
    readonly toolId: string;
    /** As typed. */
    readonly input: string;
    readonly session?: string;
    /** As if this had been typed. */
    readonly typed?: string;
    readonly json: boolean;
  },
): Promise<number> {
  const found = await deps.client.call("policy.explain", {
    toolId: options.toolId,
    input: readInput(options.input),
    ...(options.session === undefined ? {} : { sessionKey: options.session }),
    ...(options.typed === undefined ? {} : { typed: options.typed }),
  });
  if (options.json) io.stdout.write(`${JSON.stringify(found)}\n`);
  else io.stdout.write(explained(io, found));
  return EXIT.ok;
}

/** `elwood policy mode [MODE]`: tells the mode, or switches it. */
export async function policyMode(
  io: Io,
  deps: { readonly client: GatewayClient },
  options: { readonly mode?: string; readonly yes: boolean; readonly json: boolean },
): Promise<number> {
  const mode = options.mode === undefined ? undefined : POLICY_MODES.find((each) => each === options.mode);
  if (options.mode !== undefined && mode === undefined)
    return fail("INVALID_INPUT", `There is no mode ${options.mode}. Modes: ${POLICY_MODES.join(", ")}.`);
  const now = await deps.client.call("policy.mode", {});
  if (mode === undefined) {
    io.stdout.write(options.json ? `${JSON.stringify(now)}\n` : `${now.mode}\n`);
    return EXIT.ok;
  }
  const looser = isLooser(now.mode, mode);
  if (looser && !options.yes) {
    if (!canAsk(io))
      return fail("INVALID_INPUT", `${mode} asks less than ${now.mode}. Say --yes to mean it.`);
    if (!(await confirm(io, say(io, "Switch from {0} to {1}, which asks less?", now.mode, mode)))) {
      io.stdout.write(`${say(io, "The mode is still {0}.", now.mode)}\n`);
      return EXIT.ok;
    }
  }
  const set = await deps.client.call("policy.mode", { mode, ...(looser ? { confirm: true } : {}) });
  io.stdout.write(
    options.json
      ? `${JSON.stringify(set)}\n`
      : `${say(io, "The mode is {0} now.", set.mode)}${set.note === undefined ? "" : ` ${visibleText(gatewayText(io, set.note))}`}\n`,
  );
  return EXIT.ok;
}

/** One case of a file: what would be typed, the call, and what should become of it. */
interface PolicyCase {
  readonly typed: string;
  readonly tool: string;
  readonly input: unknown;
  readonly expect: string;
}

const CASES_MAX = 5_000;

/** `elwood policy test FILE`: asks the policy about every case of a file, one JSON object per line. Runs nothing. */
export async function testPolicy(
  io: Io,
  deps: { readonly client: GatewayClient },
  options: { readonly text: string; readonly json: boolean },
): Promise<number> {
  const cases = options.text
    .split("\n")
    .flatMap((line, at) => (line.trim() === "" ? [] : [readCase(line, at + 1)]));
  if (cases.length > CASES_MAX)
    return fail(
      "INVALID_INPUT",
      `The file has ${cases.length} cases; at most ${CASES_MAX} are tried at once.`,
    );
  const wrong: {
    readonly line: number;
    readonly found: WireExplanation;
    readonly expect: string;
    readonly typed: string;
  }[] = [];
  for (const { line, typed, tool, input, expect } of cases) {
    const found = await deps.client.call("policy.explain", { toolId: tool, input, typed });
    if (found.decision !== expect) wrong.push({ line, found, expect, typed });
  }
  if (options.json) io.stdout.write(`${JSON.stringify({ cases: cases.length, wrong })}\n`);
  else {
    for (const { line, found, expect, typed } of wrong)
      io.stdout.write(
        `${say(io, "line {0}: expected {1}", line, expect)}\n  “${visibleText(typed)}”\n${explained(io, found)}`,
      );
    io.stdout.write(
      `${say(io, "{0} of {1} cases as expected. Nothing was run.", cases.length - wrong.length, cases.length)}\n`,
    );
  }
  return wrong.length === 0 ? EXIT.ok : EXIT.failed;
}

function readCase(text: string, line: number): PolicyCase & { readonly line: number } {
  const value = parseJson(text) as Partial<PolicyCase> | null | undefined;
  const { typed, tool, expect, input = {} } = value ?? {};
  if (
    typeof typed !== "string" ||
    typeof tool !== "string" ||
    !["allow", "ask", "deny"].includes(String(expect))
  )
    return fail(
      "INVALID_INPUT",
      `Line ${line} is no case: {"typed": "…", "tool": "…", "input": {…}, "expect": "allow" | "ask" | "deny"}.`,
    );
  return { line, typed, tool, input, expect: String(expect) };
}

const DECISION_STYLES: Readonly<Record<WireExplanation["decision"], Style>> = {
  allow: "green",
  ask: "yellow",
  deny: "red",
};

/** By number; the layers are always heard in this order. */
const LAYER_NAMES = [
  "the input itself",
  "hard denies",
  "your deny rules",
  "what always asks",
  "your ask rules",
  "the mode",
  "your allow rules and grants",
  "reads",
] as const satisfies readonly Sentence[];

function explained(io: Io, found: WireExplanation): string {
  const paint = paintFor(io);
  const about = found.target === undefined ? "" : `  ${visibleText(found.target)}`;
  const layer = say(io, LAYER_NAMES[found.layer] ?? "unknown");
  const place = found.layer === 0 ? layer : say(io, "layer {0} of 7: {1}", found.layer, layer);
  return [
    `${paint("bold", paint(DECISION_STYLES[found.decision], found.decision))}  ${found.toolId}${about}`,
    `  ${visibleText(gatewayText(io, found.reason))}`,
    ...(found.clause === undefined ? [] : [`  ${say(io, "clause: “{0}”", visibleText(found.clause))}`]),
    ...(found.values ?? []).map((value) => `  ${say(io, "value {0}", visibleText(value))}`),
    ...(found.sources ?? []).map((source) => `  ${say(io, "read before: {0}", visibleText(source))}`),
    ...(found.problems ?? []).map((problem) => `  - ${visibleText(problem)}`),
    paint("dim", `  ${say(io, "rule {0} ({1}). Nothing was run.", visibleText(found.rule), place)}`),
    "",
  ].join("\n");
}

function readInput(text: string): unknown {
  const value = parseJson(text);
  if (value !== undefined) return value;
  return fail("INVALID_INPUT", `The input is not JSON. Write it in single quotes: '{"path": "notes.md"}'`);
}
