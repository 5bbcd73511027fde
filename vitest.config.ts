import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: [
      "packages/**/*.test.ts",
      "apps/**/*.test.ts",
      "integrations/**/*.test.ts",
      "channels/**/*.test.ts",
      "e2e/**/*.test.ts",
      "bench/**/*.test.ts",
      "scripts/**/*.test.ts",
    ],
    globalSetup: ["scripts/vitest-setup.mjs"],
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
