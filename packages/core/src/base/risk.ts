/** What a call can do at worst: only read, change something, or change it for good. */
export const RISKS = ["read", "write", "destructive"] as const;
export type Risk = (typeof RISKS)[number];
