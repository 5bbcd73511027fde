import { toolCall, type Step } from "@elwood/sdk/model-script/steps";
import { callsWithin, cited, notDone, type Scenario } from "./demo-scenario.ts";
import { isDone, type Outcome } from "./demo-outcomes.ts";
import { COUNT_LINES, DELETE_NOTES, repairProgram, notesProgram, whereWrong } from "./demo-programs.ts";
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
