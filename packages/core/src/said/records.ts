import type { OutputTrust } from "../tool/tool.ts";
import type { OwnerWords } from "./owner-words.ts";

/** What a call of this conversation answered. */
export interface SeenResult {
  readonly callId: string;
  readonly toolId: string;
  readonly target?: string;
  readonly trust: OutputTrust;
  readonly sensitive: boolean;
  /** The kind of things that the tool's results are, such as `event`. */
  readonly lists?: string;
  readonly value: unknown;
}

interface SeenRecord {
  readonly id: string;
  readonly labels: readonly string[];
}

const ID_KEY = /^(?:id_?|uuid|key|\w+_id)$/iu;
const LABEL_KEY = /^(?:title|name|subject|filename|file_name|label|summary|display_?name|path)$/iu;
const LABEL_CHARS_MAX = 200;
const RECORDS_MAX = 5_000;

/**
 * Whether the owner meant a thing by its name, where the call has its id: a thing of that
 * kind with that id was listed, the owner said what it is called, and no other thing of
 * the kind is called so. Without the kind, event 13 would vouch for file 13.
 */
export function isNamed(id: string, kind: string, seen: readonly SeenResult[], words: OwnerWords): boolean {
  const records = seen
    .filter(({ lists }) => lists !== undefined && isOfKind(lists, kind))
    .flatMap(({ value }) => recordsIn(value));
  const own = records.filter((record) => record.id === id);
  const labels = new Set(own.flatMap((record) => record.labels));
  return [...labels].some(
    (label) =>
      words.label(label) &&
      records.every((other) => other.id === id || !other.labels.some((theirs) => same(theirs, label))),
  );
}

/** `calendar_event` is an `event`; a `most_recent_transaction` is no `scheduled_transaction`. */
function isOfKind(lists: string, kind: string): boolean {
  return lists === kind || lists.endsWith(`_${kind}`);
}

function recordsIn(value: unknown, found: SeenRecord[] = []): SeenRecord[] {
  if (found.length >= RECORDS_MAX || typeof value !== "object" || value === null) return found;
  if (Array.isArray(value)) {
    for (const item of value) recordsIn(item, found);
    return found;
  }
  const entries = Object.entries(value);
  const id = entries.find(([key, member]) => ID_KEY.test(key) && isPlain(member));
  if (id) {
    const labels = entries.flatMap(([key, member]) =>
      LABEL_KEY.test(key) && typeof member === "string" && member.length <= LABEL_CHARS_MAX ? [member] : [],
    );
    found.push({ id: String(id[1]), labels });
  }
  for (const [, member] of entries) recordsIn(member, found);
  return found;
}

function isPlain(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number";
}

function same(a: string, b: string): boolean {
  return a.trim().toLowerCase() === b.trim().toLowerCase();
}
