import { open } from "node:fs/promises";
import { fail } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import type { MethodResult } from "@elwood/core/protocol/results";
import { prettyLine } from "@elwood/gateway/log/log";
import { isMissing } from "@elwood/platform/system-error";
import type { Clock } from "@elwood/runtime/ports/ports";
import type { GatewayClient } from "@elwood/sdk/client";
import { EXIT, ownName, useColor, type Io } from "./io.ts";
import { visibleText } from "./terminal-text.ts";
import { say, sayCount } from "./words/say.ts";

export interface LogsDeps {
  /** Undefined where no gateway runs. */
  readonly client: GatewayClient | undefined;
  /** `log.file` of the settings. */
  readonly file: string | undefined;
  readonly clock: Pick<Clock, "sleep">;
  /** Ends following. */
  readonly signal?: AbortSignal;
}

export interface LogsOptions {
  readonly follow: boolean;
  readonly lines?: number;
  readonly level?: string;
  readonly json: boolean;
}

type Line = MethodResult<"gateway.logs">["lines"][number];

const LEVELS = ["error", "warn", "info", "debug"] as const;
const FOLLOW_MS = 500;

/** `elwood logs`: the newest lines of the running gateway, or of the file that the last one wrote. */
export async function showLogs(io: Io, deps: LogsDeps, options: LogsOptions): Promise<number> {
  const limit = options.lines ?? LIMITS.logLinesDefault;
  if (!Number.isInteger(limit) || limit < 1 || limit > LIMITS.logLinesKept)
    fail("INVALID_INPUT", `--lines must be a whole number from 1 to ${LIMITS.logLinesKept}.`);
  const level = options.level ?? "debug";
  const rank = LEVELS.findIndex((each) => each === level);
  if (rank < 0) fail("INVALID_INPUT", `--level must be ${LEVELS.join(", ")}, not "${level}".`);
  const { client } = deps;
  if (!client) return fileLines(io, deps.file, { ...options, limit, rank });

  const show = (lines: readonly Line[]) => {
    for (const line of lines.filter((each) => LEVELS.indexOf(each.level) <= rank))
      io.stdout.write(`${options.json ? JSON.stringify(line) : textOf(line, useColor(io))}\n`);
  };
  let { lines, last } = await client.call("gateway.logs", { limit });
  show(lines);
  while (options.follow && deps.signal?.aborted !== true) {
    await deps.clock.sleep(FOLLOW_MS);
    const more = await client.call("gateway.logs", { after: last, limit: LIMITS.logLinesKept });
    if (more.missed > 0)
      io.stderr.write(
        `${sayCount(io, more.missed, "1 line came too fast to be shown here.", "{0} lines came too fast to be shown here.")}\n`,
      );
    show(more.lines);
    ({ last } = more);
  }
  return EXIT.ok;
}

function textOf({ ts, level, message, fields = {} }: Line, color: boolean): string {
  return prettyLine({ ts: new Date(ts).toISOString(), level, msg: message, fields, color });
}

/** What the last gateway left behind, which helps to see why it ended. */
async function fileLines(
  io: Io,
  file: string | undefined,
  options: LogsOptions & { readonly limit: number; readonly rank: number },
): Promise<number> {
  const self = ownName(io.env);
  const tail = file === undefined ? undefined : await endOf(file);
  if (file === undefined || tail === undefined) {
    const how = `A service's log is in the journal: journalctl --user -u elwood. To keep one in a file, set log.file. Start it with: ${self} up`;
    return fail(
      "NOT_FOUND",
      file === undefined
        ? `Elwood is not running, and keeps its log only while it runs. ${how}`
        : `Elwood is not running, and has not written ${file} yet. ${how}`,
    );
  }
  if (options.follow)
    fail("NOT_FOUND", `Elwood is not running, so there is nothing to follow. Its last lines: ${self} logs`);
  const lines = tail.split("\n").filter((line) => line !== "" && rankOf(line) <= options.rank);
  for (const line of lines.slice(-options.limit)) io.stdout.write(`${visibleText(line)}\n`);
  io.stderr.write(`${say(io, "Elwood is not running. These are the last lines of {0}", file)}\n`);
  return EXIT.ok;
}

/** Of a line of the file; one that is none of ours is shown. */
function rankOf(line: string): number {
  const level = /"level":"([A-Z]+)"/.exec(line)?.[1]?.toLowerCase();
  return LEVELS.findIndex((each) => each === level);
}

const TAIL_BYTES_MAX = 4 * 1024 * 1024;

async function endOf(path: string): Promise<string | undefined> {
  try {
    await using handle = await open(path, "r");
    const { size } = await handle.stat();
    const from = Math.max(0, size - TAIL_BYTES_MAX);
    const bytes = Buffer.alloc(size - from);
    await handle.read(bytes, 0, bytes.length, from);
    const text = bytes.toString("utf8");
    // The first line may be cut.
    return from === 0 ? text : text.slice(text.indexOf("\n") + 1);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
