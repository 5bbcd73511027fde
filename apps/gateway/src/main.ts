import { runCli } from "./cli/program.ts";

const code = await runCli(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
});
// Not process.exit(): what was written to a pipe must still leave.
process.exitCode = code;
