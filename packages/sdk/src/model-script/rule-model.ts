import { textOf, type Message, type ToolResultBlock } from "@elwood/core/message/message";
import type { ModelEvent, ModelRequest } from "@elwood/core/model/model";
import { playSteps, type Model, type PlayOptions } from "./play.ts";
import { error, text, type Step } from "./steps.ts";

/** The conversation as a rule sees it. */
export interface Turn {
  /** What the owner said last. */
  readonly said: string;
  /** The same in lower case, without punctuation, single spaces: for matching. */
  readonly plain: string;
  /** What the owner said before that, oldest first. */
  readonly earlier: readonly string[];
  /** What this model answered so far, oldest first. */
  readonly replies: readonly string[];
  /** Results of the calls made since the owner last spoke; a rule that calls tools is asked again with them. */
  readonly results: readonly ToolResultBlock[];
  readonly request: ModelRequest;
}

/** If this, then that. Rules are tried in order, and the first that fits answers. */
export interface Rule {
  readonly name: string;
  /** An expression over `plain`, or any question about the turn. */
  readonly when: RegExp | ((turn: Turn) => boolean);
  /** Words, or steps: tool calls, pauses, failures. */
  readonly answer: string | readonly Step[] | ((turn: Turn) => string | readonly Step[]);
}

export interface RuleModelOptions extends PlayOptions {
  readonly id: string;
  readonly rules: readonly Rule[];
  /** The answer where no rule fits. */
  readonly otherwise: Rule["answer"];
  /** Takes out of the owner's message what the owner did not type. */
  readonly typed?: (message: Message) => string;
}

/** A model that picks its answer by rules. Without state: the conversation it is given is all it knows. */
export function makeRuleModel(options: RuleModelOptions): Model {
  return { id: options.id, chat: (request) => answer(request, options) };
}

async function* answer(request: ModelRequest, options: RuleModelOptions): AsyncGenerator<ModelEvent> {
  let steps: readonly Step[];
  try {
    steps = answerTo(readTurn(request, options.typed), options);
  } catch (cause) {
    // A rule is somebody's code; a model never throws.
    steps = [error("INTERNAL", `A rule of the model ${options.id} broke down: ${String(cause)}`)];
  }
  yield* playSteps(steps, request, options);
}

/** What the rules say to a turn; for tests of the rules themselves. */
export function answerTo(
  turn: Turn,
  options: Pick<RuleModelOptions, "rules" | "otherwise">,
): readonly Step[] {
  const rule = options.rules.find(({ when }) =>
    when instanceof RegExp ? when.test(turn.plain) : when(turn),
  );
  const answer = rule ? rule.answer : options.otherwise;
  const given = typeof answer === "function" ? answer(turn) : answer;
  return typeof given === "string" ? [text(given)] : given;
}

export function readTurn(request: ModelRequest, typed: (message: Message) => string = textOf): Turn {
  const { messages } = request;
  const lastAsked = messages.findLastIndex((m) => m.role === "user");
  const asked = messages.filter((m) => m.role === "user").map(typed);
  const said = asked.at(-1) ?? "";
  return {
    said,
    plain: plainOf(said),
    earlier: asked.slice(0, -1),
    replies: messages
      .filter((m) => m.role === "assistant")
      .map(textOf)
      .filter((t) => t !== ""),
    results: messages
      .slice(lastAsked + 1)
      .flatMap((m) => m.blocks)
      .filter((b): b is ToolResultBlock => b.type === "tool_result"),
    request,
  };
}

function plainOf(words: string): string {
  return words
    .toLowerCase()
    .replace(/[’']/g, "")
    .replace(/[^\p{L}\p{N}/+-]+/gu, " ")
    .trim();
}
