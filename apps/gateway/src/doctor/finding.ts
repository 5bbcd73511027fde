import type { WireChannel } from "@elwood/core/protocol/channel-shapes";
import type { Result } from "@elwood/core/base/result";
import type { Clock, Models } from "@elwood/runtime/ports/ports";
import type { LoadedConfig } from "../config/load.ts";
import type { StatePaths } from "@elwood/platform/state-paths";
import type { ConfigProblem } from "../config/problem.ts";

/** From harmless to harmful. */
export const SEVERITIES = ["ok", "info", "warning", "error"] as const;
export type Severity = (typeof SEVERITIES)[number];

/** One thing the doctor saw. */
export interface Finding {
  /** `area.fact`; the same fact has the same id for ever, so that programs can look for it. */
  readonly id: string;
  readonly severity: Severity;
  /** One sentence. */
  readonly what: string;
  /** What was looked at, and what it said. Never a secret. */
  readonly evidence: string;
  /** What to do, a command where there is one; empty where nothing is to be done. */
  readonly fix: string;
  readonly repair?: Repair;
}

/**
 * A change that cannot lose anything: closing what was open to others, removing what a
 * dead process left. Everything else is told to the person and left to them.
 */
export interface Repair {
  /** Completes "Elwood …": "closed /x to other users (0700)". */
  readonly did: string;
  run(): Promise<void>;
}

/** What the checks may look at. They write nothing; only a repair does. */
export interface DoctorContext {
  /** The configuration, or everything that is wrong with it. */
  readonly loaded: Result<LoadedConfig, readonly ConfigProblem[]>;
  /** Known even where the configuration cannot be read. */
  readonly paths: StatePaths;
  readonly clock: Pick<Clock, "now">;
  readonly version: string;
  readonly nodeVersion: string;
  /** The user this runs as; undefined where the system has no such numbers. */
  readonly uid: number | undefined;
  readonly systemTimeZone: string | undefined;
  /** Where programs are looked for, as in PATH. */
  readonly searchPath?: string | undefined;
  /** Tries whether commands can be caged here. */
  readonly cage: () => Promise<{ readonly ok: true } | { readonly ok: false; readonly reason: string }>;
  /** Whether the running gateway takes this shell's token; absent where the gateway itself asks the doctor. */
  readonly signsIn?: () => Promise<boolean>;
  /** The model that answers in the running gateway, which may have keys that this shell has not; absent as above. */
  readonly answering?: () => Promise<string | undefined>;
  /** How the running gateway finds its chat services; absent or without an answer where none can be asked. */
  readonly channels?: () => Promise<readonly WireChannel[] | undefined>;
  /** Whether the model may be called, which costs money. */
  readonly live: boolean;
  /** Asked for only in a live check. */
  readonly models: () => Promise<Models>;
}

export interface Check {
  readonly area: string;
  run(context: DoctorContext): Promise<readonly Finding[]>;
}

export function ok(id: string, what: string, evidence = ""): Finding {
  return { id, severity: "ok", what, evidence, fix: "" };
}

export function finding(
  severity: Exclude<Severity, "ok">,
  id: string,
  what: string,
  evidence: string,
  fix: string,
  repair?: Repair,
): Finding {
  return { id, severity, what, evidence, fix, ...(repair ? { repair } : {}) };
}
