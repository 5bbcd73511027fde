import { NAME_PATTERN } from "@elwood/core/base/ids";
import type { ContextRow } from "@elwood/core/model/context-window";
import { LIMITS, RUN_LIMITS } from "@elwood/core/base/limits";
import { isTimeZone } from "@elwood/core/base/local-time";
import type { PriceRow } from "@elwood/core/model/price";
import { INTEGRATION_NAME } from "@elwood/core/integration/manifest";
import { z } from "zod";
import { parseBaseUrl } from "@elwood/core/net/base-url";
import { PROVIDER_APIS } from "@elwood/providers/known-providers";
import { actionGroups } from "./action-groups.ts";
import { channelGroups } from "./channel-groups.ts";
import { inactiveGroups } from "./inactive-groups.ts";
import { formatModelRef, parseModelRef } from "@elwood/core/model/model";
import { IDLE_SETTINGS, POLICY_DEFAULTS, policyGroups, toolPattern } from "./policy-groups.ts";
import {
  day,
  group,
  listOf,
  named,
  numberAbove,
  numberFrom,
  oneOf,
  openGroup,
  wholeNumber,
  words,
  yesOrNo,
} from "./leaves.ts";
import { LazyGroup } from "./schema-walk.ts";
import { EMBEDDINGS_DEFAULTS, MEMORY_FUSIONS } from "@elwood/memory/settings";
import { readOrigin } from "@elwood/core/net/web-address";
import { cronProblem } from "@elwood/core/schedule/cron-expression";
import { CATCH_UP, HEARTBEAT_NAME, OVERLAP, PAGE_TARGET } from "@elwood/core/schedule/job";
import { foldCase, plainLine } from "@elwood/core/message/session-text";

const WEB_DEFAULTS = {
  allowedOrigins: [] as string[],
  search: {},
  maxMegabytes: 10,
  timeoutSeconds: 60,
} as const;

/** Where tools may go beside the open web, who searches, and how much a fetch may be. */
const webGroups = {
  web: () =>
    group({
      allowedOrigins: listOf(
        exactOrigin(),
        "a list of origins, for example [http://192.168.1.20:8123]",
      ).default([]),
      search: group({
        provider: oneOf(["brave", "searxng"]).optional(),
        searxngUrl: serviceUrl().optional(),
      }).default({}),
      maxMegabytes: wholeNumber(1, 50).default(WEB_DEFAULTS.maxMegabytes),
      timeoutSeconds: wholeNumber(1, 300).default(WEB_DEFAULTS.timeoutSeconds),
    }),
};

function exactOrigin() {
  const error = "must be an exact origin: scheme, host and port alone, for example http://192.168.1.20:8123";
  return z
    .string({ error })
    .trim()
    .refine((text) => readOrigin(text) !== undefined, { error });
}

function serviceUrl() {
  return words("an address such as http://127.0.0.1:8888").transform((text, context) => {
    const parsed = parseBaseUrl(text);
    if (parsed.ok) return parsed.value;
    context.addIssue({ code: "custom", message: parsed.error });
    return z.NEVER;
  });
}

const BROWSER_DEFAULTS = {
  enabled: true,
  sandbox: true,
  idleMinutes: 10,
  memoryMb: 2_000,
} as const;

const PROGRAM = "the full path of a browser of Chromium's kind, for example /usr/bin/chromium";

/** The browser that Elwood drives. */
const browserGroup = () =>
  group({
    enabled: yesOrNo().default(BROWSER_DEFAULTS.enabled),
    /** The program; absent: the system's Chromium or Chrome. */
    executable: words(PROGRAM)
      .regex(/^\//, { error: `must be ${PROGRAM}` })
      .optional(),
    /** False only where the machine itself is a cage. */
    sandbox: yesOrNo().default(BROWSER_DEFAULTS.sandbox),
    idleMinutes: numberAbove(0).default(BROWSER_DEFAULTS.idleMinutes),
    memoryMb: wholeNumber(256).default(BROWSER_DEFAULTS.memoryMb),
  });

const SHELL_DEFAULTS = {
  env: [] as string[],
  timeoutMs: 30_000,
  requireCage: false,
  dangerous: "ask",
} as const;

const TIMEOUT_MS_MAX = 120_000;

/** Where and how commands are run. */
const shellGroup = () =>
  group({
    /** Absent: the first folder of `files.roots`. */
    root: words("the path of a folder").optional(),
    /** Names of variables that commands are given beside the usual ones. */
    env: listOf(words("the name of a variable"), "a list of names of variables").default([]),
    timeoutMs: wholeNumber(1, TIMEOUT_MS_MAX).default(SHELL_DEFAULTS.timeoutMs),
    /** True: where commands cannot be caged, none is run. */
    requireCage: yesOrNo().default(SHELL_DEFAULTS.requireCage),
    /** What happens to a command that fits a dangerous pattern. */
    dangerous: oneOf(["ask", "deny"]).default(SHELL_DEFAULTS.dangerous),
  });

const PROGRAMS_DEFAULTS = { mode: "both" } as const;

/** How models call tools: one by one, from programs that they write, or as they like. An agent may say otherwise for itself. */
const programsGroups = {
  programs: () => group({ mode: oneOf(["native", "programs", "both"]).default(PROGRAMS_DEFAULTS.mode) }),
};

/** How another system proves that it sent what came in; without one, by the secret itself. */
export const HOOK_SIGNATURES = ["github", "stripe"] as const;

/** Addresses at which other systems start a run. */
const hooksGroups = {
  hooks: () =>
    named(
      group({
        secret: words("a secret").min(LIMITS.hookSecretCharsMin, {
          error: `must be a secret of at least ${LIMITS.hookSecretCharsMin} characters`,
        }),
        message: words("the message to send, in which {{body}} stands for what came in"),
        hmac: oneOf(HOOK_SIGNATURES).optional(),
        target: deliveryTarget(),
      }),
      NAME_PATTERN,
    ),
};

const NOTIFY_DEFAULTS = { targets: ["page"] as string[] } as const;

const QUIET = "from and to, in your time zone, for example 22:00-07:00";
const TARGET = "page, desktop, or a chat such as telegram:12345";

/** Where you are told that something waits, and when not. */
const notifyGroups = {
  notify: () =>
    group({
      targets: listOf(
        words(TARGET).regex(/^(page|desktop|[a-z][a-z0-9_-]*:\S{1,100})$/, { error: `must be ${TARGET}` }),
        `a list of targets: ${TARGET}`,
      ).default(NOTIFY_DEFAULTS.targets),
      quietHours: words(QUIET)
        .regex(/^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$/, { error: `must be ${QUIET}` })
        .optional(),
    }),
};

const TOOLS_DEFAULTS = { secrets: {} as Record<string, string[]> } as const;

/** Names that are never handed to a tool: whoever holds them can speak as the owner. */
const SECRET_NAME = /^(?!ELWOOD_)[A-Z][A-Z0-9_]{0,63}$/;

/** What tools of the workspace are given. The limits are understood, without effect yet: each tool has its own. */
const toolsGroups = {
  tools: () =>
    group({
      secrets: named(listOf(toolPattern(), "a list of tools, for example [posthog.*]"), SECRET_NAME).default(
        TOOLS_DEFAULTS.secrets,
      ),
      timeoutMs: wholeNumber(1).optional(),
      maxOutputBytes: wholeNumber(1).optional(),
    }),
};

/** Programs and services that offer tools over MCP. */
const mcpGroups = {
  mcpServers: () =>
    named(
      group({
        command: words("a command").optional(),
        args: listOf(z.string({ error: "must be text" })).optional(),
        env: named(z.string({ error: "must be text" })).optional(),
        cwd: words("the full path of a folder").optional(),
        /** Whether a program may reach the network, where it can be caged. */
        network: yesOrNo().optional(),
        /** What a program in its cage sees beside the system. */
        folders: listOf(
          z.union([
            words("the full path of a folder"),
            group({ path: words("the full path of a folder"), write: yesOrNo().optional() }),
          ]),
          "a list of folders",
        ).optional(),
        url: words("an address").optional(),
        headers: named(z.string({ error: "must be text" })).optional(),
        /** How to log in: as a client that the owner registered with the service, and what to ask for. */
        oauth: group({
          id: words("the id of a client").optional(),
          secret: words("the secret of a client").optional(),
          port: wholeNumber(1, 65_535).optional(),
          scopes: listOf(words("a scope"), "a list of scopes").optional(),
        }).optional(),
        timeoutMs: wholeNumber(1_000, LIMITS.toolTimeoutMaxMs).optional(),
        enabled: yesOrNo().optional(),
      }),
    ).optional(),
};

const API_DEFAULTS = { openai: false, anthropic: false, actions: false, mcp: false, metrics: false } as const;

const TRACES_DEFAULTS = { content: false } as const;

/** Addresses for other programs that are closed until the owner opens them. */
const apiGroups = {
  api: () =>
    group({
      openai: yesOrNo().default(API_DEFAULTS.openai),
      anthropic: yesOrNo().default(API_DEFAULTS.anthropic),
      actions: yesOrNo().default(API_DEFAULTS.actions),
      mcp: yesOrNo().default(API_DEFAULTS.mcp),
      metrics: yesOrNo().default(API_DEFAULTS.metrics),
    }),
  traces: () =>
    group({
      endpoint: words("the address of a collector, such as http://127.0.0.1:4318/v1/traces")
        .refine((text) => /^https?:/.test(text) && URL.canParse(text), {
          error: "must be an address such as http://127.0.0.1:4318/v1/traces",
        })
        .optional(),
      headers: named(z.string({ error: "must be text" })).optional(),
      content: yesOrNo().default(TRACES_DEFAULTS.content),
    }),
  tenants: () =>
    named(
      group({
        maxConcurrency: wholeNumber(1, 1_000).optional(),
        requestsPerMinute: wholeNumber(1, 100_000).optional(),
        timeoutMs: wholeNumber(1, LIMITS.actionTimeoutMaxMs).optional(),
        maxTokens: wholeNumber(1).optional(),
        modelsAllowed: listOf(words("a model as provider/model, where * stands for anything")).optional(),
        costCapUsd: group({
          run: numberAbove(0).optional(),
          day: numberAbove(0).optional(),
          month: numberAbove(0).optional(),
        }).optional(),
        allow: listOf(words("a tool, llm.chat or a resource name, where * stands for anything")).optional(),
        deny: listOf(words("a tool, llm.chat or a resource name, where * stands for anything")).optional(),
      }),
      NAME_PATTERN,
    ),
};

/** Services that the assistant can use. What an integration's own settings must be, its manifest says. */
const integrationGroups = {
  integrations: () => named(openGroup({ enabled: yesOrNo().optional() }), INTEGRATION_NAME).optional(),
};

/** About four characters each. */
const RECALL_TOKENS = { default: 1_000, max: 8_000 } as const;

const MEMORY_DEFAULTS = {
  enabled: true,
  fusion: "linear",
  recall: { tokens: RECALL_TOKENS.default },
} as const;

/** What sqlite-vec can hold in a row. */
const DIMS_MAX = 8_192;

/** What is remembered, and who turns it into vectors. Without `embeddings` nothing leaves this machine for it. */
const memoryGroups = {
  memory: () =>
    group({
      enabled: yesOrNo().default(MEMORY_DEFAULTS.enabled),
      embeddingModel: words("a model").optional(),
      fusion: oneOf(MEMORY_FUSIONS).default(MEMORY_DEFAULTS.fusion),
      recall: group({
        tokens: wholeNumber(0, RECALL_TOKENS.max).default(RECALL_TOKENS.default),
      }).default(MEMORY_DEFAULTS.recall),
      embeddings: group({
        model: modelRef("ollama/nomic-embed-text"),
        dims: wholeNumber(1, DIMS_MAX).optional(),
        pricePerMTokens: numberFrom(0).optional(),
        capUsd: numberFrom(0).default(EMBEDDINGS_DEFAULTS.capUsd),
        requestsPerMinute: wholeNumber(1, 10_000).default(EMBEDDINGS_DEFAULTS.requestsPerMinute),
        queryTimeoutMs: wholeNumber(50, 60_000).default(EMBEDDINGS_DEFAULTS.queryTimeoutMs),
        queryPrefix: z.string({ error: "must be text" }).optional(),
        documentPrefix: z.string({ error: "must be text" }).optional(),
      }).optional(),
    }),
};

const HEARTBEAT_DEFAULTS = { intervalMinutes: 30, target: PAGE_TARGET as string } as const;
const HEARTBEAT_MINUTES_MAX = 7 * 24 * 60;

const BACKUP_DEFAULTS = { keep: 7, target: PAGE_TARGET as string } as const;

/** What is done without being asked for, at its time. */
const scheduleGroups = {
  heartbeat: () =>
    group({
      /** 0 turns it off. */
      intervalMinutes: wholeNumber(0, HEARTBEAT_MINUTES_MAX).default(HEARTBEAT_DEFAULTS.intervalMinutes),
      /** Hours of the owner's day; where the end is before the start, over midnight. */
      activeHoursStart: wholeNumber(0, 23).optional(),
      activeHoursEnd: wholeNumber(0, 24).optional(),
      target: deliveryTarget(),
    }),
  backup: () =>
    group({
      /** Without times none is made by itself. */
      schedule: cronExpression().optional(),
      folder: words("the path of a folder").optional(),
      keep: wholeNumber(1, 1_000).default(BACKUP_DEFAULTS.keep),
      passphraseFile: words("the path of a file").optional(),
      target: deliveryTarget(),
    }),
  cron: () =>
    listOf(
      group({
        name: words("a name"),
        schedule: cronExpression(),
        message: words("the message to send"),
        isolated: yesOrNo().default(true),
        target: deliveryTarget(),
        catchUp: oneOf(CATCH_UP).default("skip"),
        overlap: oneOf(OVERLAP).default("skip"),
      }),
      "a list of jobs",
    ).superRefine((jobs, context) => {
      for (const [at, { name }] of jobs.entries()) {
        const problem = jobNameProblem(
          name,
          jobs.slice(0, at).map((job) => job.name),
        );
        if (problem !== undefined)
          context.addIssue({
            code: "custom",
            path: [at, "name"],
            message: problem,
            params: { sentence: true },
          });
      }
    }),
};

/** A job is known by its name, so the second of two would take the place of the first. */
function jobNameProblem(name: string, before: readonly string[]): string | undefined {
  const folded = foldedName(name);
  if (folded === HEARTBEAT_NAME)
    return `Elwood's own job is called "${HEARTBEAT_NAME}". Choose another name.`;
  const first = before.findIndex((each) => foldedName(each) === folded);
  return first < 0
    ? undefined
    : `\`cron[${first}]\` is called "${before[first]}" too, and a job is known by its name. Choose another name for one of them.`;
}

function foldedName(name: string): string {
  return foldCase(plainLine(name));
}

function deliveryTarget() {
  const error = 'must be "page", or a chat of a channel such as telegram:12345';
  return words('"page", or a chat of a channel such as telegram:12345')
    .regex(/^(?:page|[a-z]{1,32}:\S{1,150})$/u, { error })
    .default(PAGE_TARGET);
}

function cronExpression() {
  return words('a cron expression such as "0 9 * * 1-5"').superRefine((text, context) => {
    const problem = cronProblem(text);
    if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
  });
}

/** Below it the system prompt and the tools alone would be too much. */
const COMPACTION_THRESHOLD_MIN = 8_000;

export const LOG_LEVELS = ["error", "warn", "info", "debug"] as const;
export const LOG_FORMATS = ["auto", "json", "pretty"] as const;

/** What holds where nobody set anything; the time zone's default is the system's. */
export const DEFAULTS = {
  gateway: {
    host: "127.0.0.1",
    port: 18_789,
    allowedOrigins: [] as string[],
    allowedHosts: [] as string[],
  },
  agents: { default: "assistant" },
  providers: {},
  limits: RUN_LIMITS,
  prices: [] as PriceRow[],
  contextWindows: [] as ContextRow[],
  fallbackModels: [] as string[],
  sessions: { titles: true },
  log: { level: "info", format: "auto" },
  policy: POLICY_DEFAULTS,
  files: {},
  web: WEB_DEFAULTS,
  browser: BROWSER_DEFAULTS,
  shell: SHELL_DEFAULTS,
  programs: PROGRAMS_DEFAULTS,
  tools: TOOLS_DEFAULTS,
  memory: MEMORY_DEFAULTS,
  hooks: {} as Readonly<Record<string, Hook>>,
  notify: NOTIFY_DEFAULTS,
  api: API_DEFAULTS,
  tenants: {},
  traces: TRACES_DEFAULTS,
  heartbeat: HEARTBEAT_DEFAULTS,
  backup: BACKUP_DEFAULTS,
  cron: [] as CronSetting[],
} as const;

/** What a webhook is set to. */
export interface Hook {
  readonly secret: string;
  readonly message: string;
  readonly hmac?: (typeof HOOK_SIGNATURES)[number] | undefined;
  /** Where its replies go: `page`, or a chat such as `telegram:12345`. */
  readonly target: string;
}

interface CronSetting {
  readonly name: string;
  readonly schedule: string;
  readonly message: string;
  readonly isolated: boolean;
  readonly target: string;
  readonly catchUp: (typeof CATCH_UP)[number];
  readonly overlap: (typeof OVERLAP)[number];
}

/** Settings that do something today, each group built when it is needed. */
export const activeGroups = {
  version: () =>
    z
      .preprocess((value) => (value === 1 ? "1.0" : value), z.literal("1.0", { error: 'must be "1.0"' }))
      .optional(),
  /** Read before all others: see locate.ts. */
  stateDir: () => words("the path of a folder").optional(),
  /** Undefined: the first provider that has a key decides (see chooseModel). */
  model: () => modelRef().optional(),
  /** Of the terminal; undefined: the system's. The page has its own, in each browser. */
  language: () => z.enum(["en", "de"], { error: "must be en or de" }).optional(),
  timeZone: () => z.string({ error: ZONE_ERROR }).refine(isTimeZone, { error: ZONE_ERROR }).optional(),
  gateway: () =>
    group({
      host: words("a host name or address, for example 127.0.0.1").default(DEFAULTS.gateway.host),
      port: wholeNumber(0, 65_535).default(DEFAULTS.gateway.port),
      allowedOrigins: listOf(origin(), "a list of origins, for example [https://home.example]").default([]),
      allowedHosts: listOf(words("a host name"), "a list of host names, for example [home.example]").default(
        [],
      ),
    }),
  agents: () =>
    group({
      default: words("an agent's name")
        .regex(NAME_PATTERN, { error: "must be an agent's name: lower-case letters, digits, - and _" })
        .default(DEFAULTS.agents.default),
      workspaceDir: words("the path of a folder").optional(),
    }),
  providers: () =>
    named(
      group({
        baseUrl: baseUrl().optional(),
        api: oneOf(PROVIDER_APIS).optional(),
        headers: named(z.string({ error: "must be text" })).optional(),
      }),
      NAME_PATTERN,
    ),
  limits: () =>
    group({
      laps: wholeNumber(1, 1_000).default(RUN_LIMITS.laps),
      calls: wholeNumber(1, 10_000).default(RUN_LIMITS.calls),
      identicalCalls: wholeNumber(1, 1_000).default(RUN_LIMITS.identicalCalls),
      tokens: wholeNumber(1_000).default(RUN_LIMITS.tokens),
      minutes: numberAbove(0).default(RUN_LIMITS.minutes),
      costUsd: numberAbove(0).default(RUN_LIMITS.costUsd),
      dayCostUsd: numberAbove(0).default(RUN_LIMITS.dayCostUsd),
      parallelRuns: wholeNumber(1, 64).default(RUN_LIMITS.parallelRuns),
    }),
  prices: () =>
    listOf(
      group({
        match: words('a model as provider/model, where * stands for anything, such as "openai/gpt-*"'),
        input: numberFrom(0),
        output: numberFrom(0),
        cacheRead: numberFrom(0).optional(),
        cacheWrite: numberFrom(0).optional(),
        from: day().optional(),
      }),
      "a list of prices",
    ),
  contextWindows: () =>
    listOf(
      group({
        match: words('a model as provider/model, where * stands for anything, such as "ollama/*"'),
        tokens: wholeNumber(1_000, 100_000_000),
      }),
      "a list of context windows",
    ),
  fallbackModels: () => listOf(modelRef(), "a list of models, such as [openai/gpt-5.5]"),
  /** Undefined: the model of the run sums up. */
  compactionModel: () => modelRef().optional(),
  sessions: () => group({ titles: yesOrNo().default(DEFAULTS.sessions.titles) }),
  /** Undefined: four fifths of what the model takes. */
  compactionThreshold: () => wholeNumber(COMPACTION_THRESHOLD_MIN, 100_000_000).optional(),
  log: () =>
    group({
      level: lowerCase(oneOf(LOG_LEVELS)).default(DEFAULTS.log.level),
      format: lowerCase(oneOf(LOG_FORMATS)).default(DEFAULTS.log.format),
      /** Where `elwood up` writes it instead of standard output. */
      file: words("the path of a file").optional(),
    }),
  ...policyGroups,
  ...webGroups,
  browser: browserGroup,
  shell: shellGroup,
  ...programsGroups,
  ...toolsGroups,
  ...mcpGroups,
  ...integrationGroups,
  ...apiGroups,
  ...actionGroups,
  ...memoryGroups,
  ...hooksGroups,
  ...channelGroups,
  ...notifyGroups,
  ...scheduleGroups,
};

const allGroups = { ...activeGroups, ...inactiveGroups };

export function configSchema(): LazyGroup {
  return new LazyGroup(allGroups);
}

type Built<T extends Record<string, () => z.ZodType>> = { [K in keyof T]: ReturnType<T[K]> };
type Checked = z.output<z.ZodObject<Built<typeof allGroups>>>;

/** The whole configuration, every default filled in. */
export type Config = Omit<Checked, "timeZone"> & { readonly timeZone: string };

/** Whether a setting does something today. One that does not is kept, and said aloud at start. */
export function hasEffect(path: readonly string[]): boolean {
  return path[0] !== undefined && Object.hasOwn(activeGroups, path[0]) && !IDLE_SETTINGS.has(idleKey(path));
}

/** The group, or the setting of an active group, under which something without effect is told. */
export function idleKey(path: readonly string[]): string {
  const setting = path.slice(0, 2).join(".");
  return IDLE_SETTINGS.has(setting) ? setting : (path[0] ?? "");
}

const ZONE_ERROR = "must be the name of a time zone, for example Europe/Berlin";

function baseUrl() {
  return words("an address such as http://127.0.0.1:8000/v1").transform((text, context) => {
    const parsed = parseBaseUrl(text);
    if (parsed.ok) return parsed.value;
    context.addIssue({ code: "custom", message: parsed.error });
    return z.NEVER;
  });
}

function origin() {
  const error = "must be an origin such as https://home.example, with no path and no slash at its end";
  return words("an origin such as https://home.example").refine(
    (text) => URL.canParse(text) && new URL(text).origin === text,
    { error },
  );
}

function lowerCase<T extends z.ZodType>(schema: T) {
  return z.preprocess((value) => (typeof value === "string" ? value.toLowerCase() : value), schema);
}

/** `provider/model`; a bare id is completed where its maker is plain, so that older files load as they are. */
function modelRef(example = "anthropic/claude-sonnet-5-5") {
  const text = words(`a model as provider/model, for example ${example}`);
  return text.transform((written, context) => {
    const parsed = parseModelRef(written);
    if (parsed.ok) return formatModelRef(parsed.value);
    context.addIssue({ code: "custom", message: parsed.error, params: { sentence: true } });
    return z.NEVER;
  });
}
