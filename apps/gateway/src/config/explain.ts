import { LIMITS } from "@elwood/core/base/limits";
import { pathKey } from "./file-layer.ts";
import { describeFound, dotted, isSecretPath, problemAt, type ConfigProblem, type Place } from "./problem.ts";
import { leafAt, type LazyGroup } from "./schema-walk.ts";
import { suggestValue } from "./suggest-value.ts";
import type { Refused, Validated } from "./validate.ts";

/** What is wrong, in sentences with its place and a guess at what was meant. Loaded only where something is. */
export function explain(
  { refused, homeless }: Validated,
  schema: LazyGroup,
  places: ReadonlyMap<string, Place>,
): ConfigProblem[] {
  const problems = refused.map((each) => explainOne(each, schema, places));
  for (const name of homeless) {
    const { place } = nearestPlace(["providers", name], places);
    const saying = "lacks `baseUrl`, which must be an address such as http://127.0.0.1:8000/v1.";
    problems.push(problemAt(place, `providers.${name}`, saying));
  }
  return problems.slice(0, LIMITS.configProblemsMax);
}

function explainOne(
  { issue, raw, settings }: Refused,
  schema: LazyGroup,
  places: ReadonlyMap<string, Place>,
): ConfigProblem {
  const path = issue.path.map(String);
  const found = valueAt(raw, path);
  const set = settings.map((setting) => [pathKey(setting.path), setting.place] as const);
  const { place, above } = nearestPlace(path, new Map([...places, ...set]));
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
  const leaf = leafAt(schema, path);
  const wanted = leaf === undefined ? undefined : suggestValue(leaf, found);
  const hint = wanted === undefined ? "" : ` Did you mean ${wanted}?`;
  return problemAt(place, key, `${issue.message}, found ${describeFound(found)}.${hint}`);
}

/** The place of the value, or of the group around it; `above` counts the steps between. */
function nearestPlace(path: readonly string[], places: ReadonlyMap<string, Place>) {
  for (let length = path.length; length > 0; length--) {
    const place = places.get(pathKey(path.slice(0, length)));
    if (place !== undefined) return { place, above: path.length - length };
  }
  return { place: { kind: "default" } as const, above: path.length };
}

function valueAt(root: unknown, path: readonly string[]): unknown {
  let at: unknown = root;
  for (const key of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}
