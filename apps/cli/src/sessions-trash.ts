import { fail } from "@elwood/core/base/failure";
import { isId } from "@elwood/core/base/ids";
import { LIMITS } from "@elwood/core/base/limits";
import { foldCase, plainLine } from "@elwood/core/message/session-text";
import type { WireSession } from "@elwood/core/protocol/shapes";
import type { GatewayClient } from "@elwood/sdk/client";
import { canAsk, confirm } from "./confirm.ts";
import { findSession } from "./find-session.ts";
import { EXIT, ownName, type Io } from "./io.ts";
import { counted } from "@elwood/core/base/relative-time";
import { shortKey, tell, type SessionsDeps } from "./sessions-command.ts";
import { table } from "./table.ts";
import { agoText, say, sayCount, timeText } from "./words/say.ts";

const DAYS_KEPT = LIMITS.trashKeptMs / 86_400_000;

/** `elwood sessions delete <session>`: into the trash, from where it can be taken back. */
export async function deleteSession(
  io: Io,
  deps: SessionsDeps,
  options: { readonly session: string; readonly yes: boolean; readonly json: boolean },
): Promise<number> {
  const session = await findSession(deps.client, options.session);
  const { sessionKey } = session;
  const title = plainLine(session.title);
  if (!options.yes) {
    if (!canAsk(io)) {
      fail(
        "INVALID_INPUT",
        `Nobody can be asked here whether "${title}" may be deleted. Nothing was done. If it may: add --yes.`,
      );
    }
    const when = agoText(io, session.updatedAt, deps.clock.now(), deps.timeZone);
    const facts = say(
      io,
      "{0}, last used {1}",
      sayCount(io, session.messageCount, "1 message", "{0} messages"),
      when,
    );
    if (!(await confirm(io, say(io, 'Delete "{0}" ({1})?', title, facts)))) {
      io.stderr.write(`${say(io, "Nothing was deleted.")}\n`);
      return EXIT.denied;
    }
  }
  const { purgeAt } = await deps.client.call("sessions.delete", { sessionKey });
  const restore = `${ownName(io.env)} sessions restore ${sessionKey}`;
  if (options.json) {
    io.stdout.write(`${JSON.stringify({ deleted: sessionKey, purgeAt, restore })}\n`);
  } else {
    const until = timeText(io, purgeAt, deps.timeZone);
    io.stdout.write(
      `${say(io, 'Deleted "{0}". For {1} days, until {2}, it can be brought back with:\n  {3}', title, DAYS_KEPT, until, restore)}\n`,
    );
  }
  return EXIT.ok;
}

/** `elwood sessions restore <session>` */
export async function restoreSession(
  io: Io,
  deps: SessionsDeps,
  options: { readonly session: string; readonly json: boolean },
): Promise<number> {
  const sessionKey = await findDeleted(options.session, deps.client);
  const { session } = await deps.client.call("sessions.restore", { sessionKey });
  return tell(io, options.json, session, say(io, '"{0}" is back.', plainLine(session.title)));
}

/** `elwood sessions list --deleted` */
export async function listDeleted(
  io: Io,
  deps: SessionsDeps,
  options: { readonly json: boolean },
): Promise<number> {
  const sessions = await trash(deps.client);
  if (options.json) {
    io.stdout.write(`${JSON.stringify({ sessions })}\n`);
    return EXIT.ok;
  }
  if (sessions.length === 0) {
    io.stdout.write(
      `${say(io, "The trash is empty. What is deleted stays there for {0} days.", DAYS_KEPT)}\n`,
    );
    return EXIT.ok;
  }
  const now = deps.clock.now();
  const rows = sessions.map(({ sessionKey, title, deletedAt = now }) => [
    shortKey(sessionKey),
    plainLine(title),
    agoText(io, deletedAt, now, deps.timeZone),
    timeText(io, deletedAt + LIMITS.trashKeptMs, deps.timeZone),
  ]);
  io.stdout.write(table(io, COLUMNS, rows));
  io.stderr.write(`${say(io, "Bring one back with: {0} sessions restore <session>", ownName(io.env))}\n`);
  return EXIT.ok;
}

/** The last deleted first. */
async function trash(client: GatewayClient): Promise<readonly WireSession[]> {
  const found: WireSession[] = [];
  for (let before: string | undefined, pages = 0; pages < TRASH_PAGES_MAX; pages++) {
    const page = await client.call("sessions.list", {
      deleted: true,
      limit: LIMITS.pageSizeMax,
      ...(before === undefined ? {} : { before }),
    });
    found.push(...page.sessions);
    before = page.next;
    if (before === undefined) break;
  }
  return found;
}

const TRASH_PAGES_MAX = 50;

const COLUMNS = [
  { title: "SESSION" },
  { title: "TITLE", flexible: true },
  { title: "DELETED" },
  { title: "KEPT UNTIL" },
] as const;

/** A deleted session by its key, a piece of it, or words of its title. A whole key needs no look into the trash. */
async function findDeleted(wanted: string, client: GatewayClient): Promise<string> {
  if (isId("session", wanted)) return wanted;
  const all = await trash(client);
  const byKey = all.filter((s) => s.sessionKey.startsWith(wanted) || s.sessionKey.endsWith(wanted));
  const titled = (s: WireSession) => foldCase(s.title).includes(foldCase(wanted));
  const [match, ...others] = byKey.length > 0 ? byKey : all.filter(titled);
  if (match === undefined) {
    fail(
      "NOT_FOUND",
      `Nothing in the trash fits "${wanted}". Nothing was done. See what is there with: elwood sessions list --deleted`,
    );
  }
  if (others.length === 0) return match.sessionKey;
  const shown = [match, ...others].slice(0, 5).map((s) => `  ${s.sessionKey}  ${plainLine(s.title)}`);
  return fail(
    "INVALID_INPUT",
    `"${wanted}" fits ${counted(others.length + 1, "deleted session")}; write more of its key:\n${shown.join("\n")}`,
  );
}
