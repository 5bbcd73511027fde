import { z } from "zod";

export const RANGES = ["today", "yesterday", "7d", "30d"] as const;
export type Range = (typeof RANGES)[number];

/** A host name, without a scheme or a path. */
export const website = () =>
  z
    .string()
    .trim()
    .toLowerCase()
    .regex(/^(?=.{1,253}$)[a-z0-9-]+(\.[a-z0-9-]+)+$/, { error: "must be a host name such as example.com" });

export const visitorsInput = z.strictObject({
  website: website(),
  range: z.enum(RANGES).default("yesterday").describe("Days by the project's own time zone."),
  projectId: z
    .string()
    .regex(/^\d{1,12}$/)
    .optional()
    .describe("Another project than the one that is set up."),
});

export const visitorsOutput = z.strictObject({
  website: z.string(),
  range: z.enum(RANGES),
  visitors: z.number(),
  pageviews: z.number(),
});

export const thresholdInput = z.strictObject({
  website: website(),
  threshold: z.int().min(0).max(1_000_000_000),
  direction: z.enum(["above", "below"]).default("above"),
  range: z.enum(RANGES).default("yesterday"),
  cron: z
    .string()
    .max(200)
    .default("0 9 * * *")
    .describe("Five fields: minute hour day month weekday. 0 9 * * * is daily at nine."),
});

export const thresholdOutput = z.strictObject({
  id: z.string(),
  name: z.string(),
  when: z.string(),
  next: z.array(z.string()),
});

/** What PostHog answers to a query, as far as it is read. */
export const queryAnswer = z.object({ results: z.array(z.array(z.unknown())).min(1).max(100) });
