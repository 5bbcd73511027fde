import { confirmWord } from "@elwood/core/card/confirm-word";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { cardOf } from "@elwood/core/card/card";
import { cardAsLine } from "@elwood/core/card/card-text";
import { fail } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import { shown, type Decided, type WireApproval } from "@elwood/core/protocol/approval-shapes";
import { APPROVAL_WORDS, RISK_WORDS, stateWord } from "@elwood/core/base/state-words";
import type { Clock } from "@elwood/runtime/ports/ports";
import type { GatewayClient } from "@elwood/sdk/client";
import { cardText, detailsText, longerLines, outcomeParts, outcomeText } from "./approval-text.ts";
import { canAsk, readLine } from "./confirm.ts";
import { EXIT, ownName, type Io } from "./io.ts";
import { counted } from "@elwood/core/base/relative-time";
import { table } from "./table.ts";
import { cutToWidth, visibleText } from "./terminal-text.ts";
import { agoText, gatewayText, say, spokenCard, stateText } from "./words/say.ts";

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
    io.stdout.write(`${say(io, options.all ? "Nothing was ever asked." : "Nothing waits for you.")}\n`);
    return EXIT.ok;
  }
  const now = deps.clock.now();
  const rows = approvals.map((a) => {
    const pending = a.decided.status === "pending";
    const outcome = outcomeParts(a, deps.timeZone);
    return [
      a.approvalId.slice(-8),
      a.kind === "approval" ? stateText(io, stateWord(RISK_WORDS, a.risk).word) : say(io, "question"),
      cutToWidth(
        pending ? cardAsLine(spokenCard(io, a.card)) : `${outcome.glyph} ${gatewayText(io, outcome.words)}`,
        WHAT_COLUMNS_MAX,
      ),
      agoText(io, a.createdAt, now, deps.timeZone),
      pending || outcome.how === ""
        ? stateText(io, stateWord(APPROVAL_WORDS, a.decided.status).word)
        : gatewayText(io, outcome.how),
    ];
  });
  const columns = [
    { title: "ID" },
    { title: "RISK" },
    { title: "WHAT", flexible: true },
    { title: "ASKED" },
    { title: "STATE" },
  ] as const;
  io.stdout.write(table(io, columns, rows));
  const self = ownName(io.env);
  io.stdout.write(`\n${say(io, "Look at one with: {0} approvals show <id>", self)}\n`);
  return EXIT.ok;
}

/** A row stays a row in a pipe too; all of it is shown by `elwood approvals show`. */
const WHAT_COLUMNS_MAX = 100;

/** `elwood approvals show [id]`: the card as the prompt in the terminal shows it, the rest of what is known with `--details`. */
export async function showApproval(
  io: Io,
  deps: ApprovalsDeps,
  options: { readonly id?: string; readonly details?: boolean; readonly json: boolean },
): Promise<number> {
  const approval = await wanted(io, deps.client, options.id, () => true);
  if (options.json) {
    io.stdout.write(`${JSON.stringify({ approval })}\n`);
    return EXIT.ok;
  }
  const { card, kind, decided, confirm } = approval;
  const pending = decided.status === "pending";
  const self = ownName(io.env);
  const id = approval.approvalId.slice(-8);
  const lines = [
    ...(pending ? [] : [gatewayText(io, outcomeText(approval, deps.timeZone)), ""]),
    cardText(io, io.stdout, card),
    ...(approval.options ?? []).map((option, i) => visibleText(`  ${i + 1}. ${option}`)),
  ];
  if (pending && kind !== "approval")
    lines.push("", say(io, "Answer with: {0}", `${self} approvals answer ${id} "…"`));
  else if (pending) {
    const word = confirm === undefined ? "" : ` --confirm ${quoted(confirm)}`;
    const allow = card.whole ? `${self} approvals allow ${id}${word} | ` : "";
    lines.push(
      "",
      say(io, "Decide with: {0}", `${allow}${self} approvals deny ${id}`),
      ...longerLines(io, card, id),
    );
  }
  if (options.details)
    lines.push(
      "",
      say(io, "Details"),
      detailsText(io, io.stdout, card),
      say(io, "Session: {0}, run {1}", approval.sessionKey, approval.runId),
    );
  else lines.push("", say(io, "All details: {0}", `${self} approvals show ${id} --details`));
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
  await confirmedWord(io, input === undefined ? approval : editedApproval(approval, input), options.confirm);
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
    ...(options.confirm === undefined || approval.confirm === undefined ? {} : { confirm: options.confirm }),
  });
  // Where it came too late, something else ran.
  const ran =
    input === undefined || decided.status !== "approved" ? approval : editedApproval(approval, input);
  const code = tell(io, deps, ran, decided, "approved", options.json);
  if (code === EXIT.ok && !options.json && decided.grantId !== undefined)
    await tellGrant(io, deps.client, decided.grantId);
  return code;
}

/** What runs unasked from now on, for how long, and how that is ended. */
async function tellGrant(io: Io, client: GatewayClient, grantId: string): Promise<void> {
  const { grants } = await client.call("grants.list", { all: false });
  const grant = grants.find((each) => each.grantId === grantId);
  if (!grant) return;
  const end = `${ownName(io.env)} grants revoke ${grantId.slice(-8)}`;
  io.stdout.write(
    `${say(io, "Allowed without asking: {0}. End that with: {1}", visibleText(grant.words), end)}\n`,
  );
}

/**
 * Where somebody sits there, what destroys something is allowed by a typed word, as the page wants
 * its button held. A script that names the call means it; a plan's own word is checked by the gateway.
 */
async function confirmedWord(io: Io, approval: WireApproval, typed: string | undefined): Promise<void> {
  const { card, confirm, decided } = approval;
  const word = confirmWord(card);
  const isOpen = decided.status === "pending" && card.whole;
  if (word === undefined || confirm !== undefined || !isOpen || typed === word || !canAsk(io)) return;
  io.stderr.write(`${cardText(io, io.stderr, card)}\n`);
  const line = await readLine(io, say(io, 'Type "{0}" to allow it: ', word));
  if (line.kind !== "line" || line.text.trim() !== word)
    fail("ABORTED", "That is not the word, so nothing was decided.");
}

function editedApproval(approval: WireApproval, input: unknown): WireApproval {
  const edited = { ...approval, editedInput: shown(input) };
  return { ...edited, card: cardOf(edited) };
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
  return tell(io, deps, approval, decided, "denied", options.json);
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
  return tell(io, deps, question, decided, "answered", options.json);
}

function tell(
  io: Io,
  { timeZone }: ApprovalsDeps,
  approval: WireApproval,
  decided: Decided,
  wanted: Decided["status"],
  json: boolean,
): number {
  const outcome = gatewayText(io, outcomeText({ ...approval, decided }, timeZone));
  if (json) io.stdout.write(`${JSON.stringify({ approvalId: approval.approvalId, decided })}\n`);
  else if (decided.status === wanted) io.stdout.write(`${outcome}\n`);
  else io.stderr.write(`${say(io, "Too late: it was decided before. {0}", outcome)}\n`);
  if (decided.status === wanted) return EXIT.ok;
  return decided.status === "expired" ? EXIT.expired : EXIT.failed;
}

/** The call of this id; without one, the only call that waits. */
function wantedCall(io: Io, client: GatewayClient, id: string | undefined): Promise<WireApproval> {
  return wanted(io, client, id, ({ kind }) => kind === "approval");
}

async function wanted(
  io: Io,
  client: GatewayClient,
  id: string | undefined,
  counts: (approval: WireApproval) => boolean,
): Promise<WireApproval> {
  if (id !== undefined) return findApproval(client, id);
  const { approvals } = await client.call("approvals.list", { status: "pending", limit: LIMITS.pageSizeMax });
  const calls = approvals.filter(counts);
  if (calls.length === 1) return calls[0]!;
  if (calls.length === 0) return fail("NOT_FOUND", "No call waits for you. Nothing was decided.");
  const shown = calls
    .slice(0, WAITING_SHOWN_MAX)
    .map((a) => `  ${a.approvalId.slice(-8)}  ${cardAsLine(a.card)}`);
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

/** As one argument of a shell. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
