import { isRecord } from "@elwood/core/base/is-record";
import { z } from "zod";
import type { Route, RouteDoc } from "./router.ts";

/** The version of the addresses, which stands in them as `v1`. */
const API_VERSION = "1";
const TITLE = "Elwood for programs";

type Json = Record<string, unknown>;

/**
 * Every address as an OpenAPI 3.1 document, from the schemas that requests are checked by and answers are made
 * by. It is the same for every installation and says nothing about this one.
 */
export function openApiDocument(routes: readonly Route[]): Json {
  const schemas: Json = { Problem: written(problemSchema(), "output", {}, "Problem") };
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = (paths[route.path] ??= {});
    path[route.verb.toLowerCase()] = operation(route, schemas);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: TITLE,
      version: API_VERSION,
      description:
        "What a program sends is a program's word and never the owner's, whatever its token. Which addresses are open is set in the settings under `api`.",
    },
    servers: [{ url: "/" }],
    security: [{ token: [] }],
    paths,
    components: {
      schemas,
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "A token of `elwood token create`." },
      },
    },
  };
}

function operation(route: Route, schemas: Json): Json {
  const { about, scope } = route;
  const parts = [...route.path.matchAll(/\{([^}]+)\}/g)].map((found) => found[1]!);
  const params = about.params && split(written(about.params(), "input", schemas, about.id), parts);
  const inBody = route.verb === "POST";
  const bodySchema = about.body ? written(about.body(), "input", schemas, about.id) : inBody && params?.rest;
  const needs =
    scope === "own"
      ? about.open === true
        ? "Needs no token."
        : "Which scope a token needs depends on what is asked for."
      : `Needs a token with the scope \`${scope}\`.`;
  return {
    operationId: about.id,
    summary: about.summary,
    description: needs,
    ...(about.open === true ? { security: [] } : {}),
    parameters: [
      ...parts.map((name) => parameter(name, "path", params?.path[name] ?? { type: "string" }, true)),
      ...(about.query ? asQuery(written(about.query(), "input", schemas, about.id)) : []),
      ...(params && !inBody ? asQuery(params.rest) : []),
      ...(about.keyed === true ? [KEY] : []),
    ],
    ...(bodySchema
      ? {
          requestBody: {
            required: about.body !== undefined || isRequired(bodySchema),
            content: { "application/json": { schema: bodySchema } },
          },
        }
      : {}),
    responses: {
      [String(about.status ?? 200)]: {
        description: about.status === 202 ? "It was taken on, and goes on." : "Done.",
        ...answers(about, schemas),
      },
      default: {
        description: "It was not done, or not wholly; `detail` says what happened.",
        content: about.ownErrors
          ? { "application/json": { schema: { type: "object" } } }
          : { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
      },
    },
  };
}

function answers({ answer, stream, id, content }: RouteDoc, schemas: Json): Json {
  if (content !== undefined) return { content: { [content]: {} } };
  const whole = answer ? { "application/json": { schema: written(answer(), "output", schemas, id) } } : {};
  const events = stream ? { "text/event-stream": { schema: { type: "string" } } } : {};
  return { content: { ...whole, ...events } };
}

const KEY = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description: "The same request with the same key is done once; its answer is kept for a day.",
  schema: { type: "string" },
};

/** Params of a method: those that stand in the path, and the rest. */
function split(schema: Json, parts: readonly string[]): { readonly path: Json; readonly rest: Json } {
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const inPath = Object.entries(properties).filter(([name]) => parts.includes(name));
  const others = Object.entries(properties).filter(([name]) => !parts.includes(name));
  const required = namesIn(schema["required"]).filter((name) => !parts.includes(name));
  const { required: _all, ...more } = schema;
  return {
    path: Object.fromEntries(inPath),
    rest: {
      ...more,
      properties: Object.fromEntries(others),
      ...(required.length > 0 ? { required } : {}),
    },
  };
}

function asQuery(schema: Json): Json[] {
  const required = namesIn(schema["required"]);
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  return Object.entries(properties).map(([name, each]) =>
    parameter(name, "query", each, required.includes(name)),
  );
}

function parameter(name: string, place: "path" | "query", schema: unknown, required: boolean): Json {
  return { name, in: place, required, schema };
}

function isRequired(schema: Json): boolean {
  return namesIn(schema["required"]).length > 0;
}

function namesIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

/** A schema as it stands in this document: what it refers to is moved to where the document keeps such things. */
function written(schema: z.ZodType, io: "input" | "output", schemas: Json, id: string): Json {
  const { $schema: _dialect, $defs, ...own } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  const prefix = `${id}.${io}.`.replaceAll(/[^A-Za-z0-9._-]/g, "_");
  const moved = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(moved);
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [
        key,
        key === "$ref" && typeof each === "string" ? movedRef(each, prefix) : moved(each),
      ]),
    );
  };
  for (const [name, each] of Object.entries($defs ?? {})) schemas[`${prefix}${name}`] = moved(each);
  const result = moved(own) as Json;
  if (!JSON.stringify(result).includes(`"#/components/schemas/${prefix}whole"`)) return result;
  schemas[`${prefix}whole`] = result;
  return { $ref: `#/components/schemas/${prefix}whole` };
}

function movedRef(ref: string, prefix: string): string {
  const name = ref === "#" ? "whole" : ref.replace(/^#\/\$defs\//, "");
  return `#/components/schemas/${prefix}${name}`;
}

/** What `sendProblem` sends. */
const problemSchema = () =>
  z.object({
    type: z.string(),
    title: z.string(),
    status: z.number().int(),
    detail: z.string(),
    code: z.string(),
    reason: z.string(),
    retryable: z.boolean(),
    retryAfterMs: z.number().optional(),
    requestId: z.string(),
  });
