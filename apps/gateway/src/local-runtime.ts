import type { LocalEngineOptions, LocalRuntime } from "@elwood/sdk/local";
import { fail } from "@elwood/core/base/failure";
import { systemClock } from "@elwood/platform/system";
import packageJson from "../package.json" with { type: "json" };
import { memoryFolder } from "./state/memory-folder.ts";
import type { GatewayOptions } from "./gateway.ts";

/** A gateway in this process that opens no port, on a folder or in memory: what `LocalEngine` runs on. */
export async function openLocalRuntime(options: LocalEngineOptions): Promise<LocalRuntime> {
  const folder = options.home === undefined ? memoryFolder() : undefined;
  try {
    const gateway = await startHere(options, options.home ?? folder?.path ?? "");
    return {
      token: gateway.ownerToken,
      connect: () => gateway.connect(),
      async close() {
        await gateway.close();
        folder?.remove();
      },
    };
  } catch (error) {
    folder?.remove();
    throw error;
  }
}

async function startHere(options: LocalEngineOptions, home: string) {
  const { env = process.env, log: tell = () => undefined } = options;
  const [{ loadConfig }, { startGateway }, { makeLog }] = await Promise.all([
    import("./config/load.ts"),
    import("./gateway.ts"),
    import("./log/log.ts"),
  ]);
  const { version } = packageJson;
  const outside = { flags: { home }, env: { ...env }, cwd: process.cwd(), version };
  const loaded = await loadConfig(outside);
  if (!loaded.ok) {
    const lines = loaded.error.map(({ text }) => `  ${text}`);
    return fail(
      "INVALID_INPUT",
      `The configuration cannot be used. Nothing was started.\n${lines.join("\n")}`,
    );
  }
  const { log, learnSecrets, tail } = makeLog({
    stream: { write: (line) => tell(line.trimEnd()) },
    level: "warn",
    format: "pretty",
    clock: systemClock,
  });
  return startGateway({
    loaded: loaded.value,
    version,
    mode: "local",
    clock: systemClock,
    log,
    learnSecrets,
    logTail: tail,
    outside,
    ...modelOf(options),
  });
}

function modelOf({ model, cassette }: LocalEngineOptions): Pick<GatewayOptions, "model" | "wrapModel"> {
  if (cassette?.recorded) return { model: cassette.over(undefined) };
  if (!cassette) return model ? { model } : {};
  return model ? { model: cassette.over(model) } : { wrapModel: (real) => cassette.over(real) };
}
