// Format, lint with type-aware rules, and type-check: the same here and in CI, offline.
import { spawnSync } from "node:child_process";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

const STEPS = [
  { name: "format", command: ["oxfmt", "--check", "."], mend: "npm run format" },
  { name: "lint", command: ["oxlint", "--type-aware", "--deny-warnings", "."] },
  { name: "types", command: ["tsc", "--noEmit", "-p", "tsconfig.json"] },
];

/** Prints what fails, in full, and counts. */
export function check() {
  const counts = { passed: 0, failed: 0 };
  for (const { name, command, mend } of STEPS) {
    const started = performance.now();
    const result = spawnSync(command[0] ?? "", command.slice(1), {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      encoding: "utf8",
      env: withTools(process.env),
    });
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    if (result.status === 0) {
      counts.passed++;
      console.log(`✓ ${name} (${seconds} s)`);
      continue;
    }
    counts.failed++;
    console.log(`✗ ${name} (${seconds} s)`);
    console.log(result.error ? result.error.message : `${result.stdout}${result.stderr}`.trimEnd());
    if (mend !== undefined) console.log(`  mend it with: ${mend}`);
  }
  return counts;
}

/**
 * The project's own tools, and the Node that came with them, come first on the path: npm
 * does the same, but a script may be started without npm.
 *
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv}
 */
export function withTools(env) {
  return { ...env, PATH: `${join(root, "node_modules/.bin")}${delimiter}${env.PATH ?? ""}` };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = check().failed > 0 ? 1 : 0;
