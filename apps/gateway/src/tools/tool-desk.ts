import { fail } from "@elwood/core/base/failure";
import { mustWrite } from "@elwood/runtime/gate/must-write";
import type { Ledger, RegisteredTool } from "@elwood/runtime/gate/ports";
import type { Clock, Person } from "@elwood/runtime/ports/ports";
import type { WorkspaceDoor } from "@elwood/isolation/tool-host/workspace-door";
import type { OffTools } from "./off-tools.ts";
import type { ToolProvisions } from "./register-tool.ts";
import type { ToolRack } from "./tool-rack.ts";

export interface ToolDeskDeps {
  readonly rack: Pick<ToolRack, "problems" | "off">;
  readonly ledger: Pick<Ledger, "write" | "knownContract">;
  readonly clock: Pick<Clock, "now">;
  readonly workspace?: WorkspaceDoor | undefined;
  readonly secret?: ToolProvisions["secret"] | undefined;
  /** Resolves once the tools that a start left unread are there. */
  readonly settled: () => Promise<void>;
}

/** Where the owner says which tools they know, and what they may know of each. */
export class ToolDesk {
  readonly #deps: ToolDeskDeps;

  constructor(deps: ToolDeskDeps) {
    this.#deps = deps;
  }

  /** Whoever asks what there is right after a start waits for what has to be read first. */
  settled(): Promise<void> {
    return this.#deps.settled();
  }

  /** Modules that cannot be loaded, and tools that were left out; a sentence each. */
  problems(): string[] {
    return [...(this.#deps.workspace?.problems() ?? []), ...this.#deps.rack.problems()];
  }

  /** Tools that cannot work here as things are, and what to do about it. */
  off(): readonly OffTools[] {
    return this.#deps.rack.off();
  }

  /** Whether the system itself keeps this tool from the network; undefined for tools that are not in a process of their own. */
  async network({ source }: RegisteredTool): Promise<"enforced" | "not-enforced" | undefined> {
    if (source !== "workspace" || !this.#deps.workspace) return undefined;
    return (await this.#deps.workspace.network()).ok ? "enforced" : "not-enforced";
  }

  /** Secrets that it declares and would not get. */
  missingSecrets({ contract, source = "mcp" }: RegisteredTool): string[] {
    const { secret } = this.#deps;
    return (contract.secrets ?? []).filter((name) => secret?.(name, contract, source) === undefined);
  }

  /** From now on the owner knows the tool as it is. `seen` is the contract that they looked at. */
  async grant(tenant: string, tool: RegisteredTool, seen: string, by: Person): Promise<void> {
    const { ledger, clock } = this.#deps;
    const { contract, contractHash, source } = tool;
    if (source === "built-in")
      fail(
        "INVALID_INPUT",
        `${contract.id} is one of Elwood's own tools and needs no grant. Nothing was changed.`,
      );
    if (seen !== contractHash)
      fail(
        "CONFLICT",
        `${contract.id} has changed since you looked at it. Nothing was granted. Look again: elwood tools show ${contract.id}`,
      );
    if ((await ledger.knownContract(tenant, contract.id)) === contractHash) return;
    const { id: toolId, risk, hosts = [], secrets = [] } = contract;
    await mustWrite(ledger, tenant, `tool ${toolId}`, {
      receipts: [
        {
          type: "grant.created",
          runId: "",
          actor: by.id,
          surface: by.surface,
          payload: { toolId, contractHash, what: "tool", risk, hosts: [...hosts], secrets: [...secrets] },
        },
      ],
      changes: [{ kind: "contract.know", toolId, contractHash, at: clock.now() }],
    });
  }

  /** Tools of this table that the owner granted as they are, Elwood's own left out. */
  async granted(tenant: string, tools: readonly RegisteredTool[]): Promise<readonly string[]> {
    const ids: string[] = [];
    for (const { contract, contractHash, source } of tools)
      if (
        source !== "built-in" &&
        (await this.#deps.ledger.knownContract(tenant, contract.id)) === contractHash
      )
        ids.push(contract.id);
    return ids;
  }

  /** The tool asks for every call again, whatever else was granted. */
  async revoke(tenant: string, toolId: string, by: Person): Promise<void> {
    const written = await this.#deps.ledger.write(tenant, {
      receipts: [
        {
          type: "grant.revoked",
          runId: "",
          actor: by.id,
          surface: by.surface,
          payload: { toolId, what: "tool" },
        },
      ],
      changes: [{ kind: "contract.forget", toolId }],
    });
    if (!written.ok) fail("NOT_FOUND", `The tool ${toolId} is not granted. Nothing was revoked.`);
  }
}
