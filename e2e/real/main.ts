/**
 * npm run test:real [name…]: runs the suites against real servers, or those that are named. A suite whose
 * server is not installed fails, and says how to install it.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { REAL_SUITES } from "./suites.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const names = process.argv.slice(2);
const unknown = names.filter((name) => !REAL_SUITES.some((suite) => suite.name === name));
if (unknown.length > 0) {
  process.stderr.write(
    `There is no suite ${unknown.join(", ")}. There are ${REAL_SUITES.map(({ name }) => name).join(", ")}.\n`,
  );
  process.exit(2);
}
const chosen = REAL_SUITES.filter(({ name }) => names.length === 0 || names.includes(name));
for (const { name, needs } of chosen) process.stdout.write(`${name}: needs ${needs}\n`);
const { status } = spawnSync(
  process.execPath,
  ["node_modules/vitest/vitest.mjs", "run", "--config", "e2e/real/vitest.config.ts"],
  {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, REAL_SUITES: chosen.map(({ name }) => name).join(",") },
  },
);
process.exitCode = status ?? 1;
