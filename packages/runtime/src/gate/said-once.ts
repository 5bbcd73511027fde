import type { ToolSpec } from "@elwood/core/model/model";

/**
 * The same tools, where words that several inputs of one integration have in common are said once: by the first
 * of them, for a model reads all of them together. The same tools in the same order are shown in the same words.
 */
export function saidOnce(specs: readonly ToolSpec[]): ToolSpec[] {
  const said = new Set<string>();
  return specs.map((spec) => {
    const { properties } = spec.inputSchema;
    if (!isObject(properties)) return spec;
    const [integration] = spec.toolId.split(".");
    const shown = Object.entries(properties).map(([name, schema]) => {
      if (!isObject(schema) || typeof schema["description"] !== "string") return [name, schema];
      const { description, ...rest } = schema;
      const words = JSON.stringify([integration, description]);
      if (said.has(words)) return [name, rest];
      said.add(words);
      return [name, schema];
    });
    return { ...spec, inputSchema: { ...spec.inputSchema, properties: Object.fromEntries(shown) } };
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
