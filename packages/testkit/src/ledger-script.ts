import type { Approval, Grant } from "@elwood/core/policy/approval";
import type { NewReceipt, StoredReceipt } from "@elwood/core/receipts/receipt";
import type { CallRow, Ledger, LedgerChange } from "@elwood/runtime/ports/gate-ports";
import { FixedIds } from "./fixed-ids.ts";
import { TENANT } from "./store-script.ts";

/** What a contract suite is given: a ledger over nothing yet, and a way to open the same state again. */
export interface LedgerHarness {
  readonly ledger: Ledger;
  /** Moves the ledger's clock on. */
  advance(ms: number): Promise<void>;
  reopen(): Promise<Ledger>;
  dispose(): Promise<void>;
}

export type PlainReceipt = Partial<Omit<NewReceipt, "type" | "payload">> & {
  readonly payload?: Readonly<Record<string, unknown>>;
};

/**
 * A receipt with whatever payload a suite needs. A ledger keeps every payload as it is, and
 * what these suites write stands for receipts of other versions too; hence the cast.
 */
export function plainReceipt(type: NewReceipt["type"], more: PlainReceipt = {}): NewReceipt {
  return { type, runId: "run_1", actor: "model", surface: "web", payload: {}, ...more } as NewReceipt;
}

/** Plays calls into a ledger. */
export class LedgerScript {
  readonly ids = new FixedIds();
  readonly ledger: Ledger;
  readonly tenant: string;
  #now = 1_763_200_000_000;

  constructor(ledger: Ledger, tenant = TENANT) {
    this.ledger = ledger;
    this.tenant = tenant;
  }

  tick(ms = 1): number {
    this.#now += ms;
    return this.#now;
  }

  receipt(type: NewReceipt["type"], more: PlainReceipt = {}): NewReceipt {
    return plainReceipt(type, more);
  }

  call(more: Partial<CallRow> = {}): CallRow {
    const callId = this.ids.next("call");
    return {
      callId,
      runId: "run_1",
      sessionId: "ses_1",
      toolId: "files.file.write",
      contractHash: "contract",
      risk: "write",
      requestedInput: { path: "a.txt", content: "a" },
      executedInput: { path: "a.txt", content: "a" },
      idempotencyKey: `key of ${callId}`,
      state: "requested",
      createdAt: this.tick(),
      ...more,
    };
  }

  approval(call: CallRow, more: Partial<Approval> = {}): Approval {
    const createdAt = this.tick();
    return {
      id: this.ids.next("approval"),
      callId: call.callId,
      runId: call.runId,
      sessionId: call.sessionId,
      toolId: call.toolId,
      digest: "digest",
      card: {
        kind: "approval",
        toolId: call.toolId,
        summary: "Write a.txt",
        input: call.executedInput,
        risk: call.risk,
        rule: "mode.strict",
        reason: "It changes a file.",
        sources: [],
        decisions: ["once", "window"],
        showable: true,
      },
      status: "pending",
      createdAt,
      expiresAt: createdAt + 60_000,
      ...more,
    };
  }

  grant(more: Partial<Grant> = {}): Grant {
    return {
      id: this.ids.next("grant"),
      toolId: "files.file.write",
      scope: "tool",
      contractHash: "contract",
      createdAt: this.tick(),
      createdBy: { kind: "owner", id: "owner", surface: "web" },
      uses: 0,
      words: "any write of files",
      ...more,
    };
  }

  /** Writes a unit that must not be refused. */
  async write(
    receipts: readonly NewReceipt[],
    changes: readonly LedgerChange[] = [],
  ): Promise<readonly StoredReceipt[]> {
    const written = await this.ledger.write(this.tenant, { receipts, changes });
    if (!written.ok) throw new Error(`${written.error.refused} was refused`);
    return written.value;
  }

  /** Which change of a unit was refused; undefined where it was written. */
  async refusal(...changes: LedgerChange[]): Promise<LedgerChange["kind"] | undefined> {
    const receipts = [this.receipt("run.started")];
    const written = await this.ledger.write(this.tenant, { receipts, changes });
    return written.ok ? undefined : written.error.refused;
  }

  /** A call that policy allowed, as the gate writes it: two units. */
  async allowed(more: Partial<CallRow> = {}): Promise<CallRow> {
    const call = this.call({ state: "started", ...more });
    const { callId, toolId, runId } = call;
    const { risk, contractHash, idempotencyKey } = call;
    const input = { inputHash: "input", inputCommit: "input" };
    const requested = { toolId, risk, contractHash, idempotencyKey, ...input };
    const about = { callId, runId, payload: { toolId } };
    await this.write(
      [
        this.receipt("tool.call.requested", { ...about, payload: requested }),
        this.receipt("tool.call.started", about),
      ],
      [{ kind: "call.new", call }],
    );
    await this.write(
      [this.receipt("tool.call.succeeded", about)],
      [{ kind: "call.move", callId, from: ["started"], to: "succeeded", at: this.tick() }],
    );
    return call;
  }
}
