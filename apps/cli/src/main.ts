import { describeBug } from "./failure-text.ts";
import { Faults } from "./faults.ts";
import { runCli } from "./program.ts";

const faults = new Faults(process, (error) => process.stderr.write(describeBug(error, process)));

// A reader that has seen enough (`| head`) closes the pipe, and a terminal can go away; that is no fault.
for (const stream of [process.stdout, process.stderr])
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE" && error.code !== "EIO") throw error;
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
