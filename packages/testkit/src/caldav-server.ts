import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface CaldavOptions {
  readonly username?: string;
  readonly password?: string;
  /** Names of its calendars, by the last part of their path. */
  readonly calendars?: Readonly<Record<string, string>>;
  /** Where it says the calendars are; its own place unless told. */
  readonly home?: (origin: string) => string;
}

const BODY_BYTES_MAX = 4 * 1024 * 1024;

/**
 * A CalDAV server on 127.0.0.1: discovery, calendars, queries over a span, and files with versions. What it
 * does not do is everything else of RFC 4791.
 */
export class CaldavServer {
  readonly requests: { readonly method: string; readonly path: string; readonly body: string }[] = [];
  readonly #files = new Map<string, string>();
  readonly #options: Required<CaldavOptions>;
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  /** What the next request that changes something is answered with, before or after it is done. */
  #fault: { readonly status: number; readonly done: boolean } | undefined;

  constructor(options: CaldavOptions = {}) {
    this.#options = {
      username: "ada",
      password: "app-password",
      calendars: { work: "Work", home: "Home" },
      home: (origin) => `${origin}/dav/ada/`,
      ...options,
    };
  }

  async start(): Promise<this> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.listen(0, "127.0.0.1", resolve);
    await promise;
    return this;
  }

  async close(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    this.#server.closeAllConnections();
    await promise;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Puts a file there, as another program would. Answers its path. */
  put(calendar: string, name: string, text: string): string {
    const path = `/dav/ada/${calendar}/${name}`;
    this.#files.set(path, text);
    return path;
  }

  /** Removes every file. */
  clear(): void {
    this.#files.clear();
  }

  text(path: string): string | undefined {
    return this.#files.get(path);
  }

  paths(): readonly string[] {
    return [...this.#files.keys()];
  }

  failNext(status: number, done = false): void {
    this.#fault = { status, done };
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? "/", this.url).pathname;
    const body = await bodyOf(request);
    const method = request.method ?? "";
    this.requests.push({ method, path, body });
    const { username, password } = this.#options;
    const right = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
    if (path === "/.well-known/caldav") return void response.writeHead(301, { location: "/dav/" }).end();
    if (request.headers.authorization !== right)
      return void response.writeHead(401, { "www-authenticate": 'Basic realm="dav"' }).end();
    if (method === "PROPFIND") return this.#properties(path, body, response);
    if (method === "REPORT") return this.#query(path, body, response);
    if (method === "GET") return this.#get(path, response);
    if (method === "PUT" || method === "DELETE") return this.#change(method, path, body, request, response);
    response.writeHead(405).end();
  }

  #properties(path: string, body: string, response: ServerResponse): void {
    if (body.includes("current-user-principal"))
      return multistatus(response, [
        row(
          path,
          "<d:current-user-principal><d:href>/dav/principals/ada/</d:href></d:current-user-principal>",
        ),
      ]);
    if (body.includes("calendar-home-set"))
      return multistatus(response, [
        row(
          path,
          `<c:calendar-home-set><d:href>${this.#options.home(this.url)}</d:href></c:calendar-home-set>`,
        ),
      ]);
    if (path !== "/dav/ada/") return void response.writeHead(404).end();
    const calendars = Object.entries(this.#options.calendars).map(([name, title]) =>
      row(
        `/dav/ada/${name}/`,
        `<d:displayname>${escaped(title)}</d:displayname><d:resourcetype><d:collection/><c:calendar/></d:resourcetype><c:supported-calendar-component-set><c:comp name="VEVENT"/></c:supported-calendar-component-set>`,
      ),
    );
    const tasks = row(
      "/dav/ada/tasks/",
      '<d:displayname>Tasks</d:displayname><d:resourcetype><d:collection/><c:calendar/></d:resourcetype><c:supported-calendar-component-set><c:comp name="VTODO"/></c:supported-calendar-component-set>',
    );
    multistatus(response, [
      row(path, "<d:resourcetype><d:collection/></d:resourcetype>"),
      ...calendars,
      tasks,
    ]);
  }

  #query(path: string, body: string, response: ServerResponse): void {
    const [, start = ""] = /start="(\w+)"/.exec(body) ?? [];
    const [, end = ""] = /end="(\w+)"/.exec(body) ?? [];
    const rows = [...this.#files]
      .filter(([each, text]) => each.startsWith(path) && mayLieIn(text, start, end))
      .map(([each, text]) =>
        row(
          each,
          `<d:getetag>${etagOf(text)}</d:getetag><c:calendar-data>${escaped(text)}</c:calendar-data>`,
        ),
      );
    multistatus(response, rows);
  }

  #get(path: string, response: ServerResponse): void {
    const text = this.#files.get(path);
    if (text === undefined) return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": "text/calendar", etag: etagOf(text) }).end(text);
  }

  #change(
    method: string,
    path: string,
    body: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): void {
    const before = this.#files.get(path);
    const fault = this.#fault;
    this.#fault = undefined;
    if (fault && !fault.done) return void response.writeHead(fault.status).end();
    const version = request.headers["if-match"];
    if (version !== undefined && (before === undefined || version !== etagOf(before)))
      return void response.writeHead(412).end();
    if (request.headers["if-none-match"] === "*" && before !== undefined)
      return void response.writeHead(412).end();
    if (method === "DELETE" && before === undefined) return void response.writeHead(404).end();
    if (method === "DELETE") this.#files.delete(path);
    else this.#files.set(path, body);
    if (fault) return void response.writeHead(fault.status).end();
    const headers = method === "PUT" ? { etag: etagOf(body) } : {};
    response.writeHead(before === undefined ? 201 : 204, headers).end();
  }
}

/** By the digits of its times alone, which is near enough for a filter; a series may lie anywhere after its start. */
function mayLieIn(text: string, start: string, end: string): boolean {
  const day = (written: string | undefined) => (written ?? "").slice(0, 8);
  const begin = /^DTSTART[^:\n]*:(\d{8})/m.exec(text)?.[1];
  // One without times is handed out always, as some servers do.
  if (begin === undefined) return true;
  const last = /^DTEND[^:\n]*:(\d{8})/m.exec(text)?.[1] ?? begin;
  return begin <= day(end) && (/^(RRULE|RDATE)/m.test(text) || last >= day(start));
}

function etagOf(text: string): string {
  return `"${createHash("sha256").update(text).digest("hex").slice(0, 16)}"`;
}

function row(href: string, props: string): string {
  return `<d:response><d:href>${href}</d:href><d:propstat><d:prop>${props}</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>`;
}

function multistatus(response: ServerResponse, rows: readonly string[]): void {
  response.writeHead(207, { "content-type": "application/xml; charset=utf-8" });
  response.end(
    `<?xml version="1.0"?><d:multistatus xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav">${rows.join("")}</d:multistatus>`,
  );
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll("\r", "&#13;");
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
