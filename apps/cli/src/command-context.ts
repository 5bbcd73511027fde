import { homedir } from "node:os";
import { fail, FailureError } from "@elwood/core/base/failure";
import type { Clock, Models } from "@elwood/runtime/ports/ports";
import { GatewayClient } from "@elwood/sdk/client";
import type { AuthService } from "@elwood/gateway/auth/auth-service";
import { loadConfig, type LoadedConfig } from "@elwood/gateway/config/load";
import type { Flags } from "@elwood/gateway/config/outside-layers";
import { statePaths, type StatePaths } from "@elwood/platform/state-paths";
import { locateHome } from "@elwood/gateway/config/locate";
import type { Gateway, GatewayOptions } from "@elwood/gateway/gateway";
import { makeLog, type LogSink } from "@elwood/gateway/log/log";
import { RotatingFile } from "@elwood/gateway/log/rotating-file";
import { systemClock } from "@elwood/platform/system";
import type { DoctorContext } from "@elwood/gateway/doctor/finding";
import type { DoctorOutside } from "@elwood/gateway/doctor/outside";
import { findGateway, joinGateway, localLink, type Link } from "./connect.ts";
import { useColor, type Io } from "./io.ts";
import { VERSION } from "./version.ts";

/** What a command needs: configuration, log and gateway connection, loaded on demand. */
export class CommandContext {
  readonly clock: Clock = systemClock;
  readonly #io: Io;
  readonly #globalFlags: () => Record<string, unknown>;

  constructor(io: Io, globalFlags: () => Record<string, unknown>) {
    this.#io = io;
    this.#globalFlags = globalFlags;
  }

  /** Flags as the configuration takes them, the global ones included. */
  flags(more: Record<string, unknown> = {}): Flags {
    const { home, config } = this.#globalFlags();
    const given = Object.entries({ home, config, ...more }).filter(
      (entry): entry is [string, string | number] =>
        typeof entry[1] === "string" || typeof entry[1] === "number",
    );
    return Object.fromEntries(given);
  }

  /** The whole configuration, or a Failure that lists everything wrong with it. */
  async load(more: Record<string, unknown> = {}): Promise<LoadedConfig> {
    const loaded = await loadConfig({ flags: this.flags(more), env: this.#io.env, cwd: this.#io.cwd });
    if (loaded.ok) return loaded.value;
    const lines = loaded.error.map((problem) => `  ${problem.text}`);
    return fail(
      "INVALID_INPUT",
      `The configuration cannot be used. Nothing was started.\n${lines.join("\n")}`,
    );
  }

  tryLoad(): ReturnType<typeof loadConfig> {
    return loadConfig({ flags: this.flags(), env: this.#io.env, cwd: this.#io.cwd });
  }

  /** Known even where the configuration cannot be read. */
  async paths(): Promise<StatePaths> {
    const { env, cwd } = this.#io;
    return statePaths(await locateHome({ flags: this.flags(), env, cwd, userHome: homedir() }));
  }

  async authService(loaded: LoadedConfig): Promise<AuthService> {
    const [{ authService }, { makeCredentials }, { prepareHome }] = await Promise.all([
      import("@elwood/gateway/gateway"),
      import("@elwood/gateway/auth/credentials"),
      import("@elwood/gateway/config/first-run"),
    ]);
    await prepareHome(loaded);
    const { log, learnSecrets } = this.logOf(loaded, "oneshot");
    return authService(loaded, makeCredentials(loaded, systemClock, log), {
      clock: systemClock,
      learnSecrets,
    });
  }

  async doctorContext(live: boolean): Promise<DoctorContext> {
    const { doctorContextOf } = await import("@elwood/gateway/doctor/outside");
    const context = await doctorContextOf(this.#outside());
    const { loaded } = context;
    return {
      ...context,
      live,
      ...(loaded.ok
        ? {
            signsIn: () => this.#signsIn(loaded.value),
            answering: () => this.#answering(loaded.value),
            channels: () => this.#channels(loaded.value),
          }
        : {}),
      models: async () => {
        if (!loaded.ok) return fail("INVALID_INPUT", "The configuration cannot be used.");
        return this.models(loaded.value);
      },
    };
  }

  async models(loaded: LoadedConfig): Promise<Models> {
    const [{ modelsOf }, { makeCredentials }] = await Promise.all([
      import("@elwood/gateway/gateway"),
      import("@elwood/gateway/auth/credentials"),
    ]);
    const { log } = this.logOf(loaded, "oneshot");
    return modelsOf(loaded, makeCredentials(loaded, systemClock, log), { clock: systemClock, log });
  }

  /** How a gateway that runs finds its chat services; undefined where there is none to ask. */
  async #channels(loaded: LoadedConfig): ReturnType<NonNullable<DoctorContext["channels"]>> {
    try {
      const client = await findGateway(loaded, "cli-doctor");
      if (!client) return undefined;
      try {
        return (await client.call("channels.list", {})).channels;
      } finally {
        await client.close();
      }
    } catch (error) {
      // A gateway that takes no token, or gives no answer, is told by its own check.
      if (error instanceof FailureError) return undefined;
      throw error;
    }
  }

  /** Undefined where nobody can be asked. */
  async #answering(loaded: LoadedConfig): Promise<string | undefined> {
    try {
      const client = await findGateway(loaded, "cli-doctor");
      if (!client) return undefined;
      try {
        return (await client.call("gateway.status", {})).model;
      } finally {
        await client.close();
      }
    } catch (error) {
      if (error instanceof FailureError) return undefined;
      throw error;
    }
  }

  async #signsIn(loaded: LoadedConfig): Promise<boolean> {
    try {
      const client = await findGateway(loaded, "cli-doctor");
      await client?.close();
      return true;
    } catch (error) {
      if (error instanceof FailureError && error.failure.reason === "UNAUTHENTICATED") return false;
      throw error;
    }
  }

  async start(loaded: LoadedConfig, mode: GatewayOptions["mode"], stream?: Io["stderr"]): Promise<Gateway> {
    const { startGateway } = await import("@elwood/gateway/gateway");
    const { log, learnSecrets, tail, requests } = this.logOf(loaded, mode, stream);
    this.#io.faults?.reportTo((error, kind) =>
      log.error(
        "Elwood ended because of a fault of its own. What was stored is safe; start it again and unfinished runs go on. Please report this, with a log of --log-level debug.",
        { event: "gateway.fault", kind, error },
      ),
    );
    const outside = this.#outside();
    const given = { loaded, version: VERSION, mode, clock: systemClock, log, learnSecrets };
    return startGateway({ ...given, outside, logTail: tail, requests });
  }

  #outside(): DoctorOutside {
    return { flags: this.flags(), env: { ...this.#io.env }, cwd: this.#io.cwd, version: VERSION };
  }

  /** The running gateway, or one in this process, whose log goes to `log`. */
  async join(name: string, known?: LoadedConfig, log?: Io["stderr"]): Promise<Link> {
    const loaded = known ?? (await this.load());
    return joinGateway(loaded, name, () => this.start(loaded, "oneshot", log));
  }

  /** One in this process that opens no port. */
  async local(name: string, log?: Io["stderr"]): Promise<Link> {
    const loaded = await this.load();
    return localLink(loaded, name, await this.start(loaded, "local", log));
  }

  /** Work that needs a gateway, which is left when it is done. */
  async withClient<T>(
    name: string,
    work: (client: GatewayClient, loaded: LoadedConfig) => Promise<T>,
  ): Promise<T> {
    const loaded = await this.load();
    const link = await this.join(name, loaded);
    try {
      return await work(await GatewayClient.over(link.connection), loaded);
    } finally {
      await link.leave();
    }
  }

  async find(name: string): Promise<{ loaded: LoadedConfig; client: GatewayClient | undefined }> {
    const loaded = await this.load();
    return { loaded, client: await findGateway(loaded, name) };
  }

  /** A log, and a way to tell it and everyone else which secrets must never be shown. */
  logOf(loaded: LoadedConfig, mode: GatewayOptions["mode"], stream?: Io["stderr"]): LogSink {
    const { level, format, file } = loaded.config.log;
    const toFile = mode === "up" && stream === undefined && file !== undefined;
    const terminal = this.#io.stdout.isTTY === true && !toFile;
    // A one-shot command's stdout is its answer; a person at `up` wants to see what went wrong, not each step.
    const quiet = mode !== "up" || (terminal && loaded.origins.get("log.level") === "default");
    return makeLog({
      stream: toFile
        ? new RotatingFile(file)
        : (stream ?? (mode === "up" ? this.#io.stdout : this.#io.stderr)),
      level: quiet && level === "info" ? "warn" : level,
      format: format === "auto" && mode !== "up" ? "pretty" : format,
      clock: systemClock,
      color: useColor(this.#io),
    });
  }
}
