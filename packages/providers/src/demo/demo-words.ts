/** What the owner typed, ready to be matched. */
export interface Words {
  /** Without a polite beginning, and else as typed: for what must reach a tool unchanged. */
  readonly line: string;
  /** Also without a polite ending and without what ends a sentence. */
  readonly plain: string;
}

/** What was asked for, by the names of a pattern's groups. */
export type Parts = Readonly<Record<string, string | undefined>>;

const POLITE_START =
  /^(?:(?:hey|hi|hello|ok(?:ay)?|well|now|so)[\s,]+)?(?:elwood[\s,:]+)?(?:(?:please|bitte|kindly)[\s,]+)?(?:(?:can|could|would|will) you(?: please)? |(?:kannst|könntest|würdest) du(?: bitte)?(?: mal)? |i(?:['’]d| would)? (?:like|want) you to |go ahead and |let['’]?s |try to )?(?:(?:please|bitte) )?/i;
const POLITE_END = /[\s,]+(?:please|bitte|thanks|thank you|danke|for me|für mich|right now|now|again)$/i;
/** A full stop after a name ends the sentence; one after a dot or a slash is part of a path. */
const SENTENCE_END = /\s*[?!]+$|(?<=[^\s./\\])\.$/;
const ENDINGS_MAX = 3;
const ENDING_CHARS_MAX = 60;
const CHARS_MAX = 40_000;

/** undefined where it is too long to be a plain request. */
export function wordsOf(said: string): Words | undefined {
  if (said.length > CHARS_MAX) return undefined;
  const line = said.trim().replace(POLITE_START, "");
  let end = line.slice(-ENDING_CHARS_MAX);
  const start = line.slice(0, line.length - end.length);
  for (let n = 0; n < ENDINGS_MAX; n++) end = end.replace(SENTENCE_END, "").replace(POLITE_END, "");
  return { line, plain: start + end };
}

/** The named parts of the first pattern that fits. */
export function partsOf(words: string, patterns: readonly RegExp[]): Parts | undefined {
  for (const pattern of patterns) {
    const found = pattern.exec(words);
    if (found) return { ...found.groups };
  }
  return undefined;
}

/**
 * A pattern over all of the words, capitals or not. In it `<path>` stands for a path, which
 * becomes the part `path`; `<to:path>` for one that becomes the part `to`; and so on for
 * the other pieces below.
 */
export function says(...patterns: readonly string[]): RegExp[] {
  return patterns.map((pattern) => {
    const written = pattern.replace(
      /(?<!\(\?)<(?:(\w+):)?([a-z]+)>/g,
      (_, name: string | undefined, kind: string) => {
        const piece = PIECES[kind];
        if (piece === undefined) throw new Error(`There is no piece <${kind}>.`);
        return piece(name ?? kind);
      },
    );
    return new RegExp(`^(?:${written})$`, "i");
  });
}

/** Something in any quotes; the same name may stand in several branches of a pattern. */
function quoted(name: string, spoken = false): string {
  const pairs = ['""', "''", "``", "“”", "‘’", "„“", "«»"];
  const inner = (close: string) => (spoken ? "[^]+" : `[^${close}\\n]+`);
  return pairs.map(([open, close]) => `${open}(?<${name}>${inner(close!)})${close}`).join("|");
}

/** What tells a site from a file where no scheme stands before it. */
const SITES =
  "com|org|net|edu|gov|io|dev|app|ai|co|info|eu|de|at|ch|uk|fr|nl|es|it|us|jp|blog|example|test|local|lan|internal";
const HOST = `(?:(?:[\\w-]+\\.)+(?:${SITES})|localhost|\\d{1,3}(?:\\.\\d{1,3}){3}|\\[[\\da-f:.]+\\])`;
const ADDRESS = `(?:[a-z][a-z0-9+.-]+:(?!\\d+(?:/|$))\\S+|${HOST}(?::\\d+)?(?:[/?#]\\S*)?)`;
const COUNTED: Readonly<Record<string, number>> = {
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  zwei: 2,
  drei: 3,
  vier: 4,
  fünf: 5,
};

const PIECES: Readonly<Record<string, (name: string) => string>> = {
  /** Something in quotes, or a name with a dot or a slash in it that is no address. */
  path: (name) => `(?:${quoted(name)}|(?<${name}>(?!${ADDRESS}$)(?=~|\\S*[./])[^\\s"'\`“„]\\S*))`,
  /** A name, whatever it looks like. */
  name: (name) => `(?:${quoted(name)}|(?<${name}>[^\\s"'\`“„]\\S*))`,
  /** A folder, by the slash at its end. */
  folder: (name) => `(?<${name}>[^\\s"'\`“„]\\S*/)`,
  address: (name) => `["'\`“<]?(?<${name}>${ADDRESS}?)["'\`”>]?`,
  /** Anything, without the quotes around it where there are some. */
  text: (name) => `(?:${quoted(name, true)}|(?<${name}>\\S(?:[^]*?\\S)?))`,
  /** All the rest, as it was typed. */
  rest: (name) => `(?<${name}>\\S[^]*)`,
  number: (name) => `(?<${name}>\\d{1,2}|${Object.keys(COUNTED).join("|")})`,
};

export function numberOf(word: string): number {
  return COUNTED[word.toLowerCase()] ?? Number(word);
}

/** An address as a tool takes it. What has a scheme is left as it was typed, for the gate to judge. */
export function addressOf(typed: string): string {
  if (/^[a-z][a-z0-9+.-]+:(?!\d+(?:\/|$))/i.test(typed)) return typed;
  return `${/^(?:localhost|\[|\d{1,3}(?:\.\d{1,3}){3})/i.test(typed) ? "http" : "https"}://${typed}`;
}

/** A word or a line that stands alone in quotes, without them. */
export function unquoted(text: string): string {
  return /^(["'`])(?<inner>(?:(?!\1)[^])+)\1$/.exec(text.trim())?.groups?.["inner"] ?? text;
}

const SHOWN_CHARS_MAX = 4_000;

const QUOTED_CHARS_MAX = 300;

/** Somebody else's words where they stand in a sentence: in quotes, or below it where they are long. */
export function quotation(text: string): string {
  const line = text.trim();
  return line.length <= QUOTED_CHARS_MAX && !/[“”\n]/.test(line) ? ` “${line}”` : `\n\n${shown(line)}\n\n`;
}

/** Somebody else's words, in a block that they cannot close. */
export function shown(text: string, charsMax = SHOWN_CHARS_MAX): string {
  const cut = text.length > charsMax;
  const body = (cut ? text.slice(0, charsMax) : text).replace(/\n+$/, "");
  const longest = Math.max(2, ...[...body.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}text\n${body}\n${fence}${cut ? `\n(This is the beginning; there is more of it.)` : ""}`;
}
