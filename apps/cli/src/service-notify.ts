import { spawn } from "node:child_process";
import type { Clock } from "@elwood/runtime/ports/ports";

/** Tells the system's service manager how Elwood does. Does nothing where there is none. */
export interface ServiceNotifier {
  ready(status: string): void;
  stopping(): void;
}

const NOTIFY = "systemd-notify";
const SILENT: ServiceNotifier = { ready() {}, stopping() {} };

/**
 * By the program systemd-notify, since Node cannot send to a datagram socket. The watchdog is fed
 * from a timer of the event loop: a loop that hangs feeds nothing, and systemd starts Elwood again.
 */
export function serviceNotifier(
  env: Readonly<Record<string, string | undefined>>,
  clock: Pick<Clock, "sleep">,
): ServiceNotifier {
  const socket = env["NOTIFY_SOCKET"];
  if (socket === undefined || socket === "") return SILENT;
  const microseconds = Number(env["WATCHDOG_USEC"] ?? 0);
  const stopped = new AbortController();
  const tell = (...words: string[]) => {
    const given = { PATH: env["PATH"] ?? "", NOTIFY_SOCKET: socket };
    const child = spawn(NOTIFY, [`--pid=${process.pid}`, ...words], { stdio: "ignore", env: given });
    // Where the program is missing, systemd says itself that nobody told it anything.
    child.on("error", () => undefined);
    child.unref();
  };
  const feed = async () => {
    while (!stopped.signal.aborted) {
      // A third of the time: two may be late.
      await clock.sleep(microseconds / 3000, stopped.signal);
      if (!stopped.signal.aborted) tell("WATCHDOG=1");
    }
  };
  return {
    ready(status) {
      tell("--ready", `--status=${status}`);
      if (Number.isFinite(microseconds) && microseconds > 0) void feed();
    },
    stopping() {
      stopped.abort();
      tell("STOPPING=1");
    },
  };
}
