import { isRecord } from "../base/is-record.ts";

/** The tools by which a model finds, reads and calls those whose schemas are left out of its prompt. */
export const CATALOG_SEARCH = "catalog.tool.search";
export const CATALOG_DESCRIBE = "catalog.tool.describe";
export const CATALOG_CALL = "catalog.tool.call";

/**
 * The call that is meant: one through the catalog is a call of the tool it names, with all that belongs to that
 * tool. Decided before anything else, so that nothing is asked, recorded or run under another name.
 */
export function meantCall<Call extends { readonly toolId: string; readonly input: unknown }>(
  call: Call,
): Call {
  const { toolId, input } = call;
  if (toolId !== CATALOG_CALL || !isRecord(input) || typeof input["tool"] !== "string") return call;
  // One within another would hide what is called.
  if (input["tool"] === CATALOG_CALL) return call;
  return { ...call, toolId: input["tool"], input: input["input"] ?? {} };
}
