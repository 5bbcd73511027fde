import type { ToolTable } from "@elwood/runtime/gate/ports";
import type { OffTools } from "./off-tools.ts";
import type { ToolProvisions } from "./register-tool.ts";
import { buildTable, type ToolShelf } from "./registry.ts";

/** What a reload changed, by tool id. */
export interface Reloaded {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  /** Tools that were left out, and why. */
  readonly problems: readonly string[];
}

/**
 * Holds the table of tools. A reload loads everything anew and then puts the new table in
 * the old one's place in one step; whoever took the old table keeps it, whole. Where
 * loading fails, the old one stays.
 */
export class ToolRack {
  readonly #load: () => Promise<readonly ToolShelf[]>;
  readonly #provisions: ToolProvisions;
  #table: ToolTable = { get: () => undefined, list: () => [] };
  #reloading: Promise<Reloaded> | undefined;
  #next: Promise<Reloaded> | undefined;
  #problems: readonly string[] = [];
  #off: readonly OffTools[] = [];

  constructor(load: () => Promise<readonly ToolShelf[]>, provisions: ToolProvisions) {
    this.#load = load;
    this.#provisions = provisions;
  }

  table(): ToolTable {
    return this.#table;
  }

  /** Tools that the last reload left out, and why. */
  problems(): readonly string[] {
    return this.#problems;
  }

  /** Tools that cannot work here as things are. */
  off(): readonly OffTools[] {
    return this.#off;
  }

  /**
   * The first load too. One that is under way may have read what has changed since: all who
   * ask meanwhile get the one after it.
   */
  reload(): Promise<Reloaded> {
    if (this.#reloading === undefined) return this.#begin();
    this.#next ??= this.#reloading
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined;
        return this.#begin();
      });
    return this.#next;
  }

  #begin(): Promise<Reloaded> {
    this.#reloading = this.#swap().finally(() => {
      this.#reloading = undefined;
    });
    return this.#reloading;
  }

  async #swap(): Promise<Reloaded> {
    const shelves = await this.#load();
    const { table, problems } = buildTable(shelves, this.#provisions);
    const before = this.#table;
    this.#table = table;
    this.#problems = problems;
    this.#off = shelves.flatMap(({ off = [] }) => off);
    const ids = table.list().map(({ contract }) => contract.id);
    return {
      added: ids.filter((id) => before.get(id) === undefined),
      changed: ids.filter((id) => {
        const old = before.get(id);
        return old !== undefined && old.contractHash !== table.get(id)?.contractHash;
      }),
      removed: before
        .list()
        .flatMap(({ contract }) => (table.get(contract.id) === undefined ? [contract.id] : [])),
      problems,
    };
  }
}
