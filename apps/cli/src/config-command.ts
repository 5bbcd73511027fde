import { homedir } from "node:os";
import { hint } from "@elwood/core/base/redact";
import { bindFailure } from "@elwood/gateway/config/bind";
import { loadConfig, type LoadedConfig } from "@elwood/gateway/config/load";
import { locate } from "@elwood/gateway/config/locate";
import { leavesOf, type Leaf } from "@elwood/gateway/config/origins";
import type { Flags } from "@elwood/gateway/config/outside-layers";
import { statePaths } from "@elwood/platform/state-paths";
import { isSecretPath, type ConfigProblem } from "@elwood/gateway/config/problem";
import { configSchema } from "@elwood/gateway/config/schema";
import { EXIT, ownName, type Io } from "./io.ts";
import { table } from "./table.ts";
import { visibleText } from "./terminal-text.ts";
import { gatewayText, originText, say } from "./words/say.ts";

export interface ConfigDeps {
  readonly flags: Flags;
  readonly userHome?: string;
  readonly nowMs?: number;
}

/** `elwood config show`: every setting, with `--origin` where its value came from. Secrets only by their last characters. */
export async function showConfig(
  io: Io,
  deps: ConfigDeps,
  options: { readonly origin: boolean; readonly json: boolean },
): Promise<number> {
  const loaded = await load(io, deps);
  if (!loaded.ok) return tellProblems(io, loaded.error, options.json);
  const { config, origins, paths, homeOrigin, file, secrets, notices } = loaded.value;
  const settings = leavesOf(config).map((leaf) => ({ key: leaf.path.join("."), value: masked(leaf) }));
  const kept = [...secrets.values()].map(({ name, value, source }) => ({ name, hint: hint(value), source }));
  if (options.json) {
    const values = Object.fromEntries(
      settings.map(({ key, value }) => [key, { value, origin: origins.get(key) ?? "default" }]),
    );
    writeJson(io, { home: paths.home, homeOrigin, file: file ?? null, values, secrets: kept, notices });
    return EXIT.ok;
  }
  const rows = [
    ["home", paths.home, originText(io, homeOrigin)],
    ...(config.model === undefined
      ? [["model", say(io, "(that of the first provider with a key)"), say(io, "default")]]
      : []),
    ...settings.map(({ key, value }) => [key, shown(value), originText(io, origins.get(key) ?? "default")]),
    ...kept.map((secret) => [secret.name, secret.hint, originText(io, secret.source)]),
  ].map((cells) => cells.map((cell) => oneLine(cell)));
  if (options.origin) {
    io.stdout.write(
      table(io, [{ title: "SETTING" }, { title: "VALUE", flexible: true }, { title: "FROM" }], rows),
    );
  } else {
    io.stdout.write(rows.map(([key, value]) => `${key}: ${value}\n`).join(""));
  }
  tellNotices(io, loaded.value);
  return EXIT.ok;
}

/** `elwood config path`: the file that is read, or the one that a first start would write. */
export async function showConfigPath(
  io: Io,
  deps: ConfigDeps,
  options: { readonly json: boolean },
): Promise<number> {
  const userHome = deps.userHome ?? homedir();
  const at = { flags: deps.flags, env: io.env, cwd: io.cwd, userHome };
  const found = await locate(at, configSchema());
  if (!found.ok) return tellProblems(io, [found.error], options.json);
  const home = found.value.home.path;
  const file = found.value.file ?? statePaths(home).config;
  const exists = found.value.file !== undefined;
  if (options.json) writeJson(io, { file, exists, home });
  else {
    io.stdout.write(`${file}\n`);
    if (!exists)
      io.stderr.write(`${say(io, "It does not exist yet; `{0} up` makes it.", ownName(io.env))}\n`);
  }
  return EXIT.ok;
}

/** `elwood config check`: 0 where Elwood could start with it, 1 where not. */
export async function checkConfig(
  io: Io,
  deps: ConfigDeps,
  options: { readonly json: boolean },
): Promise<number> {
  const loaded = await load(io, deps);
  if (!loaded.ok) return tellProblems(io, loaded.error, options.json);
  const { config, file, secrets, notices } = loaded.value;
  const refused = bindFailure(config.gateway.host, secrets.has("ELWOOD_TOKEN"));
  if (refused !== undefined) return tellProblems(io, [{ text: refused.message }], options.json);
  if (options.json) writeJson(io, { ok: true, file: file ?? null, notices });
  else {
    io.stdout.write(
      `${file === undefined ? say(io, "There is no configuration file; all defaults are fine.") : say(io, "{0} is fine.", file)}\n`,
    );
    tellNotices(io, loaded.value);
  }
  return EXIT.ok;
}

function load(io: Io, deps: ConfigDeps) {
  const { flags, userHome, nowMs } = deps;
  return loadConfig({
    flags,
    env: io.env,
    cwd: io.cwd,
    ...(userHome === undefined ? {} : { userHome }),
    ...(nowMs === undefined ? {} : { nowMs }),
  });
}

function tellProblems(io: Io, problems: readonly ConfigProblem[], json: boolean): number {
  if (json) {
    const message = problems.map((problem) => problem.text).join("\n");
    writeJson(io, {
      error: { reason: "INVALID_INPUT", code: "INVALID_INPUT", message, retryable: false, problems },
    });
    return EXIT.failed;
  }
  for (const problem of problems) io.stderr.write(`${visibleText(gatewayText(io, problem.text))}\n`);
  const file = problems.find((problem) => problem.file !== undefined)?.file;
  if (file !== undefined) io.stderr.write(`\n${say(io, "The file is {0}", file)}\n`);
  return EXIT.failed;
}

function tellNotices(io: Io, { notices }: LoadedConfig): void {
  if (notices.length === 0) return;
  io.stderr.write(
    `\n${notices.map((notice) => `· ${visibleText(gatewayText(io, notice.text))}\n`).join("")}`,
  );
}

/** A setting that may hold a secret shows its last characters, and nothing of what is inside a group. */
function masked(leaf: Leaf): unknown {
  if (!isSecretPath(leaf.path)) return leaf.value;
  return typeof leaf.value === "string" ? hint(leaf.value) : "…";
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function oneLine(text: string): string {
  return visibleText(text).replaceAll(/\s+/g, " ");
}

function writeJson(io: Io, document: unknown): void {
  io.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
}
