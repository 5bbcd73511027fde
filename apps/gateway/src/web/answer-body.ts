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
 * Time in which nobody reads does not count as the server's.
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
  const source = await unpacked(message, host, limits);
  const chunks = source[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let bytes = 0;
  let waited = 0;

  const next = async (): Promise<IteratorResult<Buffer>> => {
    const since = now();
    try {
      return await withDeadline(systemClock, limits.idleMs, chunks.next(), () => {
        throw new AnswerBroken("timeout", `${host} fell silent in the middle of its answer.`);
      });
    } finally {
      waited += now() - since;
    }
  };

  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await next();
          if (done === true) {
            if (!message.complete || (source === message && !message.readableEnded))
              throw cut(host, undefined);
            close();
            controller.close();
            return;
          }
          bytes += value.length;
          if (bytes > limits.bodyBytesMax) {
            throw new AnswerBroken(
              "too_large",
              `The answer of ${host} is larger than ${limits.bodyBytesMax} bytes.`,
            );
          }
          if (
            waited > limits.slowAfterMs &&
            socket.bytesRead - before < (limits.slowBytesPerSecond * waited) / 1_000
          ) {
            throw new AnswerBroken("slow", `${host} sends its answer too slowly.`);
          }
          controller.enqueue(value);
        } catch (cause) {
          close();
          source.destroy();
          if (signal.aborted) controller.error(signal.reason);
          else controller.error(cause instanceof AnswerBroken ? cause : cut(host, cause));
        }
      },
      cancel() {
        close();
        source.destroy();
      },
    },
    { highWaterMark: 0 },
  );
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
