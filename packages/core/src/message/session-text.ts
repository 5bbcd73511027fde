import { LIMITS } from "../base/limits.ts";
import {
  isBetweenLaps,
  isSenderOrigin,
  textOf,
  type Block,
  type Message,
  type TextBlock,
} from "./message.ts";

/**
 * What lists and searches show of a conversation: titles, previews, snippets. All of it is
 * one line of plain text; a cut never goes through a character that a person sees as one.
 */

/** A title from the first words of a person; undefined where nobody wrote any. */
export function titleFrom(messages: readonly Message[]): string | undefined {
  for (const message of messages) {
    if (message.role !== "user" || isBetweenLaps(message)) continue;
    const own = message.blocks.filter((block) => isSenderText(message, block));
    const words = plainLine(
      (textOf({ blocks: own }) || textOf(message)).slice(0, LIMITS.titleFromMessageCharsMax * 8),
    ).replace(LEADING_MARKDOWN, "");
    if (words !== "") return cutLine(words, LIMITS.titleFromMessageCharsMax);
  }
  return undefined;
}

/** First words of the last message that has any. */
export function previewFrom(messages: readonly Message[]): string | undefined {
  for (const message of messages.toReversed()) {
    if (message.role === "tool" || isBetweenLaps(message)) continue;
    const words = plainLine(withoutMarkdown(textOf(message).slice(0, LIMITS.previewCharsMax * 8)));
    if (words !== "") return cutLine(words, LIMITS.previewCharsMax);
  }
  return undefined;
}

/**
 * One line: white space and control characters become single blanks. Marks that reverse
 * the reading direction go, since in a list they would reorder the words around them;
 * joiners stay, since emoji and Persian need them.
 */
export function plainLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\u202a-\u202e\u2066-\u2069\ufeff]/g, "")
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
}

/**
 * The form in which two texts are compared when case does not matter: ß equals SS, a
 * final sigma equals any other, full-width letters equal plain ones, é typed as one
 * character equals é typed as two.
 */
export function foldCase(text: string): string {
  return text.normalize("NFKC").toUpperCase().toLowerCase().replaceAll("ς", "σ");
}

/** Text around the first place where `foldedQuery` stands in `line`, which is plain. */
export function snippetAround(line: string, foldedQuery: string): string {
  const folded = foldCase(line);
  const at = unfoldedIndex(line, folded, Math.max(0, folded.indexOf(foldedQuery)));
  const lead = Math.floor(LIMITS.snippetCharsMax / 3);
  const start = at <= lead ? 0 : wordStart(line, at - lead);
  const rest = line.slice(start);
  return (start > 0 ? "…" : "") + cutLine(rest, LIMITS.snippetCharsMax);
}

/** At most `charsMax` characters, with an ellipsis where something was left off; words stay whole where they can. */
export function cutLine(line: string, charsMax: number): string {
  if (line.length <= charsMax) return line;
  const end = characterStart(line, charsMax - 1);
  const blank = line.lastIndexOf(" ", end);
  const cut = blank > charsMax * 0.6 ? blank : end;
  return `${line.slice(0, cut).trimEnd()}…`;
}

/** What Markdown says, without the signs that say how it is drawn. Each pattern looks at one line. */
export function withoutMarkdown(text: string): string {
  return text
    .split("\n")
    .filter((line) => !/^\s*(?:```|~~~)/.test(line) && !/^[\s|:-]*-{3,}[\s|:-]*$/.test(line))
    .map((line) => cellsOf(line).replace(/^\s*(?:#{1,6} +|(?:> ?)+|[-*+] +(?:\[[ xX]\] +)?)/, ""))
    .join("\n")
    .replace(/!?\[([^\]\n]{0,200})\]\([^)\s]{0,500}\)/g, "$1")
    .replace(/(`{1,2})([^`\n]{1,200})\1/g, "$2")
    .replace(/(\*\*|__|~~)(?=\S)([^\n]{1,300}?)(?<=\S)\1/g, "$2")
    .replace(/(?<![\p{L}\p{N}*_])([*_])(?=[^\s*_])([^*_\n]{1,300})(?<=\S)\1(?![\p{L}\p{N}*_])/gu, "$2");
}

/** A row of a table as its cells. */
function cellsOf(line: string): string {
  const row = /^\s*\|(.*)\|\s*$/.exec(line)?.[1];
  if (row === undefined) return line;
  const cells = row.split("|").map((cell) => cell.trim());
  return cells.filter((cell) => cell !== "").join(" · ");
}

const LEADING_MARKDOWN = /^(?:#{1,6} +|> *|[-*+] +|`{1,3}|\*{1,2}(?=\S))+/;

function isSenderText(message: Message, block: Block): block is TextBlock {
  return block.type === "text" && isSenderOrigin(block.origin ?? message.origin);
}

/** Folding can change a text's length; this finds the character of `line` that stands at `index` of its folded form. */
function unfoldedIndex(line: string, folded: string, index: number): number {
  if (folded.length === line.length) return index;
  let left = index;
  let at = 0;
  // Whole blocks first: a long text is folded by the engine, only the last block by hand.
  for (;;) {
    const end = characterStart(line, Math.min(line.length, at + FOLD_BLOCK));
    const length = foldCase(line.slice(at, end)).length;
    if (length > left || end <= at) break;
    left -= length;
    at = end;
  }
  for (const [cluster] of line.slice(at, at + FOLD_BLOCK).matchAll(/\P{M}\p{M}*|\p{M}+/gu)) {
    const length = foldCase(cluster).length;
    if (length > left) return at;
    left -= length;
    at += cluster.length;
  }
  return at;
}

const FOLD_BLOCK = 1024;

function wordStart(line: string, index: number): number {
  const blank = line.indexOf(" ", index);
  return blank >= 0 && blank - index < 12 ? blank + 1 : characterStart(line, index);
}

/** Far enough on either side to hold the longest emoji sequences. */
const CHARACTER_WINDOW = 64;

/** The start of the character, as a person sees it, that holds `index`. */
export function characterStart(line: string, index: number): number {
  const plain = (i: number) => line.charCodeAt(i) < 0x300;
  if (index === 0 || index >= line.length || (plain(index) && plain(index - 1))) return index;
  const from = Math.max(0, index - CHARACTER_WINDOW);
  const characters = new Intl.Segmenter().segment(line.slice(from, index + CHARACTER_WINDOW));
  return from + (characters.containing(index - from)?.index ?? 0);
}
