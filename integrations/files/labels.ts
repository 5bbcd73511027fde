import type { TrustLabels } from "@elwood/sdk/tool";

/** Names and contents of files are whatever somebody put there. */
export const READ_LABELS: TrustLabels = {
  egress: "none",
  output: "untrusted",
  critical: ["path"],
  ids: {},
  content: [],
  time: [],
  sensitive: true,
};

/** The answer holds only the path that was asked for, sizes and hashes. */
export const WRITE_LABELS: Omit<TrustLabels, "critical" | "content"> = {
  egress: "none",
  output: "trusted",
  ids: {},
  time: [],
  sensitive: false,
};

/** An edit answers with lines of the file around the change, which are whatever somebody put there. */
export const SHOWS_LINES = { output: "untrusted", sensitive: true } as const;
