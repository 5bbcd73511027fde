import { access, constants, mkdir, stat } from "node:fs/promises";
import { userInfo } from "node:os";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import type { CageReport } from "@elwood/platform/bubblewrap";
import { ToolError } from "@elwood/sdk/tool-answer";
import { cagedCommand } from "./server-cage.ts";
import type { StdioWay } from "./server-settings.ts";

/** Where programs are looked for, whatever `PATH` the gateway itself was started with; last beside its own Node. */
const PROGRAM_FOLDERS = [
  "/usr/local/bin",
  "/usr/bin",
  "/bin",
  "/usr/local/sbin",
  "/usr/sbin",
  "/sbin",
  "/run/current-system/sw/bin",
  "/opt/homebrew/bin",
  dirname(process.execPath),
];

export interface ServerProgram {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly caged: boolean;
  /** For bubblewrap, where it takes one. */
  readonly filter?: Uint8Array | undefined;
}

/** What is handed to the system to start a server. Throws a ToolError where its program is not there. */
export async function serverProgram(
  way: StdioWay,
  own: {
    readonly home: string;
    readonly hidden: readonly string[];
    readonly cage: () => Promise<CageReport>;
  },
): Promise<ServerProgram> {
  const words = way.command.trim().split(/\s+/);
  const program = await findProgram(words[0] ?? "");
  if (program === undefined)
    throw new ToolError(
      "mcp_unavailable",
      `The program ${words[0] ?? ""} was not found among the system's programs. Nothing was started. Install it, or write its full path.`,
    );
  const whole: StdioWay = { ...way, args: [...words.slice(1), ...way.args] };
  await mkdir(own.home, { recursive: true, mode: 0o700 });
  const cwd = way.cwd ?? own.home;
  const env = environment(way, own.home);
  const report = await own.cage();
  if (!report.ok) return { file: program, args: whole.args, env, cwd, caged: false };
  const command = cagedCommand(report.cage, { program, way: whole, home: own.home, cwd, hidden: own.hidden });
  return { ...command, env, cwd: "/", caged: true, filter: report.cage.filter };
}

/** The whole environment of a server: nothing of the gateway's own, and what the settings name. */
function environment(way: StdioWay, home: string): Record<string, string> {
  const { username } = userInfo();
  return {
    LANG: "C.UTF-8",
    LC_ALL: "C.UTF-8",
    TERM: "dumb",
    USER: username,
    LOGNAME: username,
    ...way.env,
    PATH: PROGRAM_FOLDERS.join(delimiter),
    HOME: home,
  };
}

async function findProgram(name: string): Promise<string | undefined> {
  if (name === "" || name.includes("\0")) return undefined;
  const places = name.includes("/")
    ? isAbsolute(name)
      ? [name]
      : []
    : PROGRAM_FOLDERS.map((folder) => join(folder, name));
  for (const path of places) if (await isProgram(path)) return path;
  return undefined;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    if (!(await stat(path)).isFile()) return false;
    await access(path, constants.X_OK);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error) return false;
    throw error;
  }
}
