import { lookup } from "node:dns/promises";
import { connect as open } from "node:net";
import { networkInterfaces } from "node:os";
import { parseAddress } from "@elwood/core/net/address";
import { readOrigin, type WebRules } from "@elwood/core/net/web-address";
import { makeGuardedDialer, type Connect, type GuardedDialer, type Resolve } from "./guarded-dialer.ts";

/** What the dialer must know of the configuration and of the running gateway. */
export interface DialerSetting {
  readonly allowedOrigins: readonly string[];
  readonly ownPorts: () => readonly number[];
  readonly ownHosts: readonly string[];
  readonly ownOrigins: readonly string[];
}

/** The guarded dialer on this machine's resolver and network. */
export function systemDialer(setting: DialerSetting, resolve: Resolve = systemResolve): GuardedDialer {
  const allowedOrigins = origins(setting.allowedOrigins);
  const ownOrigins = origins(setting.ownOrigins);
  const rules = (): WebRules => ({
    allowedOrigins,
    ownOrigins,
    ownPorts: setting.ownPorts(),
    ownHosts: setting.ownHosts,
    ownAddresses: Object.values(networkInterfaces())
      .flatMap((card) => card ?? [])
      .flatMap(({ address }) => {
        const bytes = parseAddress(address);
        return bytes === undefined ? [] : [bytes];
      }),
  });
  return makeGuardedDialer({ rules, resolve, connect });
}

const systemResolve: Resolve = async (name) => {
  const answers = await lookup(name, { all: true, order: "verbatim" });
  return answers.map(({ address }) => address);
};

const connect: Connect = async (address, port, signal) => {
  return new Promise((resolved, reject) => {
    const socket = open({ host: address, port, noDelay: true });
    const abort = () => socket.destroy(new Error("stopped"));
    const settle = () => signal.removeEventListener("abort", abort);
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
    socket.once("connect", () => {
      settle();
      socket.removeAllListeners("error");
      resolved(socket);
    });
    socket.once("error", (error) => {
      settle();
      reject(error);
    });
  });
};

function origins(written: readonly string[]): string[] {
  return written.flatMap((text) => readOrigin(text) ?? []);
}
