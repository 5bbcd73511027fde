/** Signs that need no escape in a string: five of them hold four bytes, where base64 holds less than that in six. */
const SIGNS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";
const BASE = SIGNS.length;

/** Bytes as text, four at a time; their number must be a multiple of four. */
export function bytesToText(bytes: Uint8Array): string {
  if (bytes.length % 4 !== 0) throw new Error("Bytes are written as text four at a time.");
  let text = "";
  for (let at = 0; at < bytes.length; at += 4) {
    let word = bytes[at]! * 0x1000000 + (bytes[at + 1]! << 16) + (bytes[at + 2]! << 8) + bytes[at + 3]!;
    let five = "";
    for (let sign = 0; sign < 5; sign += 1) {
      five = SIGNS[word % BASE]! + five;
      word = Math.floor(word / BASE);
    }
    text += five;
  }
  return text;
}

export function bytesFromText(text: string): Uint8Array<ArrayBuffer> {
  const values = new Uint8Array(128);
  for (let sign = 0; sign < BASE; sign += 1) values[SIGNS.charCodeAt(sign)] = sign;
  const out = new Uint8Array((text.length / 5) * 4);
  for (let from = 0, at = 0; from < text.length; from += 5, at += 4) {
    let word = 0;
    for (let sign = from; sign < from + 5; sign += 1) word = word * BASE + values[text.charCodeAt(sign)]!;
    out[at] = word / 0x1000000;
    out[at + 1] = word >>> 16;
    out[at + 2] = word >>> 8;
    out[at + 3] = word;
  }
  return out;
}
