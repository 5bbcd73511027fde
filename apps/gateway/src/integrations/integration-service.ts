import { isDeepStrictEqual } from "node:util";
import { fail, FailureError } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import { err, ok, type Result } from "@elwood/core/base/result";
import { placesOf, type IntegrationManifest } from "@elwood/core/integration/manifest";
import type { WireIntegration } from "@elwood/core/protocol/integration-shapes";
import { keyedMutex } from "@elwood/runtime/async/serial-queue";
import type { Clock, Log, Person } from "@elwood/runtime/ports/ports";
import type {
  IntegrationCheck,
  IntegrationContext,
  IntegrationDefinition,
  IntegrationJobs,
} from "@elwood/sdk/integration";
import type { ToolDefinition } from "@elwood/sdk/tool";
import type { ConfigWriter } from "../config/config-writer.ts";
import type { Environment } from "../config/outside-layers.ts";
import type { LoadedConfig } from "../config/load.ts";
import type { Config } from "../config/schema.ts";
import type { ToolGroup } from "../tools/tool-snapshot.ts";
import type { WebAccess } from "../web/web-access.ts";
import type { IntegrationFolders } from "./integration-folders.ts";

export interface IntegrationDeps {
  readonly folders: IntegrationFolders;
  readonly loaded: LoadedConfig;
  readonly config: ConfigWriter;
  readonly web: Pick<WebAccess, "fetchAmong">;
  readonly jobs: IntegrationJobs;
  readonly clock: Clock;
  readonly log: Log;
  /** What this process was started with, for `${NAME}`. */
  readonly env: Environment;
  /** Told of a secret before it is tried. */
  readonly learnSecrets: (secrets: Iterable<string>) => unknown;
  /** Reads the tools in again. */
  readonly reload: () => Promise<unknown>;
}

/** What was typed: settings by their keys, and secrets by theirs, each the secret itself or `${NAME}`. */
export interface GivenIntegration {
  readonly settings: Readonly<Record<string, string | readonly string[]>>;
  readonly secrets: Readonly<Record<string, string>>;
}

type Written = Readonly<Record<string, unknown>>;

interface Opened {
  readonly tools: readonly ToolDefinition[];
  readonly problem?: string;
}

const NOTHING = "Nothing was changed.";

/** Integrations: which there are, setting one up with a live test, switching it on and off, and the tools of those that are on. */
export class IntegrationService {
  readonly #deps: IntegrationDeps;
  readonly #changing = keyedMutex();
  /** Each with what it was opened with. */
  readonly #opened = new Map<string, Opened & { readonly written: Written }>();
  #configured: Config["integrations"];
  #manifests: Promise<readonly IntegrationManifest[]> | undefined;

  constructor(deps: IntegrationDeps) {
    this.#deps = deps;
    this.#configured = deps.loaded.config.integrations;
  }

  /** The tools of those that are set up and on. One that cannot be used is told, and prevents no other. */
  async group(): Promise<ToolGroup> {
    const tools: ToolDefinition[] = [];
    const problems: string[] = [];
    const known = await this.#known();
    const before = new Map(this.#opened);
    this.#opened.clear();
    for (const [name, written] of Object.entries(this.#configured ?? {})) {
      const manifest = known.find((each) => each.name === name);
      if (manifest === undefined) {
        problems.push(`\`integrations.${name}\` is set, and there is no integration of that name.`);
        continue;
      }
      if (written.enabled === false) continue;
      // One that is set up as before goes on as it is, with what it has learnt of its service.
      const same = before.get(name);
      const opened =
        same && same.problem === undefined && isDeepStrictEqual(same.written, written)
          ? same
          : await this.#open(manifest, written);
      this.#opened.set(name, { ...opened, written });
      tools.push(...opened.tools);
      if (opened.problem !== undefined)
        problems.push(
          `${manifest.title} cannot be used: ${opened.problem} Set it up again: elwood integrations setup ${name}`,
        );
    }
    return { source: "built-in", tools, problems };
  }

  async list(): Promise<readonly WireIntegration[]> {
    return (await this.#known()).map((manifest) => this.#wire(manifest));
  }

  /** Tries it as it is set up. */
  async test(name: string): Promise<IntegrationCheck> {
    const manifest = await this.#manifest(name);
    const written = this.#configured?.[name];
    if (written === undefined)
      fail(
        "CONFLICT",
        `${manifest.title} is not set up. Nothing was sent. Set it up: elwood integrations setup ${name}`,
      );
    const values = readWritten(manifest, written);
    if (!values.ok) {
      const sentence = `${values.error.slice(0, 1).toUpperCase()}${values.error.slice(1)}`;
      return { ok: false, problem: `${sentence} Nothing was sent.` };
    }
    return this.#check(manifest, values.value.settings, values.value.secrets);
  }

  /** Tries it with what was typed, and stores that if it works. What was not typed stays as it is. */
  async setup(
    name: string,
    given: GivenIntegration,
    by: Person,
  ): Promise<{
    readonly integration: WireIntegration;
    readonly account: string;
    readonly notes: readonly string[];
  }> {
    const manifest = await this.#manifest(name);
    return this.#changing.run(name, async () => {
      checkKeys(manifest, given);
      const before: Written = this.#configured?.[name] ?? {};
      const settings = settingsAfter(manifest, before, given);
      const secrets = this.#secretsAfter(manifest, before, given);
      this.#deps.learnSecrets(Object.values(secrets.values));
      const first = await this.#check(manifest, settings, secrets.values);
      const found = first.ok ? (first.found ?? {}) : {};
      // What was found out may lead to another place, which is tried, too.
      const checked =
        Object.keys(found).length === 0
          ? first
          : await this.#check(manifest, { ...settings, ...found }, secrets.values);
      if (!checked.ok) fail("UPSTREAM_ERROR", `${checked.problem} ${NOTHING}`, { retryable: false });
      const value = { ...settings, ...found, ...secrets.named };
      const isNew = this.#configured?.[name] === undefined;
      // What stands there already stays as it is written, such as by which name it calls a secret; what was emptied goes.
      const emptied = Object.fromEntries(manifest.settings.map(({ key }) => [key, undefined]));
      const changes = isNew
        ? [{ path: ["integrations", name], value }]
        : Object.entries({ ...emptied, ...value, enabled: undefined })
            .filter(([key, each]) => !isDeepStrictEqual(before[key], each))
            .map(([key, each]) => ({ path: ["integrations", name, key], value: each }));
      await this.#change({ settings: changes, secrets: secrets.stored }, by);
      return { integration: this.#wire(manifest), account: checked.account, notes: checked.notes };
    });
  }

  async switch(name: string, on: boolean, by: Person): Promise<WireIntegration> {
    const manifest = await this.#manifest(name);
    return this.#changing.run(name, async () => {
      if (this.#configured?.[name] === undefined)
        fail(
          "CONFLICT",
          `${manifest.title} is not set up. ${NOTHING} Set it up: elwood integrations setup ${name}`,
        );
      await this.#change(
        { settings: [{ path: ["integrations", name, "enabled"], value: on ? undefined : false }] },
        by,
      );
      return this.#wire(manifest);
    });
  }

  async #change(change: Parameters<ConfigWriter["change"]>[0], by: Person): Promise<void> {
    const changed = await this.#deps.config.change(change, by);
    if (!changed.ok) throw new FailureError(changed.error);
    this.#configured = changed.value.loaded.config.integrations;
    await this.#deps.reload();
  }

  async #open(manifest: IntegrationManifest, written: Written): Promise<Opened> {
    const { folders, log } = this.#deps;
    const values = readWritten(manifest, written);
    if (!values.ok) return { tools: [], problem: values.error };
    try {
      const definition = await folders.load(manifest.name);
      const context = this.#context(manifest, definition, values.value.settings, values.value.secrets);
      if (!context.ok) return { tools: [], problem: context.error };
      const { owned, hosts } = placesOf(manifest, values.value.settings);
      const made = definition.tools(context.value);
      const stranger = made.find(({ id }) => !id.startsWith(`${manifest.name}.`));
      if (stranger !== undefined) throw new Error(`${stranger.id} is not a tool of ${manifest.name}`);
      return { tools: made.map((tool) => ({ ...tool, hosts: [...owned, ...hosts] })) };
    } catch (error) {
      log.error("an integration could not be loaded", { integration: manifest.name, error });
      return { tools: [], problem: "it could not be loaded; the log says why." };
    }
  }

  #context(
    manifest: IntegrationManifest,
    definition: IntegrationDefinition,
    settings: Written,
    secrets: Readonly<Record<string, string>>,
  ): Result<IntegrationContext<never>, string> {
    const { web, clock, jobs, loaded } = this.#deps;
    const checked = definition.settings(settings);
    if (!checked.ok) return checked;
    return ok({
      settings: checked.value,
      secrets,
      fetch: web.fetchAmong(placesOf(manifest, settings)),
      timeZone: loaded.config.timeZone,
      now: () => clock.now(),
      jobs,
    });
  }

  async #check(
    manifest: IntegrationManifest,
    settings: Written,
    secrets: Readonly<Record<string, string>>,
  ): Promise<IntegrationCheck> {
    const { clock, folders } = this.#deps;
    const missing =
      manifest.settings.find(({ key, required }) => required && settings[key] === undefined) ??
      manifest.secrets.find(({ key, required }) => required && secrets[key] === undefined);
    if (missing)
      fail(
        "INVALID_INPUT",
        `${manifest.title} needs “${missing.title}” (${missing.key}). Nothing was sent. ${NOTHING}`,
      );
    const definition = await folders.load(manifest.name);
    const context = this.#context(manifest, definition, settings, secrets);
    if (!context.ok) fail("INVALID_INPUT", `${context.error} Nothing was sent. ${NOTHING}`);
    const stop = new AbortController();
    const late = clock.sleep(LIMITS.integrationCheckMs, stop.signal).then((): IntegrationCheck => {
      return {
        ok: false,
        problem: `${manifest.title} did not answer within ${LIMITS.integrationCheckMs / 1_000} seconds.`,
      };
    });
    try {
      return await Promise.race([definition.check(context.value, stop.signal), late]);
    } finally {
      stop.abort();
    }
  }

  /** Secrets that are to be used: what was typed before what is stored. */
  #secretsAfter(manifest: IntegrationManifest, before: Written, given: GivenIntegration) {
    const values: Record<string, string> = {};
    const named: Record<string, string> = {};
    const stored: Record<string, string> = {};
    for (const { key, variable } of manifest.secrets) {
      const typed = given.secrets[key]?.trim();
      const [, name] = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/.exec(typed ?? "") ?? [];
      if (typed === undefined || typed === "") {
        const kept = before[key];
        if (typeof kept !== "string" || kept === "") continue;
        values[key] = kept;
      } else if (name === undefined) {
        values[key] = typed;
        named[key] = `\${${variable}}`;
        stored[variable] = typed;
      } else {
        const found = this.#deps.loaded.secrets.get(name)?.value ?? this.#deps.env[name];
        if (found === undefined || found === "")
          fail("INVALID_INPUT", `The variable ${name} is not set where Elwood was started. ${NOTHING}`);
        values[key] = found;
        named[key] = typed;
      }
    }
    return { values, named, stored };
  }

  #wire(manifest: IntegrationManifest): WireIntegration {
    const { name, title, summary, can, settings, secrets, guide } = manifest;
    const written: Written | undefined = this.#configured?.[name];
    const opened = this.#opened.get(name);
    const places = placesOf(manifest, written ?? {});
    const off = written?.["enabled"] === false;
    return {
      name,
      title,
      summary,
      can: [...can],
      state: written === undefined ? "new" : off ? "off" : opened?.problem === undefined ? "on" : "broken",
      ...(opened?.problem === undefined || off ? {} : { problem: opened.problem }),
      settings: settings.map(({ key, kind, required, help, example, found, ...rest }) => {
        const value = written?.[key];
        return {
          key,
          title: rest.title,
          kind,
          required,
          ...(help === undefined ? {} : { help }),
          ...(example === undefined ? {} : { example }),
          ...(found === undefined ? {} : { found }),
          ...(typeof value === "string" || isTexts(value) ? { value } : {}),
        };
      }),
      secrets: secrets.map(({ key, variable, help, required, ...rest }) => ({
        key,
        title: rest.title,
        variable,
        ...(help === undefined ? {} : { help }),
        required,
        isSet: isFilledIn(written?.[key]),
      })),
      hosts: [...places.owned, ...places.hosts],
      tools: (opened?.tools ?? []).map(({ id, risk }) => ({ toolId: id, risk })),
      ...(guide === undefined ? {} : { guide }),
    };
  }

  async #manifest(name: string): Promise<IntegrationManifest> {
    const known = await this.#known();
    const found = known.find((each) => each.name === name);
    return (
      found ??
      fail(
        "NOT_FOUND",
        `There is no integration ${JSON.stringify(name)}. There are ${known.map((each) => each.name).join(", ")}. ${NOTHING}`,
      )
    );
  }

  #known(): Promise<readonly IntegrationManifest[]> {
    return (this.#manifests ??= this.#deps.folders.manifests());
  }
}

/** Only keys that its manifest names; anything else would be a slip of the pen. */
function checkKeys(manifest: IntegrationManifest, given: GivenIntegration): void {
  const asked = manifest.settings.filter(({ found }) => found !== true);
  const known = new Set([...asked, ...manifest.secrets].map(({ key }) => key));
  const secret = new Set(manifest.secrets.map(({ key }) => key));
  const wrong =
    Object.keys(given.settings).find((key) => !known.has(key) || secret.has(key)) ??
    Object.keys(given.secrets).find((key) => !secret.has(key));
  if (wrong !== undefined)
    fail(
      "INVALID_INPUT",
      `${manifest.title} has no setting ${JSON.stringify(wrong)}; it has ${[...known].join(", ")}. ${NOTHING}`,
    );
}

/** Settings that are to count: what was typed before what stands there. An empty text removes one. */
function settingsAfter(manifest: IntegrationManifest, before: Written, given: GivenIntegration): Written {
  const after: Record<string, unknown> = {};
  for (const { key, kind, found } of manifest.settings) {
    const typed = given.settings[key];
    // What was found out belongs to what was typed then.
    const value =
      found === true
        ? undefined
        : typed === undefined
          ? before[key]
          : typeof typed === "string"
            ? typed.trim()
            : typed;
    if (value === undefined || value === "") continue;
    after[key] =
      kind === "list" && typeof value === "string"
        ? value
            .split(",")
            .map((each) => each.trim())
            .filter((each) => each !== "")
        : value;
  }
  return after;
}

/** What stands in the settings, apart from its secrets; the error says what is missing. */
function readWritten(
  manifest: IntegrationManifest,
  written: Written,
): Result<{ readonly settings: Written; readonly secrets: Readonly<Record<string, string>> }, string> {
  const secrets: Record<string, string> = {};
  for (const { key, required, title, variable } of manifest.secrets) {
    const value = written[key];
    if (isFilledIn(value)) secrets[key] = value;
    else if (required)
      return err(
        value === undefined
          ? `“${title}” (\`integrations.${manifest.name}.${key}\`) is missing.`
          : `the variable ${/\$\{(\w+)\}/.exec(typeof value === "string" ? value : "")?.[1] ?? variable} is not set.`,
      );
  }
  const missing = manifest.settings.find(({ key, required }) => required && written[key] === undefined);
  if (missing)
    return err(`“${missing.title}” (\`integrations.${manifest.name}.${missing.key}\`) is missing.`);
  const settings = Object.fromEntries(
    manifest.settings.flatMap(({ key }) => (written[key] === undefined ? [] : [[key, written[key]]])),
  );
  return ok({ settings, secrets });
}

/** A variable that is not set leaves its name there. */
function isFilledIn(value: unknown): value is string {
  return typeof value === "string" && value !== "" && !/^\$\{\w+\}$/.test(value);
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}
