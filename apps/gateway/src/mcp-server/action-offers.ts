import type { ServerContext, StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import { executionResultSchema, type ExecutionResult } from "@elwood/core/action/execution-shapes";
import type { Principal } from "@elwood/runtime/ports/ports";
import { z } from "zod";
import type { ActionService, ExecutionCaller } from "../actions/action-service.ts";
import type { OfferedAction } from "../actions/offered-actions.ts";
import { findAction } from "../methods/actions.ts";
import { offer, structured, told, toldAsProgress, type Answer, type Offer } from "./offer.ts";

/** Actions, for one who may execute them. */
export interface ActionAccess {
  readonly principal: Principal;
  readonly offered: readonly OfferedAction[];
  service(): Promise<ActionService>;
}

/** One executor under both names that callers know. */
const EXECUTE_NAMES = ["elwood.execute", "openact.execute"] as const;

const executeInput = z.strictObject({
  action_trn: z.string().min(1).max(300).optional().describe("The action's resource name, with its version."),
  action: z.string().min(1).max(200).optional().describe("Its name, in place of that."),
  version: z.string().min(1).max(20).optional().describe('With a name: "latest", or a number.'),
  input: z.record(z.string(), z.unknown()).default({}),
});

/** Those that are tools of their own, and any other by its name. `taken` are names that no action gets. */
export function actionOffers(access: ActionAccess, taken: ReadonlySet<string>): readonly Offer[] {
  const output = executionResultSchema();
  const reserved = new Set([...taken, ...EXECUTE_NAMES]);
  const own = access.offered.map((action): Offer => {
    const { name, description, input, reads } = action;
    return {
      name: reserved.has(name) ? `action.${name}` : name,
      description,
      input: shown(input),
      output,
      ...(reads && { annotations: { readOnlyHint: true } }),
      execute: (given, context) => executed(access, context, (caller) => action.execute(given, caller)),
    };
  });
  const any = EXECUTE_NAMES.map((name) =>
    offer({
      name,
      description: "Execute one of the owner's actions, by its resource name or by name and version.",
      input: executeInput,
      output,
      run: async ({ action: named, input, ...which }, context) => {
        const service = await access.service();
        const action = await findAction(service, { name: named, ...which }, access.principal.tenant);
        return executed(access, context, (caller) => service.execute(action, input, caller));
      },
    }),
  );
  return [...own, ...any];
}

/** The whole answer in the end, and its text piece by piece before. Who hangs up ends it. */
async function executed(
  { principal: { tenant, tokenId, name, scopes } }: ActionAccess,
  context: ServerContext,
  execute: (caller: ExecutionCaller) => Promise<ExecutionResult>,
): Promise<Answer> {
  const tell = toldAsProgress(context);
  return told(async () => {
    const result = await execute({
      tenant,
      tokenId,
      by: name,
      scopes,
      surface: "mcp",
      signal: context.mcpReq.signal,
      onEvent: (event) => {
        if (event.type === "text") tell(event.text);
      },
    });
    return structured({ ...result }, textOf(result));
  });
}

function textOf({ text, embeddings, ranking, tool_calls: calls }: ExecutionResult): string {
  if (embeddings) return `${embeddings.length} vectors.`;
  if (ranking) return JSON.stringify(ranking);
  return text === "" && calls.length > 0 ? JSON.stringify(calls) : text;
}

/** Only shown: the action itself checks what it is given, and says what is wrong in its own words. */
function shown(schema: Readonly<Record<string, unknown>>): StandardSchemaWithJSON {
  const jsonSchema = { input: () => ({ ...schema }), output: () => ({ ...schema }) };
  return {
    "~standard": { version: 1, vendor: "elwood", validate: (value) => ({ value }), jsonSchema },
  };
}
