/**
 * Bytes as text that needs no escape in a string: four bytes are five digits to the base of 85, the
 * highest first; what is left at the end is one digit longer than its bytes. Base64 takes a
 * fifteenth more. Core has neither Buffer nor atob.
 */
const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";
const BASE = DIGITS.length;

export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const values = new Uint8Array(128);
  for (let i = 0; i < BASE; i += 1) values[DIGITS.charCodeAt(i)] = i;
  const left = text.length % 5;
  const out = new Uint8Array(((text.length - left) / 5) * 4 + Math.max(0, left - 1));
  for (let i = 0, at = 0; i < text.length; i += 5, at += 4) {
    let word = 0;
    for (let digit = i; digit < i + 5; digit += 1)
      word = word * BASE + (digit < text.length ? values[text.charCodeAt(digit)]! : BASE - 1);
    for (let byte = 0; byte < 4 && at + byte < out.length; byte += 1)
      out[at + byte] = word / 2 ** (8 * (3 - byte));
  }
  return out;
}

export function textOfBytes(bytes: Uint8Array): string {
  let out = "";
  for (let at = 0; at < bytes.length; at += 4) {
    let word = 0;
    for (let byte = at; byte < at + 4; byte += 1) word = word * 256 + (bytes[byte] ?? 0);
    let digits = "";
    for (let digit = 0; digit < 5; digit += 1) {
      digits = DIGITS[word % BASE]! + digits;
      word = Math.floor(word / BASE);
    }
    out += digits.slice(0, Math.min(4, bytes.length - at) + 1);
  }
  return out;
}
