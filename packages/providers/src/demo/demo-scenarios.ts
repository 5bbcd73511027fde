import type { Rule, Turn } from "@elwood/sdk/model-script/rule-model";
import { COMMAND_SCENARIOS } from "./demo-command-scenarios.ts";
import { examplesFor, rulesOf, type Scenario } from "./demo-scenario.ts";
import { FILE_SCENARIOS } from "./demo-file-scenarios.ts";
import { MEMORY_SCENARIOS } from "./demo-memory-scenarios.ts";
import { PROGRAM_SCENARIOS } from "./demo-program-scenarios.ts";
import { QUESTION_SCENARIOS } from "./demo-question-scenarios.ts";
import { WEB_SCENARIOS } from "./demo-web-scenarios.ts";

/** The order matters: “write three notes with a program” is no file, and “search the web” is no folder. */
const SCENARIOS: readonly Scenario[] = [
  ...PROGRAM_SCENARIOS,
  ...MEMORY_SCENARIOS,
  ...WEB_SCENARIOS,
  ...FILE_SCENARIOS,
  ...QUESTION_SCENARIOS,
  ...COMMAND_SCENARIOS,
];

/**
 * What the demo model does with tools: real calls through the real gate, and afterwards
 * only what came back. It answers from results and from the gateway's activity text, never
 * from what it meant to do.
 */
export const DEMO_SCENARIOS: readonly Rule[] = rulesOf(SCENARIOS);

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
  const there = examplesFor(turn, SCENARIOS);
  const few = SHOWN_FIRST.filter((example) => there.includes(example)).slice(0, FEW);
  return few.map((example) => `“${example}”`).join(", ");
}

/** Everything that it understands, as a list. */
export function allExamples(turn: Turn): string {
  return examplesFor(turn, SCENARIOS)
    .map((example) => `- ${example}`)
    .join("\n");
}
