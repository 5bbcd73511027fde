import { z } from "zod";
import type { ActivityItem } from "../tool/activity.ts";
import type { Approval, ApprovalCard, Grant } from "../policy/approval.ts";
import { GRANTED_HERE } from "../policy/grant.ts";
import type { PlanItem } from "../tool/plan.ts";
import { cardOf } from "../card/card.ts";
import type { CallSummary } from "../card/outcome.ts";
import { plainGlyphs, writtenGlyphs } from "../base/glyphs.ts";
import { showLine as lineOf, showText } from "../base/show.ts";
import { CALL_STATUSES, type Preview } from "../tool/tool.ts";
import { TOOL_LABELS } from "../tool/tool-label.ts";
import { cardSchema } from "./card-shapes.ts";

/** Approvals, grants and activity as they travel. Text that people decide by comes with its tricks written out. */

export const deciderSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("owner"), id: z.string(), surface: z.string() }),
  z.object({ kind: z.literal("grant"), grantId: z.string() }),
  z.object({ kind: z.literal("policy"), rule: z.string() }),
  z.object({ kind: z.literal("expiry") }),
  z.object({ kind: z.literal("none") }),
]);

export const activitySchema = z.object({
  cite: z.string(),
  callId: z.string(),
  toolId: z.string(),
  status: z.enum(CALL_STATUSES),
  approval: z
    .object({
      required: z.boolean(),
      decision: z.enum(["approved", "denied", "expired"]).optional(),
      by: deciderSchema.optional(),
      when: z.number().optional(),
      noted: z.literal(true).optional(),
    })
    .optional(),
  /** The rule that denied it; nobody was asked. */
  blockedBy: z.string().optional(),
  when: z.number(),
  receiptRef: z.string(),
  target: z.string().optional(),
  count: z.number().optional(),
  /** The code with which its program ended, where that was not 0. */
  exitCode: z.number().optional(),
  risk: z.enum(["read", "write", "destructive"]),
  undone: z.boolean().optional(),
  undoes: z.string().optional(),
  parent: z.string().optional(),
  rehearsal: z.literal(true).optional(),
  stopped: z.literal(true).optional(),
  summary: z.string(),
}) satisfies z.ZodType<ActivityItem>;

export const decidedSchema = z.object({
  /** `answered`: a question; nobody approves one by answering it. */
  status: z.enum(["pending", "approved", "answered", "denied", "expired"]),
  decision: z.string().optional(),
  by: deciderSchema.optional(),
  at: z.number().optional(),
  note: z.string().optional(),
  grantId: z.string().optional(),
});
export type Decided = z.infer<typeof decidedSchema>;

export function toDecided(approval: Approval): Decided {
  const { status, decision, decidedBy, decidedAt, note, grantId, card } = approval;
  return {
    status: status === "approved" && card.kind !== "approval" ? "answered" : status,
    ...(decision === undefined ? {} : { decision }),
    ...(decidedBy === undefined ? {} : { by: decidedBy }),
    ...(decidedAt === undefined ? {} : { at: decidedAt }),
    ...(note === undefined ? {} : { note }),
    ...(grantId === undefined ? {} : { grantId }),
  };
}

export const previewSchema = z.object({
  sentence: z.string(),
  before: z.string().optional(),
  after: z.string().optional(),
  subject: z.string().optional(),
  base: z.string().optional(),
  creates: z.boolean().optional(),
  beforeBytes: z.number().int().optional(),
  undoable: z.boolean().optional(),
  reach: z
    .object({
      changes: z.enum(["nothing", "folder", "everything"]),
      network: z.boolean(),
      seconds: z.number(),
    })
    .optional(),
});

export const scopesSchema = z.array(
  z.object({ scope: z.enum(["call", "similar", "tool"]), words: z.string() }),
);

/** Present where the owner may label the tool with their answer. */
export const labelsSchema = z.object({
  suggested: z.enum(TOOL_LABELS).optional(),
  /** What its server says of it. */
  says: z.string().optional(),
});

export const planSchema = z.array(
  z.object({
    toolId: z.string(),
    input: z.unknown(),
    risk: z.string(),
    digest: z.string(),
    summary: z.string(),
    preview: previewSchema.optional(),
    rule: z.string(),
  }),
);

export const approvalSchema = z.object({
  approvalId: z.string(),
  kind: z.enum(["approval", "question", "settle"]),
  callId: z.string(),
  runId: z.string(),
  sessionKey: z.string(),
  /** What the conversation is called that it belongs to. */
  sessionTitle: z.string().optional(),
  toolName: z.string(),
  summary: z.string(),
  details: z.unknown(),
  digest: z.string(),
  risk: z.string(),
  preview: previewSchema.optional(),
  rule: z.string(),
  reason: z.string(),
  /** Where the run was begun that asks. */
  surface: z.string().optional(),
  /** What whoever began that run is called, where it was not the owner. */
  asker: z.string().optional(),
  sources: z.array(z.string()),
  options: z.array(z.string()).optional(),
  decisions: z.array(z.string()),
  /** What a longer decision would cover, narrowest first. */
  scopes: scopesSchema.optional(),
  labels: labelsSchema.optional(),
  /** The calls that a program would make, in its order. */
  plan: planSchema.optional(),
  /** What must be typed to allow it. */
  confirm: z.string().optional(),
  showable: z.boolean(),
  createdAt: z.number(),
  expiresAt: z.number(),
  decided: decidedSchema,
  /** What the owner let run instead of what was asked for. */
  editedInput: z.unknown().optional(),
  /** What people read, made of the rest: the same on every surface. */
  card: cardSchema,
  /** How its call stands, once it was allowed. */
  call: z
    .object({
      status: z.enum(CALL_STATUSES),
      exitCode: z.number().optional(),
      undoneAt: z.number().optional(),
      canUndo: z.boolean(),
    })
    .optional(),
});
export type WireApproval = z.infer<typeof approvalSchema>;

export function toWireApproval(approval: Approval, call?: CallSummary): WireApproval {
  const wire = withoutCard(approval);
  return { ...wire, card: cardOf(wire), ...(call ? { call } : {}) };
}

function withoutCard(approval: Approval): Omit<WireApproval, "card" | "call"> {
  const { card } = approval;
  const { preview } = card;
  return {
    approvalId: approval.id,
    kind: card.kind,
    callId: approval.callId,
    runId: approval.runId,
    sessionKey: approval.sessionId,
    toolName: approval.toolId,
    summary: card.kind === "question" ? plainGlyphs(lineOf(card.summary)) : showLine(card.summary),
    details: shown(card.input),
    digest: approval.digest,
    risk: card.risk,
    ...(preview ? { preview: shownPreview(preview) } : {}),
    rule: card.rule,
    // What a tool said before it broke off may stand in it.
    reason: showLine(card.reason),
    ...(card.surface === undefined ? {} : { surface: showLine(card.surface) }),
    ...(card.asker === undefined ? {} : { asker: showLine(card.asker) }),
    sources: card.sources.map(showLine),
    ...(card.options ? { options: card.options.map((option) => plainGlyphs(showLine(option))) } : {}),
    decisions: [...card.decisions],
    ...(card.scopes
      ? { scopes: card.scopes.map(({ scope, words }) => ({ scope, words: showLine(words) })) }
      : {}),
    ...(card.labels ? { labels: shownLabels(card.labels) } : {}),
    ...(card.plan ? { plan: card.plan.map(shownItem) } : {}),
    ...(card.confirm === undefined ? {} : { confirm: card.confirm }),
    showable: card.showable,
    createdAt: approval.createdAt,
    expiresAt: approval.expiresAt,
    decided: toDecided(approval),
    ...(approval.editedInput === undefined ? {} : { editedInput: shown(approval.editedInput) }),
  };
}

function shownLabels({ says, ...rest }: NonNullable<ApprovalCard["labels"]>) {
  return { ...rest, ...(says === undefined ? {} : { says: showText(says) }) };
}

/** One line in which nothing hides, turns direction or looks like the gateway's own sign. */
function showLine(text: string): string {
  return writtenGlyphs(lineOf(text));
}

function shownItem(item: PlanItem): NonNullable<WireApproval["plan"]>[number] {
  const { toolId, risk, digest, rule, preview } = item;
  const summary = showLine(item.summary);
  const input = shown(item.input);
  return {
    toolId,
    input,
    risk,
    digest,
    summary,
    rule,
    ...(preview ? { preview: shownPreview(preview) } : {}),
  };
}

export function shownPreview({ sentence, before, after, subject, base, ...rest }: Preview): Preview {
  return {
    ...rest,
    sentence: showLine(sentence),
    ...(before === undefined ? {} : { before: showText(before) }),
    ...(after === undefined ? {} : { after: showText(after) }),
    ...(subject === undefined ? {} : { subject: showLine(subject) }),
    ...(base === undefined ? {} : { base: showLine(base) }),
  };
}

/** Every string in it made safe to read; the call itself keeps its own bytes. */
export function shown(value: unknown): unknown {
  if (typeof value === "string") return showText(value);
  if (Array.isArray(value)) return value.map(shown);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [showLine(key), shown(member)]));
}

export const grantSchema = z.object({
  grantId: z.string(),
  toolId: z.string(),
  scope: z.enum(["call", "tool"]),
  words: z.string(),
  sessionKey: z.string().optional(),
  createdAt: z.number(),
  expiresAt: z.number().optional(),
  revokedAt: z.number().optional(),
  uses: z.number().int(),
  /** How often it may be used in one run. */
  usesPerRun: z.number().int().optional(),
  /** The job it is for. */
  jobId: z.string().optional(),
  /** Why it is no longer used, although it was neither revoked nor has ended. */
  problem: z.string().optional(),
  createdBy: deciderSchema,
});
export type WireGrant = z.infer<typeof grantSchema>;

/** `title`: of its session. Whoever reads it is mostly elsewhere, where "this session" says nothing. */
export function toWireGrant(grant: Grant, title?: string): WireGrant {
  const where = title === undefined ? GRANTED_HERE : ` in “${lineOf(title)}”`;
  return {
    grantId: grant.id,
    toolId: grant.toolId,
    scope: grant.scope,
    words: grant.words.replace(GRANTED_HERE, () => where),
    ...(grant.sessionId === undefined ? {} : { sessionKey: grant.sessionId }),
    createdAt: grant.createdAt,
    ...(grant.expiresAt === undefined ? {} : { expiresAt: grant.expiresAt }),
    ...(grant.revokedAt === undefined ? {} : { revokedAt: grant.revokedAt }),
    uses: grant.uses,
    ...(grant.usesPerRun === undefined ? {} : { usesPerRun: grant.usesPerRun }),
    ...(grant.job === undefined ? {} : { jobId: grant.job.id }),
    createdBy: grant.createdBy,
  };
}
