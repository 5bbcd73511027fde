import { type Database, type Query } from "./database.ts";

/** Characters of all rows of a kind that are kept. A call asks for those of its whole conversation, a run for its own receipts. */
export const KEPT_CHARS = {
  calls: 1024 * 1024,
  receipts: 256 * 1024,
  grants: 128 * 1024,
  runIds: 512 * 1024,
  uncommitted: 64 * 1024,
  sessions: 128 * 1024,
} as const;
/** What a list, and each of its rows, takes beside its texts. */
const OVERHEAD_CHARS = 64;

type Row = Readonly<Record<string, string | number | null>>;

interface KeptList<Kept> {
  readonly rows: readonly Kept[];
  readonly chars: number;
}

/**
 * Lists of rows that are read again and again within a few milliseconds, such as the calls of a run. They are kept as
 * they are stored, so that nobody can change them. Whoever writes rows of a list drops it in the same transaction, and
 * the next reader asks the database; so do all after another process has written. Whoever changes a list in the
 * transaction instead drops it should that fail.
 */
export class KeptRows<Kept extends object> {
  readonly #db: Pick<Database, "version">;
  readonly #charsMax: number;
  readonly #lists = new Map<string, KeptList<Kept>>();
  #chars = 0;
  #version: number | undefined;

  /** Of more than `charsMax` the lists that were asked for longest ago go first. */
  constructor(db: Pick<Database, "version">, charsMax: number) {
    this.#db = db;
    this.#charsMax = charsMax;
  }

  /** undefined from `read`: there are too many to keep, and whoever asked reads them as it can. */
  of(tenant: string, name: string, read: () => readonly Kept[] | undefined): readonly Kept[] | undefined {
    const known = this.known(tenant, name);
    if (known) return known;
    const rows = read();
    if (rows) this.#keep(keyOf(tenant, name), { rows, chars: charsOf(rows) });
    return rows;
  }

  /** Where it is kept: for whoever wants one row of it, which is read sooner than all of them. */
  known(tenant: string, name: string): readonly Kept[] | undefined {
    const version = this.#db.version();
    if (version !== this.#version) this.clear();
    this.#version = version;
    const key = keyOf(tenant, name);
    const known = this.#lists.get(key);
    if (!known) return undefined;
    this.#lists.delete(key);
    this.#lists.set(key, known);
    return known.rows;
  }

  /** A row was added behind those that are kept; where none are, nothing is known of the others. */
  add(tenant: string, name: string, added: () => Kept): void {
    const key = keyOf(tenant, name);
    const known = this.#lists.get(key);
    if (!known) return;
    this.#forget(key);
    const row = added();
    this.#keep(key, { rows: [...known.rows, row], chars: known.chars + charsIn(row) });
  }

  /** Of a list that is kept, the rows that it has from now on; undefined where that is not known. */
  change(
    tenant: string,
    name: string,
    changed: (rows: readonly Kept[]) => readonly Kept[] | undefined,
  ): void {
    const key = keyOf(tenant, name);
    const known = this.#lists.get(key);
    if (!known) return;
    this.#forget(key);
    const rows = changed(known.rows);
    if (rows) this.#keep(key, { rows, chars: charsOf(rows) });
  }

  drop(tenant: string, name: string): void {
    this.#forget(keyOf(tenant, name));
  }

  clear(): void {
    this.#lists.clear();
    this.#chars = 0;
  }

  #keep(key: string, list: KeptList<Kept>): void {
    if (list.chars > this.#charsMax) return;
    this.#lists.set(key, list);
    this.#chars += list.chars;
    for (const oldest of this.#lists.keys()) {
      if (this.#chars <= this.#charsMax) return;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    const list = this.#lists.get(key);
    if (!list) return;
    this.#lists.delete(key);
    this.#chars -= list.chars;
  }
}

/**
 * Whether a tenant has any rows in a table that few use, so that those who do not are not looked up there with every
 * message. Whoever adds rows says so behind that, in the same transaction; whoever removes them says so after it.
 */
export class AnyRows {
  readonly #db: Pick<Database, "get" | "version">;
  readonly #sql: Query<unknown>;
  readonly #known = new Map<string, boolean>();
  #version: number | undefined;

  /** `sql` finds one row of a tenant. */
  constructor(db: Pick<Database, "get" | "version">, sql: Query<unknown>) {
    this.#db = db;
    this.#sql = sql;
  }

  of(tenant: string): boolean {
    const version = this.#db.version();
    if (version !== this.#version) this.#known.clear();
    this.#version = version;
    let any = this.#known.get(tenant);
    if (any === undefined) {
      any = this.#db.get(this.#sql, tenant) !== undefined;
      this.#known.set(tenant, any);
    }
    return any;
  }

  changed(): void {
    this.#known.clear();
  }
}

function keyOf(tenant: string, name: string): string {
  return `${tenant}/${name}`;
}

function charsOf(rows: readonly object[]): number {
  let chars = OVERHEAD_CHARS;
  for (const row of rows) chars += charsIn(row);
  return chars;
}

function charsIn(row: object): number {
  let chars = OVERHEAD_CHARS;
  for (const value of Object.values(row as Row)) if (typeof value === "string") chars += value.length;
  return chars;
}
