import { isRecord } from "@elwood/core/base/is-record";
import type { ToolSpec } from "@elwood/core/model/model";

/**
 * Removes parameter descriptions that an earlier tool of the same integration already has, to save
 * tokens: the model reads all tools together. Deterministic for the same tools in the same order.
 */
export function dedupeDescriptions(specs: readonly ToolSpec[]): ToolSpec[] {
  const said = new Set<string>();
  return specs.map((spec) => {
    const { properties } = spec.inputSchema;
    if (!isRecord(properties)) return spec;
    const [integration] = spec.toolId.split(".");
    const shown = Object.entries(properties).map(([name, schema]) => {
      if (!isRecord(schema) || typeof schema["description"] !== "string") return [name, schema];
      const { description, ...rest } = schema;
      const words = JSON.stringify([integration, description]);
      if (said.has(words)) return [name, rest];
      said.add(words);
      return [name, schema];
    });
    return { ...spec, inputSchema: { ...spec.inputSchema, properties: Object.fromEntries(shown) } };
  });
}
