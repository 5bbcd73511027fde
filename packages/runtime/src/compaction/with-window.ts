import type { ResolvedModel } from "../ports/ports.ts";

/** The model with its window, as its server tells it where the server decides that. */
export async function withWindow(model: ResolvedModel): Promise<ResolvedModel> {
  const told = await model.askContextTokens?.();
  return told === undefined ? model : { ...model, contextTokens: told };
}
