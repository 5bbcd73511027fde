import type { PolicyMode } from "@elwood/core/policy/policy";
import type { Person } from "@elwood/runtime/ports/ports";
import type { ConfigWriter } from "./config-writer.ts";

/** Whether a mode counts at the next start too; where not, why, in a sentence. */
export interface KeptMode {
  readonly kept: boolean;
  readonly note?: string;
}

/** Writes the policy's mode into the settings. It counts already, so that a refusal only says until when. */
export async function keepMode(writer: ConfigWriter, mode: PolicyMode, by: Person): Promise<KeptMode> {
  const changed = await writer.change({ settings: [{ path: ["policy", "mode"], value: mode }] }, by);
  if (changed.ok) return { kept: true };
  return {
    kept: false,
    note: `It counts until the next start: the settings still say otherwise. ${changed.error.message}`,
  };
}
