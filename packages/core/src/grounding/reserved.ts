import { CALL_WORDS } from "../state-words.ts";
import type { CallStatus } from "../tool.ts";
import { WORDING } from "./templates.ts";

/**
 * Glyphs that mean something because only Elwood writes them: the marks of the evidence
 * line, the mark on a verified statement, and the sign in front of Elwood's own sentences.
 * In anything a model, a tool or a stranger wrote they are replaced by plain characters.
 */
export const VOICE = "◈";
export const VERIFIED = CALL_WORDS.succeeded.glyph;
export const MARKS: Readonly<Record<CallStatus, string>> = {
  succeeded: CALL_WORDS.succeeded.glyph,
  failed: CALL_WORDS.failed.glyph,
  denied: CALL_WORDS.denied.glyph,
  expired: CALL_WORDS.expired.glyph,
  pending: CALL_WORDS.pending.glyph,
  unknown: CALL_WORDS.unknown.glyph,
};

/** What stands in their place, lookalikes included. Each class keeps its meaning, so that an honest list stays readable. */
const PLAIN: readonly (readonly [string, string])[] = [
  ["✓✔🗸☑✅🗹⍻ꪜ☑️🮱", "(+)"],
  ["✗✘❌❎☒🗙🗷🗴✕✖⨯❎🞪🞫🞬🞭🞮", "(-)"],
  ["⊘🚫⛔⃠∅⦸⍉", "(/)"],
  ["⌛⏳⧗⧖", "(~)"],
  ["⏸‖❚▮⏯", "(||)"],
  ["⁇❓⍰❔", "(?)"],
  ["↯☇⭍🗲", "(!)"],
  ["◈❖⟐⯁⬖⬗⬘⬙◇◆⬥⬦⟡⯌♦♢", "(*)"],
];

const PLAIN_OF = new Map<string, string>(
  PLAIN.flatMap(([glyphs, plain]) =>
    Array.from(glyphs)
      .filter((g) => g !== "\ufe0f")
      .map((g) => [g, plain] as const),
  ),
);

/** A glyph with whatever is stacked on it or selects its shape. */
const RESERVED = new RegExp(
  `([${[...PLAIN_OF.keys()].join("")}])[\\p{M}\\ufe00-\\ufe0f\\u200d]*|(√)(?![\\p{L}\\p{N}(\\[{⟨|])[\\p{M}\\ufe00-\\ufe0f]*`,
  "gu",
);
const FENCE = /^ {0,3}(```|~~~)/;

/**
 * Model text in which no reserved glyph is left. In a fenced block of code they become
 * `\u2713` escapes, so that code keeps its meaning.
 */
export function escapeReserved(text: string): string {
  const wellFormed = text.toWellFormed();
  let fence: string | undefined;
  return wellFormed
    .split("\n")
    .map((line) => {
      const inCode = fence !== undefined || fenceAfter(line, fence) !== undefined;
      fence = fenceAfter(line, fence);
      return defang(escapeGlyphs(line, inCode));
    })
    .join("\n");
}

/** The same for the glyphs of one line, or of a line that is still being written. */
export function escapeGlyphs(line: string, inCode: boolean): string {
  return line.replace(RESERVED, (whole, glyph: string | undefined) =>
    inCode ? codeEscape(whole) : (PLAIN_OF.get(glyph ?? "") ?? "(+)"),
  );
}

/** Which fence of code is open behind this line, where `open` is the one before it. */
export function fenceAfter(line: string, open: string | undefined): string | undefined {
  const mark = FENCE.exec(line)?.[1];
  if (mark === undefined) return open;
  return open === undefined ? mark : open === mark ? undefined : open;
}

export function hasReserved(text: string): boolean {
  return text.search(RESERVED) >= 0;
}

/** Head of the log as the evidence line shows it: nothing else may look like that. Any dot-like sign between, any script's digits. */
const HEAD =
  /(\p{L}{2,20}[\p{Z}\p{Cf}]{0,3}\p{Nd}{1,12})[\p{Z}\p{Cf}]{0,3}[·‧∙⋅•・･‐-―|/,:.][\p{Z}\p{Cf}]{0,3}(?=[0-9a-fａ-ｆ０-９]{16})/giu;

/** The evidence line of a reply without calls has no mark of its own; said by a model it stands in quotation marks. */
const NO_TOOL: ReadonlySet<string> = new Set(Object.values(WORDING).map(({ noTool }) => lettersOf(noTool)));

function defang(line: string): string {
  const plain = line.replace(HEAD, "$1 (quoted) ");
  return NO_TOOL.has(lettersOf(plain)) ? `“${plain.trim()}”` : plain;
}

function lettersOf(line: string): string {
  return line.length > 400
    ? ""
    : line
        .normalize("NFKC")
        .toLowerCase()
        .replace(/[^\p{L}]/gu, "");
}

function codeEscape(characters: string): string {
  return Array.from(characters)
    .map((c) => {
      const code = c.codePointAt(0) ?? 0;
      return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, "0")}`;
    })
    .join("");
}
