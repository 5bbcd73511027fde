import {
  anthropic,
  ANTHROPIC_ROUTE,
  startAnthropic,
  type AnthropicServer,
} from "@elwood/testkit/anthropic-server";
import type { Lap } from "./exchange.ts";

/** A loopback model that answers lap by lap what it was given, and counts how often it was asked. */
export class ScriptedModel {
  readonly server: AnthropicServer;
  #laps: readonly Lap[] = [];
  #asked = 0;
  #calls = 0;

  private constructor(server: AnthropicServer) {
    this.server = server;
    server.always(ANTHROPIC_ROUTE, (exchange) => this.#next()(exchange));
  }

  static async start(): Promise<ScriptedModel> {
    return new ScriptedModel(await startAnthropic());
  }

  begin(laps: readonly Lap[]): void {
    this.#laps = laps;
    this.#asked = 0;
  }

  /** How often it was asked since it began, laps that nobody wrote included. */
  get asked(): number {
    return this.#asked;
  }

  #next() {
    const lap = this.#laps[this.#asked++] ?? {
      text: "(The model was asked once more than was written down.)",
    };
    if (!lap.calls)
      return lap.text === "" ? anthropic.message({ content: [] }) : anthropic.reply(lap.text ?? "");
    const calls = lap.calls.map(({ tool, ...call }) => ({
      ...call,
      name: tool.replaceAll(".", "__"),
      id: `toolu_recorded_${++this.#calls}`,
    }));
    return anthropic.tools(calls, lap.text === undefined ? {} : { text: lap.text });
  }
}
