/**
 * `*` for anything within a name, `?` for one character, `[a-z]` for one of some, `**` for any folders in between,
 * `{a,b}` for either. A pattern without a slash is matched against the last name. No pattern is slow: it is
 * matched by hand, not by an expression made from it.
 */
export function matchesGlob(pattern: string, names: readonly string[]): boolean {
  return globMatcher(pattern)(names);
}

/** The same for many names: the pattern is taken apart once. */
export function globMatcher(pattern: string): (names: readonly string[]) => boolean {
  const ways = alternatives(pattern).map(oneMatcher);
  return ways.length === 1 ? ways[0]! : (names) => ways.some((fits) => fits(names));
}

const ALTERNATIVES_MAX = 64;

/** `*.{md,txt}` as `*.md` and `*.txt`. */
function alternatives(pattern: string): readonly string[] {
  const done: string[] = [];
  const open = [pattern];
  while (open.length > 0 && done.length + open.length <= ALTERNATIVES_MAX) {
    const next = open.pop()!;
    const found = /\{([^{}]*)\}/.exec(next);
    if (found === null) done.push(next);
    else {
      const [before, after] = [next.slice(0, found.index), next.slice(found.index + found[0].length)];
      open.push(...found[1]!.split(",").map((choice) => before + choice + after));
    }
  }
  return [...done, ...open];
}

type NameMatcher = (name: string) => boolean;
const ANY_FOLDERS = "**";

function oneMatcher(pattern: string): (names: readonly string[]) => boolean {
  const parts = pattern.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.length === 1 && parts[0] !== ANY_FOLDERS && !pattern.startsWith("/")) {
    const fits = nameMatcher(parts[0]!);
    return (names) => fits(names.at(-1) ?? "");
  }
  const made = parts.map((part) => (part === ANY_FOLDERS ? ANY_FOLDERS : nameMatcher(part)));
  return (names) =>
    matchesSequence(
      made,
      names,
      (part) => part === ANY_FOLDERS,
      (part, name) => typeof part === "function" && part(name),
    );
}

function nameMatcher(pattern: string): NameMatcher {
  // The usual ones need no look at each character.
  const ending = /^\*([^*?[]*)$/.exec(pattern)?.[1];
  if (ending !== undefined) return (name) => name.endsWith(ending);
  if (!/[*?[]/.test(pattern)) return (name) => name === pattern;
  const parts = pattern.match(/\[[^\]]+\]|[^]/gu) ?? [];
  return (name) =>
    matchesSequence(
      parts,
      Array.from(name),
      (c) => c === "*",
      (c, found) =>
        c === "?" || c === found || (c.length > 2 && c.startsWith("[") && isOneOf(c.slice(1, -1), found)),
    );
}

function isOneOf(set: string, found: string): boolean {
  const negated = /^[!^]/.test(set);
  const chars = Array.from(negated ? set.slice(1) : set);
  for (let i = 0; i < chars.length; i++) {
    const isRange = chars[i + 1] === "-" && chars[i + 2] !== undefined;
    if (isRange ? found >= chars[i]! && found <= chars[i + 2]! : found === chars[i]) return !negated;
    if (isRange) i += 2;
  }
  return negated;
}

/** Matches with one kind of wildcard, going back only to the latest one. */
function matchesSequence<Part>(
  pattern: readonly Part[],
  items: readonly string[],
  isAny: (part: Part) => boolean,
  fits: (part: Part, item: string) => boolean,
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
