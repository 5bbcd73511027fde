import { readdirSync, readFileSync } from "node:fs";
import { declarationsFor } from "@elwood/runtime/programs/declarations";
import { ProcessChecker } from "@elwood/isolation/checker/program-checker";
import { manyContracts, sha256 } from "@elwood/isolation/checker/test-programs";
import { systemClock } from "@elwood/platform/system";

/**
 * node checker-cost.ts <checks> <tools>
 *
 * What checking programs costs: the first check, warm ones, and the same by starting the
 * compiler anew; and the memory of the processes. One JSON document to stdout.
 */
const [checks = 60, tools = 100] = process.argv.slice(2).map(Number);
const declarations = declarationsFor(manyContracts(tools), sha256);
const log = { warn: () => {}, debug: () => {} };

const warm = new ProcessChecker({ clock: systemClock, log });
const coldMs = await timed(warm, programOf(0));
const warmMs: number[] = [];
for (let i = 1; i <= checks; i++) warmMs.push(await timed(warm, programOf(i)));
const wrongMs: number[] = [];
for (let i = 1; i <= checks; i++)
  wrongMs.push(await timed(warm, `${programOf(i)}\nconst n: number = "${i}";`, false));
const memory = processesOf(warm.pid!).map((pid) => ({ pid, pssMb: pssMb(pid) }));
await warm.close();

const anew = new ProcessChecker({ clock: systemClock, log, compiler: "command" });
await timed(anew, programOf(0));
const commandMs: number[] = [];
for (let i = 1; i <= Math.min(checks, 15); i++) commandMs.push(await timed(anew, programOf(i)));
await anew.close();

process.stdout.write(
  JSON.stringify({
    tools,
    coldMs,
    warmMs,
    wrongMs,
    commandMs,
    memory,
    declarationBytes: declarations.check.text.length,
  }),
);

async function timed(checker: ProcessChecker, source: string, good = true): Promise<number> {
  const began = performance.now();
  const verdict = await checker.check({ source, declarations });
  const ms = performance.now() - began;
  if (verdict.ok !== good) throw new Error(`the check went wrong: ${JSON.stringify(verdict)}`);
  return ms;
}

/** Some forty lines such as a model writes, a little different each time. */
function programOf(i: number): string {
  const step = (n: number) => `
const page${n} = await tools.service0.invoice.list({ id: "a${i}", limit: ${n + 1}, state: "open" });
if (!page${n}.ok) return { failed: page${n}.error.message };
for (const item of page${n}.value.items) {
  const name: string = item.name.trim().toLowerCase();
  counts.set(name, (counts.get(name) ?? 0) + item.size);
  if (item.tags?.includes("old")) {
    const gone = await tools.service0.invoice.archive({ id: item.id });
    if (!gone.ok) console.warn(name, gone.error.message);
  }
}`;
  return `const counts = new Map<string, number>();${[0, 1, 2, 3].map(step).join("")}
const top = [...counts].toSorted((a, b) => b[1] - a[1]).slice(0, ${i + 1});
return top.map(([name, size]) => ({ name, size }));`;
}

/** A process and those it started. */
function processesOf(pid: number): number[] {
  const group = readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/stat`, "utf8").split(") ")[1]?.split(" ")[2] === String(pid);
    } catch {
      // It ended meanwhile.
      return false;
    }
  });
  return group.map(Number);
}

function pssMb(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) / 1024;
}
