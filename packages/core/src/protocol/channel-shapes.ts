import { z } from "zod";

/** Channels and the people in them, as they travel. No secret is among it. */

export const channelSchema = z.object({
  /** `telegram` */
  name: z.string(),
  /** "Telegram" */
  title: z.string(),
  /** `off`: it has no token. */
  state: z.enum(["off", "connecting", "connected", "waiting", "failed"]),
  /** What is wrong, and what to do about it. */
  problem: z.string().optional(),
  /** Who Elwood is there, once that is known. */
  account: z.object({ id: z.string(), name: z.string(), link: z.string().optional() }).optional(),
  /** Where its token is from: a variable, a file, or Elwood's own. */
  tokenFrom: z.string().optional(),
  /** Ids that speak as the owner. */
  approverIds: z.array(z.string()),
  allowedChatIds: z.array(z.string()),
  /** Replies of the last days that could not be delivered there, and why the newest could not. */
  undelivered: z.object({ count: z.number().int(), problem: z.string() }).optional(),
});
export type WireChannel = z.infer<typeof channelSchema>;

export const pairedSchema = z.object({
  channel: z.string(),
  senderId: z.string(),
  name: z.string(),
  /** `asked`: they have a code, and are not let in yet. */
  state: z.enum(["asked", "paired"]),
  at: z.number(),
  /** When the code expires. */
  expiresAt: z.number().optional(),
});
