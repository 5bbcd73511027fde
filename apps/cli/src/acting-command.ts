import { fail } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import { formatLocal } from "@elwood/core/base/local-time";
import type { WireCall } from "@elwood/core/protocol/call-shapes";
import { deedOf } from "@elwood/core/tool/tool-words";
import { unframed } from "@elwood/core/message/untrusted-frame";
import type { GatewayClient } from "@elwood/sdk/client";
import type { ApprovalsDeps } from "./approvals-command.ts";
import { canAsk, confirm } from "./confirm.ts";
import { EXIT, ownName, type Io } from "./io.ts";
import { counted, relativeTime } from "@elwood/core/base/relative-time";
import { table } from "./table.ts";
import { visibleText } from "./terminal-text.ts";

/** `elwood grants list` */
export async function listGrants(
  io: Io,
  deps: ApprovalsDeps,
  options: { readonly all: boolean; readonly json: boolean },
): Promise<number> {
  const { grants } = await deps.client.call("grants.list", { all: options.all });
  if (options.json) {
    io.stdout.write(`${JSON.stringify({ grants })}\n`);
    return EXIT.ok;
  }
  if (grants.length === 0) {
    io.stdout.write("No standing permission is given. Everything that must be asked is asked each time.\n");
    return EXIT.ok;
  }
  const rows = grants.map((g) => [
    g.grantId.slice(-8),
    g.words,
    counted(g.uses, "use"),
    g.revokedAt !== undefined
      ? "revoked"
      : g.expiresAt === undefined
        ? "until revoked"
        : `until ${formatLocal(g.expiresAt, deps.timeZone)}`,
  ]);
  const columns = [{ title: "ID" }, { title: "WHAT", flexible: true }, { title: "USED" }, { title: "GOOD" }];
  io.stdout.write(table(columns, rows, io.stdout.isTTY ? io.stdout.columns : undefined));
  io.stdout.write(`\nEnd one with: ${ownName(io.env)} grants revoke <id>\n`);
  return EXIT.ok;
}

/** `elwood grants revoke <id>` */
export async function revokeGrant(
  io: Io,
  deps: ApprovalsDeps,
  options: { readonly id: string; readonly json: boolean },
): Promise<number> {
  const { grants } = await deps.client.call("grants.list", { all: true });
  const fits = grants.filter((g) => g.grantId === options.id || g.grantId.endsWith(options.id));
  if (fits.length !== 1)
    fail(
      fits.length === 0 ? "NOT_FOUND" : "INVALID_INPUT",
      `"${options.id}" fits ${counted(fits.length, "grant")}. See them with: elwood grants list`,
    );
  const grant = fits[0]!;
  await deps.client.call("grants.revoke", { grantId: grant.grantId });
  if (options.json) io.stdout.write(`${JSON.stringify({ revoked: grant.grantId })}\n`);
  else io.stdout.write(`Revoked: ${grant.words}. From now on it is asked again.\n`);
  return EXIT.ok;
}

/**
 * `elwood undo [call]`: without a call, the last one that can be undone, once somebody at
 * the terminal said yes. Where nobody is there, it says which one that is and does nothing.
 */
export async function undoCall(
  io: Io,
  deps: ApprovalsDeps,
  options: { readonly call?: string; readonly json: boolean },
): Promise<number> {
  const callId = options.call ?? (await offeredUndo(io, deps));
  if (callId === undefined) return EXIT.denied;
  const { ok, text } = await deps.client.call("calls.undo", { callId });
  // What the tool said comes as the model would be told it.
  const said = unframed(text);
  if (options.json) io.stdout.write(`${JSON.stringify({ callId, ok, text: said })}\n`);
  else
    (ok ? io.stdout : io.stderr).write(
      `${ok ? "Undone." : "Not undone."} ${io.stdout.isTTY ? visibleText(said) : said}\n`,
    );
  return ok ? EXIT.ok : EXIT.failed;
}

/** The id of the last call that can be undone, where the owner wants that; undefined where not. */
async function offeredUndo(io: Io, deps: ApprovalsDeps): Promise<string | undefined> {
  const last = await lastUndoable(deps.client);
  if (last === undefined)
    return fail("NOT_FOUND", "There is nothing to undo: no call that can be undone was made lately.");
  const when = relativeTime(last.endedAt ?? last.requestedAt, deps.clock.now(), deps.timeZone);
  const about = last.target === undefined ? "" : ` (${last.target})`;
  const what = `“${deedOf(last.toolId).done}${about}”, ${when}`;
  if (!canAsk(io))
    return fail(
      "INVALID_INPUT",
      `The last call that can be undone is ${what}. Nothing was undone. Undo it with: ${ownName(io.env)} undo ${last.callId}`,
    );
  return (await confirm(io, `Undo ${what}?`)) ? last.callId : undefined;
}

const UNDO_PAGES_MAX = 5;

async function lastUndoable(client: GatewayClient): Promise<WireCall | undefined> {
  const { tools } = await client.call("tools.list", {});
  const undoable = new Set(tools.flatMap(({ toolId, canUndo }) => (canUndo ? [toolId] : [])));
  let before: number | undefined;
  for (let page = 0; page < UNDO_PAGES_MAX; page++) {
    const { receipts, next } = await client.call("receipts.list", {
      types: ["tool.call.succeeded"],
      limit: LIMITS.pageSizeMax,
      ...(before === undefined ? {} : { before }),
    });
    for (const { callId, payload } of receipts) {
      if (callId === undefined || !undoable.has(String(payload["toolId"]))) continue;
      const { call } = await client.call("calls.get", { callId });
      if (call.canUndo) return call;
    }
    if (next === undefined) return undefined;
    before = next;
  }
  return undefined;
}

/** `elwood stop --all` */
export async function stopAll(
  io: Io,
  deps: ApprovalsDeps,
  options: { readonly yes: boolean; readonly json: boolean },
): Promise<number> {
  if (!options.yes && canAsk(io) && !(await confirm(io, "Stop every run and revoke every grant?")))
    return EXIT.denied;
  const ended = await deps.client.call("gateway.stop_all", {});
  const { runsStopped, grantsRevoked, failed = 0 } = ended;
  if (options.json) io.stdout.write(`${JSON.stringify(ended)}\n`);
  else
    io.stdout.write(`Stopped ${counted(runsStopped, "run")}, revoked ${counted(grantsRevoked, "grant")}.\n`);
  if (failed > 0)
    io.stderr.write(
      `${failed} of them could not be ended; the log says why. Try again, or stop the gateway itself.\n`,
    );
  return failed > 0 ? EXIT.failed : EXIT.ok;
}
