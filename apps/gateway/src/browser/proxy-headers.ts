/** Lines that concern one connection and not the request. */
const HOP = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Header lines of a request as they go on: without the pass, and with the host that was checked. */
export function forwardedHead(raw: readonly string[], host: string): string[] {
  const body = lines(raw).some(([name]) => name.toLowerCase() === "transfer-encoding");
  return [
    "Host",
    host,
    ...lines(raw)
      .filter(([name]) => !HOP.has(name.toLowerCase()) && name.toLowerCase() !== "host")
      .flat(),
    ...(body ? ["Transfer-Encoding", "chunked"] : []),
    "Connection",
    "close",
  ];
}

/** Header lines of an answer as they come back. */
export function returnedHead(raw: readonly string[]): string[] {
  return lines(raw)
    .filter(([name]) => !HOP.has(name.toLowerCase()))
    .flat();
}

function lines(raw: readonly string[]): [string, string][] {
  return raw.flatMap((name, at): [string, string][] => (at % 2 === 0 ? [[name, raw[at + 1] ?? ""]] : []));
}
