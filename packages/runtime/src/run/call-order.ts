import type { CallSubject } from "../ports/ports.ts";

/**
 * Whether two calls of one answer must keep their order: at least one of them changes something,
 * and both name the same thing, or one a folder of what the other names.
 */
export function mustKeepOrder(a: CallSubject | undefined, b: CallSubject | undefined): boolean {
  if (!a || !b || (a.onlyReads && b.onlyReads) || a.area !== b.area) return false;
  return a.names.some((one) => b.names.some((other) => isSamePlace(plain(one), plain(other))));
}

/** A name may be given from the root, or from the folder that names are relative to. */
function isSamePlace(a: string, b: string): boolean {
  if (a === "" || b === "") return false;
  return isWithin(a, b) || isWithin(b, a);
}

function isWithin(inner: string, outer: string): boolean {
  return inner === outer || inner.startsWith(`${outer}/`) || inner.endsWith(`/${outer}`);
}

function plain(name: string): string {
  return name
    .trim()
    .replace(/^(?:\.\/)+/u, "")
    .replace(/\/+$/u, "");
}
