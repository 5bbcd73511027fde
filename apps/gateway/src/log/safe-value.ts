import { LIMITS } from "@elwood/core/base/limits";
import type { Redactor } from "@elwood/core/base/redact";

export interface SafeContext {
  readonly redact: Redactor;
  /** Stacks are for debugging only. */
  readonly stack: boolean;
}

/** Fields that hold a secret by their name, whatever it looks like. */
const SECRET_NAMES =
  /^(authorization|proxy-authorization|cookie|set-cookie|x-api-key|api[-_]?key|password|passwd|passphrase|secret|client[-_]?secret|token|access[-_]?token|refresh[-_]?token|bearer)$/i;

/**
 * Any value as plain, bounded, redacted JSON data. Survives circles, getters that throw,
 * proxies and everything else that code may hand to a log.
 */
export function safeValue(value: unknown, context: SafeContext): unknown {
  return visit(value, context, 0, new Set());
}

function visit(value: unknown, context: SafeContext, depth: number, above: Set<object>): unknown {
  switch (typeof value) {
    case "string":
      return shorten(context.redact(value));
    case "number":
      return Number.isFinite(value) ? value : String(value);
    case "bigint":
      return String(value);
    case "boolean":
    case "undefined":
      return value;
    case "symbol":
    case "function":
      return `[${typeof value}]`;
    case "object":
      break;
  }
  if (value === null) return null;
  const object: object = value;
  if (above.has(object)) return "[circular]";
  if (depth >= LIMITS.logDepthMax) return "[deeper]";
  above.add(object);
  try {
    return visitObject(object, context, depth + 1, above);
  } catch {
    // A getter or a proxy that throws is told as such; the rest of the line stands.
    return "[unreadable]";
  } finally {
    above.delete(object);
  }
}

function visitObject(value: object, context: SafeContext, depth: number, above: Set<object>): unknown {
  const inner = (each: unknown) => visit(each, context, depth, above);
  if (value instanceof Error) return errorValue(value, context, inner);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
  if (value instanceof URL) return inner(value.href);
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value) || value instanceof Set) {
    const items = [...(value as Iterable<unknown>)];
    const kept = items.slice(0, LIMITS.logItemsMax).map(inner);
    return items.length > kept.length ? [...kept, `[${items.length - kept.length} more]`] : kept;
  }
  const entries: [unknown, unknown][] =
    value instanceof Map
      ? [...(value as Map<unknown, unknown>)]
      : Object.keys(value).map((k) => [k, undefined]);
  const out: Record<string, unknown> = {};
  for (const [key, given] of entries.slice(0, LIMITS.logItemsMax)) {
    const name = shorten(context.redact(typeof key === "string" ? key : describe(key)));
    const each = value instanceof Map ? given : readProperty(value, String(key));
    const secret =
      SECRET_NAMES.test(name) && each !== undefined && each !== null && typeof each !== "boolean";
    // Defined, not assigned: a field named __proto__ stays a field.
    Object.defineProperty(out, name, {
      value: secret ? "[redacted]" : inner(each),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  if (entries.length > LIMITS.logItemsMax) out["[more]"] = entries.length - LIMITS.logItemsMax;
  return out;
}

function errorValue(error: Error, context: SafeContext, inner: (value: unknown) => unknown): unknown {
  const code: unknown = "code" in error ? error.code : undefined;
  const reason: unknown = "failure" in error ? inner(error.failure) : undefined;
  return {
    name: inner(error.name),
    message: inner(error.message),
    ...(typeof code === "string" || typeof code === "number" ? { code: inner(code) } : {}),
    ...(reason === undefined ? {} : { failure: reason }),
    ...(context.stack && error.stack !== undefined ? { stack: inner(error.stack) } : {}),
    ...(error.cause === undefined ? {} : { cause: inner(error.cause) }),
  };
}

function readProperty(object: object, key: string): unknown {
  try {
    return (object as Record<string, unknown>)[key];
  } catch {
    return "[unreadable]";
  }
}

function describe(key: unknown): string {
  if (typeof key === "number" || typeof key === "boolean" || typeof key === "bigint") return String(key);
  return `[${typeof key}]`;
}

function shorten(text: string): string {
  if (text.length <= LIMITS.logValueCharsMax) return text;
  return `${text.slice(0, LIMITS.logValueCharsMax)}… [${text.length} characters]`;
}
