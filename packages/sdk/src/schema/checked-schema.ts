import { isRecord } from "@elwood/core/base/is-record";
import { safelyParse } from "@elwood/core/base/safe-parse";
import { canonicalJson } from "@elwood/core/base/canonical-json";
import { LIMITS } from "@elwood/core/base/limits";
import { err, ok, type Result } from "@elwood/core/base/result";
import {
  isStandardSchema,
  type SchemaIssue,
  type StandardToolSchema,
  type ToolSchema,
} from "../tool-schema.ts";
import { z } from "zod";
import { closed, unknownKeys } from "./json-schema.ts";
import { issueSentence, unknownKeySentence } from "./input-problems.ts";

/** A tool's schema, ready to be used: what the model is shown, and the check. */
export interface CheckedSchema {
  readonly jsonSchema: Record<string, unknown>;
  /** The value with its defaults, or what is wrong with it, one sentence each. */
  check(value: unknown): Result<unknown, readonly string[]>;
}

/**
 * Makes a schema usable, whatever library it comes from; the error says why it cannot be.
 * For an input, what passes is plain JSON and says exactly what was sent: keys the schema
 * does not know are refused, and no transformation may turn a value into another, because
 * the owner approves what is shown and the handler gets what was approved.
 */
export function checkedSchema(schema: ToolSchema, what: "input" | "output"): Result<CheckedSchema, string> {
  const read = isStandardSchema(schema) ? readStandard(schema, what) : readPlain(schema);
  if (!read.ok) return read;
  const { validate } = read.value;
  const { $schema: _dialect, ...jsonSchema } = read.value.jsonSchema;
  if (what === "input" && !isObjectSchema(jsonSchema))
    return err("its input must be an object with named arguments");
  const shown = what === "input" ? closed(jsonSchema) : jsonSchema;
  return ok({
    jsonSchema: shown,
    check(value) {
      const strangers = what === "input" ? unknownKeys(jsonSchema, value).map(unknownKeySentence) : [];
      const issues = validate(value);
      // All that is wrong at once: a misspelt argument is often a missing one too.
      const wrong = issues.ok
        ? []
        : issues.error.filter((each) => strangers.length === 0 || !isStranger(each));
      const problems = [...strangers, ...wrong.map((issue) => issueSentence(issue, value))];
      if (problems.length > 0) return err(limited(problems));
      if (!issues.ok) return err(limited(issues.error.map((issue) => issueSentence(issue, value))));
      return plainJson(issues.value, what);
    },
  });
}

/** Zod's own word for an argument that is not known, which the sentence on it says better. */
function isStranger(issue: SchemaIssue): boolean {
  return (issue as { readonly code?: unknown }).code === "unrecognized_keys";
}

type Validate = (value: unknown) => Result<unknown, readonly SchemaIssue[]>;

interface Readable {
  readonly jsonSchema: Record<string, unknown>;
  readonly validate: Validate;
}

const TARGET = { target: "draft-2020-12" } as const;

function readStandard(schema: StandardToolSchema, what: "input" | "output"): Result<Readable, string> {
  const standard = schema["~standard"];
  if (standard.jsonSchema === undefined) {
    return err(
      `its ${what} schema (${standard.vendor}) cannot say itself as JSON Schema. Use Zod 4.2 or newer, another library that has \`~standard.jsonSchema\`, or write the JSON Schema itself`,
    );
  }
  let jsonSchema: Record<string, unknown>;
  try {
    jsonSchema = standard.jsonSchema[what](TARGET);
    if (what === "input") standard.jsonSchema.output(TARGET);
  } catch (cause) {
    return err(
      `its ${what} schema cannot be said as JSON Schema (${cause instanceof Error ? cause.message : String(cause)}). ` +
        "A schema of a tool checks values and fills in defaults; it does not transform them. Do that in the handler",
    );
  }
  const validate: Validate = (value) => {
    const outcome = validated(standard, value);
    if (outcome instanceof Promise) {
      return err([{ message: "the tool's schema answers late, and only immediate checks are supported" }]);
    }
    return outcome.issues === undefined ? ok(outcome.value) : err(outcome.issues);
  };
  return ok({ jsonSchema, validate });
}

/** Checks of some libraries throw on values made to confuse them; such a value is not valid. */
function validated(
  standard: StandardToolSchema["~standard"],
  value: unknown,
): ReturnType<typeof standard.validate> {
  try {
    return standard.validate(value);
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    return { issues: [{ message: "it cannot be checked" }] };
  }
}

function readPlain(schema: ToolSchema): Result<Readable, string> {
  const jsonSchema = structuredClone(schema) as Record<string, unknown>;
  let compiled: z.ZodType;
  try {
    compiled = z.fromJSONSchema(jsonSchema);
  } catch (cause) {
    return err(`its JSON Schema cannot be used: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
  return ok({
    jsonSchema,
    validate(value) {
      const parsed = safelyParse(compiled, value);
      return parsed.success ? ok(parsed.data) : err(parsed.error.issues);
    },
  });
}

function isObjectSchema(schema: Record<string, unknown>): boolean {
  if (schema["type"] === "object") return true;
  const variants = schema["anyOf"] ?? schema["oneOf"] ?? schema["allOf"];
  return (
    Array.isArray(variants) &&
    variants.length > 0 &&
    variants.every((variant: unknown) => isRecord(variant) && isObjectSchema(variant))
  );
}

function plainJson(value: unknown, what: "input" | "output"): Result<unknown, readonly string[]> {
  if (what === "output" && value === undefined) return ok(null);
  try {
    canonicalJson(value);
    return ok(value);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    return err([`the ${what} is not plain JSON: ${cause.message}`]);
  }
}

function limited(problems: readonly string[]): readonly string[] {
  const max = LIMITS.toolInputProblemsMax;
  if (problems.length <= max) return problems;
  return [...problems.slice(0, max), `and ${problems.length - max} more`];
}
