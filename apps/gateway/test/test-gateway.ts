import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeRedactor } from "@elwood/core/base/redact";
import type { Log } from "@elwood/runtime/ports/ports";
import { loadConfig } from "../src/config/load.ts";
import { startGateway, type Gateway, type GatewayOptions } from "../src/gateway.ts";
import { systemClock } from "@elwood/platform/system";

export interface StartedGateway extends AsyncDisposable {
  readonly gateway: Gateway;
  readonly home: string;
  /** Every line that was logged as an error or a warning. */
  readonly complaints: readonly string[];
}

/** A whole gateway in this process, on a folder and a port of its own, for tests that bring their own clock or tools. */
export async function startTestGateway(
  options: Partial<
    Pick<
      GatewayOptions,
      | "clock"
      | "log"
      | "learnSecrets"
      | "requests"
      | "extraTools"
      | "wrapStores"
      | "logTail"
      | "outside"
      | "resolve"
    >
  > & {
    readonly env?: Readonly<Record<string, string>>;
    readonly home?: string;
    /** The text of `config.yaml`. */
    readonly config?: string;
  } = {},
): Promise<StartedGateway> {
  const { env, home: given, config, ...rest } = options;
  const home = given ?? mkdtempSync(join(tmpdir(), "elwood-gateway-"));
  if (config !== undefined) writeFileSync(join(home, "config.yaml"), config, { mode: 0o600 });
  const loaded = await loadConfig({
    flags: { port: 0 },
    env: { ELWOOD_HOME: home, HOME: join(home, "user"), ELWOOD_SESSION_TITLES: "off", ...env },
    cwd: tmpdir(),
  });
  if (!loaded.ok) throw new Error(loaded.error.map(({ text }) => text).join("\n"));
  const complaints: string[] = [];
  const quiet = () => undefined;
  const complain = (message: string) => void complaints.push(message);
  const log: Log = { error: complain, warn: complain, info: quiet, debug: quiet };
  const gateway = await startGateway({
    loaded: loaded.value,
    version: "test",
    mode: "up",
    clock: systemClock,
    log,
    learnSecrets: makeRedactor,
    ...rest,
  });
  return {
    gateway,
    home,
    complaints,
    async [Symbol.asyncDispose]() {
      await gateway.close();
      if (given === undefined) rmSync(home, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
