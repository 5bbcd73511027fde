import { request as httpRequest, type IncomingMessage } from "node:http";
import { isIP, type Socket } from "node:net";
import { connect, rootCertificates } from "node:tls";
import type { CheckedTarget, GuardedDialer } from "./guarded-dialer.ts";
import { AnswerBroken, Unreachable } from "./web-errors.ts";
import type { WebLimits } from "./web-limits.ts";
import { isSafe, type WebRequest } from "./web-request.ts";

export interface Line {
  readonly dialer: GuardedDialer;
  readonly limits: WebLimits;
  /** Certificates to trust beside the system's; for tests. */
  readonly ca?: string;
}

/** The head of an answer; its body is still on the way. */
export interface Answer {
  readonly message: IncomingMessage;
  readonly close: () => void;
}

/**
 * One request over one connection of its own, to an address that was checked. Throws
 * Unreachable as long as nothing has been sent, and AnswerBroken from then on.
 */
export async function exchange(
  line: Line,
  target: CheckedTarget,
  request: WebRequest,
  signal: AbortSignal,
): Promise<Answer> {
  const plain = await line.dialer.connect(target, signal);
  const socket = request.url.protocol === "https:" ? await secured(plain, target, line, signal) : plain;
  if (socket.destroyed) {
    const said = `${target.host} closed the connection before anything was sent.`;
    throw new Unreachable("unreachable", said);
  }
  return ask(socket, target, request, line.limits, signal);
}

/** TLS on a connection that stands; the certificate must be for the name that was asked for. */
async function secured(plain: Socket, target: CheckedTarget, line: Line, signal: AbortSignal) {
  const { host } = target;
  if (plain.destroyed) return plain;
  return new Promise<Socket>((resolve, reject) => {
    const socket = connect({
      socket: plain,
      host,
      ...(isIP(host) === 0 && { servername: host }),
      ALPNProtocols: ["http/1.1"],
      // Said here, so that no variable of the environment can say otherwise.
      rejectUnauthorized: true,
      ...(line.ca !== undefined && { ca: [...rootCertificates, line.ca] }),
    });
    const timer = setTimeout(() => socket.destroy(new Error("no answer in time")), line.limits.connectMs);
    const stop = () => socket.destroy(new Error("stopped"));
    const settle = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      socket.removeListener("error", failed);
    };
    const failed = (error: Error) => {
      settle();
      plain.destroy();
      reject(signal.aborted ? signal.reason : tlsFailure(host, error));
    };
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    socket.on("error", failed);
    socket.once("secureConnect", () => {
      settle();
      socket.on("error", () => socket.destroy());
      resolve(socket);
    });
  });
}

function tlsFailure(host: string, error: Error): Unreachable {
  const code = "code" in error ? String(error.code) : "";
  const certificate = /CERT|SIGNED|SIGNATURE|CA_|ALTNAME|ISSUER/.test(code);
  const why = certificate ? `its certificate is not valid (${code})` : error.message;
  const said = `No safe connection to ${host}: ${why}. Nothing was sent.`;
  return new Unreachable(certificate ? "certificate" : "unreachable", said);
}

function ask(
  socket: Socket,
  { host, port }: CheckedTarget,
  { url, method, headers, body }: WebRequest,
  limits: WebLimits,
  signal: AbortSignal,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest({
      createConnection: () => socket,
      host,
      port,
      method,
      path: `${url.pathname}${url.search}`,
      headers: { ...Object.fromEntries(headers), host: url.host, connection: "close" },
      setDefaultHeaders: false,
      maxHeaderSize: limits.headBytesMax,
      insecureHTTPParser: false,
    });
    sent.maxHeadersCount = limits.headersMax;
    const timer = setTimeout(() => {
      fail(new AnswerBroken("timeout", `${host} took the request and did not answer in time.`));
    }, limits.headMs);
    const stop = () => fail(signal.reason);
    const close = () => {
      signal.removeEventListener("abort", stop);
      sent.destroy();
      socket.destroy();
    };
    const fail = (reason: unknown) => {
      clearTimeout(timer);
      close();
      reject(reason);
    };
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    let answered = false;
    sent.on("error", (error) => {
      // From the head on the body itself tells whether it came whole.
      if (!answered) fail(broken(host, error));
    });
    sent.on("upgrade", () => fail(new AnswerBroken("protocol", `${host} answered in another protocol.`)));
    sent.on("response", (message) => {
      clearTimeout(timer);
      answered = true;
      resolve({ message, close });
    });
    if (body !== undefined || !isSafe(method)) sent.setHeader("content-length", body?.length ?? 0);
    sent.end(body);
  });
}

function broken(host: string, error: Error): AnswerBroken {
  const code = "code" in error ? String(error.code) : "";
  if (code.startsWith("HPE_")) {
    return new AnswerBroken("protocol", `${host} did not answer as a web server does (${code}).`);
  }
  return new AnswerBroken("cut", `${host} took the request and broke off without an answer.`);
}
