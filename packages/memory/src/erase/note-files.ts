import { readFile, unlink } from "node:fs/promises";
import { join } from "node:path";
import { linesAbout, withoutLines } from "@elwood/core/erase/note-lines";
import type { EraseScope, EraseTarget } from "@elwood/core/erase/scope";
import { noteKey } from "@elwood/core/memory/note-key";
import { writeFileAtomic } from "@elwood/platform/atomic-file";
import { forgetOrigins } from "../notes/note-eraser.ts";
import { listSources } from "../index/list-sources.ts";
import type { Notes } from "../notes/notes.ts";
import type { NoteOrigins } from "@elwood/store-sqlite/sqlite-note-origins";
import { isMissing } from "@elwood/platform/system-error";

export interface ErasedNoteLine {
  readonly source: string;
  readonly line: number;
  readonly text: string;
}

export interface NoteFilesDeps {
  readonly home: string;
  readonly notes: Notes;
  readonly origins: Pick<NoteOrigins, "forget">;
}

/** The lines of notes that go, and with `apply` do. Whose words they held is forgotten with them. */
export async function eraseNoteLines(
  deps: NoteFilesDeps,
  tenant: string,
  target: EraseTarget,
  scope: EraseScope,
  apply: boolean,
): Promise<ErasedNoteLine[]> {
  const lost: ErasedNoteLine[] = [];
  for (const source of await sourcesOf(deps, tenant, target)) {
    const gone = (text: string) => linesGone(text, source, target, scope);
    const text = await readFile(join(deps.home, source), "utf8").catch(missing);
    if (text === undefined) continue;
    const lines = gone(text);
    if (lines.length === 0) continue;
    const all = text.split("\n");
    lost.push(...lines.map((line) => ({ source, line, text: all[line - 1] ?? "" })));
    if (!apply) continue;
    // On record it goes last: a crash before that leaves the file as it was, or a hash of nothing.
    await changeNote(deps, tenant, source, (now) => withoutLines(now, new Set(gone(now))));
    await forgetOrigins(deps, tenant, lines.map((line) => all[line - 1] ?? "").join("\n"));
  }
  return lost;
}

async function sourcesOf(deps: NoteFilesDeps, tenant: string, target: EraseTarget): Promise<string[]> {
  if (target.kind !== "word") return target.notes.map(({ source }) => source);
  const { files } = await listSources(deps.home, tenant);
  return files.map(({ path }) => path).filter((path) => path.startsWith("memory/"));
}

function linesGone(text: string, source: string, target: EraseTarget, scope: EraseScope): number[] {
  const all = text.split("\n").flatMap((line, i) => (line.trim() === "" ? [] : [i + 1]));
  if (scope.everything) return scope.matches(source) ? all : linesAbout(text, scope.matches);
  const lines = target.notes.find((note) => note.source === source)?.lines;
  if (lines === undefined) return all;
  const wanted = new Set(lines.map((line) => line.trim()));
  return text.split("\n").flatMap((line, i) => (wanted.has(line.trim()) ? [i + 1] : []));
}

/** Notes that Elwood writes are changed in their turn; one in a folder of its own is only ever written by hand. */
async function changeNote(
  { home, notes }: NoteFilesDeps,
  tenant: string,
  source: string,
  work: (text: string) => string | undefined,
): Promise<void> {
  const name = /^memory\/[^/]+\/([^/]+)\.md$/.exec(source)?.[1];
  const key = name === undefined ? undefined : noteKey(name);
  if (key?.ok) {
    await notes.change(tenant, key.value, (before) => (before === undefined ? undefined : work(before)));
    return;
  }
  const path = join(home, source);
  const left = work(await readFile(path, "utf8"));
  if (left === undefined) await unlink(path).catch(missing);
  else await writeFileAtomic(path, left, { mode: 0o600 });
}

function missing(cause: unknown): undefined {
  if (isMissing(cause)) return undefined;
  throw cause;
}
