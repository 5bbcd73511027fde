import { defineTool, err, type ToolDefinition } from "@elwood/sdk/tool";
import { plainGlyphs } from "@elwood/core/base/glyphs";
import { z } from "zod";

/**
 * Questions to the owner. They have no handler of their own: the gate makes a durable wait
 * of them, and the owner's answer is the result.
 */
export function ownerTools(): ToolDefinition[] {
  const labels = {
    egress: "none" as const,
    output: "trusted" as const,
    critical: [],
    ids: {},
    content: ["question"],
    time: [],
    sensitive: false,
  };
  // The glyphs are the gateway's: in a question it would be the gateway that asks. What is asked is what is kept.
  const question = z.string().min(1).max(2_000).overwrite(plainGlyphs);
  const unreachable = async () =>
    err({
      code: "internal",
      message: "A question is answered by the owner, not by a handler.",
      retryable: false,
    });
  return [
    defineTool({
      id: "owner.question.ask",
      description: "Asks the owner and waits for their answer. Only when you cannot go on without it.",
      risk: "read",
      labels,
      input: z.strictObject({ question }),
      output: z.object({ answer: z.string() }),
      handler: unreachable,
    }),
    defineTool({
      id: "owner.question.choose",
      description: "Asks the owner to choose one of a few options. They may answer with something else.",
      risk: "read",
      labels,
      input: z.strictObject({
        question,
        options: z.array(z.string().min(1).max(200).overwrite(plainGlyphs)).min(2).max(10),
      }),
      output: z.object({ answer: z.string() }),
      handler: unreachable,
    }),
  ];
}
