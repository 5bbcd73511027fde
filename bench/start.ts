import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { setTimeout as wait } from "node:timers/promises";
import type { BenchReport } from "./main.ts";
import { cpuSeconds, descendant, freePort, pssMb, quantile, startAndTime, stop } from "./processes.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const ROUNDS = 9;
const SETTLE_MS = 1_500;

interface Sample {
  readonly readyMs: number;
  readonly pssMb: number;
  readonly cpuS: number;
}

/** Time to /readyz, memory at rest and CPU used, against a bare node:http + node:sqlite process. */
export async function bench(): Promise<BenchReport> {
  const folder = mkdtempSync(join(tmpdir(), "elwood-bench-"));
  const env = {
    ...process.env,
    ELWOOD_HOME: join(folder, "home"),
    ANTHROPIC_API_KEY: "",
    OPENAI_API_KEY: "",
    CI: "1",
  };
  const kinds = {
    floor: (port: number) =>
      ["node", [join(ROOT, "bench/floor.mjs"), String(port), join(folder, "floor.db")]] as const,
    gateway: (port: number) =>
      ["node", [join(ROOT, "apps/cli/bin/elwood.mjs"), "up", "--no-open", "--port", String(port)]] as const,
    npmStart: (port: number) =>
      ["npm", ["start", "--silent", "--", "--no-open", "--port", String(port)]] as const,
  };
  const samples: Record<keyof typeof kinds, Sample[]> = { floor: [], gateway: [], npmStart: [] };
  process.chdir(ROOT);
  try {
    // Round 0 warms the disk cache and makes the state directory; it does not count.
    for (let round = 0; round <= ROUNDS; round++) {
      for (const [kind, command] of Object.entries(kinds)) {
        const port = await freePort();
        const [file, args] = command(port);
        const sample = await measure(file, args, port, env, round === ROUNDS);
        if (round > 0) samples[kind as keyof typeof kinds].push(sample);
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const median = (kind: keyof typeof kinds, field: keyof Sample) =>
    quantile(
      samples[kind].map((s) => s[field]),
      0.5,
    );
  const last = (kind: keyof typeof kinds) => samples[kind].at(-1)!;
  const floorMs = median("floor", "readyMs");
  const gatewayRatio = median("gateway", "readyMs") / floorMs;
  const npmRatio = median("npmStart", "readyMs") / floorMs;
  const idle = last("gateway").pssMb;
  return {
    name: "start",
    rounds: ROUNDS,
    floor: { readyMs: floorMs, pssMb: last("floor").pssMb, cpuS: median("floor", "cpuS") },
    gateway: {
      readyMs: median("gateway", "readyMs"),
      ratio: gatewayRatio,
      pssMb: idle,
      cpuS: median("gateway", "cpuS"),
    },
    npmStart: { readyMs: median("npmStart", "readyMs"), ratio: npmRatio },
    rows: [
      row(
        "gateway ready",
        `${median("gateway", "readyMs").toFixed(0)} ms`,
        `${floorMs.toFixed(0)} ms`,
        `${gatewayRatio.toFixed(2)}x of ≤ 3x`,
        gatewayRatio <= 3,
      ),
      row(
        "npm start ready",
        `${median("npmStart", "readyMs").toFixed(0)} ms`,
        `${floorMs.toFixed(0)} ms`,
        `${npmRatio.toFixed(2)}x of ≤ 5x`,
        npmRatio <= 5,
      ),
      row(
        "memory at rest (PSS)",
        `${idle.toFixed(0)} MB`,
        `${last("floor").pssMb.toFixed(0)} MB`,
        "≤ 110 MB",
        idle <= 110,
      ),
      row(
        "CPU until ready",
        `${median("gateway", "cpuS").toFixed(2)} s`,
        `${median("floor", "cpuS").toFixed(2)} s`,
      ),
    ],
  };
}

function row(what: string, value: string, baseline: string, reach?: string, ok?: boolean) {
  return {
    what,
    value,
    baseline,
    ...(reach === undefined ? {} : { reach }),
    ...(ok === undefined ? {} : { ok }),
  };
}

async function measure(
  file: string,
  args: readonly string[],
  port: number,
  env: NodeJS.ProcessEnv,
  settle: boolean,
): Promise<Sample> {
  const { child, readyMs } = await startAndTime(file, args, `http://127.0.0.1:${port}/readyz`, env);
  const pid = descendant(
    child.pid!,
    (line) => !line.startsWith("npm") && !line.startsWith("sh ") && line.includes(String(port)),
  );
  const cpuS = cpuSeconds(pid);
  if (settle) await wait(SETTLE_MS);
  const memory = pssMb(pid);
  await stop(child);
  return { readyMs, pssMb: memory, cpuS };
}
