import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { LIMITS } from "@elwood/core/base/limits";
import type { Hook } from "../config/schema.ts";

/**
 * Whether a request to a webhook comes from who knows its secret. Without a signature the secret itself must be
 * sent; with one, only the signature counts, in the form that GitHub or Stripe gives it. Secrets and signatures
 * are compared in constant time, as digests.
 */
export function isSigned(
  hook: Pick<Hook, "secret" | "hmac">,
  headers: IncomingHttpHeaders,
  body: Uint8Array,
  nowMs: number,
): boolean {
  const { secret, hmac: signature } = hook;
  if (signature === "github") return isGithubs(secret, headers, body);
  if (signature === "stripe") return isStripes(secret, headers, body, nowMs);
  return isSecret(secret, headers);
}

function isSecret(secret: string, headers: IncomingHttpHeaders): boolean {
  const sent = /^Bearer (\S+)$/i.exec(headers.authorization ?? "")?.[1] ?? single(headers, SECRET_HEADER);
  return sent !== undefined && isSame(sent, secret);
}

function isGithubs(secret: string, headers: IncomingHttpHeaders, body: Uint8Array): boolean {
  const sent = /^sha256=([0-9a-f]{64})$/i.exec(single(headers, "x-hub-signature-256") ?? "")?.[1];
  return sent !== undefined && isSame(sent.toLowerCase(), hmac(secret, body));
}

/** It has its time in it, and one signature for each secret that counts at the moment. */
function isStripes(secret: string, headers: IncomingHttpHeaders, body: Uint8Array, nowMs: number): boolean {
  const sent = single(headers, "stripe-signature") ?? "";
  const fields = sent.split(",").map((field) => field.trim().split("="));
  const at = fields.find(([name]) => name === "t")?.[1] ?? "";
  if (!/^\d{1,12}$/.test(at)) return false;
  if (Math.abs(nowMs - Number(at) * 1000) > LIMITS.hookSignatureAgeMs) return false;
  const wanted = hmac(secret, Buffer.concat([Buffer.from(`${at}.`), body]));
  return fields.some(([name, value]) => name === "v1" && isSame(value ?? "", wanted));
}

const SECRET_HEADER = "x-elwood-secret";

/** What names this very delivery: a sender that got no answer sends it again under the same name. */
export function deliveryKey(
  hook: Pick<Hook, "hmac">,
  headers: IncomingHttpHeaders,
  body: unknown,
): string | undefined {
  const named = single(headers, "idempotency-key");
  if (named !== undefined) return named;
  if (hook.hmac === "github") return single(headers, "x-github-delivery");
  if (hook.hmac !== "stripe" || typeof body !== "object" || body === null || !("id" in body))
    return undefined;
  return typeof body.id === "string" ? body.id : undefined;
}

function single(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

function hmac(secret: string, body: Uint8Array): string {
  return createHmac("sha256", secret).update(body).digest("hex");
}

function isSame(a: string, b: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
