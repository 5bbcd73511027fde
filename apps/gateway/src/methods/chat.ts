import { fail, FailureError } from "@elwood/core/base/failure";
import { isId } from "@elwood/core/base/ids";
import { LIMITS } from "@elwood/core/base/limits";
import type { Message } from "@elwood/core/message/message";
import { toWireMessage } from "@elwood/core/protocol/shapes";
import { isEnded, type Part, type Run } from "@elwood/core/message/session";
import type { Snapshot } from "@elwood/core/protocol/shapes";
import { assistantIdOf } from "@elwood/core/tool/client-tool";
import { storedEnding } from "@elwood/runtime/run/stored-ending";
import { sessionMessages } from "@elwood/runtime/run/transcript-view";
import { personOf, type Handlers, type MethodContext } from "./context.ts";
import { asItStands } from "../views/undone.ts";
import { liveSession, openSession, refuseUnknownProfile } from "./sessions.ts";

type Uses = "system" | "sessions" | "runs" | "ledger" | "models" | "mcp";

type ChatMethods = "chat.send" | "chat.retry" | "chat.edit" | "chat.history" | "chat.abort" | "chat.resume";

export const chatMethods: Handlers<ChatMethods, Uses> = {
  async "chat.send"(params, context) {
    const { engine } = context.services.runs;
    const opened = await openedWith(params, context);
    const origin = await originIn(params.sessionKey, context);
    const own = (await partsOf(params, context)).map((part) =>
      part.origin === "owner" ? { ...part, origin } : part,
    );
    // What a program's words name is not read for it.
    const parts = [...own, ...(origin === "owner" ? await mentioned(params.message, context) : [])];
    if (params.model !== undefined) await refuseUnknownModel(params.model, context);
    if (params.profile !== undefined) await refuseUnknownProfile(params.profile, context);
    const { run, repeated } = await engine.submit({
      principal: context.principal,
      origin,
      sessionId: params.sessionKey,
      parts,
      surface: context.surface,
      ...(params.model ? { model: params.model } : {}),
      ...(params.profile ? { profile: params.profile } : {}),
      ...(params.idempotencyKey ? { idempotencyKey: params.idempotencyKey } : {}),
    });
    const result = repeated ? { runId: run.id, repeated: true } : { runId: run.id };
    // Acknowledged first, then started: the answer cannot overtake its acknowledgement.
    context.replyNow(result);
    context.follow(run.id);
    if (opened) engine.announce(context.tenant, { sessionKey: params.sessionKey, what: "created" });
    if (!repeated) engine.start(context.tenant, run);
    return result;
  },

  async "chat.retry"(params, context) {
    return sendVersion(params, undefined, context);
  },

  async "chat.edit"({ message, parts, ...params }, context) {
    const { services, tenant } = context;
    const origin = await originIn(await sessionOf(params, context), context);
    const kept =
      parts ?? filesIn((await services.sessions.stores.runs.journal(tenant, params.runId)).steps[0]);
    const own = (await partsOf({ message, parts: kept }, context)).map((part) =>
      part.origin === "owner" ? { ...part, origin } : part,
    );
    const named = origin === "owner" ? await mentioned(message, context) : [];
    return sendVersion(params, [...own, ...named], context);
  },

  async "chat.history"(params, context) {
    await liveSession(context, params.sessionKey);
    const { messages } = await sessionMessages(
      context.services.sessions.stores,
      context.tenant,
      params.sessionKey,
    );
    const end =
      params.before === undefined
        ? messages.length
        : messages.findIndex((m) => m.message.id === params.before);
    if (end < 0)
      fail(
        "INVALID_INPUT",
        `There is no message ${params.before} in this session. Leave "before" out for the newest messages.`,
      );
    const start = Math.max(0, end - (params.limit ?? LIMITS.pageSizeDefault));
    const { ledger, runs } = context.services;
    const page = messages.slice(start, end);
    const shown = await asItStands({ ledger, tools: runs.calls }, context.tenant, params.sessionKey, page);
    return { messages: shown.map((m) => toWireMessage(m.runId, m.message)), more: start > 0 };
  },

  async "chat.abort"(params, context) {
    const run = await context.services.runs.engine.abort(context.tenant, params.runId, personOf(context));
    return { ok: !isEnded(run.status), status: run.status };
  },

  async "chat.resume"(params, context) {
    const run = await context.services.sessions.stores.runs.get(context.tenant, params.runId);
    if (!run) fail("NOT_FOUND", `There is no run ${params.runId}.`);
    const feed = context.services.runs.engine.feeds.get(run.id);
    if (!feed) {
      const snapshot = await storedSnapshot(run, context);
      return { snapshot, seq: snapshot.seq };
    }
    const snapshot = feed.snapshot();
    // A client that cannot show drafts gets no text that is still one.
    const shown = feed.held && !context.drafts ? { ...snapshot, text: "" } : snapshot;
    const result = { snapshot: shown, seq: feed.seq };
    // Snapshot, answer and subscription in one step: no event is missed or sent twice.
    context.replyNow(result);
    context.follow(run.id);
    return result;
  },
};

interface VersionParams {
  readonly runId: string;
  readonly sessionKey?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly model?: string | undefined;
  readonly profile?: string | undefined;
}

/** The session that a run is of, or the copy that was meant. */
async function sessionOf(
  { runId, sessionKey }: Pick<VersionParams, "runId" | "sessionKey">,
  context: MethodContext<"sessions">,
): Promise<string> {
  if (sessionKey !== undefined) return (await liveSession(context, sessionKey)).id;
  const run = await context.services.sessions.stores.runs.get(context.tenant, runId);
  if (!run) fail("NOT_FOUND", `There is no run ${runId}. Nothing was changed.`);
  return (await liveSession(context, run.sessionId)).id;
}

async function sendVersion(
  params: VersionParams,
  parts: readonly Part[] | undefined,
  context: MethodContext<Uses>,
): Promise<{ runId: string; repeated?: boolean }> {
  const { engine } = context.services.runs;
  const sessionId = await sessionOf(params, context);
  if (params.model !== undefined) await refuseUnknownModel(params.model, context);
  if (params.profile !== undefined) await refuseUnknownProfile(params.profile, context);
  const { run, repeated } = await engine.submitVersion(
    {
      principal: context.principal,
      sessionId,
      surface: context.surface,
      ...(params.model === undefined ? {} : { model: params.model }),
      ...(params.profile === undefined ? {} : { profile: params.profile }),
      ...(params.idempotencyKey === undefined ? {} : { idempotencyKey: params.idempotencyKey }),
    },
    { of: params.runId, ...(parts === undefined ? {} : { parts }) },
  );
  const result = repeated ? { runId: run.id, repeated: true } : { runId: run.id };
  context.replyNow(result);
  context.follow(run.id);
  if (!repeated) engine.start(context.tenant, run);
  return result;
}

/** What was attached to a message, to go along with other words. */
function filesIn(message: Message | undefined): PartParams[] {
  return (message?.blocks ?? []).flatMap((block) =>
    block.type === "image" || block.type === "file"
      ? [
          {
            kind: "blob" as const,
            blobId: block.blobId,
            origin: block.origin ?? "attached",
            ...(block.name === undefined ? {} : { name: block.name }),
          },
        ]
      : [],
  );
}

/** True where the message brought its session along. */
async function openedWith(
  { sessionKey, agentId }: { readonly sessionKey: string; readonly agentId?: string },
  context: MethodContext<"system" | "sessions" | "runs">,
): Promise<boolean> {
  if (agentId === undefined) return false;
  if (!isId("session", sessionKey))
    fail("INVALID_INPUT", `chat.send: "sessionKey": is no id of a session. Nothing was done.`);
  return (await openSession({ sessionKey, agentId }, context, { firstMessage: true })).created;
}

/** In a conversation with a program's assistant nobody speaks as the owner, whatever the token. */
async function originIn(
  sessionKey: string,
  { services, tenant }: MethodContext<"sessions">,
): Promise<"owner" | "program"> {
  const session = await services.sessions.stores.sessions.get(tenant, sessionKey);
  return session && assistantIdOf(session.agentId) !== undefined ? "program" : "owner";
}

/** An unknown model is refused before anything is stored; any other problem with it is reported by the run. */
async function refuseUnknownModel(model: string, { services }: MethodContext<"models">): Promise<void> {
  const found = await services.models.catalog.resolve(model);
  if (!found.ok && found.error.reason === "MODEL_UNKNOWN") throw new FailureError(found.error);
}

/** The state of a run whose feed is no longer in memory. */
async function storedSnapshot(
  run: Run,
  context: MethodContext<"system" | "sessions" | "runs">,
): Promise<Snapshot> {
  const { steps, partial } = await context.services.sessions.stores.runs.journal(context.tenant, run.id);
  const seq = context.services.system.clock.now();
  if (!isEnded(run.status)) {
    const called = steps.some(({ blocks }) => blocks.some(({ type }) => type === "tool_use"));
    const text = called && !context.drafts ? "" : partial;
    return { seq, text, calls: [], status: run.status };
  }
  const activity = await context.services.runs.calls.activity(context.tenant, run.id);
  const ending = await storedEnding(run, steps, activity, seq);
  const { text } = ending.final ?? ending.error;
  return { seq, text, calls: [], status: run.status, ...ending };
}

/** Resources of MCP servers that the owner names, `@server:uri`. They are read before the message is taken, or it is not. */
async function mentioned(message: string, context: MethodContext<"mcp">): Promise<Part[]> {
  if (!context.principal.scopes.has("approve") || !/(?:^|\s)@[A-Za-z0-9][\w-]*:\S/.test(message)) return [];
  const { mentionedParts } = await import("../mcp/mentions.ts");
  try {
    return await mentionedParts(await context.services.mcp.servers(), message);
  } catch (error) {
    if (!(error instanceof FailureError)) throw error;
    return fail(error.failure.reason, `${error.failure.message} Your message was not sent.`);
  }
}

async function partsOf(
  params: { message: string; parts?: readonly PartParams[] },
  context: MethodContext<"sessions">,
): Promise<Part[]> {
  const parts: Part[] = [];
  if (params.message.trim() !== "") parts.push({ kind: "text", text: params.message, origin: "owner" });
  for (const part of params.parts ?? []) {
    if (part.kind === "text") {
      if (part.text !== "") parts.push(part);
      continue;
    }
    const info = await context.services.sessions.stores.blobs.info(context.tenant, part.blobId);
    if (!info)
      fail(
        "NOT_FOUND",
        `There is no stored file ${part.blobId}. Your message was not sent; upload the file again.`,
      );
    parts.push({ ...part, mime: info.mime, bytes: info.bytes });
  }
  if (parts.length === 0) fail("INVALID_INPUT", "The message is empty. Nothing was sent.");
  return parts;
}

type PartParams =
  | { kind: "text"; text: string; origin: Part["origin"] }
  | { kind: "blob"; blobId: string; name?: string; origin: Part["origin"] };
