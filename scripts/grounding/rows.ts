import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const ROWS = fileURLToPath(new URL("rows/", import.meta.url));

/** One labelled exchange: what the owner wrote, which calls there were, and which clauses of the reply claim something. */
export interface Row {
  readonly id: string;
  readonly lang: string;
  readonly category?: string;
  readonly user: string;
  readonly reply: string;
  readonly label: "supported" | "unsupported" | "no_claim";
  readonly activity: readonly RowCall[];
  readonly spans?: readonly Span[];
}

export interface RowCall {
  readonly callId: string;
  readonly toolId: string;
  readonly risk: "read" | "write" | "destructive";
  readonly status: "succeeded" | "failed" | "denied" | "expired" | "pending" | "unknown";
  readonly approval?: string;
  readonly target?: string;
  readonly count?: number;
  /** Set where an earlier run of the session made the call. */
  readonly run?: number;
}

export interface Span {
  readonly text: string;
  readonly kind: "supported" | "unsupported";
  /** One kind of action or several, joined by "+". */
  readonly act?: string;
  readonly outcome?: string;
}

function readRows(path: string): Row[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as Row);
}

/** The rows of every language, from which both stages learn. */
export function allRows(): Row[] {
  return files("").flatMap((name) => readRows(ROWS + name));
}

/**
 * Rows from which only the second stage learns, beside the others: brief sentences such as "That is
 * all." and "Done.", whose wording says little and which the calls alone make right or wrong.
 */
export function decisionRows(): Row[] {
  return files("decision/").flatMap((name) => readRows(ROWS + name));
}

/** Says which rows the weights were trained on. */
export function rowsHash(): string {
  const hash = createHash("sha256");
  for (const name of [...files(""), ...files("decision/")]) hash.update(readFileSync(ROWS + name));
  return hash.digest("hex");
}

function files(folder: string): string[] {
  return readdirSync(ROWS + folder)
    .filter((name) => name.endsWith(".jsonl"))
    .toSorted()
    .map((name) => folder + name);
}
