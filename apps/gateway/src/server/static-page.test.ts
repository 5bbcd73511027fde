import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { staticPage } from "./static-page.ts";

let folder: string;
let base: string;
let close: () => void;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "elwood-page-"));
  mkdirSync(join(folder, "dist/assets"), { recursive: true });
  writeFileSync(join(folder, "dist/index.html"), "<p>app</p>");
  writeFileSync(join(folder, "dist/assets/a-1.js"), "plain");
  writeFileSync(join(folder, "dist/assets/a-1.js.gz"), "gz bytes");
  writeFileSync(join(folder, "secret.txt"), "secret");
  symlinkSync(join(folder, "secret.txt"), join(folder, "dist/out.svg"));
  const page = staticPage(join(folder, "dist"));
  const server = createServer((request, response) => {
    void page.serve(new URL(request.url ?? "/", "http://x").pathname, request, response).then((served) => {
      if (!served) response.writeHead(404).end();
      return undefined;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  close = () => server.close();
});

afterEach(() => {
  close();
  rmSync(folder, { recursive: true, force: true });
});

test("tells which build lies there now, and nothing where there is none", async () => {
  const page = staticPage(join(folder, "dist"));
  expect(await page.build()).toBeUndefined();
  for (const stamp of ["0123456789abcdef0123", "fedcba98765432100123"]) {
    writeFileSync(join(folder, "dist/sources.txt"), `${stamp}\n`);
    expect(await page.build()).toBe(stamp.slice(0, 16));
  }
});

const asBrowser = { headers: { accept: "text/html,application/xhtml+xml" } };

test("every address of the app is its one document", async () => {
  for (const path of [
    "/",
    "/c/ses_1",
    "/approvals/apr_1",
    "/runs",
    "/tools/files.file.write",
    "/a/page/of/tomorrow",
  ]) {
    const response = await fetch(base + path, asBrowser);
    expect([response.status, await response.text()], path).toEqual([200, "<p>app</p>"]);
    expect(response.headers.get("cache-control")).toBe("no-cache");
    expect(response.headers.get("content-security-policy")).toContain("require-trusted-types-for 'script'");
  }
});

test("programs, and files that are not there, are never answered with a page", async () => {
  for (const path of [
    "/api/v1/x",
    "/v1/models",
    "/mcp",
    "/metrics",
    "/blobs/x",
    "/assets/gone.js",
    "/gone.js",
  ])
    expect((await fetch(base + path, asBrowser)).status, path).toBe(404);
  expect((await fetch(`${base}/runs`, { headers: { accept: "application/json" } })).status).toBe(404);
});

test("files with a hash in their name are kept for ever, and come compressed to whoever can read that", async () => {
  const packed = await fetch(`${base}/assets/a-1.js`, {
    headers: { "accept-encoding": "gzip;q=1.0, br" },
  }).catch(() => undefined);
  // What lies there is no real gzip; the client notices, which shows that it was sent.
  expect(packed === undefined || packed.headers.get("content-encoding") === "gzip").toBe(true);
  const plain = await fetch(`${base}/assets/a-1.js`, { headers: { "accept-encoding": "identity" } });
  expect(await plain.text()).toBe("plain");
  expect(plain.headers.get("cache-control")).toContain("immutable");
  expect(plain.headers.get("vary")).toBe("accept-encoding");
});

test("nothing outside its folder is served, not even by a link inside it", async () => {
  expect((await fetch(`${base}/out.svg`)).status).toBe(404);
  expect((await fetch(`${base}/..%2fsecret.txt`)).status).toBe(404);
});

test("a page that was never built says how to build it", async () => {
  rmSync(join(folder, "dist"), { recursive: true });
  const response = await fetch(base, asBrowser);
  expect([response.status, await response.text()]).toEqual([
    503,
    "The page is not built. Run: npm run build\n",
  ]);
});

test("a frame's document has no origin and no network, runs the one script it has, and is no page of the app", async () => {
  const script = "addEventListener('message', () => 1)";
  const text = `<html><script>${script}</script></html>`;
  mkdirSync(join(folder, "dist/frame"));
  writeFileSync(join(folder, "dist/frame/html.html.br"), brotliCompressSync(text));
  for (const encoding of ["identity", "br"]) {
    const response = await fetch(`${base}/frame/html`, { headers: { "accept-encoding": encoding } });
    expect(await response.text()).toBe(text);
    const policy = response.headers.get("content-security-policy")?.split("; ") ?? [];
    const hash = createHash("sha256").update(script).digest("base64");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(`script-src 'sha256-${hash}'`);
    expect(policy).toContain("sandbox allow-scripts");
    expect(policy).toContain("frame-ancestors 'self'");
    expect(policy.filter((part) => /'self'|https?:|\*/.test(part))).toEqual(["frame-ancestors 'self'"]);
    expect(response.headers.get("x-frame-options")).toBe("SAMEORIGIN");
  }
  for (const path of ["/frame/diagram", "/frame/other", "/frame/html.html.br"])
    expect((await fetch(base + path, asBrowser)).status, path).toBe(404);
});

test("of frames, the page may have those of this gateway and no others", async () => {
  const policy = (await fetch(base, asBrowser)).headers.get("content-security-policy") ?? "";
  expect(policy.split("; ")).toContain("frame-src 'self'");
  expect(policy).toContain("frame-ancestors 'none'");
});
