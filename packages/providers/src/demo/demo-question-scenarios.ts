import { toolCall } from "@elwood/sdk/model-script/steps";
import { cited, type Scenario } from "./demo-scenario.ts";
import type { Outcome } from "./demo-outcomes.ts";
import { says } from "./demo-words.ts";

const ASK = "owner.question.ask";
const CHOOSE = "owner.question.choose";
const OPTIONS_MAX = 10;
const OPTION_CHARS_MAX = 200;

export const QUESTION_SCENARIOS: readonly Scenario[] = [
  {
    example: "ask me something",
    tools: [ASK],
    asked: says(
      "ask me (?:something|a question|anything)|frag(?:e)? mich (?:etwas|was)",
      "ask me:? (?<question>(?:what|how|where|when|why|who|which|whether|if)\\b[^]{1,500})",
    ),
    calls: [
      ({ question }) => toolCall(ASK, { question: question ? `${question}?` : "What shall I call you?" }),
    ],
    tell: answered,
  },
  {
    example: "let me choose between tea, coffee and water",
    tools: [CHOOSE],
    asked: says(
      "(?:let me choose|give me a choice|ask me to choose|lass mich wählen)(?: something)?(?: (?:between|from|of|zwischen) (?<options>[^]+))?",
    ),
    calls: [({ options }) => toolCall(CHOOSE, { question: "Which one?", options: optionsIn(options) })],
    tell: answered,
  },
];

function answered([asked]: readonly Outcome[]): string {
  const answer = asked!.text.replace(/^The owner answers: ([^]*)$/, "You answered: “$1”");
  return `I asked, and waited for you${cited(asked!)}. ${answer}`;
}

function optionsIn(listed = ""): string[] {
  const options = listed
    .split(/\s*,\s*(?:(?:and|or|und|oder)\s+)?|\s+(?:and|or|und|oder)\s+/i)
    .map((option) => option.trim().slice(0, OPTION_CHARS_MAX))
    .filter((option) => option !== "");
  return options.length < 2 ? ["Tea", "Coffee", "Neither"] : [...new Set(options)].slice(0, OPTIONS_MAX);
}
