import { NAME_PATTERN } from "@elwood/core/ids";
import { RUN_LIMITS } from "@elwood/core/limits";
import { isTimeZone } from "@elwood/core/local-time";
import { formatModelRef, parseModelRef } from "@elwood/core/model";
import { z } from "zod";
import { parseBaseUrl } from "./base-url.ts";
import { laterGroups } from "./later-groups.ts";
import { group, listOf, named, numberAbove, numberFrom, oneOf, wholeNumber, words } from "./leaves.ts";
import { PROVIDER_APIS } from "./known-providers.ts";

export const LOG_LEVELS = ["error", "warn", "info", "debug"] as const;
export const LOG_FORMATS = ["auto", "json", "pretty"] as const;

/** `provider/model`; a bare id is completed where its maker is plain, so that older files load as they are. */
const modelRef = words("a model as provider/model, for example anthropic/claude-sonnet-5-5").transform(
  (text, context) => {
    const parsed = parseModelRef(text);
    if (parsed.ok) return formatModelRef(parsed.value);
    context.addIssue({ code: "custom", message: parsed.error, params: { sentence: true } });
    return z.NEVER;
  },
);

const zoneError = "must be the name of a time zone, for example Europe/Berlin";
const timeZone = z.string({ error: zoneError }).refine(isTimeZone, { error: zoneError });

const baseUrl = words("an address such as http://127.0.0.1:8000/v1").transform((text, context) => {
  const parsed = parseBaseUrl(text);
  if (parsed.ok) return parsed.value;
  context.addIssue({ code: "custom", message: parsed.error });
  return z.NEVER;
});

const origin = words("an origin such as https://home.example, with no path").refine(
  (text) => URL.canParse(text) && new URL(text).origin === text,
  { error: "must be an origin such as https://home.example, with no path and no slash at its end" },
);

const lowerCase = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (typeof value === "string" ? value.toLowerCase() : value), schema);

/** Settings that do something today. */
export const activeGroups = {
  version: z
    .preprocess((value) => (value === 1 ? "1.0" : value), z.literal("1.0", { error: 'must be "1.0"' }))
    .optional(),
  /** Undefined: the first provider that has a key decides (see chooseModel). */
  model: modelRef.optional(),
  timeZone,
  gateway: group({
    host: words("a host name or address, for example 127.0.0.1").default("127.0.0.1"),
    port: wholeNumber(0, 65_535).default(18_789),
    allowedOrigins: listOf(origin, "a list of origins, for example [https://home.example]").default([]),
    allowedHosts: listOf(words("a host name"), "a list of host names, for example [home.example]").default(
      [],
    ),
  }).prefault({}),
  agents: group({
    default: words("an agent's name")
      .regex(NAME_PATTERN, { error: "must be an agent's name: lower-case letters, digits, - and _" })
      .default("assistant"),
    workspaceDir: words("the path of a folder").optional(),
  }).prefault({}),
  providers: named(
    group({
      baseUrl: baseUrl.optional(),
      api: oneOf(PROVIDER_APIS).optional(),
      headers: named(z.string({ error: "must be text" })).optional(),
    }),
    NAME_PATTERN,
  ).default({}),
  limits: group({
    laps: wholeNumber(1, 1_000).default(RUN_LIMITS.laps),
    calls: wholeNumber(1, 10_000).default(RUN_LIMITS.calls),
    identicalCalls: wholeNumber(1, 1_000).default(RUN_LIMITS.identicalCalls),
    tokens: wholeNumber(1_000).default(RUN_LIMITS.tokens),
    minutes: numberAbove(0).default(RUN_LIMITS.minutes),
    costUsd: numberAbove(0).default(RUN_LIMITS.costUsd),
    dayCostUsd: numberAbove(0).default(RUN_LIMITS.dayCostUsd),
    parallelRuns: wholeNumber(1, 64).default(RUN_LIMITS.parallelRuns),
  }).prefault({}),
  prices: listOf(
    group({
      match: words('a model as provider/model, where * stands for anything, such as "openai/gpt-*"'),
      input: numberFrom(0),
      output: numberFrom(0),
      cacheRead: numberFrom(0).optional(),
      cacheWrite: numberFrom(0).optional(),
    }),
    "a list of prices",
  ).default([]),
  log: group({
    level: lowerCase(oneOf(LOG_LEVELS)).default("info"),
    format: lowerCase(oneOf(LOG_FORMATS)).default("auto"),
  }).prefault({}),
};

export const configSchema = group({
  ...activeGroups,
  compactionModel: modelRef.optional(),
  ...laterGroups,
});

export type Config = z.infer<typeof configSchema>;

/** Whether a setting does something today. One that does not is kept, and said aloud at start. */
export function hasEffect(path: readonly string[]): boolean {
  return path[0] !== undefined && Object.hasOwn(activeGroups, path[0]);
}
