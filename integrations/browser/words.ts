/** Text of a page on one line of ours: nothing that breaks lines, hides or turns direction, and not for ever. */
export function inWords(text: string, max: number): string {
  const plain = text
    .toWellFormed()
    .replaceAll(/\s+/g, " ")
    .replaceAll(
      /[\u0000-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
      (c) => `\\u${c.codePointAt(0)!.toString(16).padStart(4, "0")}`,
    )
    .trim();
  return plain.length > max ? `${plain.slice(0, max)}…` : plain;
}

export function quoted(text: string, max: number): string {
  return `"${inWords(text, max).replaceAll('"', "'")}"`;
}

export function sizeInWords(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

export function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "";
}
