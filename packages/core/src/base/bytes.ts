/** Bytes as text. Core has no Buffer. */

export function hexToBytes(hex: string): Uint8Array {
  const bytes = new Uint8Array(Math.ceil(hex.length / 2));
  putHex(bytes, 0, hex);
  return bytes;
}

/** Writes them into `bytes`, from `at` on. */
export function putHex(bytes: Uint8Array, at: number, hex: string): void {
  let odd = hex.length % 2;
  for (let i = 0; i + 1 < hex.length; i += 2) {
    const high = DIGITS[hex.charCodeAt(i)] ?? NO_DIGIT;
    const low = DIGITS[hex.charCodeAt(i + 1)] ?? NO_DIGIT;
    odd |= (high | low) & NO_DIGIT;
    bytes[at + i / 2] = (high << 4) | low;
  }
  if (odd !== 0) throw new TypeError("not lower-case hex");
}

const NO_DIGIT = 16;
/** The value of each character, by its code. */
const DIGITS = Uint8Array.from({ length: 103 }, (_, code) => {
  const digit = "0123456789abcdef".indexOf(String.fromCharCode(code));
  return digit < 0 ? NO_DIGIT : digit;
});

export function bytesToHex(bytes: Uint8Array): string {
  let hex = "";
  for (const byte of bytes) hex += byte.toString(16).padStart(2, "0");
  return hex;
}

export function bytesToBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

/** undefined where it is not the one way to write these bytes in base64. */
export function base64ToBytes(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  return bytesToBase64(bytes) === text ? bytes : undefined;
}
