import type { ConversationMessage, StreamEvent } from "./events.ts";
import type { Tool } from "./tool.ts";

/** An assistant, as an engine is told of it. */
export interface AssistantDefinition {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly personality: string;
  readonly model?: string;
  /** Tools of the engine's own that it may use, by id or pattern. */
  readonly engineTools?: readonly string[];
  readonly tools: readonly Tool[];
}

export interface OwnerQuestion {
  readonly question: string;
  readonly options?: readonly string[];
  readonly timeoutMs?: number;
  /** The same key in the same conversation is the same question, also from another process. */
  readonly key?: string;
}

/**
 * What an assistant needs of the engine that it runs on. Whatever engine it is, the conformance suite
 * holds it to these promises:
 *
 * E1 `define` may be repeated; the last definition counts for the next message.
 * E2 A message is durable once `send` has resolved, and sent twice under one key it is answered once.
 * E3 Events of a run come in order; `turn_end` is the last, and comes exactly once to each listener.
 * E4 Failures are errors of the SDK, with a code.
 */
export interface ICoreEngineClient {
  define(assistant: AssistantDefinition): Promise<void>;
  /** The id of a conversation that is not opened yet. */
  newConversationId(): string;
  /** Opens the conversation, with its first message at the latest; does nothing where it is open. */
  open(conversationId: string, assistantId: string): Promise<void>;
  send(conversationId: string, prompt: string, key: string): Promise<{ readonly runId: string }>;
  /** Everything that happens in the conversation from now on, until the function returned is called. */
  listen(conversationId: string, listener: (event: StreamEvent) => void): () => void;
  /** Tells listeners of the runs that have not ended, and of the last one, what they have missed after `afterSeq`. */
  resume(
    conversationId: string,
    after: { readonly runId?: string; readonly afterSeq: number },
  ): Promise<void>;
  abort(runId: string): Promise<void>;
  history(conversationId: string): Promise<ConversationMessage[]>;
  /** Answers a question, or decides an approval. */
  submit(inputStepId: string, response: string): Promise<void>;
  /** Resolves with the owner's answer; rejects with a HumanInputTimeoutError where there was none in time. */
  askOwner(conversationId: string, question: OwnerQuestion): Promise<string>;
  /** Stops what runs in the conversation. It stays readable. */
  end(conversationId: string): Promise<void>;
  getContext(assistantId: string): Promise<unknown>;
  setContext(assistantId: string, context: unknown): Promise<void>;
  /** For good. Whoever waits for a run or an answer is told so. */
  close(): Promise<void>;
}
