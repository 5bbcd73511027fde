import { fail } from "@elwood/core/base/failure";
import { formatLocal } from "@elwood/core/base/local-time";
import type { ApprovalsDeps } from "./approvals-command.ts";
import { canAsk, confirm } from "./confirm.ts";
import { EXIT, ownName, type Io } from "./io.ts";
import { counted } from "@elwood/core/base/relative-time";
import { table } from "./table.ts";

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

/** `elwood stop --all` */
export async function stopAll(
  io: Io,
  deps: ApprovalsDeps,
  options: { readonly yes: boolean; readonly json: boolean },
): Promise<number> {
  if (!options.yes && canAsk(io) && !(await confirm(io, "Stop every run and revoke every grant?")))
    return EXIT.denied;
  const ended = await deps.client.call("gateway.stop_all", {});
  const { runsStopped, jobsPaused = 0, grantsRevoked, failed = 0 } = ended;
  const jobs = jobsPaused === 0 ? "" : ` paused ${counted(jobsPaused, "job")},`;
  if (options.json) io.stdout.write(`${JSON.stringify(ended)}\n`);
  else
    io.stdout.write(
      `Stopped ${counted(runsStopped, "run")},${jobs} revoked ${counted(grantsRevoked, "grant")}.\n`,
    );
  if (failed > 0)
    io.stderr.write(
      `${failed} of them could not be ended; the log says why. Try again, or stop the gateway itself.\n`,
    );
  return failed > 0 ? EXIT.failed : EXIT.ok;
}
