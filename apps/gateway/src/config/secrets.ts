import { open } from "node:fs/promises";
import { join, resolve } from "node:path";
import { LIMITS } from "@elwood/core/base/limits";
import { err, ok, type Result } from "@elwood/core/base/result";
import { DIALECT_ROWS } from "./dialects.ts";
import { apiKeyVariable, KNOWN_PROVIDERS } from "@elwood/providers/known-providers";
import type { Environment } from "./outside-layers.ts";
import type { ConfigProblem, Notice } from "./problem.ts";
import type { StoredSecrets } from "./secrets-file.ts";
import { errorCode, isMissingPath } from "@elwood/platform/system-error";

/** A key or token from outside. `source` says where it came from and is fit to be shown; `value` never is. */
export interface Secret {
  readonly name: string;
  readonly value: string;
  readonly source: string;
}

export interface Secrets {
  readonly found: ReadonlyMap<string, Secret>;
  readonly problems: readonly ConfigProblem[];
  readonly notices: readonly Notice[];
}

const OWNER_TOKEN_CHARS_MIN = LIMITS.guessableTokenChars;

/**
 * Reads every secret we know a name for: the variable itself, then the file that
 * `<NAME>_FILE` names (the value alone, or a line `NAME=value`), then systemd's credential of that name,
 * then what Elwood itself was given to keep. A message about one that
 * cannot be read names the variable and the file, never what is in it.
 */
export async function readSecrets(
  env: Environment,
  cwd: string,
  providers: Iterable<string>,
  forTools: Iterable<string> = [],
  stored: StoredSecrets = new Map(),
): Promise<Secrets> {
  const found = new Map<string, Secret>();
  const problems: ConfigProblem[] = [];
  const notices: Notice[] = [];
  for (const { variable, name, note } of secretNames(providers, [...forTools, ...stored.keys()])) {
    const read = await readSecret(variable, env, cwd, stored);
    if (!read.ok) {
      problems.push(read.error);
      continue;
    }
    if (read.value === undefined) continue;
    const first = found.get(name);
    if (first === undefined) found.set(name, { ...read.value, name });
    else if (first.value !== read.value.value) {
      const text = `${variable} is set, but ${first.source} goes first and differs. ${variable} is not used.`;
      notices.push({ kind: "warning", key: variable, text });
    }
    if (note !== undefined) {
      const text = `${variable} is understood, but has no effect yet (${note}).`;
      notices.push({ kind: "no-effect", key: variable, text });
    }
    if (env[variable] && env[`${variable}_FILE`]) {
      const text = `${variable} and ${variable}_FILE are both set. ${variable} is used.`;
      notices.push({ kind: "warning", key: variable, text });
    }
  }
  const owner = found.get("ELWOOD_TOKEN");
  if (owner !== undefined && owner.value.length < OWNER_TOKEN_CHARS_MIN) {
    const text = `The token from ${owner.source} is short enough to be guessed. Use ${OWNER_TOKEN_CHARS_MIN} characters or more, for example from: openssl rand -hex 24`;
    notices.push({ kind: "warning", key: "ELWOOD_TOKEN", text });
  }
  return { found, problems, notices };
}

function secretNames(providers: Iterable<string>, forTools: Iterable<string>) {
  const names = DIALECT_ROWS.filter((row) => row.into === "secret").map((row) => ({
    variable: row.written,
    name: row.key,
    note: row.effect ? undefined : row.note,
  }));
  for (const provider of new Set([...Object.keys(KNOWN_PROVIDERS), ...providers])) {
    const variable = apiKeyVariable(provider);
    if (!names.some((row) => row.variable === variable)) {
      names.push({ variable, name: variable, note: undefined });
    }
  }
  for (const variable of new Set(forTools)) {
    if (!names.some((row) => row.variable === variable))
      names.push({ variable, name: variable, note: undefined });
  }
  return names;
}

async function readSecret(
  variable: string,
  env: Environment,
  cwd: string,
  stored: StoredSecrets,
): Promise<Result<Omit<Secret, "name"> | undefined, ConfigProblem>> {
  const direct = env[variable];
  if (direct !== undefined && direct !== "") {
    return checked(direct, variable, `environment ${variable}`);
  }
  const named = env[`${variable}_FILE`];
  if (named !== undefined && named !== "") {
    const path = resolve(cwd, named);
    const text = await readSecretFile(path);
    if (!text.ok) return problem(variable, `${variable}_FILE names ${path}, which ${text.error}.`);
    return checked(assigned(text.value, variable) ?? text.value, variable, `file ${path} (${variable}_FILE)`);
  }
  const folder = env["CREDENTIALS_DIRECTORY"];
  for (const file of folder ? new Set([variable, variable.toLowerCase()]) : []) {
    const text = await readSecretFile(join(folder!, file));
    if (text.ok) return checked(text.value, variable, `systemd credential ${file}`);
    if (text.error !== MISSING) return problem(variable, `The systemd credential ${file} ${text.error}.`);
  }
  const kept = stored.get(variable);
  return ok(kept === undefined ? undefined : { value: kept, source: "secrets.env" });
}

/**
 * The value where the file has lines `NAME=value`, as a systemd EnvironmentFile does; so
 * that the shell of the machine can use the file that the service was given. The last
 * line of that name counts, as it does for systemd.
 */
function assigned(text: string, variable: string): string | undefined {
  const lines = text.split(/\r?\n/).map((line) => line.trim().replace(/^export\s+/, ""));
  const line = lines.findLast((each) => each.startsWith(`${variable}=`));
  const value = line?.slice(variable.length + 1).trim();
  return value === undefined ? undefined : (/^(["'])(.*)\1$/.exec(value)?.[2] ?? value);
}

function checked(text: string, variable: string, source: string) {
  const value = text.trim();
  if (value === "") return problem(variable, `${variable} is empty (${source}).`);
  // Printable ASCII: a key travels in a header, and anything else is a copying mistake.
  if (!/^[\x21-\x7e]+$/.test(value)) {
    return problem(
      variable,
      `${variable} (${source}) holds spaces, line breaks or other characters that no key has.`,
    );
  }
  return ok({ value, source });
}

function problem(variable: string, text: string) {
  return err({ key: variable, text });
}

const MISSING = "does not exist";

/** The error completes "which …". */
export async function readSecretFile(
  path: string,
  bytesMax: number = LIMITS.secretBytesMax,
): Promise<Result<string, string>> {
  try {
    const handle = await open(path, "r");
    try {
      const stat = await handle.stat();
      if (stat.isDirectory()) return err("is a folder");
      const buffer = Buffer.alloc(bytesMax + 1);
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, null);
      if (bytesRead > bytesMax) return err("is too large to be a key");
      return ok(buffer.toString("utf8", 0, bytesRead));
    } finally {
      await handle.close();
    }
  } catch (cause) {
    if (isMissingPath(cause)) return err(MISSING);
    const code = errorCode(cause);
    if (code === "EACCES" || code === "EPERM") return err("may not be read by this user");
    return err(`cannot be read (${code ?? "unknown error"})`);
  }
}
