import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import type { SelfSigned } from "./self-signed.ts";

/** What a site was asked for. */
export interface SiteVisit {
  readonly method: string;
  readonly url: string;
  readonly host: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface WebSite {
  readonly port: number;
  readonly origin: string;
  readonly visits: readonly SiteVisit[];
  /** Connections that are open at this moment. */
  connections(): number;
  close(): Promise<void>;
}

type Page = (req: IncomingMessage, res: ServerResponse, query: URLSearchParams) => void;

const TEXT_LINE =
  "All work is done in the open, and each step is written down where anybody can read it again. ";

/** A readable article with what surrounds one: navigation, a script, a hidden text, links and metadata. */
export const ARTICLE = `<!doctype html><html lang="en-GB"><head><meta charset="utf-8"><title>The ledger of small things | Papers</title>
<meta name="author" content="Ada Moore"><meta property="og:site_name" content="Papers">
<meta property="article:published_time" content="2026-03-01T09:00:00Z"></head><body>
<nav><a href="/home">Home</a><a href="/more">More</a></nav><script>document.title = "stolen"</script>
<article><h1>The ledger of small things</h1><p class="byline">By Ada Moore</p>
${Array.from({ length: 6 }, (_, at) => `<p>Part ${at + 1}. ${TEXT_LINE.repeat(4)}</p>`).join("\n")}
<p>Read <a href="/next?page=2">the next part</a> or <a href="https://other.example/x">another</a>, or <a href="javascript:alert(1)">this</a>.</p>
<pre><code>const ledger = [];</code></pre><ul><li>first</li><li>second</li></ul></article>
<footer>Imprint</footer></body></html>`;

export const LOGIN = `<!doctype html><html><head><title>Sign in</title></head><body><main><form action="/session" method="post">
<label>Name <input name="user"></label><label>Password <input type="password" name="password"></label><button>Sign in</button></form></main></body></html>`;

const BOMB = Buffer.alloc(64 * 1024 * 1024);

const PAGES: Readonly<Record<string, Page>> = {
  "/article": (_req, res) => html(res, ARTICLE),
  "/login": (_req, res) => html(res, LOGIN),
  "/status": (_req, res, query) => {
    res.writeHead(Number(query.get("code")), { "content-type": "text/html", "retry-after": "120" });
    res.end("<html><head><title>Not so fast</title></head><body><p>Too many requests.</p></body></html>");
  },
  "/redirect": (_req, res, query) => {
    res.writeHead(Number(query.get("status") ?? 302), { location: query.get("to")! }).end("moved");
  },
  "/loop": (_req, res, query) => {
    const at = Number(query.get("at") ?? 0);
    const last = query.has("last") && at >= Number(query.get("last"));
    if (last) html(res, ARTICLE);
    else
      res
        .writeHead(302, {
          location: `/loop?${query.has("last") ? `last=${query.get("last")}&` : ""}at=${at + 1}`,
        })
        .end();
  },
  "/echo": (req, res) => {
    const { method, headers } = req;
    void bodyOf(req).then((body) => json(res, { method, headers, body }));
  },
  "/packed": (_req, res, query) => {
    const how = query.get("how")!;
    const packed = {
      gzip: () => gzipSync(ARTICLE),
      deflate: () => deflateSync(ARTICLE),
      br: () => brotliCompressSync(ARTICLE),
      zstd: () => zstdCompressSync(ARTICLE),
      "gzip, br": () => brotliCompressSync(gzipSync(ARTICLE)),
    }[how];
    res.writeHead(200, { "content-type": "text/html", "content-encoding": how });
    res.end(packed?.() ?? "not packed at all");
  },
  "/bomb": (_req, res, query) => {
    const how = query.get("how")!;
    const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
    const packed =
      how === "br"
        ? brotliCompressSync(BOMB, quality)
        : how === "zstd"
          ? zstdCompressSync(BOMB)
          : gzipSync(BOMB);
    res.writeHead(200, { "content-type": "text/html", "content-encoding": how }).end(packed);
  },
  "/huge": (_req, res, query) => {
    res.writeHead(200, { "content-type": "text/html" });
    res.write("<html><head><title>Huge</title></head><body><article>");
    const part = `<p>${TEXT_LINE.repeat(20)}</p>`;
    res.end(part.repeat(Math.ceil(Number(query.get("bytes")) / part.length)));
  },
  "/bytes": (_req, res, query) => {
    const encoding = query.get("encoding");
    const type = query.get("type") ?? "application/octet-stream";
    res.writeHead(200, { "content-type": type, ...(encoding !== null && { "content-encoding": encoding }) });
    res.end(Buffer.from(query.get("hex") ?? "", "hex"));
  },
  "/text": (_req, res) => res.writeHead(200, { "content-type": "text/plain" }).end("plain words\n"),
  "/json": (_req, res) => json(res, { name: "Elwood", list: [1, 2] }),
  // The head and a little, then nothing until the client leaves.
  "/drip": (_req, res) => {
    res.writeHead(200, { "content-type": "text/html" });
    const timer = setInterval(() => res.write("."), 5);
    res.once("close", () => clearInterval(timer));
  },
  "/stall": (_req, res) => void res.writeHead(200, { "content-type": "text/html" }).write("<p>begin"),
  "/silent": () => {},
  "/cut": (req, res) => {
    res.writeHead(200, { "content-type": "text/html", "content-length": "1000" });
    res.write("<p>half a", () => req.socket.destroy());
  },
  "/hang-up": (req) => void req.socket.destroy(),
  // Says one length and sends twelve bytes.
  "/liar": (req, _res, query) => {
    const length = query.get("length")!;
    req.socket.end(
      `HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: ${length}\r\n\r\n<p>ten bytes.`,
    );
  },
  "/garbage": (req) => void req.socket.end("SSH-2.0-OpenSSH_9.9\r\n"),
  "/heads": (_req, res, query) => {
    res.writeHead(200, { "x-large": "a".repeat(Number(query.get("bytes"))) }).end("x");
  },
};

/** A web site on 127.0.0.1 that behaves as sites do, the bad ones included. Pages are named by their path. */
export async function startWebSite(
  options: { readonly tls?: SelfSigned; readonly pages?: Readonly<Record<string, Page>> } = {},
): Promise<WebSite> {
  const visits: SiteVisit[] = [];
  const sockets = new Set<Socket>();
  const serve: RequestListener = (req, res) => {
    const url = new URL(req.url ?? "/", "http://site");
    const { method = "", headers } = req;
    visits.push({ method, url: req.url ?? "", host: headers.host ?? "", headers });
    const page = options.pages?.[url.pathname] ?? PAGES[url.pathname];
    if (page) page(req, res, url.searchParams);
    else res.writeHead(404, { "content-type": "text/html" }).end("<h1>Not here</h1>");
  };
  const server = options.tls ? createTlsServer({ ...options.tls }, serve) : createServer(serve);
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: `${options.tls ? "https" : "http"}://127.0.0.1:${port}`,
    visits,
    connections: () => sockets.size,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function html(res: ServerResponse, text: string): void {
  res.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(text);
}

function json(res: ServerResponse, value: unknown): void {
  res.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}

async function bodyOf(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
