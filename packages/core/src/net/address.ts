/**
 * What an IP address is, told from its bytes. A name or a spelling proves nothing about an
 * address: `127.evil.example` is an ordinary name, and `[::ffff:7f00:1]` is this machine.
 */

/** Four bytes, or sixteen. */
export type AddressBytes = readonly number[];

export type AddressKind =
  | "global"
  | "unspecified"
  | "loopback"
  | "private"
  | "link-local"
  | "shared"
  | "multicast"
  | "broadcast"
  | "documentation"
  | "benchmarking"
  | "metadata"
  | "v4-mapped"
  | "v4-compatible"
  | "translated"
  | "6to4"
  | "teredo"
  | "reserved";

/** Completes "it is …". */
export const ADDRESS_WORDS: Readonly<Record<AddressKind, string>> = {
  global: "a public address",
  unspecified: "an address that means this machine",
  loopback: "an address of this machine itself",
  private: "an address of a private network",
  "link-local": "an address of the local link, where clouds keep their credentials",
  shared: "an address shared inside a provider's or a private network",
  multicast: "an address of many machines at once",
  broadcast: "an address of all machines of a network",
  documentation: "an address reserved for examples",
  benchmarking: "an address reserved for measurements",
  metadata: "an address where a cloud keeps its credentials",
  "v4-mapped": "an IPv4 address written as IPv6",
  "v4-compatible": "an IPv4 address written as IPv6",
  translated: "an IPv4 address behind a translation",
  "6to4": "an IPv4 address behind a tunnel",
  teredo: "an address behind a tunnel",
  reserved: "an address that is not for public use",
};

type Row = readonly [prefix: AddressBytes, bits: number, kind: AddressKind];

/** First match counts. What no row names is public. */
const V4: readonly Row[] = [
  [[0, 0, 0, 0], 8, "unspecified"],
  [[10, 0, 0, 0], 8, "private"],
  [[100, 64, 0, 0], 10, "shared"],
  [[127, 0, 0, 0], 8, "loopback"],
  [[168, 63, 129, 16], 32, "metadata"],
  [[169, 254, 0, 0], 16, "link-local"],
  [[172, 16, 0, 0], 12, "private"],
  [[192, 0, 0, 0], 24, "reserved"],
  [[192, 0, 2, 0], 24, "documentation"],
  [[192, 88, 99, 0], 24, "6to4"],
  [[192, 168, 0, 0], 16, "private"],
  [[198, 18, 0, 0], 15, "benchmarking"],
  [[198, 51, 100, 0], 24, "documentation"],
  [[203, 0, 113, 0], 24, "documentation"],
  [[224, 0, 0, 0], 4, "multicast"],
  [[255, 255, 255, 255], 32, "broadcast"],
  [[240, 0, 0, 0], 4, "reserved"],
];

/** First match counts. What no row names is reserved: of all IPv6 only 2000::/3 is given out. */
const V6: readonly Row[] = [
  [wide(), 128, "unspecified"],
  [[...wide().slice(0, 15), 1], 128, "loopback"],
  [wide(0, 0, 0, 0, 0, 0xffff), 96, "v4-mapped"],
  [wide(0, 0, 0, 0, 0xffff, 0), 96, "translated"],
  [wide(), 96, "v4-compatible"],
  [wide(0x64, 0xff9b), 96, "translated"],
  [wide(0x64, 0xff9b, 1), 48, "translated"],
  [wide(0xfc00), 7, "private"],
  [wide(0xfe80), 10, "link-local"],
  [wide(0xfec0), 10, "private"],
  [wide(0xff00), 8, "multicast"],
  [wide(0x2001), 32, "teredo"],
  [wide(0x2001, 2), 48, "benchmarking"],
  [wide(0x2001, 0xdb8), 32, "documentation"],
  [wide(0x2001), 23, "reserved"],
  [wide(0x2002), 16, "6to4"],
  [wide(0x3ffe), 16, "reserved"],
  [wide(0x3fff), 20, "documentation"],
  [wide(0x2000), 3, "global"],
];

/** Only `global` may be dialled without the owner having named the origin. */
export function addressKind(bytes: AddressBytes): AddressKind {
  const rows = bytes.length === 4 ? V4 : bytes.length === 16 ? V6 : [];
  for (const [prefix, bits, kind] of rows) if (startsWith(bytes, prefix, bits)) return kind;
  return bytes.length === 4 ? "global" : "reserved";
}

/** This machine, whichever way it is written. */
export function isThisMachine(bytes: AddressBytes): boolean {
  const kind = addressKind(bytes);
  if (kind === "loopback" || kind === "unspecified") return true;
  return kind === "v4-mapped" || kind === "v4-compatible" ? isThisMachine(bytes.slice(12)) : false;
}

/** The same for every spelling of one address, mapped ones included. */
export function addressKey(bytes: AddressBytes): string {
  const plain = addressKind(bytes) === "v4-mapped" ? bytes.slice(12) : bytes;
  return plain.map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Reads an address as resolvers and URLs write it. Zones, octal and short forms are none. */
export function parseAddress(text: string): AddressBytes | undefined {
  return text.includes(":") ? parseV6(text) : parseV4(text);
}

function parseV4(text: string): AddressBytes | undefined {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part))) return undefined;
  const bytes = parts.map(Number);
  return bytes.every((byte) => byte <= 255) ? bytes : undefined;
}

function parseV6(text: string): AddressBytes | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map((half, index) => bytesOf(half, index === halves.length - 1));
  if (head === undefined || (halves.length === 2 && tail === undefined)) return undefined;
  if (tail === undefined) return head.length === 16 ? head : undefined;
  const gap = 16 - head.length - tail.length;
  return gap >= 2 ? [...head, ...Array<number>(gap).fill(0), ...tail] : undefined;
}

/** Groups of one half of an address; the last one may be a dotted IPv4 address. */
function bytesOf(half: string, last: boolean): number[] | undefined {
  if (half === "") return [];
  const groups = half.split(":");
  const bytes: number[] = [];
  for (const [index, group] of groups.entries()) {
    if (last && index === groups.length - 1 && group.includes(".")) {
      const v4 = parseV4(group);
      if (v4 === undefined) return undefined;
      bytes.push(...v4);
    } else {
      if (!/^[0-9a-f]{1,4}$/i.test(group)) return undefined;
      const value = Number.parseInt(group, 16);
      bytes.push(value >> 8, value & 0xff);
    }
  }
  return bytes.length <= 16 ? bytes : undefined;
}

function startsWith(bytes: AddressBytes, prefix: AddressBytes, bits: number): boolean {
  for (let at = 0; at < bits; at += 8) {
    const mask = 0xff << Math.max(0, 8 - (bits - at));
    if (((bytes[at / 8]! ^ prefix[at / 8]!) & mask & 0xff) !== 0) return false;
  }
  return true;
}

/** The leading groups of an IPv6 address; the rest is zero. */
function wide(...groups: readonly number[]): AddressBytes {
  return Array.from({ length: 8 }, (_, at) => groups[at] ?? 0).flatMap((group) => [group >> 8, group & 0xff]);
}
