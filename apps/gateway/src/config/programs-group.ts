import { group, oneOf } from "./leaves.ts";

export const PROGRAMS_DEFAULTS = { mode: "both" } as const;

/** How models call tools: one by one, from programs that they write, or as they like. An agent may say otherwise for itself. */
export const programsGroups = {
  programs: () => group({ mode: oneOf(["native", "programs", "both"]).default(PROGRAMS_DEFAULTS.mode) }),
};
