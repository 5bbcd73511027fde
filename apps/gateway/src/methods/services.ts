import type { ToolSpec } from "@elwood/core/model/model";
import type { ChannelCheck } from "@elwood/core/channel/channel";
import type { WireChannel } from "@elwood/core/protocol/channel-shapes";
import type { Pairing } from "@elwood/runtime/ports/channel-ports";
import type { RunLimits } from "@elwood/core/base/limits";
import type { LocalTime } from "@elwood/core/base/local-time";
import type { Redactor } from "@elwood/core/base/redact";
import type { EventData, EventName } from "@elwood/core/protocol/events";
import type { MethodResult } from "@elwood/core/protocol/results";
import type { EraseService } from "@elwood/memory/erase/erase-service";
import type { MemoryService } from "@elwood/memory/memory-service";
import type { ApprovalService } from "@elwood/runtime/gate/approval-service";
import type { Approvals } from "@elwood/runtime/gate/approvals";
import type { Gate } from "@elwood/runtime/gate/gate";
import type { Ledger } from "@elwood/runtime/ports/gate-ports";
import type {
  Agent,
  Agents,
  BlobStore,
  Clock,
  Ids,
  Log,
  Models,
  Person,
  Stores,
  TokenStore,
  ToolHost,
} from "@elwood/runtime/ports/ports";
import type { Engine } from "@elwood/runtime/run/engine";
import type { TenantLimits } from "@elwood/core/tenant/tenant-limits";
import type { Result } from "@elwood/core/base/result";
import type { Job, Occurrence } from "@elwood/core/schedule/job";
import type { JobGrants } from "@elwood/runtime/jobs/job-grants";
import type { JobService } from "@elwood/runtime/jobs/job-service";
import type { Rehearsals } from "@elwood/runtime/jobs/rehearsals";
import type { ForkStore } from "@elwood/store-sqlite/fork-store";
import type { Insight } from "@elwood/store-sqlite/insight";
import type { ReceiptService } from "@elwood/store-sqlite/receipts/receipt-service";
import type { ActionArea } from "../actions/open-actions.ts";
import type { AssistantService } from "../assistants/assistant-service.ts";
import type { AuthService } from "../auth/auth-service.ts";
import type { DeviceLogins } from "../auth/device-logins.ts";
import type { Tickets } from "../auth/tickets.ts";
import type { UseModel } from "../auth/use-model.ts";
import type { RequestIds } from "../log/request-ids.ts";
import type { ConfigWriter } from "../config/config-writer.ts";
import type { AgentEditor } from "../agents/agent-editor.ts";
import type { SettingsService } from "../settings/settings-service.ts";
import type { IntegrationArea } from "../integrations/open-integrations.ts";
import type { McpService } from "../mcp/open-mcp.ts";
import type { Audit } from "../tools/audit.ts";
import type { PolicyService } from "../tools/policy-service.ts";
import type { PolicyMode } from "@elwood/core/policy/policy";
import type { Observation } from "../observe/open-observe.ts";
import type { HookService } from "../hooks/hook-service.ts";
import type { NotifyService } from "../notify/notify-service.ts";
import type { StorageWatch } from "../state/storage-watch.ts";
import type { ToolService } from "../tools/tool-service.ts";
import type { AttentionWatch } from "../views/attention-watch.ts";
import type { OwnerService } from "../views/owner-service.ts";

/**
 * What methods and the server use of the gateway, one service for each area. They are built once,
 * in gateway.ts; each method says in its type which of them it takes.
 */
export interface Services {
  readonly system: SystemService;
  readonly sessions: SessionService;
  readonly runs: RunService;
  /** Calls, approvals, grants and receipts as they are stored. */
  readonly ledger: Ledger;
  readonly tools: ToolAreaService;
  readonly approvals: ApprovalAreaService;
  readonly receipts: ReceiptService;
  readonly memory: MemoryAreaService;
  readonly models: ModelService;
  readonly attention: AttentionService;
  readonly installation: InstallationService;
  /** Whether the data folder can be written. */
  readonly storage: Pick<StorageWatch, "trouble" | "refusal" | "failed">;
  readonly access: AccessService;
  readonly clients: ClientService;
  /** Loaded once a channel is configured, or somebody asks. */
  readonly channels: () => Promise<ChannelAreaService>;
  readonly config: ConfigWriter;
  /** Loaded with the first question about settings. */
  readonly settings: () => Promise<SettingsService>;
  /** Loaded with the first question about an agent's words. */
  readonly agentEditor: () => Promise<AgentEditor>;
  /** Loaded with the first thing that waits for the owner, or the first question about it. */
  readonly notify: () => Promise<NotifyService>;
  /** Loaded with the first request to a webhook. */
  readonly hooks: () => Promise<HookService>;
  readonly mcp: McpService;
  /** Assistants of programs, and the tools that these serve. */
  readonly assistants: AssistantService;
  readonly integrations: IntegrationArea;
  readonly mcpServer: McpServerService;
  /** Loaded with the first question about them. */
  readonly actions: ActionArea;
  readonly jobs: JobAreaService;
  /** Who watches what happens. */
  readonly observation: Observation;
}

/** Elwood itself as an MCP server. */
export interface McpServerService {
  /** Whether `/mcp` is open to any token. */
  readonly enabled: boolean;
}

/** What is done at its time. Loaded when there is something to do, or somebody asks. */
export interface JobAreaService {
  readonly service: () => Promise<JobService>;
  readonly rehearsals: () => Promise<Rehearsals>;
  readonly grants: () => Promise<JobGrants>;
  /** Looks around at once; the sentence says why there was nothing to ask. */
  readonly heartbeatNow: () => Promise<
    Result<{ readonly job: Job; readonly occurrence: Occurrence }, string>
  >;
}

/** Time, ids, the log, and the redactor that every text passes on its way out. */
export interface SystemService {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly redact: Redactor;
  readonly localTime: LocalTime;
  /** Which requests lines of the log belong to; absent where nobody asks. */
  readonly requests?: RequestIds | undefined;
}

/** Conversations as they are stored, and the agents they are held with. */
export interface SessionService {
  readonly stores: Stores;
  readonly forks: ForkStore;
  readonly agents: Agents;
  readonly defaultAgentId: string;
}

/** Runs in progress, and figures about all of them. */
export interface RunService {
  readonly engine: Engine;
  /** What the calls of a run add up to. */
  readonly calls: Pick<ToolHost, "activity" | "ruleOfTwo">;
  readonly insight: Insight;
  readonly limits: RunLimits;
  /** What the owner set for tenants, by name. */
  readonly tenants: Readonly<Record<string, TenantLimits>>;
  /** Tenants that have anything, by name. */
  readonly tenantNames: () => readonly string[];
}

/** Which tools there are, and what the policy makes of their calls. */
export interface ToolAreaService {
  readonly policy: PolicyService;
  readonly registry: ToolService;
  /** The tools of an agent, as a model is told of them. */
  readonly offeredTo: (agent: Agent, tenant: string) => readonly ToolSpec[];
  /** Writes a mode of the policy into the settings; where that cannot be done, the note says why. */
  readonly keepMode: (
    mode: PolicyMode,
    by: Person,
  ) => Promise<{ readonly kept: boolean; readonly note?: string }>;
}

/** Where people decide on calls, and take them back. */
export interface ApprovalAreaService {
  readonly decisions: ApprovalService;
  readonly events: Pick<Approvals, "onEvent" | "requested" | "wait" | "find" | "asTold" | "told">;
  readonly gate: Pick<Gate, "undo">;
}

/** Both are loaded when somebody asks for them. */
export interface MemoryAreaService {
  readonly notes: () => Promise<MemoryService>;
  readonly erase: () => Promise<EraseService>;
}

/** Models, and the credentials to reach them. */
export interface ModelService {
  readonly catalog: Models;
  readonly credentials: AuthService;
  readonly use: UseModel;
  /** Loaded when somebody chooses. */
  readonly connected: () => Promise<MethodResult<"models.list">["providers"]>;
}

/** What needs the owner's attention. */
export interface AttentionService {
  readonly list: (tenant: string) => Promise<MethodResult<"attention.list">>;
  readonly watch: AttentionWatch;
}

/** This installation: its version, its settings, its health. */
export interface InstallationService {
  readonly version: string;
  readonly startedAt: number;
  /** Things the owner should know about this start: keys without effect, a model near its end. */
  readonly notices: readonly string[];
  /** Loaded when somebody looks. */
  readonly owner: () => Promise<OwnerService>;
}

/** Who may connect, and with what. */
export interface AccessService {
  readonly tokens: TokenStore;
  readonly blobs: BlobStore;
  readonly devices: DeviceLogins;
  readonly loginTickets: Tickets<{ readonly tenant: string }>;
  /** `path`: what a call left there, as it is when it is fetched; else what is stored under the id. */
  readonly blobTickets: Tickets<{ readonly tenant: string; readonly blobId: string; readonly path?: string }>;
  /** A file for the owner's own eyes, where the file tools may read; else why it cannot be shown. */
  readonly showFile: (
    path: string,
  ) => Promise<
    | { readonly bytes: Uint8Array; readonly mimeType: string }
    | { readonly problem: string; readonly isGone: boolean }
  >;
  readonly exportTickets: Tickets<{ readonly tenant: string; readonly bodies: boolean }>;
  readonly audit: Audit;
}

/** The clients that are connected. */
export interface ClientService {
  /** The address of this gateway. */
  url(): string;
  count(): number;
  /** Whether somebody is connected with this token. */
  isConnected(tokenId: string): boolean;
  /** Closes the connections of a token that was revoked. */
  closeToken(tokenId: string): void;
  /** Pushes to every client of the tenant. */
  tell<E extends EventName>(tenant: string, event: E, data: EventData<E>): void;
}

/** Chat services, and the people in them. */
export interface ChannelAreaService {
  list(): Promise<readonly WireChannel[]>;
  test(name: string): Promise<ChannelCheck>;
  connect(name: string, token: string | undefined, by: Person): Promise<WireChannel>;
  disconnect(name: string, by: Person): Promise<WireChannel>;
  people(): Promise<readonly Pairing[]>;
  approve(code: string): Promise<Pairing>;
  remove(channel: string, senderId: string, by: Person): Promise<void>;
  makeApprover(channel: string, senderId: string, by: Person): Promise<void>;
}
