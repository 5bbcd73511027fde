import type { Activity } from "../assistant/events.ts";
import type { MemoryReceipt } from "./memory-engine.ts";

/** What a call is expected to have come to. */
export interface ExpectedReceipt {
  /** Its name in the program, or the engine's longer id. */
  readonly tool: string;
  readonly status: Activity[number]["status"] | MemoryReceipt["status"];
  /** Compared where it is given, which takes the receipts of a MemoryEngine: an answer does not hold inputs. */
  readonly input?: unknown;
}

/** An answer of any engine (or its `activity` event), or the receipts of a MemoryEngine. */
export type ReceiptSource = { readonly activity: Activity } | readonly MemoryReceipt[];

/**
 * Holds what was done against what a test expects, by receipts and not by what the model says.
 *
 *     expectReceipts(await assistant.ask("Refund order 7.")).toMatch([{ tool: "refund", status: "succeeded" }]);
 */
export function expectReceipts(run: ReceiptSource): {
  /** Throws unless these calls, in this order and no others, have left receipts. */
  toMatch(expected: readonly ExpectedReceipt[]): void;
} {
  const found = receiptsOf(run);
  return {
    toMatch(expected) {
      const length = Math.max(found.length, expected.length);
      for (let at = 0; at < length; at += 1) {
        const problem = difference(found[at], expected[at]);
        if (problem !== undefined)
          throw new Error(
            `call ${at + 1}: ${problem}\nexpected ${shown(expected)}\nfound    ${shown(found)}`,
          );
      }
    },
  };
}

function receiptsOf(run: ReceiptSource): readonly ExpectedReceipt[] {
  if ("activity" in run) return run.activity.map(({ toolId, status }) => ({ tool: toolId, status }));
  return run.map(({ tool, status, input }) => ({ tool, status, input }));
}

function difference(
  found: ExpectedReceipt | undefined,
  expected: ExpectedReceipt | undefined,
): string | undefined {
  if (!expected) return "it was not expected";
  if (!found) return "it was never made";
  if (found.tool !== expected.tool && !found.tool.endsWith(`.${expected.tool}`)) return "it is another tool";
  if (found.status !== expected.status) return `it has ${found.status}, not ${expected.status}`;
  if (!("input" in expected)) return undefined;
  if (!("input" in found)) return "its input is not known here: hand over engine.receipts(runId)";
  return JSON.stringify(found.input) === JSON.stringify(expected.input) ? undefined : "its input is another";
}

function shown(receipts: readonly ExpectedReceipt[]): string {
  return JSON.stringify(receipts);
}
