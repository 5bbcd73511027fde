import { ReadingFailure, ReadingThread } from "@elwood/sdk/documents/reading-thread";
import { ToolError } from "@elwood/sdk/tool";
import type { WebToolLimits } from "./limits.ts";
import type { PageTask, PageText } from "./read-page.ts";

/** Reads pages in a thread of their own, within limits of time and memory. */
export class PageReader {
  readonly #limits: WebToolLimits;
  readonly #thread: ReadingThread<PageTask, PageText>;

  constructor(limits: WebToolLimits) {
    this.#limits = limits;
    this.#thread = new ReadingThread(new URL("page-worker.ts", import.meta.url), limits);
  }

  async read(task: Pick<PageTask, "html" | "url">, signal: AbortSignal): Promise<PageText> {
    const { linksMax, elementsMax, textCharsMax } = this.#limits;
    return this.#thread
      .read({ ...task, linksMax, elementsMax, textCharsMax }, signal)
      .catch((cause: unknown) => {
        throw cause instanceof ReadingFailure ? unreadable(cause) : cause;
      });
  }
}

function unreadable({ reason, message }: ReadingFailure): ToolError {
  const why =
    reason === "time"
      ? "reading it took too long, so it was given up"
      : reason === "memory"
        ? "reading it took too much memory, so it was given up"
        : `could not be read: ${message}`;
  return new ToolError("unreadable", `The page came, but ${why}.`);
}
