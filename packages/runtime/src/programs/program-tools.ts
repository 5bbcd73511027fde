import type { ToolTable } from "../gate/ports.ts";

/** The tool whose calls are programs. It has no handler: what it does is done by the calls it makes. */
export const PROGRAM_TOOL = "program.code.run";

/** What a program may call: all that its agent may, but no program. */
export function programToolIds(table: ToolTable): string[] {
  return table
    .list()
    .map(({ contract }) => contract.id)
    .filter((id) => id !== PROGRAM_TOOL);
}
