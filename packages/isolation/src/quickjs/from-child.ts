import { PROGRAM_ERRORS } from "@elwood/core/tool/program";
import { z } from "zod";
import type { FromChild } from "./wire.ts";

const count = z.int().nonnegative();
const program = { p: count };
const cpuMs = z.number().nonnegative();

const SAID = z.discriminatedUnion("t", [
  z.strictObject({ t: z.literal("ready") }),
  z.strictObject({
    t: z.literal("call"),
    ...program,
    i: count,
    kind: z.enum(["tool", "sleep", "search", "describe"]),
    name: z.string(),
  }),
  z.strictObject({
    t: z.literal("line"),
    ...program,
    n: count,
    level: z.enum(["debug", "info", "warn", "error"]),
  }),
  z.strictObject({ t: z.literal("idle"), ...program, cpuMs }),
  z.strictObject({
    t: z.literal("over"),
    ...program,
    cpuMs,
    calls: count,
    dropped: count,
    detached: count,
    error: z
      .strictObject({ code: z.enum(PROGRAM_ERRORS), line: count.optional(), column: count.optional() })
      .optional(),
  }),
  z.strictObject({ t: z.literal("dropped"), ...program }),
]);

/** undefined where an honest process would not have said it. */
export function parseMessage(head: unknown): FromChild | undefined {
  const parsed = SAID.safeParse(head);
  return parsed.success ? parsed.data : undefined;
}
