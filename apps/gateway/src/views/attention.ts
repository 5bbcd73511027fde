import { LIMITS } from "@elwood/core/base/limits";
import { placeOf } from "@elwood/core/card/outcome";
import { formatModelRef } from "@elwood/core/model/model";
import { toWireApproval } from "@elwood/core/protocol/approval-shapes";
import type { AttentionItem } from "@elwood/core/protocol/owner-shapes";
import type { MethodResult } from "@elwood/core/protocol/results";
import { showLine } from "@elwood/core/base/show";
import { restReason } from "@elwood/core/model/rest-reason";
import { verdictWords } from "@elwood/core/receipts/verdict-words";
import type { Occurrence } from "@elwood/core/schedule/job";
import type { Outbox } from "@elwood/runtime/ports/channel-ports";
import type { Jobs } from "@elwood/runtime/ports/jobs";
import type { Ledger } from "@elwood/runtime/ports/gate-ports";
import type { Clock, Log, Models, RunStore } from "@elwood/runtime/ports/ports";
import type { AuthService } from "../auth/auth-service.ts";
import { modelDeprecationNotice } from "../config/model-deprecation.ts";
import type { Budgets } from "./budgets.ts";
import type { StorageWatch } from "../state/storage-watch.ts";
import type { ReceiptService } from "@elwood/store-sqlite/receipts/receipt-service";

export interface AttentionDeps {
  readonly ledger: Pick<Ledger, "approvals">;
  readonly stores: {
    readonly runs: Pick<RunStore, "list">;
    readonly jobs: Pick<Jobs, "list" | "history">;
    readonly outbox: Pick<Outbox, "undelivered">;
  };
  readonly auth: Pick<AuthService, "list">;
  readonly models: Models;
  readonly receipts: Pick<ReceiptService, "verify" | "head">;
  readonly toolProblems: () => readonly string[];
  readonly notices: () => readonly string[];
  readonly budgets: Pick<Budgets, "of">;
  readonly storage: Pick<StorageWatch, "trouble">;
  /** The tenants that the owner set limits for. */
  readonly tenants: readonly string[];
  /** Of the owner of the installation: only they see what is not a tenant's own. */
  readonly owner: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** What wants the owner now, the most urgent first. Each item says where on the page to go. */
export class Attention {
  readonly #deps: AttentionDeps;
  /** Checking the receipts is work: what was found last counts for a while. */
  #checked: { readonly at: number; readonly item: AttentionItem | undefined } | undefined;
  #checking = false;

  constructor(deps: AttentionDeps) {
    this.#deps = deps;
  }

  /** `verified` is told once receipts that were being checked turn out otherwise than before. */
  async list(tenant: string, verified: () => void): Promise<MethodResult<"attention.list">> {
    if (tenant !== this.#deps.owner) return this.#ofTenant(tenant);
    const found = await Promise.all([
      this.#waiting(tenant),
      this.#lastRun(tenant),
      this.#jobs(tenant),
      this.#undelivered(tenant),
      this.#credentials(),
      this.#budgets([tenant, ...this.#deps.tenants]),
      this.#model(),
    ]);
    this.#checkSoon(tenant, verified);
    const problems = this.#deps.toolProblems().map((text, i) => toolItem(text, i));
    const known = new Set(found.flat().map(({ text }) => text));
    const notices = this.#deps.notices().filter((text) => !known.has(text));
    const items = [
      ...this.#storage(),
      ...(this.#checked?.item ? [this.#checked.item] : []),
      ...found.flat(),
      ...problems,
      ...notices.map(noticeItem),
    ].sort((a, b) => RANK[a.severity] - RANK[b.severity]);
    const leftOut = items.length - LIMITS.attentionItemsMax;
    return { items: items.slice(0, LIMITS.attentionItemsMax), ...(leftOut > 0 ? { leftOut } : {}) };
  }

  /** Nothing of the installation: its keys, tools and settings are the owner's to see to. */
  async #ofTenant(tenant: string): Promise<MethodResult<"attention.list">> {
    const found = await Promise.all([this.#waiting(tenant), this.#lastRun(tenant), this.#budgets([tenant])]);
    return { items: [...this.#storage(), ...found.flat()].slice(0, LIMITS.attentionItemsMax) };
  }

  /** Nothing can be written: it is everybody's, since nobody's messages are accepted. */
  #storage(): AttentionItem[] {
    const { trouble } = this.#deps.storage;
    if (!trouble) return [];
    const { state, text, since } = trouble;
    return [{ id: `storage:${state}:${since}`, kind: "storage", severity: "error", text, at: since }];
  }

  async #waiting(tenant: string): Promise<AttentionItem[]> {
    const limit = LIMITS.attentionItemsMax;
    const pending = await this.#deps.ledger.approvals(tenant, { status: "pending", limit });
    return pending.map((approval) => {
      const { approvalId, kind, card, createdAt } = toWireApproval(approval);
      const asks = kind === "approval";
      return {
        id: approvalId,
        kind: asks ? "approval" : "question",
        severity: "warning",
        text: card.title,
        at: createdAt,
        action: { label: asks ? "Decide" : "Answer", route: `/approvals/${approvalId}` },
      };
    });
  }

  async #lastRun(tenant: string): Promise<AttentionItem[]> {
    const [run] = (await this.#deps.stores.runs.list(tenant, { limit: 1 })).runs;
    if (run?.status !== "failed") return [];
    return [
      {
        id: run.id,
        kind: "run_failed",
        severity: "error",
        text: showLine(run.failure?.message ?? "The last run failed."),
        ...(run.endedAt === undefined ? {} : { at: run.endedAt }),
        action: { label: "Look at it", route: `/runs/${run.id}` },
      },
    ];
  }

  /** Jobs whose last due time did not come to what it should have. */
  async #jobs(tenant: string): Promise<AttentionItem[]> {
    const { jobs } = this.#deps.stores;
    const recent = await jobs.history(tenant, { limit: LIMITS.pageSizeMax });
    if (recent.length === 0) return [];
    const names = new Map((await jobs.list(tenant)).map(({ id, name }) => [id, name]));
    const last = new Map(recent.toReversed().map((each) => [each.jobId, each]));
    return [...last.values()].flatMap((each): AttentionItem[] => {
      const what = troubleOf(each);
      if (what === undefined) return [];
      const action = { label: "Jobs", route: "/jobs" };
      const text = showLine(`The job “${names.get(each.jobId) ?? ""}” ${what}`);
      return [{ id: each.id, kind: "job", severity: "warning", text, at: each.at, action }];
    });
  }

  /** Replies that never reached their chats. Those of jobs are told with their jobs. */
  async #undelivered(tenant: string): Promise<AttentionItem[]> {
    const { stores, clock } = this.#deps;
    const since = clock.now() - LIMITS.undeliveredShownMs;
    const items = await stores.outbox.undelivered(tenant, since, LIMITS.attentionItemsMax);
    return items.flatMap(({ id, channel, subject, runId, problem = "", settledAt }): AttentionItem[] => {
      if (runId === undefined || subject !== runId) return [];
      return [
        {
          id,
          kind: "reply",
          severity: "warning",
          text: showLine(`A reply${placeOf(channel)} could not be delivered. ${problem}`.trim()),
          ...(settledAt === undefined ? {} : { at: settledAt }),
          action: { label: "Read it", route: `/runs/${runId}` },
        },
      ];
    });
  }

  async #credentials(): Promise<AttentionItem[]> {
    const now = this.#deps.clock.now();
    const { profiles } = await this.#deps.auth.list();
    const action = { label: "Models & keys", route: "/connections" };
    return profiles.flatMap(({ id, expiresAt, cooldownUntil, cooldownReason }): AttentionItem[] => {
      const of = { id: `auth:${id}`, kind: "auth", action } as const;
      if (expiresAt !== undefined && expiresAt <= now)
        return [{ ...of, severity: "error", at: expiresAt, text: `The key ${id} has expired. Replace it.` }];
      if (expiresAt !== undefined && expiresAt - now < LIMITS.authExpirySoonMs)
        return [{ ...of, severity: "warning", at: expiresAt, text: `The key ${id} expires soon.` }];
      if (cooldownUntil !== undefined && cooldownUntil > now)
        return [{ ...of, ...restItem(id, cooldownUntil, cooldownReason) }];
      return [];
    });
  }

  /** Told at half of what may be spent, at four fifths, and when it is used up. */
  async #budgets(tenants: readonly string[]): Promise<AttentionItem[]> {
    const action = { label: "Usage", route: "/usage" };
    const found: AttentionItem[] = [];
    for (const tenant of new Set(tenants))
      for (const { alert } of await this.#deps.budgets.of(tenant))
        if (alert) found.push({ id: alert.id, kind: "budget", ...alert.shown, action });
    return found;
  }

  async #model(): Promise<AttentionItem[]> {
    const model = await this.#deps.models.resolve(undefined);
    const action = { label: "Models & keys", route: "/connections" };
    if (!model.ok)
      return [{ id: "model:none", kind: "model", severity: "error", text: model.error.message, action }];
    const ref = formatModelRef(model.value.ref);
    const life = modelDeprecationNotice(ref, "model", this.#deps.clock.now());
    return life ? [{ id: `model:${ref}`, kind: "model", severity: "warning", text: life.text, action }] : [];
  }

  #checkSoon(tenant: string, verified: () => void): void {
    const { clock, receipts, log } = this.#deps;
    const at = clock.now();
    if (this.#checking || (this.#checked && at - this.#checked.at < LIMITS.receiptsCheckMs)) return;
    if (receipts.head(tenant).size > LIMITS.receiptsCheckedMax) return;
    this.#checking = true;
    const check = async () => {
      const verdict = await receipts.verify(tenant, { logOnly: true });
      const before = this.#checked?.item?.text;
      this.#checked = {
        at,
        item: verdict.status === "intact" ? undefined : brokenItem(verdictWords(verdict)),
      };
      if (before !== this.#checked.item?.text) verified();
    };
    check()
      .catch((error: unknown) => log.warn("the receipts could not be checked", { error }))
      .finally(() => (this.#checking = false));
  }
}

/** Only what the owner has to see to is a warning: a limit ends by itself. */
function restItem(id: string, at: number, code: string | undefined) {
  const severity: AttentionItem["severity"] = code === "BILLING" || code === "AUTH" ? "warning" : "info";
  const why = restReason(code);
  return { severity, at, text: `The key ${id} rests: ${why === "" ? "it was refused" : why}.` };
}

function troubleOf({ status, delivery, reason, deliveryProblem }: Occurrence): string | undefined {
  if (status === "failed") return `failed. ${reason ?? ""}`.trim();
  if (status === "missed") return `was missed. ${reason ?? ""}`.trim();
  return delivery === "failed"
    ? `ran, and its reply was not delivered. ${deliveryProblem ?? ""}`.trim()
    : undefined;
}

const RANK: Readonly<Record<AttentionItem["severity"], number>> = { error: 0, warning: 1, info: 2 };

function brokenItem(text: string): AttentionItem {
  const action = { label: "Receipts", route: "/receipts" };
  return { id: "receipts", kind: "receipts", severity: "error", text, action };
}

function toolItem(text: string, index: number): AttentionItem {
  const action = { label: "Tools", route: "/tools" };
  return { id: `tool:${index}`, kind: "tool", severity: "warning", text: showLine(text), action };
}

function noticeItem(text: string, index: number): AttentionItem {
  const action = { label: "Settings", route: "/settings" };
  return { id: `notice:${index}`, kind: "notice", severity: "info", text: showLine(text), action };
}
