import { parseArgs } from "node:util";

/**
 * npm run bench -- <name> [arguments] [--json]
 *
 * Each benchmark measures against a named baseline in the same run, so that the ratio
 * means something on any machine. With --json one document goes to stdout; everything
 * else goes to stderr.
 */
export interface BenchReport {
  readonly name: string;
  /** Rows of the table: what, measured, baseline, ratio or limit. */
  readonly rows: readonly BenchRow[];
  readonly [field: string]: unknown;
}

export interface BenchRow {
  readonly what: string;
  readonly value: string;
  readonly baseline?: string;
  readonly reach?: string;
  readonly ok?: boolean;
}

/** What was given by name, such as `--mode strict`. */
export type BenchOptions = Readonly<Record<string, unknown>>;

const BENCHES: Readonly<
  Record<
    string,
    () => Promise<{ bench: (args: readonly string[], options: BenchOptions) => Promise<BenchReport> }>
  >
> = {
  start: () => import("./start.ts"),
  turn: () => import("./turn.ts"),
  sdk: () => import("./sdk.ts"),
  channels: () => import("./channels.ts"),
  api: () => import("./api.ts"),
  mcp: () => import("./mcp.ts"),
  gate: () => import("./gate.ts"),
  hands: () => import("./hands.ts"),
  files: () => import("./files.ts"),
  grounding: () => import("./grounding.ts"),
  injection: () => import("./injection.ts"),
  memory: () => import("./memory.ts"),
  recall: () => import("./recall.ts"),
  tasks: () => import("./tasks.ts"),
  index: () => import("./index.ts"),
  page: () => import("./page.ts"),
  newcomer: () => import("./newcomer.ts"),
  terminal: () => import("./terminal.ts"),
  "programs-check": () => import("./programs-check.ts"),
  programs: () => import("./programs.ts"),
};

const { positionals, values } = parseArgs({
  allowPositionals: true,
  strict: false,
  options: {
    json: { type: "boolean" },
    mode: { type: "string" },
    via: { type: "string" },
    scale: { type: "string" },
    turns: { type: "string" },
    indexed: { type: "string" },
    "by-hand": { type: "string" },
    help: { type: "boolean", short: "h" },
  },
});
const [name, ...args] = positionals;
const load = name === undefined ? undefined : BENCHES[name];

if (!load || values["help"]) {
  process.stderr.write(`npm run bench -- <name> [--json]\nBenchmarks: ${Object.keys(BENCHES).join(", ")}\n`);
  process.exitCode = values["help"] ? 0 : 2;
} else {
  const report = await (await load()).bench(args, values);
  if (values["json"]) process.stdout.write(`${JSON.stringify(report)}\n`);
  else printTable(report);
  if (report.rows.some((row) => row.ok === false)) process.exitCode = 1;
}

function printTable(report: BenchReport): void {
  const cells = report.rows.map((r) => [
    r.what,
    r.value,
    r.baseline ?? "",
    r.reach ?? "",
    r.ok === undefined ? "" : r.ok ? "ok" : "MISSED",
  ]);
  const table = [["", "measured", "baseline", "reach", ""], ...cells];
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)));
  process.stdout.write(`\n${report.name}\n`);
  for (const row of table)
    process.stdout.write(
      `  ${row
        .map((cell, i) => cell.padEnd(widths[i]!))
        .join("  ")
        .trimEnd()}\n`,
    );
}
