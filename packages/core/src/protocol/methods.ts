import { GRANT_CONSTRAINTS } from "../policy/grant.ts";
import { POLICY_MODES } from "../policy/policy.ts";
import { z } from "zod";
import { LIMITS } from "../base/limits.ts";
import { isId, NAME_PATTERN } from "../base/ids.ts";
import { ORIGINS } from "../message/message.ts";
import { RECEIPT_TYPES } from "../receipts/receipt.ts";
import { RUN_STATUSES } from "../message/session.ts";
import { CALL_STATUSES, RISKS } from "../tool/tool.ts";
import { TOOL_LABELS } from "../tool/tool-label.ts";
import { CATCH_UP, OVERLAP } from "../schedule/job.ts";
import { VERSIONING } from "../action/versioning.ts";
import { TOOL_RULES } from "./settings-shapes.ts";
import { ASSISTANT_ID_PATTERN, CLIENT_TOOL_NAME_PATTERN } from "../tool/client-tool.ts";

/** What a token must be allowed to do; `none` is open before authentication. */
export type MethodScope = "none" | "chat" | "approve" | "admin" | "execute";

export interface MethodSpec {
  readonly scope: MethodScope;
  readonly summary: string;
  /** Built on first use: a gateway that serves no request builds no schema. */
  readonly params: () => z.ZodType;
  /** Where the method is reachable by HTTP too. */
  readonly http?: HttpRoute;
}

/** Params come from the parts of the path in braces, from the query, and for POST from a JSON object in the body. */
export interface HttpRoute {
  readonly verb: "GET" | "POST";
  readonly path: `/api/v1/${string}`;
  /** What a token needs here, which may be more than over the socket. */
  readonly scope: Exclude<MethodScope, "none">;
}

const sessionKey = () => z.string().min(1).max(64);
const profileId = () => z.string().min(1).max(200);
const runId = () => z.string().min(1).max(64);
const channelName = () => z.string().min(1).max(32);
const limit = () => z.number().int().min(1).max(LIMITS.pageSizeMax).optional();
const cursor = () => z.string().max(500).optional();
const title = () => z.string().trim().min(1).max(LIMITS.titleCharsMax);
const idempotencyKey = () => z.string().min(1).max(LIMITS.idempotencyKeyCharsMax).optional();
const actionName = () => z.string().min(1).max(64);
/** `latest`, `3` or `v3`. */
const actionVersion = () => z.string().min(1).max(20);
const settingKey = () => z.string().min(1).max(100);
const none = () => z.strictObject({});
const integrationName = () => z.string().min(1).max(32);
const mcpName = () =>
  z.string().regex(/^[^\s]{1,64}$/, { error: "is a name without blanks, 64 characters at most" });

const part = () =>
  z.discriminatedUnion("kind", [
    z.strictObject({
      kind: z.literal("text"),
      text: z.string().max(LIMITS.messageCharsMax),
      origin: z
        .enum(ORIGINS)
        .exclude([
          "program",
          "member",
          "stranger",
          "model",
          "tool",
          "gateway",
          "schedule",
          "webhook",
          "recalled",
        ]),
    }),
    z.strictObject({
      kind: z.literal("blob"),
      blobId: z.string().max(100),
      name: z.string().max(255).optional(),
      origin: z.enum(["attached", "forwarded", "quoted"]),
    }),
  ]);

/** A job by its name or its id. */
const job = () => z.string().trim().min(1).max(LIMITS.jobNameCharsMax);
const onlyJob = () => z.strictObject({ name: job() });
const jobFields = () => ({
  message: z.string().min(1).max(LIMITS.jobMessageCharsMax),
  /** Once: `2026-11-17T09:00` by the owner's clock, or with an offset. */
  at: z.string().max(40).optional(),
  /** An interval: `30m`, `2h`, `1d`. */
  every: z.string().max(20).optional(),
  cron: z.string().max(200).optional(),
  timeZone: z.string().max(64).optional(),
  agentId: z.string().min(1).max(64).optional(),
  model: z.string().min(1).max(200).optional(),
  isolated: z.boolean().optional(),
  /** `page`, or a chat of a channel such as `telegram:12345`. */
  target: z.string().min(1).max(200).optional(),
  catchUp: z.enum(CATCH_UP).optional(),
  overlap: z.enum(OVERLAP).optional(),
  jitterSeconds: z
    .number()
    .int()
    .min(0)
    .max(LIMITS.jobJitterMsMax / 1_000)
    .optional(),
});

const assistantId = () =>
  z.string().max(LIMITS.assistantIdCharsMax).regex(ASSISTANT_ID_PATTERN, {
    error: "is a name of small letters, digits, - and _ that begins with a letter",
  });

/** A tool that lives in a client: all that is known of it here, besides what it answers. */
const clientTool = () =>
  z.strictObject({
    name: z
      .string()
      .max(LIMITS.clientToolNameCharsMax)
      .regex(CLIENT_TOOL_NAME_PATTERN, { error: "is a name of letters, digits and single _ or -" }),
    description: z.string().max(LIMITS.clientToolDescriptionCharsMax),
    inputSchema: z.record(z.string(), z.unknown()),
    outputSchema: z.record(z.string(), z.unknown()).optional(),
    /** What the program says that it does: a suggestion for the owner's label, which it can make stricter. */
    risk: z.enum(RISKS).optional(),
    sends: z.boolean().optional(),
    requiresApproval: z.boolean().optional(),
    idempotent: z.boolean().optional(),
    timeoutMs: z.number().int().min(1).max(LIMITS.toolTimeoutMaxMs).optional(),
    canUndo: z.boolean().optional(),
    canReconcile: z.boolean().optional(),
  });
export type ClientTool = z.infer<ReturnType<typeof clientTool>>;

/** How a tool in a client ended. Only its own word says that it succeeded or failed. */
const clientOutcome = () =>
  z.discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("succeeded"), value: z.unknown() }),
    /** It did not happen. */
    z.strictObject({
      kind: z.literal("failed"),
      code: z.string().min(1).max(64),
      message: z.string().max(LIMITS.clientMessageCharsMax),
      retryable: z.boolean().optional(),
    }),
    /** It broke off: whether it happened is not known. */
    z.strictObject({ kind: z.literal("broke"), message: z.string().max(LIMITS.clientMessageCharsMax) }),
    /** It goes on. */
    z.strictObject({ kind: z.literal("progress"), message: z.string().max(LIMITS.clientMessageCharsMax) }),
  ]);
export type ClientOutcome = z.infer<ReturnType<typeof clientOutcome>>;

/** Every method, what it takes, and what a token needs for it. Unknown keys in `params` are refused. */
export const METHODS = {
  "health.check": { scope: "none", summary: "Whether the gateway lives.", params: none },
  "gateway.status": {
    scope: "chat",
    summary: "Version, model, today's usage and what runs now.",
    params: none,
  },
  "gateway.doctor": {
    scope: "admin",
    summary: "What is wrong with the installation, and how to mend it. Changes nothing.",
    params: none,
  },
  "gateway.logs": {
    scope: "admin",
    summary: "The last lines of the log, without secrets.",
    params: () =>
      z.strictObject({
        /** Only lines after this number. */
        after: z.number().int().min(0).optional(),
        limit: z.number().int().min(1).max(LIMITS.logLinesKept).optional(),
      }),
    http: { verb: "GET", path: "/api/v1/logs", scope: "admin" },
  },
  "config.show": {
    scope: "admin",
    summary: "Every setting and where its value came from; secrets by name only.",
    params: none,
  },
  "settings.get": {
    scope: "admin",
    summary: "Settings that can be changed while the gateway runs, or one of them, with where each is from.",
    params: () => z.strictObject({ key: settingKey().optional() }),
  },
  "settings.set": {
    scope: "admin",
    summary:
      "Change one setting in the owner's file, from the value that was seen; null goes back to the default. What loosens needs `approve` and `confirm`.",
    params: () =>
      z.strictObject({
        key: settingKey(),
        value: z.unknown(),
        /** The value that whoever changes it saw; where it is another one by now, nothing is changed. */
        expected: z.unknown(),
        confirm: z.boolean().optional(),
      }),
  },
  "attention.list": {
    scope: "chat",
    summary: "What wants the owner, the most urgent first.",
    params: none,
  },
  "usage.summary": {
    scope: "chat",
    summary: "Cost and tokens by day and model, the dearest sessions, and the caps.",
    params: () => z.strictObject({ days: z.number().int().min(1).max(LIMITS.usageDaysMax).optional() }),
  },
  "agents.list": { scope: "chat", summary: "The agents of the workspace.", params: none },
  "agents.prompt": {
    scope: "admin",
    summary: "All that a model is told of an agent: its system prompt and every tool, with their tokens.",
    params: () =>
      z.strictObject({
        /** The default agent where absent. */
        agentId: z.string().min(1).max(64).optional(),
      }),
  },
  "agents.save": {
    scope: "admin",
    summary:
      "Change who an agent is, or make a new one: its words, model, sampling and tools; null goes back to the usual. More tools need `approve` and `confirm`.",
    params: () =>
      z.strictObject({
        agentId: z.string().regex(NAME_PATTERN, {
          error: "is a name of lower-case letters, digits, - and _, 64 characters at most",
        }),
        /** The `revision` that was seen; null makes a new agent. */
        expected: z.string().max(100).nullable(),
        name: z.string().trim().min(1).max(100).nullable().optional(),
        description: z.string().trim().min(1).max(1_000).nullable().optional(),
        model: z.string().min(1).max(200).nullable().optional(),
        tools: z.array(z.string().min(1).max(200)).max(256).nullable().optional(),
        temperature: z.number().min(0).max(2).nullable().optional(),
        topP: z.number().gt(0).max(1).nullable().optional(),
        soul: z.string().max(LIMITS.agentFileBytesMax).optional(),
        instructions: z.string().max(LIMITS.agentFileBytesMax).optional(),
        confirm: z.boolean().optional(),
      }),
  },

  "sessions.create": {
    scope: "chat",
    summary: "Open a session.",
    params: () =>
      z.strictObject({
        agentId: z.string().min(1).max(64).optional(),
        title: title().optional(),
        /** The session's own id, made by the client: asked for twice, it is opened once. */
        sessionKey: sessionKey()
          .refine((key) => isId("session", key), { error: "is no id of a session" })
          .optional(),
      }),
    http: { verb: "POST", path: "/api/v1/sessions", scope: "chat" },
  },
  "sessions.list": {
    scope: "chat",
    summary:
      "Sessions, newest first: with archived the archived ones alone, without it those only where query asks; with deleted those in the trash, the last deleted first; with filed those in folders.",
    params: () =>
      z.strictObject({
        archived: z.boolean().optional(),
        deleted: z.boolean().optional(),
        filed: z.boolean().optional(),
        query: z.string().max(LIMITS.searchQueryCharsMax).optional(),
        limit: limit(),
        before: cursor(),
      }),
    http: { verb: "GET", path: "/api/v1/sessions", scope: "admin" },
  },
  "sessions.get": {
    scope: "chat",
    summary: "A session with its messages and unfinished runs.",
    params: () =>
      z.strictObject({
        sessionKey: sessionKey(),
        /** The messages of so many runs, the newest; of all without it. */
        last: limit(),
      }),
  },
  "sessions.rename": {
    scope: "chat",
    summary: "Give a session a title.",
    params: () => z.strictObject({ sessionKey: sessionKey(), title: title() }),
  },
  "sessions.pin": {
    scope: "chat",
    summary: "Pin a session, or unpin it.",
    params: () => z.strictObject({ sessionKey: sessionKey(), pinned: z.boolean() }),
  },
  "sessions.archive": {
    scope: "chat",
    summary: "Put a session out of the way, or back; a new message brings it back too.",
    params: () => z.strictObject({ sessionKey: sessionKey(), archived: z.boolean() }),
  },
  "sessions.move": {
    scope: "chat",
    summary: "Put a session into a folder, which is there as long as something is in it; null takes it out.",
    params: () =>
      z.strictObject({
        sessionKey: sessionKey(),
        folder: z.string().trim().min(1).max(LIMITS.folderCharsMax).nullable(),
      }),
  },
  "sessions.version": {
    scope: "chat",
    summary: "Show another version of a turn, with what continued it.",
    params: () => z.strictObject({ runId: runId(), sessionKey: sessionKey().optional() }),
  },
  "sessions.configure": {
    scope: "chat",
    summary:
      "Settings of one session: model, profile that pays, addition to the system prompt, sampling, tools, pinned answers; null goes back to the usual.",
    params: () =>
      z.strictObject({
        sessionKey: sessionKey(),
        model: z.string().min(1).max(200).nullable().optional(),
        profile: profileId().nullable().optional(),
        system: z.string().trim().min(1).max(LIMITS.sessionSystemCharsMax).nullable().optional(),
        temperature: z.number().min(0).max(2).nullable().optional(),
        topP: z.number().gt(0).max(1).nullable().optional(),
        tools: z.boolean().nullable().optional(),
        pins: z.array(runId()).max(LIMITS.sessionPinsMax).nullable().optional(),
      }),
  },
  "sessions.delete": {
    scope: "chat",
    summary: "Put a session in the trash; it is destroyed after 30 days.",
    params: () => z.strictObject({ sessionKey: sessionKey() }),
  },
  "sessions.restore": {
    scope: "chat",
    summary: "Take a session out of the trash.",
    params: () => z.strictObject({ sessionKey: sessionKey() }),
  },
  "sessions.search": {
    scope: "chat",
    summary: "Find what was said.",
    params: () =>
      z.strictObject({ query: z.string().trim().min(1).max(LIMITS.searchQueryCharsMax), limit: limit() }),
  },
  "sessions.export": {
    scope: "chat",
    summary: "A session as Markdown or JSON.",
    params: () =>
      z.strictObject({ sessionKey: sessionKey(), format: z.enum(["markdown", "json"]).optional() }),
  },
  "sessions.compactions": {
    scope: "chat",
    summary: "What of a session the model is shown by a summary, or without output.",
    params: () => z.strictObject({ sessionKey: sessionKey() }),
  },
  "sessions.compact": {
    scope: "chat",
    summary: "Sum up the older part of a session now, as a run; nothing is deleted.",
    params: () => z.strictObject({ sessionKey: sessionKey(), idempotencyKey: idempotencyKey() }),
  },
  "sessions.uncompact": {
    scope: "chat",
    summary: "Take the newest summary back, a given one, or all, as a run.",
    params: () =>
      z.strictObject({
        sessionKey: sessionKey(),
        compactionId: z.string().min(1).max(64).optional(),
        all: z.boolean().optional(),
        idempotencyKey: idempotencyKey(),
      }),
  },

  "sessions.files": {
    scope: "chat",
    summary:
      "Files that came with messages or that calls wrote, moved, deleted or handed over, newest first.",
    params: () => z.strictObject({ sessionKey: sessionKey(), limit: limit(), before: cursor() }),
  },
  "sessions.fork": {
    scope: "chat",
    summary: "A new session that is a copy of one up to a run, with it or before it.",
    params: () => z.strictObject({ sessionKey: sessionKey(), runId: runId(), include: z.boolean() }),
  },

  "chat.send": {
    scope: "chat",
    summary: "Send a message. Answers once the message is durable; the reply comes as pushes.",
    params: () =>
      z.strictObject({
        sessionKey: sessionKey(),
        /** Opens the session, under a key that the client has made, where there is none. */
        agentId: z.string().min(1).max(64).optional(),
        message: z.string().max(LIMITS.messageCharsMax),
        parts: z.array(part()).max(LIMITS.partsPerMessageMax).optional(),
        idempotencyKey: z.string().min(1).max(LIMITS.idempotencyKeyCharsMax).optional(),
        model: z.string().min(1).max(200).optional(),
        /** Whose account pays for this message; no other takes over. */
        profile: profileId().optional(),
      }),
  },
  "chat.retry": {
    scope: "chat",
    summary: "Answer the message of a run again, as another version in its place.",
    params: () =>
      z.strictObject({
        runId: runId(),
        /** Where a copy of the run's session is meant. */
        sessionKey: sessionKey().optional(),
        idempotencyKey: idempotencyKey(),
        model: z.string().min(1).max(200).optional(),
        profile: profileId().optional(),
      }),
  },
  "chat.edit": {
    scope: "chat",
    summary: "Send the message of a run in other words, as another version in its place.",
    params: () =>
      z.strictObject({
        runId: runId(),
        sessionKey: sessionKey().optional(),
        message: z.string().max(LIMITS.messageCharsMax),
        /** What goes along; absent: the files that went along before. */
        parts: z.array(part()).max(LIMITS.partsPerMessageMax).optional(),
        idempotencyKey: idempotencyKey(),
        model: z.string().min(1).max(200).optional(),
        profile: profileId().optional(),
      }),
  },
  "chat.history": {
    scope: "chat",
    summary: "Messages of a session, oldest first; unfinished runs included.",
    params: () =>
      z.strictObject({ sessionKey: sessionKey(), limit: limit(), before: z.string().max(64).optional() }),
    http: { verb: "GET", path: "/api/v1/sessions/{sessionKey}/messages", scope: "chat" },
  },
  "chat.abort": {
    scope: "chat",
    summary: "Stop a run; what was written is kept.",
    params: () => z.strictObject({ runId: runId() }),
    http: { verb: "POST", path: "/api/v1/runs/{runId}/cancel", scope: "chat" },
  },
  "chat.resume": {
    scope: "chat",
    summary: "Where a run stands, and every push after that.",
    params: () => z.strictObject({ runId: runId(), afterSeq: z.number().int().min(0).optional() }),
  },

  "runs.get": {
    scope: "chat",
    summary: "One run.",
    params: () => z.strictObject({ runId: runId() }),
    http: { verb: "GET", path: "/api/v1/runs/{runId}", scope: "chat" },
  },
  "runs.list": {
    scope: "chat",
    summary: "Runs, newest first.",
    params: () =>
      z.strictObject({
        sessionKey: sessionKey().optional(),
        status: z.enum(RUN_STATUSES).optional(),
        /** What set it off: `web`, `cli`, … */
        surface: z.string().min(1).max(100).optional(),
        /** Only runs that failed, or in which a call did not succeed or ended with another code than 0. */
        failures: z.boolean().optional(),
        /** Words of the message that began it. */
        query: z.string().trim().max(LIMITS.searchQueryCharsMax).optional(),
        limit: limit(),
        before: cursor(),
      }),
    http: { verb: "GET", path: "/api/v1/runs", scope: "admin" },
  },

  "runs.timeline": {
    scope: "chat",
    summary: "Where a run's time went: its turn, the model, calls, approvals, retries.",
    params: () => z.strictObject({ runId: runId() }),
  },
  "runs.activity": {
    scope: "chat",
    summary: "What the calls of a run did, from receipts.",
    params: () => z.strictObject({ runId: runId() }),
  },

  "exec.approve": {
    scope: "approve",
    summary: "Allow a call: once, for a while, or until revoked; or with another input.",
    params: () =>
      z.strictObject({
        approvalId: z.string().min(1).max(64),
        decision: z.enum(["once", "window", "always"]).optional(),
        window: z
          .strictObject({
            /** 15 unless told; without meaning for `always`. */
            minutes: z.number().int().min(1).max(10_080).optional(),
            scope: z.enum(["call", "similar", "tool"]).optional(),
          })
          .optional(),
        input: z.unknown().optional(),
        note: z.string().max(2_000).optional(),
        /** The word that the card wants to be typed. */
        confirm: z.string().max(64).optional(),
        /** What the tool does, where the card lets the owner say so; it counts until the tool changes. */
        label: z.enum(TOOL_LABELS).optional(),
      }),
    http: { verb: "POST", path: "/api/v1/approvals/{approvalId}/approve", scope: "approve" },
  },
  "exec.deny": {
    scope: "approve",
    summary: "Deny a call; the reason goes to the model.",
    params: () =>
      z.strictObject({ approvalId: z.string().min(1).max(64), reason: z.string().max(2_000).optional() }),
    http: { verb: "POST", path: "/api/v1/approvals/{approvalId}/deny", scope: "approve" },
  },
  "approvals.list": {
    scope: "chat",
    summary: "Approvals and questions; pending ones oldest first.",
    params: () =>
      z.strictObject({
        status: z.enum(["pending", "approved", "denied", "expired"]).optional(),
        sessionKey: sessionKey().optional(),
        toolId: z.string().min(1).max(200).optional(),
        /** A plan is as risky as the worst of its calls. */
        risk: z.enum(RISKS).optional(),
        /** Where the owner decided it: `web`, `cli`, … */
        surface: z.string().min(1).max(100).optional(),
        limit: limit(),
        /** Where the last page ended; not for pending ones. */
        before: cursor(),
      }),
    http: { verb: "GET", path: "/api/v1/approvals", scope: "chat" },
  },
  "approvals.get": {
    scope: "chat",
    summary: "One approval, with everything that would run.",
    params: () => z.strictObject({ approvalId: z.string().min(1).max(64) }),
  },
  "approvals.preview": {
    scope: "approve",
    summary: "The card of an approval as it would read with another input. Decides nothing, runs nothing.",
    params: () => z.strictObject({ approvalId: z.string().min(1).max(64), input: z.unknown() }),
  },
  "owner.answer": {
    scope: "approve",
    summary: "Answer a question of the assistant's, or say what became of a call in doubt.",
    params: () =>
      z.strictObject({ questionId: z.string().min(1).max(64), answer: z.string().min(1).max(20_000) }),
  },
  "owner.ask": {
    scope: "chat",
    summary: "Ask the owner something in a program's name; the answer is the approval's note.",
    params: () =>
      z.strictObject({
        sessionKey: sessionKey(),
        question: z.string().trim().min(1).max(LIMITS.ownerQuestionCharsMax),
        options: z.array(z.string().trim().min(1).max(200)).min(2).max(LIMITS.ownerOptionsMax).optional(),
        /** How long the question waits; seven days unless told. */
        timeoutMs: z.number().int().min(1).max(LIMITS.ownerQuestionMsMax).optional(),
        /** The same key in the same session is the same question, also after a restart of the program. */
        key: z.string().min(1).max(LIMITS.idempotencyKeyCharsMax).optional(),
      }),
  },
  "grants.list": {
    scope: "chat",
    summary: "Standing permissions.",
    params: () => z.strictObject({ all: z.boolean().optional() }),
  },
  "grants.revoke": {
    scope: "approve",
    summary: "End a standing permission.",
    params: () => z.strictObject({ grantId: z.string().min(1).max(64) }),
  },
  "calls.list": {
    scope: "chat",
    summary: "The calls of a run, in the order in which they were asked for.",
    params: () => z.strictObject({ runId: runId() }),
  },
  "calls.get": {
    scope: "chat",
    summary: "One call whole: what it was asked with, what came of it, who decided, its receipts.",
    params: () => z.strictObject({ callId: z.string().min(1).max(64) }),
  },
  "calls.undo": {
    scope: "approve",
    summary: "Take the effect of a call back, where its tool can.",
    params: () => z.strictObject({ callId: z.string().min(1).max(64) }),
  },
  "gateway.stop_all": {
    scope: "approve",
    summary: "Panic stop: abort all runs, pause all jobs and revoke all grants.",
    params: none,
  },

  "policy.explain": {
    scope: "chat",
    summary: "What would become of a call, and which rule says so. Runs nothing.",
    params: () =>
      z.strictObject({
        toolId: z.string().min(1).max(64),
        input: z.unknown().optional(),
        sessionKey: sessionKey().optional(),
        /** As if the owner had typed this message; nothing is sent. */
        typed: z.string().max(8_000).optional(),
      }),
  },
  "policy.mode": {
    scope: "chat",
    summary:
      "The mode of the policy, or another one, which is written into the settings. One that asks less needs the scope approve and a confirmation.",
    params: () => z.strictObject({ mode: z.enum(POLICY_MODES).optional(), confirm: z.boolean().optional() }),
  },
  "tools.list": { scope: "chat", summary: "The tools there are.", params: none },
  "tools.get": {
    scope: "chat",
    summary: "One tool, with its schemas and labels.",
    params: () => z.strictObject({ toolId: z.string().min(1).max(64) }),
  },
  "tools.reload": {
    scope: "admin",
    summary: "Reload all tools; runs in progress keep theirs.",
    params: none,
  },
  "tools.disable": {
    scope: "admin",
    summary: "Turn a tool off: a rule in the owner's file denies it, and models are no longer offered it.",
    params: () => z.strictObject({ toolId: z.string().min(1).max(200) }),
  },
  "tools.enable": {
    scope: "admin",
    summary: "Say when a tool asks: as usual, always, or never. What loosens needs `approve` and `confirm`.",
    params: () =>
      z.strictObject({
        toolId: z.string().min(1).max(200),
        rule: z.enum(TOOL_RULES).exclude(["deny"]).optional(),
        confirm: z.boolean().optional(),
      }),
  },
  "tools.grant": {
    scope: "approve",
    summary: "Know a tool as it is: it asks no longer only because it is new or has changed.",
    params: () =>
      z.strictObject({
        toolId: z.string().min(1).max(64),
        /** The contract that was looked at; another one is not granted. */
        contractHash: z.string().min(1).max(128),
      }),
  },
  "tools.revoke": {
    scope: "approve",
    summary: "Take that back: the tool asks for every call again.",
    params: () => z.strictObject({ toolId: z.string().min(1).max(64) }),
  },

  "mcp.list": { scope: "admin", summary: "MCP servers, what they are doing, and their tools.", params: none },
  "mcp.add": {
    scope: "approve",
    summary: "Configure an MCP server, start it and list its tools. None of them is granted by it.",
    params: () =>
      z.strictObject({
        name: mcpName(),
        command: z.string().min(1).max(4_096).optional(),
        args: z.array(z.string().max(4_096)).max(100).optional(),
        env: z.record(z.string().min(1).max(128), z.string().max(16_384)).optional(),
        cwd: z.string().min(1).max(4_096).optional(),
        network: z.boolean().optional(),
        folders: z
          .array(z.strictObject({ path: z.string().min(1).max(4_096), write: z.boolean().optional() }))
          .max(32)
          .optional(),
        url: z.string().min(1).max(4_096).optional(),
        headers: z.record(z.string().min(1).max(128), z.string().max(16_384)).optional(),
        oauth: z
          .strictObject({
            id: z.string().min(1).max(2_048).optional(),
            secret: z.string().min(1).max(4_096).optional(),
            port: z.number().int().min(1).max(65_535).optional(),
            scopes: z.array(z.string().min(1).max(512)).min(1).max(64).optional(),
          })
          .optional(),
        timeoutMs: z.number().int().min(1_000).max(LIMITS.toolTimeoutMaxMs).optional(),
      }),
  },
  "mcp.remove": {
    scope: "admin",
    summary: "End an MCP server and take it out of the settings.",
    params: () => z.strictObject({ name: mcpName() }),
  },
  "mcp.test": {
    scope: "admin",
    summary: "Start an MCP server if it does not run, and list its tools as they are now.",
    params: () => z.strictObject({ name: mcpName() }),
  },
  "mcp.restart": {
    scope: "admin",
    summary: "End an MCP server and start it again.",
    params: () => z.strictObject({ name: mcpName() }),
  },
  "mcp.login": {
    scope: "admin",
    summary:
      "Begin to log in to an MCP server: the address to open in a browser. With `address`, the one that the browser ended at, end it.",
    params: () => z.strictObject({ name: mcpName(), address: z.string().min(1).max(8_192).optional() }),
  },
  "mcp.resources": {
    scope: "admin",
    summary: "What an MCP server offers to read. A message can name one: `@server:uri`.",
    params: () => z.strictObject({ name: mcpName() }),
  },
  "mcp.resource": {
    scope: "approve",
    summary: "One of them, as a part for `chat.send`: somebody else's words, which authorise nothing.",
    params: () => z.strictObject({ name: mcpName(), uri: z.string().min(1).max(2_048) }),
  },
  "mcp.prompts": {
    scope: "admin",
    summary: "Texts that MCP servers prepare for conversations; of one server, or of all that are running.",
    params: () => z.strictObject({ name: mcpName().optional() }),
  },
  "mcp.prompt": {
    scope: "approve",
    summary: "One of them with its arguments filled in, as a part for `chat.send`.",
    params: () =>
      z.strictObject({
        name: mcpName(),
        prompt: z.string().min(1).max(500),
        arguments: z.record(z.string().max(200), z.string().max(10_000)).optional(),
      }),
  },
  "mcp.logout": {
    scope: "admin",
    summary: "Remove the tokens of an MCP server from this machine.",
    params: () => z.strictObject({ name: mcpName() }),
  },
  "mcp.label": {
    scope: "approve",
    summary:
      "Say what a tool of an MCP server does, as its contract stands now. Without a label it asks every time.",
    params: () =>
      z.strictObject({
        toolId: z.string().min(1).max(64),
        contractHash: z.string().min(1).max(128),
        label: z.enum(TOOL_LABELS).nullable(),
      }),
  },
  "mcp.logs": {
    scope: "admin",
    summary: "The last lines of an MCP server's own log, without secrets.",
    params: () => z.strictObject({ name: mcpName(), limit: z.number().int().min(1).max(500).optional() }),
  },

  "integrations.list": {
    scope: "admin",
    summary: "Integrations there are, what each can do, and which are set up.",
    params: none,
  },
  "integrations.setup": {
    scope: "admin",
    summary: "Try an integration with these settings and secrets, and store them if it works.",
    params: () =>
      z.strictObject({
        name: integrationName(),
        settings: z
          .record(
            z.string().min(1).max(32),
            z.union([z.string().max(2_000), z.array(z.string().max(500)).max(100)]),
          )
          .optional(),
        /** Each the secret itself, or the name of a variable as `${NAME}`. */
        secrets: z.record(z.string().min(1).max(32), z.string().max(4_096)).optional(),
      }),
  },
  "integrations.test": {
    scope: "admin",
    summary: "Try an integration as it is set up. Changes nothing.",
    params: () => z.strictObject({ name: integrationName() }),
  },
  "integrations.enable": {
    scope: "admin",
    summary: "Switch an integration on that is set up.",
    params: () => z.strictObject({ name: integrationName() }),
  },
  "integrations.disable": {
    scope: "admin",
    summary: "Switch an integration off: its tools are gone, what was set up stays.",
    params: () => z.strictObject({ name: integrationName() }),
  },

  "memory.list": { scope: "chat", summary: "The notes, by name.", params: none },
  "memory.search": {
    scope: "chat",
    summary: "Find in notes and conversations, the best first, with where it stands and why it was found.",
    params: () =>
      z.strictObject({
        query: z.string().trim().min(1).max(LIMITS.searchQueryCharsMax),
        limit: z.number().int().min(1).max(50).optional(),
        since: z.number().int().min(0).optional(),
        until: z.number().int().min(0).optional(),
        sessionKey: sessionKey().optional(),
      }),
    http: { verb: "GET", path: "/api/v1/memory/search", scope: "chat" },
  },
  "memory.show": {
    scope: "chat",
    summary: "A note with its facts, or lines of a source that a search named.",
    params: () =>
      z.strictObject({
        key: z.string().min(1).max(120).optional(),
        source: z.string().min(1).max(300).optional(),
        from: z.number().int().min(1).optional(),
        to: z.number().int().min(1).optional(),
      }),
  },
  "memory.save": {
    scope: "approve",
    summary: "Write a note, in the owner's name.",
    params: () =>
      z.strictObject({
        key: z.string().min(1).max(120),
        content: z.string().max(LIMITS.noteBytesMax),
        /** The hash of the note as it was read, or null where there was none: another one is not overwritten. */
        expected: z.string().length(64).nullable().optional(),
      }),
  },
  "memory.forget": {
    scope: "approve",
    summary: "Remove something for good: a note, a line, a message, a session, everything with a word.",
    params: () =>
      z.strictObject({
        note: z.string().min(1).max(120).optional(),
        /** A line of a note or conversation, as a search names it. */
        place: z
          .strictObject({ source: z.string().min(1).max(300), line: z.number().int().min(1) })
          .optional(),
        /** A message, or all of a run. */
        turn: z
          .strictObject({
            sessionKey: sessionKey(),
            messageId: z.string().min(1).max(64).optional(),
            runId: runId().optional(),
          })
          .optional(),
        session: sessionKey().optional(),
        word: z.string().min(1).max(LIMITS.forgetWordCharsMax).optional(),
        /** Only say what would go. */
        dryRun: z.boolean().optional(),
        /** For a word: the number of things that the dry run counted. */
        confirm: z.number().int().min(0).optional(),
        /** Also delete own backups of the database that hold it. */
        backups: z.boolean().optional(),
      }),
  },
  "memory.never": {
    scope: "approve",
    summary: "Never recall a line by itself again, or allow it again. It is still found by searching.",
    params: () =>
      z.strictObject({
        source: z.string().min(1).max(300),
        line: z.number().int().min(1),
        never: z.boolean(),
      }),
  },
  "memory.recalled": {
    scope: "chat",
    summary: "What of memory was put before a run: why Elwood knew something.",
    params: () => z.strictObject({ runId: runId() }),
  },
  "memory.status": {
    scope: "chat",
    summary: "How much is in memory, whether its index is behind, and what went wrong last.",
    params: none,
  },
  "memory.rebuild": {
    scope: "admin",
    summary: "Rebuild the index of memory from the files.",
    params: none,
  },

  "jobs.list": { scope: "chat", summary: "Jobs and reminders, with their next times.", params: none },
  "jobs.get": {
    scope: "chat",
    summary: "One job, with its next times and what became of the last ones.",
    params: onlyJob,
  },
  "jobs.create": {
    scope: "approve",
    summary: "Add a job or a reminder: once, at an interval, or by a cron expression.",
    params: () =>
      z.strictObject({
        name: job().optional(),
        kind: z.enum(["reminder", "task"]).optional(),
        ...jobFields(),
      }),
  },
  "jobs.update": {
    scope: "approve",
    summary: "Change a job; what is left out stays.",
    params: () =>
      z.strictObject({
        name: job(),
        change: z.strictObject({ name: job().optional(), ...jobFields() }).partial(),
      }),
  },
  "jobs.delete": { scope: "approve", summary: "Remove a job, and its history.", params: onlyJob },
  "jobs.run": {
    scope: "approve",
    summary: "Run a job now, whatever its schedule. Answers once the run is durable.",
    params: onlyJob,
    http: { verb: "POST", path: "/api/v1/jobs/{name}/run", scope: "admin" },
  },
  "jobs.rehearse": {
    scope: "approve",
    summary:
      "Run a job now with real reads, and list every other call instead of making it. Answers once the run is durable.",
    params: onlyJob,
  },
  "jobs.rehearsal": {
    scope: "chat",
    summary: "The last rehearsal of a job: what it would do, and what can be allowed.",
    params: onlyJob,
  },
  "jobs.grant": {
    scope: "approve",
    summary: "Allow calls of a job's last rehearsal for its runs, each within bounds.",
    params: () =>
      z.strictObject({
        name: job(),
        /** Of the rehearsal that was looked at. */
        runId: runId(),
        calls: z
          .array(
            z.strictObject({
              plannedId: z.string().min(1).max(100),
              constraint: z.enum(GRANT_CONSTRAINTS),
              /** How often in one run. */
              perRun: z.number().int().min(1).max(LIMITS.grantUsesPerRunMax),
              /** Until when, in days. */
              days: z.number().int().min(1).max(LIMITS.grantDaysMax),
            }),
          )
          .min(1)
          .max(LIMITS.grantsAtOnceMax),
      }),
  },
  "jobs.grants": {
    scope: "chat",
    summary: "What a job may do without asking, and which of it is no longer used.",
    params: onlyJob,
  },
  "jobs.pause": {
    scope: "approve",
    summary: "Keep a job from running until it is resumed.",
    params: onlyJob,
  },
  "jobs.resume": {
    scope: "approve",
    summary: "Let a paused job run again, from its next time on.",
    params: onlyJob,
  },
  "jobs.history": {
    scope: "chat",
    summary: "What became of the due times of a job, or of all jobs, newest first.",
    params: () => z.strictObject({ name: job().optional(), limit: limit(), before: cursor() }),
  },
  "heartbeat.run": {
    scope: "approve",
    summary: "Look around now, as the heartbeat does. Asks no model where HEARTBEAT.md says nothing.",
    params: none,
    http: { verb: "POST", path: "/api/v1/heartbeat", scope: "admin" },
  },

  "assistant.define": {
    scope: "admin",
    summary:
      "An assistant of a program: who it is, and which of the gateway's tools it may use beside its own.",
    params: () =>
      z.strictObject({
        assistantId: assistantId(),
        name: z.string().trim().min(1).max(100),
        role: z.string().max(LIMITS.assistantTextCharsMax),
        personality: z.string().max(LIMITS.assistantTextCharsMax),
        model: z.string().min(1).max(200).optional(),
        /** Ids or patterns; none unless told. */
        gatewayTools: z.array(z.string().min(1).max(100)).max(64).optional(),
      }),
  },
  "assistant.context": {
    scope: "admin",
    summary: "What a program keeps for its assistant, and lets it know; with `context` it is replaced.",
    params: () => z.strictObject({ assistantId: assistantId(), context: z.unknown().optional() }),
  },
  "tools.register": {
    scope: "admin",
    summary: "The tools of an assistant that live in this client, for as long as it is connected.",
    params: () =>
      z.strictObject({
        assistantId: assistantId(),
        /** The same for all connections of one process: who comes back is the one who left. */
        clientId: z.string().min(8).max(64),
        tools: z.array(clientTool()).max(LIMITS.clientToolsMax),
      }),
  },
  "tool.result": {
    scope: "admin",
    summary: "What came of a `tool.invoke`, or how far it is.",
    params: () => z.strictObject({ invocationId: z.string().min(1).max(200), outcome: clientOutcome() }),
  },

  "receipts.list": {
    scope: "chat",
    summary: "Receipts, newest first, by run, call, tool, status, type or time.",
    params: () =>
      z.strictObject({
        runId: runId().optional(),
        callId: z.string().min(1).max(64).optional(),
        toolId: z.string().min(1).max(200).optional(),
        status: z.enum(CALL_STATUSES).optional(),
        types: z.array(z.enum(RECEIPT_TYPES)).min(1).max(RECEIPT_TYPES.length).optional(),
        since: z.number().int().min(0).optional(),
        until: z.number().int().min(0).optional(),
        /** At most 200, or 1,000 with `after`. */
        limit: z.number().int().min(1).max(LIMITS.receiptsPageMax).optional(),
        /** Receipts before this one, by its seq. */
        before: z.number().int().min(1).optional(),
        /** All receipts after this seq, oldest first, without any filter: to check the chain elsewhere. */
        after: z.number().int().min(0).optional(),
      }),
    http: { verb: "GET", path: "/api/v1/receipts", scope: "chat" },
  },
  "receipts.get": {
    scope: "chat",
    summary: "One receipt, with what is stored behind its commitments.",
    params: () => z.strictObject({ receiptId: z.string().min(1).max(64) }),
  },
  "receipts.checkpoints": {
    scope: "chat",
    summary: "The signed checkpoints of the log, smallest first, and its public key.",
    params: () =>
      z.strictObject({
        /** Those that cover more than so many receipts. */
        after: z.number().int().min(0).optional(),
        limit: z.number().int().min(1).max(LIMITS.receiptsPageMax).optional(),
      }),
  },
  "receipts.export_ticket": {
    scope: "chat",
    summary: "A short-lived address under which the whole log can be fetched once, as one document.",
    params: () => z.strictObject({ bodies: z.boolean().optional() }),
  },
  "receipts.verify": {
    scope: "chat",
    summary: "Whether the log is as it was written, also against a checkpoint kept elsewhere.",
    params: () => z.strictObject({ held: z.string().min(1).max(8192).optional() }),
  },
  "receipts.prove": {
    scope: "chat",
    summary: "A proof that one receipt is in the log.",
    params: () => z.strictObject({ receiptId: z.string().min(1).max(64) }),
  },
  "receipts.head": {
    scope: "chat",
    summary: "Size and root of the log, and how much of it is signed.",
    params: none,
  },
  "receipts.rotate_key": {
    scope: "admin",
    summary: "Sign the log with a new key from now on; the old one hands over in a receipt.",
    params: none,
  },

  "channels.list": {
    scope: "admin",
    summary: "Chat services, and how each is doing.",
    params: none,
  },
  "channels.test": {
    scope: "admin",
    summary: "Asks a chat service whose token it is. Changes nothing.",
    params: () => z.strictObject({ name: channelName() }),
  },
  "channels.connect": {
    scope: "admin",
    summary: "Connects a chat service: checks the token, stores it, and begins to listen.",
    params: () =>
      z.strictObject({ name: channelName(), token: z.string().trim().min(1).max(500).optional() }),
  },
  "channels.disconnect": {
    scope: "admin",
    summary: "Stops listening to a chat service, and removes its token.",
    params: () => z.strictObject({ name: channelName() }),
  },
  "pairing.list": {
    scope: "admin",
    summary: "People who may write in chat services, and those who asked for it.",
    params: none,
  },
  "pairing.approve": {
    scope: "admin",
    summary: "Lets somebody in, by the code they were given; with approver they speak as the owner.",
    params: () => z.strictObject({ code: z.string().min(1).max(40), approver: z.boolean().optional() }),
  },
  "pairing.remove": {
    scope: "admin",
    summary: "Takes back that somebody may write, or approve.",
    params: () => z.strictObject({ channel: channelName(), senderId: z.string().min(1).max(64) }),
  },
  "notify.status": {
    scope: "chat",
    summary: "Where the owner is told that something waits, and the key that a browser needs to be woken.",
    params: none,
  },
  "notify.subscribe": {
    scope: "approve",
    summary: "Wake this browser when something waits, by its push service.",
    params: () =>
      z.strictObject({
        endpoint: z.url().max(1_000),
        keys: z.strictObject({
          p256dh: z.string().regex(/^[A-Za-z0-9_-]{86,88}$/),
          auth: z.string().regex(/^[A-Za-z0-9_-]{22,24}$/),
        }),
      }),
  },
  "notify.unsubscribe": {
    scope: "approve",
    summary: "Wake this browser no longer.",
    params: () => z.strictObject({ endpoint: z.url().max(1_000) }),
  },
  "notify.test": {
    scope: "approve",
    summary: "Tell every target once, and say how each took it.",
    params: none,
  },

  "blobs.ticket": {
    scope: "chat",
    summary: "A short-lived address of a stored file, or of the file that a call left, as it is now.",
    params: () => z.strictObject({ blobId: z.string().min(1).max(100) }),
  },

  "auth.set": {
    scope: "admin",
    summary: "Store a model credential after one live test; a server's name that is taken needs `replace`.",
    params: () =>
      z.strictObject({
        provider: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/),
        secret: z.string().min(1).max(8192),
        type: z.enum(["api_key", "token"]).optional(),
        name: z
          .string()
          .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/)
          .optional(),
        baseUrl: z.url().max(500).optional(),
        model: z.string().min(1).max(200).optional(),
        replace: z.boolean().optional(),
      }),
  },
  "auth.test": {
    scope: "admin",
    summary: "One live call with a stored credential.",
    params: () => z.strictObject({ profileId: z.string().min(1).max(200) }),
  },
  "auth.list": { scope: "admin", summary: "Stored credentials, never their secrets.", params: none },
  "auth.detect": {
    scope: "admin",
    summary: "Models on this machine, and which keys were found, by name. Asks nobody else.",
    params: none,
  },
  "auth.remove": {
    scope: "admin",
    summary: "Forget a stored credential.",
    params: () => z.strictObject({ profileId: z.string().min(1).max(200) }),
  },

  "auth.prefer": {
    scope: "admin",
    summary: "Put a stored credential first among those of its provider, and let it rest no longer.",
    params: () => z.strictObject({ profileId: z.string().min(1).max(200) }),
  },

  "models.list": {
    scope: "chat",
    summary: "Models that a message may ask for: of each connected provider, and on this machine.",
    params: none,
  },
  "models.at": {
    scope: "admin",
    summary: "Models that a server lists, before it is connected. Stores nothing.",
    params: () =>
      z.strictObject({ baseUrl: z.url().max(500), secret: z.string().min(1).max(8192).optional() }),
  },
  "models.check": {
    scope: "chat",
    summary: "Whether a message could ask for this model, by its name and key. Asks nobody.",
    params: () => z.strictObject({ model: z.string().min(1).max(200) }),
  },
  "models.use": {
    scope: "admin",
    summary: "Choose the model that answers by default, after one live test; null leaves it to the keys.",
    params: () => z.strictObject({ model: z.string().min(1).max(200).nullable() }),
  },

  "tokens.create": {
    scope: "admin",
    summary: "A token for a program; shown once.",
    params: () =>
      z.strictObject({
        name: z.string().trim().min(1).max(100),
        scopes: z
          .array(z.enum(["chat", "approve", "admin", "execute"]))
          .min(1)
          .max(4),
        expiresInDays: z.number().int().min(1).max(3650).optional(),
        /** Whose sessions, receipts and usage it opens; the owner's own unless told. */
        tenant: z
          .string()
          .regex(NAME_PATTERN, {
            error: "is a name of lower-case letters, digits, - and _, 64 characters at most",
          })
          .optional(),
      }),
  },
  "connections.list": {
    scope: "admin",
    summary: "How models are reached: providers and connections, in one list. Keys are not in it.",
    params: none,
    http: { verb: "GET", path: "/api/v1/connections", scope: "admin" },
  },
  "actions.list": {
    scope: "execute",
    summary: "Actions that can be executed, by their current version.",
    params: none,
    http: { verb: "GET", path: "/api/v1/actions", scope: "execute" },
  },
  "actions.get": {
    scope: "execute",
    summary: "One action, with its versions.",
    params: () => z.strictObject({ name: actionName(), version: actionVersion().optional() }),
    http: { verb: "GET", path: "/api/v1/actions/{name}", scope: "execute" },
  },
  "actions.import": {
    scope: "admin",
    summary: "Store the connections and actions of a file, or say what that would change.",
    params: () =>
      z.strictObject({
        text: z.string().max(LIMITS.openApiFileBytesMax),
        /** For messages about it. */
        file: z.string().min(1).max(200).optional(),
        /** `openapi`: each operation of the document becomes an http action. */
        format: z.enum(["actions", "openapi"]).optional(),
        strategy: z.enum(VERSIONING).optional(),
        dryRun: z.boolean().optional(),
      }),
  },
  "actions.export": {
    scope: "admin",
    summary: "Connections and actions as a file, without secrets.",
    params: () => z.strictObject({ names: z.array(actionName()).max(LIMITS.pageSizeMax).optional() }),
  },
  "actions.rollback": {
    scope: "admin",
    summary: "Make an earlier version of an action the current one.",
    params: () => z.strictObject({ name: actionName(), version: z.number().int().min(1) }),
  },
  "actions.execute": {
    scope: "execute",
    summary: "Execute an action, by name and version or by its resource name.",
    params: () =>
      z.strictObject({
        name: actionName().optional(),
        version: actionVersion().optional(),
        action_trn: z.string().min(1).max(300).optional(),
        input: z.record(z.string(), z.unknown()).optional(),
      }),
  },
  "tokens.list": { scope: "admin", summary: "Tokens by name.", params: none },
  "tokens.revoke": {
    scope: "admin",
    summary: "End a token; its connections are closed.",
    params: () => z.strictObject({ tokenId: z.string().min(1).max(64) }),
  },
  "login.link": {
    scope: "admin",
    summary: "A one-time link that logs a browser in.",
    params: none,
  },
  "login.keep": {
    scope: "admin",
    summary: "Let this browser stay logged in: it signs in with the key that belongs to this public one.",
    /** A key of P-256 as SPKI in base64url. */
    params: () => z.strictObject({ publicKey: z.string().regex(/^[\w-]{100,200}$/) }),
  },
  "login.end": {
    scope: "admin",
    summary: "End the login that a link gave this browser; its connections are closed. Other tokens stay.",
    params: none,
  },
} as const satisfies Record<string, MethodSpec>;

export type MethodName = keyof typeof METHODS;
export const METHOD_NAMES = Object.keys(METHODS) as MethodName[];
export type MethodParams<M extends MethodName> = z.infer<ReturnType<(typeof METHODS)[M]["params"]>>;
