import { access, chmod, constants, lstat, readdir, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import type { StatePaths } from "@elwood/platform/state-paths";
import { finding, ok, type Check, type DoctorContext, type Finding } from "./finding.ts";
import { sizeText } from "@elwood/core/base/size-text";
import { errorCode, isMissing, isMissingPath } from "@elwood/platform/system-error";

const FREE_BYTES_LOW = 500 * 1024 * 1024;
const FREE_BYTES_OUT = 50 * 1024 * 1024;

/** The folder with everything in it: there, its user's own, closed to others, writable, with room. */
export const stateDirectory: Check = {
  area: "state",
  async run(context) {
    const { home } = context.paths;
    const found = await lookAt(home);
    if (found === undefined) {
      return [
        finding(
          "info",
          "state.missing",
          "There is no state directory yet.",
          home,
          "The first start makes it: elwood up",
        ),
      ];
    }
    if (!found.isDirectory()) {
      const fix = "Move that file away, or choose another state directory with ELWOOD_HOME.";
      return [finding("error", "state.kind", "The state directory is not a folder.", home, fix)];
    }
    const parts = [
      ownerFinding(home, found.uid, context),
      modeFinding(home, found.mode),
      await writable(home),
      await space(home),
    ];
    return [...parts, ...(await privateFiles(context.paths))].filter((each) => each !== undefined);
  },
};

function ownerFinding(home: string, owner: number, { uid }: DoctorContext): Finding | undefined {
  if (uid === undefined || owner === uid) return undefined;
  const evidence = `${home} belongs to user ${owner}; this is user ${uid}`;
  const fix = `Run Elwood as user ${owner}, or make the folder yours: sudo chown -R ${uid} ${home}`;
  return finding("error", "state.owner", "The state directory belongs to another user.", evidence, fix);
}

function modeFinding(home: string, mode: number): Finding {
  if ((mode & 0o077) === 0)
    return ok("state.mode", "The state directory is closed to other users.", octal(mode));
  return finding(
    "error",
    "state.mode",
    "Other users of this machine can look into the state directory.",
    `${home} has mode ${octal(mode)}`,
    `chmod 700 ${home}`,
    { did: `closed ${home} to other users (0700)`, run: () => chmod(home, 0o700) },
  );
}

async function writable(home: string): Promise<Finding> {
  try {
    await access(home, constants.R_OK | constants.W_OK | constants.X_OK);
    return ok("state.writable", "The state directory can be written.", home);
  } catch (cause) {
    const readOnly = errorCode(cause) === "EROFS";
    const fix = readOnly
      ? "Mount that disk for writing, or choose another state directory with ELWOOD_HOME."
      : `Give yourself the right to write there: chmod u+rwx ${home}`;
    const evidence = `${home}: ${errorCode(cause) ?? ""}`;
    return finding("error", "state.writable", "The state directory cannot be written.", evidence, fix);
  }
}

async function space(home: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(home);
  const free = bavail * bsize;
  const evidence = `${sizeText(free)} free`;
  if (free >= FREE_BYTES_LOW) return ok("state.space", "There is room on the disk.", evidence);
  const fix = `Free some space on the disk that holds ${home}.`;
  if (free >= FREE_BYTES_OUT)
    return finding("warning", "state.space", "The disk is nearly full.", evidence, fix);
  return finding("error", "state.space", "The disk is full, or as good as full.", evidence, fix);
}

/**
 * Keys and conversations are closed to others one by one too, for the day when somebody
 * opens the folder, or copies it elsewhere.
 */
async function privateFiles(paths: StatePaths): Promise<Finding[]> {
  const listed = await Promise.all([paths.keys, paths.vault].map(filesIn));
  // What anybody may verify the log with is no secret.
  const secret = listed.flat().filter((path) => !path.endsWith(".pub"));
  const files = [paths.database, paths.memoryDatabase, paths.gatewayInfo, ...secret];
  const folders = [paths.keys, paths.vault, paths.sessions, paths.memory, paths.blobs, paths.backups];
  const wanted = [
    ...files.map((path) => ({ path, mode: 0o600 })),
    ...folders.map((path) => ({ path, mode: 0o700 })),
  ];
  const findings: Finding[] = [];
  for (const { path, mode } of wanted) {
    const found = await lookAt(path, lstat);
    // A link is its owner's business: what it points to may belong elsewhere.
    if (found === undefined || found.isSymbolicLink() || (found.mode & 0o077) === 0) continue;
    findings.push(
      finding(
        "warning",
        "state.private",
        "Only the closed state directory around it keeps other users from this.",
        `${path} has mode ${octal(found.mode)}`,
        `chmod ${octal(mode).slice(1)} ${path}`,
        { did: `closed ${path} to other users (${octal(mode)})`, run: () => chmod(path, mode) },
      ),
    );
  }
  return findings;
}

async function filesIn(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(folder, entry.name));
  } catch (cause) {
    if (isMissingPath(cause)) return [];
    throw cause;
  }
}

async function lookAt(path: string, look: typeof stat = stat) {
  try {
    return await look(path);
  } catch (cause) {
    if (isMissing(cause)) return undefined;
    throw cause;
  }
}

export function octal(mode: number): string {
  return `0${(mode & 0o777).toString(8).padStart(3, "0")}`;
}
