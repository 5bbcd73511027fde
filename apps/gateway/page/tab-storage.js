/**
 * What this tab remembers: gone when it is closed, still there after a reload. A browser
 * that forbids storage, or has no room left, makes `write` answer false; nothing throws.
 */
const PREFIX = "elwood.";

/** @param {string} name */
export function read(name) {
  try {
    return sessionStorage.getItem(PREFIX + name) ?? undefined;
  } catch {
    return undefined; // storage is forbidden here: nothing was kept
  }
}

/**
 * Keeps the value; undefined or "" forgets it.
 *
 * @param {string} name
 * @param {string | undefined} value
 * @returns {boolean} whether it is kept
 */
export function write(name, value) {
  try {
    if (value === undefined || value === "") sessionStorage.removeItem(PREFIX + name);
    else sessionStorage.setItem(PREFIX + name, value);
    return true;
  } catch {
    return false; // forbidden, or full
  }
}

export function forgetAll() {
  try {
    sessionStorage.clear();
  } catch {
    return; // nothing could be kept, so there is nothing to forget
  }
}
