import { fail } from "@elwood/core/base/failure";
import type { MethodParams } from "@elwood/core/protocol/methods";
import type { WireForgetReport } from "@elwood/core/protocol/memory-shapes";
import { canAsk, confirm } from "./confirm.ts";
import { findSession } from "./find-session.ts";
import { EXIT, type Io } from "./io.ts";
import { placeOf } from "./memory-command.ts";
import { paintFor } from "./paint.ts";
import { counted } from "@elwood/core/base/relative-time";
import type { SessionsDeps } from "./sessions-command.ts";
import { visibleText } from "./terminal-text.ts";

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
    if (!(await confirm(io, `Forget ${things(plan.total)} for good? It cannot be taken back.`))) {
      io.stderr.write("Nothing was forgotten.\n");
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
  io.stdout.write(`Forgotten: ${countsIn(report) || "nothing was there"}.\n`);
  const searched = `Looked for it in the bytes of ${counted(files, "file")} (${Math.ceil(bytes / 1024)} KB)`;
  if (report.still.length === 0) io.stdout.write(`${searched}: it is in none of them.\n`);
  else {
    io.stdout.write(`${searched}. It is still in:\n`);
    for (const { path, why } of report.still) io.stdout.write(`  ${visibleText(`${path}: ${why}`)}\n`);
  }
  for (const path of report.unread) io.stdout.write(`  not searched: ${visibleText(path)}\n`);
  io.stdout.write(`Out of reach: ${report.outOfReach.join("; ")}.\n`);
}

function writePlan(io: Io, plan: WireForgetReport, to: NodeJS.WritableStream = io.stderr): void {
  const paint = paintFor(io);
  to.write(`Would be forgotten: ${countsIn(plan) || "nothing"}.\n`);
  for (const { kind, source, line, text } of plan.places)
    to.write(`  ${paint("dim", `${KINDS[kind]} ${visibleText(source)}#${line}`)}  ${visibleText(text)}\n`);
  if (plan.places.length > 0 && plan.places.length < plan.total) to.write("  …\n");
  const forms = plan.forms ?? [];
  if (forms.length > 1) to.write(`Found in these words: ${visibleText(forms.join(", "))}\n`);
  if (plan.busy.length > 0) to.write(`Not now: something is going on in ${plan.busy.join(", ")}.\n`);
  for (const { path, why } of plan.still) to.write(`Stays in ${visibleText(`${path}: ${why}`)}\n`);
  to.write(`Out of reach: ${plan.outOfReach.join("; ")}.\n`);
}

const KINDS: Readonly<Record<WireForgetReport["places"][number]["kind"], string>> = {
  note: "note",
  message: "message",
  recalled: "recalled",
  summary: "summary",
  call: "call",
};

function countsIn({ removed }: WireForgetReport): string {
  const { noteLines, notes, sessions, messages, recalls, summaries, calls, approvals, bodies } = removed;
  const { grants, titles, files, copies, backups } = removed;
  const parts: [number, string][] = [
    [sessions, counted(sessions, "session")],
    [noteLines, `${counted(noteLines, "line")} of ${counted(notes, "note")}`],
    [messages, counted(messages, "message")],
    [recalls, counted(recalls, "recalled passage")],
    [summaries, counted(summaries, "summary", "summaries")],
    [calls, `what ${counted(calls, "call")} said`],
    [approvals, counted(approvals, "approval card")],
    [bodies, `contents behind ${counted(bodies, "receipt")}`],
    [grants, `${counted(grants, "grant")} (revoked)`],
    [titles, counted(titles, "title or preview", "titles and previews")],
    [files, counted(files, "file")],
    [copies, counted(copies, "kept copy", "kept copies")],
    [backups, counted(backups, "backup")],
  ];
  return parts
    .filter(([n]) => n > 0)
    .map(([, words]) => words)
    .join(", ");
}

function things(total: number): string {
  return total === 1 ? "this one thing" : `these ${total} things`;
}
