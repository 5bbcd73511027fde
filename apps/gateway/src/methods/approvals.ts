import { pickedOption } from "@elwood/core/policy/picked-option";
import { fail, FailureError } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import { toDecided, toWireApproval, toWireGrant } from "@elwood/core/protocol/approval-shapes";
import { showText } from "@elwood/core/base/show";
import { unframed } from "@elwood/core/message/untrusted-frame";
import { mustWrite } from "@elwood/runtime/gate/must-write";
import type { CallRow } from "@elwood/runtime/ports/gate-ports";
import { approvalView, type ApprovalViewDeps } from "../views/approval-view.ts";
import { personOf, type Handlers, type MethodContext } from "./context.ts";
import { knownTool } from "./tools.ts";
import { notDone } from "@elwood/core/grounding/evidence";
import { evidenceNow } from "../views/undone.ts";

type ApprovalMethods =
  | "exec.approve"
  | "exec.deny"
  | "approvals.list"
  | "approvals.get"
  | "approvals.preview"
  | "owner.answer"
  | "grants.list"
  | "grants.revoke"
  | "calls.undo"
  | "gateway.stop_all"
  | "runs.activity";

type Uses =
  | "system"
  | "sessions"
  | "runs"
  | "ledger"
  | "tools"
  | "approvals"
  | "receipts"
  | "clients"
  | "jobs";

/** Where the owner decides. Who they are comes from the token of the connection, never from the request. */
export const approvalMethods: Handlers<ApprovalMethods, Uses> = {
  async "exec.approve"(params, context) {
    const { decision = params.window ? "window" : "once", window } = params;
    const asked = params.label && (await labelledTool(context, params.approvalId));
    const approval = await context.services.approvals.decisions.allow(
      context.tenant,
      params.approvalId,
      personOf(context),
      {
        decision,
        ...(window
          ? {
              window: {
                scope: window.scope ?? "call",
                ...(window.minutes === undefined ? {} : { minutes: window.minutes }),
              },
            }
          : {}),
        ...(params.input === undefined ? {} : { input: params.input }),
        ...(params.note === undefined ? {} : { note: params.note }),
        ...(params.confirm === undefined ? {} : { confirm: params.confirm }),
      },
    );
    if (params.label && asked && approval.status === "approved")
      await context.services.tools.registry.grant(
        context.tenant,
        asked.tool,
        asked.contractHash,
        personOf(context),
        params.label,
      );
    return { ok: approval.status === "approved", decided: toDecided(approval) };
  },

  async "exec.deny"(params, context) {
    const approval = await context.services.approvals.decisions.deny(
      context.tenant,
      params.approvalId,
      personOf(context),
      params.reason,
    );
    return { ok: approval.status === "denied", decided: toDecided(approval) };
  },

  async "owner.answer"(params, context) {
    const answered = await context.services.approvals.decisions.reply(
      context.tenant,
      params.questionId,
      personOf(context),
      params.answer,
    );
    const { options } = answered.card;
    const answer = pickedOption(options, params.answer) ?? params.answer;
    return {
      ok: answered.note === context.services.system.redact(answer).toWellFormed(),
      decided: toDecided(answered),
    };
  },

  async "approvals.list"(params, context) {
    const { sessionKey, limit = LIMITS.pageSizeDefault, before, ...wanted } = params;
    const approvals = await context.services.ledger.approvals(context.tenant, {
      ...wanted,
      limit,
      ...(sessionKey ? { sessionId: sessionKey } : {}),
      ...(before ? { before } : {}),
    });
    const last = approvals.at(-1);
    const full = params.status !== "pending" && approvals.length >= limit;
    const deps = viewDeps(context);
    const { events } = context.services.approvals;
    const shown = await Promise.all(
      approvals
        .map((each) => events.asTold(each))
        // What is being decided right now is in neither list until the decision is on disk.
        .filter(({ status }) => params.status === undefined || status === params.status)
        .map((each) => approvalView(deps, context.tenant, each)),
    );
    return { approvals: shown, ...(full && last ? { next: last.id } : {}) };
  },

  async "approvals.get"(params, context) {
    const approval = await context.services.approvals.events.find(context.tenant, params.approvalId);
    if (!approval) fail("NOT_FOUND", `There is no approval ${params.approvalId}.`);
    return { approval: await approvalView(viewDeps(context), context.tenant, approval) };
  },

  async "approvals.preview"(params, context) {
    const edited = await context.services.approvals.decisions.preview(
      context.tenant,
      params.approvalId,
      params.input,
    );
    return { card: toWireApproval(edited).card };
  },

  async "grants.list"(params, context) {
    const at = context.services.system.clock.now();
    const grants = await context.services.ledger.grants(context.tenant, { live: !params.all, at });
    const { stores } = context.services.sessions;
    const keys = new Set(grants.flatMap(({ sessionId }) => sessionId ?? []));
    const titles = new Map<string, string>();
    for (const key of keys) {
      const session = await stores.sessions.get(context.tenant, key);
      if (session) titles.set(key, session.title);
    }
    return {
      grants: grants.map((grant) => toWireGrant(grant, titles.get(grant.sessionId ?? ""))),
    };
  },

  async "grants.revoke"(params, context) {
    await context.services.approvals.decisions.revoke(context.tenant, params.grantId, personOf(context));
    return { ok: true };
  },

  async "calls.undo"(params, context) {
    const row = await context.services.ledger.call(context.tenant, params.callId);
    if (!row) fail("NOT_FOUND", `There is no call ${params.callId}. Nothing was undone.`);
    const outcome = await context.services.approvals.gate.undo(
      context.tenant,
      params.callId,
      {
        tenant: context.tenant,
        sessionId: row.sessionId,
        runId: row.runId,
        surface: context.surface,
        signal: new AbortController().signal,
        progress: () => undefined,
        entered: () => undefined,
        started: () => undefined,
        waiting: () => undefined,
      },
      personOf(context),
    );
    const { callId, runId, sessionId: sessionKey } = row;
    if (outcome.status === "ok")
      context.services.clients.tell(context.tenant, "call.undone", { callId, runId, sessionKey });
    return { ok: outcome.status === "ok", text: plainWords(outcome.text, row) };
  },

  async "gateway.stop_all"(_params, context) {
    const { system, sessions, runs: running, ledger, tools: toolArea, approvals } = context.services;
    const { registry, policy } = toolArea;
    // Jobs before anything else, so that none begins a run while the others are stopped.
    const jobs = await context.services.jobs.service();
    const active = (await jobs.list()).filter(({ nextAt }) => nextAt !== undefined);
    const paused = await Promise.allSettled(active.map(({ id }) => jobs.pause(id)));
    // Then grants, so that nothing that still runs can use one; each for itself, so that one fault spares no other.
    const each = <T>(items: readonly T[], end: (item: T) => Promise<unknown>) =>
      Promise.allSettled(items.map(end));
    const ends = await Promise.all(
      [...new Set([context.tenant, ...running.tenantNames()])].map(async (tenant) => {
        const grants = await ledger.grants(tenant, { live: true, at: system.clock.now() });
        const tools = await registry.granted(tenant, policy.toolSnapshot().list());
        const runs = await sessions.stores.runs.unfinished(tenant);
        return Promise.all([
          each(tools, (toolId) => registry.revoke(tenant, toolId, personOf(context))),
          each(grants, (grant) => approvals.decisions.revoke(tenant, grant.id, personOf(context))),
          each(runs, (run) => running.engine.abort(tenant, run.id, personOf(context))),
        ]);
      }),
    );
    const [forgotten, revoked, stopped] = [0, 1, 2].map((kind) => ends.flatMap((of) => of[kind]!)) as [
      PromiseSettledResult<unknown>[],
      PromiseSettledResult<unknown>[],
      PromiseSettledResult<unknown>[],
    ];
    const failed = [...paused, ...forgotten, ...revoked, ...stopped].flatMap((one) =>
      one.status === "rejected" && !wasOver(one.reason) ? [one.reason as unknown] : [],
    );
    for (const error of failed) system.log.error("stop all: one could not be stopped", { error });
    const done = (all: readonly PromiseSettledResult<unknown>[]) =>
      all.filter(({ status }) => status === "fulfilled").length;
    const counts = {
      runsStopped: done(stopped),
      ...(paused.length > 0 ? { jobsPaused: done(paused) } : {}),
      grantsRevoked: done(revoked) + done(forgotten),
      ...(failed.length > 0 ? { failed: failed.length } : {}),
    };
    await mustWrite(ledger, context.tenant, "the stop of everything", {
      receipts: [
        {
          type: "policy.changed",
          runId: "",
          actor: context.principal.name,
          surface: context.surface,
          payload: { what: "stop_all", ...counts },
        },
      ],
      changes: [],
    });
    return counts;
  },

  async "runs.activity"(params, context) {
    const run = await context.services.sessions.stores.runs.get(context.tenant, params.runId);
    if (!run) fail("NOT_FOUND", `There is no run ${params.runId}.`);
    const activity = await context.services.runs.calls.activity(context.tenant, run.id);
    const ruleOfTwo =
      activity.length === 0 ? undefined : await context.services.runs.calls.ruleOfTwo?.(context.tenant, run);
    return {
      activity: activity.map((item) => structuredClone(item)),
      evidence: evidenceNow(activity, 0),
      log: logOf(context.services.receipts.head(context.tenant)),
      sentences: notDone(activity),
      ...(ruleOfTwo ? { ruleOfTwo } : {}),
    };
  },
};

function viewDeps({
  services: { ledger, tools, sessions },
}: MethodContext<"ledger" | "tools" | "sessions">): ApprovalViewDeps {
  return { ledger, toolSnapshot: () => tools.policy.toolSnapshot(), sessions: sessions.stores.sessions };
}

/**
 * What a tool said, for people: without the marks that are for the model, and with files named as
 * they were asked for instead of by their whole path.
 */
function plainWords(text: string, { executedInput, outcome }: CallRow): string {
  const paths = textsIn(outcome?.value).filter((value) => value.startsWith("/"));
  let words = unframed(text).trim();
  for (const name of textsIn(executedInput))
    for (const path of paths) if (path.endsWith(`/${name}`)) words = words.replaceAll(path, name);
  return showText(words);
}

function textsIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).filter((each) => typeof each === "string" && each !== "");
}

/** Somebody was faster: what was to be ended has ended. */
function wasOver(reason: unknown): boolean {
  return reason instanceof FailureError && reason.failure.reason === "CONFLICT";
}

function logOf({ size, root }: { readonly size: number; readonly root: string }) {
  return { size, root };
}

/** The tool that the owner labels with their answer, as it was when they were asked; undefined where somebody answered before. */
async function labelledTool(context: MethodContext<Uses>, approvalId: string) {
  const { ledger, tools, approvals } = context.services;
  const approval = await approvals.events.find(context.tenant, approvalId);
  if (!approval) return fail("NOT_FOUND", `There is no approval ${approvalId}. Nothing was decided.`);
  if (approval.status !== "pending") return undefined;
  if (!approval.card.labels)
    fail("INVALID_INPUT", "The tool of this call takes no label. Nothing was decided.");
  const contractHash = (await ledger.call(context.tenant, approval.callId))?.contractHash ?? "";
  const tool = knownTool(tools, approval.toolId);
  if (tool.contractHash !== contractHash)
    fail("CONFLICT", `${approval.toolId} has changed since you were asked. Nothing was decided.`);
  return { tool, contractHash };
}
