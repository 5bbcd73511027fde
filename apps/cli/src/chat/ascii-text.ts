import { displayWidth } from "../terminal-text.ts";

const SIGNS: Readonly<Record<string, string>> = {
  "❯": ">",
  "✓": "+",
  "✗": "x",
  "◈": "#",
  "…": "~",
  "·": "-",
  "─": "-",
  "│": "|",
  "├": "|",
  "└": "`",
  "┌": "+",
  "┐": "+",
  "┘": "+",
  "┼": "+",
  "“": '"',
  "”": '"',
  "’": "'",
  "‘": "'",
  "–": "-",
  "—": "-",
  "−": "-",
  "•": "*",
  "↑": "^",
  "↓": "v",
  "→": ">",
  "←": "<",
  "×": "x",
  "\u00a0": " ",
};

/** For a terminal that shows only ASCII: signs of Elwood's own by what looks like them, other letters as question marks of the same width. */
export function asciiText(text: string): string {
  return text.replaceAll(/[^\0-\u007f]+/gu, (foreign) => {
    const plain = [...new Intl.Segmenter().segment(foreign)].map(({ segment }) => {
      const decomposed = segment.normalize("NFD").replaceAll(/\p{Mn}/gu, "");
      return SIGNS[segment] ?? (/^[ -~]$/.test(decomposed) ? decomposed : spinnerOr(segment));
    });
    return plain.join("");
  });
}

function spinnerOr(segment: string): string {
  if (/^[\u2800-\u28ff]$/u.test(segment)) return "*";
  return "?".repeat(displayWidth(segment));
}

/** Whether the locale says that the terminal shows more than ASCII; where it says nothing, most do. */
export function isAsciiLocale(env: Readonly<Record<string, string | undefined>>): boolean {
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  return /^(?:C|POSIX)$/.test(locale);
}
