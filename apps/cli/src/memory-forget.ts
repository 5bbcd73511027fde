import { fail } from "@elwood/core/base/failure";
import type { MethodParams } from "@elwood/core/protocol/methods";
import type { WireForgetReport } from "@elwood/core/protocol/memory-shapes";
import { canAsk, confirm } from "./confirm.ts";
import { findSession } from "./find-session.ts";
import { EXIT, type Io } from "./io.ts";
import { placeOf } from "./memory-command.ts";
import { paintFor } from "./paint.ts";
import type { SessionsDeps } from "./sessions-command.ts";
import { visibleText } from "./terminal-text.ts";
import { gatewayText, say, sayCount } from "./words/say.ts";

export interface ForgetFlags {
  readonly note?: string;
  readonly word?: string;
  readonly session?: string;
  readonly run?: string;
  readonly backups: boolean;
  readonly dryRun: boolean;
  readonly yes: boolean;
  readonly json: boolean;
}

/** `elwood memory forget`: says what would go, asks, and says what went and what is left. */
export async function forgetMemory(io: Io, deps: SessionsDeps, flags: ForgetFlags): Promise<number> {
  const what = { ...(await whatOf(deps, flags)), ...(flags.backups ? { backups: true } : {}) };
  const plan = await deps.client.call("memory.forget", { ...what, dryRun: true });
  if (flags.dryRun) {
    writeReport(io, plan, flags.json);
    return EXIT.ok;
  }
  if (!flags.yes) {
    if (!canAsk(io))
      fail(
        "INVALID_INPUT",
        "Nobody can be asked here whether that may be forgotten. Nothing was done. Look with --dry-run; if it may: add --yes.",
      );
    writePlan(io, plan);
    if (
      !(await confirm(io, say(io, "Forget {0} for good? It cannot be taken back.", things(io, plan.total))))
    ) {
      io.stderr.write(`${say(io, "Nothing was forgotten.")}\n`);
      return EXIT.denied;
    }
  }
  const report = await deps.client.call("memory.forget", {
    ...what,
    ...(plan.kind === "word" ? { confirm: plan.total } : {}),
  });
  writeReport(io, report, flags.json);
  // What stands in the owner's files, or was said elsewhere in other words, was not to go.
  const own = report.still.filter(({ path }) => !/^(?:workspace|files|backups)\/|^config\.yaml$/.test(path));
  return report.kind === "word" && own.length > 0 ? EXIT.failed : EXIT.ok;
}

type What = Pick<MethodParams<"memory.forget">, "note" | "place" | "turn" | "session" | "word">;

async function whatOf({ client }: SessionsDeps, flags: ForgetFlags): Promise<What> {
  const { note, word, session, run } = flags;
  const given = [note, word, session, run].filter((each) => each !== undefined);
  if (given.length !== 1)
    fail(
      "INVALID_INPUT",
      "Name one thing to forget: a note, a place such as memory/default/home.md#4, --run, --session or --word. Nothing was done.",
    );
  if (word !== undefined) return { word };
  if (session !== undefined) return { session: await sessionNamed(client, session) };
  if (run !== undefined) {
    const { run: found } = await client.call("runs.get", { runId: run });
    return { turn: { sessionKey: found.sessionKey, runId: run } };
  }
  const place = placeOf(note!);
  if (!place) return { note: note! };
  if (place.line === undefined)
    fail(
      "INVALID_INPUT",
      `Say which line: ${place.source}#4. To forget a session whole: --session. Nothing was done.`,
    );
  return { place: { source: place.source, line: place.line } };
}

/** One in the trash is named by its whole key. */
async function sessionNamed(client: SessionsDeps["client"], wanted: string): Promise<string> {
  if (/^ses_[0-9a-z]{26}$/.test(wanted)) return wanted;
  return (await findSession(client, wanted)).sessionKey;
}

function writeReport(io: Io, report: WireForgetReport, json: boolean): void {
  if (json) {
    io.stdout.write(`${JSON.stringify(report)}\n`);
    return;
  }
  if (!report.done) {
    writePlan(io, report, io.stdout);
    return;
  }
  const { files, bytes } = report.searched;
  io.stdout.write(`${say(io, "Forgotten: {0}.", countsIn(io, report) || say(io, "nothing was there"))}\n`);
  const searched = say(
    io,
    "Looked for it in the bytes of {0} ({1} KB)",
    sayCount(io, files, "1 file", "{0} files"),
    Math.ceil(bytes / 1024),
  );
  if (report.still.length === 0) io.stdout.write(`${searched}: ${say(io, "it is in none of them.")}\n`);
  else {
    io.stdout.write(`${searched}. ${say(io, "It is still in:")}\n`);
    for (const { path, why } of report.still)
      io.stdout.write(`  ${visibleText(`${path}: ${gatewayText(io, why)}`)}\n`);
  }
  for (const path of report.unread) io.stdout.write(`  ${say(io, "not searched: {0}", visibleText(path))}\n`);
  io.stdout.write(
    `${say(io, "Out of reach: {0}.", report.outOfReach.map((each) => gatewayText(io, each)).join("; "))}\n`,
  );
}

function writePlan(io: Io, plan: WireForgetReport, to: NodeJS.WritableStream = io.stderr): void {
  const paint = paintFor(io);
  to.write(`${say(io, "Would be forgotten: {0}.", countsIn(io, plan) || say(io, "nothing"))}\n`);
  for (const { kind, source, line, text } of plan.places)
    to.write(`  ${paint("dim", `${KINDS[kind]} ${visibleText(source)}#${line}`)}  ${visibleText(text)}\n`);
  if (plan.places.length > 0 && plan.places.length < plan.total) to.write("  …\n");
  const forms = plan.forms ?? [];
  if (forms.length > 1) to.write(`${say(io, "Found in these words: {0}", visibleText(forms.join(", ")))}\n`);
  if (plan.busy.length > 0)
    to.write(`${say(io, "Not now: something is going on in {0}.", plan.busy.join(", "))}\n`);
  for (const { path, why } of plan.still)
    to.write(`${say(io, "Stays in {0}", visibleText(`${path}: ${gatewayText(io, why)}`))}\n`);
  to.write(
    `${say(io, "Out of reach: {0}.", plan.outOfReach.map((each) => gatewayText(io, each)).join("; "))}\n`,
  );
}

const KINDS: Readonly<Record<WireForgetReport["places"][number]["kind"], string>> = {
  note: "note",
  message: "message",
  recalled: "recalled",
  summary: "summary",
  call: "call",
};

function countsIn(io: Io, { removed }: WireForgetReport): string {
  const { noteLines, notes, sessions, messages, recalls, summaries, calls, approvals, bodies } = removed;
  const { grants, titles, files, copies, backups } = removed;
  const parts: [number, string][] = [
    [sessions, sayCount(io, sessions, "1 session", "{0} sessions")],
    [
      noteLines,
      say(
        io,
        "{0} of {1}",
        sayCount(io, noteLines, "1 line", "{0} lines"),
        sayCount(io, notes, "1 note", "{0} notes"),
      ),
    ],
    [messages, sayCount(io, messages, "1 message", "{0} messages")],
    [recalls, sayCount(io, recalls, "1 recalled passage", "{0} recalled passages")],
    [summaries, sayCount(io, summaries, "1 summary", "{0} summaries")],
    [calls, say(io, "what {0} said", sayCount(io, calls, "1 call", "{0} calls"))],
    [approvals, sayCount(io, approvals, "1 approval card", "{0} approval cards")],
    [bodies, say(io, "contents behind {0}", sayCount(io, bodies, "1 receipt", "{0} receipts"))],
    [grants, say(io, "{0} (revoked)", sayCount(io, grants, "1 grant", "{0} grants"))],
    [titles, sayCount(io, titles, "1 title or preview", "{0} titles and previews")],
    [files, sayCount(io, files, "1 file", "{0} files")],
    [copies, sayCount(io, copies, "1 kept copy", "{0} kept copies")],
    [backups, sayCount(io, backups, "1 backup", "{0} backups")],
  ];
  return parts
    .filter(([n]) => n > 0)
    .map(([, words]) => words)
    .join(", ");
}

function things(io: Io, total: number): string {
  return total === 1 ? say(io, "this one thing") : say(io, "these {0} things", total);
}
