import { callWord, type StateWord } from "../base/state-words.ts";
import { deedOf, noSuchTool } from "../tool/tool-words.ts";
import type { ToolResultBlock, ToolUseBlock } from "../message/message.ts";
import { resultForPeople } from "../message/for-people.ts";
import { callInput } from "../message/result-for-model.ts";
import { cutLine, plainLine } from "../message/session-text.ts";

/** A call as somebody reads it who looks back at a conversation: what it was about, and what became of it. */
export interface CallForPeople {
  readonly state: StateWord;
  /** "Write a file todo.md" */
  readonly words: string;
  /** "done", "denied, nothing was done" */
  readonly ending: string;
}

const CALL_CHARS_MAX = 100;

/** `result` is absent while there is none. */
export function callForPeople(use: ToolUseBlock, result: ToolResultBlock | undefined): CallForPeople {
  const { toolId } = use;
  const state = callWord(
    result?.ended ?? (result === undefined ? "started" : result.status === "ok" ? "succeeded" : "failed"),
    result?.exitCode,
  );
  if (isUnknown(toolId, result))
    return { state, words: `An unknown tool ${plainLine(toolId)}`, ending: "nothing was done" };
  const input = use.malformed ?? inputInWords(use);
  const words = cutLine(plainLine(`${deedOf(toolId).todo} ${input}`.trim()), CALL_CHARS_MAX);
  return { state, words, ending: endingInWords(result) };
}

/** Whether the model wrote a name that no tool has. */
export function isUnknown(toolId: string, result: ToolResultBlock | undefined): boolean {
  return result?.status === "error" && result.text.startsWith(noSuchTool(toolId));
}

function inputInWords({ toolId, input }: ToolUseBlock): string {
  const words = callInput(toolId, input);
  return toolId === PROGRAM_TOOL && words !== "" ? `“${words}”` : words;
}

const PROGRAM_TOOL = "program.code.run";

/** The outcome in words. Of what a tool answered only the first sentence of a failure is told: the rest is for the model. */
export function endingInWords(result: ToolResultBlock | undefined): string {
  if (!result) return "no result yet";
  const text = resultForPeople(result.text);
  switch (result.ended) {
    case "undone":
      return "undone since";
    case "denied":
      return `${/^blocked/i.test(text) ? "blocked by a rule" : "denied"}, nothing was done`;
    case "expired":
      return "nobody answered in time, nothing was done";
    case "unknown":
      return "no answer came; it may have happened";
    case "pending":
      return "waiting for you";
    case "refused":
      return joined("not made", text);
    case undefined:
    default:
      if (result.status === "error") return joined("failed", text);
      return result.exitCode ? `ended with code ${result.exitCode}` : "done";
  }
}

function joined(what: string, text: string): string {
  const [first] = /^[^]*?[.!?](?=\s|$)/.exec(text.slice(0, CALL_CHARS_MAX * 4)) ?? [text];
  const why = cutLine(plainLine(first.slice(0, CALL_CHARS_MAX * 4)), CALL_CHARS_MAX);
  return why === "" ? what : `${what}: ${why}`;
}
