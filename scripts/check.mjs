// Format, lint with type-aware rules, and type-check: the same here and in CI, offline.
import { spawnSync } from "node:child_process";

const steps = [
  ["format", "oxfmt", ["--check", "."]],
  ["lint", "oxlint", ["--type-aware", "--deny-warnings", "."]],
  ["types", "tsc", ["--noEmit", "-p", "tsconfig.json"]],
];

let failed = false;
for (const [name, command, args] of steps) {
  const started = performance.now();
  const result = spawnSync(command, args, { stdio: ["ignore", "pipe", "pipe"], encoding: "utf8" });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (result.status === 0) {
    console.log(`✓ ${name} (${seconds} s)`);
    continue;
  }
  failed = true;
  console.log(`✗ ${name} (${seconds} s)`);
  console.log(result.error ? String(result.error.message) : `${result.stdout}${result.stderr}`);
  if (name === "format") console.log("  mend it with: npm run format");
}
process.exit(failed ? 1 : 0);
