/**
 * What exists in a program beside `tools` and the language. PROGRAM_GLOBALS is shown to the
 * model; CHECKED_GLOBALS is the same told in full to the compiler. Nothing of a browser or
 * of Node is there, so using it is found before anything runs.
 */
export const PROGRAM_GLOBALS = `type CallError = { code: string; message: string; retryable: boolean; status: "failed" | "denied" | "expired" | "unknown" | "invalid" };
/** Calls do not throw. Look at \`ok\` before \`value\`. A Result of a call that writes must be looked at. */
type Result<T> = { ok: true; value: T } | { ok: false; error: CallError };
/** A Result of a call that only reads. */
type ReadResult<T> = Result<T> & { readonly "~read"?: true };
/** The value, or throws a ProgramError: for when the program should stop on failure. */
declare function must<T>(result: Result<T>): T;
declare class ProgramError extends Error { readonly error: CallError; }
declare function sleep(ms: number): Promise<void>;
declare const console: Record<"log" | "info" | "debug" | "warn" | "error", (...values: unknown[]) => void>;
/** The owner's wall clock: local is "2026-11-15 09:12", weekday "Sunday", iso the same moment in UTC. */
declare const now: { readonly iso: string; readonly local: string; readonly date: string; readonly time: string; readonly weekday: string; readonly timeZone: string };
// Date, toLocaleString, toLocaleDateString and toLocaleTimeString are in the owner's time zone; name a locale ("de-DE"), else it is "en-US".
// Also there: the language up to ES2024, TextEncoder, TextDecoder, URL, URLSearchParams, structuredClone, atob, btoa.
// Not there: import, require, process, fetch, setTimeout, Intl, document.
`;

export const CHECKED_GLOBALS = `interface TextEncoder { encode(text?: string): Uint8Array; readonly encoding: string; }
declare const TextEncoder: { new (): TextEncoder; prototype: TextEncoder };
interface TextDecoder { decode(bytes?: ArrayBuffer | Uint8Array | DataView): string; readonly encoding: string; }
declare const TextDecoder: { new (label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean }): TextDecoder; prototype: TextDecoder };
interface URLSearchParams extends Iterable<[string, string]> {
  readonly size: number;
  append(name: string, value: string): void;
  delete(name: string, value?: string): void;
  get(name: string): string | null;
  getAll(name: string): string[];
  has(name: string, value?: string): boolean;
  set(name: string, value: string): void;
  sort(): void;
  toString(): string;
  forEach(callback: (value: string, name: string, params: URLSearchParams) => void): void;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
}
declare const URLSearchParams: {
  new (init?: string | Record<string, string> | Iterable<[string, string]> | string[][] | URLSearchParams): URLSearchParams;
  prototype: URLSearchParams;
};
interface URL {
  hash: string; host: string; hostname: string; href: string; readonly origin: string; password: string;
  pathname: string; port: string; protocol: string; search: string; readonly searchParams: URLSearchParams;
  username: string; toString(): string; toJSON(): string;
}
declare const URL: {
  new (url: string | URL, base?: string | URL): URL;
  prototype: URL;
  canParse(url: string | URL, base?: string | URL): boolean;
  parse(url: string | URL, base?: string | URL): URL | null;
};
declare namespace Intl {
  interface DateTimeFormatOptions {
    calendar?: string; dayPeriod?: "narrow" | "short" | "long"; numberingSystem?: string; fractionalSecondDigits?: 1 | 2 | 3;
    dateStyle?: "full" | "long" | "medium" | "short"; timeStyle?: "full" | "long" | "medium" | "short";
    hourCycle?: "h11" | "h12" | "h23" | "h24";
  }
  interface NumberFormatOptions {
    numberingSystem?: string; compactDisplay?: "short" | "long"; notation?: "standard" | "scientific" | "engineering" | "compact";
    signDisplay?: "auto" | "never" | "always" | "exceptZero" | "negative"; unit?: string; unitDisplay?: "short" | "long" | "narrow";
    currencySign?: "standard" | "accounting";
  }
  interface NumberFormatOptionsStyleRegistry { unit: never; }
  interface NumberFormatOptionsCurrencyDisplayRegistry { narrowSymbol: never; }
}
declare function structuredClone<T>(value: T): T;
declare function atob(text: string): string;
declare function btoa(text: string): string;
declare function queueMicrotask(callback: () => void): void;
`;

/**
 * Parts of the language's library that the sandbox has. Left out: the classes of Intl, shared memory, and what shows when memory is freed.
 */
export const PROGRAM_LIB = [
  "es5",
  "es2015.core",
  "es2015.collection",
  "es2015.iterable",
  "es2015.generator",
  "es2015.promise",
  "es2015.proxy",
  "es2015.reflect",
  "es2015.symbol",
  "es2015.symbol.wellknown",
  "es2016.array.include",
  "es2017.object",
  "es2017.string",
  "es2017.typedarrays",
  "es2017.arraybuffer",
  "es2017.date",
  "es2018.asyncgenerator",
  "es2018.asynciterable",
  "es2018.promise",
  "es2018.regexp",
  "es2019.array",
  "es2019.object",
  "es2019.string",
  "es2019.symbol",
  "es2020.bigint",
  "es2020.promise",
  "es2020.string",
  "es2020.symbol.wellknown",
  "es2021.promise",
  "es2021.string",
  "es2022.array",
  "es2022.error",
  "es2022.object",
  "es2022.regexp",
  "es2022.string",
  "es2023.array",
  "es2023.collection",
  "es2024.collection",
  "es2024.object",
  "es2024.promise",
  "es2024.regexp",
  "es2024.string",
  "es2025.collection",
  "es2025.iterator",
] as const;

/** Names that the library's types mention although the sandbox has no such thing, or that would get around the check. */
export const ABSENT_GLOBALS: Readonly<Record<string, string>> = {
  Intl: 'Intl does not exist in programs. Write date.toLocaleDateString("de-DE", { dateStyle: "long" }), date.toLocaleTimeString(…), number.toLocaleString("de-DE", { style: "currency", currency: "EUR" }) or a.localeCompare(b, "de"): they take the same locales and options.',
  WeakRef: "WeakRef does not exist in programs.",
  FinalizationRegistry: "FinalizationRegistry does not exist in programs.",
  Atomics: "Atomics does not exist in programs.",
  SharedArrayBuffer: "SharedArrayBuffer does not exist in programs.",
  eval: "eval is not available in programs: write the code itself.",
  Function: "Making code from text is not available in programs: write the function itself.",
};
