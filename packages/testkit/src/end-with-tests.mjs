import { rmSync } from "node:fs";

/*
 * Loaded into a gateway under test before anything else (node --import). A test runner
 * kills its workers without asking them, so that no clean-up of theirs can be relied on;
 * but the channel to a worker closes with it, however it ends, and then nobody is left to
 * need the gateway, or the temporary folder that this file's address names.
 */
const temporaryHome = new URL(import.meta.url).searchParams.get("remove");

process.once("disconnect", () => {
  if (temporaryHome) rmSync(temporaryHome, { recursive: true, force: true });
  process.kill(process.pid, "SIGKILL");
});
// Waiting for that must not be what keeps a stopped gateway alive.
process.channel?.unref();
