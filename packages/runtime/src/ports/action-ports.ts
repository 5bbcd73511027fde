import type { ActionSpec, ConnectionSpec } from "@elwood/core/action/action-spec";
import type { ResourceType } from "@elwood/core/action/trn";
import type { StoredVersions } from "@elwood/core/action/versioning";
import type { Usage } from "@elwood/core/message/message";

/** What is stored under a name. */
export interface ResourceHead extends StoredVersions {
  readonly type: ResourceType;
  readonly name: string;
  readonly updatedAt: number;
}

/** One version of a connection or an action. It never changes. */
export interface ResourceVersion {
  readonly type: ResourceType;
  readonly name: string;
  readonly version: number;
  readonly spec: ActionSpec | ConnectionSpec;
  readonly digest: string;
  readonly createdAt: number;
  /** Who brought it in. */
  readonly by: string;
}

/** A change of what is stored under one name. */
export type ResourceChange =
  | ({ readonly kind: "create" } & Pick<ResourceVersion, "type" | "name" | "version" | "spec" | "digest">)
  | ({ readonly kind: "point" } & Pick<ResourceVersion, "type" | "name" | "version">);

/** What one execution of an action used, and how it ended. Nothing of what was asked or answered. */
export interface Execution {
  readonly id: string;
  readonly action: string;
  readonly tokenId: string;
  readonly surface: string;
  readonly status: "done" | "failed" | "cancelled";
  /** As provider/model; absent where no model was asked. */
  readonly model?: string;
  /** Whose account paid, where a profile did. */
  readonly profile?: string;
  readonly usage?: Usage;
  readonly costUsd?: number;
  /** Where the answer came from a cache. */
  readonly cached?: "exact" | "semantic";
  readonly reason?: string;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** A request under a key of its sender's, so that the same request sent twice is done once. */
export interface KeyedRequest {
  readonly tokenId: string;
  readonly key: string;
  /** Over address and body. */
  readonly requestHash: string;
  /** Which process works on it: one that is gone works on nothing. */
  readonly processId: string;
  /** Doing it again would change nothing but the bill. */
  readonly repeatable: boolean;
}

export interface KeptAnswer {
  readonly status: number;
  readonly body: string;
}

/** What is known of a key when a request comes with it. */
export type KeyState =
  /** Nobody has worked on it, or whoever did is gone and it may be done again. */
  | { readonly kind: "fresh" }
  | { readonly kind: "answered"; readonly answer: KeptAnswer }
  | { readonly kind: "in-flight" }
  /** Another request came with it before. */
  | { readonly kind: "other-request" }
  /** The gateway stopped in the middle of it, or its answer was forgotten: whether it was done is not known here. */
  | { readonly kind: "unknown" };

export interface CachedAnswer {
  /** Everything that shapes the answer but what was asked last; answers are alike only within one. */
  readonly scope: string;
  /** The same with what was asked. */
  readonly key: string;
  readonly body: string;
  /** What was asked last, as a vector; only for a cache by meaning. */
  readonly vector?: Float32Array;
  readonly expiresAt: number;
}

/**
 * Connections and actions with their versions, what executions used, and answers that are kept.
 *
 * A1 A version is added once and never changed; `apply` makes all of its changes or none, and CONFLICT
 *    where a version is there already.
 * A2 `begin` answers `fresh` to exactly one of several requests with one key, and is on disk by then.
 * A3 What `find…` answers belongs to the tenant that asks.
 */
export interface ActionStore {
  heads(tenant: string, type: ResourceType): Promise<readonly ResourceHead[]>;
  head(tenant: string, type: ResourceType, name: string): Promise<ResourceHead | undefined>;
  version(
    tenant: string,
    type: ResourceType,
    name: string,
    version: number | "latest",
  ): Promise<ResourceVersion | undefined>;
  /** Newest first. */
  versions(tenant: string, type: ResourceType, name: string): Promise<readonly ResourceVersion[]>;
  apply(tenant: string, changes: readonly ResourceChange[], by: string, at: number): Promise<void>;
  noteExecution(tenant: string, execution: Execution): Promise<void>;
  /** Newest first. */
  executions(tenant: string, limit: number): Promise<readonly Execution[]>;
  begin(tenant: string, request: KeyedRequest, at: number): Promise<KeyState>;
  /** Keeps the answer; without one the key is free again, as if nobody had asked. */
  finish(
    tenant: string,
    request: Pick<KeyedRequest, "tokenId" | "key">,
    answer: KeptAnswer | undefined,
    at: number,
  ): Promise<void>;
  findExact(tenant: string, key: string, at: number): Promise<string | undefined>;
  /** Newest first, those with a vector only. */
  findScope(
    tenant: string,
    scope: string,
    at: number,
    limit: number,
  ): Promise<readonly { readonly vector: Float32Array; readonly body: string }[]>;
  keep(tenant: string, answer: CachedAnswer, at: number): Promise<void>;
}
