import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { MethodName } from "@elwood/core/protocol/methods";
import { elwood } from "@elwood/testkit/elwood-command";
import { startGatewayProcess, temporaryHome, type GatewayProcess } from "@elwood/testkit/gateway-process";
import type { Answer } from "@elwood/testkit/loopback-server";
import { Wire, type Frame } from "../conformance/wire.ts";
import { anthropicEnv, ending } from "../conversation.ts";
import type { Lap } from "../recorded/exchange.ts";
import { ScriptedModel } from "../recorded/scripted-model.ts";
import { Normaliser } from "./normalise.ts";

/**
 * Nothing is recalled unasked: what the index has read by then depends on how busy the machine is.
 * And whether there are tools for a browser depends on the machine.
 */
export const SAME_EVERYWHERE = "memory:\n  recall:\n    tokens: 0\nbrowser:\n  enabled: false\n";
/** Pushes that are held back for a moment and merged, so that their number depends on the machine. */
const MERGED_PUSHES = new Set(["attention.changed", "session.changed"]);
const UNTIL_MS_MAX = 60_000;

/** A gateway with a scripted model, on a folder of its own. */
export class GoldenScene implements AsyncDisposable {
  readonly model: ScriptedModel;
  readonly gateway: GatewayProcess;
  readonly home: string;
  readonly #removeHome: () => void;

  private constructor(model: ScriptedModel, gateway: GatewayProcess, removeHome: () => void) {
    this.model = model;
    this.gateway = gateway;
    this.home = gateway.home;
    this.#removeHome = removeHome;
  }

  static async start(config: string, options: { demo?: boolean } = {}): Promise<GoldenScene> {
    const home = temporaryHome();
    const model = await ScriptedModel.start();
    const env = { TZ: "UTC", ...(options.demo ? {} : anthropicEnv(model.server)) };
    const gateway = await startGatewayProcess({ home: home.path, config, env });
    return new GoldenScene(model, gateway, () => home.remove());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.gateway.kill();
    await this.model.server.close();
    this.#removeHome();
  }
}

/** One run under observation: everything that is done here and that comes of it is a step of its transcript. */
export class Recording {
  readonly scene: GoldenScene;
  readonly steps: unknown[] = [];
  readonly #normaliser: Normaliser;
  #wire: Wire;
  #heard = 0;

  private constructor(scene: GoldenScene, wire: Wire) {
    this.scene = scene;
    this.#wire = wire;
    const { url } = scene.gateway;
    this.#normaliser = new Normaliser({
      [scene.home]: "{home}",
      [url]: "{gateway}",
      [new URL(url).host]: "{host}",
      [scene.model.server.url]: "{model}",
      [scene.gateway.token]: "{owner token}",
    });
  }

  static async begin(scene: GoldenScene): Promise<Recording> {
    return new Recording(scene, await connect(scene));
  }

  get wire(): Wire {
    return this.#wire;
  }

  async end(): Promise<void> {
    await this.#wire.close();
  }

  /** The connection breaks and another one is made, which has heard nothing yet. */
  async reconnect(): Promise<void> {
    await this.#wire.close();
    this.#wire = await connect(this.scene);
    this.#heard = 0;
    this.step({ reconnected: true });
  }

  step(step: unknown): void {
    this.steps.push(this.#normaliser.value(step));
  }

  /** A request and its answer, an error included. */
  async ask(method: MethodName | (string & {}), params: unknown = {}): Promise<Frame> {
    const frame = await this.#wire.ask(method, params);
    this.step({
      request: method,
      params,
      ...(frame.error ? { error: frame.error } : { result: frame.result }),
    });
    return frame;
  }

  async result(method: MethodName, params: unknown = {}): Promise<Record<string, unknown>> {
    const frame = await this.ask(method, params);
    if (frame.error) throw new Error(`${method} failed: ${frame.error.message}`);
    return frame.result as Record<string, unknown>;
  }

  async session(): Promise<string> {
    const key = String((await this.#wire.result("sessions.create"))["sessionKey"]);
    this.#normaliser.text(key);
    return key;
  }

  /** Files in the folder that the file tools work in. */
  files(files: Readonly<Record<string, string>>): void {
    for (const [path, text] of Object.entries(files)) {
      const whole = join(this.scene.home, "files", path);
      mkdirSync(dirname(whole), { recursive: true });
      writeFileSync(whole, text);
    }
  }

  /** Sends a message; the model answers it lap by lap. */
  async send(
    sessionKey: string,
    message: string,
    laps: readonly Lap[] | readonly Answer[],
    more: Record<string, unknown> = {},
  ): Promise<string> {
    const answers = laps.filter((lap) => typeof lap === "function");
    if (answers.length > 0) this.scene.model.server.will(...answers);
    else this.scene.model.begin(laps as readonly Lap[]);
    return String((await this.result("chat.send", { sessionKey, message, ...more }))["runId"]);
  }

  /** A message, its run to the end, and what is left of it: pushes, the stored conversation, receipts. */
  async run(sessionKey: string, message: string, laps: readonly Lap[] | readonly Answer[]): Promise<string> {
    const runId = await this.send(sessionKey, message, laps);
    await this.ended(sessionKey, runId);
    return runId;
  }

  async ended(sessionKey: string, runId: string): Promise<void> {
    await ending(this.#wire, runId);
    this.pushes(runId);
    await this.stored(sessionKey, runId);
    await this.receipts(runId);
  }

  /** Waits for a push of a run. */
  async until(event: string, runId: string): Promise<Record<string, unknown>> {
    const frame = await this.#wire.until(
      (f) => f.event === event && f.data?.["runId"] === runId,
      this.#heard,
    );
    return frame.data ?? {};
  }

  /** The id of what a run asks its owner. */
  async asked(runId: string): Promise<Record<string, unknown> & { approvalId: string }> {
    const data = await this.until("exec.approval_request", runId);
    this.#normaliser.value(data);
    return { ...data, approvalId: String(data["approvalId"]) };
  }

  /** All pushes of a run since the last time, with the pieces of a text put together. */
  pushes(runId: string): void {
    const frames = this.#wire.frames.slice(this.#heard);
    this.#heard = this.#wire.frames.length;
    const of = frames.filter(
      ({ event, data }) => event !== undefined && !MERGED_PUSHES.has(event) && data?.["runId"] === runId,
    );
    this.step({ pushes: joinDeltas(of) });
  }

  /** The lines of the transcript file that a run left, once they are there. */
  async stored(sessionKey: string, runId: string): Promise<void> {
    const path = join(this.scene.home, "sessions", "default", `${sessionKey}.jsonl`);
    const lines = await poll(() => {
      const found = linesOf(path).filter(({ run }) => run === runId);
      return found.length > 0 && found.length >= Number(found[0]?.["n"] ?? 1) ? found : undefined;
    }, `the lines of ${runId} in its transcript`);
    this.step({ stored: lines });
  }

  /** The receipts of a run as they are in the database, by what they say and not by where they stand in the log. */
  async receipts(runId: string): Promise<void> {
    const database = new DatabaseSync(join(this.scene.home, "elwood.db"), { readOnly: true });
    try {
      const read = database.prepare(
        "SELECT type, call_id, actor, surface, payload FROM receipts WHERE run_id = ? ORDER BY seq",
      );
      // The last one is written behind the reply. A run without calls leaves none.
      const rows = await poll(() => {
        const all = read.all(runId);
        const has = (type: string) => all.some((row) => row["type"] === type);
        return !has("run.started") || has("run.finished") ? all : undefined;
      }, `the receipts of ${runId}`);
      this.step({
        receipts: rows.map(({ payload, ...row }) => ({
          ...row,
          payload: JSON.parse(String(payload)) as unknown,
        })),
      });
    } finally {
      database.close();
    }
  }

  /** What the model was sent last. */
  modelWasSent(): void {
    const body = this.scene.model.server.requests.at(-1)?.body as Record<string, unknown>;
    const tools = (body["tools"] as { name: string }[] | undefined)?.map(({ name }) => name);
    this.step({ modelWasSent: { ...body, tools } });
  }

  file(path: string): void {
    let text: string | null;
    try {
      text = readFileSync(join(this.scene.home, "files", path), "utf8");
    } catch {
      text = null; // not there, which is what the transcript says
    }
    this.step({ file: path, text });
  }

  /** A command with its output, as lines. `json` reads it, so that its fields are told one by one. */
  async cli(args: readonly string[], options: { json?: boolean; stdin?: string } = {}): Promise<string> {
    const { code, stdout, stderr } = await elwood(args, {
      home: this.scene.home,
      env: { TZ: "UTC", COLUMNS: "100" },
      ...(options.stdin === undefined ? {} : { stdin: options.stdin }),
    });
    this.step({
      command: ["elwood", ...args],
      ...(options.stdin === undefined ? {} : { stdin: options.stdin }),
      exit: code,
      stdout: options.json && stdout !== "" ? (JSON.parse(stdout) as unknown) : stdout.split("\n"),
      ...(stderr === "" ? {} : { stderr: stderr.split("\n") }),
    });
    return stdout;
  }

  /** What the doctor finds, without what it says of the machine itself. */
  async doctor(): Promise<void> {
    const { code, stdout } = await elwood(["doctor", "--json"], {
      home: this.scene.home,
      env: { TZ: "UTC" },
    });
    const report = JSON.parse(stdout) as { findings: { id: string }[]; counts: unknown };
    const findings = report.findings.filter(({ id }) => !/^(node|browser|commands|time)\.|\.space$/.test(id));
    this.step({ doctor: { ...report, counts: Object.keys(report.counts ?? {}), findings }, exit: code });
  }

  /** The transcript, as it is kept. */
  text(): string {
    return `${JSON.stringify(this.steps, null, 2)}\n`;
  }
}

function connect({ gateway }: GoldenScene): Promise<Wire> {
  return Wire.authenticated(gateway.url, gateway.token, { name: "golden", drafts: true });
}

/**
 * Pieces of a text that follow each other become one, since how many there are depends on how
 * fast they are read. Numbers of pushes count what is left; that they grow is checked here.
 */
function joinDeltas(frames: readonly Frame[]): Frame[] {
  const joined: { event: string | undefined; data: Record<string, unknown> }[] = [];
  let last = 0;
  for (const { event, data = {} } of frames) {
    const seq = data["seq"];
    if (typeof seq === "number") {
      if (seq <= last) throw new Error(`push ${event} has the number ${seq} after ${last}`);
      last = seq;
    }
    const before = joined.at(-1);
    const goesOn = event === "chat.delta" && before?.event === event && data["reset"] !== true;
    if (goesOn) before.data["text"] = `${String(before.data["text"])}${String(data["text"])}`;
    else joined.push({ event, data: { ...data, firstSeq: undefined } });
  }
  return joined.map(({ event, data: { seq, ...data } }, index) => ({
    event,
    data: seq === undefined ? data : { ...data, seq: index + 1 },
  })) as Frame[];
}

function linesOf(path: string): Record<string, unknown>[] {
  try {
    return readFileSync(path, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  } catch {
    return []; // not written yet; the caller asks again
  }
}

async function poll<T>(look: () => T | undefined, what: string): Promise<T> {
  const deadline = performance.now() + UNTIL_MS_MAX;
  for (;;) {
    const found = look();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
