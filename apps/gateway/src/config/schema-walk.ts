import { z } from "zod";

/** Undoes defaults, optionals and transforms: what a person writes is checked by what is inside. */
export function unwrapped(schema: z.ZodType): z.ZodType {
  let inner: unknown = schema;
  for (;;) {
    if (
      inner instanceof z.ZodOptional ||
      inner instanceof z.ZodDefault ||
      inner instanceof z.ZodPrefault ||
      inner instanceof z.ZodNullable
    ) {
      inner = inner.unwrap();
    } else if (inner instanceof z.ZodPipe) {
      // A preprocess step stands at the entrance and says nothing about shape.
      inner = inner.in instanceof z.ZodTransform ? inner.out : inner.in;
    } else {
      return inner as z.ZodType;
    }
  }
}

/** The schema one step below, `"any"` where everything is accepted, undefined where the key is unknown. */
export function below(schema: z.ZodType | "any", key: string): z.ZodType | "any" | undefined {
  if (schema === "any") return "any";
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodObject) {
    const known: unknown = Object.hasOwn(inner.shape, key) ? inner.shape[key] : undefined;
    if (known instanceof z.ZodType) return known;
    return inner.def.catchall instanceof z.ZodUnknown ? "any" : undefined;
  }
  if (inner instanceof z.ZodRecord) return inner.valueType as z.ZodType;
  if (inner instanceof z.ZodArray) return inner.element as z.ZodType;
  if (inner instanceof z.ZodUnknown) return "any";
  return undefined;
}

export function schemaAt(root: z.ZodType, path: readonly string[]): z.ZodType | "any" | undefined {
  let at: z.ZodType | "any" | undefined = root;
  for (const key of path) {
    if (at === undefined) return undefined;
    at = below(at, key);
  }
  return at;
}

/** True where more keys follow below: a group, named entries, or anything at all. */
export function isGroup(schema: z.ZodType | "any"): boolean {
  if (schema === "any") return true;
  const inner = unwrapped(schema);
  return inner instanceof z.ZodObject || inner instanceof z.ZodRecord || inner instanceof z.ZodUnknown;
}

export function keysOf(schema: z.ZodType | "any"): string[] {
  if (schema === "any") return [];
  const inner = unwrapped(schema);
  return inner instanceof z.ZodObject ? Object.keys(inner.shape) : [];
}

/** Every leaf of the schema as a path; entries under names the owner chose are left out. */
export function leafPaths(schema: z.ZodType, path: readonly string[] = []): string[][] {
  const inner = unwrapped(schema);
  if (!(inner instanceof z.ZodObject)) return [[...path]];
  return Object.entries(inner.shape).flatMap(([key, value]) => leafPaths(value as z.ZodType, [...path, key]));
}
