import { fail } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import type { Principal } from "@elwood/runtime/ports/ports";
import { z } from "zod";
import { readJson, sendJson } from "../http.ts";
import type { ApiDeps } from "./api.ts";
import { chatCompletions } from "./chat-completions.ts";
import { findModel } from "./compatible-answer.ts";
import { compatibleRoute, parsedBody, vendorRoute, type Vendor } from "./compatible-route.ts";
import { openaiError } from "./openai-error.ts";
import { responses } from "./responses.ts";
import { whileConnected, type Exchange, type Route, type RouteDoc } from "./router.ts";
import { modelName } from "./vendor-content.ts";

/** Elwood as OpenAI's API: models are agents and actions. */
export function openaiRoutes(deps: ApiDeps): Route[] {
  return [
    compatibleRoute(deps, OPENAI, chatCompletions),
    compatibleRoute(deps, OPENAI, responses),
    vendorRoute(deps, OPENAI, { verb: "GET", path: "/v1/models", about: MODELS }, (exchange, principal) =>
      models(exchange, principal, deps),
    ),
    vendorRoute(
      deps,
      OPENAI,
      { verb: "POST", path: "/v1/embeddings", about: EMBEDDINGS },
      (exchange, principal) => embeddings(exchange, principal, deps),
    ),
  ];
}

const OPENAI: Vendor = { opened: "openai", errorBody: (failure) => ({ error: openaiError(failure) }) };

const MODELS: RouteDoc = {
  id: "openai.models",
  summary: "Agents and actions that the token may ask.",
  answer: () =>
    z.object({
      object: z.literal("list"),
      data: z.array(
        z.object({ id: z.string(), object: z.string(), created: z.number(), owned_by: z.string() }),
      ),
    }),
};

/** What can stand for a model. */
const ASKED: ReadonlySet<string> = new Set(["chat", "embed", "rerank"]);

/** Agents where the token may talk to them, actions where it may execute them. */
async function models({ response }: Exchange, principal: Principal, { services }: ApiDeps): Promise<void> {
  const agents = principal.scopes.has("chat") ? await services.sessions.agents.list() : [];
  const actions = principal.scopes.has("execute") ? await (await services.actions.service()).list() : [];
  const ids = [
    ...(principal.scopes.has("chat") ? ["elwood"] : []),
    ...agents.map(({ id }) => `elwood/${id}`),
    ...actions.filter(({ spec }) => ASKED.has(spec.task)).map(({ name }) => name),
  ];
  sendJson(response, 200, {
    object: "list",
    data: ids.map((id) => ({ id, object: "model", created: 0, owned_by: "elwood" })),
  });
}

const embeddingSchema = z.object({
  model: modelName(),
  input: z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]),
  dimensions: z.number().int().min(1).optional(),
  encoding_format: z.enum(["float", "base64"]).optional(),
});

const EMBEDDINGS: RouteDoc = {
  id: "openai.embeddings",
  summary: "OpenAI's embeddings, by an action that makes them.",
  body: () => embeddingSchema,
  answer: () => z.looseObject({}),
};

async function embeddings(exchange: Exchange, principal: Principal, { services }: ApiDeps): Promise<void> {
  const { request, response } = exchange;
  const body = parsedBody(embeddingSchema, await readJson(request, LIMITS.apiBodyBytesMax));
  if (!principal.scopes.has("execute"))
    fail("SCOPE_MISSING", 'This needs a token with the scope "execute". Nothing was sent.');
  const action = await findModel(services, principal, body.model);
  if (action.spec.task !== "embed")
    fail("INVALID_INPUT", `${action.name} makes no embeddings. Nothing was sent.`);
  const inputs = typeof body.input === "string" ? [body.input] : body.input;
  const result = await (
    await services.actions.service()
  ).execute(
    action,
    { inputs, ...(body.dimensions === undefined ? {} : { dimensions: body.dimensions }) },
    {
      tenant: principal.tenant,
      tokenId: principal.tokenId,
      by: principal.name,
      scopes: principal.scopes,
      surface: "http",
      signal: whileConnected(exchange),
    },
  );
  const written = (vector: readonly number[]) =>
    body.encoding_format === "base64"
      ? Buffer.from(Float32Array.from(vector).buffer).toString("base64")
      : vector;
  const { prompt_tokens, total_tokens } = result.usage;
  sendJson(response, 200, {
    object: "list",
    model: body.model,
    data: (result.embeddings ?? []).map((vector, index) => ({
      object: "embedding",
      index,
      embedding: written(vector),
    })),
    usage: { prompt_tokens, total_tokens },
  });
}
