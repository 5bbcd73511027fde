import { createInterface } from "node:readline/promises";
import { fail } from "@elwood/core/failure";
import type { Io } from "./io.ts";

/** Whether somebody sits there who can be asked. */
export function canAsk(io: Io): boolean {
  return io.stdin.isTTY === true && io.stderr.isTTY === true;
}

/**
 * Asks a question that is answered with yes or no. Anything but a yes is a no, the end of
 * input included. The question goes to stderr, so that stdout stays the answer's.
 */
export async function confirm(io: Io, question: string): Promise<boolean> {
  return /^\s*y(es)?\s*$/i.test(await answered(io, `${question} [y/N] `));
}

/** The same for what must not be allowed by a single key: the word itself is the yes. */
export async function typed(io: Io, why: string, word: string): Promise<boolean> {
  return (await answered(io, `${why} Type "${word}" to allow it, anything else to deny: `)).trim() === word;
}

async function answered(io: Io, question: string): Promise<string> {
  const terminal = createInterface({ input: io.stdin, output: io.stderr });
  const ended = new AbortController();
  let interrupted = false;
  terminal.once("SIGINT", () => {
    interrupted = true;
    terminal.close();
  });
  terminal.once("close", () => ended.abort());
  try {
    return await terminal.question(question, { signal: ended.signal });
  } catch (error) {
    if (!ended.signal.aborted) throw error;
    io.stderr.write("\n");
    if (interrupted) fail("ABORTED", "Nothing was done.");
    return "";
  } finally {
    terminal.close();
  }
}
