/**
 * Ids: a prefix that says what it names, then 26 characters of Crockford base 32 —
 * ten of time (so that ids sort by age) and sixteen of randomness (80 bits).
 * They are safe in file names, URLs and SQL, and are never reused.
 */
const PREFIXES = {
  session: "ses",
  run: "run",
  call: "call",
  message: "msg",
  token: "tok",
  blob: "blob",
  receipt: "rcp",
  approval: "apr",
  grant: "grt",
  outbox: "out",
  request: "req",
  job: "job",
  occurrence: "occ",
  execution: "exe",
} as const;

export type IdKind = keyof typeof PREFIXES;

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
export const ID_RANDOM_BYTES = 10;
const TIME_END = 32 ** 10;

/** Pure: the caller brings the time and the random bytes. */
export function makeId(kind: IdKind, nowMs: number, random: Uint8Array): string {
  if (random.length < ID_RANDOM_BYTES) throw new Error("makeId needs 10 random bytes");
  if (!(nowMs >= 0 && nowMs < TIME_END)) throw new Error("makeId needs a time since 1970");
  let time = "";
  let rest = Math.floor(nowMs);
  for (let i = 0; i < 10; i++) {
    time = ALPHABET[rest % 32]! + time;
    rest = Math.floor(rest / 32);
  }
  let tail = "";
  let bits = 0;
  let value = 0;
  for (let i = 0; i < ID_RANDOM_BYTES; i++) {
    value = (value << 8) | random[i]!;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      tail += ALPHABET[(value >> bits) & 31]!;
      value &= (1 << bits) - 1;
    }
  }
  return `${PREFIXES[kind]}_${time}${tail}`;
}

const ID_TAIL = /^[0-9a-hjkmnp-tv-z]{26}$/;

export function isId(kind: IdKind, text: string): boolean {
  const prefix = `${PREFIXES[kind]}_`;
  return text.startsWith(prefix) && ID_TAIL.test(text.slice(prefix.length));
}

/** The id of a call, or of one that a program made: the program's id and a number, also for calls of its dry run. */
export function isCallId(text: string): boolean {
  return isId("call", text.replace(/\.r?\d{1,6}$/, ""));
}

/** Tenants and agents are named by people; these names become folders. */
export const NAME_PATTERN = /^[a-z0-9][a-z0-9_-]{0,63}$/;
