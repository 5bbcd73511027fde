import type { EventData } from "@elwood/core/protocol/events";

/** What happens in a conversation, by name. */
export type ConversationEvent =
  | "message"
  | "tool_call"
  | "tool_output"
  | "human_input_required"
  | "error"
  | "end";

export interface ConversationMessage {
  sender: "user" | "assistant" | "tool";
  type: "text" | "tool_call" | "tool_output" | "human_input_prompt";
  /** Text for `text`, an object for the others. */
  content: string | object;
  timestamp: Date;
  // oxlint-disable-next-line typescript/no-explicit-any -- whoever reads it knows what it is
  metadata?: any;
}

export type Activity = EventData<"chat.final">["activity"];
export type Usage = EventData<"chat.final">["usage"];

/** Why a turn is over. */
export type TurnEndReason = "answered" | "aborted" | "failed";

/** Everything that happens, as a stream: told apart by `type`, numbered by `seq` within its run. */
export type StreamEvent = { readonly runId: string; readonly seq: number } & (
  | { readonly type: "text_delta"; readonly text: string; readonly reset?: boolean }
  | { readonly type: "thinking"; readonly text: string }
  | { readonly type: "tool_call"; readonly callId: string; readonly tool: string }
  | {
      readonly type: "tool_progress";
      readonly callId: string;
      readonly tool: string;
      readonly message: string;
    }
  | { readonly type: "tool_output"; readonly callId: string; readonly tool: string; readonly status: string }
  | ({ readonly type: "human_input_required" } & HumanInput)
  | { readonly type: "human_input_resolved"; readonly inputStepId: string; readonly decided: string }
  | { readonly type: "message"; readonly message: ConversationMessage }
  | { readonly type: "activity"; readonly activity: Activity; readonly evidence: string }
  | { readonly type: "usage"; readonly usage: Usage; readonly costUsd?: number }
  | { readonly type: "error"; readonly code: string; readonly message: string; readonly retryable: boolean }
  /** The answer to one message is complete. */
  | { readonly type: "turn_end"; readonly reason: TurnEndReason }
  /** The conversation is over. */
  | { readonly type: "end"; readonly reason: "ended" }
);

/** Somebody has to answer before it goes on. */
export interface HumanInput {
  /** To be handed to `submitHumanInput`. */
  readonly inputStepId: string;
  /** `approval`: may this call run? `question`: what is the answer? `settle`: did a call that broke off happen? */
  readonly kind: "approval" | "question" | "settle";
  readonly prompt: string;
  readonly options?: readonly string[];
  readonly expiresAt: number;
  /** Of an approval: the tool, and the whole input as it would run. */
  readonly tool?: string;
  readonly input?: unknown;
}

/** What a handler of `on` is given, by the name of the event. */
export interface ConversationEvents {
  message: ConversationMessage;
  tool_call: Extract<StreamEvent, { type: "tool_call" }>;
  tool_output: Extract<StreamEvent, { type: "tool_output" }>;
  human_input_required: Extract<StreamEvent, { type: "human_input_required" }>;
  error: Extract<StreamEvent, { type: "error" }>;
  end: Extract<StreamEvent, { type: "end" }>;
}
