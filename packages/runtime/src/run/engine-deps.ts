import type { Failure } from "@elwood/core/base/failure";
import type { RunLimits } from "@elwood/core/base/limits";
import type { LocalTime } from "@elwood/core/base/local-time";
import type { PriceRow } from "@elwood/core/model/price";
import type { Redactor } from "@elwood/core/base/redact";
import type { AttachmentText } from "../ports/attachment-text.ts";
import type { Governance } from "../ports/governance.ts";
import type { Observe } from "../ports/observe.ts";
import type {
  Agents,
  Clock,
  Ids,
  Log,
  Models,
  Recall,
  RunRecorder,
  Stores,
  ToolHost,
} from "../ports/ports.ts";

/** Everything the engine works with; put together in one place, handed down from here. */
export interface EngineDeps {
  readonly stores: Stores;
  readonly models: Models;
  readonly agents: Agents;
  readonly tools: ToolHost;
  readonly recorder: RunRecorder;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** SHA-256, as hex. */
  readonly hash: (text: string) => string;
  readonly limits: RunLimits;
  readonly prices: readonly PriceRow[];
  readonly redact: Redactor;
  readonly localTime: LocalTime;
  /** The model that sums up long conversations, as provider/model; that of the run unless set. */
  readonly compactionModel?: string | undefined;
  /** Whether sessions are named after their first answer, by that model or that of the run; not unless set. */
  readonly namesSessions?: boolean | undefined;
  /** Above how many tokens it is summed up, where that is earlier than its model needs it. */
  readonly compactionThreshold?: number | undefined;
  /** Limits of tenants; without it there are none. */
  readonly governance?: Governance | undefined;
  /** Why nothing new is accepted now, such as for want of room; what is under way goes on. */
  readonly refusal?: (() => Promise<Failure | undefined>) | undefined;
  /** Told of requests to models. */
  readonly observe?: Observe | undefined;
  /** Reads attached documents; without it the model learns their names alone. */
  readonly attachmentText?: AttachmentText | undefined;
  /** Looks into memory before a run; without it nothing is recalled unasked. */
  readonly recall?: Recall;
}
