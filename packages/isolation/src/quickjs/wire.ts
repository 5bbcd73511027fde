import type { ProgramErrorCode, ProgramLimits } from "@elwood/core/tool/program";
import type { ConsoleLine } from "@elwood/runtime/ports/sandbox";
import type { PreludeSettings } from "./prelude.ts";

/**
 * The words between gateway and sandbox process. The process works off what it is sent in
 * that order, and answers every `start` and `settle` of a program that is not over with
 * one `idle` or `over`, after the calls and lines that it led to; every `drop` with
 * `dropped`.
 */
export type ToChild =
  | {
      readonly t: "start";
      readonly p: number;
      /** 52 bits from the program's seed. */
      readonly chance: number;
      readonly limits: ProgramLimits;
      readonly settings: PreludeSettings;
    } // body: the source
  | { readonly t: "settle"; readonly p: number; readonly i: number; readonly at: number } // body: the result as JSON
  | { readonly t: "drop"; readonly p: number };

export type CallKind = "tool" | "sleep" | "search" | "describe";

export type FromChild =
  | { readonly t: "ready" }
  | {
      readonly t: "call";
      readonly p: number;
      readonly i: number;
      readonly kind: CallKind;
      readonly name: string;
    } // body: the input as JSON
  | { readonly t: "line"; readonly p: number; readonly n: number; readonly level: ConsoleLine["level"] } // body: the text
  | { readonly t: "idle"; readonly p: number; readonly cpuMs: number }
  | {
      readonly t: "over";
      readonly p: number;
      readonly cpuMs: number;
      readonly calls: number;
      readonly dropped: number;
      readonly detached: number;
      /** Missing where the program returned; then the body is what it returned, as JSON. */
      readonly error?: { readonly code: ProgramErrorCode; readonly line?: number; readonly column?: number };
    } // body: what it returned, or the message
  | { readonly t: "dropped"; readonly p: number };

/** The descriptor under which the process finds its socket. */
export const SOCKET_FD = 3;

/** Longest sleep; the program's wall time ends it sooner. */
export const SLEEP_MS_MAX = 30 * 24 * 60 * 60_000;

/** Half of a pair of surrogates, as JSON writes it. */
const LONE_SURROGATE =
  /\\ud[89ab][0-9a-f]{2}(?!\\ud[c-f][0-9a-f]{2})|(?<!\\ud[89ab][0-9a-f]{2})\\ud[c-f][0-9a-f]{2}/i;

/** Whether every string in the JSON text can be kept as UTF-8 and come back the same. */
export function isWellFormedJson(json: string): boolean {
  if (!json.isWellFormed()) return false;
  // An escaped backslash before a "u" is no escape of a character; with something else in its place the pattern is exact.
  return !LONE_SURROGATE.test(json.includes("\\\\") ? json.replaceAll("\\\\", "/") : json);
}

/** How deep lists and objects of a JSON text are nested, without building them. */
export function jsonDepth(json: string): number {
  let depth = 0;
  let deepest = 0;
  let inText = false;
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (inText) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) inText = false;
    } else if (code === QUOTE) inText = true;
    else if (code === OPEN_LIST || code === OPEN_OBJECT) deepest = Math.max(deepest, ++depth);
    else if (code === CLOSE_LIST || code === CLOSE_OBJECT) depth--;
  }
  return deepest;
}

const BACKSLASH = 92;
const QUOTE = 34;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
