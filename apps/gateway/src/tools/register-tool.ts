import { canonicalJson } from "@elwood/core/base/canonical-json";
import type { Sha256 } from "@elwood/core/receipts/receipt";
import { err, ok, type Result } from "@elwood/core/base/result";
import { ownToolKind, type ToolContract, type TrustLabels } from "@elwood/core/tool/tool";
import type { HandlerContext, RegisteredTool, ToolSource } from "@elwood/runtime/ports/gate-ports";
import type { ToolContext, ToolDefinition } from "@elwood/sdk/tool";
import { readAnswer, ToolError, type HandlerAnswer } from "@elwood/sdk/tool-answer";
import { brokenHeaderLines } from "./header-lines.ts";
import { withoutSlips } from "./input-slips.ts";
import { checkedSchema, type CheckedSchema } from "@elwood/sdk/schema/checked-schema";

/** What the host gives to tools, each time they run. */
export interface ToolProvisions {
  readonly sha256: Sha256;
  /** The way to the web for this tool; without it every request is refused. */
  readonly fetch?: (contract: ToolContract, source: ToolSource) => typeof globalThis.fetch;
  readonly secret?: (name: string, contract: ToolContract, source: ToolSource) => string | undefined;
}

/**
 * A definition made runnable; the error is a sentence about what its author must mend. The schemas of
 * Elwood's own tools are read when they are first needed: each start would wait for them, and no test
 * lets one pass that cannot be read.
 */
export function registerTool(
  definition: ToolDefinition,
  source: ToolSource,
  provisions: ToolProvisions,
): Result<RegisteredTool, string> {
  const schemas = source === "built-in" ? readLater(definition) : readSchemas(definition);
  if (!schemas.ok) return schemas;
  const { value: read } = schemas;
  const contract = contractOf(definition, read);
  let contractHash: string | undefined;
  const { preview, undo, reconcile, facts, target, grantKeys, names, spelling, replaces, foresees } =
    definition;
  return ok({
    contract,
    kind: source === "built-in" ? ownToolKind(contract.id) : "handler",
    get contractHash() {
      contractHash ??= provisions.sha256(`elwood.contract.v1\n${canonicalJson(hashed(contract, source))}`);
      return contractHash;
    },
    source,
    ...(definition.claims && { claims: definition.claims }),
    parseInput(value) {
      const { input } = read;
      const given = input.check(value);
      const mended = given.ok ? undefined : withoutSlips(value, contract);
      const again = mended && input.check(mended);
      const checked = again?.ok ? again : given;
      if (!checked.ok) return err(refusal(contract.id, "input", checked.error));
      // Elwood's own tools judge an address as it is parsed, and write no header from words.
      const broken = source === "built-in" ? [] : brokenHeaderLines(contract.labels, checked.value);
      return broken.length === 0 ? checked : err(refusal(contract.id, "input", broken));
    },
    parseOutput(value) {
      const checked = read.output.check(value);
      return checked.ok ? checked : err(refusal(contract.id, "output", checked.error));
    },
    facts: async (value, about) => (facts ? await facts.call(definition, value, about) : []),
    ...(names && { names: async (value) => names.call(definition, value) }),
    ...(spelling && { spelling: async (value) => spelling.call(definition, value) }),
    ...(replaces && { replaces: async (value) => replaces.call(definition, value) }),
    ...(foresees && { foresees: async (value, left) => foresees.call(definition, value, left) }),
    ...(grantKeys && { grantKeys: async (value) => grantKeys.call(definition, value) }),
    target: (value) => {
      const usual = () => targetFromLabels(contract.labels, value);
      const told = target?.call(definition, value);
      if (!(told instanceof Promise)) return told ?? usual();
      return told.then((words) => words ?? usual(), usual);
    },
    handle: (value, context) =>
      answered(contract, source, context, provisions, (ctx) => definition.handler(value, ctx)),
    ...(preview && {
      preview: async (value, signal, about) => preview.call(definition, value, signal, about),
    }),
    ...(undo && {
      undo: (value, result, context) =>
        answered(contract, source, context, provisions, (ctx) => undo.call(definition, value, result, ctx)),
    }),
    ...(reconcile && { reconcile: async (value, key) => reconcile.call(definition, value, key) }),
  } satisfies RegisteredTool);
}

interface ToolSchemas {
  readonly input: CheckedSchema;
  readonly output: CheckedSchema;
}

function readSchemas(definition: ToolDefinition): Result<ToolSchemas, string> {
  const input = checkedSchema(definition.input, "input");
  if (!input.ok) return err(`The tool ${definition.id} was left out: ${input.error}.`);
  const output = definition.output === undefined ? ok(ANYTHING) : checkedSchema(definition.output, "output");
  if (!output.ok) return err(`The tool ${definition.id} was left out: ${output.error}.`);
  const mislabelled = unknownLabel(definition.labels, input.value.jsonSchema);
  if (mislabelled !== undefined) return err(`The tool ${definition.id} was left out: ${mislabelled}.`);
  return ok({ input: input.value, output: output.value });
}

function readLater(definition: ToolDefinition): Result<ToolSchemas, never> {
  let schemas: ToolSchemas | undefined;
  const read = () => {
    if (schemas) return schemas;
    const found = readSchemas(definition);
    if (!found.ok) throw new TypeError(found.error);
    schemas = found.value;
    return schemas;
  };
  return ok({
    get input() {
      return read().input;
    },
    get output() {
      return read().output;
    },
  });
}

/**
 * Elwood's own tools say in words where they work, which changes with the configuration: a folder
 * that is opened must not take the owner's standing permissions away. In a tool of anybody else
 * every word counts.
 */
function hashed(contract: ToolContract, source: ToolSource): ToolContract {
  if (source !== "built-in") return contract;
  const input = withoutDescriptions(contract.input) as Record<string, unknown>;
  return { ...contract, description: "", input };
}

function withoutDescriptions(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutDescriptions);
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
      if (key === "description" && typeof value === "string") return [];
      if (key !== "properties" || typeof value !== "object" || value === null)
        return [[key, withoutDescriptions(value)]];
      // Here the keys are names of arguments, of which one may be "description".
      const named = Object.entries(value).map(([name, each]) => [name, withoutDescriptions(each)]);
      return [[key, Object.fromEntries(named)]];
    }),
  );
}

const ANYTHING: CheckedSchema = {
  jsonSchema: {},
  check: (value) => {
    if (value === undefined) return ok(null);
    try {
      canonicalJson(value);
      return ok(value);
    } catch (cause) {
      if (!(cause instanceof TypeError)) throw cause;
      return err([`the output is not plain JSON: ${cause.message}`]);
    }
  },
};

function contractOf(definition: ToolDefinition, schemas: ToolSchemas): ToolContract {
  const { id, description, risk, labels, policy, requiresApproval, idempotent, timeoutMs, secrets } =
    definition;
  const { hosts, code } = definition;
  return {
    id,
    description,
    risk,
    labels,
    ...(policy && { policy }),
    requiresApproval,
    idempotent,
    canPreview: definition.preview !== undefined,
    canUndo: definition.undo !== undefined,
    canReconcile: definition.reconcile !== undefined,
    timeoutMs,
    ...(secrets.length > 0 && { secrets: [...secrets].sort() }),
    ...(hosts && { hosts: [...hosts].sort() }),
    ...(code !== undefined && { code }),
    get input() {
      return schemas.input.jsonSchema;
    },
    get output() {
      return schemas.output.jsonSchema;
    },
  };
}

/** A slip of the pen in a label would leave an argument unguarded, so it is refused. */
function unknownLabel(labels: TrustLabels, input: Record<string, unknown>): string | undefined {
  const known = argumentsOf(input);
  const named = [
    ...labels.critical,
    ...labels.content,
    ...labels.time,
    ...(labels.local ?? []),
    ...Object.keys(labels.ids),
  ];
  const stranger = named.find((name) => name !== "*" && !known.has(name));
  if (stranger === undefined) return undefined;
  return `its labels name the argument "${stranger}", which its input does not have (it has ${[...known].join(", ") || "none"})`;
}

function argumentsOf(schema: Record<string, unknown>): Set<string> {
  const names = new Set(Object.keys((schema["properties"] as object | undefined) ?? {}));
  for (const list of [schema["anyOf"], schema["oneOf"], schema["allOf"]]) {
    if (!Array.isArray(list)) continue;
    for (const part of list) for (const name of argumentsOf(part as Record<string, unknown>)) names.add(name);
  }
  return names;
}

function refusal(toolId: string, what: string, problems: readonly string[]): string {
  return [`The ${what} does not fit ${toolId}:`, ...problems.map((problem) => `- ${problem}`)].join("\n");
}

const TARGET_CHARS_MAX = 120;

/** Where the author says nothing, the critical arguments that are short texts or numbers. */
function targetFromLabels({ critical }: TrustLabels, input: unknown): string | undefined {
  if (typeof input !== "object" || input === null || critical.includes("*")) return undefined;
  const values = critical.flatMap((name) => {
    const value: unknown = Object.hasOwn(input, name) ? (input as Record<string, unknown>)[name] : undefined;
    return typeof value === "string" || typeof value === "number" ? [String(value)] : [];
  });
  const words = values.join(", ");
  if (words === "") return undefined;
  return words.length > TARGET_CHARS_MAX ? `${words.slice(0, TARGET_CHARS_MAX)}…` : words;
}

/** A request ends with its call, also where the handler forgets to hand the signal on. */
function boundFetch(
  fetch: typeof globalThis.fetch,
  context: Pick<HandlerContext, "signal">,
): typeof globalThis.fetch {
  return (input, init) => {
    const { signal } = context;
    const own = init?.signal ?? (input instanceof Request ? input.signal : undefined);
    return fetch(input, { ...init, signal: own ? AbortSignal.any([own, signal]) : signal });
  };
}

const noFetch: typeof globalThis.fetch = async () => {
  throw new ToolError("no_web", "This Elwood gives its tools no way to the web. Nothing was sent.");
};

async function answered(
  contract: ToolContract,
  source: ToolSource,
  context: HandlerContext,
  provisions: ToolProvisions,
  run: (ctx: ToolContext) => HandlerAnswer,
): ReturnType<RegisteredTool["handle"]> {
  const secrets: Record<string, string> = {};
  for (const name of contract.secrets ?? []) {
    const value = provisions.secret?.(name, contract, source);
    if (value === undefined) {
      const message = `The secret ${name}, which ${contract.id} needs, is not set, or the configuration does not give it to this tool. Nothing was done.`;
      return err({ code: "secret_missing", message, retryable: false });
    }
    secrets[name] = value;
  }
  const { callId, sessionId, runId, idempotencyKey, undoPromised, shownChars } = context;
  const ctx: ToolContext = {
    ...(source === "built-in" && context.tenant !== undefined && { tenant: context.tenant }),
    callId,
    session: sessionId,
    ...(runId !== undefined && { run: runId }),
    idempotencyKey,
    // It is made where somebody looks.
    get signal() {
      return context.signal;
    },
    ...(undoPromised === true && { undoPromised }),
    ...(shownChars && { shownChars }),
    ...(source === "mcp" && context.ask && { ask: context.ask }),
    ...(source === "client" && context.pausing && { pausing: context.pausing }),
    progress: (message) => context.progress(message),
    fetch: boundFetch(provisions.fetch?.(contract, source) ?? noFetch, context),
    secrets,
  };
  try {
    return readAnswer(await run(ctx));
  } catch (cause) {
    if (!(cause instanceof ToolError)) throw cause;
    const { code, message, retryable, quoted } = cause;
    return err({ code, message, retryable, ...(quoted === undefined ? {} : { quoted }) });
  }
}
