import { spawn } from "node:child_process";
import type { Duplex } from "node:stream";
import { encodeFrame } from "../quickjs/frames.ts";
import { hostCommand } from "./host-cage.ts";
import { zodFolder } from "./host-code.ts";
import type { HostPool } from "./host-pool.ts";
import type { IntegrationFiles } from "./integration-files.ts";
import { SOCKET_FD } from "./wire.ts";

export interface TestRun {
  readonly passed: boolean;
  readonly output: string;
}

/** Runs an integration's tests in the same kind of process as its tools: no files, no network, no secrets. */
export async function runToolTests(pool: HostPool, files: IntegrationFiles): Promise<TestRun> {
  const found = await pool.cage();
  const code = pool.code(new Map([...files.sources, ...files.tests]), "test");
  const { file, args } = hostCommand(found.ok ? found.cage : undefined, zodFolder(code));
  const { testMs, outputBytesMax } = pool.limits;
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      env: {},
      cwd: "/",
      stdio: ["ignore", "pipe", "pipe", "pipe"],
      timeout: testMs,
      killSignal: "SIGKILL",
    });
    let output = "";
    const take = (data: Buffer) => {
      if (output.length < outputBytesMax) output += data.toString();
    };
    child.stdout?.on("data", take);
    child.stderr?.on("data", take);
    // Descriptor 3 was asked for as a pipe, which Node makes a socket that works both ways.
    const socket = child.stdio[SOCKET_FD] as Duplex;
    socket.on("error", () => undefined);
    socket.write(encodeFrame({ t: "code" }, JSON.stringify(code)));
    child.once("error", (error) => resolve({ passed: false, output: error.message }));
    child.once("close", (exit, signal) => {
      const late =
        signal === "SIGKILL"
          ? `\nThe tests did not end within ${testMs / 1_000} seconds, and were ended.`
          : "";
      const told = `${output.replaceAll(/tool:\/+/g, `tools/${files.name}/`)}${late}`;
      resolve({ passed: exit === 0, output: told });
    });
  });
}
