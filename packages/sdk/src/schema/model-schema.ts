import { isRecord } from "@elwood/core/base/is-record";

/** Bounds that a model rarely meets; where it does, the gate's refusal names them. They would make up a third of the prompt. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "$schema",
  "minLength",
  "maxLength",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "minItems",
  "maxItems",
  "pattern",
  "propertyNames",
]);

/** A tool's input as a model is shown it: names, kinds, choices and what they mean. What is checked is the contract's own. */
export function modelSchema(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]) => {
      if (LEFT_OUT.has(key) || (value === false && UNLESS_SAID.has(key))) return [];
      if (key === "default" || key === "const" || key === "enum" || key === "examples") return [[key, value]];
      return [[key, NAMED.has(key) ? named(value) : slim(value)]];
    }),
  );
}

/** What is not so unless it is said. */
const UNLESS_SAID: ReadonlySet<string> = new Set(["additionalProperties", "default"]);

/** Under these keys stand names that people chose; one of them may be called `pattern`. */
const NAMED: ReadonlySet<string> = new Set(["properties", "$defs", "definitions", "patternProperties"]);

function named(value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, slim(schema)]));
}

function slim(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => (isRecord(item) ? modelSchema(item) : item));
  return isRecord(value) ? modelSchema(value) : value;
}
