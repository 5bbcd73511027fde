import { fail } from "@elwood/core/base/failure";
import type { WireSetting } from "@elwood/core/protocol/settings-shapes";
import { RequestError, type GatewayClient } from "@elwood/sdk/client";
import { readSecret } from "./auth-command.ts";
import { canAsk, confirm } from "./confirm.ts";
import { EXIT, type Io } from "./io.ts";
import { table } from "./table.ts";
import { visibleText } from "./terminal-text.ts";
import { gatewayText, originText, say, type Speaking } from "./words/say.ts";

export interface ConfigSetDeps {
  readonly client: GatewayClient;
  /** For tests. */
  readonly askSecret?: Parameters<typeof readSecret>[3];
}

/** `elwood config list`: the settings that can be changed with `config set`, or on the page. */
export async function listSettable(
  io: Io,
  { client }: ConfigSetDeps,
  options: { readonly json: boolean },
): Promise<number> {
  const found = await client.call("settings.get", {});
  if (options.json) {
    io.stdout.write(`${JSON.stringify(found)}\n`);
    return EXIT.ok;
  }
  const rows = found.settings.map((setting) =>
    [
      setting.key,
      shown(io, setting, setting.value),
      originText(io, setting.origin),
      setting.fixed === undefined
        ? setting.effect === "now"
          ? say(io, "at once")
          : say(io, "with the next start")
        : say(io, "not here"),
    ].map((cell) => visibleText(cell).replaceAll(/\s+/g, " ")),
  );
  const columns = [
    { title: "SETTING" },
    { title: "VALUE", flexible: true },
    { title: "FROM" },
    { title: "A CHANGE COUNTS" },
  ] as const;
  io.stdout.write(table(io, columns, rows));
  if (found.problem !== undefined) io.stderr.write(`\n${visibleText(gatewayText(io, found.problem))}\n`);
  return EXIT.ok;
}

/** `elwood config set KEY VALUE`: changes one setting in the owner's file. Without a value, or with `--unset`, its default counts again. */
export async function setConfig(
  io: Io,
  deps: ConfigSetDeps,
  options: {
    readonly key: string;
    readonly value?: string;
    readonly unset: boolean;
    readonly yes: boolean;
    readonly json: boolean;
  },
): Promise<number> {
  const { client } = deps;
  const { key, unset } = options;
  const [setting] = (await client.call("settings.get", { key })).settings;
  if (setting === undefined) return fail("NOT_FOUND", `There is no setting "${key}". Nothing was changed.`);
  const value = unset ? null : await wantedValue(io, deps, setting, options.value);
  const change = { key, value, expected: setting.value };
  const changed = await client.call("settings.set", change).catch(async (error: unknown) => {
    if (!(error instanceof RequestError) || !error.message.includes("confirm: true")) throw error;
    const from = shown(io, setting, setting.value);
    const to = value === null ? say(io, "its default") : shown(io, setting, value);
    const question = say(io, "Change {0} from {1} to {2}? This lets more happen.", key, from, to);
    if (!options.yes) {
      if (!canAsk(io)) return fail("INVALID_INPUT", `This lets more happen. Say --yes to mean it.`);
      if (!(await confirm(io, visibleText(question)))) return undefined;
    }
    return client.call("settings.set", { ...change, confirm: true });
  });
  if (changed === undefined) {
    io.stdout.write(`${say(io, "Nothing was changed.")}\n`);
    return EXIT.ok;
  }
  if (options.json) {
    io.stdout.write(`${JSON.stringify(changed)}\n`);
    return EXIT.ok;
  }
  const now = changed.setting;
  const when = changed.restart ? say(io, " It counts with the next start.") : "";
  io.stdout.write(`${say(io, "{0} is {1} now.", now.key, visibleText(shown(io, now, now.value)))}${when}\n`);
  return EXIT.ok;
}

async function wantedValue(
  io: Io,
  deps: ConfigSetDeps,
  setting: WireSetting,
  text: string | undefined,
): Promise<unknown> {
  if (setting.kind === "secret") {
    // On the command line it would stay in the shell's history, and others could read it meanwhile.
    if (text !== undefined && text !== "-")
      fail(
        "INVALID_INPUT",
        `A key does not belong on the command line. Nothing was changed. Leave it out to be asked for it, or pipe it in: … | elwood config set ${setting.key} -`,
      );
    return readSecret(io, setting.key, text === "-", deps.askSecret);
  }
  if (text === undefined)
    return fail(
      "INVALID_INPUT",
      `Say what ${setting.key} is to be, or --unset to go back to its default. It is ${shown({}, setting, setting.value)}.`,
    );
  return parsed(setting, text);
}

/** As the setting wants it. What cannot be read stays text, which the gateway refuses in words. */
function parsed({ kind }: WireSetting, text: string): unknown {
  const trimmed = text.trim();
  switch (kind) {
    case "number":
      return trimmed !== "" && Number.isFinite(Number(trimmed)) ? Number(trimmed) : text;
    case "switch":
      if (/^(true|yes|on)$/i.test(trimmed)) return true;
      return /^(false|no|off)$/i.test(trimmed) ? false : text;
    case "models":
    case "origins":
      return items(text);
    case "folders":
      return json(text) ?? items(text).map(folder);
    case "rules":
      return json(text) ?? text;
    case "choice":
    case "model":
    case "secret":
    case "text":
    case "zone":
      return trimmed;
    default: {
      const never: never = kind;
      throw new Error(`unknown kind ${String(never)}`);
    }
  }
}

function items(text: string): readonly string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

/** `~/notes` to read, `~/notes:write` to change as well. */
function folder(item: string): unknown {
  return item.endsWith(":write") ? { path: item.slice(0, -":write".length), write: true } : item;
}

function json(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return fail("INVALID_INPUT", "This is not JSON. Nothing was changed.");
    throw error;
  }
}

function shown(io: Speaking, { kind }: WireSetting, value: unknown): string {
  if (kind === "secret") return value === null ? say(io, "not set") : say(io, "set");
  if (value === null) return say(io, "not set");
  return typeof value === "string" ? value : JSON.stringify(value);
}
