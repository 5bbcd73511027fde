import { parseJson } from "@elwood/core/base/parse-json";
import { RISKS } from "@elwood/core/tool/tool";
import { z } from "zod";
import { WORKSPACE_LIMITS } from "./limits.ts";
import {
  HOST_FUNCTIONS,
  LINE_LEVELS,
  SECRET_NAME,
  type FromHost,
  type HostFailure,
  type ListedTool,
} from "./wire.ts";

/** What a process may say, and what comes back from a tool. It runs somebody's code: nothing it sends is believed by its type. */

const count = z.int().nonnegative();
const headers = z.array(z.tuple([z.string().max(256), z.string().max(16_384)])).max(200);

const SAID = z.discriminatedUnion("t", [
  z.strictObject({ t: z.literal("ready") }),
  z.strictObject({ t: z.literal("broken") }),
  z.strictObject({ t: z.literal("crash") }),
  z.strictObject({ t: z.literal("done"), n: count, how: z.enum(["answer", "threw"]) }),
  z.strictObject({ t: z.literal("aborted"), n: count }),
  z.strictObject({ t: z.literal("progress"), n: count }),
  z.strictObject({
    t: z.literal("fetch"),
    n: count,
    f: count,
    url: z.string().max(16_384),
    method: z.string().max(32),
    headers,
    redirect: z.enum(["follow", "error", "manual"]),
  }),
  z.strictObject({ t: z.literal("drop"), f: count }),
  z.strictObject({ t: z.literal("line"), level: z.enum(LINE_LEVELS) }),
]);

/** undefined where an honest process would not have said it. */
export function parseMessage(head: unknown): FromHost | undefined {
  return SAID.safeParse(head).data;
}

const words = z.string().max(20_000);
const names = z.array(z.string().max(200)).max(64);

const TROUBLE = z.strictObject({ message: words, stack: words, file: z.string().max(1_000).optional() });

export function parseHostFailure(body: string): HostFailure {
  const parsed = TROUBLE.safeParse(parseJson(body));
  if (!parsed.success) return { message: "it did not say why", stack: "" };
  const { file, ...rest } = parsed.data;
  return file === undefined ? rest : { ...rest, file };
}

const LISTED = z.strictObject({
  id: z.string().max(64),
  description: words,
  risk: z.enum(RISKS),
  /** What may stand in them is for defineTool() to say, here as in the tool's own process. */
  labels: z.record(z.string().max(50), z.unknown()),
  policy: z.strictObject({ default: z.enum(["allow", "ask", "deny"]) }).optional(),
  requiresApproval: z.boolean(),
  idempotent: z.boolean(),
  timeoutMs: z.number(),
  secrets: z.array(z.string().regex(SECRET_NAME)).max(WORKSPACE_LIMITS.secretsPerToolMax),
  hosts: names,
  input: z.record(z.string(), z.unknown()),
  output: z.record(z.string(), z.unknown()).optional(),
  has: z.array(z.enum(HOST_FUNCTIONS)),
});

/** The tools of an integration, from its process or from the cache; undefined where that is no list of tools. */
export function parseListing(value: unknown): ListedTool[] | undefined {
  return z.array(LISTED).max(WORKSPACE_LIMITS.toolsPerIntegrationMax).safeParse(value).data;
}

const ERROR = z.strictObject({ code: z.string().max(100), message: words, retryable: z.boolean() });
const REFUSED = z.strictObject({ ok: z.literal(false), error: ERROR });

export const ANSWER = z.discriminatedUnion("ok", [
  z.strictObject({
    ok: z.literal(true),
    value: z.strictObject({
      value: z.unknown(),
      text: z.string().optional(),
      attachments: z
        .array(
          z.strictObject({
            type: z.enum(["image", "file"]),
            mimeType: z.string().max(200),
            data: z.string(),
            name: z.string().max(255).optional(),
          }),
        )
        .max(16)
        .optional(),
      exitCode: z.int().optional(),
      truncated: z.boolean().optional(),
    }),
  }),
  REFUSED,
]);

export const PREVIEW = z.union([
  REFUSED,
  z.strictObject({
    sentence: words,
    before: z.string().optional(),
    after: z.string().optional(),
    subject: z.string().max(1_000).optional(),
  }),
]);

export const FACTS = z.union([
  REFUSED,
  z
    .array(
      z.strictObject({
        kind: z.enum(["deny", "ask", "harmless"]),
        rule: z.string().max(100),
        reason: z.string().max(2_000),
      }),
    )
    .max(32),
]);

export const SETTLED = z.enum(["happened", "did-not-happen", "unknown"]);
export const TARGET = z.string().max(WORKSPACE_LIMITS.targetCharsMax);
