/**
 * RFC 8785: one text for one JSON value, so that a hash over it means the value. Keys are
 * sorted by UTF-16 code units, numbers written as ECMAScript writes them. What JSON cannot
 * hold is refused, never dropped: a value that silently changed would be approved as
 * something else.
 */
export function canonicalJson(value: unknown): string {
  return write(value, 0);
}

const DEPTH_MAX = 200;

function write(value: unknown, depth: number): string {
  if (depth > DEPTH_MAX) throw new TypeError("the value is nested too deeply to be written canonically");
  if (typeof value === "string") return text(value);
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new TypeError("NaN and infinity cannot be written as JSON");
    return String(value);
  }
  if (typeof value !== "object") throw new TypeError(`a ${typeof value} cannot be written as JSON`);
  return Array.isArray(value) ? list(value, depth) : members(value, depth);
}

function list(items: readonly unknown[], depth: number): string {
  let written = "";
  // By number, so that a hole is met and refused.
  for (let i = 0; i < items.length; i++) written += `${i === 0 ? "" : ","}${write(items[i], depth + 1)}`;
  return `[${written}]`;
}

function members(value: object, depth: number): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null)
    throw new TypeError("only plain objects can be written as JSON");
  let written = "";
  // Sorted by code units, which is what a sort without a comparison does.
  for (const key of Object.keys(value).sort()) {
    const member: unknown = (value as Record<string, unknown>)[key];
    // An absent optional field and one set to undefined are the same thing in TypeScript, and in JSON.
    if (member === undefined) continue;
    written += `${written === "" ? "" : ","}${text(key)}:${write(member, depth + 1)}`;
  }
  return `{${written}}`;
}

/** Printable ASCII without quote and backslash stands for itself; most text that is hashed is such. */
const PLAIN = /^[ !#-[\]-~]*$/;

function text(value: string): string {
  if (PLAIN.test(value)) return `"${value}"`;
  if (!value.isWellFormed()) throw new TypeError("text with a lone surrogate cannot be written as JSON");
  return JSON.stringify(value);
}
