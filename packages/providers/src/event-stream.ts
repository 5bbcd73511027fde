/** One event of a `text/event-stream`. */
export interface ServerEvent {
  /** Empty where the server does not name it. */
  readonly name: string;
  readonly data: string;
}

/** The end of a line, and an empty one. */
const ENDS = new Uint8Array([0x0a, 0x0a]);

/**
 * Reads a `text/event-stream` piece by piece: pieces end anywhere, in the middle of a character, too. Comments and fields
 * other than `event` and `data` are passed over.
 */
export class EventStream {
  readonly #decoder = new TextDecoder();
  /** What has come of a line whose end has not. */
  #rest = "";
  #name = "";
  #data: string | undefined;

  /** The events that this piece completes. */
  *take(piece: Uint8Array): Generator<ServerEvent> {
    const text = this.#lines(this.#rest + this.#decoder.decode(piece, { stream: true }));
    let from = 0;
    for (let end; (end = text.indexOf("\n", from)) >= 0; from = end + 1) {
      if (end > from) this.#field(text, from, end);
      else if (this.#data !== undefined || this.#name !== "") yield this.#event();
    }
    this.#rest = text.slice(from);
  }

  /** The last event, where the stream ended before it did. */
  *end(): Generator<ServerEvent> {
    yield* this.take(ENDS);
  }

  /** With one kind of line end. A last return may be half of one, and waits for what follows. */
  #lines(text: string): string {
    if (!text.includes("\r")) return text;
    const whole = text.endsWith("\r") ? text.slice(0, -1) : text;
    return whole.replaceAll(/\r\n?/g, "\n") + text.slice(whole.length);
  }

  #field(text: string, from: number, end: number): void {
    if (text.startsWith("data:", from)) {
      const value = text.slice(text[from + 5] === " " ? from + 6 : from + 5, end);
      this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
    } else if (text.startsWith("event:", from))
      this.#name = text.slice(text[from + 6] === " " ? from + 7 : from + 6, end);
  }

  #event(): ServerEvent {
    const event = { name: this.#name, data: this.#data ?? "" };
    this.#name = "";
    this.#data = undefined;
    return event;
  }
}
