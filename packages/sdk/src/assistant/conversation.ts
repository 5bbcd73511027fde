import type { ICoreEngineClient } from "./engine-client.ts";
import { AssistantError, ConversationError } from "./errors.ts";
import { EventQueue } from "./event-queue.ts";
import type { ConversationEvent, ConversationEvents, ConversationMessage, StreamEvent } from "./events.ts";

// oxlint-disable-next-line typescript/no-explicit-any -- handlers may say themselves what they take
type Handler = (data: any) => void;

/**
 * A thread with an assistant. Everything that happens goes to listeners (`on`), to iterators
 * (`for await`) and to `stream`; until there is one of them, it waits.
 */
export class Conversation implements AsyncIterable<StreamEvent>, AsyncDisposable {
  readonly id: string;
  readonly assistantId: string;
  readonly #engine: ICoreEngineClient;
  readonly #prepare: () => Promise<void>;
  readonly #handlers = new Map<ConversationEvent, Set<Handler>>();
  readonly #readers = new Set<EventQueue>();
  /** Until somebody reads. */
  #early: EventQueue | undefined = new EventQueue();
  #opened: Promise<void> | undefined;
  #unlisten: (() => void) | undefined;
  #ended = false;
  #lastSeq = 0;

  /** `prepare` is called before each message; an Assistant defines itself there. */
  constructor(
    id: string,
    assistantId: string,
    coreEngineClient: ICoreEngineClient,
    prepare: () => Promise<void> = async () => {},
  ) {
    this.id = id;
    this.assistantId = assistantId;
    this.#engine = coreEngineClient;
    this.#prepare = prepare;
  }

  /** The number of the last event; hand it to `resume` in another process. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** The engine that it runs on. */
  get engine(): ICoreEngineClient {
    return this.#engine;
  }

  on<E extends ConversationEvent>(event: E, handler: (data: ConversationEvents[E]) => void): void;
  on(event: ConversationEvent, handler: Handler): void;
  on(event: ConversationEvent, handler: Handler): void {
    const handlers = this.#handlers.get(event) ?? new Set();
    this.#handlers.set(event, handlers.add(handler));
    this.#listen();
    const early = this.#early;
    this.#early = undefined;
    // Later, so that all handlers that are set in one step get what waited.
    if (early) queueMicrotask(() => early.take().forEach((each) => this.#tell(each)));
  }

  off(event: ConversationEvent, handler: Handler): void {
    this.#handlers.get(event)?.delete(handler);
  }

  once<E extends ConversationEvent>(event: E, handler: (data: ConversationEvents[E]) => void): void {
    const wrapped: Handler = (data: ConversationEvents[E]) => {
      this.off(event, wrapped);
      handler(data);
    };
    this.on(event, wrapped);
  }

  /** Like `on`; the function returned ends it. */
  subscribe<E extends ConversationEvent>(
    event: E,
    handler: (data: ConversationEvents[E]) => void,
  ): () => void {
    this.on(event, handler);
    return () => this.off(event, handler);
  }

  /** Resolves once the message is stored; the answer comes as events. */
  async sendMessage(prompt: string): Promise<void> {
    await this.#send(prompt);
  }

  /** Sends a message, and everything that comes of it. The last event is `turn_end`; a signal stops the run. */
  async *stream(
    prompt: string,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<StreamEvent, void, undefined> {
    const reader = this.#read();
    let abort: (() => void) | undefined;
    try {
      if (signal?.aborted) throw aborted(signal);
      const runId = await this.#send(prompt);
      abort = () => void this.#engine.abort(runId).catch(() => reader.close());
      signal?.addEventListener("abort", abort, { once: true });
      if (signal?.aborted) abort();
      for await (const event of reader.read()) {
        if (event.type === "end") return;
        if (event.runId !== runId && event.type !== "human_input_required") continue;
        yield event;
        if (event.type === "turn_end") return;
      }
    } finally {
      if (abort) signal?.removeEventListener("abort", abort);
      this.#readers.delete(reader);
      reader.close();
    }
  }

  /** Everything from now on, and what waited, until the conversation ends. */
  async *[Symbol.asyncIterator](): AsyncGenerator<StreamEvent, void, undefined> {
    const reader = this.#read();
    try {
      for await (const event of reader.read()) {
        yield event;
        if (event.type === "end") return;
      }
    } finally {
      this.#readers.delete(reader);
      reader.close();
    }
  }

  /**
   * Takes the conversation up in this process: what was missed after `afterSeq` of the last run (or of `runId`)
   * comes as events. The text of a run that is not over comes whole, with `reset`.
   */
  async resume({ afterSeq, runId }: { readonly afterSeq: number; readonly runId?: string }): Promise<void> {
    this.#listen();
    await this.#guarded("The conversation could not be taken up.", async () => {
      await this.#prepare();
      await this.#engine.resume(this.id, { afterSeq, ...(runId === undefined ? {} : { runId }) });
    });
  }

  /** Answers what `human_input_required` asked: a question by its answer, an approval by `yes` or `no`. */
  async submitHumanInput(response: string, inputStepId: string): Promise<void> {
    await this.#guarded("The answer was not submitted.", () => this.#engine.submit(inputStepId, response));
  }

  async getHistory(): Promise<ConversationMessage[]> {
    return this.#guarded("The history could not be read.", async () => {
      await this.#open();
      return this.#engine.history(this.id);
    });
  }

  /** Stops what runs; listeners and iterators get `end`. What was said stays with the engine. */
  async end(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    try {
      // Nothing to stop where nothing was begun.
      if (this.#opened)
        await this.#guarded("The conversation could not be ended.", () => this.#engine.end(this.id));
    } finally {
      this.#take({ type: "end", reason: "ended", runId: "", seq: this.#lastSeq });
      this.#unlisten?.();
      for (const reader of this.#readers) reader.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }

  /** The first message of a conversation that was started without waiting: where it fails, that is an event. */
  async begin(prompt: string): Promise<void> {
    try {
      await this.#send(prompt);
    } catch (error) {
      const { code, retryable } =
        error instanceof AssistantError ? error : { code: "INTERNAL", retryable: false };
      const message = error instanceof Error ? error.message : String(error);
      this.#take({ type: "error", code, message, retryable, runId: "", seq: this.#lastSeq });
      this.#take({ type: "turn_end", reason: "failed", runId: "", seq: this.#lastSeq });
    }
  }

  async #send(prompt: string): Promise<string> {
    if (this.#ended)
      throw new ConversationError("ended", "The conversation has been ended. The message was not sent.");
    return this.#guarded("The message was not sent.", async () => {
      await this.#open();
      this.#listen();
      const { runId } = await this.#engine.send(this.id, prompt, crypto.randomUUID());
      return runId;
    });
  }

  async #open(): Promise<void> {
    await this.#prepare();
    this.#opened ??= this.#engine.open(this.id, this.assistantId);
    try {
      await this.#opened;
    } catch (error) {
      this.#opened = undefined;
      throw error;
    }
  }

  async #guarded<T>(what: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof AssistantError) throw error;
      throw new ConversationError("INTERNAL", what, { cause: error });
    }
  }

  #listen(): void {
    this.#unlisten ??= this.#engine.listen(this.id, (event) => this.#take(event));
  }

  #read(): EventQueue {
    this.#listen();
    const reader = new EventQueue();
    for (const event of this.#early?.take() ?? []) reader.push(event);
    this.#early = undefined;
    this.#readers.add(reader);
    if (this.#ended) reader.close();
    return reader;
  }

  #take(event: StreamEvent): void {
    this.#lastSeq = event.seq;
    if (this.#early) this.#early.push(event);
    else this.#tell(event);
  }

  #tell(event: StreamEvent): void {
    for (const reader of this.#readers) reader.push(event);
    const handlers = this.#handlers.get(event.type as ConversationEvent);
    for (const handler of handlers ?? []) handler(event.type === "message" ? event.message : event);
  }
}

function aborted(signal: AbortSignal): ConversationError {
  return new ConversationError("aborted", "It was stopped before the message was sent.", {
    cause: signal.reason,
  });
}
