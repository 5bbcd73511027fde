import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fail } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import { CHAT_WORDS as WORDS } from "./words.ts";

const FILES_MAX = 500;
const NAME = /^[\p{L}\p{N}][\p{L}\p{N} _-]{0,59}$/u;

/** The owner's prompts: one Markdown file each, in a folder that they can edit, sync and share. */
export class PromptFiles {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  async list(): Promise<readonly string[]> {
    try {
      const names = await readdir(this.folder);
      return names
        .filter((name) => name.endsWith(".md") && NAME.test(name.slice(0, -3)))
        .map((name) => name.slice(0, -3))
        .toSorted()
        .slice(0, FILES_MAX);
    } catch (cause) {
      if (isMissing(cause)) return [];
      return this.#refused(cause);
    }
  }

  async read(name: string): Promise<string> {
    try {
      const text = (await readFile(this.#path(name), "utf8")).trimEnd();
      if (text.length > LIMITS.messageCharsMax)
        return fail("INVALID_INPUT", WORDS.prompts.tooLong(name, LIMITS.messageCharsMax));
      return text;
    } catch (cause) {
      if (isMissing(cause)) return fail("NOT_FOUND", WORDS.prompts.missing(name, this.folder));
      return this.#refused(cause);
    }
  }

  /** False where there is one of this name already: it is not overwritten. */
  async save(name: string, text: string): Promise<boolean> {
    const path = this.#path(name);
    try {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      await writeFile(path, `${text.trimEnd()}\n`, { flag: "wx", mode: 0o600 });
      return true;
    } catch (cause) {
      if (cause instanceof Error && "code" in cause && cause.code === "EEXIST") return false;
      return this.#refused(cause);
    }
  }

  #path(name: string): string {
    if (!NAME.test(name)) return fail("INVALID_INPUT", WORDS.prompts.noName(name));
    return join(this.folder, `${name}.md`);
  }

  #refused(cause: unknown): never {
    if (!(cause instanceof Error && "code" in cause)) throw cause;
    return fail("STORAGE", WORDS.prompts.folder(this.folder, String(cause.code)));
  }
}

function isMissing(cause: unknown): boolean {
  return cause instanceof Error && "code" in cause && (cause.code === "ENOENT" || cause.code === "ENOTDIR");
}
