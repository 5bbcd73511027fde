import { extname } from "node:path";
import { fail } from "@elwood/core/base/failure";
import { findSession } from "./find-session.ts";
import { EXIT, type Io } from "./io.ts";
import type { SessionsDeps } from "./sessions-command.ts";
import { visibleText } from "./terminal-text.ts";
import { writeOutput } from "./write-output.ts";

export type ExportFormat = "markdown" | "json";

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
  io.stderr.write(`Wrote ${path}\n`);
  return EXIT.ok;
}

function chosenFormat(asked: string | undefined, output: string | undefined): ExportFormat {
  if (asked === "markdown" || asked === "json") return asked;
  if (asked === "md") return "markdown";
  if (asked !== undefined) fail("INVALID_INPUT", `--format must be markdown or json, not "${asked}".`);
  return output !== undefined && extname(output) === ".json" ? "json" : "markdown";
}
