import { isDeepStrictEqual } from "node:util";
import { fail, FailureError } from "@elwood/core/base/failure";
import { closest } from "@elwood/core/base/suggest";
import type { MethodResult } from "@elwood/core/protocol/results";
import type { ToolRule, WireSetting } from "@elwood/core/protocol/settings-shapes";
import { matchesTool, resolveToolName } from "@elwood/core/tool/tool";
import type { Person } from "@elwood/runtime/ports/ports";
import type { ConfigWriter, SettingChange, SettingsNow } from "../config/config-writer.ts";
import type { LiveSettings } from "../config/live-settings.ts";
import type { LoadedConfig } from "../config/load.ts";
import { DEFAULTS } from "../config/schema.ts";
import { POLICY_KEYS, SETTABLE, type Settable } from "./settable.ts";

export interface SettingsServiceDeps {
  readonly config: ConfigWriter;
  readonly live: LiveSettings;
  /** Makes a change count whose receipt is written and whose value `live` has; `rules`: also of what tools may do. */
  readonly apply: (key: string, change: { readonly rules: boolean }) => Promise<void>;
}

/** Who changes something, and what they may. */
export interface Changer {
  readonly by: Person;
  readonly mayApprove: boolean;
  /** They said that they mean to loosen. */
  readonly confirm: boolean;
}

/**
 * Settings, as their owner changes them without an editor.
 *
 * S1 A change is made from the value that was seen. Where the file has another one by now, nothing is changed.
 * S2 What lets more happen needs the scope `approve`, and somebody who says that they mean it.
 * S3 It is in the owner's file, and on record, before it counts.
 * S4 A change that cannot count at once says so, and what runs keeps the value it has.
 */
export class SettingsService {
  readonly #deps: SettingsServiceDeps;

  constructor(deps: SettingsServiceDeps) {
    this.#deps = deps;
  }

  async get(key?: string): Promise<MethodResult<"settings.get">> {
    const wanted = key === undefined ? SETTABLE : [settableOf(key)];
    const { live, config } = this.#deps;
    const now = await config.look();
    if (now.ok) {
      const settings = wanted.map((each) => shown(each, now.value, live.loaded));
      return { file: now.value.file, settings };
    }
    const { paths, file } = live.loaded;
    const problem = now.error.message;
    const settings = wanted.map((each) => ({ ...inUse(each, live.loaded), fixed: problem }));
    return { file: file ?? paths.config, settings, problem };
  }

  async set(
    key: string,
    wanted: unknown,
    expected: unknown,
    changer: Changer,
  ): Promise<MethodResult<"settings.set">> {
    const settable = settableOf(key);
    const now = await this.#look();
    const before = valueOf(settable, now.loaded);
    if (!isDeepStrictEqual(before, expected))
      fail(
        "CONFLICT",
        `\`${key}\` was changed meanwhile: it is ${inWords(settable, before)} now. Nothing was changed. Look at it again, then decide.`,
      );
    const after = wanted === null ? defaultOf(settable) : wanted;
    if (settable.looser?.(before, after) === true) mayLoosen(changer, `\`${key}\``);
    const written = await this.#write(settable, wanted, now, changer.by);
    await this.#count(settable, written);
    const [setting] = (await this.get(key)).settings;
    return { setting: setting!, restart: !settable.now };
  }

  /** What the owner's own rule about one tool says. */
  toolRule(toolId: string): ToolRule {
    return ruleIn(this.#deps.live.loaded, toolId);
  }

  /** Puts the owner's own rule about one tool; rules for many tools at once stay, and still count. */
  async setToolRule(toolId: string, rule: ToolRule, changer: Changer) {
    const now = await this.#look();
    const previous = ruleIn(now.loaded, toolId);
    const { policy, permissions } = now.loaded.config;
    const others = policy.rules.filter(({ tool }) => (resolveToolName(tool) ?? tool) !== toolId);
    const wider = now.loaded.rules.find(
      (each) => each.tool !== toolId && each.decision === "deny" && matchesTool(each.tool, toolId),
    );
    if (wider && rule !== "deny")
      fail(
        "CONFLICT",
        `${toolId} is denied by a rule for ${wider.tool} (${wider.origin}). Nothing was changed. Change that rule first.`,
      );
    if (STRICTNESS.indexOf(rule) < STRICTNESS.indexOf(previous)) mayLoosen(changer, toolId);
    const older = Object.keys(permissions?.toolPolicy ?? {}).filter(
      (name) => (resolveToolName(name) ?? name) === toolId,
    );
    const rules = rule === "usual" ? others : [...others, { tool: toolId, decision: rule }];
    const settings: SettingChange[] = [
      { path: ["policy", "rules"], value: rules.length === 0 ? undefined : rules },
      ...older.map((name) => ({ path: ["permissions", "toolPolicy", name], value: undefined })),
    ];
    const changed = await this.#deps.config.change({ settings, revision: now.revision }, changer.by);
    if (!changed.ok) throw new FailureError(changed.error);
    const { live, apply } = this.#deps;
    live.take(["policy", "rules"], changed.value.loaded);
    if (older.length > 0) live.take(["permissions", "toolPolicy"], changed.value.loaded);
    await apply("policy.rules", { rules: true });
    return { toolId, rule, previous };
  }

  async #look(): Promise<SettingsNow> {
    const now = await this.#deps.config.look();
    if (!now.ok) throw new FailureError(now.error);
    return now.value;
  }

  async #write(
    settable: Settable,
    wanted: unknown,
    { revision }: SettingsNow,
    by: Person,
  ): Promise<LoadedConfig> {
    const value = wanted === null ? undefined : wanted;
    const { secret, key } = settable;
    if (secret !== undefined && value !== undefined && typeof value !== "string")
      fail("INVALID_INPUT", `\`${key}\` must be a key. Nothing was changed.`);
    const changed = await this.#deps.config.change(
      secret === undefined
        ? { settings: [{ path: key.split("."), value }], revision }
        : { settings: [], secrets: { [secret]: value as string | undefined }, revision },
      by,
    );
    if (!changed.ok) throw new FailureError(changed.error);
    return changed.value.loaded;
  }

  async #count({ key, now, secret }: Settable, loaded: LoadedConfig): Promise<void> {
    if (!now) return;
    const { live, apply } = this.#deps;
    if (secret === undefined) live.take(key.split("."), loaded);
    else live.takeSecrets(loaded);
    await apply(key, { rules: POLICY_KEYS.has(key) });
  }
}

/** From the loosest to the strictest; without a rule of its own a tool does what the policy's mode says. */
const STRICTNESS: readonly ToolRule[] = ["allow", "usual", "ask", "deny"];

function mayLoosen({ mayApprove, confirm }: Changer, what: string): void {
  if (!mayApprove)
    fail(
      "SCOPE_MISSING",
      `This change of ${what} lets more happen, which only who may approve can do. Nothing was changed.`,
    );
  if (!confirm)
    fail(
      "INVALID_INPUT",
      `This change of ${what} lets more happen: say confirm: true to mean it. Nothing was changed.`,
    );
}

function settableOf(key: string): Settable {
  const found = SETTABLE.find((each) => each.key === key);
  if (found) return found;
  const near = closest(
    key,
    SETTABLE.map((each) => each.key),
  );
  const hint = near === undefined ? "See which can be: elwood config list" : `Did you mean ${near}?`;
  return fail(
    "NOT_FOUND",
    `There is no setting "${key}" that can be changed here. Nothing was changed. ${hint}`,
  );
}

function ruleIn({ rules }: LoadedConfig, toolId: string): ToolRule {
  const own = rules.filter(({ tool }) => tool === toolId).map(({ decision }) => decision);
  return (["deny", "ask", "allow"] as const).find((decision) => own.includes(decision)) ?? "usual";
}

function shown(settable: Settable, now: SettingsNow, running: LoadedConfig): WireSetting {
  const { key, kind, options, secret } = settable;
  const path = key.split(".");
  const value = valueOf(settable, now.loaded);
  const counts = valueOf(settable, running);
  const refusal = secret === undefined ? now.fixed(path) : now.fixedSecret(secret);
  // Nobody has tried to change it yet.
  const fixed = refusal?.replace("Nothing was changed. ", "");
  return {
    key,
    kind,
    value,
    default: defaultOf(settable),
    origin: originOf(settable, now.loaded),
    ...(fixed === undefined ? {} : { fixed }),
    effect: settable.now ? "now" : "restart",
    ...(isDeepStrictEqual(value, counts) ? {} : { running: counts }),
    ...(options ? { options: [...options] } : {}),
  };
}

function inUse(settable: Settable, loaded: LoadedConfig): WireSetting {
  const { key, kind, options } = settable;
  return {
    key,
    kind,
    value: valueOf(settable, loaded),
    default: defaultOf(settable),
    origin: originOf(settable, loaded),
    effect: settable.now ? "now" : "restart",
    ...(options ? { options: [...options] } : {}),
  };
}

function valueOf({ key, kind, secret }: Settable, { config, secrets, paths, workspaceDir }: LoadedConfig) {
  if (secret !== undefined) return secrets.has(secret) ? true : null;
  const value = valueAt(config, key) ?? null;
  if (kind !== "folders" || !Array.isArray(value)) return plain(value);
  // Elwood's own are always open, and are nobody's setting.
  const own = new Set([paths.files, workspaceDir]);
  return plain(config.files.roots.filter(({ path }) => !own.has(path)));
}

function defaultOf({ key, kind, secret }: Settable): unknown {
  if (secret !== undefined) return null;
  if (kind === "folders") return [];
  // It is the system's.
  if (kind === "zone") return null;
  return plain(valueAt(DEFAULTS, key) ?? null);
}

/** As it travels: without what is not set. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function originOf({ key, secret }: Settable, { origins, secrets }: LoadedConfig): string {
  if (secret !== undefined) return secrets.get(secret)?.source ?? "default";
  return origins.get(key) ?? [...origins].find(([each]) => each.startsWith(`${key}.`))?.[1] ?? "default";
}

function valueAt(root: unknown, key: string): unknown {
  return key
    .split(".")
    .reduce<unknown>(
      (at, step) =>
        typeof at === "object" && at !== null && Object.hasOwn(at, step)
          ? (at as Record<string, unknown>)[step]
          : undefined,
      root,
    );
}

function inWords({ secret }: Settable, value: unknown): string {
  if (secret !== undefined) return value === null ? "not set" : "set";
  return value === null ? "not set" : JSON.stringify(value);
}
