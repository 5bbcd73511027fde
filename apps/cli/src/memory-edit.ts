import { fail, FailureError } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import type { GatewayClient } from "@elwood/sdk/client";
import { editText } from "./editor.ts";
import { EXIT, type Io } from "./io.ts";
import type { SessionsDeps } from "./sessions-command.ts";

/** `elwood memory edit <note>`: in the owner's editor, or from standard input. */
export async function editNote(
  io: Io,
  { client }: SessionsDeps,
  { note: key, json }: { readonly note: string; readonly json: boolean },
): Promise<number> {
  const before = await noteNow(client, key);
  const file = {
    name: `${key}.md`,
    text: before?.text ?? "",
    otherwise: "hand the text over: elwood memory edit <note> < file",
  };
  const text = io.stdin.isTTY === true ? await editText(io, file) : await piped(io);
  if (text.trimEnd() === (before?.text ?? "").trimEnd()) {
    io.stdout.write(json ? `${JSON.stringify({ changed: false })}\n` : "Nothing was changed.\n");
    return EXIT.ok;
  }
  const expected = before?.sha256 ?? null;
  const saved = await client.call("memory.save", { key, content: text, expected });
  if (json) io.stdout.write(`${JSON.stringify(saved)}\n`);
  else {
    const secrets = saved.redacted ? " Secrets in it were left out." : "";
    io.stdout.write(`${saved.created ? "Wrote" : "Changed"} the note ${saved.note.key}.${secrets}\n`);
  }
  return EXIT.ok;
}

async function noteNow(client: GatewayClient, key: string) {
  try {
    return (await client.call("memory.show", { key })).note;
  } catch (error) {
    if (error instanceof FailureError && error.failure.reason === "NOT_FOUND") return undefined;
    throw error;
  }
}

async function piped(io: Io): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of io.stdin) {
    const piece = Buffer.from(chunk as Uint8Array | string);
    bytes += piece.length;
    if (bytes > LIMITS.noteBytesMax)
      fail("INVALID_INPUT", `A note holds at most ${LIMITS.noteBytesMax} bytes. Nothing was saved.`);
    chunks.push(piece);
  }
  return Buffer.concat(chunks).toString("utf8");
}
