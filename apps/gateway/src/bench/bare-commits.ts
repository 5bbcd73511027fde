import { randomBytes } from "node:crypto";
import { DatabaseSync } from "node:sqlite";

/**
 * What a gate would cost that only wrote its rows down: the same commits with rows of the
 * same size into tables with the same keys, as durable (WAL, synchronous=FULL); no policy,
 * no hashes, no guards, no index beside the key, no second look.
 */
export class BareCommits {
  readonly #run: (sql: string, ...params: (string | number)[]) => void;
  #seq = 0;

  constructor(path: string) {
    const db = new DatabaseSync(path);
    db.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      CREATE TABLE receipts (seq INTEGER, id TEXT, facts TEXT, payload TEXT, hashes TEXT, PRIMARY KEY (seq)) STRICT;
      CREATE TABLE calls (id TEXT PRIMARY KEY, facts TEXT, input TEXT, state TEXT, outcome TEXT) STRICT;
      CREATE TABLE bodies (commitment TEXT PRIMARY KEY, value TEXT) STRICT;
      CREATE TABLE approvals (id TEXT PRIMARY KEY, card TEXT, status TEXT) STRICT;
    `);
    const statements = new Map<string, ReturnType<DatabaseSync["prepare"]>>();
    this.#run = (sql, ...params) => {
      const known = statements.get(sql) ?? db.prepare(sql);
      statements.set(sql, known);
      known.run(...params);
    };
  }

  /** Two commits: asked for and started; succeeded. */
  allowedCall(): void {
    const id = unique();
    this.#commit(() => {
      this.#call(id);
      this.#body();
      this.#receipts(2);
    });
    this.#commit(() => this.#ended(id));
  }

  /** Four commits: asked for and asked; approved; started; succeeded. */
  askedCall(): void {
    const id = unique();
    this.#commit(() => {
      this.#call(id);
      this.#body();
      this.#run("INSERT INTO approvals VALUES (?, ?, 'pending')", id, text(700));
      this.#receipts(2);
    });
    this.#commit(() => {
      this.#run("UPDATE approvals SET status = 'approved' WHERE id = ?", id);
      this.#run("UPDATE calls SET state = 'approved' WHERE id = ?", id);
      this.#receipts(1);
    });
    this.#commit(() => {
      this.#run("UPDATE calls SET state = 'started' WHERE id = ?", id);
      this.#receipts(1);
    });
    this.#commit(() => this.#ended(id));
  }

  #commit(work: () => void): void {
    this.#run("BEGIN IMMEDIATE");
    work();
    this.#run("COMMIT");
  }

  #call(id: string): void {
    this.#run("INSERT INTO calls VALUES (?, ?, ?, 'requested', NULL)", id, text(250), text(220));
  }

  #ended(id: string): void {
    this.#run("UPDATE calls SET state = 'succeeded', outcome = ? WHERE id = ?", text(60), id);
    this.#body();
    this.#receipts(1);
  }

  #body(): void {
    this.#run("INSERT INTO bodies VALUES (?, ?)", randomBytes(32).toString("hex"), text(260));
  }

  #receipts(count: number): void {
    for (let i = 0; i < count; i++) {
      this.#seq += 1;
      const insert = "INSERT INTO receipts VALUES (?, ?, ?, ?, ?)";
      this.#run(insert, this.#seq, unique(), text(110), text(280), text(128));
    }
  }
}

function unique(): string {
  return randomBytes(16).toString("hex");
}

function text(chars: number): string {
  return "x".repeat(chars);
}
