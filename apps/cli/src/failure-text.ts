import { wrapWords } from "@elwood/core/base/wrap-words";
import { makeRedactor } from "@elwood/core/base/redact";
import { FailureError, wireClassOf, type Failure } from "@elwood/core/base/failure";
import { EXIT, type Io } from "./io.ts";
import { failureText, say } from "./words/say.ts";

/** Says what went wrong on stderr, or as one JSON document on stdout, and answers the exit code. */
export function reportFailure(io: Io, reason: Failure, json: boolean): number {
  if (json) io.stdout.write(`${JSON.stringify({ error: { ...reason, code: reason.reason } })}\n`);
  else io.stderr.write(`${onScreen(io, failureText(io, reason))}\n`);
  return exitCodeOf(reason);
}

/** Says what is wrong with a command line, in the language of the terminal, and answers the exit code. */
export function reportUsage(io: Io, text: string): number {
  io.stderr.write(`${onScreen(io, text)}\n`);
  return EXIT.usage;
}

/** On a terminal lines break between words. */
function onScreen({ stderr }: Io, text: string): string {
  if (stderr.isTTY !== true) return text;
  return text
    .split("\n")
    .flatMap((line) => wrapWords(line, stderr.columns ?? COLUMNS_UNLESS_TOLD))
    .join("\n");
}

const COLUMNS_UNLESS_TOLD = 80;

export function exitCodeOf(reason: Failure): number {
  if (reason.reason === "ABORTED") return EXIT.interrupted;
  return wireClassOf(reason.reason) === "INVALID_INPUT" ? EXIT.usage : EXIT.failed;
}

/** Runs a command; a Failure it throws is told, anything else is a bug and goes on. */
export async function reporting(io: Io, json: boolean, command: () => Promise<number>): Promise<number> {
  try {
    return await command();
  } catch (error) {
    if (error instanceof FailureError) return reportFailure(io, error.failure, json);
    throw error;
  }
}

/** The last words on an error nobody foresaw: enough to report it, and no stack unless asked for. */
export function describeBug(error: unknown, io: Pick<Io, "env" | "spoken">): string {
  const redact = makeRedactor([]);
  const what = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const more =
    io.env["ELWOOD_DEBUG"] && error instanceof Error
      ? `${error.stack ?? ""}\n`
      : `${say(io, "Set ELWOOD_DEBUG=1 to see where.")}\n`;
  return redact(`${say(io, "Elwood itself failed: {0}", what)}\n${say(io, "This is a bug.")} ${more}`);
}
