import { z } from "zod";
import { TOOL_LABELS } from "../tool/tool-label.ts";
import { CARD_ICONS, type Card } from "../card/card.ts";

/** The card of an approval as it travels: what people read, the same on every surface. */

const fieldsSchema = z.array(z.object({ name: z.string(), text: z.string() })).readonly();

const effectsSchema = z
  .array(z.object({ words: z.string(), tone: z.enum(["bad", "warn", "ok", "muted"]) }))
  .readonly();

const plainBodies = [
  z.object({
    kind: z.literal("diff"),
    lines: z.array(z.object({ mark: z.enum([" ", "+", "-", "…"]), line: z.string() })).readonly(),
    added: z.number().int(),
    removed: z.number().int(),
  }),
  z.object({
    kind: z.literal("command"),
    /** Joined they are the command. */
    parts: z.array(z.object({ text: z.string(), risk: z.enum(["danger", "care"]).optional() })).readonly(),
  }),
  z.object({ kind: z.literal("request"), text: z.string() }),
  z.object({ kind: z.literal("none") }),
] as const;

export const cardSchema = z.object({
  icon: z.enum(CARD_ICONS),
  title: z.string(),
  note: z.string().optional(),
  body: z.discriminatedUnion("kind", [
    ...plainBodies,
    z.object({
      kind: z.literal("plan"),
      steps: z
        .array(
          z.object({
            title: z.string(),
            toolId: z.string(),
            body: z.discriminatedUnion("kind", plainBodies),
            fields: fieldsSchema,
            effects: effectsSchema,
            destructive: z.boolean(),
          }),
        )
        .readonly(),
    }),
  ]),
  fields: fieldsSchema,
  effects: effectsSchema,
  destructive: z.boolean(),
  why: z.string(),
  allow: z
    .array(
      z.object({
        decision: z.enum(["once", "window", "always"]),
        scope: z.enum(["call", "similar", "tool"]).optional(),
        minutes: z.number().int().optional(),
        label: z.enum(TOOL_LABELS).optional(),
        words: z.string(),
        hint: z.string(),
      }),
    )
    .readonly(),
  whole: z.boolean(),
  told: z.object({ doing: z.string(), done: z.string(), notDone: z.string() }),
  group: z.object({ verb: z.string(), one: z.string(), many: z.string() }).optional(),
  details: z.object({
    input: z.string(),
    asked: z.string().optional(),
    surroundings: z.string().optional(),
    rows: fieldsSchema,
    links: z.array(z.object({ words: z.string(), path: z.string() })).readonly(),
    expiresAt: z.number(),
  }),
}) satisfies z.ZodType<Card>;
