/** Kinds of verbs with which something is asked for. */
export const VERB_CLASSES = [
  "write",
  "delete",
  "move",
  "send",
  "draft",
  "pay",
  "schedule",
  "run",
  "control",
  "look",
] as const;
export type VerbClass = (typeof VERB_CLASSES)[number];
