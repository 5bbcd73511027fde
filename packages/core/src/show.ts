/**
 * Text as it may be shown to somebody who decides by it. Characters that turn direction,
 * hide, or draw lines are written out as escapes, so that what is read is what will run.
 */
const DECEPTIVE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff]|[\u{e0000}-\u{e0fff}]/gu;

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
