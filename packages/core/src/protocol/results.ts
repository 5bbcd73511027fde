import { replyLogSchema } from "../message/message.ts";
import { z } from "zod";
import { executionResultSchema } from "../action/execution-shapes.ts";
import {
  actionDetailSchema,
  actionSummarySchema,
  connectionSchema,
  importedSchema,
} from "./action-shapes.ts";
import { channelSchema, pairedSchema } from "./channel-shapes.ts";
import { cardSchema } from "./card-shapes.ts";
import type { MethodName } from "./methods.ts";
import {
  bodySchema,
  logHeadSchema,
  receiptProofSchema,
  receiptSchema,
  verificationSchema,
} from "./receipt-shapes.ts";
import { activitySchema, approvalSchema, decidedSchema, grantSchema } from "./approval-shapes.ts";
import { callItemSchema, sessionFileSchema, timelineSchema, wireCallSchema } from "./call-shapes.ts";
import {
  attentionSchema,
  checkpointsSchema,
  configShownSchema,
  detectedSchema,
  doctorSchema,
  logLinesSchema,
  ticketSchema,
  usageSummarySchema,
} from "./owner-shapes.ts";
import { ruleOfTwoSchema } from "../policy/rule-of-two.ts";
import { rehearsalSchema, wireJobSchema, wireOccurrenceSchema } from "./job-shapes.ts";
import { wireCompactionSchema } from "./compaction-shapes.ts";
import { integrationCheckSchema, integrationSchema } from "./integration-shapes.ts";
import { mcpPartSchema, mcpPromptSchema, mcpResourceSchema, mcpServerSchema } from "./mcp-shapes.ts";
import {
  forgetReportSchema,
  memoryStatusSchema,
  noteSummarySchema,
  recalledSchema,
  wireMemoryHitSchema,
  wireNoteSchema,
  wireTurnSchema,
} from "./memory-shapes.ts";
import {
  agentPromptSchema,
  agentSchema,
  profileSchema,
  snapshotSchema,
  tokenSchema,
  wireMessageSchema,
  wireRunSchema,
  wireSessionSchema,
} from "./shapes.ts";
import { settingChangedSchema, settingsSchema, TOOL_RULES } from "./settings-shapes.ts";
import { POLICY_MODES } from "../policy/policy.ts";
import { explanationSchema, reloadedSchema, toolSummarySchema, wireToolSchema } from "./tool-shapes.ts";

const okResult = z.object({ ok: z.literal(true) });
const jobResult = z.object({ job: wireJobSchema });
const begunResult = z.object({
  job: wireJobSchema,
  occurrence: wireOccurrenceSchema,
});
/** What the owner's own rule about this tool says now, and said before. */
const toolRuleResult = z.object({
  toolId: z.string(),
  rule: z.enum(TOOL_RULES),
  previous: z.enum(TOOL_RULES),
});
const sessionResult = z.object({ session: wireSessionSchema });

/** Why nothing can be written, and since when. */
export const storageTroubleSchema = z.object({
  state: z.enum(["full", "readonly"]),
  text: z.string(),
  since: z.number(),
});
export type StorageTrouble = z.infer<typeof storageTroubleSchema>;

/** What each method answers. The gateway does not check itself against these at run time; the conformance suite does. */
export const RESULTS = {
  "health.check": z.object({ status: z.literal("ok"), uptime: z.number() }),
  "gateway.status": z.object({
    version: z.string(),
    protocol: z.number().int(),
    uptime: z.number(),
    model: z.string(),
    demo: z.boolean(),
    /** Why no model can answer; absent where one can. */
    modelProblem: z.string().optional(),
    /** Where the key of that model is from: the name of a variable, or of a file. */
    keyFrom: z.string().optional(),
    /** What the policy does about changes that no rule speaks of. */
    policyMode: z.string().optional(),
    /** Elwood only reads, and why; absent where it can write. */
    storage: storageTroubleSchema.optional(),
    sessions: z.number().int().optional(),
    runsActive: z.number().int(),
    runsQueued: z.number().int(),
    clients: z.number().int(),
    today: z.object({ costUsd: z.number(), tokens: z.number(), unpriced: z.number() }),
    limits: z.record(z.string(), z.number()),
    notices: z.array(z.string()),
  }),
  "gateway.doctor": doctorSchema,
  "gateway.logs": logLinesSchema,
  "config.show": configShownSchema,
  "settings.get": settingsSchema,
  "settings.set": settingChangedSchema,
  "attention.list": attentionSchema,
  "usage.summary": usageSummarySchema,
  "agents.list": z.object({ agents: z.array(agentSchema) }),
  "agents.prompt": agentPromptSchema,
  "agents.save": z.object({ agentId: z.string(), revision: z.string() }),
  "sessions.create": z.object({ sessionKey: z.string(), session: wireSessionSchema }),
  "sessions.list": z.object({ sessions: z.array(wireSessionSchema), next: z.string().optional() }),
  "sessions.get": z.object({
    session: wireSessionSchema,
    messages: z.array(wireMessageSchema),
    /** How many messages stand before these, where only the newest were asked for. */
    earlier: z.number().int().optional(),
    /** Runs that have not ended, with the seq to resume from. */
    runs: z.array(wireRunSchema),
    /** Lines of the transcript file that could not be read. */
    damage: z.array(z.object({ line: z.number(), offset: z.number(), bytes: z.number(), what: z.string() })),
    /** How much of its model's window the session takes, as it was counted last; absent before that. */
    context: z
      .object({
        tokens: z.number().int(),
        /** Of the model that answers here unless a message asks for another. */
        window: z.number().int(),
        /** Nobody told the window; it is taken to be so large. */
        assumed: z.literal(true).optional(),
      })
      .optional(),
    /** Where a shown run is one of several versions. */
    versions: z
      .array(
        z.object({
          runId: z.string(),
          /** All of them, the oldest first. */
          of: z.array(z.string()),
          /** Runs that are not shown, versions or what continued them, whose calls changed something. */
          effects: z.array(z.string()).optional(),
        }),
      )
      .optional(),
    /** Runs of versions that are not shown. */
    hidden: z.array(z.string()).optional(),
  }),
  "sessions.rename": sessionResult,
  "sessions.pin": sessionResult,
  "sessions.archive": sessionResult,
  "sessions.move": sessionResult,
  "sessions.version": sessionResult,
  "sessions.configure": sessionResult,
  "sessions.delete": z.object({ ok: z.literal(true), purgeAt: z.number() }),
  "sessions.restore": sessionResult,
  "sessions.search": z.object({
    hits: z.array(
      z.object({
        session: wireSessionSchema,
        runId: z.string(),
        ts: z.number(),
        role: z.enum(["user", "assistant"]),
        snippet: z.string(),
      }),
    ),
  }),
  "sessions.export": z.object({ filename: z.string(), mime: z.string(), content: z.string() }),
  "sessions.compactions": z.object({ compactions: z.array(wireCompactionSchema) }),
  "sessions.compact": z.object({ runId: z.string(), repeated: z.boolean().optional() }),
  "sessions.uncompact": z.object({ runId: z.string(), repeated: z.boolean().optional() }),
  "sessions.files": z.object({ files: z.array(sessionFileSchema), next: z.string().optional() }),
  "sessions.fork": z.object({ sessionKey: z.string(), session: wireSessionSchema }),
  "chat.send": z.object({ runId: z.string(), repeated: z.boolean().optional() }),
  "chat.retry": z.object({ runId: z.string(), repeated: z.boolean().optional() }),
  "chat.edit": z.object({ runId: z.string(), repeated: z.boolean().optional() }),
  "chat.history": z.object({ messages: z.array(wireMessageSchema), more: z.boolean() }),
  "chat.abort": z.object({ ok: z.boolean(), status: z.string() }),
  "chat.resume": z.object({ snapshot: snapshotSchema, seq: z.number().int() }),
  "runs.get": z.object({ run: wireRunSchema.extend({ ruleOfTwo: ruleOfTwoSchema.optional() }) }),
  "runs.list": z.object({ runs: z.array(wireRunSchema), next: z.string().optional() }),
  "runs.timeline": timelineSchema,
  "runs.activity": z.object({
    activity: z.array(activitySchema),
    evidence: z.string(),
    /** Where the log of receipts stands now. */
    log: replyLogSchema,
    /** The gateway's own sentences for what is not done in the end. */
    sentences: z.array(z.string()),
    /** What came together in the run; absent where it made no call. */
    ruleOfTwo: ruleOfTwoSchema.optional(),
  }),
  "exec.approve": z.object({ ok: z.boolean(), decided: decidedSchema }),
  "exec.deny": z.object({ ok: z.boolean(), decided: decidedSchema }),
  "approvals.list": z.object({ approvals: z.array(approvalSchema), next: z.string().optional() }),
  "approvals.get": z.object({ approval: approvalSchema }),
  "approvals.preview": z.object({ card: cardSchema }),
  "owner.answer": z.object({ ok: z.boolean(), decided: decidedSchema }),
  "owner.ask": z.object({ questionId: z.string(), expiresAt: z.number(), repeated: z.boolean().optional() }),
  "grants.list": z.object({ grants: z.array(grantSchema) }),
  "grants.revoke": okResult,
  "calls.list": z.object({
    calls: z.array(callItemSchema),
    /** So many more there are. */
    leftOut: z.number().int().optional(),
  }),
  "calls.get": z.object({ call: wireCallSchema }),
  "calls.undo": z.object({ ok: z.boolean(), text: z.string() }),
  "gateway.stop_all": z.object({
    runsStopped: z.number().int(),
    jobsPaused: z.number().int().optional(),
    grantsRevoked: z.number().int(),
    /** How many could not be; absent where all could. */
    failed: z.number().int().optional(),
  }),
  "policy.explain": explanationSchema,
  "policy.mode": z.object({
    mode: z.enum(POLICY_MODES),
    previous: z.enum(POLICY_MODES),
    /** Whether it counts at the next start too. */
    kept: z.boolean(),
    /** Why not, and what to do about it. */
    note: z.string().optional(),
  }),
  "tools.list": z.object({
    tools: z.array(toolSummarySchema),
    /** Modules that cannot be loaded, with file and line, and tools that were left out. */
    problems: z.array(z.string()).optional(),
    /** Tools that cannot work here as things are: which, why, and what to do. */
    off: z.array(z.string()).optional(),
  }),
  "tools.get": z.object({ tool: wireToolSchema }),
  "tools.reload": reloadedSchema,
  "tools.disable": toolRuleResult,
  "tools.enable": toolRuleResult,
  "tools.grant": okResult,
  "tools.revoke": okResult,
  "mcp.label": okResult,
  "mcp.login": z.object({ url: z.string().optional(), server: mcpServerSchema.optional() }),
  "mcp.logout": okResult,
  "mcp.resources": z.object({ resources: z.array(mcpResourceSchema) }),
  "mcp.resource": z.object({ part: mcpPartSchema }),
  "mcp.prompts": z.object({ prompts: z.array(mcpPromptSchema) }),
  "mcp.prompt": z.object({ part: mcpPartSchema }),
  "memory.list": z.object({ notes: z.array(noteSummarySchema) }),
  "memory.search": z.object({
    hits: z.array(wireMemoryHitSchema),
    /** Why it was searched by words only, where an embedder is set up. */
    notice: z.string().optional(),
  }),
  "memory.show": z.object({ note: wireNoteSchema.optional(), turns: z.array(wireTurnSchema).optional() }),
  "memory.save": z.object({
    note: wireNoteSchema,
    created: z.boolean(),
    changed: z.boolean(),
    /** Secrets were left out. */
    redacted: z.boolean(),
  }),
  "memory.forget": forgetReportSchema,
  "memory.never": okResult,
  "memory.recalled": recalledSchema,
  "memory.status": memoryStatusSchema,
  "memory.rebuild": memoryStatusSchema,
  "jobs.list": z.object({ jobs: z.array(wireJobSchema) }),
  /** The newest first. */
  "jobs.get": z.object({ job: wireJobSchema, history: z.array(wireOccurrenceSchema) }),
  "jobs.create": jobResult,
  "jobs.update": jobResult,
  /** As it was. */
  "jobs.delete": jobResult,
  "jobs.run": begunResult,
  "jobs.rehearse": z.object({ rehearsal: rehearsalSchema }),
  /** Empty where there is none. */
  "jobs.rehearsal": z.object({ rehearsal: rehearsalSchema.optional() }),
  "jobs.grant": z.object({ grants: z.array(grantSchema) }),
  "jobs.grants": z.object({ grants: z.array(grantSchema) }),
  "jobs.pause": jobResult,
  "jobs.resume": jobResult,
  "jobs.history": z.object({ occurrences: z.array(wireOccurrenceSchema), next: z.string().optional() }),
  /** Without an occurrence where there was nothing to ask; `note` says why. */
  "heartbeat.run": z.object({
    job: wireJobSchema.optional(),
    occurrence: wireOccurrenceSchema.optional(),
    note: z.string().optional(),
  }),
  "connections.list": z.object({ connections: z.array(connectionSchema) }),
  "actions.list": z.object({ actions: z.array(actionSummarySchema) }),
  "actions.get": actionDetailSchema,
  "actions.import": importedSchema,
  "actions.export": z.object({ text: z.string() }),
  "actions.rollback": z.object({ action: actionSummarySchema }),
  "actions.execute": executionResultSchema(),
  "mcp.list": z.object({ servers: z.array(mcpServerSchema) }),
  /** `problem`: it is configured, and could not be used. */
  "mcp.add": z.object({ server: mcpServerSchema, problem: z.string().optional() }),
  "mcp.remove": okResult,
  "mcp.test": z.object({ server: mcpServerSchema }),
  "mcp.restart": z.object({ server: mcpServerSchema }),
  "mcp.logs": z.object({ lines: z.array(z.string()) }),
  "integrations.list": z.object({ integrations: z.array(integrationSchema) }),
  "integrations.setup": z.object({
    integration: integrationSchema,
    account: z.string(),
    notes: z.array(z.string()),
  }),
  "integrations.test": integrationCheckSchema,
  "integrations.enable": z.object({ integration: integrationSchema }),
  "integrations.disable": z.object({ integration: integrationSchema }),
  "assistant.define": z.object({ agentId: z.string() }),
  "assistant.context": z.object({ context: z.unknown() }),
  "tools.register": z.object({
    tools: z.array(
      z.object({
        name: z.string(),
        toolId: z.string(),
        contractHash: z.string(),
        standing: z.enum(["granted", "new", "changed"]),
      }),
    ),
  }),
  /** `accepted` is false where nobody waits for it any more. */
  "tool.result": z.object({ accepted: z.boolean() }),
  "receipts.list": z.object({
    receipts: z.array(receiptSchema),
    /** What calls were about, and why they were asked about, refused or failed, by the id of the receipt that commits to it; what was forgotten is left out. */
    targets: z.record(z.string(), z.string()).optional(),
    /** With `after`: rows that are no receipts any more. */
    unreadable: z
      .array(z.object({ seq: z.number().int(), id: z.string(), unreadable: z.string() }))
      .optional(),
    /** Hand it back as `before`, or as `after`. */
    next: z.number().int().optional(),
  }),
  "receipts.checkpoints": checkpointsSchema,
  "receipts.export_ticket": ticketSchema,
  "receipts.get": z.object({ receipt: receiptSchema, bodies: z.array(bodySchema) }),
  "receipts.verify": z.object({ verdict: verificationSchema, words: z.string() }),
  "receipts.prove": receiptProofSchema,
  "receipts.head": logHeadSchema,
  /** The name of the log by its old key and by its new one. */
  "receipts.rotate_key": z.object({ from: z.string(), to: z.string() }),
  "channels.list": z.object({ channels: z.array(channelSchema) }),
  "channels.test": z.object({
    ok: z.boolean(),
    /** Whose token it is, where it works. */
    account: z.object({ id: z.string(), name: z.string(), link: z.string().optional() }).optional(),
    notes: z.array(z.string()).optional(),
    /** What is wrong, and what to do about it. */
    problem: z.string().optional(),
  }),
  "channels.connect": z.object({ channel: channelSchema }),
  "channels.disconnect": z.object({ channel: channelSchema }),
  "pairing.list": z.object({ people: z.array(pairedSchema) }),
  "pairing.approve": z.object({ person: pairedSchema, approver: z.boolean() }),
  "pairing.remove": z.object({ ok: z.literal(true) }),
  "notify.status": z.object({
    targets: z.array(z.string()),
    quietHours: z.string().optional(),
    /** For `PushManager.subscribe`, in base64url. */
    publicKey: z.string(),
    browsers: z.number(),
  }),
  "notify.subscribe": z.object({ ok: z.boolean() }),
  "notify.unsubscribe": z.object({ ok: z.boolean() }),
  "notify.test": z.object({
    results: z.array(z.object({ target: z.string(), ok: z.boolean(), problem: z.string().optional() })),
  }),
  "blobs.ticket": z.object({ url: z.string(), expiresAt: z.number() }),
  "auth.set": z.object({
    ok: z.literal(true),
    profile: profileSchema,
    model: z.string(),
    ms: z.number(),
    costUsd: z.number().optional(),
  }),
  "auth.test": z.object({
    ok: z.literal(true),
    model: z.string(),
    ms: z.number(),
    costUsd: z.number().optional(),
  }),
  "auth.list": z.object({ profiles: z.array(profileSchema) }),
  "auth.detect": detectedSchema,
  "auth.remove": okResult,
  "auth.prefer": z.object({ profile: profileSchema }),
  "models.at": z.object({
    /** By their own names, in the server's order. */
    models: z.array(z.string()),
  }),
  "models.list": z.object({
    /** Those that can be asked now; none where only the demo answers. */
    providers: z.array(
      z.object({
        provider: z.string(),
        name: z.string(),
        models: z.array(
          z.object({
            /** As `chat.send` takes it. */
            model: z.string(),
            /** How much it takes at once; absent where nobody knows. */
            contextTokens: z.number().int().optional(),
          }),
        ),
        /** So many more models there are. */
        leftOut: z.number().int().optional(),
        /** Why the provider did not tell its models; it may answer nevertheless. */
        problem: z.string().optional(),
      }),
    ),
  }),
  /** The model that would be asked; a name that means none is refused. */
  "models.check": z.object({ model: z.string() }),
  /** What answers from now on, and how the test of it went. */
  "models.use": z.object({ model: z.string(), ms: z.number().optional(), costUsd: z.number().optional() }),
  "tokens.create": z.object({ token: z.string(), info: tokenSchema }),
  "tokens.list": z.object({ tokens: z.array(tokenSchema) }),
  "tokens.revoke": okResult,
  "login.link": z.object({ url: z.string(), expiresAt: z.number() }),
  "login.keep": z.object({ deviceId: z.string(), expiresAt: z.number() }),
  /** `ended` is false where the token is the owner's own or a program's: it still opens Elwood. */
  "login.end": z.object({ ended: z.boolean() }),
} satisfies Record<MethodName, z.ZodType>;

export type MethodResult<M extends MethodName> = z.infer<(typeof RESULTS)[M]>;
