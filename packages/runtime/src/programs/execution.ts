import type { CallResult, ProgramErrorCode, ProgramLimits } from "@elwood/core/tool/program";
import { CALL_STATUSES, type CallEnd } from "@elwood/core/tool/tool";
import type { Redactor } from "@elwood/core/base/redact";
import type { CallState } from "../ports/gate-ports.ts";
import type { BlobStore, Clock, ToolCallContext } from "../ports/ports.ts";
import { resultOf, withinLimit } from "./child-result.ts";
import type { ProgramJournal, ProgramStart, ProgramStep } from "../ports/program-journal.ts";
import type { ProgramCallPort } from "../ports/program-runner.ts";
import type {
  ConsoleLine,
  ProgramCall,
  ProgramControls,
  ProgramEnding,
  ProgramHost,
  ProgramRequest,
  Sandbox,
} from "../ports/sandbox.ts";
import { childCallId } from "../gate/program-tools.ts";
import { canonicalJson } from "@elwood/core/base/canonical-json";
import type { Sha256 } from "@elwood/core/receipts/receipt";

/** Everything that an execution works with. */
export interface ProgramDeps {
  readonly sandbox: Sandbox;
  readonly journal: ProgramJournal;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly sha256: Sha256;
  /** The owner's, IANA: their days and hours are those of programs. */
  readonly timeZone: string;
  readonly limits: ProgramLimits;
  readonly redact: Redactor;
  /** The gate. */
  readonly callPort: ProgramCallPort;
  /** Answers `tools.search` and `tools.describe`. */
  readonly find: (kind: "search" | "describe", input: unknown, toolIds: readonly string[]) => CallResult;
}

/** The result of one execution of a program. */
type Executed =
  | { readonly kind: "ended"; readonly ending: ProgramEnding }
  /** Elwood is stopping; the program resumes from its journal at the next start. */
  | { readonly kind: "deferred" }
  | { readonly kind: "diverged"; readonly why: string };

interface Live {
  readonly call: ProgramCall;
  readonly known: ProgramStep | undefined;
  readonly hash: string;
}

/**
 * One execution of a program: from its beginning, meeting what is recorded of earlier ones,
 * and going on from there through the gate.
 *
 * X1 A request is in the journal before anything is done for it; its answer is there, with
 *    its number, before the program gets it.
 * X2 Answers are given in the order of their numbers: first the recorded ones, then new
 *    ones as they come. Nothing is begun before the recorded ones are all given.
 * X3 When it ends, none of its calls is left running unheard.
 */
export class Execution implements ProgramHost {
  readonly #deps: ProgramDeps;
  readonly #start: ProgramStart;
  readonly #context: ToolCallContext;
  readonly #history: History;
  readonly #stop = new AbortController();
  readonly #children = new Set<Promise<void>>();
  readonly #waitingFor = new Set<number>();
  readonly lines: string[] = [];
  readonly images: { readonly mime: string; readonly blobId: string }[] = [];
  #queue: Live[] = [];
  #open = 0;
  #order: number;
  #at: number;
  #entering: Promise<void> = Promise.resolve();
  #settling: Promise<void> = Promise.resolve();
  #controls: ProgramControls | undefined;
  #fault: Error | undefined;
  #left = false;
  #marked = false;

  constructor(
    deps: ProgramDeps,
    start: ProgramStart,
    steps: readonly ProgramStep[],
    context: ToolCallContext,
  ) {
    this.#deps = deps;
    this.#start = start;
    this.#context = context;
    this.#history = new History(steps);
    this.#order = this.#history.answers;
    this.#at = start.startedAt;
  }

  async run(javascript: string): Promise<Executed> {
    const { sandbox, limits, timeZone } = this.#deps;
    const { toolIds, startedAt, seed } = this.#start;
    const signal = AbortSignal.any([this.#context.signal, this.#stop.signal]);
    const program = { source: javascript, toolIds, startedAt, timeZone, seed, limits };
    const ending = await sandbox.run(program, this, signal);
    // What it will be run again for is let go on; otherwise nobody would hear it any more. A sleep keeps nothing alive.
    const again = !ending.outcome.ok && ending.outcome.error.rerun;
    if (!again) this.#stop.abort("program");
    await this.#rest();
    if (this.#marked) this.#context.waiting(false);
    if (this.#fault instanceof Diverged) return { kind: "diverged", why: this.#fault.message };
    if (this.#fault !== undefined) throw this.#fault;
    const stopping = this.#context.signal.aborted && this.#context.signal.reason === "shutdown";
    if ((this.#left || stopping) && !ending.outcome.ok) return { kind: "deferred" };
    const missing = isOfItsOwn(ending) ? this.#history.problem() : undefined;
    if (missing !== undefined) return { kind: "diverged", why: new Diverged(missing).message };
    return { kind: "ended", ending };
  }

  begin(controls: ProgramControls): void {
    this.#controls = controls;
  }

  line({ text }: ConsoleLine): void {
    this.lines.push(text);
    // The same lines were told by the execution that is being repeated.
    if (this.#history.over) this.#context.progress(this.#deps.redact(text));
  }

  call(call: ProgramCall): void {
    try {
      const hash = requestHash(this.#deps.sha256, this.#start.seed, call.what);
      const known = this.#history.meet(call.index, call.what.kind, hash);
      if (known?.settled === undefined) this.#queue.push({ call, known, hash });
      this.#resumeHeld();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** X2 */
  #resumeHeld(): void {
    for (let next = this.#history.next(); next !== undefined; next = this.#history.next()) {
      this.#at = Math.max(this.#at, next.at);
      this.#controls?.settle(next.index, next.result, next.at);
    }
    if (!this.#history.over) return;
    const live = this.#queue;
    this.#queue = [];
    for (const each of live) {
      const entered = Promise.withResolvers<void>();
      // Put on record one after another, in the order of the program.
      const made = this.#entering
        .then(() => this.#make(each, entered.resolve))
        .catch((error) => this.#fail(error))
        .finally(entered.resolve);
      this.#entering = entered.promise;
      this.#children.add(made);
      void made.finally(() => this.#children.delete(made));
    }
  }

  async #make({ call, known, hash }: Live, entered: () => void): Promise<void> {
    const { journal, clock } = this.#deps;
    const { tenant, signal } = this.#context;
    const { index, what } = call;
    if (signal.aborted || this.#stop.signal.aborted) {
      this.#left = this.#left || signal.reason === "shutdown";
      return;
    }
    const at = known?.at ?? clock.now();
    if (known === undefined) {
      const step = { index, kind: what.kind, requestHash: hash, at };
      await journal.intend(tenant, this.#start.callId, step);
    }
    this.#open += 1;
    this.#mark();
    try {
      const result = await this.#answer(call, at, entered);
      if (result === undefined) this.#left = this.#left || signal.reason === "shutdown";
      else await this.#settle(index, result);
    } finally {
      this.#open -= 1;
      this.#mark();
    }
  }

  async #answer(
    { index, what }: ProgramCall,
    at: number,
    entered: () => void,
  ): Promise<CallResult | undefined> {
    const { clock, find } = this.#deps;
    if (what.kind === "tool") return this.#callTool(index, what, entered);
    entered();
    if (what.kind !== "sleep") return find(what.kind, what.input, this.#start.toolIds);
    const stopped = AbortSignal.any([this.#context.signal, this.#stop.signal]);
    await clock.sleep(Math.max(0, at + what.ms - clock.now()), stopped);
    return stopped.aborted ? undefined : { ok: true, value: null };
  }

  async #callTool(
    index: number,
    { toolId, input }: { readonly toolId: string; readonly input: unknown },
    entered: () => void,
  ): Promise<CallResult | undefined> {
    const { callPort, limits } = this.#deps;
    const { tenant, signal } = this.#context;
    const callId = childCallId(this.#start.callId, index);
    const told = this.#context.child?.(callId, toolId);
    const context: ToolCallContext = {
      ...this.#context,
      ...told,
      note: { parent: this.#start.callId },
      signal: AbortSignal.any([signal, this.#stop.signal]),
      entered,
      waiting: (waiting) => this.#wait(index, waiting),
    };
    const row = await callPort.make({ callId, toolId, input }, context);
    if (row === undefined) return undefined;
    this.images.push(...(row.outcome?.images ?? []).slice(0, IMAGES_MAX - this.images.length));
    told?.finished(statusOf(row.state));
    return withinLimit(resultOf(row), limits.resultBytes, this.#deps, tenant);
  }

  /** X1: one after another, so that the numbers are the order in which the program hears. */
  #settle(index: number, result: CallResult): Promise<void> {
    this.#settling = this.#settling.then(() => this.#settleNow(index, result));
    return this.#settling;
  }

  async #settleNow(index: number, result: CallResult): Promise<void> {
    const at = Math.max(this.#at, this.#deps.clock.now());
    const order = this.#order;
    const { tenant } = this.#context;
    await this.#deps.journal.settle(tenant, this.#start.callId, { index, order, at, result });
    this.#order += 1;
    this.#at = at;
    this.#controls?.settle(index, result, at);
  }

  #holds = new Map<number, () => void>();

  #wait(index: number, waiting: boolean): void {
    if (waiting) {
      this.#waitingFor.add(index);
      const release = this.#controls?.hold();
      if (release) this.#holds.set(index, release);
    } else {
      this.#waitingFor.delete(index);
      this.#holds.get(index)?.();
      this.#holds.delete(index);
    }
    this.#mark();
  }

  /** The program waits for a person only while all that it has begun does. */
  #mark(): void {
    const waits = this.#waitingFor.size > 0 && this.#waitingFor.size === this.#open;
    if (waits !== this.#marked) this.#context.waiting(waits);
    this.#marked = waits;
  }

  #fail(error: unknown): void {
    this.#fault ??= error instanceof Error ? error : new Error(String(error));
    this.#stop.abort("program");
  }

  /** X3 */
  async #rest(): Promise<void> {
    while (this.#children.size > 0) await Promise.allSettled(this.#children);
    await this.#settling.catch((error: unknown) => this.#fail(error));
  }
}

const IMAGES_MAX = 8;

/** Ends that a program comes to again with the same answers. One that waits in vain for an answer it had is among them. */
const OWN_ENDS: readonly ProgramErrorCode[] = [
  "program.threw",
  "program.unhandled_rejection",
  "program.stuck",
  "program.wall_limit",
];

function isOfItsOwn({ outcome }: ProgramEnding): boolean {
  return outcome.ok || OWN_ENDS.includes(outcome.error.code);
}

export function statusOf(state: CallState): CallEnd {
  if (state === "refused") return state;
  return CALL_STATUSES.find((status) => status === state) ?? "unknown";
}

/** The program asked for something else than it did before. */
class Diverged extends Error {
  constructor(what: string) {
    super(
      `The program did not take the same way again: ${what} It was stopped; nothing further of it was done.`,
    );
    this.name = "Diverged";
  }
}

/**
 * What is known of a program's earlier execution, and how far the present one has come in
 * it. Answers are given again in the order in which they were given then; nothing new is
 * begun before all of them are.
 */
class History {
  readonly #known: ReadonlyMap<number, ProgramStep>;
  readonly #answers: ProgramStep[];
  readonly #asked = new Set<number>();
  #given = 0;

  constructor(steps: readonly ProgramStep[]) {
    this.#known = new Map(steps.map((step) => [step.index, step]));
    this.#answers = steps
      .filter((step) => step.settled !== undefined)
      .sort((a, b) => a.settled!.order - b.settled!.order);
  }

  /** All answers of the earlier execution have been given again. */
  get over(): boolean {
    return this.#given === this.#answers.length;
  }

  /** How many answers there have been, so that the next one gets its number. */
  get answers(): number {
    return this.#answers.length;
  }

  /** Compares a request with what was asked for then; undefined where this one is new. */
  meet(index: number, kind: ProgramStep["kind"], requestHash: string): ProgramStep | undefined {
    this.#asked.add(index);
    const known = this.#known.get(index);
    if (known === undefined) return undefined;
    if (known.kind !== kind || known.requestHash !== requestHash)
      throw new Diverged(`its request ${index + 1} is not the one that was recorded.`);
    return known;
  }

  /** The next answer to give again, if the program has asked for it by now. */
  next(): { readonly index: number; readonly result: CallResult; readonly at: number } | undefined {
    const step = this.#answers[this.#given];
    if (step?.settled === undefined || !this.#asked.has(step.index)) return undefined;
    this.#given += 1;
    return { index: step.index, result: step.settled.result, at: step.settled.at };
  }

  /** After the end: whatever was recorded must have come again. */
  problem(): string | undefined {
    const missing = [...this.#known.keys()].find((index) => !this.#asked.has(index));
    return missing === undefined
      ? undefined
      : `it ended without its request ${missing + 1}, which was recorded.`;
  }
}

/** The seed keeps small inputs from being guessed by their hash. */
export function requestHash(sha256: Sha256, seed: string, what: ProgramRequest): string {
  return sha256(`elwood.program.request.v1\n${seed}\n${canonicalJson(what)}`);
}
