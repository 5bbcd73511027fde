import { createHash } from "node:crypto";
import { readFile, realpath } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join, sep } from "node:path";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import { SECURITY_HEADERS } from "./http.ts";
import { isMissingPath } from "@elwood/platform/system-error";

export interface StaticPage {
  /** Answers the request if the page has such a file; false where it has not. */
  serve(pathname: string, request: IncomingMessage, response: ServerResponse): Promise<boolean>;
  /** Which build lies there now; the document names it too, so that a page knows when it is an old one. */
  build(): Promise<string | undefined>;
}

const unpack = promisify(brotliDecompress);

/** As much of the stamp as the document carries. */
const BUILD_CHARS = 16;

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".json": "application/json; charset=utf-8",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};

const PAGE_CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types lit-html elwood-worker",
].join("; ");

/**
 * A frame's document: one script, known by its hash, and whatever it draws. No origin, because of the sandbox;
 * no network, because nothing is allowed; and it cannot be led elsewhere, because of the page's own `frame-src`.
 */
const FRAME = /^\/frame\/(diagram|html)$/;
const FRAME_CSP = (hash: string) =>
  [
    "default-src 'none'",
    `script-src 'sha256-${hash}'`,
    "style-src 'unsafe-inline'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    "sandbox allow-scripts",
    "webrtc 'block'",
  ].join("; ");

/** What the names of these files change with their content; everything else is asked for anew. */
const HASHED = /^\/assets\//;
const FOREVER = "public, max-age=31536000, immutable";

/** Addresses that belong to programs: whoever asks there must not be answered with a page. */
const NOT_PAGES = /^\/(ws|blobs|frame|login|health|healthz|readyz|api|v1|mcp|metrics|assets|exports)(\/|$)/;

/**
 * Serves the files of one folder and nothing outside it. Every other address that a browser
 * opens is a page of the app, which finds its way by itself. Where a compressed copy lies
 * beside a file, whoever can read it gets that.
 */
export function staticPage(folder: string): StaticPage {
  return {
    async build() {
      try {
        return (await readFile(join(folder, "sources.txt"), "utf8")).slice(0, BUILD_CHARS);
      } catch {
        return undefined; // not built, or being rebuilt: nobody is kept out by that
      }
    },
    async serve(pathname, request, response) {
      const [, frame] = FRAME.exec(pathname) ?? [];
      if (frame !== undefined) return serveFrame(folder, frame, request, response);
      const wanted = isAppRoute(pathname, request) ? "/index.html" : pathname;
      const file = await locate(folder, wanted);
      const type = file && TYPES[extname(file)];
      if (!file || !type) {
        if (wanted !== "/index.html") return false;
        response.writeHead(503, { ...SECURITY_HEADERS, "content-type": "text/plain; charset=utf-8" });
        response.end("The page is not built. Run: npm run build\n");
        return true;
      }
      const { bytes, encoding } = await smallest(folder, wanted, file, request);
      const etag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`;
      const headers = {
        ...SECURITY_HEADERS,
        "content-security-policy": PAGE_CSP,
        "content-type": type,
        "cache-control": HASHED.test(wanted) ? FOREVER : "no-cache",
        vary: "accept-encoding",
        ...(encoding === undefined ? {} : { "content-encoding": encoding }),
        etag,
      };
      if (request.headers["if-none-match"] === etag) {
        response.writeHead(304, headers).end();
        return true;
      }
      response.writeHead(200, { ...headers, "content-length": bytes.length });
      response.end(request.method === "HEAD" ? undefined : bytes);
      return true;
    },
  };
}

async function serveFrame(
  folder: string,
  name: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const file = await locate(folder, `/frame/${name}.html.br`);
  if (!file) return false;
  const packed = await readFile(file);
  const plain = await unpack(packed);
  const script = /<script>([^]*)<\/script>/.exec(plain.toString("utf8"))?.[1] ?? "";
  const isPacked = acceptedEncodings(request).has("br");
  const bytes = isPacked ? packed : plain;
  response.writeHead(200, {
    ...SECURITY_HEADERS,
    "x-frame-options": "SAMEORIGIN",
    "x-dns-prefetch-control": "off",
    "content-security-policy": FRAME_CSP(createHash("sha256").update(script).digest("base64")),
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-cache",
    vary: "accept-encoding",
    ...(isPacked ? { "content-encoding": "br" } : {}),
    "content-length": bytes.length,
  });
  response.end(request.method === "HEAD" ? undefined : bytes);
  return true;
}

function isAppRoute(pathname: string, request: IncomingMessage): boolean {
  if (pathname === "/") return true;
  // A tool's page has dots in its address; what ends like a file of ours is asked for as one.
  if (NOT_PAGES.test(pathname) || TYPES[extname(pathname)] !== undefined) return false;
  return /\btext\/html\b/.test(request.headers.accept ?? "");
}

const COPIES = [
  { encoding: "br", ending: ".br" },
  { encoding: "gzip", ending: ".gz" },
] as const;

async function smallest(folder: string, wanted: string, file: string, request: IncomingMessage) {
  const accepted = acceptedEncodings(request);
  for (const { encoding, ending } of COPIES) {
    if (!accepted.has(encoding)) continue;
    const copy = await locate(folder, `${wanted}${ending}`);
    if (copy) return { bytes: await readFile(copy), encoding };
  }
  return { bytes: await readFile(file), encoding: undefined };
}

function acceptedEncodings(request: IncomingMessage): ReadonlySet<string | undefined> {
  const named = (request.headers["accept-encoding"] ?? "").split(",");
  return new Set(named.map((each) => each.trim().split(";")[0]));
}

async function locate(folder: string, pathname: string): Promise<string | undefined> {
  if (!/^(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+$/.test(pathname)) return undefined;
  try {
    const root = await realpath(folder);
    const file = await realpath(join(root, pathname));
    return file.startsWith(root + sep) ? file : undefined;
  } catch (error) {
    if (isMissingPath(error)) return undefined;
    throw error;
  }
}
