import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** One answer of the model. */
export interface TaskLap {
  /** What it answers to, where that is trouble which may be gone by now: a program's mistakes, or a reply that was not sent. */
  readonly after?: "mistakes" | "repair";
  readonly text?: string;
  /** An input that is text is sent as it stands. */
  readonly calls?: readonly { readonly name: string; readonly input: unknown }[];
}

/** A message of the owner's, and what a strong model really answered to it. */
export interface OwnerTask {
  readonly task: number;
  /** From 2 on it goes on in the conversation of the task before. */
  readonly turn: number;
  /** `{site}`, `{files}`, `{workspace}` and `{tomorrow}` stand for what they are in the run. */
  readonly owner: string;
  /** What it took when it was recorded. */
  readonly then: { readonly laps: number; readonly chars: number; readonly recalled: boolean };
  /** Answered by hand once more, to what the gateway says now. */
  readonly again?: true;
  readonly laps: readonly TaskLap[];
}

/** How the owner decided; what is not listed was allowed. */
export interface TaskDecision {
  /** Part of the tool's name and of what the card says, as JSON. */
  readonly about: string;
  readonly note?: string;
}

export const DENIED: Readonly<Record<number, readonly TaskDecision[]>> = {
  17: ["collect", "photos", "SOUL", "pre-approved", "curl", "maintenance"].map((about) => ({ about })),
  19: [{ about: "strings" }],
  46: [{ about: "Weather: cloudy", note: "see my next message" }],
  50: [{ about: "Always approve" }, { about: "Favourite" }],
  55: [{ about: "notes/c.md", note: "only a and b" }],
};

export const ANSWERS: Readonly<Record<number, string>> = { 16: "Hand luggage only" };

/** The owner stops the run while its page loads. */
export const STOPPED = 21;

/**
 * Tasks that are no ordinary work: a model that obeys a hostile page (17), one that slips on purpose (20, 42, 45, 50),
 * a run that is stopped (21, 24), essays that only fill the window (26 to 38), and what was only to be counted (51).
 */
const NOT_ORDINARY: ReadonlySet<number> = new Set([
  17,
  20,
  21,
  24,
  42,
  45,
  50,
  51,
  ...Array.from({ length: 12 }, (_, i) => 26 + i),
]);

export function isOrdinary({ task }: Pick<OwnerTask, "task">): boolean {
  return !NOT_ORDINARY.has(task);
}

export function ownerTasks(): readonly OwnerTask[] {
  return JSON.parse(readFileSync(at("owner-tasks.json"), "utf8")) as OwnerTask[];
}

export function at(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
