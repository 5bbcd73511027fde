import { toolCall } from "@elwood/sdk/model-script/steps";
import { cited, type Scenario } from "./demo-scenario.ts";
import type { Outcome } from "./demo-outcomes.ts";
import { says, shown, unquoted, type Parts } from "./demo-words.ts";

const RUN = "shell.command.run";
/** “Run the tests” is about a command, and is none. */
const NO_ARTICLE = "(?!(?:a|an|the|my|it|this|that|these|some|all|any|another|your|me|ein|eine|das|die)\\b)";

/** A command line reaches the tool as it was typed; what may run, and what asks, is the gate's to say. */
export const COMMAND_SCENARIOS: readonly Scenario[] = [
  {
    example: "run date",
    tools: [RUN],
    verbatim: true,
    asked: says(
      `(?:run|execute|exec)(?: the)?(?: shell)? command:? <command:rest>`,
      `(?:run|execute|exec):? ${NO_ARTICLE}<command:rest>`,
      "führ(?:e)? (?:den befehl )?(?<command>\\S[^]*?) aus[.!]?",
      "\\$ <command:rest>",
      "(?<command>(?:ls|pwd|whoami|uname|df|du|git [a-z]+)(?: +-\\S+)*)[.!?]?",
      "what (?:does|is the output of) `(?<command>[^`]+)`(?: say| print| give| tell)?[.?]?",
    ),
    calls: [(parts) => toolCall(RUN, { command: commandOf(parts) })],
    tell: ([ran], parts) => outcomeText(ran!, commandOf(parts)),
  },
  {
    example: "what time is it",
    tools: [RUN],
    asked: says(
      "what(?:['’]?s| is) the (?:date|time)(?: today| now)?|what (?:time|date|day) is (?:it|today)(?: today| now)?|wie spät ist es|welcher tag ist heute",
    ),
    calls: [() => toolCall(RUN, { command: "date" })],
    tell: ([ran]) => outcomeText(ran!, "date"),
  },
];

function commandOf({ command = "" }: Parts): string {
  const line = unquoted(command.trim());
  // One word with a full stop after it is the end of a sentence.
  return /^[\w-]+[.!?]$/.test(line) ? line.slice(0, -1) : line;
}

function outcomeText(ran: Outcome, command: string): string {
  const name = command.includes("\n") ? "" : ` \`${command.replaceAll("`", "ˋ")}\``;
  const [, output, code] = /^([^]*?)\n?\[exit code (\d+)\]\s*$/.exec(ran.text) ?? [];
  if (output === undefined) return `The command${name} ended${cited(ran)}. Its output:\n\n${shown(ran.text)}`;
  const ended = `The command${name} ended with exit code ${code}${cited(ran)}${code === "0" ? "" : ", which is how programs complain"}.`;
  return `${ended} ${output === "" ? "There was no output." : `Its output:\n\n${shown(output)}`}`;
}
