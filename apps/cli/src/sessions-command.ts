import { fail } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import type { WireSession } from "@elwood/core/protocol/shapes";
import { foldCase, plainLine } from "@elwood/core/message/session-text";
import type { Clock } from "@elwood/runtime/ports/ports";
import type { GatewayClient } from "@elwood/sdk/client";
import { findSession } from "./find-session.ts";
import { EXIT, ownName, type Io } from "./io.ts";
import { paintFor, type Paint } from "./paint.ts";
import { table } from "./table.ts";
import { extname } from "node:path";
import { visibleText } from "./terminal-text.ts";
import { writeOutput } from "./write-output.ts";
import { agoText, say, sayCount } from "./words/say.ts";

/** What the commands about sessions need. They leave the client open; who opened it closes it. */
export interface SessionsDeps {
  readonly client: GatewayClient;
  readonly clock: Pick<Clock, "now">;
  readonly timeZone: string;
}

const LISTED_DEFAULT = 20;
const LISTED_MAX = 10_000;

/** `elwood sessions list` */
export async function listSessions(
  io: Io,
  deps: SessionsDeps,
  options: { readonly limit?: number; readonly query?: string; readonly json: boolean },
): Promise<number> {
  const limit = checkedLimit(options.limit ?? LISTED_DEFAULT, LISTED_MAX);
  const { sessions, more } = await firstSessions(deps.client, limit, options.query);
  if (options.json) {
    io.stdout.write(`${JSON.stringify({ sessions, more })}\n`);
    return EXIT.ok;
  }
  const self = ownName(io.env);
  if (sessions.length === 0) {
    const query = plainLine(options.query ?? "");
    const empty =
      query === ""
        ? say(io, 'No sessions yet. Begin one with: {0} "hello"', self)
        : say(
            io,
            'No session has "{0}" in its title. Look into what was said with: {1} sessions search {0}',
            query,
            self,
          );
    io.stdout.write(`${empty}\n`);
    return EXIT.ok;
  }
  const now = deps.clock.now();
  const rows = sessions.map((s) => [
    shortKey(s.sessionKey),
    `${s.pinned ? "★ " : ""}${plainLine(s.title)}`,
    s.agentId,
    agoText(io, s.updatedAt, now, deps.timeZone),
    String(s.messageCount),
  ]);
  io.stdout.write(table(io, COLUMNS, rows));
  if (more)
    io.stderr.write(
      `${say(io, "There are more: {0} sessions list --limit {1}", self, Math.min(limit * 5, LISTED_MAX))}\n`,
    );
  return EXIT.ok;
}

const COLUMNS = [
  { title: "SESSION" },
  { title: "TITLE", flexible: true },
  { title: "AGENT" },
  { title: "WHEN" },
  { title: "MESSAGES", align: "right" },
] as const;

/** `elwood sessions search <words>` */
export async function searchSessions(
  io: Io,
  deps: SessionsDeps,
  options: { readonly words: string; readonly limit?: number; readonly json: boolean },
): Promise<number> {
  const query = options.words.trim();
  if (query === "") fail("INVALID_INPUT", "Write what to look for: elwood sessions search <words>");
  const limit = checkedLimit(options.limit ?? LISTED_DEFAULT, LIMITS.pageSizeMax);
  const { hits } = await deps.client.call("sessions.search", { query, limit });
  if (options.json) {
    io.stdout.write(`${JSON.stringify({ query, hits })}\n`);
    return EXIT.ok;
  }
  if (hits.length === 0) {
    io.stdout.write(
      `${say(io, 'Nobody said "{0}" in any session. Fewer or other words may find more.', plainLine(query))}\n`,
    );
    return EXIT.ok;
  }
  const paint = paintFor(io);
  const now = deps.clock.now();
  for (const { session, role, ts, snippet } of hits) {
    const who = role === "user" ? say(io, "you") : say(io, "assistant");
    const when = agoText(io, ts, now, deps.timeZone);
    const head = `${shortKey(session.sessionKey)}  ${paint("bold", plainLine(session.title))}`;
    io.stdout.write(`${head} ${paint("dim", `· ${who}, ${when}`)}\n`);
    io.stdout.write(`    ${marked(plainLine(snippet), plainLine(query), paint)}\n`);
  }
  return EXIT.ok;
}

/** `elwood sessions rename <session> <title>` */
export async function renameSession(
  io: Io,
  deps: SessionsDeps,
  options: { readonly session: string; readonly title: string; readonly json: boolean },
): Promise<number> {
  const title = options.title.trim();
  if (title === "") fail("INVALID_INPUT", "The new title is empty. Nothing was changed.");
  if (title.length > LIMITS.titleCharsMax) {
    fail("INVALID_INPUT", `A title has at most ${LIMITS.titleCharsMax} characters. Nothing was changed.`);
  }
  const before = await findSession(deps.client, options.session);
  const { session } = await deps.client.call("sessions.rename", { sessionKey: before.sessionKey, title });
  return tell(
    io,
    options.json,
    session,
    say(io, '"{0}" is now "{1}".', plainLine(before.title), plainLine(session.title)),
  );
}

/** `elwood sessions pin <session>` and `unpin` */
export async function pinSession(
  io: Io,
  deps: SessionsDeps,
  options: { readonly session: string; readonly pinned: boolean; readonly json: boolean },
): Promise<number> {
  const { pinned } = options;
  const { sessionKey } = await findSession(deps.client, options.session);
  const { session } = await deps.client.call("sessions.pin", { sessionKey, pinned });
  return tell(
    io,
    options.json,
    session,
    say(io, pinned ? '"{0}" is pinned.' : '"{0}" is no longer pinned.', plainLine(session.title)),
  );
}

/** The end of a key: its random part, which tells sessions apart where their beginnings look alike. */
export function shortKey(sessionKey: string): string {
  return sessionKey.slice(-8);
}

export function tell(io: Io, json: boolean, session: WireSession, sentence: string): number {
  io.stdout.write(json ? `${JSON.stringify({ session })}\n` : `${sentence}\n`);
  return EXIT.ok;
}

function checkedLimit(limit: number, max: number): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= max) return limit;
  return fail("INVALID_INPUT", `--limit must be a whole number from 1 to ${max}.`);
}

/** As many sessions as asked for, page by page. */
async function firstSessions(client: GatewayClient, limit: number, query: string | undefined) {
  const sessions: WireSession[] = [];
  let before: string | undefined;
  while (sessions.length < limit) {
    const page = await client.call("sessions.list", {
      limit: Math.min(limit - sessions.length, LIMITS.pageSizeMax),
      ...(query ? { query } : {}),
      ...(before ? { before } : {}),
    });
    sessions.push(...page.sessions);
    before = page.next;
    if (before === undefined || page.sessions.length === 0) break;
  }
  return { sessions, more: before !== undefined };
}

/** The words that were looked for, in bold where they stand as written. */
function marked(snippet: string, query: string, paint: Paint): string {
  const folded = foldCase(snippet);
  const wanted = foldCase(query);
  const at = folded.length === snippet.length ? folded.indexOf(wanted) : -1;
  if (at < 0) return snippet;
  const end = at + wanted.length;
  return `${snippet.slice(0, at)}${paint("bold", snippet.slice(at, end))}${snippet.slice(end)}`;
}

type ExportFormat = "markdown" | "json";

/** `elwood sessions export <session> [--format markdown|json] [-o file]` */
export async function exportSession(
  io: Io,
  deps: SessionsDeps,
  options: {
    readonly session: string;
    readonly format?: string;
    /** A file, a folder, or `-` for stdout, which is also the default. */
    readonly output?: string;
    readonly force: boolean;
  },
): Promise<number> {
  const { output } = options;
  const format = chosenFormat(options.format, output);
  const { sessionKey } = await findSession(deps.client, options.session);
  const { filename, content } = await deps.client.call("sessions.export", { sessionKey, format });
  if (output === undefined || output === "-") {
    io.stdout.write(io.stdout.isTTY ? visibleText(content) : content);
    return EXIT.ok;
  }
  const path = await writeOutput(io, content, { output, filename, mode: 0o600, overwrite: options.force });
  io.stderr.write(`${say(io, "Wrote {0}", path)}\n`);
  return EXIT.ok;
}

function chosenFormat(asked: string | undefined, output: string | undefined): ExportFormat {
  if (asked === "markdown" || asked === "json") return asked;
  if (asked === "md") return "markdown";
  if (asked !== undefined) fail("INVALID_INPUT", `--format must be markdown or json, not "${asked}".`);
  return output !== undefined && extname(output) === ".json" ? "json" : "markdown";
}

/** `elwood sessions fork <session>`: a copy up to its last answer, or up to or before a run. */
export async function forkSession(
  io: Io,
  deps: SessionsDeps,
  options: {
    readonly session: string;
    /** The run, or the end of its id; the last one unless told. */
    readonly run?: string;
    readonly before: boolean;
    readonly json: boolean;
  },
): Promise<number> {
  const { sessionKey, title } = await findSession(deps.client, options.session);
  const { messages, runs } = await deps.client.call("sessions.get", { sessionKey });
  const unfinished = new Set(runs.map(({ runId }) => runId));
  const ids = [...new Set(messages.map(({ runId }) => runId))];
  const wanted = options.run;
  const runId =
    wanted === undefined
      ? ids.findLast((id) => options.before || !unfinished.has(id))
      : ids.find((id) => id === wanted || id.endsWith(wanted));
  if (runId === undefined) {
    fail(
      "NOT_FOUND",
      wanted === undefined
        ? `Nothing was answered in "${plainLine(title)}" yet, so there is nothing to copy.`
        : `No run of "${plainLine(title)}" fits "${wanted}". Nothing was copied.`,
    );
  }
  const { session } = await deps.client.call("sessions.fork", {
    sessionKey,
    runId,
    include: !options.before,
  });
  const copied = sayCount(io, session.messageCount, "1 message", "{0} messages");
  const go = `${ownName(io.env)} -s ${session.sessionKey} "…"`;
  const sentence = say(
    io,
    '"{0}" is a copy with {1}. Go on in it with: {2}',
    plainLine(session.title),
    copied,
    go,
  );
  return tell(io, options.json, session, sentence);
}
