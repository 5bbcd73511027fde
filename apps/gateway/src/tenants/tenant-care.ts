import type { Approvals } from "@elwood/runtime/gate/approvals";
import type { Engine } from "@elwood/runtime/run/engine";
import type { OpenedReceipts } from "@elwood/store-sqlite/receipts/open-receipts";

export interface TenantCareDeps {
  /** The owner of the installation, of whom the gateway itself takes care. */
  readonly owner: string;
  /** Tenants that have anything. */
  readonly known: () => readonly string[];
  readonly engine: Pick<Engine, "recover">;
  readonly approvals: Pick<Approvals, "sweep">;
  readonly signer: Pick<OpenedReceipts["signer"], "start">;
}

/**
 * What goes on for each tenant beside the owner: its runs are taken up again, its approvals expire, its receipts
 * are sealed. For those that have anything it begins with the gateway, for a new one when its first token is shown,
 * and each time before anything of the tenant is asked for: a run is taken up once.
 */
export class TenantCare {
  readonly #deps: TenantCareDeps;
  readonly #begun = new Map<string, Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #swept: Promise<void>[] = [];

  constructor(deps: TenantCareDeps) {
    this.#deps = deps;
  }

  async begin(): Promise<void> {
    const { known, owner } = this.#deps;
    for (const tenant of known()) if (tenant !== owner) await this.of(tenant);
  }

  of(tenant: string): Promise<void> {
    const begun = this.#begun.get(tenant) ?? this.#takeUp(tenant);
    this.#begun.set(tenant, begun);
    return begun;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#swept);
  }

  async #takeUp(tenant: string): Promise<void> {
    const { engine, approvals, signer } = this.#deps;
    await engine.recover(tenant);
    this.#swept.push(approvals.sweep(tenant, this.#stopping.signal));
    signer.start(tenant);
  }
}
