/** A pattern to look for in text; plain data, since a worker gets it. */
export interface Pattern {
  readonly query: string;
  readonly regex: boolean;
  readonly caseSensitive: boolean;
}

export interface LineMatch {
  readonly line: number;
  readonly text: string;
}

export function matchLines(
  text: string,
  pattern: Pattern,
  matchesMax: number,
  lineCharsMax: number,
): LineMatch[] {
  const fits = matcher(pattern);
  const matches: LineMatch[] = [];
  let line = 0;
  for (const whole of text.split("\n")) {
    line++;
    const content = whole.endsWith("\r") ? whole.slice(0, -1) : whole;
    const at = fits(content);
    if (at === -1) continue;
    matches.push({ line, text: around(content, at, lineCharsMax) });
    if (matches.length >= matchesMax) break;
  }
  return matches;
}

/**
 * Looks through files, as bytes. Most hold nothing of what is looked for, and for those it is enough to look at
 * their bytes once: only where something is found are they taken apart.
 */
export function lineFinder(
  pattern: Pattern,
  lineCharsMax: number,
): (bytes: Uint8Array, matchesMax: number) => LineMatch[] {
  const mayHold = quickLook(pattern);
  return (bytes, matchesMax) => {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return mayHold(buffer) ? matchLines(buffer.toString("utf8"), pattern, matchesMax, lineCharsMax) : [];
  };
}

function quickLook({ query, regex, caseSensitive }: Pattern): (bytes: Buffer) => boolean {
  if (regex) return () => true;
  if (caseSensitive) return (bytes) => bytes.includes(query);
  // Beyond ASCII a letter in capitals has other bytes; two letters of ASCII have a third form elsewhere.
  // eslint-disable-next-line no-control-regex
  if (!/^[\u0000-\u007f]+$/.test(query) || /[ks]/i.test(query)) {
    const lower = query.toLowerCase();
    return (bytes) => bytes.toString("utf8").toLowerCase().includes(lower);
  }
  const lower = query.toLowerCase();
  return (bytes) => bytes.toString("latin1").toLowerCase().includes(lower);
}

/** Where a line fits, or -1. Throws a SyntaxError for an expression that is none. */
export function matcher({ query, regex, caseSensitive }: Pattern): (line: string) => number {
  if (regex) {
    const expression = new RegExp(query, caseSensitive ? "u" : "iu");
    return (line) => line.search(expression);
  }
  if (caseSensitive) return (line) => line.indexOf(query);
  const lower = query.toLowerCase();
  return (line) => line.toLowerCase().indexOf(lower);
}

function around(line: string, at: number, charsMax: number): string {
  if (line.length <= charsMax) return line;
  const start = Math.max(0, Math.min(at - Math.floor(charsMax / 4), line.length - charsMax));
  const end = start + charsMax;
  return `${start > 0 ? "…" : ""}${line.slice(start, end)}${end < line.length ? "…" : ""}`;
}
