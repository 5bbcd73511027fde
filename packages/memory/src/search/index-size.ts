export interface IndexSize {
  readonly turns: number;
  /** Of all turns together. */
  readonly words: number;
}

/** FTS5's own record of it: both numbers, one behind the other; nothing where nothing was ever indexed. */
export function readIndexSize(record: unknown): IndexSize {
  if (!(record instanceof Uint8Array) || record.length === 0) return { turns: 0, words: 0 };
  const turns = readVarint(record, 0);
  return { turns: turns.value, words: readVarint(record, turns.end).value };
}

/** A number as SQLite packs them: seven bits a byte, the highest first. None here needs the ninth byte. */
export function readVarint(
  bytes: Uint8Array,
  from: number,
): { readonly value: number; readonly end: number } {
  let value = 0;
  let at = from;
  for (;;) {
    const byte = bytes[at] ?? 0;
    at += 1;
    value = value * 128 + (byte & 127);
    if (byte < 128) return { value, end: at };
  }
}
