import { isForgotten } from "@elwood/core/erase/tombstone";
import { isResultOf, outputParts, RESULT_TOOL } from "@elwood/core/compaction/output-text";
import type { Stores } from "@elwood/runtime/ports/ports";
import { sessionMessages } from "@elwood/runtime/run/transcript-view";
import { defineTool, result, ToolError, type ToolContext, type ToolDefinition } from "@elwood/sdk/tool";
import { z } from "zod";

export interface ResultToolDeps {
  readonly stores: Stores;
  readonly tenant: string;
}

/** What one call reads: as much as the model's window bears, and so much where that is not known. */
const PAGE_CHARS_MAX = 100_000;
const PAGE_CHARS_MIN = 1_000;
export const PAGE_CHARS = 8_000;
/** The frame around a page, and the sentence about what follows it. */
const FRAME_CHARS = 600;

/**
 * Reads on in the output of an earlier call of the same conversation: what of it was left out
 * to save room. It reads what was kept and calls nothing again, so that it has no effect and
 * shows what the call said then.
 */
export function resultTool({ stores, tenant }: ResultToolDeps): ToolDefinition {
  return defineTool({
    id: RESULT_TOOL,
    // In every prompt, so it is short; where something is left out, the words there say how to use it.
    description: "Reads on in the output of an earlier call.",
    risk: "read",
    // Whatever a tool ever said may be in it.
    labels: { egress: "none", output: "untrusted", critical: [], sensitive: true },
    idempotent: true,
    input: z.strictObject({
      call: z.string(),
      offset: z.int().min(0).default(0),
    }),
    output: z.strictObject({
      call: z.string(),
      chars: z.number(),
      text: z.string(),
      /** Where to go on; absent at the end. */
      nextOffset: z.number().optional(),
    }),
    // Whoever reads the list of calls knows them by their numbers: the id says nothing to anybody.
    target: () => undefined,
    async handler({ call, offset }, ctx) {
      const { messages } = await sessionMessages(stores, ctx.tenant ?? tenant, ctx.session);
      const kept = messages.find(({ message }) =>
        message.blocks.some((block) => block.type === "tool_result" && isResultOf(call, block)),
      )?.message;
      const block = kept?.blocks.find((each) => each.type === "tool_result" && isResultOf(call, each));
      if (kept === undefined || block?.type !== "tool_result" || isForgotten(kept))
        throw new ToolError("not_found", `There is no output of a call ${call} in this conversation.`);
      const { inner } = outputParts(block.text).frame;
      const text = pageOf(inner, offset, ctx.shownChars);
      const next = offset + text.length;
      const more = next < inner.length;
      const value = { call, chars: inner.length, text, ...(more ? { nextOffset: next } : {}) };
      const body =
        text === "" ? `[The output has ${inner.length} characters, and none from there on.]` : text;
      const on = more ? `\n[It has ${inner.length} characters. Go on with offset ${next}.]` : "";
      return result(value, { text: `${body}${on}` });
    },
  });
}

/** Up to the end of a line where one is near: half a line is read twice, or wrongly. */
function pageOf(inner: string, offset: number, shownChars: ToolContext["shownChars"]): string {
  const rest = inner.slice(offset, offset + PAGE_CHARS_MAX);
  const fits = shownChars ? (shownChars(rest) ?? rest.length + FRAME_CHARS) : PAGE_CHARS + FRAME_CHARS;
  const chars = Math.max(PAGE_CHARS_MIN, fits - FRAME_CHARS);
  if (rest.length <= chars) return rest;
  const line = rest.lastIndexOf("\n", chars - 1) + 1;
  return rest.slice(0, line > chars * 0.9 ? line : chars).replace(/[\ud800-\udbff]$/, "");
}
