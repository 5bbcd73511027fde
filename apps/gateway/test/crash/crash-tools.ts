import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";
import { defineTool, type ToolContext, type ToolDefinition } from "@elwood/sdk/tool";
import { z } from "zod";

/** Does something at a named instant; a process may be killed right before or after it. */
export type AtPoint = <T>(name: string, act: () => Promise<T>) => Promise<T>;

const TIMEOUT_MS = 400;
const input = z.strictObject({ text: z.string(), key: z.string().optional() });
const LABELS = { egress: "none", output: "trusted", critical: ["text"], content: [] } as const;

/**
 * Tools whose effects can be counted: each effect is one line in a file outside of the
 * state directory, forced to disk before the handler goes on, as a service elsewhere would
 * remember it whatever becomes of us.
 */
export function crashTools(effectsFile: string, atPoint: AtPoint): ToolDefinition[] {
  const act = (toolId: string, asked: unknown, { callId, idempotencyKey: key }: ToolContext) =>
    atPoint(`effect:${toolId}`, async () => {
      const file = openSync(effectsFile, "a");
      writeSync(file, `${JSON.stringify({ callId, toolId, key, input: asked })}\n`);
      fsyncSync(file);
      closeSync(file);
      return { done: true };
    });
  const toolSystem = (toolId: string) => ({
    id: toolId,
    description: "Leaves a mark.",
    risk: "write" as const,
    labels: LABELS,
    input,
    handler: (asked: unknown, context: ToolContext) => act(toolId, asked, context),
  });
  return [
    defineTool({
      id: "crash.note.read",
      description: "Reads.",
      risk: "read",
      labels: LABELS,
      input,
      handler: async () => ({ note: "n" }),
    }),
    defineTool({
      ...toolSystem("crash.note.write"),
      undo: (asked, _output, context) => act("crash.note.write", asked, context),
    }),
    defineTool({
      ...toolSystem("crash.doc.write"),
      preview: ({ text }) => ({ sentence: "Write the document", before: "old", after: text }),
    }),
    defineTool({ ...toolSystem("crash.file.remove"), risk: "destructive" }),
    defineTool({ ...toolSystem("crash.mail.send"), idempotent: true }),
    defineTool({
      ...toolSystem("crash.pay.send"),
      reconcile: (_asked, key) =>
        readFileSync(effectsFile, "utf8").includes(key) ? "happened" : "did-not-happen",
    }),
    defineTool({
      ...toolSystem("crash.slow.do"),
      timeoutMs: TIMEOUT_MS,
      async handler(asked, context) {
        await act("crash.slow.do", asked, context);
        return new Promise<never>(() => undefined);
      },
    }),
  ];
}
