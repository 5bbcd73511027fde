import { DEFAULT_TENANT } from "@elwood/core/base/tenant";
import type { StoredReceipt } from "@elwood/core/receipts/receipt";
import type { Unreadable } from "@elwood/core/receipts/verify-log";
import { plainLine } from "@elwood/core/message/session-text";
import type { Clock } from "@elwood/runtime/ports/ports";
import { commitsOf } from "@elwood/store-sqlite/receipts/receipt-service";
import { textsOf } from "@elwood/store-sqlite/receipts/texts";
import {
  AUDIT_TYPES,
  auditEntry,
  checkedStatus,
  momentOf,
  type AskedReceipts,
} from "@elwood/store-sqlite/receipts/query";
import { EXIT, ownName, type Io } from "./io.ts";
import { paintFor } from "./paint.ts";
import type { StoredReceipts } from "./stored-receipts.ts";
import { table } from "./table.ts";
import { visibleText } from "./terminal-text.ts";
import { fail } from "@elwood/core/base/failure";
import type { GatewayClient } from "@elwood/sdk/client";
import { canAsk, confirm } from "./confirm.ts";
import { say, timeText } from "./words/say.ts";

export interface ReceiptsDeps {
  readonly stored: StoredReceipts;
  readonly clock: Pick<Clock, "now">;
  readonly timeZone: string;
}

export interface ListOptions {
  readonly run?: string;
  readonly call?: string;
  readonly tool?: string;
  readonly status?: string;
  readonly since?: string;
  readonly until?: string;
  readonly limit?: number;
  readonly json: boolean;
}

const LISTED_DEFAULT = 30;

/** `elwood receipts list` */
export async function listReceipts(io: Io, deps: ReceiptsDeps, options: ListOptions): Promise<number> {
  const receipts = deps.stored.list(askedOf(options, deps.clock.now()));
  if (options.json) {
    io.stdout.write(`${JSON.stringify({ receipts })}\n`);
    return EXIT.ok;
  }
  if (receipts.length === 0) {
    io.stdout.write(`${say(io, "There are no such receipts.")}\n`);
    return EXIT.ok;
  }
  io.stdout.write(await receiptTable(io, deps, receipts));
  return EXIT.ok;
}

/** `elwood receipts show <id or number>` */
export async function showReceipt(
  io: Io,
  deps: ReceiptsDeps,
  options: { readonly receipt: string; readonly json: boolean },
): Promise<number> {
  const receipt = deps.stored.find(options.receipt);
  const contents = commitsOf(receipt).map((commit) => ({ commit, body: deps.stored.body(commit) }));
  if (options.json) {
    const bodies = contents.flatMap(({ body }) => (body ? [body] : []));
    io.stdout.write(`${JSON.stringify({ receipt, bodies })}\n`);
    return EXIT.ok;
  }
  const paint = paintFor(io);
  const fields: [string, string | undefined][] = [
    [say(io, "receipt"), `${receipt.seq}  ${receipt.id}`],
    [say(io, "type"), receipt.type],
    [say(io, "when"), `${timeText(io, receipt.ts, deps.timeZone)}  ${new Date(receipt.ts).toISOString()}`],
    [say(io, "by"), say(io, "{0} on {1}", receipt.actor, receipt.surface)],
    [say(io, "run"), receipt.runId],
    [say(io, "call"), receipt.callId],
    [say(io, "about"), (await textsOf(deps.stored, [receipt])).get(receipt.id)],
    [say(io, "follows"), receipt.prevHash],
    [say(io, "hash"), receipt.hash],
  ];
  for (const [name, value] of fields) {
    if (value !== undefined) io.stdout.write(`${paint("dim", name.padEnd(8))} ${plainLine(value)}\n`);
  }
  io.stdout.write(`${visibleText(JSON.stringify(receipt.payload, null, 2))}\n`);
  for (const { commit, body } of contents) {
    const text = body ? visibleText(JSON.stringify(body.value, null, 2)) : say(io, "erased, or never stored");
    io.stdout.write(`${paint("dim", say(io, "behind {0}…", commit.slice(0, 16)))}\n${text}\n`);
  }
  return EXIT.ok;
}

/** `elwood receipts audit [--jsonl]`: every tool run and auth event, oldest first; a view of the receipts. */
export async function auditLog(
  io: Io,
  deps: ReceiptsDeps,
  options: { readonly jsonl: boolean; readonly since?: string; readonly until?: string },
): Promise<number> {
  const now = deps.clock.now();
  const since = options.since === undefined ? 0 : momentOf(options.since, now);
  const until = options.until === undefined ? Number.POSITIVE_INFINITY : momentOf(options.until, now);
  let skipped = 0;
  const targets = new Map<string, string>();
  for (const page of deps.stored.log.pages(DEFAULT_TENANT)) {
    const shown: StoredReceipt[] = [];
    for (const entry of page) {
      if ("unreadable" in entry) skipped += 1;
      else if (AUDIT_TYPES.some((type) => type === entry.type) && entry.ts >= since && entry.ts < until)
        shown.push(entry);
    }
    if (options.jsonl) await addTargets(targets, deps, page);
    if (shown.length === 0) continue;
    if (!options.jsonl) {
      io.stdout.write(await receiptTable(io, deps, shown));
      continue;
    }
    const texts = await textsOf(deps.stored, shown);
    const lines = shown.map((receipt) => {
      const { noteCommit } = receipt.payload;
      const note = typeof noteCommit === "string" ? deps.stored.body(noteCommit)?.value : undefined;
      const about = {
        target: targets.get(receipt.callId ?? ""),
        reason: texts.get(receipt.id),
        ...(typeof note === "string" ? { note } : {}),
      };
      return JSON.stringify(auditEntry(receipt, about));
    });
    io.stdout.write(`${lines.join("\n")}\n`);
  }
  if (skipped === 0) return EXIT.ok;
  io.stderr.write(
    `${say(io, "{0} receipts could not be read: the log was changed. Run: {1} receipts verify", skipped, ownName(io.env))}\n`,
  );
  return EXIT.failed;
}

const TARGETS_MAX = 10_000;

/** What calls are about stands behind their first receipt; the later ones of a call are told with it. */
async function addTargets(
  targets: Map<string, string>,
  { stored }: ReceiptsDeps,
  page: readonly (StoredReceipt | Unreadable)[],
): Promise<void> {
  const receipts = page.filter((entry): entry is StoredReceipt => !("unreadable" in entry));
  const requested = receipts.filter(({ type }) => type === "tool.call.requested");
  const found = await textsOf(stored, requested);
  for (const { id, callId, payload } of requested) {
    const target = found.get(id) ?? payload["target"];
    if (callId === undefined || typeof target !== "string") continue;
    targets.set(callId, target);
    const [oldest] = targets.keys();
    if (targets.size > TARGETS_MAX && oldest !== undefined) targets.delete(oldest);
  }
}

const COLUMNS = [
  { title: "NO", align: "right" },
  { title: "WHEN" },
  { title: "TYPE" },
  { title: "WHAT", flexible: true },
  { title: "BY" },
  { title: "RUN" },
] as const;
const RUN_CHARS = 8;

async function receiptTable(
  io: Io,
  { stored, timeZone }: ReceiptsDeps,
  receipts: readonly StoredReceipt[],
): Promise<string> {
  const targets = await textsOf(stored, receipts);
  const rows = receipts.map((receipt) => [
    String(receipt.seq),
    timeText(io, receipt.ts, timeZone),
    receipt.type,
    plainLine(whatOf(receipt, targets.get(receipt.id))),
    plainLine(`${receipt.actor} · ${receipt.surface}`),
    receipt.runId.slice(-RUN_CHARS),
  ]);
  return table(io, COLUMNS, rows);
}

function whatOf({ payload }: StoredReceipt, target: string | undefined): string {
  const words = [payload["toolId"], target ?? payload["target"] ?? payload["reason"] ?? payload["rule"]];
  return words.filter((word) => typeof word === "string").join(" → ");
}

function askedOf(options: ListOptions, now: number): AskedReceipts {
  return {
    limit: options.limit ?? LISTED_DEFAULT,
    ...(options.run === undefined ? {} : { runId: options.run }),
    ...(options.call === undefined ? {} : { callId: options.call }),
    ...(options.tool === undefined ? {} : { toolId: options.tool }),
    ...(options.status === undefined ? {} : { status: checkedStatus(options.status) }),
    ...(options.since === undefined ? {} : { since: momentOf(options.since, now) }),
    ...(options.until === undefined ? {} : { until: momentOf(options.until, now) }),
  };
}

/** `elwood receipts rotate-key` */
export async function rotateKey(
  io: Io,
  deps: { readonly client: GatewayClient },
  options: { readonly yes: boolean; readonly json: boolean },
): Promise<number> {
  if (!options.yes) {
    if (!canAsk(io))
      fail(
        "INVALID_INPUT",
        "Nobody can be asked here whether the key may be changed. Nothing was done. If it may: add --yes.",
      );
    if (
      !(await confirm(io, say(io, "Sign the receipts with a new key from now on, and destroy the old one?")))
    ) {
      io.stderr.write(`${say(io, "The key was not changed.")}\n`);
      return EXIT.denied;
    }
  }
  const { from, to } = await deps.client.call("receipts.rotate_key", {});
  if (options.json) io.stdout.write(`${JSON.stringify({ from, to })}\n`);
  else {
    const older = say(io, "What the old key signed can still be checked, with the new public key too.");
    io.stdout.write(
      `${say(io, "The receipts are signed with a new key now.")}\n  ${say(io, "was  {0}", from)}\n  ${say(io, "is   {0}", to)}\n${older}\n`,
    );
  }
  return EXIT.ok;
}
