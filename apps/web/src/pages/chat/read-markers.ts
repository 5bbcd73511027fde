const NAME = "elwood.seen";
const MARKS_MAX = 500;

interface Marks {
  /** Everything older counts as read. */
  readonly since: number;
  readonly at: Readonly<Record<string, number>>;
}

/** Tracks which sessions have unread messages in this browser. */
export class ReadMarkers {
  #marks: Marks = load();

  isUnread(sessionKey: string, updatedAt: number): boolean {
    return updatedAt > Math.max(this.#marks.since, this.#marks.at[sessionKey] ?? 0);
  }

  see(sessionKey: string, updatedAt: number): void {
    if (!this.isUnread(sessionKey, updatedAt)) return;
    const all = Object.entries({ ...this.#marks.at, [sessionKey]: updatedAt }).toSorted(
      ([, a], [, b]) => b - a,
    );
    const kept = all.slice(0, MARKS_MAX);
    const since =
      all.length > MARKS_MAX ? Math.max(this.#marks.since, kept.at(-1)?.[1] ?? 0) : this.#marks.since;
    this.#marks = { since, at: Object.fromEntries(kept) };
    save(this.#marks);
  }
}

function load(): Marks {
  const fresh: Marks = { since: Date.now(), at: {} };
  try {
    const kept = localStorage.getItem(NAME);
    // Only this class writes there.
    if (kept !== null) return JSON.parse(kept) as Marks;
    save(fresh);
  } catch {
    return fresh; // storage is forbidden here: nothing counts as unread
  }
  return fresh;
}

function save(marks: Marks): void {
  try {
    localStorage.setItem(NAME, JSON.stringify(marks));
  } catch {
    return; // forbidden, or full: the marks last as long as the page
  }
}
