import { LIMITS } from "@elwood/core/base/limits";
import { pathKey } from "./file-layer.ts";
import { type ConfigProblem, type Place, describeFound, dotted, isSecretPath, problemAt } from "./problem.ts";
import { type LazyGroup, leafAt, unwrapped } from "./schema-walk.ts";
import type { Refused, Validated } from "./validate.ts";
import { isTimeZone } from "@elwood/core/base/local-time";
import { z } from "zod";
import { closest } from "@elwood/core/base/suggest";

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

/** What the person most likely meant, as they would write it; only what the schema would accept. */
function suggestValue(schema: z.ZodType, found: unknown): string | undefined {
  for (const candidate of candidates(schema, found)) {
    if (schema.safeParse(candidate).success) return shown(candidate);
  }
  return undefined;
}

function* candidates(schema: z.ZodType, found: unknown): Generator {
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodArray && !Array.isArray(found)) yield [found];
  if (inner instanceof z.ZodString && typeof found === "number" && !isRounded(found)) yield String(found);
  if (typeof found !== "string") return;
  const text = found.trim();
  // "30", "30m", "18,789", "$5", "30 min"
  const number = /^[$€]?\s*(-?\d[\d,_]*(?:\.\d+)?)\s*[a-z%]*$/i.exec(text)?.[1];
  if (number !== undefined) yield Number(number.replaceAll(/[,_]/g, ""));
  if (/^(yes|on|y)$/i.test(text)) yield true;
  if (/^(no|off|n)$/i.test(text)) yield false;
  if (inner instanceof z.ZodBoolean && /^(true|false)$/i.test(text)) yield text.toLowerCase() === "true";
  if (inner instanceof z.ZodEnum) yield closest(text, inner.options.map(String));
  if (inner instanceof z.ZodString && schema.safeParse("UTC").success && !isTimeZone(text)) {
    const zones = Intl.supportedValuesOf("timeZone");
    yield closest(text, zones) ?? zones.find((zone) => zone.toLowerCase().endsWith(`/${text.toLowerCase()}`));
  }
}

/** It had more digits than a number keeps: what is left of it is another value. */
function isRounded(value: number): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}

function shown(value: unknown): string {
  if (typeof value === "string") return `"${value}"`;
  return JSON.stringify(value);
}
