import { chmodSync, closeSync, fdatasyncSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { setImmediate as nextEventLoopTurn } from "node:timers/promises";
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from "node:sqlite";
import { type Disk, LogSync } from "./log-sync.ts";
import { isBusy, isFailedSync, storageFailure } from "./storage-failure.ts";

/**
 * A thin coat over node:sqlite. It adds what every store needs in the same way:
 *
 * D1 Each error that SQLite throws leaves here as a FailureError with a sentence.
 * D2 Writes happen inside `transaction`, never as a bare statement: a statement that
 *    returns rows ends its own transaction when it is reset, and node:sqlite drops an
 *    error of that reset, so a full disk would look like success. COMMIT reports it.
 * D3 When `transaction` returns, or a `grouped` unit resolves, the write is on disk (WAL with
 *    synchronous=FULL, or its log synced by us). Units that wait at the same moment share one sync,
 *    and the process goes on with other things meanwhile.
 * D4 What `unsynced` wrote survives the death of the process, and is on disk with the next synced
 *    write; a power cut may take it, but never anything before it without it. It is for writes
 *    that nobody outside learns of before a synced one follows. Where somebody is to learn of it,
 *    `ahead` resolves once that is so.
 * D5 Statements are prepared once.
 */
export interface Database {
  readonly path: string;
  get<Row>(query: Query<Row>, ...params: SQLInputValue[]): Row | undefined;
  all<Row>(query: Query<Row>, ...params: SQLInputValue[]): Row[];
  /** How many rows were changed. */
  run(sql: string, ...params: SQLInputValue[]): number;
  /** Adds a row: a synced transaction in which one was added has certainly been to the disk. */
  add(sql: string, ...params: SQLInputValue[]): void;
  /**
   * Another number once another process has written. SQLite is asked once in a turn of the event loop,
   * and once in every transaction: inside one the answer is true until it ends.
   */
  version(): number;
  /** Several statements without parameters: schema and pragmas. `what` begins the sentence should it fail. */
  exec(sql: string, what?: string): void;
  /** All or nothing, on disk when it returns. `work` must not be asynchronous. */
  transaction<T>(work: () => T): T;
  /** All or nothing, safe from a crash of the process when it returns, on disk with the next synced write. D4 */
  unsynced<T>(work: () => T): T;
  /**
   * Resolves when `work` is on disk: at once, or before long in one transaction with whatever else
   * waits. All or nothing for each: one that throws leaves the others as they are. D3
   */
  grouped<T>(work: () => T): Promise<T>;
  /**
   * As durable as `grouped` once it resolves. `applied` is called before, when the write is safe from a crash of
   * the process: what whoever is told there writes at once shares the sync. D4
   */
  ahead<T>(work: () => T, applied: (value: T) => void): Promise<T>;
  /** Units of `grouped` wait for others while this says so, and for nobody unless told. */
  groupWhile(others: () => boolean): void;
  /** Resolves once every unit that was handed to `grouped` or `ahead` is done. */
  settled(): Promise<void>;
  /** Gives back the memory in which pages of the file are kept. */
  releaseMemory(): void;
  close(): void;
}

/**
 * SQL with the shape of its rows. The shape is a claim, made where the SQL is written, and
 * true because STRICT tables hold only the types they declare.
 */
export type Query<Row> = string & { readonly row?: Row };

export function query<Row>(sql: string): Query<Row> {
  return sql;
}

const DATA_VERSION = query<{ data_version: number }>("PRAGMA data_version");

/** "Elwd", in SQLite's own field for telling whose file it is. */
export const APPLICATION_ID = 0x456c7764;

/** How long a writer waits for another process before it gives up. */
const BUSY_TIMEOUT_MS = 5_000;
const WAL_TRIES_MAX = 250;
/** The log file is cut back to this after a burst. */
const LOG_BYTES_KEPT = 16 * 1024 * 1024;
/** Pages that are changed again and again are copied back once: fewer writes in all, for a log of 16 MB at most. */
const LOG_PAGES_MAX = 4_000;

/** Units that share one sync. More wait for the next: a group must not hold up the event loop for long. */
const GROUP_UNITS_MAX = 64;

const READING = "The database could not be read.";
const WRITING = "Nothing was stored.";

/** Opens the file, made with mode 0600 where it is missing. Neither looks at nor changes its schema. */
export function openDatabase(path: string, disk?: Disk): Database {
  const db = open(path);
  const statements = new Map<string, StatementSync>();
  const readers = new Map<string, RowReader>();

  function statement(sql: string): StatementSync {
    let prepared = statements.get(sql);
    if (!prepared) {
      prepared = db.prepare(sql);
      statements.set(sql, prepared);
    }
    return prepared;
  }

  function reader(sql: string): RowReader {
    let prepared = readers.get(sql);
    if (!prepared) {
      prepared = new RowReader(db.prepare(sql));
      readers.set(sql, prepared);
    }
    return prepared;
  }

  let writing = false;
  /** Whether the transaction has added a row: one that leaves all bytes as they were is committed without a sync. */
  let adds = false;
  let version: number | undefined;
  let forgetsVersion = false;

  function forgetVersion(): void {
    forgetsVersion = false;
    version = undefined;
  }

  function get<Row>(sql: Query<Row>, ...params: SQLInputValue[]): Row | undefined {
    return attempt(() => reader(sql).get(...params) as Row | undefined);
  }

  function attempt<T>(work: () => T, what = writing ? WRITING : READING): T {
    try {
      return work();
    } catch (error) {
      throw storageFailure(error, what);
    }
  }

  /** Each switch is a statement of its own, so there is one only where the last write was of the other kind. */
  let synced = true;
  function sync(wanted: boolean): void {
    if (wanted === synced || !db.isOpen) return;
    db.exec(`PRAGMA synchronous = ${wanted ? "FULL" : "NORMAL"}`);
    synced = wanted;
  }

  const log = new LogSync(
    path,
    {
      alone(work) {
        db.exec("BEGIN IMMEDIATE");
        try {
          return work();
        } finally {
          db.exec("ROLLBACK");
        }
      },
      checkpoint: () => db.exec("PRAGMA wal_checkpoint(PASSIVE)"),
    },
    disk,
  );
  function write<T>(work: () => T, isSynced: boolean): T {
    log.mustBeWhole();
    writing = true;
    adds = false;
    try {
      sync(isSynced);
      attempt(() => statement("BEGIN IMMEDIATE").run());
      version = undefined;
      const value = work();
      attempt(() => commit());
      if (isSynced && adds) behind.synced();
      return value;
    } catch (error) {
      // Some errors (a full disk) have rolled back already.
      if (db.isOpen && db.isTransaction) db.exec("ROLLBACK");
      throw error;
    } finally {
      writing = false;
    }
  }

  function commit(): void {
    try {
      statement("COMMIT").run();
    } catch (error) {
      // It is rolled back here, but stands in the log's file: the next start may find it there, or nothing of it.
      throw isFailedSync(error) ? log.failed(error) : error;
    }
  }

  const behind = new WaitingForSync(() => log.sync());
  const transaction = <T>(work: () => T) => write(work, true);
  const unsynced = <T>(work: () => T) => write(work, false);

  const groups = new CommitGroups({
    transaction,
    unsynced,
    sync: () => behind.sync(),
    mustBeWhole: () => log.mustBeWhole(),
    savepoint(work) {
      attempt(() => statement("SAVEPOINT unit").run());
      try {
        const value = work();
        attempt(() => statement("RELEASE unit").run());
        return value;
      } catch (error) {
        // A full disk rolls back all of the transaction; the others must not pass for stored.
        if (!db.isTransaction) throw new GroupLost(error);
        db.exec("ROLLBACK TO unit; RELEASE unit");
        throw error;
      }
    },
  });

  return {
    path,
    get,
    all: <Row>(query: Query<Row>, ...params: SQLInputValue[]) =>
      attempt(() => reader(query).all(...params) as Row[]),
    run(sql, ...params) {
      return attempt(() => Number(statement(sql).run(...params).changes));
    },
    add(sql, ...params) {
      attempt(() => statement(sql).run(...params));
      adds = true;
    },
    version() {
      if (version !== undefined) return version;
      version = get(DATA_VERSION)!.data_version;
      if (!forgetsVersion) setImmediate(forgetVersion);
      forgetsVersion = true;
      return version;
    },
    exec(sql, what) {
      if (db.isOpen && !db.isTransaction) sync(true);
      attempt(() => db.exec(sql), what);
    },
    transaction,
    unsynced,
    grouped: (work) => groups.add(work),
    async ahead(work, applied) {
      if (groups.isShared) {
        const value = await groups.add(work);
        applied(value);
        return value;
      }
      const value = unsynced(work);
      const onDisk = behind.next();
      // Where whoever is told fails, nobody waits for it.
      onDisk.catch(() => undefined);
      applied(value);
      await onDisk;
      return value;
    },
    groupWhile: (others) => groups.waitWhile(others),
    async settled() {
      await groups.settled();
      await behind.settled();
    },
    releaseMemory: () => attempt(() => db.exec("PRAGMA shrink_memory")),
    close() {
      statements.clear();
      readers.clear();
      // What was in the log is in the database by then, and on disk.
      if (db.isOpen) db.close();
      log.close();
    },
  };
}

/**
 * Rows as objects that are made here. Those that node:sqlite makes take twice as long, and again when they are looked
 * into: it names the columns anew for every row.
 */
class RowReader {
  readonly #statement: StatementSync;
  #names: readonly string[];

  constructor(statement: StatementSync) {
    this.#statement = statement;
    this.#names = columnsOf(statement);
    statement.setReturnArrays(true);
  }

  get(...params: SQLInputValue[]): object | undefined {
    const values = this.#statement.get(...params) as unknown as Values | undefined;
    return values && this.#toRow(values);
  }

  all(...params: SQLInputValue[]): object[] {
    const rows = this.#statement.all(...params) as unknown as Values[];
    return rows.map((values) => this.#toRow(values));
  }

  #toRow(values: Values): object {
    // Another process has changed the schema, and SQLite prepared the statement anew.
    if (values.length !== this.#names.length) this.#names = columnsOf(this.#statement);
    const row: Record<string, SQLOutputValue> = {};
    for (let i = 0; i < values.length; i++) row[this.#names[i]!] = values[i]!;
    return row;
  }
}

type Values = readonly SQLOutputValue[];

function columnsOf(statement: StatementSync): readonly string[] {
  return statement.columns().map(({ name }) => name);
}

/**
 * Those who wait until what was written without a sync is on disk. The next synced write that adds a row brings it
 * there; where none follows until the event loop has come round, a sync of their own does.
 */
class WaitingForSync {
  readonly #syncLog: () => Promise<void>;
  #waiting: PromiseWithResolvers<void>[] = [];
  #flushing: Promise<void> | undefined;

  constructor(syncLog: () => Promise<void>) {
    this.#syncLog = syncLog;
  }

  next(): Promise<void> {
    const waiting = Promise.withResolvers<void>();
    this.#waiting.push(waiting);
    this.#flushing ??= this.#flush();
    return waiting.promise;
  }

  /** All that was written before is on disk. */
  synced(): void {
    for (const { resolve } of this.#waiting.splice(0)) resolve();
  }

  async sync(): Promise<void> {
    const waiting = this.#waiting.splice(0);
    try {
      await this.#syncLog();
      for (const { resolve } of waiting) resolve();
    } catch (error) {
      for (const { reject } of waiting) reject(error);
      throw error;
    }
  }

  async settled(): Promise<void> {
    while (this.#flushing !== undefined) await this.#flushing;
  }

  async #flush(): Promise<void> {
    await nextEventLoopTurn();
    // Where the sync fails, those who wait are told, each for itself.
    while (this.#waiting.length > 0) await this.sync().catch(() => undefined);
    this.#flushing = undefined;
  }
}

interface Unit {
  /** Runs it inside the open transaction and keeps what came of it for `settle`. */
  run(): void;
  /** Tells whoever waits, once the transaction is over: `lost` is why nothing of it was stored. */
  settle(lost?: unknown): void;
}

/** The whole transaction was rolled back under one of its units. */
class GroupLost extends Error {
  constructor(cause: unknown) {
    super("The transaction is gone.", { cause });
  }
}

interface GroupedWrites {
  transaction<T>(work: () => T): T;
  unsynced<T>(work: () => T): T;
  savepoint<T>(work: () => T): T;
  /** What was written without a sync is on disk when it resolves. */
  sync(): Promise<void>;
  /** Throws where nothing may be written: then nobody is to wait for it either. */
  mustBeWhole(): void;
}

/**
 * Collects units until the event loop has come round, runs them in one transaction, and has the
 * log synced while the event loop goes on: those that come meanwhile are the next group. A sync
 * takes a millisecond on a good disk and twenty on a bad one, whatever it has to write: sessions
 * that commit at the same moment pay for it once, and nobody else waits for it. Where there is
 * nobody to share with, a unit is not kept waiting.
 */
class CommitGroups {
  readonly #db: GroupedWrites;
  #others: () => boolean = () => false;
  #waiting: Unit[] = [];
  #flushing: Promise<void> | undefined;

  constructor(db: GroupedWrites) {
    this.#db = db;
  }

  waitWhile(others: () => boolean): void {
    this.#others = others;
  }

  /** Whether a unit waits for others. */
  get isShared(): boolean {
    return this.#flushing !== undefined || this.#others();
  }

  async add<T>(work: () => T): Promise<T> {
    this.#db.mustBeWhole();
    if (!this.isShared) return this.#db.transaction(work);
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    let outcome: { readonly value: T } | { readonly error: unknown } | undefined;
    this.#waiting.push({
      run: () => {
        try {
          outcome = { value: this.#db.savepoint(work) };
        } catch (error) {
          if (error instanceof GroupLost) throw error;
          outcome = { error };
        }
      },
      settle: (lost) => {
        if (outcome !== undefined && "error" in outcome) reject(outcome.error);
        else if (lost !== undefined || outcome === undefined) reject(lost);
        else resolve(outcome.value);
      },
    });
    this.#flushing ??= this.#flushAll();
    return promise;
  }

  async settled(): Promise<void> {
    while (this.#flushing !== undefined) await this.#flushing;
  }

  async #flushAll(): Promise<void> {
    await nextEventLoopTurn();
    while (this.#waiting.length > 0) await this.#flush(this.#waiting.splice(0, GROUP_UNITS_MAX));
    this.#flushing = undefined;
  }

  async #flush(units: readonly Unit[]): Promise<void> {
    let lost: unknown;
    try {
      this.#db.unsynced(() => {
        for (const unit of units) unit.run();
      });
      await this.#db.sync();
    } catch (error) {
      lost = error instanceof GroupLost ? error.cause : error;
    }
    for (const unit of units) unit.settle(lost);
  }
}

function open(path: string): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    makePrivate(path);
    syncLeftLog(path);
    db = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true });
    if (!isForeign(db)) useWal(db);
    db.exec(`
      PRAGMA synchronous = FULL;
      PRAGMA trusted_schema = OFF;
      PRAGMA journal_size_limit = ${LOG_BYTES_KEPT};
      PRAGMA wal_autocheckpoint = ${LOG_PAGES_MAX};
    `);
    return db;
  } catch (error) {
    db?.close();
    throw storageFailure(error, `The database ${path} could not be opened. Nothing was changed.`);
  }
}

/** What a process that was killed wrote without a sync is read, and told, from now on. */
function syncLeftLog(path: string): void {
  const log = `${path}-wal`;
  if ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) === 0) return;
  const file = openSync(log, "r+");
  try {
    fdatasyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Another program's database. The switch to a log would change it before it is refused. */
function isForeign(db: DatabaseSync): boolean {
  const row = db
    .prepare(
      "SELECT (SELECT application_id FROM pragma_application_id) AS owner, EXISTS (SELECT 1 FROM sqlite_schema) AS used",
    )
    .get();
  return row?.["used"] === 1 && row["owner"] !== APPLICATION_ID;
}

/**
 * Two processes that open a new database at once race for this switch, and SQLite does not
 * keep the loser waiting as it does everywhere else. It has nothing else to do, so it waits here.
 */
function useWal(db: DatabaseSync): void {
  for (let tries = 1; ; tries++) {
    try {
      db.exec("PRAGMA journal_mode = WAL");
      return;
    } catch (error) {
      if (!isBusy(error) || tries === WAL_TRIES_MAX) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_TIMEOUT_MS / WAL_TRIES_MAX);
    }
  }
}

/** SQLite gives its log files the mode of the database, so one chmod covers all three. */
function makePrivate(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, "a", 0o600));
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
}
