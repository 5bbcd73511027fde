import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { HandsPart } from "./hands.ts";
import { quantile } from "./processes.ts";

const MEASURE = fileURLToPath(new URL("../integrations/shell/measure-start.ts", import.meta.url));
const ROUNDS = 100;

interface Measured {
  readonly taken: Readonly<Record<string, readonly number[]>>;
  /** Why nothing was measured in a cage. */
  readonly missing?: string;
}

/** Starting a command: through the tool with and without bubblewrap, against a bare spawn of the same program. */
export async function measure(): Promise<HandsPart> {
  const { stdout } = await promisify(execFile)(process.execPath, [MEASURE, String(ROUNDS)]);
  const { taken, missing } = JSON.parse(stdout) as Measured;
  const median = (kind: string) => quantile(taken[kind] ?? [], 0.5);
  const row = (what: string, kind: string, base: string) => ({
    what,
    value: `${median(kind).toFixed(1)} ms`,
    baseline: `${median(base).toFixed(1)} ms`,
    reach: `${(median(kind) / median(base)).toFixed(2)}x of a bare start, p95 ${quantile(taken[kind] ?? [], 0.95).toFixed(1)} ms`,
  });
  return {
    name: "commands",
    figures: Object.fromEntries(Object.keys(taken).map((kind) => [kind, median(kind)])),
    rows: [
      row("command without a cage (true)", "uncaged", "bare"),
      ...(missing === undefined
        ? [
            row("command in a cage (true)", "caged", "bare"),
            row("command in a cage (git version)", "cagedGit", "bareGit"),
          ]
        : [{ what: "command in a cage", value: `not measured: ${missing}` }]),
    ],
  };
}
