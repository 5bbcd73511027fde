import { NO_USAGE, textOf, type Message } from "@elwood/core/message/message";
import type { ModelEvent } from "@elwood/core/model/model";
import type { ModelProvider } from "@elwood/runtime/ports/ports";
import { answerTo, makeRuleModel, type Rule, type Turn } from "@elwood/sdk/model-script/rule-model";
import { text, type Step } from "@elwood/sdk/model-script/steps";
import {
  GERMAN_ANSWERS,
  GERMAN_NOTICE,
  GERMAN_OTHERWISE,
  germanSteps,
  inEnglish,
  isGerman,
} from "./demo-german.ts";
import { DEMO_SCENARIOS } from "./demo-scenarios.ts";
import { recalledFor } from "./demo-memory-scenarios.ts";
import { DEMO_NOTICE, DEMO_OTHERWISE, DEMO_RULES, introduced } from "./demo-script.ts";
import { shown } from "./demo-words.ts";
import { DEMO_PACE_MS, type DemoOptions } from "./demo.ts";

export function makeDemoModel({ clock, paceMs = DEMO_PACE_MS, rules = [] }: DemoOptions): ModelProvider {
  const script = {
    rules: [...rules, ...DEMO_SCENARIOS, FROM_MEMORY, ...DEMO_RULES],
    otherwise: DEMO_OTHERWISE,
  };
  const model = makeRuleModel({
    id: "demo",
    model: "scripted",
    clock,
    paceMs,
    typed: typedByOwner,
    rules: [],
    otherwise: (turn) =>
      isGerman(turn) ? inGerman(turn, script) : withNotice(turn, answerTo(turn, script), DEMO_NOTICE),
  });
  return {
    id: model.id,
    // The gateway asks to go on from an answer that does not fit the receipts. A script has nothing to add.
    chat: (request) => (isToldOff(request.messages) ? nothing() : model.chat(request)),
  };
}

/** Whoever asks in German is answered in German; where a rule has no German words, it says that it has none. */
function inGerman(turn: Turn, { rules }: { readonly rules: readonly Rule[] }): readonly Step[] {
  const asked = inEnglish(turn);
  const rule = rules.find(({ when }) => (when instanceof RegExp ? when.test(asked.plain) : when(asked)));
  const told = rule && GERMAN_ANSWERS[rule.name];
  if (told !== undefined) return withNotice(turn, [text(told)], GERMAN_NOTICE);
  if (rule === undefined || DEMO_RULES.includes(rule)) return [text(GERMAN_OTHERWISE)];
  return withNotice(turn, germanSteps(answerTo(asked, { rules: [rule], otherwise: "" })), GERMAN_NOTICE);
}

async function* nothing(): AsyncIterable<ModelEvent> {
  yield { type: "done", stopReason: "end_turn", blocks: [], usage: NO_USAGE, model: "scripted" };
}

/** What was recalled for a question is the only thing that it knows about the owner. */
const FROM_MEMORY: Rule = {
  name: "recalled",
  when: (turn) => turn.said.trim().endsWith("?") && recalledFor(turn) !== undefined,
  answer: (turn) =>
    `I only repeat what Elwood found in its memory for your question:\n\n${shown(recalledFor(turn) ?? "")}`,
};

function isToldOff(messages: readonly Message[]): boolean {
  const last = messages.at(-1);
  return last?.role === "user" && last.origin === "gateway";
}

function withNotice(turn: Turn, steps: readonly Step[], notice: string): readonly Step[] {
  const [first, ...rest] = steps;
  if (first?.type !== "text" || introduced(turn) || first.text.includes(notice)) return steps;
  return [{ type: "text", text: `${notice}\n\n${first.text}` }, ...rest];
}

const TIME_STAMP = /^\[[A-Z][a-z]{2} \d{4}-\d\d-\d\d \d\d:\d\d\]\s*/;
/** What the gateway adds behind a message; nobody typed it. */
const GATEWAY_NOTE = /\n*\[Elwood, not the owner\][\s\S]*$/;
const DATA = /<data origin="[^"]*">\n[\s\S]*?\n<\/data>/g;

/** The prompt puts the time before a message and fences what the owner did not type; both are taken off again. */
function typedByOwner(message: Message): string {
  return textOf(message).replace(TIME_STAMP, "").replace(DATA, "").replace(GATEWAY_NOTE, "").trim();
}
