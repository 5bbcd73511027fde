import { existsSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { fail } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import type { MethodResult } from "@elwood/core/protocol/results";
import type { WireChannel } from "@elwood/core/protocol/channel-shapes";
import type { Clock } from "@elwood/runtime/ports/ports";
import type { DoctorOutside } from "../doctor/outside.ts";
import { detectLocal, type LocalServer } from "@elwood/providers/detect-local-models";
import { apiKeyVariable, KNOWN_PROVIDERS } from "@elwood/providers/known-providers";
import { leavesOf } from "../config/origins.ts";
import { isSecretPath } from "../config/problem.ts";
import type { LoadedConfig } from "../config/load.ts";
import type { LogTail } from "../log/log-tail.ts";

/** Read-only information about the installation for the owner: settings, health, the log, local model servers. */
export interface OwnerService {
  config(): Promise<MethodResult<"config.show">>;
  detect(): Promise<Pick<MethodResult<"auth.detect">, "local" | "keys">>;
  doctor(): Promise<MethodResult<"gateway.doctor">>;
  logs(after: number, limit: number): MethodResult<"gateway.logs">;
}

export interface OwnerServiceDeps {
  readonly loaded: LoadedConfig;
  readonly clock: Pick<Clock, "now">;
  /** The lines of this process; without it there are none. */
  readonly logTail?: LogTail | undefined;
  /** What the gateway was started in, to look at the installation as the command line would. */
  readonly outside?: DoctorOutside | undefined;
  /** How the chat services are doing. */
  readonly channels?: () => Promise<readonly WireChannel[]>;
}

export function ownerService({ loaded, clock, logTail, outside, channels }: OwnerServiceDeps): OwnerService {
  /** Concurrent callers share one examination. */
  let looking: Promise<MethodResult<"gateway.doctor">> | undefined;
  return {
    async config() {
      const { config, origins, paths, homeOrigin, file, secrets, notices } = loaded;
      return {
        home: paths.home,
        homeOrigin,
        // A first start writes one, which says what holds already.
        file: file ?? (existsSync(paths.config) ? paths.config : null),
        settings: leavesOf(config).map(({ path, value }) => {
          const key = path.join(".");
          const origin = origins.get(key) ?? "default";
          return isSecretPath(path) ? { key, value: null, origin, secret: true } : { key, value, origin };
        }),
        secrets: [...secrets.values()].map(({ name, source }) => ({ name, source })),
        notices: notices.map(({ text }) => text),
      };
    },

    async detect() {
      const { providers } = loaded.config;
      const baseUrl = (name: string) => providers[name]?.baseUrl ?? KNOWN_PROVIDERS[name]?.baseUrl ?? "";
      const found = await detectLocal(
        ["ollama", "lmstudio"].map((name) => ({ name, baseUrl: baseUrl(name) })),
      );
      const needing = Object.keys(KNOWN_PROVIDERS).filter((name) => KNOWN_PROVIDERS[name]?.keyNeeded);
      const names = new Set([...needing, ...Object.keys(providers)]);
      return {
        local: found.map((server) => ({
          ...server,
          name: KNOWN_PROVIDERS[server.provider]?.title ?? server.provider,
          ...shortened(server),
        })),
        keys: [...names].flatMap((provider) => {
          const name = apiKeyVariable(provider);
          const secret = loaded.secrets.get(name);
          if (!secret && !needing.includes(provider)) return [];
          return [
            { name, provider, found: secret !== undefined, ...(secret ? { source: secret.source } : {}) },
          ];
        }),
      };
    },

    doctor() {
      if (!outside)
        return fail("CONFLICT", "This gateway was not started from the command line; run: elwood doctor");
      const looked = async () =>
        examined({ ...outside, ...(channels && { channels: await channels() }) }, clock);
      looking ??= looked().finally(() => (looking = undefined));
      return looking;
    },

    logs(after, limit) {
      const { lines, last, missed } = logTail?.read(after, limit) ?? { lines: [], last: 0, missed: 0 };
      return { lines: [...lines], last, missed };
    },
  };
}

function shortened({ models }: LocalServer) {
  const leftOut = models.length - LIMITS.detectedModelsMax;
  return {
    models: models.slice(0, LIMITS.detectedModelsMax),
    ...(leftOut > 0 ? { leftOut } : {}),
  };
}

/** In a thread of its own: reading a large database through would keep everybody else waiting. */
async function examined(
  outside: DoctorOutside,
  clock: Pick<Clock, "now">,
): Promise<MethodResult<"gateway.doctor">> {
  const worker = new Worker(new URL("../doctor/doctor-worker.ts", import.meta.url), {
    workerData: outside,
  });
  const done = Promise.withResolvers<unknown>();
  worker.once("message", done.resolve);
  worker.once("error", done.reject);
  worker.once("exit", () => done.reject(new Error("the doctor ended without a word")));
  const timer = setTimeout(() => done.reject(new Error("the doctor took too long")), LIMITS.doctorMs);
  try {
    // Sent by doctor-worker.ts, which is part of this program.
    const document = (await done.promise) as Omit<MethodResult<"gateway.doctor">, "at">;
    return { ...document, at: clock.now() };
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}
