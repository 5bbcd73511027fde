import type { Stats } from "node:fs";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { LIMITS } from "@elwood/core/base/limits";
import { err, ok, type Result } from "@elwood/core/base/result";
import { writeFileAtomic } from "@elwood/platform/atomic-file";
import { errorCode, isMissingPath } from "@elwood/platform/system-error";
import type { ConfigProblem, Notice } from "./problem.ts";
import { readSecretFile } from "./secrets.ts";

/**
 * `secrets.env` in the state directory: secrets that Elwood was given on the page or the command line and
 * that the settings name as `${NAME}`. Lines `NAME=value`, readable by the owner alone. A variable of the
 * environment goes before a line of the same name.
 */
export type StoredSecrets = ReadonlyMap<string, string>;

export interface SecretsFile {
  readonly secrets: StoredSecrets;
  readonly notices: readonly Notice[];
}

export const SECRET_NAME = /^[A-Z][A-Z0-9_]{0,63}$/;

/** Printable ASCII without blanks: anything else is a copying mistake, or would end the line. */
export const SECRET_VALUE = /^[\x21-\x7e]+$/;

const REMARK =
  "# Secrets that the settings name as ${NAME}. Written by Elwood; only you can read this file.\n";

export async function readSecretsFile(path: string): Promise<Result<SecretsFile, ConfigProblem>> {
  let info: Stats;
  try {
    info = await stat(path);
  } catch (error) {
    if (isMissingPath(error)) return ok({ secrets: new Map(), notices: [] });
    const code = errorCode(error);
    if (code === undefined) throw error;
    // Not taken for a file that is not there: the next secret would be written over it.
    return err({ text: `${path} cannot be looked at (${code}).`, file: path });
  }
  const text = await readSecretFile(path, LIMITS.secretsFileBytesMax);
  if (!text.ok) return err({ text: `${path} ${text.error}.`, file: path });
  const secrets = new Map<string, string>();
  for (const [i, line] of text.value.split(/\r?\n/).entries()) {
    if (/^\s*(#.*)?$/.test(line)) continue;
    const [, name = "", value = ""] = /^([^=]*)=(.*)$/.exec(line) ?? [];
    if (!SECRET_NAME.test(name) || !SECRET_VALUE.test(value)) {
      const problem = `${basename(path)}:${i + 1} must be a line NAME=value; what was found is not shown.`;
      return err({ text: problem, file: path, line: i + 1 });
    }
    secrets.set(name, value);
  }
  const open = (info.mode & 0o077) !== 0;
  const warning = `${path} holds secrets and can be read by other users of this machine. Close it: chmod 600 ${path}`;
  return ok({ secrets, notices: open ? [{ kind: "warning", text: warning }] : [] });
}

export async function writeSecretsFile(path: string, secrets: StoredSecrets): Promise<void> {
  const lines = [...secrets].map(([name, value]) => `${name}=${value}\n`);
  await writeFileAtomic(path, REMARK + lines.join(""), { mode: 0o600 });
}
