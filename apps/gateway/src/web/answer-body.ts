import type { IncomingMessage } from "node:http";
import { pipeline, type Readable, type Transform } from "node:stream";
import zlib from "node:zlib";
import { AnswerBroken } from "./web-errors.ts";
import type { WebLimits } from "./web-limits.ts";
import { errorCode } from "@elwood/platform/system-error";
import { withDeadline } from "@elwood/runtime/async/deadline";
import { systemClock } from "@elwood/platform/system";

/**
 * The body of an answer as it may be read: unpacked, and ended with an error when it is
 * larger than allowed once unpacked, silent for too long, or slower than anything honest.
 */
export async function answerBody(
  message: IncomingMessage,
  host: string,
  limits: WebLimits,
  close: () => void,
  signal: AbortSignal,
  now: () => number = () => performance.now(),
): Promise<ReadableStream<Uint8Array>> {
  const { socket } = message;
  const before = socket.bytesRead;
  const received = () => socket.bytesRead - before;
  const source = await unpacked(message, host, limits);
  const reader = new BodyReader(message, source, { host, limits, received, now });
  const end = () => {
    close();
    source.destroy();
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const piece = await reader.next();
          if (piece) {
            controller.enqueue(piece);
            return;
          }
          close();
          controller.close();
        } catch (cause) {
          end();
          if (signal.aborted) controller.error(signal.reason);
          else controller.error(cause instanceof AnswerBroken ? cause : cut(host, cause));
        }
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
}

interface BodyTerms {
  readonly host: string;
  readonly limits: WebLimits;
  /** Bytes of the body, as they came over the wire. */
  readonly received: () => number;
  readonly now: () => number;
}

/** Reads a body piece by piece within its limits; what breaks one is thrown. */
class BodyReader {
  readonly #message: IncomingMessage;
  readonly #source: Readable;
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #terms: BodyTerms;
  #bytes = 0;
  /** Time in which nobody reads does not count as the server's. */
  #waitedMs = 0;

  constructor(message: IncomingMessage, source: Readable, terms: BodyTerms) {
    this.#message = message;
    this.#source = source;
    this.#chunks = source[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    this.#terms = terms;
  }

  /** undefined at the end. */
  async next(): Promise<Buffer | undefined> {
    const { host, limits } = this.#terms;
    const { done, value } = await this.#nextChunk();
    if (done === true) {
      const message = this.#message;
      if (!message.complete || (this.#source === message && !message.readableEnded))
        throw cut(host, undefined);
      return undefined;
    }
    this.#bytes += value.length;
    if (this.#bytes > limits.bodyBytesMax) {
      throw new AnswerBroken(
        "too_large",
        `The answer of ${host} is larger than ${limits.bodyBytesMax} bytes.`,
      );
    }
    if (this.#isSlow()) throw new AnswerBroken("slow", `${host} sends its answer too slowly.`);
    return value;
  }

  async #nextChunk(): Promise<IteratorResult<Buffer>> {
    const { host, limits, now } = this.#terms;
    const since = now();
    try {
      return await withDeadline(systemClock, limits.idleMs, this.#chunks.next(), () => {
        throw new AnswerBroken("timeout", `${host} fell silent in the middle of its answer.`);
      });
    } finally {
      this.#waitedMs += now() - since;
    }
  }

  #isSlow(): boolean {
    const { limits, received } = this.#terms;
    const expected = (limits.slowBytesPerSecond * this.#waitedMs) / 1_000;
    return this.#waitedMs > limits.slowAfterMs && received() < expected;
  }
}

function cut(host: string, cause: unknown): AnswerBroken {
  const code = errorCode(cause) ?? "";
  const unreadable = /^(Z_DATA_ERROR|ERR__ERROR_FORMAT|ERR_BROTLI|ERR_PADDING|ERR_ZSTD|ZSTD)/.test(code);
  return unreadable
    ? new AnswerBroken("protocol", `The answer of ${host} is packed in a way that cannot be undone.`)
    : new AnswerBroken("cut", `${host} broke off in the middle of its answer.`);
}

/** Undoes `content-encoding`, the last one first. */
async function unpacked(message: IncomingMessage, host: string, limits: WebLimits): Promise<Readable> {
  const named = (message.headers["content-encoding"] ?? "")
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  if (named.length === 0) return message;
  if (named.length > limits.encodingsMax) {
    throw new AnswerBroken("protocol", `The answer of ${host} is packed too many times.`);
  }
  const steps: Transform[] = [];
  for (const name of named.toReversed()) {
    if (name === "gzip" || name === "x-gzip") steps.push(zlib.createGunzip());
    else if (name === "br") steps.push(zlib.createBrotliDecompress());
    else if (name === "zstd") steps.push(zlib.createZstdDecompress());
    else if (name === "deflate") steps.push(zlib.createInflate());
    else {
      throw new AnswerBroken(
        "protocol",
        `The answer of ${host} is packed as ${shown(name)}, which Elwood cannot undo.`,
      );
    }
  }
  const last = steps.at(-1)!;
  // The error reaches whoever reads the last step.
  pipeline([message, ...steps], () => {});
  return last;
}

function shown(name: string): string {
  return name.replaceAll(/[^a-z0-9_-]/g, "?").slice(0, 20);
}
