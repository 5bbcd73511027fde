import { fail } from "@elwood/core/base/failure";
import { mustWrite } from "@elwood/runtime/gate/must-write";
import type { Ledger, RegisteredTool } from "@elwood/runtime/ports/gate-ports";
import type { Clock, Person } from "@elwood/runtime/ports/ports";
import type { Sha256 } from "@elwood/core/receipts/receipt";
import { asLabelled, labelHash, labelOf, type ToolLabel } from "@elwood/core/tool/tool-label";
import type { WorkspaceTools } from "@elwood/isolation/tool-host/workspace-tools";
import type { UnavailableTools } from "./unavailable-tools.ts";
import type { ToolProvisions } from "./register-tool.ts";
import type { ToolRegistry } from "./tool-registry.ts";

export interface ToolServiceDeps {
  readonly registry: Pick<ToolRegistry, "problems" | "off" | "reload">;
  readonly ledger: Pick<Ledger, "write" | "knownContract">;
  readonly clock: Pick<Clock, "now">;
  readonly sha256: Sha256;
  readonly workspace?: WorkspaceTools | undefined;
  readonly secret?: ToolProvisions["secret"] | undefined;
  /** Takes in the tools that a start leaves asleep. */
  readonly wake: () => Promise<void>;
  /** Resolves once the tools that a start left unread are there. */
  readonly settled: () => Promise<void>;
}

/** The owner's grants for tools, and details about each tool. */
export class ToolService {
  readonly #deps: ToolServiceDeps;

  constructor(deps: ToolServiceDeps) {
    this.#deps = deps;
  }

  /** Before anybody looks at the table of tools: those that the start left asleep are taken in. */
  wake(): Promise<void> {
    return this.#deps.wake();
  }

  /** Resolves once all tools are loaded after a start. */
  settled(): Promise<void> {
    return this.#deps.settled();
  }

  /** Modules that cannot be loaded, and tools that were left out; a sentence each. */
  problems(): string[] {
    return [...(this.#deps.workspace?.problems() ?? []), ...this.#deps.registry.problems()];
  }

  /** Tools that cannot work at the moment, and how to fix that. */
  off(): readonly UnavailableTools[] {
    return this.#deps.registry.off();
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

  /**
   * Records that the owner knows the tool in its current version, and with a label what they say that it does.
   * `seen` is the contract hash they reviewed.
   */
  async grant(
    tenant: string,
    tool: RegisteredTool,
    seen: string,
    by: Person,
    label?: ToolLabel,
  ): Promise<void> {
    const { ledger, clock, sha256, registry } = this.#deps;
    const { contract, contractHash, source, claims } = tool;
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
    if (label !== undefined && claims === undefined)
      fail(
        "INVALID_INPUT",
        `${contract.id} says itself what it does, and takes no label. Nothing was changed.`,
      );
    const known = label === undefined ? contractHash : labelHash(contractHash, label, sha256);
    const before = await ledger.knownContract(tenant, contract.id);
    if (before === known) return;
    const { risk } = claims ? asLabelled(contract, label, claims) : contract;
    const { id: toolId, hosts = [], secrets = [] } = contract;
    await mustWrite(ledger, tenant, `tool ${toolId}`, {
      receipts: [
        {
          type: "grant.created",
          runId: "",
          actor: by.id,
          surface: by.surface,
          payload: {
            toolId,
            contractHash,
            what: "tool",
            risk,
            ...(label === undefined ? {} : { label }),
            hosts: [...hosts],
            secrets: [...secrets],
          },
        },
      ],
      changes: [{ kind: "contract.know", toolId, contractHash: known, at: clock.now() }],
    });
    if (claims) await registry.reload();
  }

  /** Tools of this table that the owner granted as they are, Elwood's own left out. */
  async granted(tenant: string, tools: readonly RegisteredTool[]): Promise<readonly string[]> {
    const ids: string[] = [];
    for (const { contract, contractHash, source } of tools) {
      if (source === "built-in") continue;
      const known = await this.#deps.ledger.knownContract(tenant, contract.id);
      if (known === contractHash || labelOf(known, contractHash, this.#deps.sha256) !== undefined)
        ids.push(contract.id);
    }
    return ids;
  }

  /** Revokes the grant: every call asks again. */
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
    await this.#deps.registry.reload();
  }
}
