/** What the owner says a tool does that is not Elwood's own. Without a label it counts as the worst, and every call asks. */
export const TOOL_LABELS = ["reads", "changes", "sends"] as const;
export type ToolLabel = (typeof TOOL_LABELS)[number];
