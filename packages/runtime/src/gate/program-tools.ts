import type { ToolSnapshot } from "../ports/gate-ports.ts";

/** The tool whose calls are programs. It has no handler: what it does is done by the calls it makes. Rows of calls are known by it, also where the tool is switched off by now. */
export const PROGRAM_TOOL = "program.code.run";

/** What a program may call: all that its agent may, but no program. */
export function programToolIds(toolSnapshot: ToolSnapshot): string[] {
  return toolSnapshot
    .list()
    .filter(({ kind }) => kind !== "program")
    .map(({ contract }) => contract.id);
}

/** A plan of one call is that call's own question. */
export const PLAN_ITEMS_MIN = 2;

/** Separates a program's id from the number of a read that its dry run made. */
export const DRY_RUN_MARK = ".r";

/** A call of a program is known by the program and its place in it, so that a re-execution means the same call. */
export function childCallId(programCallId: string, index: number): string {
  return `${programCallId}.${index + 1}`;
}

/** The program that a call belongs to, or the call itself. */
export function outerCallId(callId: string): string {
  return callId.split(".", 1)[0]!;
}
