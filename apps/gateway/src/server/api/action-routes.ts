import { executionResultSchema, type ExecutionResult } from "@elwood/core/action/execution-shapes";
import { failure, fail, FailureError, wireClassOf, type Failure } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import { safelyParse } from "@elwood/core/base/safe-parse";
import type { KeptAnswer, KeyedRequest } from "@elwood/runtime/ports/action-ports";
import type { ExecutionEvent } from "@elwood/runtime/actions/execute-action";
import type { Principal } from "@elwood/runtime/ports/ports";
import { sha256 } from "@elwood/platform/system";
import { z } from "zod";
import type { ActionService, ActionView } from "../../actions/action-service.ts";
import { findAction } from "../../methods/actions.ts";
import type { Services } from "../../methods/services.ts";
import { problemOf, readJson, sendJson } from "../http.ts";
import { whileConnected, type Exchange, type Route, type RouteDoc } from "./router.ts";
import { SseStream } from "./sse.ts";
import { toldFailure } from "./told-failure.ts";

const bodySchema = z.strictObject({
  input: z.record(z.string(), z.unknown()).optional(),
  action_trn: z.string().min(1).max(300).optional(),
  version: z.string().min(1).max(20).optional(),
});

const querySchema = z.object({
  /** `latest`, or a number. */
  version: z.string().optional(),
  stream: z.boolean().optional(),
});

/** Executions over HTTP: whole, or as server-sent events. */
export function actionRoutes(services: Services): Route[] {
  const route = (
    path: `/api/v1/${string}`,
    about: Pick<RouteDoc, "id" | "summary" | "answer">,
    handle: (asked: Asked) => Promise<void>,
  ): Route => ({
    verb: "POST",
    path,
    scope: "execute",
    about: { ...about, query: () => querySchema, body: () => bodySchema, stream: true, keyed: true },
    handle: async (exchange, principal) => handle(await read(exchange, principal, services)),
  });
  return [
    route(
      "/api/v1/execute",
      { id: "execute", summary: "Execute an action by its resource name.", answer: executionResultSchema },
      asAsked,
    ),
    route(
      "/api/v1/execute/stream",
      {
        id: "execute.stream",
        summary: "The same as server-sent events: `text`, `tool`, `note`, then `done` or `error`.",
      },
      streamed,
    ),
    route(
      "/api/v1/actions/{name}/execute",
      {
        id: "actions.execute",
        summary: "Execute an action by name and version.",
        answer: executionResultSchema,
      },
      asAsked,
    ),
    route(
      "/api/v1/actions/{name}/execute/stream",
      {
        id: "actions.execute.stream",
        summary: "The same as server-sent events: `text`, `tool`, `note`, then `done` or `error`.",
      },
      streamed,
    ),
  ];
}

/** As a stream where the request says so, or the action does and the request says nothing. */
function asAsked(asked: Asked): Promise<void> {
  const { exchange, action } = asked;
  const said = exchange.url.searchParams.get("stream");
  if (said !== null && said !== "true" && said !== "false")
    fail("INVALID_INPUT", "`stream` is true or false. Nothing was done.");
  const stream = said === null ? action.spec.stream === true : said === "true";
  return stream ? streamed(asked) : whole(asked);
}

interface Asked {
  readonly exchange: Exchange;
  readonly principal: Principal;
  readonly services: Services;
  readonly service: ActionService;
  readonly action: ActionView;
  readonly input: Readonly<Record<string, unknown>>;
  readonly hash: string;
}

async function read(exchange: Exchange, principal: Principal, services: Services): Promise<Asked> {
  if (!services.actions.open.actions)
    fail(
      "NOT_FOUND",
      "Actions are not served here until `api.actions: true` stands in the settings. Nothing was done.",
    );
  const body = await readJson(exchange.request, LIMITS.apiBodyBytesMax);
  const parsed = safelyParse(bodySchema, body);
  if (!parsed.success)
    return fail(
      "INVALID_INPUT",
      `The body must be {"input": {…}}${exchange.path["name"] === undefined ? ' with "action_trn"' : ""}: ${parsed.error.issues[0]?.message}. Nothing was done.`,
    );
  const service = await services.actions.service();
  const { input = {}, action_trn: trn, version } = parsed.data;
  const { name } = exchange.path;
  const named = {
    name,
    version: exchange.url.searchParams.get("version") ?? version,
    action_trn: name === undefined ? trn : undefined,
  };
  const action = await findAction(service, named, principal.tenant);
  const hash = sha256(JSON.stringify([exchange.url.pathname, exchange.url.search, body]));
  return { exchange, principal, services, service, action, input, hash };
}

async function whole(asked: Asked): Promise<void> {
  const { response } = asked.exchange;
  const keyed = await begin(asked);
  if (keyed?.kind === "answered") {
    const { status, body } = keyed.answer;
    const problem: Record<string, string> =
      status >= 400 ? { "content-type": "application/problem+json; charset=utf-8" } : {};
    sendJson(response, status, JSON.parse(body), { ...problem, ...REPLAYED });
    return;
  }
  // With a key the answer is kept, so that whoever lost the connection can ask again: then it goes on.
  const signal = keyed ? new AbortController().signal : whileConnected(asked.exchange);
  try {
    const result = await executed(asked, keyed, signal);
    if (!response.destroyed) sendJson(response, 200, result);
  } catch (error) {
    if (signal.aborted) return;
    throw error;
  }
}

async function streamed(asked: Asked): Promise<void> {
  const { exchange, services } = asked;
  const { response, requestId, url } = exchange;
  const keyed = await begin(asked);
  const stream = new SseStream(response, services.system.clock, keyed?.kind === "answered" ? REPLAYED : {});
  const end = (name: "done" | "error", data: unknown) => stream.send(JSON.stringify(data), name);
  if (keyed?.kind === "answered") {
    const { status, body } = keyed.answer;
    await end(status < 400 ? "done" : "error", JSON.parse(body));
    stream.end();
    return;
  }
  try {
    const onEvent = ({ type, ...data }: ExecutionEvent) => stream.send(JSON.stringify(data), type);
    const signal = keyed ? new AbortController().signal : stream.gone;
    await end("done", await executed(asked, keyed, signal, onEvent));
  } catch (error) {
    const told = toldFailure(error, services.system.log, { requestId, path: url.pathname });
    await end("error", wireProblem(told, requestId));
  }
  stream.end();
}

const REPLAYED = { "idempotency-replayed": "true" } as const;

/** Under a key its end is kept. What may have acted is not done again under it, however it ended. */
async function executed(
  asked: Asked,
  keyed: Begun | undefined,
  signal: AbortSignal,
  onEvent?: (event: ExecutionEvent) => Promise<void>,
): Promise<ExecutionResult> {
  let result: ExecutionResult;
  try {
    result = await execute(asked, signal, onEvent);
  } catch (error) {
    const told =
      error instanceof FailureError
        ? error.failure
        : failure("OUTCOME_UNKNOWN", "It broke in the middle. Whether it was done is not known here.");
    const again = asked.service.repeatable(asked.action);
    await keyed?.finish(again ? undefined : problemOf(told, asked.exchange.requestId));
    throw error;
  }
  await keyed?.finish({ status: 200, body: JSON.stringify(result) });
  return result;
}

function wireProblem({ reason, message, retryable }: Failure, requestId: string) {
  return { code: wireClassOf(reason), reason, detail: message, retryable, requestId };
}

function execute(
  { service, action, input, principal }: Asked,
  signal: AbortSignal,
  onEvent?: (event: ExecutionEvent) => Promise<void>,
): Promise<ExecutionResult> {
  const { tenant, tokenId, name: by, scopes } = principal;
  return service.execute(action, input, {
    tenant,
    tokenId,
    by,
    scopes,
    surface: "http",
    signal,
    ...(onEvent ? { onEvent } : {}),
  });
}

/** The first request with its key. */
interface Begun {
  readonly kind: "begun";
  finish(answer: KeptAnswer | undefined): Promise<void>;
}

/** Under an Idempotency-Key: undefined without one. */
async function begin(
  asked: Asked,
): Promise<Begun | { readonly kind: "answered"; readonly answer: KeptAnswer } | undefined> {
  const { exchange, principal, services, service, action, hash } = asked;
  const key = exchange.request.headers["idempotency-key"];
  if (key === undefined) return undefined;
  if (Array.isArray(key) || key === "" || key.length > LIMITS.idempotencyKeyCharsMax)
    return fail(
      "INVALID_INPUT",
      `An Idempotency-Key has 1 to ${LIMITS.idempotencyKeyCharsMax} characters. Nothing was done.`,
    );
  const { store, processId } = services.actions;
  const request: KeyedRequest = {
    tokenId: principal.tokenId,
    key,
    requestHash: hash,
    processId,
    repeatable: service.repeatable(action),
  };
  const { clock } = services.system;
  const state = await store.begin(principal.tenant, request, clock.now());
  if (state.kind === "fresh")
    return {
      kind: "begun",
      finish: (answer) => store.finish(principal.tenant, request, answer, clock.now()),
    };
  if (state.kind === "answered") return state;
  if (state.kind === "in-flight")
    return fail(
      "CONFLICT",
      "A request with this Idempotency-Key is still at work. Nothing was done twice; ask again shortly.",
      { retryable: true },
    );
  if (state.kind === "other-request")
    return fail(
      "KEY_REUSED",
      "This Idempotency-Key came before with another body. Nothing was done; use a new key.",
    );
  return fail(
    "OUTCOME_UNKNOWN",
    "Elwood stopped in the middle of the first request with this Idempotency-Key, or its answer was forgotten. Whether it was done is not known here: look at the receipts, and use a new key to do it again.",
  );
}
