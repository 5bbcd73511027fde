import type { CallResult } from "@elwood/core/tool/program";
import {
  isMadeOfStub,
  stubMark,
  stubOf,
  type DryRunGaps,
  type DryRunSeed,
  type PlannedCall,
} from "@elwood/core/tool/plan";
import type { Verdict } from "@elwood/core/policy/policy";
import type { Redactor } from "@elwood/core/base/redact";
import { isMadeInRehearsal, jobOf, planCall } from "../gate/planned-call.ts";
import { isRecord } from "@elwood/core/base/is-record";
import type { Foreseen } from "@elwood/core/tool/plan";
import { redactDeep } from "../gate/call-outcome.ts";
import type { CallBeingDecided, RegisteredTool, ToolSnapshot } from "../ports/gate-ports.ts";
import type { ToolCallContext } from "../ports/ports.ts";
import { resultOf, withinLimit } from "./child-result.ts";
import type { DryRunResult, ProgramCallPort } from "../ports/program-runner.ts";
import { statusOf, type ProgramDeps } from "./execution.ts";
import type { ProgramCall, ProgramControls, ProgramEnding, ProgramHost } from "../ports/sandbox.ts";
import { DRY_RUN_MARK, programToolIds } from "../gate/program-tools.ts";
import { serialQueue } from "../async/serial-queue.ts";

export interface DryRunDeps extends Omit<ProgramDeps, "journal" | "callPort"> {
  readonly verdictFor: (
    tenant: string,
    tool: RegisteredTool,
    input: unknown,
    sessionId: string,
    about?: CallBeingDecided,
  ) => Promise<Verdict>;
}

/** Text by text, and as it would lie in the card. */
function holdsSecret(value: unknown, redact: Redactor): boolean {
  const text = JSON.stringify(value);
  return redact(text) !== text || JSON.stringify(redactDeep(value, redact)) !== text;
}

export const PLAN_ITEMS_MAX = 100;
const DRY_RUN_WALL_MS = 30_000;
/** More would run into other limits first. */
const UNASKED_MAX = 1_000;
const LEFT_MAX = 200;

/**
 * Runs a program to find out what it would do. Reads that need no approval pass the gate as usual; calls
 * that would ask are listed instead of made, and get a placeholder in the shape of their result. If the
 * program cannot continue with that, the dry run ends with the calls listed so far; a call that is not
 * listed asks separately. In the rehearsal of a job, calls that would be made unasked are listed too,
 * since it makes none but reads. No call or preview is made with an input that contains a placeholder.
 */
export class DryRun implements ProgramHost {
  readonly #deps: DryRunDeps;
  readonly #callPort: ProgramCallPort;
  readonly #toolSnapshot: ToolSnapshot;
  readonly #context: ToolCallContext;
  readonly #callId: string;
  readonly #over = new AbortController();
  readonly #items: PlannedCall[] = [];
  /** Changes that would be made unasked: each uses up what the owner asked for. */
  readonly #unasked: { readonly toolId: string; readonly input: unknown }[] = [];
  readonly #unseen: string[] = [];
  /** What the calls so far would have written, by place. */
  readonly #left = new Map<string, string>();
  #endsAt: string | undefined;
  #unlisted = 0;
  #full = false;
  readonly #working = new Set<Promise<void>>();
  readonly #calls = serialQueue();
  #controls: ProgramControls | undefined;
  #reads: number;

  constructor(
    deps: DryRunDeps,
    callPort: ProgramCallPort,
    toolSnapshot: ToolSnapshot,
    context: ToolCallContext,
    callId: string,
    /** Reads of interrupted dry runs. Call ids are unique, so theirs are not reused. */
    readsBefore: number,
  ) {
    this.#reads = readsBefore;
    this.#deps = deps;
    this.#callPort = callPort;
    this.#toolSnapshot = toolSnapshot;
    this.#context = context;
    this.#callId = callId;
  }

  async run(program: {
    readonly javascript: string;
    readonly toolIds: readonly string[];
    readonly seen: DryRunSeed;
  }): Promise<DryRunResult> {
    const { sandbox, limits, timeZone } = this.#deps;
    const { javascript: source, toolIds, seen } = program;
    const wallMs = Math.min(limits.wallMs, DRY_RUN_WALL_MS);
    const signal = AbortSignal.any([this.#context.signal, this.#over.signal]);
    const limited = { ...limits, wallMs };
    const ending = await sandbox.run({ source, toolIds, timeZone, ...seen, limits: limited }, this, signal);
    this.#over.abort("dry run over");
    while (this.#working.size > 0) await Promise.allSettled(this.#working);
    const ended = this.#endedBy(ending);
    return {
      items: this.#items,
      seen,
      unseen: {
        calls: this.#unseen,
        ...(this.#endsAt === undefined ? {} : { endsAt: this.#endsAt }),
        ...(ended === undefined ? {} : { ended }),
        ...(this.#unlisted === 0 ? {} : { unlisted: this.#unlisted }),
      },
    };
  }

  /** Why the program was not seen to its end, where that is not told otherwise. */
  #endedBy({ outcome }: ProgramEnding): DryRunGaps["ended"] {
    if (this.#full) return "full";
    if (outcome.ok || this.#endsAt !== undefined) return undefined;
    return outcome.error.code === "program.wall_limit" ? "time" : "failed";
  }

  begin(controls: ProgramControls): void {
    this.#controls = controls;
  }

  /** Output is dropped: the program itself will print it again. */
  line(): void {}

  call(call: ProgramCall): void {
    // One after another: the list is in the order of the program, and reads are made once each.
    const work = this.#calls.run(() => this.#answer(call)).catch(() => this.#over.abort("dry run"));
    this.#working.add(work);
    void work.finally(() => this.#working.delete(work));
  }

  async #answer({ index, what }: ProgramCall): Promise<void> {
    if (this.#over.signal.aborted || this.#context.signal.aborted) return;
    const { find, clock } = this.#deps;
    let result: CallResult | undefined;
    if (what.kind === "sleep") result = { ok: true, value: null };
    else if (what.kind === "tool") result = await this.#tool(what);
    else result = find(what.kind, what.input, programToolIds(this.#toolSnapshot));
    if (result === undefined) this.#over.abort("dry run");
    else this.#controls?.settle(index, result, clock.now());
  }

  /** undefined where nothing can be said without making the call. */
  async #tool(what: { readonly toolId: string; readonly input: unknown }): Promise<CallResult | undefined> {
    const { tenant, sessionId, runId } = this.#context;
    const tool = this.#toolSnapshot.get(what.toolId);
    if (!tool) return refused(`There is no tool ${what.toolId}.`, "invalid");
    if (isMadeOfStub(what.input)) {
      this.#unseen.push(what.toolId);
      return stubbed(tool, this.#items.length);
    }
    const parsed = tool.parseInput(what.input);
    if (!parsed.ok) return refused(parsed.error, "invalid");
    const verdict = await this.#deps.verdictFor(tenant, tool, parsed.value, sessionId, {
      runId,
      planned: this.#unasked,
      ...jobOf(this.#context),
    });
    if (verdict.decision === "deny") return refused(verdict.reason, "denied");
    if (verdict.decision === "ask") return this.#list(tool, parsed.value, verdict);
    const isRehearsal = this.#context.job?.rehearsal === true;
    const reads = isRehearsal
      ? isMadeInRehearsal(tool, verdict)
      : tool.contract.risk === "read" && tool.kind === "handler";
    if (!reads && isRehearsal) return this.#list(tool, parsed.value, verdict);
    // It would run unasked, so it is nothing to ask about either.
    if (!reads) {
      if (this.#unasked.length < UNASKED_MAX)
        this.#unasked.push({ toolId: tool.contract.id, input: parsed.value });
      return this.#stubbed(tool, parsed.value);
    }
    const foreseen = await this.#foreseen(tool, parsed.value);
    return foreseen === undefined ? this.#read(what) : { ok: true, value: foreseen.output };
  }

  /** A placeholder with what is known of the answer; what the call would leave behind is kept for reads after it. */
  async #stubbed(tool: RegisteredTool, input: unknown): Promise<CallResult> {
    const foreseen = await this.#foreseen(tool, input);
    if (foreseen?.leaves && this.#left.size < LEFT_MAX)
      this.#left.set(foreseen.leaves.at, foreseen.leaves.text);
    return stubbed(tool, this.#items.length, foreseen?.output);
  }

  async #foreseen(tool: RegisteredTool, input: unknown): Promise<Foreseen | undefined> {
    if (tool.source !== "built-in") return undefined;
    try {
      return await tool.foresees?.(input, this.#left);
    } catch {
      // What cannot be foreseen is found out by the call itself.
      return undefined;
    }
  }

  async #list(tool: RegisteredTool, input: unknown, verdict: Verdict): Promise<CallResult | undefined> {
    if (this.#items.length >= PLAN_ITEMS_MAX) {
      this.#full = true;
      return undefined;
    }
    const { sha256, clock, redact } = this.#deps;
    const whole = { sha256, clock, redact: (text: string) => text };
    const planned = await planCall(whole, tool, { input }, verdict, this.#context);
    if (planned.problem !== undefined) return refused(planned.problem, "invalid");
    const { contract } = tool;
    const { call } = planned;
    // Cards are stored and shown, so a call with a secret asks separately, without the secret.
    if (holdsSecret({ input, preview: call.preview, target: call.target }, redact)) {
      this.#unlisted += 1;
      return stubbed(tool, this.#items.length);
    }
    this.#items.push(call);
    if (contract.risk !== "read") return this.#stubbed(tool, input);
    this.#endsAt = contract.id;
    return undefined;
  }

  async #read(what: { readonly toolId: string; readonly input: unknown }): Promise<CallResult | undefined> {
    const { limits } = this.#deps;
    this.#reads += 1;
    const callId = `${this.#callId}${DRY_RUN_MARK}${this.#reads}`;
    const told = this.#context.child?.(callId, what.toolId);
    const context: ToolCallContext = {
      ...this.#context,
      ...told,
      note: { parent: this.#callId, rehearsal: "true" },
      signal: AbortSignal.any([this.#context.signal, this.#over.signal]),
      entered: () => undefined,
      waiting: () => undefined,
    };
    const row = await this.#callPort.make({ callId, toolId: what.toolId, input: what.input }, context);
    if (row) told?.finished(statusOf(row.state));
    return row && withinLimit(resultOf(row), limits.resultBytes, this.#deps, this.#context.tenant);
  }
}

function stubbed(
  { contract }: RegisteredTool,
  number: number,
  known?: Readonly<Record<string, unknown>>,
): CallResult {
  const stub = stubOf(contract.output, stubMark(number));
  return { ok: true, value: known !== undefined && isRecord(stub) ? { ...stub, ...known } : stub };
}

function refused(message: string, status: "invalid" | "denied"): CallResult {
  return { ok: false, error: { code: status, message, retryable: false, status } };
}
