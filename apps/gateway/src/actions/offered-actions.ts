import {
  chatInputSchema,
  embedInputSchema,
  rerankInputSchema,
  resourceGetSchema,
  resourceSearchSchema,
} from "@elwood/core/action/execution-shapes";
import type { ActionSpec } from "@elwood/core/action/action-spec";
import type { ExecutionResult } from "@elwood/core/action/execution-shapes";
import { z } from "zod";
import type { ActionService, ActionView, ExecutionCaller } from "./action-service.ts";

/** An action as a tool for programs that come by MCP. */
export interface OfferedAction {
  /** The action's `name_override`, else its own name. No two are the same. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of what it is executed with. */
  readonly input: Readonly<Record<string, unknown>>;
  /** It changes nothing outside Elwood, and nothing waits for the owner. */
  readonly reads: boolean;
  /** Throws a FailureError where it does not come to an answer. */
  execute(input: unknown, caller: ExecutionCaller): Promise<ExecutionResult>;
}

/** Elwood's own that are offered to everybody who may execute, unless the owner has an action of that name. */
const ALWAYS: ReadonlySet<string> = new Set(["llm.chat", "llm.embed"]);

/**
 * The actions that say `mcp_enabled: true`, each in its current version, and Elwood's own. Whoever calls one
 * needs the scope `execute`.
 */
export async function offeredActions(
  service: Pick<ActionService, "list" | "repeatable" | "execute">,
): Promise<readonly OfferedAction[]> {
  const all = await service.list();
  const stored = new Set(all.flatMap(({ name, source }) => (source === "stored" ? [name] : [])));
  const enabled = all.filter(({ name, source, spec }) =>
    source === "stored" ? spec.mcp_enabled === true : ALWAYS.has(name) && !stored.has(name),
  );
  const taken = new Set(enabled.map(({ name }) => name));
  return enabled.map((action) => {
    const { spec } = action;
    const name = nameOf(action, taken);
    taken.add(name);
    return {
      name,
      description: spec.description ?? DESCRIPTIONS[spec.task],
      input: inputSchemaOf(spec),
      reads: service.repeatable(action),
      execute: (input, caller) => service.execute(action, input, caller),
    };
  });
}

/** A name that another one has already would hide it: then the action's own stands, which is its alone. */
function nameOf({ name, spec }: ActionView, taken: ReadonlySet<string>): string {
  const { name_override: wanted = name } = spec;
  return taken.has(wanted) ? name : wanted;
}

const DESCRIPTIONS: Readonly<Record<ActionSpec["task"], string>> = {
  chat: "Asks a model.",
  embed: "Texts as vectors.",
  rerank: "Documents by how near they are to a query.",
  http: "A request to another service.",
  "resources.search": "Finds in what is on record.",
  "resources.get": "Reads what is on record.",
};

/** What an action is executed with, as JSON Schema. */
export function inputSchemaOf({ task, http }: ActionSpec): Record<string, unknown> {
  if (task === "http") return { ...(http?.input_schema ?? { type: "object" }) };
  const schema = {
    chat: chatInputSchema,
    embed: embedInputSchema,
    rerank: rerankInputSchema,
    "resources.search": resourceSearchSchema,
    "resources.get": resourceGetSchema,
  }[task];
  return z.toJSONSchema(schema(), { io: "input" });
}
