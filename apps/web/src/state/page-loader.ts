import type { ReactiveControllerHost } from "lit";
import type { AppContext } from "../app/context.ts";
import { Loader } from "./loader.ts";

export interface Page<T> {
  readonly rows: readonly T[];
  /** Hand it back for what comes after; absent where nothing does. */
  readonly next: string | undefined;
}

/** More than this nobody scrolls through. */
const ROWS_MAX = 10_000;

/** A list that is read page by page, the newest first. */
export class PageLoader<T> extends Loader<Page<T>> {
  readonly #fetch: (before: string | undefined) => Promise<Page<T>>;
  readonly #idOf: (row: T) => string;
  #fetching = false;
  #refreshing = false;
  #stale = false;

  constructor(
    host: ReactiveControllerHost,
    fetch: (before: string | undefined) => Promise<Page<T>>,
    idOf: (row: T) => string,
  ) {
    super(host, () => fetch(undefined));
    this.#fetch = fetch;
    this.#idOf = idOf;
  }

  /** Something else is asked for from now on. */
  async again(): Promise<void> {
    this.clear();
    await this.load();
  }

  /** The newest page anew, in front of what was loaded behind it. */
  async refresh(app: AppContext): Promise<void> {
    // What is asked for while an answer is on its way is asked for once, after it.
    this.#stale = true;
    if (this.#refreshing) return;
    this.#refreshing = true;
    while (this.#stale) {
      this.#stale = false;
      await (this.value ? this.#renew(app, this.value) : this.load());
    }
    this.#refreshing = false;
  }

  async #renew(app: AppContext, before: Page<T>): Promise<void> {
    const fresh = await app.attempt(() => this.#fetch(undefined));
    if (!fresh || this.value !== before) return;
    const last = fresh.rows.at(-1);
    const at = last ? before.rows.findIndex((row) => this.#idOf(row) === this.#idOf(last)) : -1;
    // Where more than a page came meanwhile there would be a gap, and a page with nothing after it is all there is.
    const joins = fresh.next !== undefined && at >= 0;
    this.put(joins ? { rows: [...fresh.rows, ...before.rows.slice(at + 1)], next: before.next } : fresh);
  }

  async more(app: AppContext): Promise<void> {
    const before = this.value;
    if (this.#fetching || before?.next === undefined || before.rows.length >= ROWS_MAX) return;
    this.#fetching = true;
    const page = await app.attempt(() => this.#fetch(before.next));
    this.#fetching = false;
    if (page && this.value === before) this.put({ rows: [...before.rows, ...page.rows], next: page.next });
  }
}
