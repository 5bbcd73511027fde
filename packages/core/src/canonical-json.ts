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
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "string") return text(value);
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new TypeError("NaN and infinity cannot be written as JSON");
    return JSON.stringify(value);
  }
  // Array.from, since map leaves holes as they are.
  if (Array.isArray(value))
    return `[${Array.from(value, (item: unknown) => write(item, depth + 1)).join(",")}]`;
  if (typeof value !== "object") throw new TypeError(`a ${typeof value} cannot be written as JSON`);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null)
    throw new TypeError("only plain objects can be written as JSON");
  const members = Object.entries(value)
    // An absent optional field and one set to undefined are the same thing in TypeScript, and in JSON.
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${text(key)}:${write(member, depth + 1)}`);
  return `{${members.join(",")}}`;
}

function text(value: string): string {
  if (!value.isWellFormed()) throw new TypeError("text with a lone surrogate cannot be written as JSON");
  return JSON.stringify(value);
}
