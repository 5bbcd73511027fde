/**
 * What this tab remembers: gone when it is closed, still there after a reload. A browser
 * that forbids storage, or has no room left, makes `write` answer false; nothing throws.
 */
const PREFIX = "elwood.";

export function read(name: string): string | undefined {
  try {
    return sessionStorage.getItem(PREFIX + name) ?? undefined;
  } catch {
    return undefined; // storage is forbidden here: nothing was kept
  }
}

/** Keeps the value; undefined or "" forgets it. */
export function write(name: string, value: string | undefined): boolean {
  try {
    if (value === undefined || value === "") sessionStorage.removeItem(PREFIX + name);
    else sessionStorage.setItem(PREFIX + name, value);
    return true;
  } catch {
    return false; // forbidden, or full
  }
}

export function forgetAll(): void {
  try {
    sessionStorage.clear();
  } catch {
    return; // nothing could be kept, so there is nothing to forget
  }
}
