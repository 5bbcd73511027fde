import { fail } from "@elwood/core/base/failure";
import type { ApprovalsDeps } from "./approvals-command.ts";
import { canAsk, confirm } from "./confirm.ts";
import { EXIT, ownName, type Io } from "./io.ts";
import { counted } from "@elwood/core/base/relative-time";
import { table } from "./table.ts";
import { gatewayText, say, sayCount, timeText } from "./words/say.ts";

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
    io.stdout.write(
      `${say(io, "No standing permission is given. Everything that must be asked is asked each time.")}\n`,
    );
    return EXIT.ok;
  }
  const rows = grants.map((g) => [
    g.grantId.slice(-8),
    gatewayText(io, g.words),
    sayCount(io, g.uses, "1 use", "{0} uses"),
    g.revokedAt !== undefined
      ? say(io, "revoked")
      : g.expiresAt === undefined
        ? say(io, "until revoked")
        : say(io, "until {0}", timeText(io, g.expiresAt, deps.timeZone)),
  ]);
  const columns = [
    { title: "ID" },
    { title: "WHAT", flexible: true },
    { title: "USED" },
    { title: "GOOD" },
  ] as const;
  io.stdout.write(table(io, columns, rows));
  io.stdout.write(`\n${say(io, "End one with: {0} grants revoke <id>", ownName(io.env))}\n`);
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
  else
    io.stdout.write(
      `${say(io, "Revoked: {0}. From now on it is asked again.", gatewayText(io, grant.words))}\n`,
    );
  return EXIT.ok;
}

/** `elwood stop --all` */
export async function stopAll(
  io: Io,
  deps: ApprovalsDeps,
  options: { readonly yes: boolean; readonly json: boolean },
): Promise<number> {
  if (!options.yes && canAsk(io) && !(await confirm(io, say(io, "Stop every run and revoke every grant?"))))
    return EXIT.denied;
  const ended = await deps.client.call("gateway.stop_all", {});
  const { runsStopped, jobsPaused = 0, grantsRevoked, failed = 0 } = ended;
  const jobs =
    jobsPaused === 0 ? "" : ` ${say(io, "paused {0},", sayCount(io, jobsPaused, "1 job", "{0} jobs"))}`;
  if (options.json) io.stdout.write(`${JSON.stringify(ended)}\n`);
  else
    io.stdout.write(
      `${say(io, "Stopped {0},{1} revoked {2}.", sayCount(io, runsStopped, "1 run", "{0} runs"), jobs, sayCount(io, grantsRevoked, "1 grant", "{0} grants"))}\n`,
    );
  if (failed > 0)
    io.stderr.write(
      `${say(io, "{0} of them could not be ended; the log says why. Try again, or stop the gateway itself.", failed)}\n`,
    );
  return failed > 0 ? EXIT.failed : EXIT.ok;
}
