import { isRecord } from "@elwood/core/base/is-record";
import { CLIENT_TOOL_NAME_PATTERN } from "@elwood/core/tool/client-tool";
import type { Risk } from "@elwood/core/tool/tool";
import { readAnswer, ToolError } from "../tool-answer.ts";
import { isStandardSchema, type Checked, type ToolSchema } from "../tool-schema.ts";
import { defineTool, type Settled, type ToolContext, type ToolDefinition } from "../tool.ts";
import { ToolExecutionError } from "./errors.ts";

const NAME_CHARS_MAX = 32;

/** What a tool is given beside its arguments and the conversation. */
export interface ToolRunContext {
  /** Fires when the call's time is over or somebody stops it. */
  readonly signal: AbortSignal;
  /** One line for whoever watches. */
  readonly progress: (message: string) => void;
  readonly runId: string;
  /** The same for every try of one call: hand it to services that know such keys. */
  readonly idempotencyKey: string;
  readonly log: (message: string) => void;
}

export interface ToolConfig<In extends ToolSchema = ToolSchema, Out extends ToolSchema = ToolSchema> {
  /** What the model calls it: letters, digits, single `_` or `-`; 32 characters at most. */
  name: string;
  /** For the model: what it does, and when to use it. */
  description: string;
  /** A JSON Schema, or any Standard Schema that can say itself as one (Zod 4.2 and others). */
  inputSchema: In;
  outputSchema?: Out;
  /**
   * Does it. A ToolExecutionError says that it did not happen; anything else that is thrown leaves
   * open whether it did, and the owner is asked.
   */
  // oxlint-disable-next-line typescript/no-explicit-any -- whatever it answers is checked by the output schema
  execute(this: void, args: Checked<In>, conversationId: string, context: ToolRunContext): Promise<any>;
  /** What it does to the world; the owner is shown it as your suggestion, and decides. */
  risk?: Risk;
  /** It sends something to others. */
  sends?: boolean;
  requiresApproval?: boolean;
  /** Making the same call again with the same key has no further effect. */
  idempotent?: boolean;
  timeoutMs?: number;
  /** Takes the effect of a call back. */
  undo?(this: void, args: Checked<In>, output: unknown, context: ToolRunContext): Promise<unknown>;
  /** After a crash: did the call with this key take effect? */
  reconcile?(this: void, args: Checked<In>, idempotencyKey: string): Promise<Settled>;
}

/** Something an assistant can do. */
export class Tool<In extends ToolSchema = ToolSchema, Out extends ToolSchema = ToolSchema> {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: In;
  readonly outputSchema: Out | undefined;
  readonly #config: ToolConfig<In, Out>;

  constructor(config: ToolConfig<In, Out>) {
    const problem = problemWith(config);
    if (problem !== undefined) throw new TypeError(`Tool: ${problem}`);
    this.name = config.name;
    this.description = config.description;
    this.inputSchema = config.inputSchema;
    this.outputSchema = config.outputSchema;
    this.#config = config;
  }

  /** All of it but the functions. */
  get config(): Readonly<Omit<ToolConfig<In, Out>, "execute" | "undo" | "reconcile">> & {
    readonly canUndo: boolean;
    readonly canReconcile: boolean;
  } {
    const { execute: _execute, undo, reconcile, ...rest } = this.#config;
    return { ...rest, canUndo: undo !== undefined, canReconcile: reconcile !== undefined };
  }

  /**
   * Checks the arguments, runs the tool, and checks what it answers.
   * @throws ToolExecutionError if an argument or the answer does not fit, or the tool says that it failed.
   */
  // oxlint-disable-next-line typescript/no-explicit-any -- what it resolves to is up to the tool
  async execute(args: Checked<In>, conversationId: string, context?: Partial<ToolRunContext>): Promise<any> {
    const output = await this.run(args, conversationId, context);
    if (this.outputSchema === undefined) return output;
    const checked = await check(this.outputSchema, "output", output);
    if (checked.ok) return checked.value;
    throw new ToolExecutionError(
      "invalid_output",
      `${this.name} answered something that does not fit its output schema: ${checked.error.join(" ")} What it did is done.`,
    );
  }

  /** The same without the check of its answer, which an engine does itself. */
  async run(args: unknown, conversationId: string, context?: Partial<ToolRunContext>): Promise<unknown> {
    const checked = await check(this.inputSchema, "input", args);
    if (!checked.ok)
      throw new ToolExecutionError(
        "invalid_input",
        `The arguments do not fit ${this.name}: ${checked.error.join(" ")} It was not run.`,
      );
    const given = checked.value as Checked<In>;
    return unwrapped(this.name, await this.#config.execute(given, conversationId, wholeContext(context)));
  }

  async undo(args: unknown, output: unknown, context?: Partial<ToolRunContext>): Promise<unknown> {
    if (!this.#config.undo)
      throw new ToolExecutionError("no_undo", `${this.name} cannot be undone. Nothing was done.`);
    return unwrapped(this.name, await this.#config.undo(args as Checked<In>, output, wholeContext(context)));
  }

  async reconcile(args: unknown, idempotencyKey: string): Promise<Settled> {
    return (await this.#config.reconcile?.(args as Checked<In>, idempotencyKey)) ?? "unknown";
  }

  /** A tool that was made with `defineTool`, under the last parts of its id. Where it uses the web, hand over a `fetch`. */
  static fromDefinition(
    definition: ToolDefinition,
    given: {
      readonly name?: string;
      readonly secrets?: Readonly<Record<string, string>>;
      readonly fetch?: ToolContext["fetch"];
    } = {},
  ): Tool {
    const { secrets = {}, fetch = noFetch, name = definition.id.split(".").slice(1).join("_") } = given;
    const missing = definition.secrets.find((secret) => secrets[secret] === undefined);
    if (missing !== undefined)
      throw new TypeError(`Tool: ${definition.id} needs the secret ${missing}; hand it over in "secrets".`);
    const contextOf = (conversationId: string, context: ToolRunContext): ToolContext => ({
      callId: context.idempotencyKey,
      session: conversationId,
      run: context.runId,
      idempotencyKey: context.idempotencyKey,
      signal: context.signal,
      progress: (message) => context.progress(message),
      fetch,
      secrets,
    });
    const { undo, reconcile } = definition;
    return new Tool<ToolSchema>({
      name,
      description: definition.description,
      inputSchema: definition.input,
      ...(definition.output && { outputSchema: definition.output }),
      risk: definition.risk,
      sends: definition.labels.egress !== "none",
      requiresApproval: definition.requiresApproval,
      idempotent: definition.idempotent,
      timeoutMs: definition.timeoutMs,
      async execute(args, conversationId, context) {
        return definition.handler(args, contextOf(conversationId, context));
      },
      ...(undo && {
        undo: async (args: unknown, output: unknown, context: ToolRunContext) =>
          undo(args, output, contextOf("", context)),
      }),
      ...(reconcile && { reconcile: async (args: unknown, key: string) => reconcile(args, key) }),
    });
  }

  /** The same as `defineTool` makes it, for a workspace or an integration. */
  toDefinition(id: string): ToolDefinition {
    const { risk = "destructive", sends, requiresApproval, idempotent, timeoutMs } = this.#config;
    const contextOf = (ctx: ToolContext): ToolRunContext => ({
      signal: ctx.signal,
      progress: (message) => ctx.progress(message),
      runId: ctx.run ?? "",
      idempotencyKey: ctx.idempotencyKey,
      log: (message) => ctx.progress(message),
    });
    const { undo, reconcile } = this.#config;
    return defineTool({
      id,
      description: this.description,
      risk,
      input: this.inputSchema,
      ...(this.outputSchema === undefined ? {} : { output: this.outputSchema }),
      ...(sends === false ? { labels: { egress: "none" as const } } : {}),
      ...(requiresApproval === undefined ? {} : { requiresApproval }),
      ...(idempotent === undefined ? {} : { idempotent }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      handler: (args, ctx) => asToolError(this.run(args, ctx.session, contextOf(ctx))),
      ...(undo && {
        undo: (args: unknown, output: unknown, ctx: ToolContext) =>
          asToolError(this.undo(args, output, contextOf(ctx))),
      }),
      ...(reconcile && { reconcile: (args: unknown, key: string) => this.reconcile(args, key) }),
    });
  }
}

/** The schema as it travels. Throws a TypeError where it is none. */
export function jsonSchemaOf(schema: ToolSchema, what: "input" | "output"): Record<string, unknown> {
  if (!isStandardSchema(schema)) return { ...schema };
  const { jsonSchema, vendor } = schema["~standard"];
  if (!jsonSchema)
    throw new TypeError(
      `its ${what} schema (${vendor}) cannot say itself as JSON Schema. Use Zod 4.2 or newer, another library that has \`~standard.jsonSchema\`, or write the JSON Schema itself`,
    );
  const { $schema: _dialect, ...shown } = jsonSchema[what]({ target: "draft-2020-12" });
  return shown;
}

/** Tools are often written in plain JavaScript, so the types alone are no check. */
function problemWith(config: ToolConfig): string | undefined {
  const { name, description, inputSchema, outputSchema } = config;
  const shown = JSON.stringify(name);
  if (typeof name !== "string" || !CLIENT_TOOL_NAME_PATTERN.test(name) || name.length > NAME_CHARS_MAX)
    return `${shown} is not a tool's name. Write letters, digits and single _ or -, such as "get_weather"; ${NAME_CHARS_MAX} characters at most.`;
  if (typeof description !== "string" || description.trim() === "") return `${name} needs a description.`;
  if (typeof config.execute !== "function") return `${name} needs a function "execute".`;
  for (const [what, schema] of [
    ["input", inputSchema],
    ["output", outputSchema],
  ] as const) {
    if (what === "output" && schema === undefined) continue;
    if (!isRecord(schema))
      return `${name} needs a schema for its ${what}: Zod, any Standard Schema, or a JSON Schema.`;
    try {
      const json = jsonSchemaOf(schema, what);
      const { type } = json;
      if (what === "input" && type !== undefined && type !== "object")
        return `the input of ${name} must be an object with named arguments; its schema says ${JSON.stringify(type)}.`;
    } catch (error) {
      return `${name}: ${error instanceof Error ? error.message : String(error)}.`;
    }
  }
  return undefined;
}

async function check(schema: ToolSchema, what: "input" | "output", value: unknown) {
  // Brings Zod; a program that runs no tool does not need it.
  const { checkedSchema } = await import("../schema/checked-schema.ts");
  const made = checkedSchema(schema, what);
  if (!made.ok) throw new TypeError(made.error);
  return made.value.check(value);
}

/** A Result or `result()` that a handler may return, as a plain value. */
function unwrapped(name: string, answer: unknown): unknown {
  const read = readAnswer(answer);
  if (read.ok) return read.value.value;
  const { code, message, retryable } = read.error;
  throw new ToolExecutionError(code, `${name}: ${message}`, { retryable });
}

const noFetch: ToolContext["fetch"] = async () => {
  throw new ToolError(
    "no_web",
    'This tool was given no way to the web: hand over "fetch". Nothing was sent.',
  );
};

async function asToolError<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof ToolExecutionError)) throw error;
    throw new ToolError(error.code, error.message, { retryable: error.retryable });
  }
}

function wholeContext(given: Partial<ToolRunContext> = {}): ToolRunContext {
  return {
    signal: new AbortController().signal,
    progress: () => {},
    runId: "",
    idempotencyKey: crypto.randomUUID(),
    log: () => {},
    ...given,
  };
}
