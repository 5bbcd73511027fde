/**
 * Text as it may be shown to somebody who decides by it. Characters that turn direction,
 * hide, or draw lines are written out as escapes, so that what is read is what will run.
 */
const DECEPTIVE = new RegExp(
  [
    "[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f]", // controls, escape sequences among them
    "[\\u00ad\\u061c\\u115f\\u1160\\u180e\\u3164\\uffa0]", // nothing to see, or a blank that is none
    "\\u034f|\\u17b4|\\u17b5|[\\u180b-\\u180d]|\\u180f|[\\ufe00-\\ufe0f]", // joiners and variants
    "[\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff]", // zero width, and those that turn direction
    "[\\ufff0-\\uffff]|[\\u{e0000}-\\u{e0fff}]", // specials and tags
  ].join("|"),
  "gu",
);

/** Several lines; only what deceives is escaped. */
export function showText(text: string): string {
  return text.toWellFormed().replace(DECEPTIVE, escape);
}

/** One line: newlines and tabs are written out too. */
export function showLine(text: string): string {
  return showText(text).replace(/[\n\t]/g, (c) => (c === "\n" ? "\\n" : "\\t"));
}

function escape(character: string): string {
  if (character === "\r") return "\\r";
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, "0")}`;
}

/** The longest card that can be shown whole. Beyond it nobody may allow the call. */
export const CARD_CHARS_MAX = 20_000;
