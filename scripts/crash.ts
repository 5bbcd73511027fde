/**
 * npm run crash: a real gateway is killed at every write it makes, and started again.
 *
 *   npm run crash                          every scenario
 *   npm run crash -- "asked and denied"    one of them
 *   npm run crash -- programs              those with programs, and programs in every order of their answers
 *   npm run crash -- --sim 20000           so many simulated schedules instead; --from <seed> begins elsewhere
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { simulate } from "@elwood/testkit/simulation";

const root = fileURLToPath(new URL("..", import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { sim: { type: "string" }, from: { type: "string", default: "1" } },
});
const passed = await (values.sim === undefined
  ? matrix(positionals[0])
  : schedules(Number(values.from), Number(values.sim)));
process.exitCode = passed ? 0 : 1;

async function matrix(only: string | undefined): Promise<boolean> {
  const began = performance.now();
  const child = spawn(
    process.execPath,
    ["node_modules/vitest/vitest.mjs", "run", ...suitesOf(only), "--reporter=verbose"],
    {
      cwd: root,
      env: {
        ...process.env,
        ELWOOD_CRASH: "full",
        ...(only === undefined ? {} : { ELWOOD_CRASH_ONLY: only }),
      },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
    process.stdout.write(text);
  });
  await once(child, "close");
  const tried = [...said.matchAll(/kill points tried: (\d+)/g)].map(([, count]) => Number(count));
  const sum = tried.reduce((all, count) => all + count, 0);
  const programs = [
    ...said.matchAll(/^programs tried, .*: (\d+) in/gm),
    ...said.matchAll(/random programs tried: (\d+)/g),
  ];
  const executed = programs.reduce((all, [, count]) => all + Number(count), 0);
  if (executed > 0) console.log(`Programs tried without a process: ${executed}.`);
  const minutes = ((performance.now() - began) / 60_000).toFixed(1);
  const verdict = child.exitCode === 0 ? "Nothing lost, nothing doubled." : "FAILED, see above.";
  console.log(`Kill points tried in all: ${sum}, in ${minutes} minutes. ${verdict}`);
  return child.exitCode === 0;
}

function suitesOf(only: string | undefined): string[] {
  const suites = ["apps/gateway/test/crash/matrix.test.ts"];
  if (only === undefined || only === "programs") suites.push("apps/gateway/test/crash/kill-matrix.test.ts");
  return suites;
}

async function schedules(from: number, count: number): Promise<boolean> {
  const totals = { crashes: 0, faults: 0, calls: 0, effects: 0 };
  const failed: number[] = [];
  let seed = from;
  process.on("unhandledRejection", (error) => {
    console.log(`seed ${seed}: nobody took care of ${String(error)}`);
    process.exit(1);
  });
  for (; seed < from + count; seed++) {
    const result = await simulate(seed);
    for (const what of ["crashes", "faults", "calls", "effects"] as const) totals[what] += result[what];
    if (result.problems.length === 0) continue;
    failed.push(seed);
    console.log(`seed ${seed} (ELWOOD_SIM_SEED=${seed} npm test -- simulation):`);
    for (const problem of result.problems) console.log(`  ${problem}`);
  }
  const { crashes, faults, calls, effects } = totals;
  console.log(
    `${count} schedules: ${crashes} crashes, ${faults} disk faults, ${calls} calls, ${effects} effects; ${failed.length} failed. ${failed.join(" ")}`,
  );
  return failed.length === 0;
}
