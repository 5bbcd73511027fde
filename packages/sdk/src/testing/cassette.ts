import { failure } from "@elwood/core/base/failure";
import { makeRedactor } from "@elwood/core/base/redact";
import { textOf } from "@elwood/core/message/message";
import type { ModelEvent, ModelRequest } from "@elwood/core/model/model";
import type { Model } from "../model-script/play.ts";

export interface CassetteOptions {
  /** Never written to the file, nor is anything that looks like a key; values of variables named like one are known. */
  readonly secrets?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** One request to the model, and all that it answered. */
interface Exchange {
  /** What the program said, as far as two runs of it say the same. */
  readonly asked: readonly string[];
  readonly tools: readonly string[];
  readonly events: readonly ModelEvent[];
}

const VERSION = 1;
const SECRET_NAME = /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL/i;
const SECRET_CHARS_MIN = 8;

/**
 * A real model's answers in a file. While the file is not there, the model is asked and its answers are recorded;
 * from then on they are played, without a network and without a key.
 *
 *     const cassette = new Cassette("test/refund.json");
 *     const engine = new LocalEngine({ cassette });
 */
export class Cassette {
  readonly #path: string;
  readonly #redact: (text: string) => string;
  readonly #recorded: readonly Exchange[] | undefined;
  readonly #made: Exchange[] = [];
  #played = 0;

  constructor(path: string, { secrets = [], env = process.env }: CassetteOptions = {}) {
    this.#path = path;
    const named = Object.entries(env).flatMap(([name, value]) =>
      SECRET_NAME.test(name) && value !== undefined && value.length >= SECRET_CHARS_MIN ? [value] : [],
    );
    this.#redact = makeRedactor([...secrets, ...named]);
    this.#recorded = files().existsSync(path) ? read(path) : undefined;
  }

  /** Whether its answers are played, and no model is asked. */
  get recorded(): boolean {
    return this.#recorded !== undefined;
  }

  /** The model of a test: its recorded answers, or the real one while they are recorded. */
  over(real: Model | undefined): Model {
    const recorded = this.#recorded;
    if (recorded) return { id: "cassette", chat: (request) => this.#play(recorded, request) };
    if (!real) throw new Error(`there is nothing to play: ${this.#path} was not recorded yet`);
    return { id: real.id, chat: (request) => this.#record(real, request) };
  }

  /** Writes what was recorded; an engine does so when it is closed. */
  save(): void {
    if (this.recorded || this.#made.length === 0) return;
    const folder = process.getBuiltinModule("node:path").dirname(this.#path);
    files().mkdirSync(folder, { recursive: true });
    const leaveOut = (_key: string, value: unknown) =>
      typeof value === "string" ? this.#redact(value) : value;
    const content = JSON.stringify({ v: VERSION, exchanges: this.#made }, leaveOut, 2);
    files().writeFileSync(this.#path, `${content}\n`);
  }

  /** Throws where answers were recorded that nobody asked for. */
  assertComplete(): void {
    const all = this.#recorded?.length ?? 0;
    if (this.#recorded && this.#played < all)
      throw new Error(`${all - this.#played} of ${all} recorded answers were never asked for`);
  }

  async *#record(real: Model, request: ModelRequest): AsyncGenerator<ModelEvent> {
    const events: ModelEvent[] = [];
    for await (const event of real.chat(request)) {
      events.push(event);
      // Before it is handed on: nobody has to come back after the last one.
      if (event.type === "done" || event.type === "failed")
        this.#made.push({ ...this.#about(request), events });
      yield event;
    }
  }

  async *#play(recorded: readonly Exchange[], request: ModelRequest): AsyncGenerator<ModelEvent> {
    const exchange = recorded[this.#played];
    this.#played += 1;
    const about = this.#about(request);
    if (exchange && JSON.stringify(about) === JSON.stringify(pick(exchange))) yield* exchange.events;
    else yield { type: "failed", failure: failure("INTERNAL", this.#mismatch(exchange)), blocks: [] };
  }

  #about(request: ModelRequest): Omit<Exchange, "events"> {
    const said = request.messages.filter(({ role }) => role === "user").map(textOf);
    return {
      asked: said.filter((words) => words !== "").map((words) => this.#redact(words)),
      tools: request.tools.map(({ toolId }) => toolId),
    };
  }

  #mismatch(exchange: Exchange | undefined): string {
    const what = exchange ? "something else than was recorded" : "more often than was recorded";
    return `The model was asked ${what} in ${this.#path}. Remove the file to record it again.`;
  }
}

/** Taken once they are needed: the rest of what tests use runs in pages, too. */
function files() {
  return process.getBuiltinModule("node:fs");
}

function pick({ asked, tools }: Exchange): Omit<Exchange, "events"> {
  return { asked, tools };
}

function read(path: string): readonly Exchange[] {
  const { v, exchanges } = JSON.parse(files().readFileSync(path, "utf8")) as {
    readonly v?: unknown;
    readonly exchanges?: readonly Exchange[];
  };
  if (v !== VERSION || !Array.isArray(exchanges))
    throw new Error(`${path} is no cassette that this version can play. Remove the file to record it again.`);
  return exchanges;
}
