import { tokensInUse } from "@elwood/core/compaction/in-use";
import { fail, FailureError } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import type { Message } from "@elwood/core/message/message";
import { placeOf, versionsIn } from "@elwood/core/message/run-tree";
import { plainLine } from "@elwood/core/message/session-text";
import type { MethodName } from "@elwood/core/protocol/methods";
import type { MethodResult } from "@elwood/core/protocol/results";
import { toWireMessage, toWireRun, toWireSession } from "@elwood/core/protocol/shapes";
import { sessionAsMarkdown } from "@elwood/core/markdown/session-markdown";
import { formatModelRef } from "@elwood/core/model/model";
import type { Session } from "@elwood/core/message/session";
import { sessionMessages } from "@elwood/runtime/run/transcript-view";
import { personOf, type Handlers, type MethodContext } from "./context.ts";
import { compact, listCompactions, uncompact } from "./compaction.ts";
import { sessionFiles } from "../views/session-files.ts";
import { forkSession } from "./fork-session.ts";
import { asItStands } from "../views/undone.ts";

type SessionMethods = Extract<MethodName, `sessions.${string}`>;
type Uses = "system" | "sessions" | "runs" | "ledger" | "tools" | "models";

export const sessionMethods: Handlers<SessionMethods, Uses> = {
  async "sessions.compactions"(params, context) {
    return listCompactions(params, context);
  },

  async "sessions.compact"(params, context) {
    return compact(params, context);
  },

  async "sessions.uncompact"(params, context) {
    return uncompact(params, context);
  },

  async "sessions.create"(params, context) {
    const { session, created } = await openSession(params, context);
    if (created)
      context.services.runs.engine.announce(context.tenant, { sessionKey: session.id, what: "created" });
    return { sessionKey: session.id, session: toWireSession(session) };
  },

  async "sessions.list"(params, context) {
    const page = await context.services.sessions.stores.sessions.list(context.tenant, {
      limit: params.limit ?? LIMITS.pageSizeDefault,
      ...(params.query ? { query: params.query } : {}),
      ...(params.deleted ? { deleted: true } : {}),
      ...(params.archived ? { archived: true } : {}),
      ...(params.filed ? { filed: true } : {}),
      ...(params.before ? { before: params.before } : {}),
    });
    return { sessions: page.sessions.map(toWireSession), ...(page.next ? { next: page.next } : {}) };
  },

  async "sessions.get"(params, context) {
    const session = await liveSession(context, params.sessionKey);
    const kept = await sessionMessages(context.services.sessions.stores, context.tenant, session.id);
    const { damage } = kept;
    const shown = params.last === undefined ? kept.messages : newestRuns(kept.messages, params.last);
    const messages = await now(context, params.sessionKey, shown);
    const earlier = kept.messages.length - shown.length;
    const runs = await context.services.sessions.stores.runs.unfinished(context.tenant, session.id);
    const inUse = await contextInUse(
      context,
      session,
      kept.messages.map(({ message }) => message),
    );
    return {
      session: toWireSession(session),
      messages: messages.map((m) => toWireMessage(m.runId, m.message)),
      ...(earlier > 0 ? { earlier } : {}),
      runs: runs.map(toWireRun),
      damage: [...damage],
      ...(inUse ? { context: inUse } : {}),
      ...(await versionsOf(context, session.id)),
    };
  },

  async "sessions.version"({ runId, sessionKey }, context) {
    const { stores } = context.services.sessions;
    const key = sessionKey ?? (await stores.runs.get(context.tenant, runId))?.sessionId;
    if (key === undefined) fail("NOT_FOUND", `There is no run ${runId}. Nothing was changed.`);
    await liveSession(context, key);
    if (!(await stores.runs.showVersion(context.tenant, key, runId)))
      fail("NOT_FOUND", `The run ${runId} is not one of several versions. Nothing was changed.`);
    return changed(context, await stores.sessions.get(context.tenant, key), "updated");
  },

  async "sessions.move"({ sessionKey, folder }, context) {
    await liveSession(context, sessionKey);
    const { sessions, system } = context.services;
    const name = folder === null ? undefined : plainLine(system.redact(folder));
    if (name === "") fail("INVALID_INPUT", "A folder needs a name. Nothing was changed.");
    const session = await sessions.stores.sessions.move(context.tenant, sessionKey, name);
    return changed(context, session, "updated");
  },

  async "sessions.rename"(params, context) {
    await liveSession(context, params.sessionKey);
    const { sessions, system } = context.services;
    const session = await sessions.stores.sessions.rename(
      context.tenant,
      params.sessionKey,
      system.redact(params.title),
      "owner",
    );
    return changed(context, session, "updated");
  },

  async "sessions.configure"({ sessionKey, model, system, ...more }, context) {
    await liveSession(context, sessionKey);
    // A system prompt is the owner speaking; whose messages are only heard cannot speak for them this way.
    if (typeof system === "string" && !context.principal.scopes.has("approve"))
      fail(
        "SCOPE_MISSING",
        "Only who may approve can add to the system prompt of a session. Nothing was changed.",
      );
    if (typeof more.profile === "string") await refuseUnknownProfile(more.profile, context);
    const { sessions, system: services } = context.services;
    const session = await sessions.stores.sessions.configure(context.tenant, sessionKey, {
      ...more,
      // Under its full name, so that it stays the same model when the default provider changes.
      ...(typeof model === "string" ? { model: await knownModel(model, context) } : { model }),
      ...(typeof system === "string" ? { system: services.redact(system) } : { system }),
    });
    return changed(context, session, "updated");
  },

  async "sessions.pin"(params, context) {
    await liveSession(context, params.sessionKey);
    const session = await context.services.sessions.stores.sessions.pin(
      context.tenant,
      params.sessionKey,
      params.pinned,
    );
    return changed(context, session, "updated");
  },

  async "sessions.archive"(params, context) {
    await liveSession(context, params.sessionKey);
    const { sessions, system } = context.services;
    const session = await sessions.stores.sessions.archive(
      context.tenant,
      params.sessionKey,
      params.archived ? system.clock.now() : undefined,
    );
    return changed(context, session, "updated");
  },

  async "sessions.delete"(params, context) {
    const { stores } = context.services.sessions;
    const { engine } = context.services.runs;
    await liveSession(context, params.sessionKey);
    for (const run of await stores.runs.unfinished(context.tenant, params.sessionKey)) {
      await engine.abort(context.tenant, run.id, personOf(context));
    }
    const at = context.services.system.clock.now();
    await stores.sessions.trash(context.tenant, params.sessionKey, at);
    engine.announce(context.tenant, { sessionKey: params.sessionKey, what: "deleted" });
    return { ok: true, purgeAt: at + LIMITS.trashKeptMs };
  },

  async "sessions.restore"(params, context) {
    const { sessions, system } = context.services;
    const at = system.clock.now();
    const session = await sessions.stores.sessions.restore(context.tenant, params.sessionKey, at);
    return changed(context, session, "restored");
  },

  async "sessions.search"(params, context) {
    const hits = await context.services.sessions.stores.sessions.search(
      context.tenant,
      params.query,
      params.limit ?? LIMITS.pageSizeDefault,
    );
    return { hits: hits.map((hit) => ({ ...hit, session: toWireSession(hit.session) })) };
  },

  async "sessions.export"(params, context) {
    const session = await liveSession(context, params.sessionKey);
    const kept = await sessionMessages(context.services.sessions.stores, context.tenant, session.id);
    const messages = await now(context, params.sessionKey, kept.messages);
    if (params.format === "json") {
      const document = {
        format: "elwood.session",
        v: 1,
        session: toWireSession(session),
        messages: messages.map((m) => toWireMessage(m.runId, m.message)),
      };
      return {
        filename: `${session.id}.json`,
        mime: "application/json",
        content: `${JSON.stringify(document, null, 2)}\n`,
      };
    }
    return {
      filename: `${session.id}.md`,
      mime: "text/markdown",
      content: sessionAsMarkdown(
        session,
        messages.map((m) => m.message),
        context.services.system.localTime,
      ),
    };
  },

  async "sessions.files"({ sessionKey, limit, before }, context) {
    const { id } = await liveSession(context, sessionKey);
    const { sessions, ledger, runs, tools } = context.services;
    const toolSnapshot = () => tools.policy.toolSnapshot();
    const page = { limit: limit ?? LIMITS.pageSizeDefault, ...(before === undefined ? {} : { before }) };
    return sessionFiles(
      { stores: sessions.stores, ledger, insight: runs.insight, toolSnapshot },
      context.tenant,
      id,
      page,
    );
  },

  async "sessions.fork"({ sessionKey, ...at }, context) {
    const session = await liveSession(context, sessionKey);
    const fork = await forkSession(
      { ...context.services.sessions, ...context.services.system },
      context.tenant,
      session,
      at,
    );
    context.services.runs.engine.announce(context.tenant, { sessionKey: fork.id, what: "created" });
    return { sessionKey: fork.id, session: toWireSession(fork) };
  },
};

async function now<M extends { readonly runId: string; readonly message: Message }>(
  { services: { ledger, runs }, tenant }: MethodContext<"ledger" | "runs">,
  sessionId: string,
  messages: readonly M[],
): Promise<readonly M[]> {
  return asItStands({ ledger, tools: runs.calls }, tenant, sessionId, messages);
}

/** Finds the session of a key that a client has made, or opens one; `firstMessage` says that one follows at once. */
export async function openSession(
  params: { readonly agentId?: string; readonly title?: string; readonly sessionKey?: string },
  context: MethodContext<"system" | "sessions" | "runs">,
  { firstMessage = false }: { readonly firstMessage?: boolean } = {},
): Promise<{ readonly session: Session; readonly created: boolean }> {
  const { agents, stores, defaultAgentId } = context.services.sessions;
  const { ids, clock, redact } = context.services.system;
  const agentId = params.agentId ?? defaultAgentId;
  if (!(await agents.load(agentId))) {
    const known = (await agents.list()).map((a) => a.id).join(", ");
    fail("NOT_FOUND", `There is no agent "${agentId}". No session was created. Known agents: ${known}.`);
  }
  if (params.sessionKey !== undefined) {
    const known = await stores.sessions.get(context.tenant, params.sessionKey);
    if (known && (known.agentId !== agentId || known.deletedAt !== undefined))
      fail("CONFLICT", `There is another session ${params.sessionKey}. No session was created.`);
    if (known) return { session: known, created: false };
    // What runs in a session is told apart by its id alone.
    for (const other of context.services.runs.tenantNames())
      if (other !== context.tenant && (await stores.sessions.get(other, params.sessionKey)))
        fail("CONFLICT", `There is another session ${params.sessionKey}. No session was created.`);
  }
  const title = params.title && redact(params.title);
  const session = await stores.sessions.create(context.tenant, {
    id: params.sessionKey ?? ids.next("session"),
    agentId,
    title: title ?? "New session",
    at: clock.now(),
    surface: context.surface,
    firstMessage,
  });
  const titled = title && (await stores.sessions.rename(context.tenant, session.id, title, "owner"));
  return { session: titled || session, created: true };
}

/** The messages of the last runs, from the first of theirs to the end. */
function newestRuns<M extends { readonly runId: string }>(
  messages: readonly M[],
  count: number,
): readonly M[] {
  const runs = new Set<string>();
  let from = messages.length;
  for (; from > 0; from--) {
    const { runId } = messages[from - 1]!;
    if (runs.size === count && !runs.has(runId)) break;
    runs.add(runId);
  }
  return messages.slice(from);
}

/** Nothing where the session has no versions. */
async function versionsOf(
  { services, tenant }: MethodContext<"sessions">,
  sessionId: string,
): Promise<Pick<MethodResult<"sessions.get">, "versions" | "hidden">> {
  const { runs } = services.sessions.stores;
  const tree = await runs.tree(tenant, sessionId);
  if (tree.length === 0) return {};
  const effects = Map.groupBy(await runs.hiddenEffects(tenant, sessionId), (runId) => placeOf(tree, runId));
  return {
    versions: versionsIn(tree).map(({ runId, of }) => ({
      runId,
      of: [...of],
      ...(effects.has(runId) ? { effects: effects.get(runId) } : {}),
    })),
    hidden: tree.flatMap((run) => (run.shown ? [] : [run.runId])),
  };
}

/** The session, unless it does not exist or lies in the trash. */
export async function liveSession(context: MethodContext<"sessions">, sessionKey: string): Promise<Session> {
  const session = await context.services.sessions.stores.sessions.get(context.tenant, sessionKey);
  if (!session) fail("NOT_FOUND", `There is no session ${sessionKey}.`);
  if (session.deletedAt !== undefined) {
    fail(
      "NOT_FOUND",
      `The session ${sessionKey} was deleted. It lies in the trash: restore it there, or with: elwood sessions restore ${sessionKey}`,
    );
  }
  return session;
}

/** Absent where nothing was counted yet, or no model can answer. */
async function contextInUse(
  { services }: MethodContext<"sessions" | "models">,
  { agentId }: Session,
  messages: readonly Message[],
): Promise<MethodResult<"sessions.get">["context"]> {
  const tokens = tokensInUse(messages);
  if (tokens === undefined) return undefined;
  const agent = await services.sessions.agents.load(agentId).catch(brokenAgent);
  const model = agent && (await services.models.catalog.resolve(agent.model));
  if (!model?.ok) return undefined;
  const { contextTokens } = model.value;
  if (contextTokens === undefined) return { tokens, window: LIMITS.contextTokensAssumed, assumed: true };
  return { tokens, window: contextTokens };
}

/** What was said can be read all the same; the next run says what is wrong with the agent. */
function brokenAgent(cause: unknown): undefined {
  if (!(cause instanceof FailureError)) throw cause;
}

function changed(context: MethodContext<"runs">, session: Session | undefined, what: "updated" | "restored") {
  if (!session) fail("NOT_FOUND", "There is no such session.");
  context.services.runs.engine.announce(context.tenant, { sessionKey: session.id, what });
  return { session: toWireSession(session) };
}

async function knownModel(model: string, { services }: MethodContext<"models">): Promise<string> {
  const found = await services.models.catalog.resolve(model);
  if (!found.ok) throw new FailureError(found.error);
  return formatModelRef(found.value.ref);
}

export async function refuseUnknownProfile(
  profile: string,
  { services }: MethodContext<"models">,
): Promise<void> {
  const { profiles } = await services.models.credentials.list();
  if (profiles.some(({ id }) => id === profile)) return;
  fail(
    "NOT_FOUND",
    `There is no stored key ${profile}. Nothing was done. See the ones there are: elwood auth list`,
  );
}
