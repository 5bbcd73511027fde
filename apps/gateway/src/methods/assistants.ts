import { fail } from "@elwood/core/base/failure";
import { plainGlyphs } from "@elwood/core/base/glyphs";
import { LIMITS } from "@elwood/core/base/limits";
import { showLine } from "@elwood/core/base/show";
import type { Approval } from "@elwood/core/policy/approval";
import { mustWrite } from "@elwood/runtime/gate/must-write";
import { sha256 } from "@elwood/platform/system";
import type { Handlers, MethodContext } from "./context.ts";
import { liveSession } from "./sessions.ts";

type AssistantMethods =
  | "assistant.define"
  | "assistant.context"
  | "tools.register"
  | "tool.result"
  | "owner.ask";

type Uses = "system" | "sessions" | "ledger" | "approvals" | "assistants";

/** What a program does that has an assistant of its own. */
export const assistantMethods: Handlers<AssistantMethods, Uses> = {
  async "assistant.define"(params, context) {
    return {
      agentId: await context.services.assistants.define(params, context.principal.name, context.link),
    };
  },

  async "assistant.context"(params, { services: { assistants } }) {
    const { assistantId, context } = params;
    if (context === undefined) return { context: await assistants.context(assistantId) };
    return { context: await assistants.setContext(assistantId, context) };
  },

  async "tools.register"(params, context) {
    return context.services.assistants.register(context.tenant, params, linkOf(context));
  },

  async "tool.result"({ invocationId, outcome }, context) {
    return { accepted: context.services.assistants.result(invocationId, outcome, linkOf(context)) };
  },

  async "owner.ask"(params, context) {
    const { sessionKey, key } = params;
    await liveSession(context, sessionKey);
    const { ledger, system, approvals } = context.services;
    const id =
      key === undefined
        ? system.ids.next("approval")
        : `apr_${sha256(`elwood.owner-ask.v1\n${JSON.stringify([context.tenant, sessionKey, key])}`).slice(0, ID_TAIL_CHARS)}`;
    const asked = questionOf(id, params, context);
    const before = key === undefined ? undefined : await ledger.approval(context.tenant, id);
    if (before) {
      if (before.card.summary !== asked.card.summary)
        fail("CONFLICT", "Another question was asked under this key. Nothing was asked.");
      if (before.status === "pending") pauseCalls(id, sessionKey, context);
      return { questionId: id, expiresAt: before.expiresAt, repeated: true };
    }
    const limit = LIMITS.ownerQuestionsWaitingMax;
    const waiting = await ledger.approvals(context.tenant, {
      status: "pending",
      sessionId: sessionKey,
      limit,
    });
    if (waiting.length >= limit)
      fail("QUEUE_FULL", `${limit} questions already wait in this session. This one was not asked.`);
    await mustWrite(ledger, context.tenant, `question ${id}`, {
      receipts: [],
      changes: [{ kind: "approval.new", approval: asked }],
    });
    approvals.events.requested(context.tenant, asked);
    pauseCalls(id, params.sessionKey, context);
    return { questionId: id, expiresAt: asked.expiresAt };
  },
};

/** A tool that asks in the middle of its call must not run out of time while the owner thinks. */
function pauseCalls(questionId: string, sessionKey: string, context: MethodContext<Uses>): void {
  const { services, tenant, link } = context;
  if (!link) return;
  services.assistants.pause(sessionKey, link, (over) =>
    services.approvals.events.wait(tenant, questionId, over),
  );
}

const ID_TAIL_CHARS = 26;

/** Whoever answers sees which token asks: a program must not pass for the assistant. */
function questionOf(
  id: string,
  params: {
    readonly sessionKey: string;
    readonly question: string;
    readonly options?: readonly string[];
    readonly timeoutMs?: number;
  },
  { services, principal, surface }: MethodContext<"system">,
): Approval {
  const { redact, clock } = services.system;
  const clean = (text: string) => showLine(plainGlyphs(redact(text)));
  const { sessionKey, timeoutMs = LIMITS.ownerQuestionMsMax } = params;
  const name = showLine(principal.name);
  const summary = `${name} asks: ${clean(params.question)}`;
  const options = params.options?.map(clean);
  const createdAt = clock.now();
  return {
    id,
    callId: id,
    runId: "",
    sessionId: sessionKey,
    toolId: options ? "owner.question.choose" : "owner.question.ask",
    digest: "",
    card: {
      kind: "question",
      toolId: options ? "owner.question.choose" : "owner.question.ask",
      summary,
      input: { question: summary, ...(options ? { options } : {}) },
      risk: "read",
      rule: "owner.question",
      reason: `The program ${name} asks you something.`,
      surface,
      sources: [],
      ...(options ? { options } : {}),
      decisions: [],
      showable: true,
    },
    status: "pending",
    createdAt,
    expiresAt: createdAt + timeoutMs,
  };
}

function linkOf({ link }: MethodContext) {
  return link ?? fail("INVALID_INPUT", "Tools of a client need a WebSocket. Nothing was registered.");
}
