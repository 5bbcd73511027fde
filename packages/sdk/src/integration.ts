import type { Result } from "@elwood/core/base/result";
import type { ToolDefinition } from "./tool.ts";

/** What an integration is given once it is set up, and nothing else of the gateway. */
export interface IntegrationContext<Settings = unknown> {
  readonly settings: Settings;
  /** By the keys in its manifest, as far as they are set. */
  readonly secrets: Readonly<Record<string, string>>;
  /**
   * The way to the places in its manifest, and to no others. As with `ctx.fetch`, a ToolError means that
   * nothing was sent; anything else leaves open whether the other side acted. It ends with the signal
   * that it is given: hand on the call's.
   */
  readonly fetch: typeof globalThis.fetch;
  /** The owner's, IANA. */
  readonly timeZone: string;
  readonly now: () => number;
  /** Jobs, for integrations that do something at its time; absent while one is only tried. */
  readonly jobs?: IntegrationJobs;
}

/** The part of the jobs that integrations may use. An error is a sentence: what is wrong, and that nothing was stored. */
export interface IntegrationJobs {
  /** What `create` would make; nothing is stored. */
  plan(job: IntegrationJob): Promise<Result<PlannedJob, string>>;
  /** Under the same key it is made once. Replies go to where the session is read. */
  create(
    job: IntegrationJob,
    by: { readonly key: string; readonly session: string },
  ): Promise<Result<PlannedJob, string>>;
  wasCreated(key: string): Promise<boolean>;
  remove(id: string): Promise<Result<PlannedJob, string>>;
}

export interface IntegrationJob {
  readonly kind: "reminder" | "task";
  readonly name?: string | undefined;
  readonly message: string;
  readonly at?: string | undefined;
  readonly every?: string | undefined;
  readonly cron?: string | undefined;
}

export interface PlannedJob {
  readonly id: string;
  readonly name: string;
  /** Its schedule in words. */
  readonly when: string;
  /** The next times by the owner's clock. */
  readonly next: readonly string[];
}

/** What a live test found. */
export type IntegrationCheck =
  | {
      readonly ok: true;
      /** Who or what answered, such as an account's name. */
      readonly account: string;
      /** Sentences for the owner. */
      readonly notes: readonly string[];
      /** Settings that were found out, and are stored with the others. */
      readonly found?: Readonly<Record<string, string>>;
    }
  /** What went wrong, and what to do about it. */
  | { readonly ok: false; readonly problem: string };

/**
 * An integration, as `index.ts` of its folder exports it by default. Loading that module loads no client
 * library: these are imported by the first call that needs them.
 */
export interface IntegrationDefinition<Settings = never> {
  readonly kind: "elwood.integration";
  /** As in its manifest. */
  readonly name: string;
  /** Checks and completes what stands in the owner's settings; the error is a sentence. */
  settings(given: Readonly<Record<string, unknown>>): Result<Settings, string>;
  /** Ids begin with its name. Nothing is opened or sent by this. */
  tools(context: IntegrationContext<Settings>): readonly ToolDefinition[];
  /** Asks the service who it is talking to. Changes nothing there. */
  check(context: IntegrationContext<Settings>, signal: AbortSignal): Promise<IntegrationCheck>;
}

/** A setting as text, since a number is often written without quotes; nothing else is one. */
export function settingText(value: unknown): string {
  return typeof value === "string" ? value.trim() : typeof value === "number" ? String(value) : "";
}

export function defineIntegration<Settings>(
  definition: Omit<IntegrationDefinition<Settings>, "kind">,
): IntegrationDefinition<Settings> {
  return { ...definition, kind: "elwood.integration" };
}
