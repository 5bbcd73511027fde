import type {
  CallToolResult,
  InputRequiredResult,
  ServerContext,
  StandardSchemaWithJSON,
  ToolAnnotations,
} from "@modelcontextprotocol/server";
import { FailureError } from "@elwood/core/base/failure";
import { z } from "zod";

export type Answer = CallToolResult | InputRequiredResult;

/** A tool of this server. */
export interface Offer {
  readonly name: string;
  readonly description: string;
  readonly input: StandardSchemaWithJSON;
  readonly output?: z.ZodType;
  readonly annotations?: ToolAnnotations;
  execute(input: unknown, context: ServerContext): Promise<Answer>;
}

/** One whose input is checked by its own schema. */
export function offer<Input extends z.ZodType>(
  tool: Omit<Offer, "input" | "execute"> & {
    readonly input: Input;
    run(input: z.output<Input>, context: ServerContext): Promise<Answer>;
  },
): Offer {
  return {
    ...tool,
    async execute(input, context) {
      const read = tool.input.safeParse(input);
      if (!read.success)
        return problem(`The input does not fit ${tool.name}: ${z.prettifyError(read.error)}`);
      return told(() => tool.run(read.data, context));
    },
  };
}

export function structured(
  value: Record<string, unknown>,
  text: string = JSON.stringify(value),
): CallToolResult {
  return { content: [{ type: "text", text }], structuredContent: value };
}

export function problem(text: string): CallToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

/** What the gateway refuses is told in its own words; anything else is a bug, and told by the protocol. */
export async function told(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof FailureError) return problem(cause.failure.message);
    throw cause;
  }
}

/** Text as it comes, where whoever asks wants to be told: as progress, each with a number that rises. */
export function toldAsProgress(context: ServerContext): (text: string) => void {
  const token = context.mcpReq._meta?.["progressToken"];
  let progress = 0;
  return (message) => {
    if (token === undefined) return;
    progress += 1;
    const params = { progressToken: token, progress, message };
    // Who has hung up is told nothing; the run goes on.
    context.mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined);
  };
}
