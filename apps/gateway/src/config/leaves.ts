import { z } from "zod";

/**
 * Builders for settings. Each carries one phrase that says what is meant ("must be …"),
 * used whatever is wrong, so that a person always reads the rule and never a type name.
 */
export function wholeNumber(min: number, max?: number) {
  const error =
    max === undefined ? `must be a whole number ≥ ${min}` : `must be a whole number from ${min} to ${max}`;
  const number = z.int({ error }).min(min, { error });
  return max === undefined ? number : number.max(max, { error });
}

export function numberAbove(min: number) {
  const error = `must be a number above ${min}`;
  return z.number({ error }).gt(min, { error });
}

export function numberFrom(min: number) {
  const error = `must be a number ≥ ${min}`;
  return z.number({ error }).min(min, { error });
}

export function words(what = "text") {
  const error = `must be ${what}`;
  return z.string({ error }).trim().min(1, { error });
}

export function day() {
  const error = "must be a day such as 2026-11-01, in quotes";
  return z.string({ error }).regex(/^\d{4}-\d{2}-\d{2}$/, { error });
}

export function yesOrNo() {
  return z.boolean({ error: "must be true or false" });
}

export function oneOf<const T extends readonly [string, ...string[]]>(values: T) {
  const listed = values.map((value) => `"${value}"`).join(", ");
  return z.enum(values, { error: `must be one of ${listed}` });
}

export function listOf<T extends z.ZodType>(item: T, what = "a list of texts") {
  return z.array(item, { error: `must be ${what}` });
}

export function group<T extends z.ZodRawShape>(shape: T) {
  return z.strictObject(shape, { error: "must be a group of settings" });
}

/** A group that may hold keys we do not know; those we do know are still checked. */
export function openGroup<T extends z.ZodRawShape>(shape: T) {
  return z.looseObject(shape, { error: "must be a group of settings" });
}

/** Entries under names that the owner chose. */
export function named<T extends z.ZodType>(value: T, pattern = /^[^\s]{1,128}$/) {
  return z.record(z.string().regex(pattern, { error: "is not usable as a name" }), value, {
    error: "must be a group of named entries",
  });
}
