/**
 * `*` for anything within a name, `?` for one character, `**` for any folders in between.
 * A pattern without a slash is matched against the last name. No pattern is slow: it is
 * matched by hand, not by an expression made from it.
 */
export function matchesGlob(pattern: string, names: readonly string[]): boolean {
  const parts = pattern.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.length === 1 && parts[0] !== "**") return matchesName(parts[0]!, names.at(-1) ?? "");
  return matchesParts(parts, names);
}

function matchesParts(parts: readonly string[], names: readonly string[]): boolean {
  return matchesSequence(parts, names, (part) => part === "**", matchesName);
}

function matchesName(pattern: string, name: string): boolean {
  return matchesSequence(
    Array.from(pattern),
    Array.from(name),
    (c) => c === "*",
    (c, found) => c === "?" || c === found,
  );
}

/** Matches with one kind of wildcard, going back only to the latest one. */
function matchesSequence(
  pattern: readonly string[],
  items: readonly string[],
  isAny: (part: string) => boolean,
  fits: (part: string, item: string) => boolean,
): boolean {
  let p = 0;
  let i = 0;
  let any = -1;
  let from = 0;
  while (i < items.length) {
    const part = pattern[p];
    if (part !== undefined && isAny(part)) {
      any = p++;
      from = i;
    } else if (part !== undefined && fits(part, items[i]!)) {
      p++;
      i++;
    } else if (any !== -1) {
      p = any + 1;
      i = ++from;
    } else return false;
  }
  return pattern.slice(p).every(isAny);
}
