import type { GrantConstraint } from "@elwood/core/policy/grant";
import type { WireGrant } from "@elwood/core/protocol/approval-shapes";
import type { WirePlannedCall, WireRehearsal } from "@elwood/core/protocol/job-shapes";
import { showLine } from "@elwood/core/base/show";
import { isEnded } from "@elwood/core/message/session";
import { plainLine } from "@elwood/core/message/session-text";
import { cardText } from "./approval-text.ts";
import { canAsk, confirm } from "./confirm.ts";
import { EXIT, ownName, type Io } from "./io.ts";
import type { JobsDeps } from "./jobs-command.ts";
import { gatewayText, say, sayCount, timeText } from "./words/say.ts";

interface Named {
  readonly name: string;
  readonly json: boolean;
}

/** `elwood jobs rehearse <name>`: waits for the end, and lists what the job would do. */
export async function rehearseJob(io: Io, deps: JobsDeps, { name, json }: Named): Promise<number> {
  const begun = (await deps.client.call("jobs.rehearse", { name })).rehearsal;
  const rehearsal = await untilEnded(deps, name, begun);
  if (json) io.stdout.write(`${JSON.stringify({ rehearsal })}\n`);
  else io.stdout.write(rehearsalText(io, name, rehearsal));
  return rehearsal.status === "failed"
    ? EXIT.failed
    : rehearsal.status === "aborted"
      ? EXIT.interrupted
      : EXIT.ok;
}

async function untilEnded(
  { client, clock }: JobsDeps,
  name: string,
  begun: WireRehearsal,
): Promise<WireRehearsal> {
  let rehearsal = begun;
  let woken = new AbortController();
  const deaf = client.onPush(() => woken.abort());
  try {
    while (!isEnded(rehearsal.status)) {
      woken = new AbortController();
      const found = (await client.call("jobs.rehearsal", { name })).rehearsal;
      // Another one took its place: this one is over.
      if (found?.runId !== begun.runId) return { ...rehearsal, status: "aborted" };
      rehearsal = found;
      if (!isEnded(rehearsal.status)) await clock.sleep(LOOK_AGAIN_MS, woken.signal);
    }
    return rehearsal;
  } finally {
    deaf();
  }
}

const LOOK_AGAIN_MS = 1_000;

function rehearsalText(io: Io, name: string, rehearsal: WireRehearsal): string {
  const { calls, gaps, reads, problem, text } = rehearsal;
  const self = ownName(io.env);
  const lines = [
    say(
      io,
      "Rehearsal of “{0}”: {1} made, nothing changed.",
      plainLine(name),
      sayCount(io, reads, "1 read", "{0} reads"),
    ),
    ...(problem === undefined ? [] : [say(io, "It did not come to its end: {0}", showLine(problem))]),
    "",
    ...calls.flatMap((call, at) => [...callLines(io, call, at + 1), ""]),
    ...(calls.length === 0 ? [say(io, "It would change nothing and ask for nothing."), ""] : []),
    ...gaps.map(showLine),
    ...(text === "" ? [] : [say(io, "It would say:"), "", text, ""]),
  ];
  const first = calls.findIndex(({ constraints }) => constraints.length > 0);
  if (first >= 0)
    lines.push(
      say(io, "Allow a call in the runs of this job:"),
      `  ${self} jobs grant ${JSON.stringify(name)} --call ${first + 1} --per-run 1 --days 30`,
    );
  return `${lines.join("\n")}\n`;
}

function callLines(io: Io, { card, constraints, unasked, never }: WirePlannedCall, number: number): string[] {
  const indent = " ".repeat(MARK_COLUMNS);
  const shown = cardText(io, io.stdout, card).split("\n");
  const choices = constraints.map(({ constraint, words }) => `--${constraint}: ${showLine(words)}`);
  const note = unasked ? [say(io, "would run without asking")] : never === undefined ? choices : [never];
  return [
    ...shown.map((line, n) => `${n === 0 ? `${number}. `.padStart(MARK_COLUMNS) : indent}${line}`),
    ...note.map((line) => `${indent}${line}`),
  ];
}

const MARK_COLUMNS = 4;

/** `elwood jobs grant <name> --call <n…>`: allows calls of the last rehearsal. */
export async function grantCalls(
  io: Io,
  deps: JobsDeps,
  options: Named & {
    readonly numbers: readonly number[];
    readonly constraint: GrantConstraint;
    readonly perRun: number;
    readonly days: number;
    readonly yes: boolean;
  },
): Promise<number> {
  const { name, json, numbers, constraint, perRun, days, yes } = options;
  const self = ownName(io.env);
  const { rehearsal } = await deps.client.call("jobs.rehearsal", { name });
  if (rehearsal === undefined) {
    const rehearse = `${self} jobs rehearse ${JSON.stringify(name)}`;
    io.stderr.write(
      `${say(io, "“{0}” was not rehearsed yet. Nothing was allowed. Rehearse it with: {1}", plainLine(name), rehearse)}\n`,
    );
    return EXIT.failed;
  }
  const found = numbers.map((number) => ({ number, call: rehearsal.calls[number - 1] }));
  const missing = found.find(({ call }) => call === undefined);
  if (missing) {
    const many = sayCount(io, rehearsal.calls.length, "1 call", "{0} calls");
    io.stderr.write(
      `${say(io, "There is no call {0}: the rehearsal listed {1}. Nothing was allowed.", missing.number, many)}\n`,
    );
    return EXIT.usage;
  }
  const calls = found.flatMap(({ call }) => call ?? []);
  const words = calls.map((call) => `  ${boundWords(call, constraint)}`);
  const times = say(
    io,
    "{0} a run, for {1}",
    sayCount(io, perRun, "1 time", "{0} times"),
    sayCount(io, days, "1 day", "{0} days"),
  );
  const allow = say(io, "Allow in every run of “{0}”, up to {1}:", plainLine(name), times);
  const question = `${allow}\n${words.join("\n")}\n${say(io, "Do you mean it?")}`;
  if (!yes && !canAsk(io)) {
    io.stderr.write(`${question} ${say(io, "Nothing was allowed. To answer yes: add --yes.")}\n`);
    return EXIT.denied;
  }
  if (!yes && !(await confirm(io, question))) return EXIT.denied;
  const { grants } = await deps.client.call("jobs.grant", {
    name,
    runId: rehearsal.runId,
    calls: calls.map(({ plannedId }) => ({ plannedId, constraint, perRun, days })),
  });
  if (json) io.stdout.write(`${JSON.stringify({ grants })}\n`);
  else
    for (const grant of grants)
      io.stdout.write(`${say(io, "Allowed: {0}.", gatewayText(io, grant.words))}\n`);
  return EXIT.ok;
}

function boundWords({ card, constraints }: WirePlannedCall, constraint: GrantConstraint): string {
  return constraints.find((each) => each.constraint === constraint)?.words ?? card.title;
}

/** `elwood jobs grants <name>` */
export async function listJobGrants(io: Io, deps: JobsDeps, { name, json }: Named): Promise<number> {
  const { grants } = await deps.client.call("jobs.grants", { name });
  if (json) {
    io.stdout.write(`${JSON.stringify({ grants })}\n`);
    return EXIT.ok;
  }
  if (grants.length === 0)
    io.stdout.write(`${say(io, "“{0}” may do nothing without asking but read.", plainLine(name))}\n`);
  for (const [at, grant] of grants.entries()) io.stdout.write(grantText(io, grant, at + 1, deps));
  return EXIT.ok;
}

function grantText(io: Io, grant: WireGrant, number: number, { timeZone }: JobsDeps): string {
  const { words, uses, expiresAt, problem } = grant;
  const indent = " ".repeat(MARK_COLUMNS);
  const until = expiresAt === undefined ? "" : say(io, ", until {0}", timeText(io, expiresAt, timeZone));
  const lines = [
    `${`${number}. `.padStart(MARK_COLUMNS)}${words}`,
    `${indent}${sayCount(io, uses, "used 1 time", "used {0} times")}${until}`,
    ...(problem === undefined ? [] : [`${indent}! ${problem}`]),
  ];
  return `${lines.join("\n")}\n`;
}

/** `elwood jobs revoke <name> <which>`: by its number in `jobs grants`, or its id; `all` for all of them. */
export async function revokeJobGrants(
  io: Io,
  deps: JobsDeps,
  { name, which, json }: Named & { readonly which: string },
): Promise<number> {
  const { grants } = await deps.client.call("jobs.grants", { name });
  const meant = grants.filter(
    ({ grantId }, at) => which === "all" || which === grantId || which === String(at + 1),
  );
  if (meant.length === 0) {
    const self = ownName(io.env);
    io.stderr.write(
      `${say(io, "“{0}” has no permission {1}. Nothing was revoked. See them with: {2} jobs grants {3}", plainLine(name), plainLine(which), self, JSON.stringify(name))}\n`,
    );
    return EXIT.failed;
  }
  for (const { grantId, words } of meant) {
    await deps.client.call("grants.revoke", { grantId });
    if (!json) io.stdout.write(`${say(io, "Revoked: {0}.", gatewayText(io, words))}\n`);
  }
  if (json) io.stdout.write(`${JSON.stringify({ revoked: meant.map(({ grantId }) => grantId) })}\n`);
  return EXIT.ok;
}
