import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Tests that open the page open the one of these sources. In a process of its own: here it would be built for tests. */
export function setup() {
  execFileSync(process.execPath, [fileURLToPath(new URL("build-page.mjs", import.meta.url))], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, NODE_ENV: "production" },
  });
}
