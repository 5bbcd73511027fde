import { type Step, toolCall } from "@elwood/sdk/model-script/steps";
import { callsWithin, cited, notDone, type Scenario } from "./demo-scenario.ts";
import { isDone, type Outcome } from "./demo-outcomes.ts";
import { numberOf, quotation, says, shown } from "./demo-words.ts";

const PROGRAM = "program.code.run";
const WITH_ONE = "(?: with| in| using| by) (?:a|one) program";
const A_PROGRAM = "(?:make|write|run) (?:me )?a program (?:that|which|to)";

export const PROGRAM_SCENARIOS: readonly Scenario[] = [
  {
    example: "write three notes with a program",
    tools: [PROGRAM, "files.file.write"],
    asked: says(
      `(?:write|make|create)(?: me)? <number> (?:little |short )?notes${WITH_ONE}`,
      `${A_PROGRAM} (?:writes?|makes?|creates?) <number> (?:little |short )?notes`,
      "(?:schreib|schreibe|mach) <number> notizen mit einem programm",
    ),
    calls: [
      ({ number = "3" }) => running(notesProgram(numberOf(number)), `write ${numberOf(number)} notes`),
      (_, [first]) => mendedCall(first!),
    ],
    despite: true,
    tell: ([first, second]) => `${repaired(first!, second!)}\n\n${ended(second!)}`,
  },
  {
    example: "count the lines of all my files with a program",
    tools: [PROGRAM, "files.file.list", "files.file.read"],
    asked: says(
      `count (?:the |all )?lines (?:of|in) (?:all )?(?:of )?(?:my |the )?files${WITH_ONE}`,
      `${A_PROGRAM} counts? (?:the |all )?lines (?:of|in) (?:all )?(?:my |the )?files`,
      "(?:zähl|zähle) die zeilen (?:aller|meiner) dateien mit einem programm",
    ),
    calls: [() => running(COUNT_LINES, "count the lines of all files")],
    tell: ([ran]) => ended(ran!),
  },
  {
    example: "delete the notes with a program",
    tools: [PROGRAM, "files.file.list", "files.file.delete"],
    asked: says(
      `(?:delete|remove) (?:all )?(?:of )?(?:the |my |these |those )?(?:<number> )?notes${WITH_ONE}`,
      `${A_PROGRAM} (?:deletes?|removes?) (?:all )?(?:the |my )?notes`,
    ),
    calls: [() => running(DELETE_NOTES, "delete the notes")],
    tell: ([ran]) => ended(ran!),
  },
  {
    example: "run this program: return 1 + 1",
    tools: [PROGRAM],
    verbatim: true,
    asked: says("(?:run|execute|try) (?:this|the following|the) program:?\\s+(?<source>[^]+)"),
    calls: [({ source }) => toolCall(PROGRAM, { source })],
    tell: ([ran]) => ended(ran!),
  },
];

function running(source: string, purpose: string): Step {
  return toolCall(PROGRAM, { source, purpose });
}

/** The program once more, with what the checker complained of put right. */
function mendedCall(first: Outcome): Step | string {
  if (first.word !== "refused") return isDone(first) ? ended(first) : notDone([first]);
  const { source, purpose } = first.input as { source: string; purpose: string };
  const better = repairProgram(source, first.text);
  if (better === undefined)
    return `My program was refused before anything of it ran, and I do not know how to mend it.\n\n${shown(first.text)}`;
  return running(better.source, purpose);
}

function repaired(first: Outcome, second: Outcome): string {
  const { source } = first.input as { source: string };
  const change = repairProgram(source, first.text);
  const became =
    change === undefined
      ? ""
      : ` I changed \`${change.from}\` to \`${change.to}\` and handed it in again${cited(second)}.`;
  return `My first program was refused before it ran:${quotation(whereWrong(first.text))}.${became}`;
}

function ended(ran: Outcome): string {
  return `The program ended; I read what it returned${cited(ran)}.${callsWithin(ran)}\n\n${shown(ran.text)}`;
}

/** One note for each number. It is handed in with a mistake, to show what becomes of one. */
function notesProgram(count: number): string {
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
const COUNT_LINES = `const FILES_MAX = 50;
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

const DELETE_NOTES = `const folder = must(await tools.files.file.list({ path: "notes" }));
const deleted: string[] = [];
for (const { path, name, kind } of folder.entries) {
  if (kind !== "file" || !/^note-\\d+\\.txt$/.test(name)) continue;
  const gone = await tools.files.file.delete({ path });
  if (!gone.ok) return { deleted, stoppedBy: gone.error.message };
  deleted.push(gone.value.path);
}
return { deleted };`;

interface RepairedProgram {
  readonly source: string;
  readonly from: string;
  readonly to: string;
}

/**
 * Puts right what a check found: a name that does not exist, by the name that it suggests or
 * by the likest of those that it lists. undefined where it found something else.
 */
function repairProgram(source: string, problem: string): RepairedProgram | undefined {
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
function whereWrong(problem: string): string {
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
