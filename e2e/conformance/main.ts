import { parseArgs } from "node:util";
import { CHECKS } from "./checks.ts";

/** npm run conformance -- --url http://127.0.0.1:18789 --token … */
const HELP = `Checks a running gateway against the protocol.

  npm run conformance -- --url http://127.0.0.1:18789 --token <token>

The token may also come from ELWOOD_TOKEN. It makes sessions titled "conformance" and puts them in the
trash; its messages go to whatever model the gateway uses. Exit code 0 when all checks pass.
`;

const { values } = parseArgs({
  options: { url: { type: "string" }, token: { type: "string" }, help: { type: "boolean", short: "h" } },
});
const url = values.url?.replace(/\/$/, "");
const token = values.token ?? process.env["ELWOOD_TOKEN"];

if (values.help || !url || !token) {
  process.stdout.write(HELP);
  process.exitCode = values.help ? 0 : 2;
} else {
  let failed = 0;
  for (const check of CHECKS) {
    try {
      await check.run({ url, token });
      process.stdout.write(`✓ ${check.name}\n`);
    } catch (error) {
      failed += 1;
      process.stdout.write(
        `✗ ${check.name}\n    ${error instanceof Error ? error.message : String(error)}\n`,
      );
    }
  }
  process.stdout.write(`${CHECKS.length - failed} passed, ${failed} failed\n`);
  process.exitCode = failed === 0 ? 0 : 1;
}
