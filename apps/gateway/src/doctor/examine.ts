import { makeRedactor } from "@elwood/core/base/redact";
import { authProfiles } from "./auth-profiles.ts";
import { backups } from "./backups.ts";
import { channels } from "./channels.ts";
import { browser, commands, nodeVersion } from "./machine.ts";
import { configFile } from "./config-file.ts";
import { database } from "./database.ts";
import { finding, type Check, type DoctorContext, type Finding } from "./finding.ts";
import { memoryIndex } from "./memory-index.ts";
import { model } from "./model.ts";
import { ownTools } from "./own-tools.ts";
import { port } from "./port.ts";
import { reach, sleep } from "./reach.ts";
import { search } from "./search.ts";
import { runningGateway } from "./running-gateway.ts";
import { stateDirectory } from "./state-directory.ts";
import { time } from "./time.ts";
import { transcripts } from "./transcripts.ts";
import { workspace } from "./workspace.ts";

export const CHECKS: readonly Check[] = [
  nodeVersion,
  stateDirectory,
  configFile,
  database,
  transcripts,
  memoryIndex,
  authProfiles,
  model,
  workspace,
  browser,
  search,
  port,
  runningGateway,
  channels,
  commands,
  ownTools,
  backups,
  time,
  reach,
  sleep,
];

/** What was done, or tried, about a finding. */
export interface RepairDone {
  readonly id: string;
  readonly did: string;
  /** Why it did not work; absent where it did. */
  readonly problem?: string;
}

export interface Examination {
  readonly findings: readonly Finding[];
  readonly repairs: readonly RepairDone[];
}

/**
 * Runs every check, each for itself: one that throws becomes a finding and the next goes
 * on. With `fix`, what can be repaired is, and the check looks again, so that what is
 * reported is how things stand now.
 */
export async function examine(
  context: DoctorContext,
  fix: boolean,
  checks: readonly Check[] = CHECKS,
): Promise<Examination> {
  const findings: Finding[] = [];
  const repairs: RepairDone[] = [];
  for (const check of checks) {
    const found = await runCheck(check, context);
    const done = fix ? await repairAll(found) : [];
    repairs.push(...done);
    findings.push(...(done.length > 0 ? await runCheck(check, context) : found));
  }
  return { findings, repairs };
}

async function runCheck(check: Check, context: DoctorContext): Promise<readonly Finding[]> {
  try {
    return await check.run(context);
  } catch (error) {
    return [
      finding(
        "error",
        `${check.area}.check`,
        `The check "${check.area}" itself failed, so nothing is known about it.`,
        wordsOf(error),
        "If the words beside this do not help, report them as a bug.",
      ),
    ];
  }
}

async function repairAll(findings: readonly Finding[]): Promise<RepairDone[]> {
  const done: RepairDone[] = [];
  for (const { id, repair } of findings) {
    if (!repair) continue;
    try {
      await repair.run();
      done.push({ id, did: repair.did });
    } catch (error) {
      done.push({ id, did: repair.did, problem: wordsOf(error) });
    }
  }
  return done;
}

const redact = makeRedactor([]);

function wordsOf(error: unknown): string {
  return redact(error instanceof Error ? error.message : String(error));
}
