import type { ExecutionResult, InputMessage } from "@elwood/core/action/execution-shapes";
import { parseVersion } from "@elwood/core/action/trn";
import { fail } from "@elwood/core/base/failure";
import { ID_RANDOM_BYTES, makeId } from "@elwood/core/base/ids";
import { LIMITS } from "@elwood/core/base/limits";
import { sha256 } from "@elwood/platform/system";
import type { Principal } from "@elwood/runtime/ports/ports";
import type { ActionView } from "../../actions/action-service.ts";
import { ProgramCaller } from "../../methods/program-caller.ts";
import type { Services } from "../../methods/services.ts";

/** What somebody asks who speaks another API than Elwood's own, in Elwood's words. */
export interface CompatibleRequest {
  /** `elwood`, `elwood/<agent>`, or an action as `name`, `name@v2` or its resource name. */
  readonly model: string;
  readonly messages: readonly InputMessage[];
  readonly tools: readonly {
    readonly name: string;
    readonly description?: string;
    readonly schema?: Record<string, unknown>;
  }[];
  readonly sampling: { readonly temperature?: number; readonly top_p?: number; readonly max_tokens?: number };
  readonly json?: { readonly schema?: Record<string, unknown> };
  /** Whoever is named goes on in one conversation; nobody named begins a new one. */
  readonly user?: string;
}

export type CompatibleAnswer = Pick<ExecutionResult, "text" | "tool_calls" | "usage"> & {
  readonly finish: ExecutionResult["model_info"]["finish_reason"];
};

export interface Watching {
  readonly signal: AbortSignal;
  /** Told of text as it comes; `text` of the answer is then not to be relied on. */
  readonly onText?: (text: string) => Promise<void>;
}

const AGENT = /^elwood(?:\/([a-z0-9][a-z0-9_-]{0,63}))?$/;

/** Asks it. */
export type Answerer = (watching: Watching) => Promise<CompatibleAnswer>;

/** Who answers: an agent or an action. Whatever can be refused before anything is sent is refused here. */
export async function findAnswerer(
  services: Services,
  principal: Principal,
  request: CompatibleRequest,
): Promise<Answerer> {
  const agent = AGENT.exec(request.model);
  if (!agent) {
    needs(principal, "execute");
    const action = await findModel(services, principal, request.model);
    return (watching) => actionAnswer(services, principal, request, watching, action);
  }
  needs(principal, "chat");
  if (request.tools.length > 0)
    return fail(
      "INVALID_INPUT",
      "An agent has tools of its own. Leave `tools` out, or name an action. Nothing was sent.",
    );
  const text = request.user === undefined ? wholeText(request.messages) : lastText(request.messages);
  return (watching) => agentAnswer(services, principal, { text, user: request.user }, watching, agent[1]);
}

async function actionAnswer(
  services: Services,
  principal: Principal,
  { messages, tools, sampling, json }: CompatibleRequest,
  { signal, onText }: Watching,
  action: ActionView,
): Promise<CompatibleAnswer> {
  const service = await services.actions.service();
  let told = false;
  const result = await service.execute(
    action,
    {
      messages,
      sampling,
      ...(tools.length > 0 ? { tools } : {}),
      ...(json ? { response_format: "json" } : {}),
      ...(json?.schema ? { json_schema: json.schema } : {}),
    },
    {
      tenant: principal.tenant,
      tokenId: principal.tokenId,
      by: principal.name,
      scopes: principal.scopes,
      surface: "http",
      signal,
      passesOn: onText !== undefined,
      async onEvent(event) {
        if (event.type === "text" && onText) {
          told = true;
          await onText(event.text);
        }
        // What was told cannot be taken back here.
        if (event.type === "retry" && told)
          fail("UPSTREAM_ERROR", "The provider broke off in the middle of its answer. Ask again.", {
            retryable: true,
          });
      },
    },
  );
  const { text, tool_calls, usage, model_info } = result;
  return { text, tool_calls, usage, finish: model_info.finish_reason };
}

/** An action by the name of a model; without a version, the current one. */
export async function findModel(services: Services, principal: Principal, model: string) {
  const service = await services.actions.service();
  if (model.startsWith("trn:")) return service.findByTrn(model, principal.tenant);
  const at = model.lastIndexOf("@");
  const version = at < 0 ? "latest" : parseVersion(model.slice(at + 1));
  if (version === undefined)
    return fail(
      "NOT_FOUND",
      `There is no model "${model.slice(0, 80)}". GET /v1/models lists the ones there are.`,
    );
  return service.get(at < 0 ? model : model.slice(0, at), version);
}

/**
 * A run of an agent, with its own tools: what it wants to do waits for its owner, and the stream says where.
 * The gateway's own lines come after the answer, as text.
 */
async function agentAnswer(
  services: Services,
  principal: Principal,
  { text: message, user }: { readonly text: string; readonly user: string | undefined },
  { signal, onText }: Watching,
  agentId: string | undefined,
): Promise<CompatibleAnswer> {
  const caller = new ProgramCaller(services, principal, "http");
  const { sessionKey } = await caller.call("sessions.create", {
    ...(agentId === undefined ? {} : { agentId }),
    ...(user === undefined
      ? { title: "Asked over the API" }
      : { sessionKey: sessionOf(principal, agentId, user) }),
  });
  let told = "";
  let telling: Promise<void> = Promise.resolve();
  const tell = (text: string) => {
    told += text;
    if (onText) telling = telling.then(() => onText(text));
  };
  const asked = await caller.ask(
    { sessionKey, text: message },
    { waitMs: LIMITS.actionTimeoutMaxMs, signal, onProgress: tell },
  );
  if (asked.status === "failed") return fail("UPSTREAM_ERROR", asked.text);
  if (asked.status !== "done") {
    const { runId } = asked;
    return fail(
      "TIMEOUT",
      `The run ${runId} still waits or works; it goes on. Look at it at ${caller.approvalsLink()}`,
    );
  }
  const text = asked.evidence === undefined ? asked.text : `${asked.text}\n\n${asked.evidence}`;
  tell(text.startsWith(told) ? text.slice(told.length) : `\n\n${text}`);
  await telling;
  // Nobody named goes on in it.
  if (user === undefined) await caller.call("sessions.delete", { sessionKey });
  const { inputTokens = 0, outputTokens = 0 } = asked.usage ?? {};
  const usage = {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  };
  return { text: told, tool_calls: [], usage, finish: "stop" };
}

function sessionOf({ tokenId }: Principal, agentId: string | undefined, user: string): string {
  const hash = Buffer.from(sha256(JSON.stringify(["user", tokenId, agentId ?? "", user])), "hex");
  return makeId("session", hash.readUIntBE(ID_RANDOM_BYTES, 5), hash.subarray(0, ID_RANDOM_BYTES));
}

/** A program's `system` is no system prompt of the owner's: like earlier messages it is put before the last one as text. */
function wholeText(messages: readonly InputMessage[]): string {
  if (messages.length === 1) return lastText(messages);
  return messages.map((message) => `${message.role}: ${textOf(message)}`).join("\n\n");
}

function lastText(messages: readonly InputMessage[]): string {
  const last = messages.at(-1);
  if (last?.role !== "user")
    return fail("INVALID_INPUT", "The last message must be the user's. Nothing was sent.");
  return textOf(last);
}

function textOf({ content }: InputMessage): string {
  if (typeof content === "string") return content;
  return (content ?? [])
    .map((part) =>
      part.type === "text"
        ? part.text
        : fail("INVALID_INPUT", "An agent takes no pictures here. Nothing was sent."),
    )
    .join("\n");
}

function needs(principal: Principal, scope: "chat" | "execute"): void {
  if (!principal.scopes.has(scope))
    fail("SCOPE_MISSING", `This model needs a token with the scope "${scope}". Nothing was sent.`);
}
