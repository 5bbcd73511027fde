import { z } from "zod";

/** Settings that can be changed while the gateway runs, as they travel. */

export const SETTING_KINDS = [
  "model",
  "models",
  "choice",
  "number",
  "switch",
  "text",
  "zone",
  "folders",
  "origins",
  "secret",
  "rules",
] as const;
export type SettingKind = (typeof SETTING_KINDS)[number];

export const settingSchema = z.object({
  /** Dotted, such as `limits.dayCostUsd`. */
  key: z.string(),
  kind: z.enum(SETTING_KINDS),
  /** As it is set now, null where nothing is. Of a secret only whether there is one: `true` or null. */
  value: z.unknown(),
  /** What counts where nothing is set; null where that is nothing. */
  default: z.unknown(),
  /** Where the value is from: `default`, a line of a file, a variable, a flag. */
  origin: z.string(),
  /** Why it cannot be changed here, in a sentence; absent where it can. */
  fixed: z.string().optional(),
  /** `now`: a change counts at once. `restart`: with the next start. */
  effect: z.enum(["now", "restart"]),
  /** What is in use until the next start, where that is another value; null where that is nothing. */
  running: z.unknown().optional(),
  /** Of a choice. */
  options: z.array(z.string()).optional(),
});
export type WireSetting = z.infer<typeof settingSchema>;

export const settingsSchema = z.object({
  /** The file that changes are written to. */
  file: z.string(),
  settings: z.array(settingSchema),
  /** Why nothing can be changed at the moment, such as a mistake in the file. The settings are those in use. */
  problem: z.string().optional(),
});

export const settingChangedSchema = z.object({
  setting: settingSchema,
  /** It counts with the next start. */
  restart: z.boolean(),
});

export const TOOL_RULES = ["usual", "allow", "ask", "deny"] as const;
export type ToolRule = (typeof TOOL_RULES)[number];

/** What an agent is made of, as its owner edits it. */
export const agentTextSchema = z.object({
  name: z.string(),
  description: z.string(),
  /** Null: the default one. */
  model: z.string().nullable(),
  /** Null: all tools. */
  tools: z.array(z.string()).nullable(),
  temperature: z.number().nullable(),
  topP: z.number().nullable(),
  /** `SOUL.md`. */
  soul: z.string(),
  /** `AGENTS.md`. */
  instructions: z.string(),
  /** Of its files as they are; `agents.save` takes it as `expected`. */
  revision: z.string(),
});
export type WireAgentText = z.infer<typeof agentTextSchema>;
