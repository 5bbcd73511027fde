import { spawn } from "node:child_process";
import { access, constants, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fail, FailureError, failure } from "@elwood/core/base/failure";
import type { Io } from "./io.ts";
import { say } from "./words/say.ts";

/**
 * A text as the owner leaves it in their editor. It lies in a folder that only they can
 * read, which goes again whatever happens. `otherwise` says what else they can do where
 * there is no editor.
 */
export async function editText(
  io: Io,
  text: { readonly name: string; readonly text: string; readonly otherwise?: string },
): Promise<string> {
  const editor = io.env["VISUAL"] || io.env["EDITOR"] || (await usualEditor(io));
  if (!editor) {
    const otherwise = text.otherwise === undefined ? "" : say(io, ", or {0}", text.otherwise);
    return fail(
      "INVALID_INPUT",
      `There is no editor: EDITOR is not set, and neither ${USUAL.join(" nor ")} is installed. Set EDITOR to the one you use${otherwise}. Nothing was changed.`,
    );
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

/** What most systems have, the easier one first. */
const USUAL = ["nano", "vi"] as const;

/** The first usual editor that is installed. Who did not choose it is told its name, and how to leave it. */
async function usualEditor(io: Io): Promise<string | undefined> {
  const folders = (io.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  for (const name of USUAL) {
    for (const folder of folders) {
      if (!(await canRun(join(folder, name)))) continue;
      const leave = name === "vi" ? ` ${say(io, "To leave it without a change, type :q! and Enter.")}` : "";
      io.stderr.write(`${say(io, "EDITOR is not set, so this opens in {0}.", name)}${leave}\n`);
      return name;
    }
  }
  return undefined;
}

async function canRun(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch (cause) {
    if (cause instanceof Error && "code" in cause) return false;
    throw cause;
  }
}

function opened(editor: string, path: string, io: Io): Promise<void> {
  const [program = "", ...words] = editor.split(" ").filter((word) => word !== "");
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const child = spawn(program, [...words, path], { stdio: "inherit", env: { ...io.env } });
  child.once("error", () =>
    reject(
      new FailureError(
        failure("INVALID_INPUT", `The editor ${program} could not be started. Nothing was saved.`),
      ),
    ),
  );
  child.once("exit", (code) =>
    code === 0
      ? resolve()
      : reject(
          new FailureError(
            failure(
              "INVALID_INPUT",
              code === null
                ? `The editor ${program} was ended by a signal. Nothing was saved.`
                : `The editor ${program} ended with ${code}. Nothing was saved.`,
            ),
          ),
        ),
  );
  return promise;
}
