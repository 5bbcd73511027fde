import { Connection, type Socket } from "../client.ts";
import { isRecord } from "@elwood/core/base/is-record";
import type { Model } from "../model-script/play.ts";
import { GatewayUnavailableError } from "./errors.ts";
import { ProtocolEngine } from "./protocol-engine.ts";

export interface LocalEngineOptions {
  /**
   * The folder in which everything is kept, as a gateway keeps it: what was approved, and what was done, outlives
   * the process. Without one it is all in memory, and gone with `close`.
   */
  readonly home?: string;
  /** Answers in place of the models that are configured, such as a ScriptedModel. */
  readonly model?: Model;
  /** Records the answers of the models that are configured, or plays them: a Cassette of `@elwood/sdk/testing`. */
  readonly cassette?: RecordedModel;
  /** What receipts call this program. */
  readonly name?: string;
  /** Where keys of models and settings are looked for; those of this process where left out. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What tools log, and what goes wrong beside the answers. */
  readonly log?: (message: string) => void;
}

/** What stands between an engine and its models. */
export interface RecordedModel {
  /** Whether all is recorded, so that no model is asked. */
  readonly recorded: boolean;
  over(real: Model | undefined): Model;
  /** Called when the engine is closed. */
  save(): void;
}

/** The runtime of a gateway in this process, without a port. */
export interface LocalRuntime {
  readonly token: string;
  connect(): Socket;
  close(): Promise<void>;
}

/** An engine in this process: the gateway's own runtime with its policy, gate and receipts, and no gateway beside it. */
export class LocalEngine extends ProtocolEngine {
  readonly #runtime: () => Promise<LocalRuntime> | undefined;
  readonly #cassette: RecordedModel | undefined;

  constructor(options: LocalEngineOptions = {}) {
    const { name = "sdk", log } = options;
    let opened: Promise<LocalRuntime> | undefined;
    const open = () => {
      const opening = (opened ??= openRuntime(options));
      opening.catch(() => {
        if (opened === opening) opened = undefined;
      });
      return opening;
    };
    super({
      open: async (signal) => {
        const runtime = await open();
        const { token } = runtime;
        const client = { name, drafts: true };
        return Connection.open({
          url: "http://localhost",
          token,
          client,
          signal,
          socket: () => runtime.connect(),
        });
      },
      ...(log ? { log } : {}),
    });
    this.#runtime = () => opened;
    this.#cassette = options.cassette;
  }

  /** Runs that are under way are stopped; with a `home` the next engine on it goes on with them. */
  override async close(): Promise<void> {
    await super.close();
    const runtime = await this.#runtime()?.catch(() => undefined);
    await runtime?.close();
    this.#cassette?.save();
  }
}

async function openRuntime(options: LocalEngineOptions): Promise<LocalRuntime> {
  const { openLocalRuntime } = await loadRuntime();
  try {
    return await openLocalRuntime(options);
  } catch (error) {
    // By its shape: the runtime is a package of its own, with classes of its own.
    const told = isRecord(error) ? error["failure"] : undefined;
    if (!isRecord(told) || typeof told["message"] !== "string") throw error;
    throw new GatewayUnavailableError(String(told["reason"]), told["message"], { cause: error });
  }
}

async function loadRuntime() {
  try {
    return await import("@elwood/gateway/local-runtime");
  } catch (error) {
    if (!isRecord(error) || error["code"] !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new GatewayUnavailableError(
      "no_runtime",
      "The runtime is not installed, so nothing was started. Install it beside the SDK: npm install elwood",
      { cause: error },
    );
  }
}
