import type { Redactor } from "@elwood/core/base/redact";
import type { EventData, EventName } from "@elwood/core/protocol/events";
import type { MethodName, MethodParams } from "@elwood/core/protocol/methods";
import type { MethodResult } from "@elwood/core/protocol/results";
import type { ApprovalService } from "@elwood/runtime/gate/approval-service";
import type { Approvals } from "@elwood/runtime/gate/approvals";
import type { Gate } from "@elwood/runtime/gate/gate";
import type { Ledger } from "@elwood/runtime/gate/ports";
import type { Engine } from "@elwood/runtime/run/engine";
import type {
  Agents,
  Clock,
  Ids,
  Log,
  Models,
  Person,
  Principal,
  Stores,
  ToolHost,
} from "@elwood/runtime/ports/ports";
import type { LocalTime } from "@elwood/core/base/local-time";
import type { RunLimits } from "@elwood/core/base/limits";
import type { AuthService } from "../auth/auth-service.ts";
import type { UseModel } from "../auth/use-model.ts";
import type { EraseService } from "@elwood/memory/erase/erase-service";
import type { MemoryService } from "@elwood/memory/memory-service";
import type { ReceiptService } from "@elwood/store-sqlite/receipts/receipt-service";
import type { AttentionWatch } from "../views/attention-watch.ts";
import type { Tickets } from "../auth/tickets.ts";
import type { ForkStore } from "@elwood/store-sqlite/fork-store";
import type { Insight } from "@elwood/store-sqlite/insight";
import type { OwnerService } from "../views/owner-service.ts";
import type { Audit } from "../tools/audit.ts";
import type { PolicyService } from "../tools/policy-service.ts";
import type { ToolService } from "../tools/tool-service.ts";

/** What methods may use of the gateway. Built once, in gateway.ts. */
export interface MethodDeps {
  readonly engine: Engine;
  readonly stores: Stores;
  readonly forks: ForkStore;
  readonly insight: Insight;
  readonly tools: ToolHost;
  readonly gate: Gate;
  readonly approvalService: ApprovalService;
  readonly approvals: Approvals;
  readonly ledger: Ledger;
  readonly policy: PolicyService;
  readonly toolService: ToolService;
  readonly audit: Audit;
  readonly receipts: ReceiptService;
  readonly agents: Agents;
  readonly models: Models;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly redact: Redactor;
  readonly limits: RunLimits;
  readonly localTime: LocalTime;
  readonly version: string;
  readonly startedAt: number;
  readonly defaultAgentId: string;
  /** Things the owner should know about this start: keys without effect, a model near its end. */
  readonly notices: readonly string[];
  readonly auth: AuthService;
  readonly useModel: UseModel;
  /** Loaded when somebody chooses. */
  readonly connectedModels: () => Promise<MethodResult<"models.list">["providers"]>;
  readonly attention: (tenant: string) => Promise<MethodResult<"attention.list">>;
  readonly attentionWatch: AttentionWatch;
  /** Both are loaded when somebody asks for them. */
  readonly memory: () => Promise<MemoryService>;
  readonly eraseService: () => Promise<EraseService>;
  /** Loaded when somebody looks. */
  readonly owner: () => Promise<OwnerService>;
  readonly loginTickets: Tickets<{ readonly tenant: string }>;
  readonly blobTickets: Tickets<{ tenant: string; blobId: string }>;
  readonly exportTickets: Tickets<{ tenant: string; bodies: boolean }>;
  readonly url: () => string;
  readonly clients: () => number;
  readonly closeToken: (tokenId: string) => void;
  /** Pushes to every client of the tenant. */
  readonly tell: <E extends EventName>(tenant: string, event: E, data: EventData<E>) => void;
}

/** One request: who asks, and what may be done with their connection. */
export interface MethodContext {
  readonly deps: MethodDeps;
  readonly tenant: string;
  readonly principal: Principal;
  readonly surface: string;
  /** The client can show text that may still be replaced. */
  readonly drafts: boolean;
  /** Sends the answer at this instant, for methods whose pushes must come after it and without a gap. */
  replyNow(result: unknown): void;
  /** Sends this connection the run's pushes from now on. */
  follow(runId: string): void;
}

/** Who asks, as they are recorded. */
export function personOf({ principal, surface }: MethodContext): Person {
  return { id: principal.name, surface };
}

export type Handler<M extends MethodName> = (
  params: MethodParams<M>,
  context: MethodContext,
) => Promise<MethodResult<M>>;

export type Handlers = { readonly [M in MethodName]: Handler<M> };
