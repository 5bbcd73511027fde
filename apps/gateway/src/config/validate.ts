import { NAME_PATTERN } from "@elwood/core/ids";
import { LIMITS } from "@elwood/core/limits";
import { err, ok, type Result } from "@elwood/core/result";
import type { z } from "zod";
import { knownProvider } from "./known-providers.ts";
import { pathKey, type Setting } from "./file-layer.ts";
import { describeFound, dotted, isSecretPath, problemAt, type ConfigProblem, type Place } from "./problem.ts";
import { configSchema, type Config } from "./schema.ts";
import { schemaAt } from "./schema-walk.ts";
import { suggestValue } from "./suggest-value.ts";

/** Later settings win over earlier ones. Problems name the place that set the wrong value. */
export function validate(
  settings: readonly Setting[],
  places: ReadonlyMap<string, Place>,
): Result<Config, ConfigProblem[]> {
  const raw: Record<string, unknown> = {};
  const placeOf = new Map(places);
  const last = new Map(settings.map((setting) => [pathKey(setting.path), setting]));
  const problems: ConfigProblem[] = [];
  for (const setting of settings) {
    if (last.get(pathKey(setting.path)) !== setting) problems.push(...overriddenProblems(setting));
    if (put(raw, setting.path, setting.value)) placeOf.set(pathKey(setting.path), setting.place);
  }
  const parsed = configSchema.safeParse(raw);
  if (!parsed.success) problems.push(...parsed.error.issues.map((i) => issueProblem(i, raw, placeOf)));
  problems.push(...providerProblems(raw, placeOf));
  if (parsed.success && problems.length === 0) return ok(parsed.data);
  return err(problems.slice(0, LIMITS.configProblemsMax));
}

/** A wrong value is told even where another one goes before it: it would bite on the day the other is gone. */
function overriddenProblems(setting: Setting): ConfigProblem[] {
  const schema = schemaAt(configSchema, setting.path);
  if (schema === undefined || schema === "any") return [];
  const parsed = schema.safeParse(setting.value);
  if (parsed.success) return [];
  const raw: Record<string, unknown> = {};
  put(raw, setting.path, setting.value);
  const places = new Map([[pathKey(setting.path), setting.place]]);
  return parsed.error.issues.map((issue) =>
    issueProblem({ ...issue, path: [...setting.path, ...issue.path] }, raw, places),
  );
}

function issueProblem(
  issue: z.core.$ZodIssue,
  raw: Record<string, unknown>,
  places: ReadonlyMap<string, Place>,
): ConfigProblem {
  const path = issue.path.map(String);
  const found = valueAt(raw, path);
  const { place, above } = nearestPlace(path, places);
  const key = dotted(path);
  if (issue.code === "invalid_key") {
    return problemAt(place, key, "is not usable as a name: lower-case letters, digits, - and _ only.");
  }
  if (found === undefined) {
    const missing = dotted(path.slice(path.length - above));
    return problemAt(place, key, `lacks \`${missing}\`, which ${issue.message}.`);
  }
  if (issue.code === "custom" && issue.params?.["sentence"] === true) {
    return problemAt(place, key, `cannot be used: ${issue.message}`);
  }
  if (isSecretPath(path)) return problemAt(place, key, `${issue.message}; what was found is not shown.`);
  const schema = schemaAt(configSchema, path);
  const wanted = schema === undefined || schema === "any" ? undefined : suggestValue(schema, found);
  const hint = wanted === undefined ? "" : ` Did you mean ${wanted}?`;
  return problemAt(place, key, `${issue.message}, found ${describeFound(found)}.${hint}`);
}

/** A provider that Elwood does not know by name has to say where it is. */
function providerProblems(raw: Record<string, unknown>, places: ReadonlyMap<string, Place>): ConfigProblem[] {
  const providers = valueAt(raw, ["providers"]);
  if (typeof providers !== "object" || providers === null) return [];
  return Object.keys(providers).flatMap((name) => {
    if (!NAME_PATTERN.test(name) || knownProvider(name) !== undefined) return [];
    if (valueAt(providers, [name, "baseUrl"]) !== undefined) return [];
    const { place } = nearestPlace(["providers", name], places);
    const saying = "lacks `baseUrl`, which must be an address such as http://127.0.0.1:8000/v1.";
    return [problemAt(place, `providers.${name}`, saying)];
  });
}

/** The place of the value, or of the group around it; `above` counts the steps between. */
function nearestPlace(path: readonly string[], places: ReadonlyMap<string, Place>) {
  for (let length = path.length; length > 0; length--) {
    const place = places.get(pathKey(path.slice(0, length)));
    if (place !== undefined) return { place, above: path.length - length };
  }
  return { place: { kind: "default" } as const, above: path.length };
}

/** False where a value stands in the way that is no group; it is left there to be complained about. */
function put(root: Record<string, unknown>, path: readonly string[], value: unknown): boolean {
  let at = root;
  for (const key of path.slice(0, -1)) {
    const next = at[key];
    if (next === undefined) at = at[key] = {} as Record<string, unknown>;
    else if (typeof next === "object" && next !== null && !Array.isArray(next)) {
      at = next as Record<string, unknown>;
    } else return false;
  }
  at[path.at(-1)!] = value;
  return true;
}

function valueAt(root: unknown, path: readonly string[]): unknown {
  let at: unknown = root;
  for (const key of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}
