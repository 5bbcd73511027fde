import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/**
 * Tests that open the page, start a gateway or run a command meet what was built from these
 * sources. In processes of their own: here it would be built for tests.
 */
export function setup() {
  for (const script of ["build-page.mjs", "../apps/cli/build.mjs"])
    execFileSync(process.execPath, [fileURLToPath(new URL(script, import.meta.url))], {
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...process.env, NODE_ENV: "production" },
    });
}
