import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { newToken } from "@elwood/platform/system";
import { isMissing } from "@elwood/platform/system-error";

/**
 * The token of the owner's own clients: the one they set, else one generated on the first
 * start into a file that only they can read.
 */
export function ownerToken(path: string, configured: string | undefined): string {
  if (configured !== undefined) return configured;
  const kept = readOwnerToken(path);
  if (kept !== undefined) return kept;
  const token = newToken();
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(path, `${token}\n`, { mode: 0o600, flag: "wx" });
  } catch (error) {
    // Another start was faster; its token is as good.
    const theirs = (error as NodeJS.ErrnoException).code === "EEXIST" ? readOwnerToken(path) : undefined;
    if (theirs === undefined) throw error;
    return theirs;
  }
  return token;
}

export function readOwnerToken(path: string): string | undefined {
  try {
    const token = readFileSync(path, "utf8").trim();
    if (token === "") return undefined;
    chmodSync(path, 0o600);
    return token;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
