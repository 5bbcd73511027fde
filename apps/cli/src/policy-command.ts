import { fail } from "@elwood/core/base/failure";
import type { WireExplanation } from "@elwood/core/protocol/tool-shapes";
import type { GatewayClient } from "@elwood/sdk/client";
import { EXIT, type Io } from "./io.ts";
import { paintFor, type Style } from "./paint.ts";
import { visibleText } from "./terminal-text.ts";

/** `elwood policy explain <tool id> '<input json>'`: what would become of a call. Runs nothing. */
export async function explainPolicy(
  io: Io,
  deps: { readonly client: GatewayClient },
  options: {
    readonly toolId: string;
    /** As typed. */
    readonly input: string;
    readonly session?: string;
    readonly json: boolean;
  },
): Promise<number> {
  const found = await deps.client.call("policy.explain", {
    toolId: options.toolId,
    input: readInput(options.input),
    ...(options.session === undefined ? {} : { sessionKey: options.session }),
  });
  if (options.json) io.stdout.write(`${JSON.stringify(found)}\n`);
  else io.stdout.write(explained(io, found));
  return EXIT.ok;
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
] as const;

function explained(io: Io, found: WireExplanation): string {
  const paint = paintFor(io);
  const about = found.target === undefined ? "" : `  ${visibleText(found.target)}`;
  const layer = LAYER_NAMES[found.layer] ?? "unknown";
  const place = found.layer === 0 ? layer : `layer ${found.layer} of 7: ${layer}`;
  return [
    `${paint("bold", paint(DECISION_STYLES[found.decision], found.decision))}  ${found.toolId}${about}`,
    `  ${visibleText(found.reason)}`,
    ...(found.sources ?? []).map((source) => `  read before: ${visibleText(source)}`),
    ...(found.problems ?? []).map((problem) => `  - ${visibleText(problem)}`),
    paint("dim", `  rule ${visibleText(found.rule)} (${place}). Nothing was run.`),
    "",
  ].join("\n");
}

function readInput(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    return fail(
      "INVALID_INPUT",
      `The input is not JSON: ${cause.message}. Write it in single quotes: '{"path": "notes.md"}'`,
    );
  }
}
