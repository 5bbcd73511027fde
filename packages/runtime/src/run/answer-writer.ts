import { FailureError } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import type { ModelEvent } from "@elwood/core/model/model";
import type { RunFeed } from "./feed.ts";
import type { Redactor } from "@elwood/core/base/redact";
import type { Clock } from "../ports/ports.ts";
import { GlyphFilter } from "./glyph-filter.ts";
import { SecretFilter } from "./secret-filter.ts";

/** Between what an answer said and what a later lap adds. */
const PART = "\n\n";

type Streamed = Exclude<ModelEvent, { type: "done" | "failed" }>;

/**
 * Hands a streaming answer to the feed, and puts it on disk often enough that a crash
 * loses about a second of it.
 */
export class AnswerWriter {
  readonly #feed: RunFeed;
  readonly #clock: Clock;
  readonly #savePartial: (text: string) => Promise<void>;
  readonly #text: SecretFilter;
  #glyphs: GlyphFilter | undefined;
  readonly #thinking: SecretFilter;
  /** What an earlier lap said and this one goes on from. */
  #kept = "";
  #lapText = "";
  #savedChars = 0;
  #savedAt = 0;

  constructor(feed: RunFeed, clock: Clock, redact: Redactor, savePartial: (text: string) => Promise<void>) {
    this.#text = new SecretFilter(redact);
    this.#thinking = new SecretFilter(redact);
    this.#feed = feed;
    this.#clock = clock;
    this.#savePartial = savePartial;
  }

  /** What comes from now on goes on from this, which stays as it was shown. */
  async keep(text: string): Promise<void> {
    const sieve = new GlyphFilter();
    const shown = sieve.push(text) + sieve.flush();
    this.#kept = this.#kept === "" ? shown : `${this.#kept}${PART}${shown}`;
  }

  /** What was said before a call is not the answer: each lap begins where the answer stands. */
  beginLap(): void {
    if (this.#feed.text.trimEnd() !== this.#kept.trimEnd())
      this.#feed.emit("chat.delta", { text: this.#kept, draft: true, reset: true });
    this.#lapText = "";
    this.#savedChars = 0;
    this.#savedAt = this.#clock.now();
  }

  async take(event: Streamed): Promise<void> {
    switch (event.type) {
      case "text":
        this.#glyphs ??= new GlyphFilter();
        this.#show(this.#glyphs.push(this.#text.push(event.text)));
        await this.#saveNowAndThen();
        return;
      case "thinking":
        this.#think(this.#thinking.push(event.text));
        return;
      case "tool_args":
        return;
      case "retry": {
        const seconds = Math.max(1, Math.round(event.delayMs / 1000));
        const left = `attempt ${event.attempt} of ${event.attemptsMax}`;
        const again = event.delayMs === 0 ? "" : ` Trying again in ${seconds} s (${left}).`;
        this.#feed.emit("chat.notice", {
          code: event.failure.reason,
          message: `${event.failure.message}${again}`,
        });
        if (this.#lapText !== "")
          this.#feed.emit("chat.delta", { text: this.#kept, draft: true, reset: true });
        this.#text.drop();
        this.#glyphs?.drop();
        this.#thinking.drop();
        this.#lapText = "";
        this.#savedChars = 0;
        return;
      }
      default: {
        const never: never = event;
        throw new Error(`unknown model event ${JSON.stringify(never)}`);
      }
    }
  }

  /** The model has said its last word of this lap. */
  endLap(): void {
    this.#think(this.#thinking.flush());
    const rest = this.#text.flush();
    if (this.#glyphs) this.#show(this.#glyphs.push(rest) + this.#glyphs.flush());
    this.#glyphs?.drop();
  }

  #show(text: string): void {
    if (text === "") return;
    const begins = this.#lapText === "" && this.#kept !== "";
    this.#lapText += text;
    this.#feed.emit("chat.delta", { text: begins ? `${PART}${text}` : text, draft: true });
  }

  #think(text: string): void {
    if (text !== "") this.#feed.emit("chat.thinking", { text });
  }

  async #saveNowAndThen(): Promise<void> {
    const now = this.#clock.now();
    const unsaved = this.#lapText.length - this.#savedChars;
    // Each save writes the whole text: in steps that grow with it, a long answer is not written over and over.
    const enough = Math.max(LIMITS.partialFlushChars, this.#savedChars / 2);
    if (unsaved < enough && now - this.#savedAt < LIMITS.partialFlushMs) return;
    this.#savedChars = this.#lapText.length;
    this.#savedAt = now;
    try {
      await this.#savePartial(this.#lapText);
    } catch (error) {
      // A disk that is full costs the safety copy, not the answer; the run's end says what could not be stored.
      if (!(error instanceof FailureError)) throw error;
    }
  }
}
