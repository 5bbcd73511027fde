import type { MethodResult } from "@elwood/core/protocol/results";
import type { WireSession } from "@elwood/core/protocol/shapes";
import { RequestError, type GatewayClient } from "@elwood/sdk/client";
import { Store } from "@elwood/sdk/store";
import { failureText } from "../../words/gateway.ts";

const PAGE_SIZE = 100;
const LOADED_MAX = 20_000;
/** Of which each session shows one. */
const HITS_MAX = 100;
const HITS_FROM_CHARS = 3;
const FILED_MAX = 200;

export type Hit = MethodResult<"sessions.search">["hits"][number];

/** What is listed: the sessions in use, those out of the way, or those that were deleted. */
export type SessionPlace = "list" | "archive" | "trash";

export interface SessionsView {
  readonly state: "waiting" | "ready" | "failed";
  readonly sessions: readonly WireSession[];
  readonly hits: readonly Hit[];
  /** There are older ones that were not fetched yet. */
  readonly more: boolean;
  readonly message?: string;
}

type SessionLink = Pick<GatewayClient, "call" | "onReady" | "onPush" | "ready" | "has">;

const EMPTY: SessionsView = { state: "waiting", sessions: [], hits: [], more: false };

/**
 * The sessions for the list: pinned first, then newest. Shows the last result while refetching; the latest
 * query wins.
 */
export class SessionIndex {
  readonly view = new Store<SessionsView>(EMPTY);
  readonly seen = new ReadMarkers();
  query = "";
  place: SessionPlace = "list";
  readonly #link: SessionLink;
  #inFolders: readonly WireSession[] = [];
  #next: string | undefined;
  #round = 0;
  #loading = false;
  #again = false;
  #loadingMore = false;

  constructor(link: SessionLink) {
    this.#link = link;
    link.onReady(() => void this.refresh());
    link.onPush(({ event, data }) => {
      if (event !== "session.changed") return;
      if (data.what === (this.place === "trash" ? "restored" : "deleted")) this.#forget(data.sessionKey);
      void this.refresh();
    });
  }

  /** Shows what of a place fits the words. */
  async ask(query: string, place: SessionPlace): Promise<void> {
    if (query === this.query && place === this.place) return;
    const otherList = place !== this.place;
    this.query = query;
    this.place = place;
    this.#next = undefined;
    this.#round++;
    if (otherList) this.view.set(EMPTY);
    await this.#fetchFirst(true);
  }

  /** Fetches the newest anew; calls that come while it is under way are joined into one more. */
  async refresh(): Promise<void> {
    if (!this.#link.ready) return;
    this.#again = true;
    if (this.#loading) return;
    this.#loading = true;
    try {
      while (this.#again) {
        this.#again = false;
        await this.#fetchFirst(false);
      }
    } finally {
      this.#loading = false;
    }
  }

  /** The next older ones. */
  async loadMore(): Promise<void> {
    const before = this.#next;
    const round = this.#round;
    if (before === undefined || this.#loadingMore || this.view.value.sessions.length >= LOADED_MAX) return;
    this.#loadingMore = true;
    try {
      const page = await this.#link.call("sessions.list", { ...this.#asked(), before });
      if (round !== this.#round) return;
      this.#next = page.next;
      this.#merge(page.sessions, this.view.value.sessions);
    } catch (error) {
      // Asked for again when the end of the list is reached the next time.
      if (!(error instanceof RequestError)) throw error;
    } finally {
      this.#loadingMore = false;
    }
  }

  async #fetchFirst(replace: boolean): Promise<void> {
    const round = this.#round;
    try {
      const [page, hits, filed] = await Promise.all([
        this.#link.call("sessions.list", this.#asked()),
        this.#hits(),
        this.#filed(),
      ]);
      if (round !== this.#round) return;
      this.#inFolders = filed;
      const isFirst = replace || this.view.value.state !== "ready" || page.next === undefined;
      if (isFirst) this.#next = page.next;
      this.#merge(page.sessions, isFirst ? [] : this.#after(page.sessions), hits);
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      if (round !== this.#round || error.lost) return;
      this.view.set({ ...EMPTY, state: "failed", message: failureText(error.failure) });
    }
  }

  #asked(): { limit: number; query?: string; deleted?: true; archived?: true } {
    return {
      limit: PAGE_SIZE,
      ...(this.query === "" ? {} : { query: this.query }),
      ...(this.place === "trash" ? { deleted: true } : {}),
      ...(this.place === "archive" ? { archived: true } : {}),
    };
  }

  /** What lies in folders is listed there, however long ago somebody spoke in it. */
  async #filed(): Promise<readonly WireSession[]> {
    if (this.place !== "list" || this.query !== "" || !this.#link.has("sessions.move")) return [];
    return (await this.#link.call("sessions.list", { filed: true, limit: FILED_MAX })).sessions;
  }

  async #hits(): Promise<readonly Hit[]> {
    if (this.place !== "list" || this.query.length < HITS_FROM_CHARS) return [];
    const { hits } = await this.#link.call("sessions.search", { query: this.query, limit: HITS_MAX });
    return hits;
  }

  /** Those known that come after these. One that should be among them and is not went while nobody told this tab. */
  #after(fresh: readonly WireSession[]): readonly WireSession[] {
    const last = fresh.at(-1);
    return last ? this.view.value.sessions.filter((each) => this.#order(last, each) < 0) : [];
  }

  #order(a: WireSession, b: WireSession): number {
    return this.place === "trash" ? byDeletion(a, b) : byUse(a, b);
  }

  #merge(fresh: readonly WireSession[], known: readonly WireSession[], hits = this.view.value.hits): void {
    const filed = new Set(this.#inFolders.map(({ sessionKey }) => sessionKey));
    // What was taken out of its folder elsewhere.
    const loose = ({ folder, ...session }: WireSession): WireSession =>
      folder === undefined || filed.has(session.sessionKey)
        ? { ...session, ...(folder && { folder }) }
        : session;
    const byKey = new Map(known.map((each) => [each.sessionKey, loose(each)]));
    for (const session of [...this.#inFolders, ...fresh]) byKey.set(session.sessionKey, session);
    const sessions = [...byKey.values()].toSorted((a, b) => this.#order(a, b));
    this.view.set({ state: "ready", sessions, hits, more: this.#next !== undefined });
  }

  #forget(sessionKey: string): void {
    this.view.update((view) => ({
      ...view,
      sessions: view.sessions.filter((each) => each.sessionKey !== sessionKey),
    }));
  }
}

function byUse(a: WireSession, b: WireSession): number {
  return Number(b.pinned) - Number(a.pinned) || b.updatedAt - a.updatedAt;
}

function byDeletion(a: WireSession, b: WireSession): number {
  return (b.deletedAt ?? 0) - (a.deletedAt ?? 0);
}

const MARKS_NAME = "elwood.seen";
const MARKS_MAX = 500;

interface Marks {
  /** Everything older counts as read. */
  readonly since: number;
  readonly at: Readonly<Record<string, number>>;
}

/** Tracks which sessions have unread messages in this browser. */
class ReadMarkers {
  #marks: Marks = loadMarks();

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
    saveMarks(this.#marks);
  }
}

function loadMarks(): Marks {
  const fresh: Marks = { since: Date.now(), at: {} };
  try {
    const kept = localStorage.getItem(MARKS_NAME);
    // Only this class writes there.
    if (kept !== null) return JSON.parse(kept) as Marks;
    saveMarks(fresh);
  } catch {
    return fresh; // storage is forbidden here: nothing counts as unread
  }
  return fresh;
}

function saveMarks(marks: Marks): void {
  try {
    localStorage.setItem(MARKS_NAME, JSON.stringify(marks));
  } catch {
    return; // forbidden, or full: the marks last as long as the page
  }
}
