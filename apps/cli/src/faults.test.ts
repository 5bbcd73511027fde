import { setTimeout as sleep } from "node:timers/promises";
import { startGatewayProcess, temporaryHome, type GatewayProcess } from "@elwood/testkit/gateway-process";
import { expect, onTestFinished, test } from "vitest";
import { Faults, type FaultKind } from "./faults.ts";

const SECRET = "sk-ant-api03-canarycanarycanarycanary";
const OWN_TOKEN = "correct-horse-battery-staple-canary";

/** Put into the process before the gateway: a fault on each signal, with secrets in its words and its stack. */
const FAULTS = `
  const words = "refused " + ${JSON.stringify(SECRET)} + " and " + process.env.ELWOOD_TOKEN;
  process.on("SIGUSR2", () => void Promise.reject(new Error(words)));
  process.on("SIGALRM", () => { throw new Error(words); });
`;

async function untilGone({ pid }: GatewayProcess): Promise<void> {
  for (let waited = 0; waited < 10_000; waited += 20) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await sleep(20);
  }
  throw new Error("the gateway did not end");
}

test.each([
  ["SIGUSR2", "unhandledRejection"],
  ["SIGALRM", "uncaughtException"],
] as const)(
  "a fault that nothing caught (%s) is one redacted line of the log, ends with code 1, and the next start works",
  async (signal, kind) => {
    const home = temporaryHome();
    onTestFinished(() => home.remove());
    const gateway = await startGatewayProcess({
      home: home.path,
      env: {
        ELWOOD_TOKEN: OWN_TOKEN,
        NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(FAULTS)}`,
      },
    });
    await using _ = gateway;
    process.kill(gateway.pid, signal);
    await untilGone(gateway);
    expect(await gateway.stop()).toBe(1);
    const { stdout, stderr } = gateway.output();
    expect(stdout + stderr).not.toContain("canary");
    expect(stderr).not.toMatch(/^\s+at /m);
    const lines = stdout
      .split("\n")
      .filter((line) => line.includes(kind))
      .map((line) => JSON.parse(line) as unknown);
    expect(lines).toEqual([
      {
        ts: expect.any(String),
        level: "ERROR",
        msg: expect.stringContaining("start it again"),
        event: "gateway.fault",
        kind,
        error: { name: "Error", message: expect.stringContaining("[redacted]") },
      },
    ]);
    await using again = await startGatewayProcess({ home: home.path });
    expect(await again.stop()).toBe(0);
  },
);

test("a fault while a fault is reported ends the process all the same, and is not reported again", () => {
  const listeners = new Map<FaultKind, (error: unknown) => void>();
  const codes: number[] = [];
  const reported: unknown[] = [];
  const faults = new Faults(
    { on: (kind, listener) => listeners.set(kind, listener), exit: (code) => codes.push(code) },
    () => undefined,
  );
  faults.reportTo((error) => {
    reported.push(error);
    listeners.get("unhandledRejection")!("second");
    throw new Error("the log is gone");
  });
  expect(() => listeners.get("uncaughtException")!("first")).toThrow("the log is gone");
  expect([reported, codes]).toEqual([["first"], [1]]);
});
