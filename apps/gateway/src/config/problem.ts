import { basename } from "node:path";
import { makeRedactor } from "@elwood/core/base/redact";

/** Where a value came from. Lines and columns count from one. */
export type Place =
  | { readonly kind: "default"; readonly note?: string }
  | {
      readonly kind: "file";
      readonly file: string;
      readonly line: number;
      readonly column: number;
      /** The key as it stands there, which may be another dialect's. */
      readonly written: string;
      /** The same, key by key. */
      readonly path: readonly string[];
    }
  | { readonly kind: "environment"; readonly name: string }
  | { readonly kind: "flag"; readonly name: string };

/** Something wrong that must be mended before Elwood can start. `text` is the whole sentence for a person. */
export interface ConfigProblem {
  readonly text: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  /** The key as the person wrote it. */
  readonly key?: string;
}

/**
 * Something worth saying that stops nothing. `no-effect`: understood, but nothing happens
 * yet. `disabled`: a part was left out, and why. `warning`: it works, but look at it.
 */
export interface Notice {
  readonly kind: "no-effect" | "disabled" | "warning";
  readonly text: string;
  readonly key?: string;
}

/** A path as people write it: `prices[0].input`. */
export function dotted(path: readonly string[]): string {
  return path.reduce(
    (text, step, i) => (i === 0 ? step : /^\d+$/.test(step) ? `${text}[${step}]` : `${text}.${step}`),
    "",
  );
}

export function originText(place: Place): string {
  if (place.kind === "file") return `${basename(place.file)}:${place.line}`;
  if (place.kind !== "default") return `${place.kind} ${place.name}`;
  return place.note === undefined ? "default" : `default (${place.note})`;
}

/** `saying` continues after the key: "must be …, found …". A key pasted in the wrong place is not repeated. */
export function problemAt(place: Place, key: string, saying: string): ConfigProblem {
  if (place.kind === "file") {
    const { file, line, column } = place;
    const written = redact(place.written);
    return {
      text: redact(`${originText(place)} \`${written}\` ${saying}`),
      file,
      line,
      column,
      key: written,
    };
  }
  if (place.kind === "default") return { text: redact(`\`${key}\` ${saying}`), key };
  return { text: redact(`${place.name} (\`${key}\`) ${saying}`), key: place.name };
}

const FOUND_CHARS_MAX = 60;
const redact = makeRedactor([]);

/** What was found, short and without secrets. */
export function describeFound(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a group of settings";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value !== "string") return "something else";
  const clean = redact(value).replaceAll(/\/\/[^/@\s]*@/g, "//…@");
  return JSON.stringify(clean.length > FOUND_CHARS_MAX ? `${clean.slice(0, FOUND_CHARS_MAX)}…` : clean);
}

/** A value that stands where keys stand and is none, such as `LANG: C` or `accept: application/json`: neither its name nor its shape is a key's. */
export function isPlainValue(name: string, value: string): boolean {
  return !namesSecret(name) && !looksSecret(value) && !value.split(/\s+/).some(looksSecret);
}

export function namesSecret(name: string): boolean {
  return /auth|cookie|key|token|secret|password|credential/i.test(name);
}

export function looksSecret(value: string): boolean {
  return /^\S{16,}$/.test(value) && /\d/.test(value) && /[A-Za-z]/.test(value);
}

/** Settings whose values are never shown, wherever they stand. */
export function isSecretPath(path: readonly string[]): boolean {
  const [group, , field] = path;
  const last = path.at(-1) ?? "";
  if (/^(token|api_?key|password|secret)$/i.test(last)) return true;
  if (group === "providers" || group === "mcpServers") return field === "headers" || field === "env";
  return group === "connections" && (field === "default_headers" || field === "proxy");
}
