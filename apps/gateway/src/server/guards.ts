import { isIP } from "node:net";
import type { IncomingMessage } from "node:http";
import { failure, type Failure } from "@elwood/core/base/failure";

/**
 * Which browsers and which names may reach the gateway.
 *
 * A page from anywhere can make a browser connect to 127.0.0.1, and a name of the
 * attacker's can be made to point here. So a request that carries an `Origin` must carry
 * one from an exact list, and the `Host` it asks for must be one of ours, on loopback too.
 */
export interface Guards {
  /** Why the request is refused; undefined where it may pass. */
  refusal(request: IncomingMessage): Failure | undefined;
}

export function makeGuards(options: {
  host: string;
  port: number;
  allowedOrigins: readonly string[];
  allowedHosts: readonly string[];
}): Guards {
  const names = ["127.0.0.1", "localhost", "[::1]"];
  if (!isAnyAddress(options.host))
    names.push(isIP(options.host) === 6 ? `[${options.host}]` : options.host.toLowerCase());
  const hosts = new Set(
    names.flatMap((n) => (options.port === 80 ? [n, `${n}:80`] : [`${n}:${options.port}`])),
  );
  for (const host of options.allowedHosts) hosts.add(host.toLowerCase());
  const origins = new Set([...hosts].map((h) => `http://${h}`));
  for (const host of options.allowedHosts) origins.add(`https://${host.toLowerCase()}`);
  for (const origin of options.allowedOrigins) origins.add(origin.toLowerCase().replace(/\/$/, ""));
  return {
    refusal(request) {
      const { host, origin } = request.headers;
      const names = request.headersDistinct["host"]?.length ?? 0;
      if (names > 1 || !hostAllowed(host, request.socket.localAddress)) {
        return failure(
          "HOST_REFUSED",
          `Refused a request for the name "${shown(host)}", which is not a name of this gateway. If it is yours, add it to gateway.allowedHosts.`,
        );
      }
      // Programs send no Origin; they are held by the token alone.
      if (origin !== undefined && !originAllowed(origin, host)) {
        return failure(
          "ORIGIN_REFUSED",
          `Blocked a page at ${shown(origin)} from talking to your assistant. If that page is yours, add it to gateway.allowedOrigins.`,
        );
      }
      return undefined;
    },
  };

  function hostAllowed(host: string | undefined, localAddress: string | undefined): boolean {
    if (host === undefined) return false;
    if (hosts.has(host.toLowerCase())) return true;
    // Bound to every address: the address that was dialled, written as a number, cannot be a rebound name.
    return (
      isAnyAddress(options.host) && localAddress !== undefined && host === hostOf(localAddress, options.port)
    );
  }

  function originAllowed(origin: string, host: string | undefined): boolean {
    if (origins.has(origin.toLowerCase())) return true;
    return isAnyAddress(options.host) && origin === `http://${host}`;
  }
}

/** Headers are the sender's text: cut short and stripped before they are shown. */
function shown(header: string | undefined): string {
  return (header ?? "").replace(/[^\x20-\x7e]/g, "?").slice(0, 100);
}

export function isLoopbackHost(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, "").toLowerCase();
  return name === "localhost" || name === "::1" || (isIP(name) === 4 && name.startsWith("127."));
}

/** One name per machine that asks, so that a limiter cannot be walked around by writing an address differently. */
export function remoteKey(request: IncomingMessage): string {
  return (request.socket.remoteAddress ?? "unknown").replace(/^::ffff:/, "");
}

function isAnyAddress(host: string): boolean {
  return host === "0.0.0.0" || host === "::" || host === "";
}

function hostOf(address: string, port: number): string {
  const plain = address.replace(/^::ffff:/, "");
  return `${isIP(plain) === 6 ? `[${plain}]` : plain}:${port}`;
}
