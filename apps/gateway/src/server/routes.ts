import { safelyParse } from "@elwood/core/base/safe-parse";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import { failure, fail, FailureError } from "@elwood/core/base/failure";
import { LIMITS } from "@elwood/core/base/limits";
import type { Services } from "../methods/services.ts";
import { newToken, sha256 } from "@elwood/platform/system";
import type { Authenticator } from "../auth/authenticate.ts";
import { browserLogin } from "../auth/browser-login.ts";
import type { DeviceProof } from "../auth/device-logins.ts";
import type { FailedAuthLimiter } from "../auth/failed-auth.ts";
import type { Api } from "./api/api.ts";
import { remoteKey } from "./guards.ts";
import type { McpRoute } from "./mcp-route.ts";
import { noteAuth, refuseFor, requirePrincipal } from "./principal.ts";
import { readBody, readJson, SECURITY_HEADERS, sendFailure, sendJson } from "./http.ts";
import type { StaticPage } from "./static-page.ts";

export interface RouteDeps {
  readonly services: Pick<
    Services,
    "system" | "access" | "receipts" | "installation" | "storage" | "observation" | "runs" | "clients"
  >;
  readonly authenticator: Authenticator;
  readonly limiter: FailedAuthLimiter;
  readonly page: StaticPage;
  readonly isReady: () => boolean;
  /** Loaded with its first request. */
  readonly api: () => Promise<Api>;
  /** The same. */
  readonly mcp: () => Promise<McpRoute>;
}

const INLINE_IMAGES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** Every HTTP address of the gateway. Host and Origin have been checked by then. */
export async function route(
  request: IncomingMessage,
  response: ServerResponse,
  deps: RouteDeps,
): Promise<void> {
  const url = addressOf(request);
  const reads = request.method === "GET" || request.method === "HEAD";
  if (url.pathname === "/health" || url.pathname === "/healthz") {
    if (!reads) return methodNotAllowed(response, "GET, HEAD");
    return sendJson(response, 200, { status: "ok", uptime: uptime(deps) });
  }
  if (url.pathname === "/readyz") {
    if (!reads) return methodNotAllowed(response, "GET, HEAD");
    const ready = deps.isReady();
    return sendJson(response, ready ? 200 : 503, {
      status: ready ? "ready" : "starting",
      uptime: uptime(deps),
    });
  }
  if (url.pathname === "/login") {
    return request.method === "POST" ? login(request, response, deps) : methodNotAllowed(response, "POST");
  }
  if (url.pathname === "/login/challenge") {
    if (request.method !== "POST") return methodNotAllowed(response, "POST");
    return sendJson(response, 200, deps.services.access.devices.challenge());
  }
  if (url.pathname === "/blobs") {
    return request.method === "POST" ? upload(request, response, deps) : methodNotAllowed(response, "POST");
  }
  if (url.pathname.startsWith("/blobs/")) {
    return reads ? download(url, request, response, deps) : methodNotAllowed(response, "GET, HEAD");
  }
  if (url.pathname === "/exports/receipts") {
    return request.method === "GET" ? exportReceipts(url, response, deps) : methodNotAllowed(response, "GET");
  }
  if (/^\/(?:api|hooks|v1)\//.test(url.pathname)) return (await deps.api()).answer(request, response, url);
  if (url.pathname === "/metrics") {
    if (!reads) return methodNotAllowed(response, "GET, HEAD");
    return (await import("./metrics-route.ts")).answerMetrics(request, response, deps);
  }
  if (url.pathname === "/mcp") return (await deps.mcp()).answer(request, response);
  if (reads && (await deps.page.serve(url.pathname, request, response))) return;
  sendFailure(response, failure("NOT_FOUND", "There is nothing at this address."));
}

/** Only a path names something here. Joined, not resolved: `//name/…` would otherwise name another host. */
function addressOf(request: IncomingMessage): URL {
  const target = request.url ?? "";
  const url = target.startsWith("/") ? URL.parse(`http://gateway.invalid${target}`) : null;
  return url ?? fail("INVALID_INPUT", "That is not an address of this gateway.");
}

function uptime(deps: RouteDeps): number {
  return (deps.services.system.clock.now() - deps.services.installation.startedAt) / 1000;
}

function methodNotAllowed(response: ServerResponse, allow: string): void {
  sendJson(response, 405, { error: { message: `Use ${allow} here.` } }, { allow });
}

const loginSchema = z.union([
  z.strictObject({ ticket: z.string().min(1).max(200) }),
  z.strictObject({
    deviceId: z.string().min(1).max(64),
    challenge: z.string().min(1).max(200),
    signature: z.string().min(1).max(200),
  }),
]);

/** A one-time ticket from the login link, or what a device that stays logged in has signed, becomes a token. */
async function login(request: IncomingMessage, response: ServerResponse, deps: RouteDeps): Promise<void> {
  const { access, system } = deps.services;
  const body = safelyParse(loginSchema, await readJson(request));
  const asked = body.success ? body.data : { ticket: "" };
  if ("deviceId" in asked) return loginOfDevice(asked, request, response, deps);
  const ticket = access.loginTickets.use(asked.ticket);
  if (!ticket)
    return refuseLogin(
      request,
      deps,
      "This login link was used before or is older than ten minutes. Get a fresh one with: elwood open",
    );
  const token = newToken();
  const made = browserLogin(system.clock.now());
  const id = system.ids.next("token");
  await access.audit.noteToken({ id, ...made }, { actor: "owner", surface: "http" });
  await access.tokens.add(ticket.tenant, { id, ...made, hash: sha256(token) });
  noteAuth(request, deps, "login", true, made.name);
  sendJson(response, 200, { token, scopes: made.scopes, expiresAt: made.expiresAt });
}

async function loginOfDevice(
  proof: DeviceProof,
  request: IncomingMessage,
  response: ServerResponse,
  deps: RouteDeps,
): Promise<void> {
  const { devices, tokens } = deps.services.access;
  const device = (await tokens.list(deps.authenticator.tenant)).find(({ id }) => id === proof.deviceId);
  if (!devices.proves(proof, device) || !device)
    return refuseLogin(
      request,
      deps,
      "This browser does not stay logged in any more. Get a link with: elwood open",
    );
  noteAuth(request, deps, "login", true, device.name);
  sendJson(response, 200, { ...devices.open(device), scopes: device.scopes });
}

function refuseLogin(request: IncomingMessage, deps: RouteDeps, words: string): never {
  refuseFor(deps.limiter.waitMs(remoteKey(request)));
  deps.limiter.failed(remoteKey(request));
  noteAuth(request, deps, "login", false);
  return fail("UNAUTHENTICATED", words);
}

async function upload(request: IncomingMessage, response: ServerResponse, deps: RouteDeps): Promise<void> {
  const principal = await requirePrincipal(request, deps, { door: "blobs", scope: "chat" });
  const mime = (request.headers["content-type"] ?? "application/octet-stream")
    .split(";")[0]!
    .trim()
    .toLowerCase();
  if (!/^[a-z0-9.+-]+\/[a-z0-9.+-]+$/.test(mime))
    fail("INVALID_INPUT", "The Content-Type is not a media type. Nothing was stored.");
  const bytes = await readBody(request, LIMITS.blobBytesMax);
  if (bytes.length === 0) fail("INVALID_INPUT", "The file is empty. Nothing was stored.");
  const refused = await deps.services.storage.refusal("The file was not stored.");
  if (refused) throw new FailureError(refused);
  const info = await deps.services.access.blobs.put(
    principal.tenant,
    bytes,
    mime,
    deps.services.system.clock.now(),
  );
  sendJson(response, 201, info);
}

async function download(
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
  deps: RouteDeps,
): Promise<void> {
  // Ids hold nothing that an address would have to encode.
  const blobId = url.pathname.slice("/blobs/".length);
  const { access } = deps.services;
  const ticket = url.searchParams.get("ticket");
  const granted = ticket === null ? undefined : access.blobTickets.look(ticket);
  const tenant =
    granted?.blobId === blobId
      ? granted.tenant
      : (await requirePrincipal(request, deps, { door: "blobs", scope: "chat" })).tenant;
  const found =
    granted?.blobId === blobId && granted.path !== undefined
      ? await fileLeft(access, granted.path)
      : await storedFile(access, tenant, blobId);
  if (!found) fail("NOT_FOUND", "There is no such stored file.");
  const { mime, bytes, caching } = found;
  const inline = INLINE_IMAGES.has(mime);
  if (url.searchParams.get("show") === "pdf" && isPdf(bytes)) {
    sendPdf(request, response, { bytes, caching });
    return;
  }
  response.writeHead(200, {
    ...SECURITY_HEADERS,
    // Stored bytes are nobody's page: never rendered as one, whatever they claim to be.
    "content-type": inline ? mime : "application/octet-stream",
    "content-disposition": inline ? "inline" : "attachment",
    "content-security-policy": "default-src 'none'; sandbox",
    "content-length": bytes.length,
    "cache-control": caching,
  });
  response.end(request.method === "HEAD" ? undefined : bytes);
}

interface FoundFile {
  readonly mime: string;
  readonly bytes: Uint8Array;
  readonly caching: string;
}

async function storedFile(
  { blobs }: RouteDeps["services"]["access"],
  tenant: string,
  blobId: string,
): Promise<FoundFile | undefined> {
  const info = await blobs.info(tenant, blobId);
  const bytes = info && (await blobs.read(tenant, blobId));
  return bytes && { mime: info.mime, bytes, caching: "private, max-age=300, immutable" };
}

/** What a call left: the owner may change it at any time. */
async function fileLeft(
  { showFile }: RouteDeps["services"]["access"],
  path: string,
): Promise<FoundFile | undefined> {
  const file = await showFile(path);
  return "problem" in file ? undefined : { mime: file.mimeType, bytes: file.bytes, caching: "no-store" };
}

function isPdf(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, 5)).toString("latin1") === "%PDF-";
}

/** For the browser's own viewer, in a frame of the page. A browser draws nothing else out of what is called a PDF. */
function sendPdf(
  request: IncomingMessage,
  response: ServerResponse,
  { bytes, caching }: Pick<FoundFile, "bytes" | "caching">,
): void {
  response.writeHead(200, {
    ...SECURITY_HEADERS,
    "x-frame-options": "SAMEORIGIN",
    "content-type": "application/pdf",
    "content-disposition": "inline",
    "content-security-policy":
      "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'",
    "content-length": bytes.length,
    "cache-control": caching,
  });
  response.end(request.method === "HEAD" ? undefined : bytes);
}

/** The whole log as a download. Its ticket stands in the address, so it counts once and not for long. */
async function exportReceipts(url: URL, response: ServerResponse, deps: RouteDeps): Promise<void> {
  const { access, receipts, system } = deps.services;
  const granted = access.exportTickets.use(url.searchParams.get("ticket") ?? "");
  if (!granted)
    fail("UNAUTHENTICATED", "This address was used before or is older than a minute. Ask for a new one.");
  const at = system.clock.now();
  const pieces = await receipts.document(granted.tenant, { bodies: granted.bodies, at });
  const day = new Date(at).toISOString().slice(0, "2026-11-15".length);
  response.writeHead(200, {
    ...SECURITY_HEADERS,
    "content-type": "application/json; charset=utf-8",
    "content-disposition": `attachment; filename="elwood-receipts-${day}.json"`,
    "content-security-policy": "default-src 'none'; sandbox",
    "cache-control": "no-store",
  });
  await pipeline(Readable.from(pieces), response);
}
