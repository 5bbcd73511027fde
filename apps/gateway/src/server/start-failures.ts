import { fail, failure, FailureError } from "@elwood/core/base/failure";
import type { LoadedConfig } from "../config/load.ts";
import { readGatewayInfo } from "../state/discovery.ts";
import type { StateLock } from "@elwood/platform/lock";
import { portOwner } from "./port-owner.ts";

/** Another gateway has the state directory. */
export function alreadyRunning(loaded: LoadedConfig, mode: "up" | "oneshot" | "local"): StateLock {
  const { home, gatewayInfo } = loaded.paths;
  const other = readGatewayInfo(gatewayInfo);
  // Whoever started it knows a command, not a gateway.
  if (other?.mode === "oneshot")
    return fail(
      "CONFLICT",
      `An elwood command in another terminal (pid ${other.pid}) is still at work and keeps Elwood running on ${home}. Nothing was started. Wait until it is done, or stop it, then try again.`,
    );
  if (mode === "local")
    return fail(
      "CONFLICT",
      other
        ? `Elwood already runs on ${home} (pid ${other.pid}, ${other.url}). Nothing was started. Join it: leave out --local, or in a program use a GatewayEngine.`
        : `Another process has ${home} open. Nothing was started. Wait until it is done, stop it, or give this one a directory of its own: ELWOOD_HOME=/another/place.`,
    );
  const where = other ? ` (pid ${other.pid}, ${other.url})` : "";
  return fail(
    "CONFLICT",
    `Elwood already runs on ${home}${where}. Nothing was started. Use it with "elwood open" or "elwood status", stop it, or give this one a directory of its own: ELWOOD_HOME=/another/place.`,
  );
}

/** What the system said about the port, in words. */
export function portFailure(error: unknown, gateway: { host: string; port: number }): unknown {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "EADDRINUSE") {
    const owner = portOwner(gateway.port);
    const who = owner ? `pid ${owner.pid} (${owner.name})` : "another program";
    return new FailureError(
      failure(
        "CONFLICT",
        `Port ${gateway.port} is used by ${who}. Elwood did not start. If that is Elwood too, look at it with "elwood status"; else choose another: --port ${gateway.port + 1}.`,
      ),
    );
  }
  if (code === "EACCES" || code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
    return new FailureError(
      failure(
        "INVALID_INPUT",
        `Cannot listen on ${gateway.host}:${gateway.port} (${code}). Elwood did not start. Choose another with --host and --port.`,
      ),
    );
  }
  return error;
}

/** Where a gateway that listens there can be reached from this machine. */
export function addressOf(host: string, port: number): string {
  const name = host === "0.0.0.0" || host === "::" || host === "" ? "127.0.0.1" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}
