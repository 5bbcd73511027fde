import type { ToolSnapshot } from "@elwood/runtime/ports/gate-ports";
import type { UnavailableTools } from "./unavailable-tools.ts";
import type { ToolProvisions } from "./register-tool.ts";
import { buildToolSnapshot, type ToolGroup } from "./tool-snapshot.ts";

/** What a reload changed, by tool id. */
export interface Reloaded {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  /** Tools that were left out, and why. */
  readonly problems: readonly string[];
}

/**
 * The registry of tools. A reload builds a new snapshot and swaps it in atomically; holders of the old
 * snapshot keep it unchanged. If loading fails, the old one stays.
 */
export class ToolRegistry {
  readonly #load: () => Promise<readonly ToolGroup[]>;
  readonly #provisions: ToolProvisions;
  #toolSnapshot: ToolSnapshot = { get: () => undefined, list: () => [] };
  #reloading: Promise<Reloaded> | undefined;
  #next: Promise<Reloaded> | undefined;
  #problems: readonly string[] = [];
  #off: readonly UnavailableTools[] = [];

  constructor(load: () => Promise<readonly ToolGroup[]>, provisions: ToolProvisions) {
    this.#load = load;
    this.#provisions = provisions;
  }

  toolSnapshot(): ToolSnapshot {
    return this.#toolSnapshot;
  }

  /** Tools that the last reload left out, and why. */
  problems(): readonly string[] {
    return this.#problems;
  }

  /** Tools that cannot work at the moment. */
  off(): readonly UnavailableTools[] {
    return this.#off;
  }

  /**
   * Also does the first load. A reload in progress may have read stale files, so callers meanwhile share
   * the one after it.
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
    const toolGroups = await this.#load();
    const { toolSnapshot, problems } = buildToolSnapshot(toolGroups, this.#provisions);
    const before = this.#toolSnapshot;
    this.#toolSnapshot = toolSnapshot;
    this.#problems = problems;
    this.#off = toolGroups.flatMap(({ off = [] }) => off);
    const ids = toolSnapshot.list().map(({ contract }) => contract.id);
    return {
      added: ids.filter((id) => before.get(id) === undefined),
      changed: ids.filter((id) => {
        const old = before.get(id);
        return old !== undefined && old.contractHash !== toolSnapshot.get(id)?.contractHash;
      }),
      removed: before
        .list()
        .flatMap(({ contract }) => (toolSnapshot.get(contract.id) === undefined ? [contract.id] : [])),
      problems,
    };
  }
}
