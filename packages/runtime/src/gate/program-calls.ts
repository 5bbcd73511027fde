import type { ProgramDoor } from "../programs/execution.ts";
import { PROGRAM_TOOL } from "../programs/programs.ts";
import type { ToolCallContext, ToolHost, ToolOutcome } from "../ports.ts";
import { originOf } from "./call-book.ts";
import type { CallFacts } from "./call-facts.ts";
import type { GateDeps } from "./gate-deps.ts";
import type { CallRow, RegisteredTool } from "./ports.ts";
import type { Runner } from "./runner.ts";

/**
 * Calls that are programs. A program is checked before it is put on record as one that
 * runs, its calls come back to the same gate, and after a restart it goes on from its
 * journal: nothing of it is ever in doubt but single calls.
 */
export class ProgramCalls {
  readonly #deps: GateDeps;
  readonly #facts: CallFacts;
  readonly #runner: Runner;
  readonly #door: ProgramDoor;

  constructor(deps: GateDeps, facts: CallFacts, runner: Runner, gate: Pick<ToolHost, "call" | "seal">) {
    this.#deps = deps;
    this.#facts = facts;
    this.#runner = runner;
    this.#door = doorOf(deps, gate);
  }

  /** What the model must mend first, or what is to be noted of the program; nothing for any other call. */
  async vet(
    tool: RegisteredTool,
    input: unknown,
    runId: string,
  ): Promise<{ readonly problem?: string; readonly note?: Readonly<Record<string, string>> }> {
    const { programs, table } = this.#deps;
    if (tool.contract.id !== PROGRAM_TOOL || !programs) return {};
    // Checked by the tool's own schema.
    const { source } = input as { source: string };
    const checked = await programs.check(source, table(runId));
    if (!checked.ok) return { problem: checked.error };
    const { sourceHash, declarationsHash } = checked.value;
    return { note: { sourceHash, declarationsHash } };
  }

  /** undefined where Elwood is stopping. */
  async run(row: CallRow, context: ToolCallContext): Promise<ToolOutcome | undefined> {
    const { programs, table } = this.#deps;
    const tool = table(row.runId).get(row.toolId);
    if (!programs || !tool) {
      const message = "Programs are switched off by now. Nothing further of this one was run.";
      return this.#runner.end(row, context, tool, { kind: "failed", code: "program.unavailable", message });
    }
    context.started();
    const ended = await programs.run(row, table(row.runId), context, this.#door);
    if (!ended) return undefined;
    const receipts = ended.receipts.map(({ type, payload }) =>
      this.#facts.receipt(type, originOf(context), row.callId, payload),
    );
    const outcome = await this.#runner.end(row, context, tool, ended.ending, receipts);
    await programs.drop(context.tenant, row.callId);
    return outcome;
  }
}

/** A call of a program: the same door, once it is sealed like every other; a known one goes on as it stood. */
function doorOf({ ledger }: GateDeps, gate: Pick<ToolHost, "call" | "seal">): ProgramDoor {
  return {
    async make(call, context) {
      const { tenant } = context;
      const known = await ledger.call(tenant, call.callId);
      const input = known ? known.requestedInput : await gate.seal(tenant, call.callId, call.input);
      const outcome = await gate.call({ ...call, input }, context);
      return outcome.status === "left" ? undefined : ledger.call(tenant, call.callId);
    },
  };
}
