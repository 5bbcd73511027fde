/**
 * What it costs to start a command: bare, through the tool without a cage, and in one. By
 * turns in one process, so that the machine's moods hit all alike. Started by the benchmark:
 *
 *   node measure-start.ts <rounds>
 *
 * It prints one JSON document: milliseconds, one number a round.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CageReport } from "./cage.ts";
import { findCage, shellTools } from "./index.ts";

const rounds = Number(process.argv[2] ?? 100);
const root = realpathSync(mkdtempSync(join(tmpdir(), "elwood-measure-")));
const report = await findCage();

try {
  const without = toolWith({ ok: false, reason: "measured without" });
  const kinds: Record<string, () => Promise<unknown>> = {
    bare: () => bare("/usr/bin/true"),
    uncaged: () => without(["true"]),
  };
  if (report.ok) {
    const within = toolWith(report);
    kinds["caged"] = () => within(["true"]);
    kinds["cagedGit"] = () => within(["git", "version"]);
    kinds["bareGit"] = () => bare("/usr/bin/git", "version");
  }
  const taken: Record<string, number[]> = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, []]));
  for (let round = -5; round < rounds; round++) {
    for (const [kind, run] of Object.entries(kinds)) {
      const began = performance.now();
      await run();
      if (round >= 0) taken[kind]!.push(performance.now() - began);
    }
  }
  process.stdout.write(`${JSON.stringify({ taken, ...(report.ok ? {} : { missing: report.reason }) })}\n`);
} finally {
  rmSync(root, { recursive: true, force: true });
}

function toolWith(cage: CageReport): (argv: readonly string[]) => Promise<unknown> {
  const [tool] = shellTools({
    root,
    writable: true,
    denied: [],
    autoRun: true,
    dangerousPatterns: [],
    dangerous: "ask",
    envNames: [],
    environment: {},
    timeoutMs: 30_000,
    requireCage: false,
    holdsAgents: false,
    userHome: root,
    isSecret: () => false,
    cage: async () => cage,
  });
  const context = {
    callId: "call-1",
    session: "ses_1",
    idempotencyKey: "key-1",
    signal: new AbortController().signal,
    progress: () => undefined,
    fetch: () => Promise.reject(new Error("commands fetch nothing")),
    secrets: {},
  };
  return async (argv) => tool!.handler({ argv }, context);
}

/** The least that runs a program and reads what it says. */
function bare(file: string, ...args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.resume();
    child.stderr.resume();
    child.once("error", reject);
    child.once("close", () => resolve());
  });
}
