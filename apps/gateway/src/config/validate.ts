import { NAME_PATTERN } from "@elwood/core/base/ids";
import type { z } from "zod";
import { pathKey, type Setting } from "./file-layer.ts";
import { knownProvider } from "@elwood/providers/known-providers";
import { DEFAULTS, type Config } from "./schema.ts";
import { leafAt, type LazyGroup } from "./schema-walk.ts";

/** Something the schema refused: `raw` holds the value, `settings` say who set it. */
export interface Refused {
  readonly issue: z.core.$ZodIssue;
  readonly raw: Readonly<Record<string, unknown>>;
  readonly settings: readonly Setting[];
}

export interface Validated {
  /** Only where nothing was refused. */
  readonly config: Config | undefined;
  readonly refused: readonly Refused[];
  /** Providers that Elwood does not know by name and that do not say where they are. */
  readonly homeless: readonly string[];
}

/** A schema that is used once need not be compiled first. */
const ONCE = { jitless: true } as const;

/** Later settings win over earlier ones. Pure: it tells what is wrong, `explain` says it in words. */
export function validate(settings: readonly Setting[], schema: LazyGroup, timeZone: string): Validated {
  const raw: Record<string, unknown> = {};
  const last = new Map(settings.map((setting) => [pathKey(setting.path), setting]));
  const refused: Refused[] = [];
  for (const setting of settings) {
    if (last.get(pathKey(setting.path)) !== setting) refused.push(...refusedAlone(setting, schema));
    put(raw, setting.path, setting.value);
  }
  const values: Partial<Config> & Record<string, unknown> = {};
  for (const [key, value] of Object.entries(raw)) {
    const parsed = schema.at(key)?.safeParse(value, ONCE);
    if (parsed === undefined) continue;
    if (parsed.success) values[key] = parsed.data;
    else {
      const issues = parsed.error.issues.map((issue) => ({ ...issue, path: [key, ...issue.path] }));
      refused.push(...issues.map((issue) => ({ issue, raw, settings })));
    }
  }
  const homeless = homelessProviders(raw);
  if (refused.length > 0 || homeless.length > 0) return { config: undefined, refused, homeless };
  return { config: { timeZone, ...DEFAULTS, ...values }, refused, homeless };
}

/** A wrong value is told even where another one goes before it: it would bite on the day the other is gone. */
function refusedAlone(setting: Setting, schema: LazyGroup): Refused[] {
  const parsed = leafAt(schema, setting.path)?.safeParse(setting.value, ONCE);
  if (parsed === undefined || parsed.success) return [];
  const raw: Record<string, unknown> = {};
  put(raw, setting.path, setting.value);
  return parsed.error.issues.map((issue) => ({
    issue: { ...issue, path: [...setting.path, ...issue.path] },
    raw,
    settings: [setting],
  }));
}

function homelessProviders(raw: Readonly<Record<string, unknown>>): string[] {
  const providers = raw["providers"];
  if (typeof providers !== "object" || providers === null) return [];
  return Object.entries(providers).flatMap(([name, provider]: [string, unknown]) => {
    const says = typeof provider === "object" && provider !== null && "baseUrl" in provider;
    return says || knownProvider(name) !== undefined || !NAME_PATTERN.test(name) ? [] : [name];
  });
}

/** A value that stands in the way and is no group is left there, to be refused. */
function put(root: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let at = root;
  for (const key of path.slice(0, -1)) {
    const next = at[key];
    if (next === undefined) at = at[key] = {} as Record<string, unknown>;
    else if (typeof next === "object" && next !== null && !Array.isArray(next)) {
      at = next as Record<string, unknown>;
    } else return;
  }
  at[path.at(-1)!] = value;
}
