import type { Failure } from "../base/failure.ts";
import type { Origin, Usage } from "./message.ts";

/** What counts in one session alone; what is absent counts as elsewhere. */
export interface SessionSettings {
  /** The model that answers in it, as provider/model; absent: the agent's, or the configured one. */
  readonly model?: string;
  /** The profile whose account pays, such as `anthropic:work`; no other takes over. */
  readonly profile?: string;
  /** What the owner adds to the system prompt. */
  readonly system?: string;
  readonly temperature?: number;
  readonly topP?: number;
  /** False: the model is offered no tools. */
  readonly tools?: boolean;
  /** Runs whose question and answer the owner pinned, in the order in which they did. */
  readonly pins?: readonly string[];
}

/** Settings to change: what is absent stays, and null goes back to what counts elsewhere. */
export type SessionSettingsChange = {
  readonly [K in keyof SessionSettings]: SessionSettings[K] | null;
};

/** The settings after a change, without those that count as elsewhere. */
export function changedSettings(before: SessionSettings, change: SessionSettingsChange): SessionSettings {
  const { model, profile, system, temperature, topP, tools, pins } = before;
  const all = Object.entries({ model, profile, system, temperature, topP, tools, pins, ...given(change) });
  return Object.fromEntries(all.filter(([, value]) => value !== undefined && value !== null));
}

function given(change: SessionSettingsChange): SessionSettingsChange {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
}

/** One thread with someone. */
export interface Session extends SessionSettings {
  readonly id: string;
  readonly agentId: string;
  readonly title: string;
  /** Who chose the title: a title taken from the first message gives way to one that the owner set. */
  readonly titledBy: "default" | "message" | "owner";
  readonly pinned: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly messageCount: number;
  /** First words of the last message, for lists. */
  readonly preview: string;
  /** The session began as a copy of that one, up to or before that run. */
  readonly forkedFrom?: { readonly sessionId: string; readonly runId: string };
  /** Where it was begun by a client: `web`, `cli`, … */
  readonly surface?: string;
  /** Set while the owner has it out of the way; the next message brings it back. */
  readonly archivedAt?: number;
  /** The folder that the owner put it into, by its name. */
  readonly folder?: string;
  /** Set while the session lies in the trash. */
  readonly deletedAt?: number;
}

/** A piece of an inbound message; `origin` is who said it. */
export type Part =
  | { readonly kind: "text"; readonly text: string; readonly origin: Origin }
  | {
      readonly kind: "blob";
      readonly blobId: string;
      readonly mime: string;
      readonly bytes: number;
      readonly name?: string;
      readonly origin: Origin;
    };

export const RUN_STATUSES = ["queued", "running", "waiting", "done", "failed", "aborted"] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

export function isEnded(status: RunStatus): boolean {
  return status === "done" || status === "failed" || status === "aborted";
}

/** One inbound message, or wake-up, to its reply. */
export interface Run {
  readonly id: string;
  readonly sessionId: string;
  readonly status: RunStatus;
  /** Where it came from: `web`, `cli`, `ws`, later a channel or the scheduler. */
  readonly surface: string;
  /** The model asked for in this message; otherwise the agent's, otherwise the configured one. */
  readonly modelAsked?: string;
  /** The model that answered, as provider/model. */
  readonly model?: string;
  /** How often the run was taken up; more than one means that a gateway died under it. */
  readonly attempt: number;
  readonly queuedAt: number;
  readonly startedAt?: number;
  readonly endedAt?: number;
  readonly stopReason?: string;
  readonly failure?: Failure;
  readonly usage: Usage;
  /** Estimated; undefined where no price is known. */
  readonly costUsd?: number;
  readonly laps: number;
  readonly calls: number;
  /** False between the end of the run and the moment its messages stand in the transcript file. */
  readonly committed: boolean;
}
