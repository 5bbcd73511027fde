import { fail, FailureError } from "@elwood/core/base/failure";
import { METHODS, type HttpRoute, type MethodName, type MethodSpec } from "@elwood/core/protocol/methods";
import { RESULTS } from "@elwood/core/protocol/results";
import type { Principal } from "@elwood/runtime/ports/ports";
import { z } from "zod";
import type { Dispatcher } from "../../methods/dispatch.ts";
import type { Services } from "../../methods/services.ts";
import { readJson, sendJson } from "../http.ts";
import type { Exchange, Route } from "./router.ts";

/** The methods of the protocol that have an address, each as a route: same params, same answer. */
export function methodRoutes(dispatcher: Dispatcher, services: Services): Route[] {
  return Object.entries<MethodSpec>(METHODS).flatMap(([name, spec]): Route[] => {
    if (spec.http === undefined) return [];
    const { verb, path, scope } = spec.http;
    return [
      {
        verb,
        path,
        scope,
        about: {
          id: name,
          summary: spec.summary,
          params: spec.params,
          answer: () => RESULTS[name as MethodName],
        },
        handle: (exchange, principal) =>
          answer(exchange, principal, { name, spec, verb }, dispatcher, services),
      },
    ];
  });
}

async function answer(
  exchange: Exchange,
  principal: Principal,
  { name, spec, verb }: { name: string; spec: MethodSpec; verb: HttpRoute["verb"] },
  dispatcher: Dispatcher,
  services: Services,
): Promise<void> {
  const body = verb === "GET" ? {} : await bodyOf(exchange);
  const query = queryParams(exchange.url.searchParams, spec.params());
  const result = await dispatcher.call(
    name,
    { ...query, ...body, ...exchange.path },
    {
      services,
      tenant: principal.tenant,
      principal,
      surface: "http",
      drafts: false,
      replyNow: () => {},
      follow: () => {},
    },
  );
  if (!result.ok) throw new FailureError(result.error);
  sendJson(exchange.response, 200, result.value);
}

async function bodyOf({ request }: Exchange): Promise<Record<string, unknown>> {
  const empty =
    request.headers["transfer-encoding"] === undefined && !Number(request.headers["content-length"]);
  const body = empty ? {} : await readJson(request);
  if (typeof body !== "object" || body === null || Array.isArray(body))
    return fail("INVALID_INPUT", "The body must be a JSON object. Nothing was done.");
  return body as Record<string, unknown>;
}

/** A query is text; numbers, yes and no, and lists are read as the method's schema wants them. The rest it refuses. */
function queryParams(query: URLSearchParams, schema: z.ZodType): Record<string, unknown> {
  const params: Record<string, unknown> = {};
  for (const key of new Set(query.keys())) {
    const values = query.getAll(key);
    const wanted = fieldOf(schema, key);
    if (wanted instanceof z.ZodArray) params[key] = values.flatMap((value) => value.split(","));
    else if (values.length > 1) fail("INVALID_INPUT", `"${key}" was given more than once. Nothing was done.`);
    else params[key] = fromText(values[0]!, wanted);
  }
  return params;
}

function fieldOf(schema: z.ZodType, key: string): unknown {
  if (!(schema instanceof z.ZodObject) || !Object.hasOwn(schema.shape, key)) return undefined;
  let field: unknown = schema.shape[key];
  while (field instanceof z.ZodOptional || field instanceof z.ZodNullable) field = field.unwrap();
  return field;
}

function fromText(text: string, wanted: unknown): unknown {
  if (wanted instanceof z.ZodNumber) return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
  if (wanted instanceof z.ZodBoolean) return text === "true" ? true : text === "false" ? false : text;
  return text;
}
