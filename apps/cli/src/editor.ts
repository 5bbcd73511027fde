import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fail, FailureError, failure } from "@elwood/core/base/failure";
import type { Io } from "./io.ts";

/**
 * A text as the owner leaves it in their editor. It lies in a folder that only they can
 * read, which goes again whatever happens. `otherwise` says what else they can do where no
 * editor is set.
 */
export async function editText(
  io: Io,
  text: { readonly name: string; readonly text: string; readonly otherwise?: string },
): Promise<string> {
  const editor = io.env["VISUAL"] || io.env["EDITOR"];
  if (!editor) {
    const otherwise = text.otherwise === undefined ? "" : `, or ${text.otherwise}`;
    return fail("INVALID_INPUT", `No editor is set. Set EDITOR${otherwise}. Nothing was changed.`);
  }
  const folder = await mkdtemp(join(tmpdir(), "elwood-edit-"));
  try {
    const path = join(folder, text.name.replaceAll(/[^\w.-]/g, "_"));
    await writeFile(path, text.text, { mode: 0o600 });
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
    reject(new FailureError(failure("INVALID_INPUT", `The editor ${why}. Nothing was saved.`)));
  child.once("error", () => broken(`${program} could not be started`));
  child.once("exit", (code) =>
    code === 0 ? resolve() : broken(`${program} ended with ${code ?? "a signal"}`),
  );
  return promise;
}
