import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { INDEX_LIMITS } from "./limits.ts";
import { isMissing } from "@elwood/platform/system-error";

export interface SourceFile {
  /** Below the state directory, with `/` between its steps. */
  readonly path: string;
  readonly size: number;
  readonly mtime: number;
}

export function transcriptSource(tenant: string, session: string): string {
  return `sessions/${tenant}/${session}.jsonl`;
}

/** The conversation whose file it is; undefined where it is a note. */
export function sessionOf(path: string): string | undefined {
  return /^sessions\/[^/]+\/([^/]+)\.jsonl$/.exec(path)?.[1];
}

/** Whether a name in one of the two folders is a source: temporary files and hidden ones are not. */
export function isSourceName(name: string): boolean {
  return /\.(?:jsonl|md)$/.test(name) && !/(?:^|\/)\./.test(name);
}

/**
 * Every file that memory is made of: notes, then conversations, the one that was changed last first.
 * `complete` is false where there are more than are looked at; nothing is then taken for gone.
 */
export async function listSources(
  home: string,
  tenant: string,
): Promise<{ readonly files: readonly SourceFile[]; readonly complete: boolean }> {
  const notes = await filesIn(home, `memory/${tenant}`, ".md", true);
  const transcripts = await filesIn(home, `sessions/${tenant}`, ".jsonl", false);
  const newestFirst = transcripts.toSorted((a, b) => b.mtime - a.mtime);
  const { filesMax } = INDEX_LIMITS;
  return {
    files: [...notes.slice(0, filesMax), ...newestFirst.slice(0, filesMax)],
    complete: notes.length <= filesMax && transcripts.length <= filesMax,
  };
}

async function filesIn(home: string, folder: string, end: string, recursive: boolean): Promise<SourceFile[]> {
  const names = await readdir(join(home, folder), { recursive }).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  const files: SourceFile[] = [];
  for (const name of names.toSorted((a, b) => (a < b ? -1 : 1))) {
    const slashed = name.replaceAll("\\", "/");
    if (!slashed.endsWith(end) || !isSourceName(slashed)) continue;
    const path = `${folder}/${slashed}`;
    // A link could lead to any file of the machine.
    const info = await lstat(join(home, path)).catch((error: unknown) => {
      if (isMissing(error)) return undefined;
      throw error;
    });
    if (info?.isFile()) files.push({ path, size: info.size, mtime: info.mtimeMs });
  }
  return files;
}
