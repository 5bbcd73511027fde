import { textOf, type Message } from "@elwood/core/message";
import type { Clock, ModelProvider } from "@elwood/runtime/ports";
import { answerTo, makeRuleModel, type Rule, type Turn } from "@elwood/sdk/testing/rule-model";
import type { Step } from "@elwood/sdk/testing/steps";
import { DEMO_ERRANDS } from "./demo-errands.ts";
import { DEMO_NOTICE, DEMO_OTHERWISE, DEMO_RULES, introduced } from "./demo-script.ts";

export const DEMO_PACE_MS = 8;

export interface DemoOptions {
  readonly clock: Clock;
  /** Pause between two words; 0 answers at once. */
  readonly paceMs?: number;
  /** More rules; they are asked first. */
  readonly rules?: readonly Rule[];
}

/**
 * The demo model, `demo/scripted`: fixed answers and a few errands with real tools, no key,
 * no network. It says what it is with its first reply in every session.
 */
export function makeDemo({ clock, paceMs = DEMO_PACE_MS, rules = [] }: DemoOptions): ModelProvider {
  const script = { rules: [...rules, ...DEMO_ERRANDS, ...DEMO_RULES], otherwise: DEMO_OTHERWISE };
  return makeRuleModel({
    id: "demo",
    model: "scripted",
    clock,
    paceMs,
    typed: typedByOwner,
    rules: [],
    otherwise: (turn) => withNotice(turn, answerTo(turn, script)),
  });
}

function withNotice(turn: Turn, steps: readonly Step[]): readonly Step[] {
  const [first, ...rest] = steps;
  if (first?.type !== "text" || introduced(turn) || first.text.includes(DEMO_NOTICE)) return steps;
  return [{ type: "text", text: `${DEMO_NOTICE}\n\n${first.text}` }, ...rest];
}

const TIME_STAMP = /^\[[A-Z][a-z]{2} \d{4}-\d\d-\d\d \d\d:\d\d\]\s*/;
const DATA = /<data origin="[^"]*">\n[\s\S]*?\n<\/data>/g;

/** The prompt puts the time before a message and fences what the owner did not type; both are taken off again. */
function typedByOwner(message: Message): string {
  return textOf(message).replace(TIME_STAMP, "").replace(DATA, "").trim();
}
