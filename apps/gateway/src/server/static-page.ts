import { createHash } from "node:crypto";
import { readFile, realpath } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join, sep } from "node:path";
import { SECURITY_HEADERS } from "./http.ts";

export interface StaticPage {
  /** Answers the request if the page has such a file; false where it has not. */
  serve(pathname: string, request: IncomingMessage, response: ServerResponse): Promise<boolean>;
}

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
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types lit-html dompurify",
].join("; ");

/** Serves the files of one folder and nothing outside it. */
export function staticPage(folder: string): StaticPage {
  return {
    async serve(pathname, request, response) {
      const file = await locate(folder, pathname);
      const type = file && TYPES[extname(file)];
      if (!file || !type) return false;
      const bytes = await readFile(file);
      const etag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`;
      const headers = {
        ...SECURITY_HEADERS,
        "content-security-policy": PAGE_CSP,
        "content-type": type,
        "cache-control": "no-cache",
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

async function locate(folder: string, pathname: string): Promise<string | undefined> {
  const wanted = pathname === "/" ? "/index.html" : pathname;
  if (!/^(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)+$/.test(wanted)) return undefined;
  try {
    const root = await realpath(folder);
    const file = await realpath(join(root, wanted));
    return file.startsWith(root + sep) ? file : undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}
