import type { ToolSnapshot } from "./ports.ts";

/** Messages to the model about calls that could not start. */
export const NO_SUCH_SECRET =
  "It names a secret that is not there for this call. Nothing was done. Ask the owner for it.";
export const GIVEN_UP = "It was asked about too often.";

export function unknownTool(toolId: string, toolSnapshot: ToolSnapshot): string {
  const known = toolSnapshot.list().map((t) => t.contract.id);
  const area = known.filter((id) => id.split(".")[0] === toolId.split(".")[0]);
  const shown = (area.length > 0 ? area : known).slice(0, 20).join(", ");
  return `There is no tool "${toolId}". Nothing was done. ${shown === "" ? "There are no tools." : `There are: ${shown}.`}`;
}
