/** What every error of the SDK has: a code to branch on, and whether trying again may help. Words of a model or service are in `cause`, never in `message`. */
export class AssistantError extends Error {
  readonly code: string;
  readonly retryable: boolean;

  constructor(
    code: string,
    message: string,
    more: { readonly retryable?: boolean; readonly cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = new.target.name;
    this.code = code;
    this.retryable = more.retryable ?? false;
  }
}

/** A tool says that what it was asked to do did not happen. Anything else that a tool throws leaves open whether it did. */
export class ToolExecutionError extends AssistantError {}

/** Something about a conversation could not be done: a message was not sent, an answer not taken, a run failed. */
export class ConversationError extends AssistantError {}

/** Nobody answered in time. */
export class HumanInputTimeoutError extends AssistantError {
  constructor(message: string, more: { readonly cause?: unknown } = {}) {
    super("human_input_timeout", message, more);
  }
}

/** No gateway could be reached, or it does not let this program in. Nothing was sent. */
export class GatewayUnavailableError extends AssistantError {}
