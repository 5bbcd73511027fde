import type { Rule, Turn } from "@elwood/sdk/model-script/rule-model";
import { COMMAND_ERRANDS } from "./demo-command-errands.ts";
import { examplesFor, rulesOf, type Errand } from "./demo-errand.ts";
import { FILE_ERRANDS } from "./demo-file-errands.ts";
import { MEMORY_ERRANDS } from "./demo-memory-errands.ts";
import { PROGRAM_ERRANDS } from "./demo-program-errands.ts";
import { QUESTION_ERRANDS } from "./demo-question-errands.ts";
import { WEB_ERRANDS } from "./demo-web-errands.ts";

/** The order matters: “write three notes with a program” is no file, and “search the web” is no folder. */
const ERRANDS: readonly Errand[] = [
  ...PROGRAM_ERRANDS,
  ...MEMORY_ERRANDS,
  ...WEB_ERRANDS,
  ...FILE_ERRANDS,
  ...QUESTION_ERRANDS,
  ...COMMAND_ERRANDS,
];

/**
 * What the demo model does with tools: real calls through the real gate, and afterwards
 * only what came back. It answers from results and from the gateway's activity text, never
 * from what it meant to do.
 */
export const DEMO_ERRANDS: readonly Rule[] = rulesOf(ERRANDS);

const SHOWN_FIRST = [
  "what files are here",
  "run date",
  "open example.com",
  "write 'milk' to shopping.txt",
  "ask me something",
  "write three notes with a program",
];
const FEW = 3;

/** A few things to try, of those that the tools at hand allow. */
export function someExamples(turn: Turn): string {
  const there = examplesFor(turn, ERRANDS);
  const few = SHOWN_FIRST.filter((example) => there.includes(example)).slice(0, FEW);
  return few.map((example) => `“${example}”`).join(", ");
}

/** Everything that it understands, as a list. */
export function allExamples(turn: Turn): string {
  return examplesFor(turn, ERRANDS)
    .map((example) => `- ${example}`)
    .join("\n");
}
