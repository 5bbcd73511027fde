import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fail, FailureError } from "@elwood/core/failure";
import { LIMITS } from "@elwood/core/limits";
import type { GatewayClient } from "@elwood/sdk/client";
import { EXIT, type Io } from "./io.ts";
import type { SessionsDeps } from "./sessions-command.ts";

/** `elwood memory edit <note>`: in the owner's editor, or from standard input. */
export async function editNote(
  io: Io,
  { client }: SessionsDeps,
  { note: key, json }: { readonly note: string; readonly json: boolean },
): Promise<number> {
  const before = await noteNow(client, key);
  const text = io.stdin.isTTY === true ? await edited(io, key, before?.text ?? "") : await piped(io);
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

/** In a folder that only the owner can read, which goes again whatever happens. */
async function edited(io: Io, key: string, text: string): Promise<string> {
  const editor = io.env["VISUAL"] || io.env["EDITOR"];
  if (!editor)
    return fail(
      "INVALID_INPUT",
      "No editor is set. Set EDITOR, or hand the text over: elwood memory edit <note> < file. Nothing was changed.",
    );
  const folder = await mkdtemp(join(tmpdir(), "elwood-note-"));
  try {
    const path = join(folder, `${key.replaceAll(/[^\w-]/g, "_")}.md`);
    await writeFile(path, text, { mode: 0o600 });
    await opened(editor, path, io);
    return await readFile(path, "utf8");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function opened(editor: string, path: string, io: Io): Promise<void> {
  const [program = "", ...words] = editor.split(" ").filter((word) => word !== "");
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const child = spawn(program, [...words, path], { stdio: "inherit", env: { ...io.env } });
  const broken = (why: string) =>
    reject(
      new FailureError({
        reason: "INVALID_INPUT",
        message: `The editor ${why}. Nothing was saved.`,
        retryable: false,
      }),
    );
  child.once("error", () => broken(`${program} could not be started`));
  child.once("exit", (code) =>
    code === 0 ? resolve() : broken(`${program} ended with ${code ?? "a signal"}`),
  );
  return promise;
}
