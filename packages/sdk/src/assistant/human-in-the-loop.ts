import type { Conversation } from "./conversation.ts";
import { ConversationError } from "./errors.ts";

/** What may be handed over as `metadata`; anything else in it is ignored. */
export interface HumanInputOptions {
  /** How long to wait; a week unless told. */
  readonly timeoutMs?: number;
  /** Names the question, so that the same one is not asked twice after a restart of the program. */
  readonly key?: string;
}

/**
 * Asks the owner and waits. Each question is a row in the engine: it outlives restarts of either side,
 * and can be answered on any surface.
 */
// oxlint-disable-next-line typescript/no-extraneous-class -- a published name, with static methods
export class HumanInTheLoop {
  /** @throws HumanInputTimeoutError if nobody answers in time. */
  // oxlint-disable-next-line typescript/no-explicit-any -- as the published signature has it
  static async ask(conversation: Conversation, question: string, metadata?: any): Promise<string> {
    return conversation.engine.askOwner(conversation.id, { question, ...optionsOf(metadata) });
  }

  /** True if they allow it. What is neither yes nor no counts as no. */
  // oxlint-disable-next-line typescript/no-explicit-any -- as the published signature has it
  static async getApproval(conversation: Conversation, prompt: string, metadata?: any): Promise<boolean> {
    const answer = await conversation.engine.askOwner(conversation.id, {
      question: prompt,
      options: ["yes", "no"],
      ...optionsOf(metadata),
    });
    return saysYes(answer) === true;
  }

  /** The option itself, as it was handed over; objects are shown by their `label`, `name` or `title`. */
  static async selectOption(
    conversation: Conversation,
    prompt: string,
    options: string[] | object[],
    // oxlint-disable-next-line typescript/no-explicit-any -- as the published signature has it
    metadata?: any,
    // oxlint-disable-next-line typescript/no-explicit-any -- as the published signature has it
  ): Promise<any> {
    const labels = options.map(labelOf);
    if (labels.length < 2 || new Set(labels).size !== labels.length)
      throw new ConversationError(
        "invalid_options",
        "There must be two options or more, and no two of them may read the same. Nobody was asked.",
      );
    const answer = await conversation.engine.askOwner(conversation.id, {
      question: prompt,
      options: labels,
      ...optionsOf(metadata),
    });
    const chosen = labels.findIndex(
      (label) => label === answer || label.toLowerCase() === answer.trim().toLowerCase(),
    );
    if (chosen >= 0) return options[chosen];
    throw new ConversationError("other_answer", "The owner answered with none of the options.", {
      cause: answer,
    });
  }
}

/** undefined where it is neither. */
export function saysYes(answer: string): boolean | undefined {
  const word = answer.trim().toLowerCase();
  if (["yes", "y", "true", "ok", "allow", "approve", "approved"].includes(word)) return true;
  if (["no", "n", "false", "deny", "denied", "reject"].includes(word)) return false;
  return undefined;
}

function optionsOf(metadata: unknown): HumanInputOptions {
  if (typeof metadata !== "object" || metadata === null) return {};
  const { timeoutMs, key } = metadata as Record<string, unknown>;
  return {
    ...(typeof timeoutMs === "number" ? { timeoutMs } : {}),
    ...(typeof key === "string" ? { key } : {}),
  };
}

function labelOf(option: string | object): string {
  if (typeof option === "string") return option;
  const { label, name, title } = option as Record<string, unknown>;
  const word = [label, name, title].find((each) => typeof each === "string");
  return typeof word === "string" ? word : JSON.stringify(option);
}
