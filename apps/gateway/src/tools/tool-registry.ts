import { asLabelled, type ToolLabel } from "@elwood/core/tool/tool-label";
import type { RegisteredTool, ToolSnapshot } from "@elwood/runtime/ports/gate-ports";
import type { UnavailableTools } from "./unavailable-tools.ts";
import type { ToolProvisions } from "./register-tool.ts";
import { buildToolSnapshot, snapshotOf, type ToolGroup } from "./tool-snapshot.ts";

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
  readonly #labelOf: (tool: RegisteredTool) => Promise<ToolLabel | undefined>;
  #toolSnapshot: ToolSnapshot = { get: () => undefined, list: () => [] };
  #reloading: Promise<Reloaded> | undefined;
  #next: Promise<Reloaded> | undefined;
  #problems: readonly string[] = [];
  #off: readonly UnavailableTools[] = [];
  #asleep: readonly string[] = [];

  constructor(
    load: () => Promise<readonly ToolGroup[]>,
    provisions: ToolProvisions,
    /** What the owner says that a tool of somebody else does. */
    labelOfTool: (tool: RegisteredTool) => Promise<ToolLabel | undefined> = async () => undefined,
  ) {
    this.#load = load;
    this.#provisions = provisions;
    this.#labelOf = labelOfTool;
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

  /** Patterns of tools that are not in the table yet, because nobody has needed tools since the start. */
  asleep(): readonly string[] {
    return this.#asleep;
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

  async #labelled(built: ToolSnapshot): Promise<ToolSnapshot> {
    const tools = new Map<string, RegisteredTool>();
    for (const tool of built.list()) {
      const { claims, contract } = tool;
      const label = claims && (await this.#labelOf(tool));
      tools.set(
        contract.id,
        claims && label ? { ...tool, label, contract: asLabelled(contract, label, claims) } : tool,
      );
    }
    return snapshotOf(tools, this.#toolSnapshot.list());
  }

  async #swap(): Promise<Reloaded> {
    const toolGroups = await this.#load();
    const { toolSnapshot: built, problems } = buildToolSnapshot(toolGroups, this.#provisions);
    const toolSnapshot = await this.#labelled(built);
    const before = new Map(this.#toolSnapshot.list().map((tool) => [tool.contract.id, tool]));
    this.#toolSnapshot = toolSnapshot;
    this.#problems = problems;
    this.#off = toolGroups.flatMap(({ off = [] }) => off);
    this.#asleep = toolGroups.flatMap(({ asleep = [] }) => asleep);
    const now = new Map(toolSnapshot.list().map((tool) => [tool.contract.id, tool]));
    const ids = [...now.keys()];
    return {
      added: ids.filter((id) => !before.has(id)),
      changed: ids.filter((id) => {
        const old = before.get(id);
        return old !== undefined && old.contractHash !== now.get(id)?.contractHash;
      }),
      removed: [...before.keys()].filter((id) => !now.has(id)),
      problems,
    };
  }
}
