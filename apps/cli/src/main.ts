import { describeBug } from "./failure-text.ts";
import { Faults } from "./faults.ts";
import { runCli } from "./program.ts";

const faults = new Faults(process, (error) => process.stderr.write(describeBug(error, process.env)));

// A reader that has seen enough (`| head`) closes the pipe; that is no fault.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

const code = await runCli(process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  faults,
});
// Not process.exit(): what was written to a pipe must still leave.
process.exitCode = code;
