const KEY_BYTES = 16;

/** A session that does not exist yet goes by a name of this tab's own making. */
export function newOwnName(): string {
  return randomName("new:");
}

export function isOwnName(sessionKey: string): boolean {
  return sessionKey.startsWith("new:");
}

/** crypto.randomUUID is missing where the page comes over plain HTTP from another machine. */
export function randomName(prefix: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return prefix + Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
