import { result, ToolError, type ToolAnswer } from "@elwood/sdk/tool";
import type { BrowserPool } from "./browser-pool.ts";
import type { BrowserLimits } from "./limits.ts";
import type { BrowserOptions } from "./options.ts";
import type { BrowserSession, Tab } from "./session.ts";
import type { ShownPreviews } from "./shown-previews.ts";
import { firstLine, inWords } from "./words.ts";
import { inTime } from "./in-time.ts";

/** What every browser tool is made of. */
export interface BrowserKit {
  readonly pool: BrowserPool;
  readonly options: BrowserOptions;
  readonly limits: BrowserLimits;
  readonly shown: ShownPreviews;
}

/** A page whose scripts never pause answers nothing; nobody waits for it for ever. */
export async function within<T>(
  { options: { clock } }: BrowserKit,
  ms: number,
  work: Promise<T>,
): Promise<T> {
  return inTime(clock, ms, work, () => {
    throw new ToolError(
      "no_answer",
      `The page did not answer within ${ms / 1000} seconds. Nothing was done.`,
      { retryable: true },
    );
  });
}

/** Where a page is, as it may be told. */
export async function placeOf(kit: BrowserKit, { id, page }: Tab) {
  const { limits } = kit;
  const title = page.isClosed() ? "" : await within(kit, limits.lookMs, page.title()).catch(() => "");
  return {
    page: id,
    url: inWords(page.url(), limits.urlCharsMax),
    title: inWords(title, limits.nameCharsMax),
  };
}

/** An answer, with what else happened on the pages meanwhile. */
export function answer(
  session: BrowserSession,
  value: Readonly<Record<string, unknown>>,
  text: string,
  more: Omit<NonNullable<Parameters<typeof result>[1]>, "text"> = {},
): ToolAnswer {
  const notes = session.takeNotes();
  const lines = [text, ...notes.map((note) => `Note: ${note}`)];
  return result({ ...value, ...(notes.length > 0 ? { notes } : {}) }, { ...more, text: lines.join("\n") });
}

/** For calls that change nothing: whatever broke, nothing happened. */
export async function readOnly<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ToolError) throw error;
    throw new ToolError("browser", `${what} did not work (${inWords(firstLine(error), 200)}).`, {
      retryable: true,
    });
  }
}

export function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === "TimeoutError";
}
