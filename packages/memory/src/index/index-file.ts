import { renameSync, statSync } from "node:fs";
import { Worker } from "node:worker_threads";
import type { Log } from "@elwood/runtime/ports/ports";
import { IndexWriter } from "./index-writer.ts";
import { INDEX_LIMITS } from "./limits.ts";
import {
  checkIndex,
  closeIndex,
  createIndex,
  DamagedIndex,
  nextPath,
  openIndex,
  setAside,
  type OpenedIndex,
} from "./open-index.ts";

/**
 * The file of the index while it is in use: opened, put aside when it turns out to be damaged,
 * opened anew when somebody deleted it, replaced by one that was built beside it.
 */
export class IndexFile {
  readonly path: string;
  readonly #log: Log;
  #writer: IndexWriter;
  #unclean: boolean;
  #inode: number;

  constructor(path: string, log: Log) {
    this.path = path;
    this.#log = log;
    const { writer, unclean, inode } = this.#opened(openIndex(path, log));
    this.#writer = writer;
    this.#unclean = unclean;
    this.#inode = inode;
  }

  get writer(): IndexWriter {
    return this.#writer;
  }

  /** Whether the file that is open is still the one at its path. */
  get isInPlace(): boolean {
    return inodeOf(this.path) === this.#inode;
  }

  /** With the log, in which a small index may stand whole. */
  get bytes(): number {
    const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    return sizeOf(this.path) + sizeOf(`${this.path}-wal`);
  }

  /** After a process that did not close it. Throws what `isDamage` knows. */
  async check(): Promise<void> {
    if (!this.#unclean) return;
    if (this.bytes <= INDEX_LIMITS.mainThreadCheckBytes) checkIndex(this.#writer.db);
    else {
      const wrong = await checkedInThread(this.path);
      if (wrong !== "") throw new DamagedIndex(wrong);
    }
    this.#unclean = false;
  }

  /** Damaged: kept beside, and begun anew. */
  replaceDamaged(error: unknown): void {
    if (this.#writer.db.isOpen) this.#writer.db.close();
    setAside(this.path, this.#log, error);
    this.reopen();
  }

  reopen(): void {
    if (this.#writer.db.isOpen) this.#writer.db.close();
    const { writer, unclean, inode } = this.#opened(openIndex(this.path, this.#log));
    this.#writer = writer;
    this.#unclean = unclean;
    this.#inode = inode;
  }

  /** An empty index beside this one. */
  begin(): IndexWriter {
    return new IndexWriter(createIndex(nextPath(this.path)));
  }

  /** Puts it in this one's place. What was embedded for money is taken along. */
  swapIn(next: IndexWriter): void {
    carryEmbeddings(this.path, next);
    closeIndex(next.db);
    closeIndex(this.#writer.db);
    renameSync(nextPath(this.path), this.path);
    this.reopen();
  }

  close(): void {
    closeIndex(this.#writer.db);
  }

  #opened({ db, unclean }: OpenedIndex) {
    return { writer: new IndexWriter(db), unclean, inode: inodeOf(this.path) ?? 0 };
  }
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

/**
 * Only vectors of text that is still there, so that a new index remembers nothing that was forgotten. Their spaces count as
 * being filled until each turn was given its vector again.
 */
function carryEmbeddings(from: string, to: IndexWriter): void {
  to.db.prepare("ATTACH ? AS old").run(from);
  try {
    if (to.db.prepare("SELECT 1 FROM old.sqlite_schema WHERE name = 'turn_vectors'").get() === undefined)
      return;
    to.transaction(() =>
      to.db.exec(`
        INSERT OR IGNORE INTO main.spaces SELECT * FROM old.spaces;
        UPDATE main.spaces SET status = 'filling';
        INSERT OR IGNORE INTO main.embedding_cache SELECT c.* FROM old.embedding_cache c
          WHERE c.sha IN (SELECT v.sha FROM old.turn_vectors v JOIN old.turns t ON t.id = v.turn_id
            WHERE t.text IN (SELECT text FROM main.turns));
      `),
    );
  } finally {
    to.db.exec("DETACH old");
  }
}

function checkedInThread(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL("./check-thread.ts", import.meta.url), { workerData: { path } });
    thread.unref();
    thread.once("message", (wrong: unknown) => resolve(String(wrong)));
    thread.once("error", reject);
    thread.once("exit", () => reject(new Error("the check of the index broke off")));
  });
}
