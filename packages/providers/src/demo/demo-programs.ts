/** One note for each number. It is handed in with a mistake, to show what becomes of one. */
export function notesProgram(count: number): string {
  return `const written: string[] = [];
for (let n = 1; n <= ${count}; n++) {
  const saved = await tools.files.file.write({
    path: \`notes/note-\${n}.txt\`,
    contents: \`Note \${n} of ${count}, written by a program.\\n\`,
  });
  if (!saved.ok) return { written, stoppedBy: saved.error.message };
  written.push(saved.value.path);
}
return { written };`;
}

/** Reads only, so it asks nothing. */
export const COUNT_LINES = `const FILES_MAX = 50;
const PARTS_MAX = 4;
const folder = must(await tools.files.file.list({ path: ".", depth: 8 }));
const files = folder.entries.filter(({ kind }) => kind === "file");
const counted: Record<string, number> = {};
let lines = 0;
let whole = folder.complete && files.length <= FILES_MAX;
for (const { path } of files.slice(0, FILES_MAX)) {
  let offset: number | undefined = 1;
  for (let part = 0; part < PARTS_MAX && offset !== undefined; part++) {
    const read = await tools.files.file.read({ path, offset });
    if (!read.ok || read.value.text === undefined) {
      whole = false;
      break;
    }
    const { text, fromLine = 1, toLine = 0, nextOffset } = read.value;
    const here = text === "" ? 0 : toLine - fromLine + 1;
    counted[path] = (counted[path] ?? 0) + here;
    lines += here;
    offset = nextOffset;
  }
  if (offset !== undefined && counted[path] !== undefined && offset > 1) whole = false;
}
return { lines, files: Object.keys(counted).length, whole, counted };`;

export const DELETE_NOTES = `const folder = must(await tools.files.file.list({ path: "notes" }));
const deleted: string[] = [];
for (const { path, kind } of folder.entries) {
  if (kind !== "file" || !/^note-\\d+\\.txt$/.test(path)) continue;
  const gone = await tools.files.file.delete({ path: \`notes/\${path}\` });
  if (!gone.ok) return { deleted, stoppedBy: gone.error.message };
  deleted.push(gone.value.path);
}
return { deleted };`;

export interface RepairedProgram {
  readonly source: string;
  readonly from: string;
  readonly to: string;
}

/**
 * Puts right what a check found: a name that does not exist, by the name that it suggests or
 * by the likest of those that it lists. undefined where it found something else.
 */
export function repairProgram(source: string, problem: string): RepairedProgram | undefined {
  const [, line, from] = /line (\d+), column \d+: [^\n]*?'(\w+)' does not exist/.exec(problem) ?? [];
  if (line === undefined || from === undefined) return undefined;
  const suggested = /Did you mean(?: to write)? '(\w+)'/.exec(problem)?.[1];
  const listed = [.../* the members of a type */ problem.matchAll(/(\w+)\??: /g)].map(([, name]) => name!);
  const to = suggested ?? likest(from, listed);
  if (to === undefined) return undefined;
  const lines = source.split("\n");
  const at = Number(line) - 1;
  const before = lines[at] ?? "";
  lines[at] = before.replace(new RegExp(`\\b${from}\\b`), to);
  return lines[at] === before ? undefined : { source: lines.join("\n"), from, to };
}

/** Where a check says that the mistake is, and what it is. */
export function whereWrong(problem: string): string {
  return (
    /^line \d+, column \d+: [^\n]+?(?=\.? \[TS\d+\]$|\.?$)/m.exec(problem)?.[0] ??
    problem.split("\n")[0] ??
    ""
  );
}

const SHARED_MIN = 3;

function likest(name: string, others: readonly string[]): string | undefined {
  const shared = (other: string) => {
    let n = 0;
    while (n < name.length && name[n] === other[n]) n++;
    return n;
  };
  const [best] = others.filter((other) => other !== name).toSorted((a, b) => shared(b) - shared(a));
  return best !== undefined && shared(best) >= SHARED_MIN ? best : undefined;
}
