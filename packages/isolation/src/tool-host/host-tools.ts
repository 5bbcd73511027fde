import type { Result } from "@elwood/core/base/result";
import type { ToolResult } from "@elwood/core/tool/tool";
import type { ToolContext, ToolDefinition } from "@elwood/sdk/tool";
import { readAnswer, ToolError, type HandlerError } from "@elwood/sdk/tool-answer";
import { checkedSchema, type CheckedSchema } from "@elwood/sdk/schema/checked-schema";
import type { HostFetch } from "./host-fetch.ts";
import { WORKSPACE_LIMITS } from "./limits.ts";
import {
  HOST_FUNCTIONS,
  SECRET_NAME,
  type CallBody,
  type FromHost,
  type HostFunction,
  type ListedTool,
} from "./wire.ts";

interface Hosted {
  readonly tool: ToolDefinition;
  readonly input: CheckedSchema;
  readonly listed: ListedTool;
  readonly file: string;
}

type Say = (head: FromHost, body?: string) => void;
type Answer = Result<ToolResult, HandlerError>;

/** The tools that the modules export, and the calls of them that are being made. */
export class HostedTools {
  readonly #fetches: HostFetch;
  readonly #say: Say;
  readonly #tools = new Map<string, Hosted>();
  readonly #calls = new Map<number, AbortController>();

  constructor(fetches: HostFetch, say: Say) {
    this.#fetches = fetches;
    this.#say = say;
  }

  /** Takes every tool that a module exports: by name, as its default, or in lists of them. */
  add(file: string, module: Record<string, unknown>): void {
    for (const tool of new Set(Object.values(module).flat())) {
      if (!isTool(tool)) continue;
      const other = this.#tools.get(tool.id);
      if (other?.tool === tool) continue;
      if (this.#tools.size >= WORKSPACE_LIMITS.toolsPerIntegrationMax)
        throw placed(file, `an integration has ${WORKSPACE_LIMITS.toolsPerIntegrationMax} tools at most.`);
      if (other)
        throw placed(file, `there are two tools ${tool.id}; the other one is in ${nameOf(other.file)}.`);
      this.#tools.set(tool.id, hosted(tool, file));
    }
  }

  listed(): ListedTool[] {
    return [...this.#tools.values()].map(({ listed }) => listed);
  }

  async make(n: number, toolId: string, fn: HostFunction, body: CallBody): Promise<void> {
    const over = new AbortController();
    this.#calls.set(n, over);
    try {
      const answer = JSON.stringify(await this.#answer(n, toolId, fn, body, over.signal)) ?? "null";
      const fits = Buffer.byteLength(answer) <= WORKSPACE_LIMITS.answerBytesMax;
      this.#say({ t: "done", n, how: "answer" }, fits ? answer : JSON.stringify(TOO_LARGE));
    } catch (error) {
      const words = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      this.#say({ t: "done", n, how: "threw" }, words.slice(0, WORKSPACE_LIMITS.lineCharsMax));
    } finally {
      this.#calls.delete(n);
    }
  }

  abort(n: number): void {
    this.#say({ t: "aborted", n });
    this.#calls.get(n)?.abort("stopped");
  }

  async #answer(
    n: number,
    toolId: string,
    fn: HostFunction,
    body: CallBody,
    signal: AbortSignal,
  ): Promise<unknown> {
    const known = this.#tools.get(toolId);
    if (!known) throw new Error(`there is no tool ${toolId} here`);
    const { tool } = known;
    // What the gateway let through by its JSON Schema may still break a rule that only the schema itself knows.
    const checked = known.input.check(body.input);
    if (!checked.ok) return refused(checked.error);
    const input = checked.value;
    const about = body.session === undefined ? {} : { session: body.session };
    switch (fn) {
      case "handler":
        return answered(() => tool.handler(input, this.#context(n, body, signal)));
      case "undo":
        return answered(() => tool.undo?.(input, body.output, this.#context(n, body, signal)));
      case "preview":
        return tool.preview?.(input, signal, about);
      case "facts":
        return tool.facts?.(input, about);
      case "reconcile":
        return tool.reconcile?.(input, body.idempotencyKey ?? "");
      case "target":
        return (await tool.target?.(input)) ?? null;
      default:
        return fn satisfies never;
    }
  }

  #context(n: number, body: CallBody, signal: AbortSignal): ToolContext {
    return {
      callId: body.callId ?? "",
      session: body.session ?? "",
      ...(body.run === undefined ? {} : { run: body.run }),
      idempotencyKey: body.idempotencyKey ?? "",
      signal,
      progress: (message) => this.#say({ t: "progress", n }, message.slice(0, WORKSPACE_LIMITS.lineCharsMax)),
      fetch: this.#fetches.of(n, signal),
      secrets: { ...body.secrets },
    };
  }
}

async function answered(run: () => unknown): Promise<Answer> {
  let answer: Answer;
  try {
    answer = readAnswer(await run());
  } catch (cause) {
    if (!(cause instanceof ToolError)) throw cause;
    const { code, message, retryable } = cause;
    return { ok: false, error: { code, message, retryable } };
  }
  if (!answer.ok) return answer;
  try {
    // What cannot be written down was still done.
    JSON.stringify(answer.value);
    return answer;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    return {
      ok: true,
      value: { value: null, text: `It was done, but its answer is not plain JSON: ${why}` },
    };
  }
}

const TOO_LARGE: Answer = {
  ok: true,
  value: {
    value: null,
    text: `It was done, but its answer has more than ${WORKSPACE_LIMITS.answerBytesMax} bytes and was left out.`,
    truncated: true,
  },
};

function refused(problems: readonly string[]): Answer {
  const message = ["The input does not fit. Nothing was done:", ...problems.map((each) => `- ${each}`)];
  return { ok: false, error: { code: "invalid", message: message.join("\n"), retryable: false } };
}

function hosted(tool: ToolDefinition, file: string): Hosted {
  const problem = sizeProblem(tool);
  if (problem !== undefined) throw placed(file, `${tool.id} cannot be used: ${problem}.`);
  const input = checkedSchema(tool.input, "input");
  if (!input.ok) throw placed(file, `${tool.id} cannot be used: ${input.error}.`);
  const output = tool.output === undefined ? undefined : checkedSchema(tool.output, "output");
  if (output?.ok === false) throw placed(file, `${tool.id} cannot be used: ${output.error}.`);
  const listed: ListedTool = {
    id: tool.id,
    description: tool.description,
    risk: tool.risk,
    labels: { ...tool.labels },
    policy: tool.policy,
    requiresApproval: tool.requiresApproval,
    idempotent: tool.idempotent,
    timeoutMs: tool.timeoutMs,
    secrets: tool.secrets,
    hosts: tool.hosts ?? [],
    input: input.value.jsonSchema,
    output: output?.value.jsonSchema,
    has: HOST_FUNCTIONS.filter((fn) => typeof tool[fn] === "function"),
  };
  return { tool, input: input.value, listed, file };
}

/** What the gateway would take for the word of a broken process is told here as the mistake that it is. */
function sizeProblem({ description, secrets }: ToolDefinition): string | undefined {
  const { descriptionCharsMax, secretsPerToolMax } = WORKSPACE_LIMITS;
  if (description.length > descriptionCharsMax)
    return `its description is longer than ${descriptionCharsMax} characters`;
  if (secrets.length > secretsPerToolMax) return `it declares more than ${secretsPerToolMax} secrets`;
  const wrong = secrets.find((name) => !SECRET_NAME.test(name));
  return wrong === undefined
    ? undefined
    : `${JSON.stringify(wrong)} is not the name of a secret: letters, digits and _, such as EXAMPLE_API_KEY`;
}

function placed(file: string, message: string): Error {
  const error = new Error(message);
  error.stack = `${file}:1\n${message}`;
  return error;
}

function nameOf(file: string): string {
  return file.replace(/^tool:\/\/\//, "");
}

function isTool(value: unknown): value is ToolDefinition {
  return typeof value === "object" && value !== null && (value as { kind?: unknown }).kind === "elwood.tool";
}
