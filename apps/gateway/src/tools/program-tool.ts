import { PROGRAM_LIMITS } from "@elwood/core/tool/program";
import { PROGRAM_TOOL } from "@elwood/runtime/gate/program-tools";
import { defineTool, err, type ToolDefinition } from "@elwood/sdk/tool";
import { z } from "zod";

/**
 * The tool whose calls are programs. It reads and writes nothing itself: whatever a program
 * does, it does by calls of its own, and each of them passes the gate like any other.
 */
export function programTool(): ToolDefinition {
  return defineTool({
    id: PROGRAM_TOOL,
    description: ABOUT,
    risk: "read",
    labels: {
      egress: "none",
      // It hands on what its calls have read.
      output: "untrusted",
      critical: [],
      ids: {},
      content: [],
      time: [],
      sensitive: true,
    },
    input: z.strictObject({
      source: z
        .string()
        .min(1)
        .max(PROGRAM_LIMITS.sourceBytes)
        .describe("The body of an async function; `return` gives the result."),
      purpose: z.string().max(200).optional(),
    }),
    target: ({ purpose }) => purpose,
    handler: () =>
      err({
        code: "internal",
        message: "A program is run by the gate, not by a handler.",
        retryable: false,
      }),
  });
}

export const ABOUT =
  "Runs a TypeScript program that calls tools: loops, conditions, many calls. " +
  "Calls return a Result; look at `ok` before `value`. It is type-checked first; its calls ask as they would alone, and are listed with the result.";
