import { failure, FailureError } from "@elwood/core/base/failure";
import { err, ok } from "@elwood/core/base/result";
import type { ToolCallSpec } from "@elwood/core/action/action-spec";
import { parseTrn } from "@elwood/core/action/trn";
import { toWireName } from "@elwood/core/model/model";
import { resolveToolName } from "@elwood/core/tool/tool";
import { modelSchema } from "@elwood/sdk/schema/model-schema";
import type { BridgedOutcome, BridgedTool, ToolBridge } from "@elwood/runtime/actions/execute-action";
import type { SchemaCheck } from "@elwood/runtime/actions/json-answer";
import type { ToolSnapshot } from "@elwood/runtime/ports/gate-ports";
import type { Clock, Ids, RunRecorder, SessionStore, ToolHost } from "@elwood/runtime/ports/ports";
import { httpToolId } from "./http-action-tool.ts";

export interface GateBridgeDeps {
  readonly gate: () => Pick<ToolHost & RunRecorder, "call" | "closeRun" | "noteRun" | "activity">;
  readonly toolSnapshot: () => Promise<ToolSnapshot>;
  readonly sessions: Pick<SessionStore, "create" | "rename" | "bind" | "findByKey">;
  readonly agentId: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly schemaCheck: (schema: Readonly<Record<string, unknown>>) => SchemaCheck;
}

/**
 * Tools for executions, through the gate. The calls of one execution are those of one run of their own, in a
 * session that belongs to the action: what they want is decided where everything is, by policy and owner, and
 * nothing a program sent counts as the owner's word there.
 */
export function gateBridge(deps: GateBridgeDeps): ToolBridge {
  return {
    async tools(spec, { trn }) {
      const listed: readonly ToolCallSpec[] =
        spec.task === "http" ? [{ tool_trn: httpToolId(actionOf(trn)) }] : (spec.tool_calls ?? []);
      const tools: BridgedTool[] = [];
      const toolSnapshot = await deps.toolSnapshot();
      for (const { tool_trn: named, ...more } of listed) {
        const toolId = toolIdOf(named);
        const registered = toolId === undefined ? undefined : toolSnapshot.get(toolId);
        if (!registered)
          return err(
            failure("NOT_FOUND", `The action lists the tool ${named}, which is not there. Nothing was sent.`),
          );
        const { contract } = registered;
        const { name_override: name = toWireName(contract.id), schema } = more;
        tools.push({
          spec: {
            toolId: name,
            description: contract.description,
            inputSchema: modelSchema(schema ?? contract.input),
            reads: contract.risk === "read",
          },
          toolId: contract.id,
          ...(schema ? { check: deps.schemaCheck(schema) } : {}),
        });
      }
      return ok(tools);
    },

    async open({ tenant, trn, surface, signal, tokenId, by }) {
      const sessionId = await sessionOf(deps, tenant, trn);
      const runId = deps.ids.next("run");
      const gate = deps.gate();
      const who = { runId, sessionId, surface };
      await gate.noteRun(tenant, {
        ...who,
        what: "started",
        detail: { attempt: 1, senderId: tokenId, senderName: by },
      });
      return {
        async call(toolId, input): Promise<BridgedOutcome> {
          const callId = deps.ids.next("call");
          const outcome = await gate.call(
            { callId, toolId, input },
            {
              tenant,
              ...who,
              signal,
              progress: () => {},
              entered: () => {},
              started: () => {},
              waiting: () => {},
            },
          );
          if (outcome.status === "deferred")
            throw new FailureError(
              failure("STOPPING", "Elwood is stopping. The call was not made; try again."),
            );
          const ended = outcome.ended ?? (outcome.status === "ok" ? "succeeded" : "failed");
          return { callId, status: outcome.status, ended, text: outcome.text };
        },
        async close() {
          await gate.closeRun(tenant, { ...who, by: "gateway" });
          await gate.noteRun(tenant, { ...who, what: "finished", detail: { status: "done" } });
        },
      };
    },
  };
}

function actionOf(trn: string): string {
  return trn.slice(trn.lastIndexOf("/") + 1, trn.lastIndexOf("@"));
}

function toolIdOf(named: string): string | undefined {
  if (!named.startsWith("trn:")) return resolveToolName(named);
  const trn = parseTrn(named);
  return trn.ok ? httpToolId(trn.value.name) : undefined;
}

/** One session for each action, so that its calls can be found; made with the first of them. */
async function sessionOf(
  { sessions, agentId, clock, ids }: GateBridgeDeps,
  tenant: string,
  trn: string,
): Promise<string> {
  const name = actionOf(trn);
  const key = { channel: "action", chat: name };
  const known = await sessions.findByKey(tenant, key);
  if (known) return known.id;
  const id = ids.next("session");
  const title = `Action ${name}`;
  await sessions.create(tenant, { id, agentId, title, at: clock.now() });
  await sessions.rename(tenant, id, title, "owner");
  await sessions.bind(tenant, id, key);
  return id;
}
