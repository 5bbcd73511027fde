import { fail } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import type { Io } from "./io.ts";

/** Asks for a secret without showing it. Undefined means that the person thought better of it. */
export type AskSecret = (io: Io, question: string) => Promise<string | undefined>;

/**
 * A secret from whoever hands it over: typed behind a mask where a person sits there,
 * from standard input where a program does (or `fromStdin` says so). Never an argument:
 * those stand in the shell's history and in every process list.
 */
export async function readSecret(
  io: Io,
  question: string,
  fromStdin: boolean,
  ask: AskSecret = askMasked,
): Promise<string> {
  if (fromStdin || io.stdin.isTTY !== true) return readStdin(io);
  return (await ask(io, question)) ?? fail("ABORTED", "Nothing was saved.");
}

async function readStdin(io: Io): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of io.stdin) {
    const buffer = Buffer.from(chunk as string | Uint8Array);
    bytes += buffer.length;
    if (bytes > LIMITS.secretBytesMax) {
      fail("INVALID_INPUT", "What came in on standard input is far too long to be a key. Nothing was saved.");
    }
    chunks.push(buffer);
  }
  return Buffer.concat(chunks).toString("utf8").trim();
}

/** The question goes to stderr, so that stdout stays the answer's. */
async function askMasked(io: Io, question: string): Promise<string | undefined> {
  const { isCancel, password } = await import("@clack/prompts");
  const answer = await password({ message: question, mask: "•", input: io.stdin, output: io.stderr });
  return isCancel(answer) ? undefined : answer;
}
