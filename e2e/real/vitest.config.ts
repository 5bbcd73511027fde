import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { REAL_SUITES } from "./suites.ts";

const chosen = (process.env["REAL_SUITES"] ?? "").split(",");

export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  test: {
    include: REAL_SUITES.filter(({ name }) => chosen.includes(name)).map(({ file }) => file),
    pool: "forks",
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
