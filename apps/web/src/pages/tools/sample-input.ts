import { isRecord } from "@elwood/core/base/is-record";

/** An input to begin with, from a tool's JSON Schema: every field that must be there, empty. */
export function sampleInput(schema: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(sampleOf(schema, 0), undefined, 2) ?? "{}";
}

const DEPTH_MAX = 6;

function sampleOf(schema: unknown, depth: number): unknown {
  if (!isRecord(schema) || depth > DEPTH_MAX) return null;
  if ("const" in schema) return schema["const"];
  if ("default" in schema) return schema["default"];
  const { enum: values, anyOf, oneOf, type, properties, required } = schema;
  if (Array.isArray(values)) return values[0] as unknown;
  const choices = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : undefined;
  if (choices) return sampleOf(choices[0], depth + 1);
  if (type === "object" || isRecord(properties)) {
    const needed = Array.isArray(required) ? required.map(String) : [];
    const fields = isRecord(properties) ? properties : {};
    return Object.fromEntries(needed.map((name) => [name, sampleOf(fields[name], depth + 1)]));
  }
  if (type === "array") return [];
  if (type === "number" || type === "integer") return 0;
  if (type === "boolean") return false;
  return type === "string" ? "" : null;
}
