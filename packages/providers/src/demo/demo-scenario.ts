import type { Rule, Turn } from "@elwood/sdk/model-script/rule-model";
import { STATUS_WORDS } from "@elwood/core/tool/tool";
import type { Step } from "@elwood/sdk/model-script/steps";
import { isDone, outcomesOf, sentenceFor, type Outcome } from "./demo-outcomes.ts";
import { partsOf, quotation, wordsOf, type Parts } from "./demo-words.ts";

/** The next call of a scenario, or the text to answer if there is none. */
export type NextCall = (parts: Parts, before: readonly Outcome[]) => Step | string;

/**
 * One thing that the demo model does with tools: which words ask for it, which calls it
 * makes one after another, and how to tell what came of them. It says nothing about a
 * result that is not in the result or in the gateway's activity.
 */
export interface Scenario {
  /** Something to say that asks for it; shown where somebody asks what they can try. */
  readonly example: string;
  /** It is offered only where all of these are there. */
  readonly tools: readonly string[];
  readonly asked: readonly RegExp[];
  /** The patterns are matched against what was typed, with nothing taken off its end. */
  readonly verbatim?: true;
  readonly calls: readonly NextCall[];
  /** Calls are chosen by what came before, also where that was not done. */
  readonly despite?: true;
  /** Said once the last call is done. */
  readonly tell: (outcomes: readonly Outcome[], parts: Parts) => string;
}

/** Rules in the order of the list. A scenario whose tools are missing comes after all others. */
export function rulesOf(scenarios: readonly Scenario[]): Rule[] {
  return [
    ...scenarios.map((scenario) => ({
      name: scenario.example,
      when: (turn: Turn) => missingFor(turn, scenario).length === 0 && partsIn(turn, scenario) !== undefined,
      answer: (turn: Turn) => {
        const next = nextOf(scenario, partsIn(turn, scenario) ?? {}, outcomesOf(turn));
        return typeof next === "string" ? next : [next];
      },
    })),
    ...scenarios.map((scenario) => ({
      name: `without tools: ${scenario.example}`,
      when: (turn: Turn) => partsIn(turn, scenario) !== undefined,
      answer: (turn: Turn) => notOffered(missingFor(turn, scenario)),
    })),
  ];
}

/** What can be asked for with the tools that there are. */
export function examplesFor(turn: Turn, scenarios: readonly Scenario[]): string[] {
  return scenarios
    .filter((scenario) => missingFor(turn, scenario).length === 0)
    .map(({ example }) => example);
}

export function cited({ cite }: Outcome): string {
  return cite === undefined ? "" : ` [${cite}]`;
}

/** What a tool that changed something said of it. */
export function did(outcome: Outcome): string {
  return `That is done${cited(outcome)}:${quotation(outcome.text)}`.trimEnd();
}

/** The same in short, with how to take it back: what was changed stands beside it. */
export function withUndoHint(outcome: Outcome): string {
  return `That is done${cited(outcome)}. To take it back: \`elwood undo\`.`;
}

/** How the last call stands, and what was done all the same. */
export function notDone(outcomes: readonly Outcome[]): string {
  const last = outcomes.at(-1)!;
  const before = outcomes.filter(isDone).map(cited);
  const also = before.length === 0 ? "" : `\n\nWhat went before it was done${before.join("")}.`;
  return `${sentenceFor(last)}${callsWithin(last)}${also}`;
}

/** What the calls of a program came to, by the gateway's words. */
export function callsWithin({ within }: Outcome): string {
  const cites = new Map<string, string[]>();
  for (const { toolId, word, cite } of within) {
    const key = `\`${toolId}\` ${word === STATUS_WORDS.succeeded ? "ended well" : word}`;
    cites.set(key, [...(cites.get(key) ?? []), `[${cite}]`]);
  }
  const lines = [...cites].map(
    ([key, all]) =>
      `- ${key}: ${all.length} ${all.slice(0, CITES_MAX).join(" ")}${all.length > CITES_MAX ? " …" : ""}`,
  );
  return lines.length === 0 ? "" : `\n\nIts calls, by their receipts:\n\n${lines.join("\n")}`;
}

const CITES_MAX = 5;

function nextOf(scenario: Scenario, parts: Parts, outcomes: readonly Outcome[]): Step | string {
  const last = outcomes.at(-1);
  if (last && !isDone(last) && scenario.despite === undefined) return notDone(outcomes);
  const call = scenario.calls[outcomes.length];
  if (call) return call(parts, outcomes);
  if (!last) return "";
  return isDone(last) ? scenario.tell(outcomes, parts) : notDone(outcomes);
}

function partsIn({ said }: Turn, { asked, verbatim }: Scenario): Parts | undefined {
  const words = wordsOf(said);
  return words && partsOf(verbatim ? words.line : words.plain, asked);
}

function missingFor({ request }: Turn, { tools }: Scenario): string[] {
  return tools.filter((id) => !request.tools.some(({ toolId }) => toolId === id));
}

function notOffered(missing: readonly string[]): string {
  const names = missing.map((id) => `\`${id}\``).join(", ");
  return `I did nothing. That takes ${names}, and I was not given ${missing.length === 1 ? "that tool" : "those tools"} here. \`elwood tools list\` shows what there is.`;
}
