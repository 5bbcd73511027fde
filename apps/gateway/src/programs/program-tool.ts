import { PROGRAM_LIMITS } from "@elwood/core/program";
import { PROGRAM_TOOL } from "@elwood/runtime/programs/program-tools";
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
        .describe("TypeScript: the body of an async function. `return` gives the result."),
      purpose: z.string().max(200).optional().describe("What it is for, in a few words, for the owner."),
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
  "Run a TypeScript program that calls tools, for work that takes several calls: loops, conditions, results that " +
  "feed the next call, calls side by side. Calls return a Result; look at `ok` before `value`. It is type-checked " +
  "before anything runs, each call asks the owner where it would alone, and it goes on after a restart.";
