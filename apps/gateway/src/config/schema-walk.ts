import { z } from "zod";

/**
 * The top of a schema whose groups are built when they are first looked at. Building and
 * warming every group costs some 30 ms at each start, and most files set few of them.
 */
export class LazyGroup {
  readonly #makers: Readonly<Record<string, () => z.ZodType>>;
  readonly #made = new Map<string, z.ZodType>();

  constructor(makers: Readonly<Record<string, () => z.ZodType>>) {
    this.#makers = makers;
  }

  get keys(): string[] {
    return Object.keys(this.#makers);
  }

  at(key: string): z.ZodType | undefined {
    const known = this.#made.get(key);
    if (known !== undefined || !Object.hasOwn(this.#makers, key)) return known;
    const made = this.#makers[key]!();
    this.#made.set(key, made);
    return made;
  }
}

/** A schema, one that is built on demand, or the place where everything is accepted. */
export type Schema = z.ZodType | LazyGroup | "any";

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

/** One step below; undefined where the key is unknown. */
export function below(schema: Schema, key: string): z.ZodType | "any" | undefined {
  if (schema === "any") return "any";
  if (schema instanceof LazyGroup) return schema.at(key);
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

export function schemaAt(root: Schema, path: readonly string[]): Schema | undefined {
  let at: Schema | undefined = root;
  for (const key of path) {
    if (at === undefined) return undefined;
    at = below(at, key);
  }
  return at;
}

/** A value's own schema, where there is one to check it by. */
export function leafAt(root: Schema, path: readonly string[]): z.ZodType | undefined {
  const found = schemaAt(root, path);
  return found === "any" || found instanceof LazyGroup ? undefined : found;
}

/** True where more keys follow below: a group, named entries, or anything at all. */
export function isGroup(schema: Schema): boolean {
  if (schema === "any" || schema instanceof LazyGroup) return true;
  const inner = unwrapped(schema);
  return inner instanceof z.ZodObject || inner instanceof z.ZodRecord || inner instanceof z.ZodUnknown;
}

export function keysOf(schema: Schema): string[] {
  if (schema === "any") return [];
  if (schema instanceof LazyGroup) return schema.keys;
  const inner = unwrapped(schema);
  return inner instanceof z.ZodObject ? Object.keys(inner.shape) : [];
}

/** Every leaf as a path; entries under names the owner chose are left out. */
export function leafPaths(schema: Schema, path: readonly string[] = []): string[][] {
  const keys = keysOf(schema);
  if (keys.length === 0) return [[...path]];
  return keys.flatMap((key) => leafPaths(below(schema, key) ?? "any", [...path, key]));
}
