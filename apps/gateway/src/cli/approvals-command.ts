import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { fail } from "@elwood/core/failure";
import { LIMITS } from "@elwood/core/limits";
import type { Decided, WireApproval } from "@elwood/core/protocol/approval-shapes";
import { APPROVAL_WORDS, RISK_WORDS, stateWord } from "@elwood/core/state-words";
import type { Clock } from "@elwood/runtime/ports";
import type { GatewayClient } from "@elwood/sdk/client";
import { EXIT, ownName, type Io } from "./io.ts";
import { lineDiff } from "./line-diff.ts";
import { paintFor } from "./paint.ts";
import { counted, relativeTime } from "./relative-time.ts";
import { table } from "./table.ts";

export interface ApprovalsDeps {
  readonly client: GatewayClient;
  readonly clock: Pick<Clock, "now">;
  readonly timeZone: string;
}

/** `elwood approvals list` */
export async function listApprovals(
  io: Io,
  deps: ApprovalsDeps,
  options: { readonly all: boolean; readonly json: boolean },
): Promise<number> {
  const { approvals } = await deps.client.call("approvals.list", {
    limit: LIMITS.pageSizeMax,
    ...(options.all ? {} : { status: "pending" }),
  });
  if (options.json) {
    io.stdout.write(`${JSON.stringify({ approvals })}\n`);
    return EXIT.ok;
  }
  if (approvals.length === 0) {
    io.stdout.write(options.all ? "Nothing was ever asked.\n" : "Nothing waits for you.\n");
    return EXIT.ok;
  }
  const now = deps.clock.now();
  const rows = approvals.map((a) => [
    a.approvalId.slice(-8),
    a.kind === "approval" ? stateWord(RISK_WORDS, a.risk).word : "question",
    a.summary,
    relativeTime(a.createdAt, now, deps.timeZone),
    APPROVAL_WORDS[a.decided.status].word,
  ]);
  const columns = [
    { title: "ID" },
    { title: "RISK" },
    { title: "WHAT", flexible: true },
    { title: "ASKED" },
    { title: "STATE" },
  ];
  io.stdout.write(table(columns, rows, io.stdout.isTTY ? io.stdout.columns : undefined));
  const self = ownName(io.env);
  io.stdout.write(`\nLook at one with: ${self} approvals show <id>\n`);
  return EXIT.ok;
}

/** `elwood approvals show <id>`: everything that would run. */
export async function showApproval(
  io: Io,
  deps: ApprovalsDeps,
  options: { readonly id: string; readonly json: boolean },
): Promise<number> {
  const approval = await findApproval(deps.client, options.id);
  if (options.json) {
    io.stdout.write(`${JSON.stringify({ approval })}\n`);
    return EXIT.ok;
  }
  const paint = paintFor(io);
  const { preview, decided } = approval;
  const lines = [
    paint("bold", approval.summary),
    "",
    `id       ${approval.approvalId}`,
    `tool     ${approval.toolName} (${approval.risk})`,
    `why      ${approval.reason} (${approval.rule})`,
    ...approval.sources.map((source, i) => `${i === 0 ? "read" : "    "}     ${source}`),
    `session  ${approval.sessionKey}, run ${approval.runId}`,
    `digest   ${approval.digest}`,
    `state    ${stateOf(decided)}`,
    "",
    JSON.stringify(approval.details, null, 2),
  ];
  if (preview?.after !== undefined || preview?.before !== undefined) {
    lines.push(
      "",
      ...lineDiff(preview.before ?? "", preview.after ?? "", (style, text) => paint(style, text)),
    );
  }
  for (const [i, item] of (approval.plan ?? []).entries()) {
    lines.push("", paint("bold", `${i + 1}. ${item.summary}`), `   ${item.toolId} (${item.risk})`);
    lines.push(
      ...JSON.stringify(item.input, null, 2)
        .split("\n")
        .map((line) => `   ${line}`),
    );
  }
  if (approval.confirm !== undefined && decided.status === "pending")
    lines.push("", `It destroys something: allow it with --confirm ${approval.confirm}`);
  for (const { scope, words } of approval.scopes ?? [])
    lines.push("", `For longer (--for or --always, with --scope ${scope}): ${words}`);
  if (!approval.showable) lines.push("", "This call is too long to be shown whole, so it cannot be allowed.");
  if (decided.status === "pending") {
    const self = ownName(io.env);
    lines.push(
      "",
      approval.kind === "approval"
        ? `Decide with: ${self} approvals allow ${options.id} | ${self} approvals deny ${options.id}`
        : `Answer with: ${self} approvals answer ${options.id} "…"`,
    );
  }
  io.stdout.write(`${lines.join("\n")}\n`);
  return EXIT.ok;
}

/** `elwood approvals allow [id]` */
export async function allowApproval(
  io: Io,
  deps: ApprovalsDeps,
  options: {
    readonly id?: string;
    readonly always: boolean;
    readonly minutes?: number;
    readonly scope?: string;
    /** JSON, or `@file`. */
    readonly input?: string;
    readonly note?: string;
    readonly confirm?: string;
    readonly json: boolean;
  },
): Promise<number> {
  const approval = await wantedCall(io, deps.client, options.id);
  const scope = options.scope === undefined ? undefined : checkedScope(options.scope);
  const input = options.input === undefined ? undefined : parsedInput(options.input, io.cwd);
  const { decided } = await deps.client.call("exec.approve", {
    approvalId: approval.approvalId,
    decision: options.always ? "always" : options.minutes === undefined ? "once" : "window",
    ...(options.minutes === undefined && scope === undefined
      ? {}
      : {
          window: {
            ...(options.minutes === undefined ? {} : { minutes: options.minutes }),
            ...(scope ? { scope } : {}),
          },
        }),
    ...(input === undefined ? {} : { input }),
    ...(options.note === undefined ? {} : { note: options.note }),
    ...(options.confirm === undefined ? {} : { confirm: options.confirm }),
  });
  return tell(io, approval, decided, "approved", options.json);
}

/** `elwood approvals deny [id]` */
export async function denyApproval(
  io: Io,
  deps: ApprovalsDeps,
  options: { readonly id?: string; readonly note?: string; readonly json: boolean },
): Promise<number> {
  const approval = await wantedCall(io, deps.client, options.id);
  const { decided } = await deps.client.call("exec.deny", {
    approvalId: approval.approvalId,
    ...(options.note === undefined ? {} : { reason: options.note }),
  });
  return tell(io, approval, decided, "denied", options.json);
}

/** `elwood approvals answer <id> <text>` */
export async function answerQuestion(
  io: Io,
  deps: ApprovalsDeps,
  options: { readonly id: string; readonly answer: string; readonly json: boolean },
): Promise<number> {
  const question = await findApproval(deps.client, options.id);
  const { decided } = await deps.client.call("owner.answer", {
    questionId: question.approvalId,
    answer: options.answer,
  });
  return tell(io, question, decided, "approved", options.json);
}

function tell(
  io: Io,
  approval: WireApproval,
  decided: Decided,
  wanted: Decided["status"],
  json: boolean,
): number {
  if (json) io.stdout.write(`${JSON.stringify({ approvalId: approval.approvalId, decided })}\n`);
  else if (decided.status === wanted)
    io.stdout.write(`${approval.summary.replace(/\.$/, "")}: ${stateOf(decided)}.\n`);
  else io.stderr.write(`Too late: it was decided before. It is ${stateOf(decided)}.\n`);
  if (decided.status === wanted) return EXIT.ok;
  return decided.status === "expired" ? EXIT.expired : EXIT.failed;
}

function stateOf(decided: Decided): string {
  const { status, by, decision } = decided;
  const { word } = APPROVAL_WORDS[status];
  if (status === "pending") return word;
  const who = by?.kind === "owner" ? ` by ${by.id} on ${by.surface}` : "";
  const how = decision === undefined || decision === "once" ? "" : ` (${decision})`;
  return `${word}${how}${who}`;
}

/** The call of this id; without one, the only call that waits. */
async function wantedCall(io: Io, client: GatewayClient, id: string | undefined): Promise<WireApproval> {
  if (id !== undefined) return findApproval(client, id);
  const { approvals } = await client.call("approvals.list", { status: "pending", limit: LIMITS.pageSizeMax });
  const calls = approvals.filter(({ kind }) => kind === "approval");
  if (calls.length === 1) return calls[0]!;
  if (calls.length === 0) return fail("NOT_FOUND", "No call waits for you. Nothing was decided.");
  const shown = calls.slice(0, WAITING_SHOWN_MAX).map((a) => `  ${a.approvalId.slice(-8)}  ${a.summary}`);
  const rest = calls.length - shown.length;
  return fail(
    "INVALID_INPUT",
    `${counted(calls.length, "call")} wait for you. Nothing was decided; say which by its id:\n${shown.join("\n")}${rest > 0 ? `\n  and ${rest} more: ${ownName(io.env)} approvals list` : ""}`,
  );
}

const WAITING_SHOWN_MAX = 10;

/** By id, or by its last characters as the list shows them. */
async function findApproval(client: GatewayClient, wanted: string): Promise<WireApproval> {
  if (wanted.startsWith("apr_")) return (await client.call("approvals.get", { approvalId: wanted })).approval;
  const { approvals } = await client.call("approvals.list", { limit: LIMITS.pageSizeMax });
  const fits = approvals.filter((a) => a.approvalId.endsWith(wanted));
  if (fits.length === 1) return fits[0]!;
  if (fits.length === 0)
    return fail("NOT_FOUND", `No approval fits "${wanted}". See them with: elwood approvals list --all`);
  return fail("INVALID_INPUT", `"${wanted}" fits ${counted(fits.length, "approval")}; write more of its id.`);
}

function checkedScope(scope: string): "call" | "similar" | "tool" {
  if (scope === "call" || scope === "similar" || scope === "tool") return scope;
  return fail(
    "INVALID_INPUT",
    '--scope is "call" (only with these very arguments), "similar" (calls like it, where the card offers that) or "tool" (any input of the tool).',
  );
}

function parsedInput(text: string, cwd: string): unknown {
  const json = text.startsWith("@") ? readFileSync(resolve(cwd, text.slice(1)), "utf8") : text;
  try {
    return JSON.parse(json) as unknown;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return fail("INVALID_INPUT", "--input is not valid JSON. Nothing was decided.");
  }
}
