import { createRequire } from "node:module";
import { isRecord } from "@elwood/core/base/is-record";
import { showText } from "@elwood/core/base/show";
import type { SchemaIssue, StandardToolSchema } from "@elwood/sdk/tool-schema";
import { MCP_LIMITS } from "./limits.ts";

type Schema = Readonly<Record<string, unknown>>;

/**
 * A server's JSON Schema as the model is shown it: descriptions are cut, and what hides in them is
 * written out. The error says why it cannot be used.
 */
export function shownSchema(schema: unknown): { readonly schema: Schema } | { readonly problem: string } {
  if (!isRecord(schema)) return { problem: "its schema is no object" };
  if (depthOf(schema) > MCP_LIMITS.schemaDepthMax) return { problem: "its schema is nested too deeply" };
  if (JSON.stringify(schema).length > MCP_LIMITS.schemaBytesMax)
    return { problem: `its schema is larger than ${MCP_LIMITS.schemaBytesMax / 1024} KB` };
  // Every member of it came from JSON.
  return { schema: walk(schema, shownKeyword) as Schema };
}

/**
 * Checks by a server's JSON Schema, compiled with the first value. Regular expressions and formats are
 * left to the server: an expression made to take for ever would stop the whole gateway.
 */
export function lazySchema(schema: Schema): StandardToolSchema {
  let check: ((value: unknown) => readonly SchemaIssue[]) | undefined;
  return {
    "~standard": {
      version: 1,
      vendor: "mcp",
      validate(value) {
        check ??= compiled(schema);
        const issues = check(value);
        return issues.length === 0 ? { value } : { issues };
      },
      jsonSchema: { input: () => ({ ...schema }), output: () => ({ ...schema }) },
    },
  };
}

/** A compiler of its own for each: an `$id` in one schema must mean nothing to another. */
function compiled(schema: Schema): (value: unknown) => readonly SchemaIssue[] {
  const { AjvJsonSchemaValidator } = validators();
  let validate: (value: unknown) => { readonly valid: boolean; readonly errorMessage?: string | undefined };
  try {
    validate = new AjvJsonSchemaValidator().getValidator(walk(schema, checkedKeyword) as Schema);
  } catch (cause) {
    const why = showText(cause instanceof Error ? cause.message : String(cause));
    const message = `the server's schema cannot be used: ${why.slice(0, MCP_LIMITS.schemaTextCharsMax)}`;
    return () => [{ message }];
  }
  return (value) => {
    const { valid, errorMessage = "data does not fit" } = validate(value);
    return valid ? [] : issuesOf(errorMessage);
  };
}

/** The validator joins its sentences: `data/to must be string, data must have …`. */
function issuesOf(errorMessage: string): SchemaIssue[] {
  const sentences = showText(errorMessage)
    .slice(0, MCP_LIMITS.errorCharsMax)
    .split(/, (?=data[ /])/);
  return sentences.map((sentence) => {
    const [, place = "", message = sentence] = /^data(\/\S*)? (.*)$/s.exec(sentence) ?? [];
    const path = place
      .split("/")
      .slice(1)
      .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
    return { message, path };
  });
}

/** Loaded with the first check, which has to answer at once. */
function validators(): typeof import("@modelcontextprotocol/client/validators/ajv") {
  return createRequire(import.meta.url)("@modelcontextprotocol/client/validators/ajv");
}

const TEXTS = new Set(["description", "title", "$comment"]);
/** An `$id` would be a name for other schemas, of which there are none. */
const UNCHECKED = new Set(["$id", "pattern", "patternProperties", "format", "propertyNames"]);
/** Keywords under which keys are names that the server chose. */
const NAMED = new Set(["properties", "$defs", "definitions", "dependentSchemas", "dependentRequired"]);
/** Keywords whose values are data. */
const DATA = new Set(["enum", "const", "default", "examples", "required"]);

type Keyword = (key: string, value: unknown) => unknown;

/** Undefined drops the keyword. */
const shownKeyword: Keyword = (key, value) =>
  TEXTS.has(key) && typeof value === "string" ? shortened(showText(value)) : value;

const checkedKeyword: Keyword = (key, value) => (UNCHECKED.has(key) ? undefined : value);

function walk(node: unknown, keyword: Keyword): unknown {
  if (Array.isArray(node)) return node.map((each) => walk(each, keyword));
  if (!isRecord(node)) return node;
  return Object.fromEntries(
    Object.entries(node).flatMap(([key, value]): [string, unknown][] => {
      const kept = keyword(key, value);
      if (kept === undefined) return [];
      if (DATA.has(key)) return [[key, kept]];
      if (!NAMED.has(key) || !isRecord(kept)) return [[key, walk(kept, keyword)]];
      return [
        [key, Object.fromEntries(Object.entries(kept).map(([name, each]) => [name, walk(each, keyword)]))],
      ];
    }),
  );
}

function shortened(text: string): string {
  const max = MCP_LIMITS.schemaTextCharsMax;
  return text.length <= max ? text : `${text.slice(0, max)}…`;
}

function depthOf(value: unknown, depth = 0): number {
  if (depth > MCP_LIMITS.schemaDepthMax || typeof value !== "object" || value === null) return depth;
  return Math.max(depth, ...Object.values(value).map((each) => depthOf(each, depth + 1)));
}
