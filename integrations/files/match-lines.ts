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
