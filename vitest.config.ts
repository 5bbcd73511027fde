import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: [
      "packages/**/*.test.ts",
      "apps/**/*.test.ts",
      "integrations/**/*.test.ts",
      "e2e/**/*.test.ts",
      "bench/**/*.test.ts",
      "scripts/**/*.test.ts",
    ],
    pool: "forks",
    testTimeout: 20_000,
    hookTimeout: 30_000,
    // A failure must reproduce alone and in any company.
    sequence: { shuffle: { files: true, tests: false } },
    unstubEnvs: true,
  },
});
