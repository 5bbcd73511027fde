import { createInterface } from "node:readline/promises";
import { fail } from "@elwood/core/base/failure";
import type { Clock } from "@elwood/runtime/ports/ports";
import { systemClock } from "@elwood/platform/system";
import type { Io } from "./io.ts";
import { visibleText } from "./terminal-text.ts";

/** Whether somebody sits there who can be asked. */
export function canAsk(io: Io): boolean {
  return io.stdin.isTTY === true && io.stderr.isTTY === true;
}

/**
 * Asks a question that is answered with yes or no. Anything but a yes is a no, the end of
 * input included. The question goes to stderr, so that stdout stays the answer's.
 */
export async function confirm(io: Io, question: string): Promise<boolean> {
  const answer = await readLine(io, `${question} [y/N] `);
  if (answer.kind === "interrupted") fail("ABORTED", "Nothing was done.");
  return answer.kind === "line" && /^\s*y(es)?\s*$/i.test(answer.text);
}

/** `ended`: there is no more input. `interrupted`: Ctrl-C. `withdrawn`: the signal said that nobody needs the answer any more. */
export type Line =
  | { readonly kind: "line"; readonly text: string }
  | { readonly kind: "ended" | "interrupted" | "withdrawn" };

/** One line from whoever sits there. */
export async function readLine(io: Io, question: string, withdrawn?: AbortSignal): Promise<Line> {
  if (withdrawn?.aborted) return { kind: "withdrawn" };
  const terminal = createInterface({ input: io.stdin, output: io.stderr });
  const over = new AbortController();
  let how: "ended" | "interrupted" | "withdrawn" = "ended";
  const close = (why: typeof how) => {
    how = why;
    terminal.close();
  };
  const onWithdrawn = () => close("withdrawn");
  withdrawn?.addEventListener("abort", onWithdrawn, { once: true });
  terminal.once("SIGINT", () => close("interrupted"));
  terminal.once("close", () => over.abort());
  try {
    return { kind: "line", text: await terminal.question(question, { signal: over.signal }) };
  } catch (error) {
    if (!over.signal.aborted) throw error;
    io.stderr.write("\n");
    return { kind: how };
  } finally {
    withdrawn?.removeEventListener("abort", onWithdrawn);
    terminal.close();
  }
}

/** What was typed before a question stood there is no answer to it. */
const ARMED_AFTER_MS = 150;
/** More characters than these at once are no keys that somebody pressed. */
const KEYS_TOGETHER_MAX = 3;

/** `rest`: keys that came at the same moment, after this one. `pasted`: more than anybody presses at once. */
export type Key =
  | {
      readonly kind: "line";
      readonly text: string;
      readonly rest?: readonly string[];
      readonly pasted?: true;
    }
  | { readonly kind: "ended" | "interrupted" | "withdrawn" };

/**
 * One key from whoever sits there, without Enter where the terminal can. The terminal is put back
 * however this ends; where the process ends, Node does so. Keys that mean nothing here, such as an
 * arrow or Ctrl-L, are passed over.
 */
export async function readKey(
  io: Io,
  question: string,
  withdrawn: AbortSignal,
  clock: Pick<Clock, "now"> = systemClock,
): Promise<Key> {
  if (withdrawn.aborted) return { kind: "withdrawn" };
  const { stdin, stderr } = io;
  const key = Promise.withResolvers<Key>();
  const armedAt = stdin.setRawMode ? clock.now() + ARMED_AFTER_MS : 0;
  const onData = (chunk: unknown) => {
    const typed = String(chunk);
    if (typed.includes("\u0003")) key.resolve({ kind: "interrupted" });
    else if (typed.includes("\u0004")) key.resolve({ kind: "ended" });
    else if (clock.now() < armedAt) return;
    else if (!stdin.setRawMode) key.resolve({ kind: "line", text: typed });
    else {
      const pressed = keyIn(typed);
      if (pressed) key.resolve(pressed);
    }
  };
  const onEnd = () => key.resolve({ kind: "ended" });
  const onWithdrawn = () => key.resolve({ kind: "withdrawn" });
  stderr.write(question);
  stdin.setRawMode?.(true);
  stdin.on("data", onData).once("end", onEnd).once("close", onEnd);
  withdrawn.addEventListener("abort", onWithdrawn, { once: true });
  stdin.resume();
  try {
    const line = await key.promise;
    stderr.write(line.kind === "line" ? `${visibleText(line.text).trim()}\n` : "\n");
    return line;
  } finally {
    withdrawn.removeEventListener("abort", onWithdrawn);
    stdin.off("data", onData).off("end", onEnd).off("close", onEnd);
    stdin.setRawMode?.(false);
    stdin.pause();
  }
}

/** What was pressed, of what a terminal sends at once; undefined where nothing that counts. */
function keyIn(typed: string): Key | undefined {
  // What arrows and the like send.
  const plain = typed.replaceAll(/\u001b(?:\[[0-9;?]*[ -/]*[@-~]|O.|.)?/gs, "");
  const entered = /[\r\n]/.test(plain);
  const keys = Array.from(visibleText(plain)).filter((each) => each !== "\n" && each !== "\t");
  const [first, ...rest] = keys;
  if (first === undefined) return entered ? { kind: "line", text: "" } : undefined;
  if (rest.length === 0) return { kind: "line", text: first };
  if (entered || keys.length > KEYS_TOGETHER_MAX || keys.includes(" "))
    return { kind: "line", text: keys.join(""), pasted: true };
  return { kind: "line", text: first, rest };
}
