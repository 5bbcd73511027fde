import { LIMITS } from "@elwood/core/base/limits";
import { parseJson } from "@elwood/core/base/parse-json";
import { withTimeout } from "@elwood/runtime/async/deadline";
import type { Clock } from "@elwood/runtime/ports/ports";
import { defineTool, err, ToolError, type ToolContext, type ToolDefinition } from "@elwood/sdk/tool";
import { result } from "@elwood/sdk/tool-answer";
import type { z } from "zod";
import { ANSWER, FACTS, PREVIEW, SETTLED, TARGET } from "./from-host.ts";
import type { IntegrationHost } from "./integration-host.ts";
import { WORKSPACE_LIMITS } from "./limits.ts";
import type { CallBody, HostFunction, ListedTool } from "./wire.ts";

/**
 * A tool whose functions run in the process of its integration. What comes back is checked
 * here; an answer of another shape than the tool's contract allows is no answer.
 * Throws a TypeError that says what its author must mend.
 */
export function remoteTool(
  listed: ListedTool,
  code: string,
  host: IntegrationHost,
  clock: Pick<Clock, "sleep">,
): ToolDefinition {
  const { has, output, policy, ...said } = listed;
  const ask = async <T>(
    fn: HostFunction,
    shape: z.ZodType<T>,
    body: CallBody,
    signal: AbortSignal,
    ctx?: Pick<ToolContext, "fetch" | "progress">,
  ): Promise<T> => {
    const answer = await host.call({ tool: listed.id, fn, body, signal, ...ctx });
    const parsed = shape.safeParse(parseJson(answer));
    if (!parsed.success) throw new Error(`${listed.id} answered something that is no answer of its ${fn}`);
    return parsed.data;
  };
  const act = async (fn: "handler" | "undo", body: Omit<CallBody, keyof ToolContext>, ctx: ToolContext) => {
    const { signal, fetch, callId, session, run, idempotencyKey, secrets } = ctx;
    const whole: CallBody = {
      ...body,
      callId,
      session,
      ...(run === undefined ? {} : { run }),
      idempotencyKey,
      secrets,
    };
    const answer = await ask(fn, ANSWER, whole, signal, { fetch, progress: (text) => ctx.progress(text) });
    if (!answer.ok) return err(answer.error);
    const { value, ...more } = answer.value;
    return result(value, withoutUndefined(more));
  };
  const made = defineTool({
    ...said,
    // defineTool looks at each of them, and refuses what is no label.
    labels: truerLabels(listed),
    ...(policy && { policy }),
    ...(output && { output }),
    handler: (input, ctx) => act("handler", { input }, ctx),
    ...(has.includes("undo") && {
      undo: (input: unknown, before: unknown, ctx: ToolContext) =>
        act("undo", { input, output: before }, ctx),
    }),
    ...(has.includes("preview") && {
      async preview(input: unknown, signal: AbortSignal, { session }: { readonly session?: string }) {
        const shown = await ask("preview", PREVIEW, { input, ...(session && { session }) }, signal);
        if ("ok" in shown) throw new ToolError(shown.error.code, shown.error.message);
        return withoutUndefined(shown);
      },
    }),
    ...(has.includes("facts") && {
      facts: (input: unknown, { session }: { readonly session?: string }) =>
        withTimeout(clock, LIMITS.toolFactsMs, async (signal) => {
          const facts = await ask("facts", FACTS, { input, ...(session && { session }) }, signal);
          if (!("ok" in facts)) return facts;
          return [{ kind: "deny" as const, rule: "input.invalid", reason: facts.error.message }];
        }),
    }),
    ...(has.includes("reconcile") && {
      reconcile: (input: unknown, idempotencyKey: string) =>
        withTimeout(clock, LIMITS.toolReconcileMs, (signal) =>
          ask("reconcile", SETTLED, { input, idempotencyKey }, signal),
        ),
    }),
    ...(has.includes("target") && {
      target: (input: unknown) =>
        withTimeout(clock, WORKSPACE_LIMITS.targetMs, (signal) => ask("target", TARGET, { input }, signal)),
    }),
  });
  return { ...made, code };
}

/** What reaches a host sends something there, whatever its label says: it counts as the worst. */
function truerLabels({ hosts, labels }: ListedTool): ListedTool["labels"] {
  return hosts.length > 0 && labels["egress"] === "none" ? { ...labels, egress: "third_party" } : labels;
}

type Defined<T> = { [K in keyof T]: Exclude<T[K], undefined> };

function withoutUndefined<T extends object>(value: T): Defined<T> {
  // Each key that is left has a value.
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as Defined<T>;
}
