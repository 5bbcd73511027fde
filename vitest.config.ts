import { defineConfig } from "vitest/config";

/** Files that keep no state beside their own values: they share a process, which saves starting one for each. */
const SHARED = ["core", "runtime", "sdk", "platform", "testkit"].map(
  (name) => `packages/${name}/**/*.test.ts`,
);

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: "shared", isolate: false, include: SHARED } },
      {
        extends: true,
        test: {
          name: "apart",
          globalSetup: ["scripts/vitest-setup.mjs"],
          include: [
            "packages/**/*.test.ts",
            "apps/**/*.test.ts",
            "integrations/**/*.test.ts",
            "channels/**/*.test.ts",
            "e2e/**/*.test.ts",
            "bench/**/*.test.ts",
            "scripts/**/*.test.ts",
          ],
          exclude: ["**/node_modules/**", ...SHARED],
        },
      },
    ],
    pool: "forks",
    // Much of the suite waits for real processes: with two at a time, two cores were idle for almost half of the run.
    maxWorkers: 3,
    // What takes two seconds here may take ten on a machine that is busy with something else.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Something that is waited for on a busy machine; what never comes still fails well before its test does.
    expect: { poll: { timeout: 15_000 } },
    // A failure must reproduce alone and in any company.
    sequence: { shuffle: { files: true, tests: false } },
    unstubEnvs: true,
  },
});
