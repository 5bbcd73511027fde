const SNIFFED_BYTES = 4_096;

/**
 * Bytes as text. A byte order mark goes before the header, the header before what the page says of
 * itself. Where UTF-8 is said or assumed and the bytes are none, they are read as what such pages
 * almost always are; a charset nobody knows counts as not said.
 */
export function textOfBytes(bytes: Uint8Array, contentType: string): string {
  const marked = byMark(bytes);
  if (marked !== undefined) return decode(bytes, marked);
  const named = known(charsetOf(contentType)) ?? known(metaCharset(bytes)) ?? "utf-8";
  if (named !== "utf-8") return decode(bytes, named);
  const text = decode(bytes, "utf-8");
  return isBroken(text, bytes.length) ? decode(bytes, "windows-1252") : text;
}

function decode(bytes: Uint8Array, label: string): string {
  return new TextDecoder(label).decode(bytes);
}

function byMark(bytes: Uint8Array): string | undefined {
  const [a, b, c] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return "utf-8";
  if (a === 0xfe && b === 0xff) return "utf-16be";
  return a === 0xff && b === 0xfe ? "utf-16le" : undefined;
}

function charsetOf(contentType: string): string | undefined {
  return /;\s*charset\s*=\s*"?([^\s";]{1,40})/i.exec(contentType)?.[1];
}

function metaCharset(bytes: Uint8Array): string | undefined {
  const head = decode(bytes.subarray(0, SNIFFED_BYTES), "latin1");
  return (
    /<meta[^>]{0,200}?charset\s*=\s*["']?([^\s"'>;/]{1,40})/i.exec(head)?.[1] ??
    /^<\?xml[^>]{0,200}?encoding\s*=\s*["']([^"']{1,40})/i.exec(head)?.[1]
  );
}

/** The standard's own name for a charset, or undefined where it knows none. */
function known(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label).encoding;
  } catch (cause) {
    if (cause instanceof RangeError) return undefined;
    throw cause;
  }
}

const SIGNS_LOOKED_AT = 200;

/** One character cut in two at the end is no sign of another charset. */
function isBroken(text: string, bytes: number): boolean {
  let broken = 0;
  for (
    let at = text.indexOf("\uFFFD");
    at !== -1 && broken < SIGNS_LOOKED_AT;
    at = text.indexOf("\uFFFD", at + 1)
  ) {
    if (at < text.length - 3) broken++;
  }
  return broken > 0 && broken * 1_000 >= Math.min(bytes, SIGNS_LOOKED_AT * 1_000);
}
