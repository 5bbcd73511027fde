import { showText } from "@elwood/core/base/show";

/**
 * Prose as it may be shown: characters that turn direction or hide are written out, as
 * everywhere. Those that scripts and emoji are made of stay: joiners between letters that
 * need them, and what selects the shape of a pictogram.
 */
export function spokenText(text: string): string {
  const plain = text.includes("\r") ? text.replaceAll(/\r\n?/g, "\n") : text;
  if (!SUSPECT.test(plain)) return plain;
  return plain
    .split(HONEST)
    .map((part, i) => (i % 2 === 1 ? part : showText(part)))
    .join("");
}

const SUSPECT =
  /[^\t\n\u0020-\u007e\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2030-\u205e\u20a0-\u22ff\u2500-\u25ff]/u;
const PICTOGRAM = String.raw`[\p{Extended_Pictographic}\p{Emoji_Modifier}]`;
const HONEST = new RegExp(
  [
    String.raw`((?:${PICTOGRAM}[\ufe0e\ufe0f]?)(?:\u200d?${PICTOGRAM}[\ufe0e\ufe0f]?)*`,
    String.raw`[0-9#*]\ufe0f\u20e3`,
    String.raw`(?<=[\p{L}\p{M}])(?<![\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}])[\u200c\u200d](?=\p{L}))`,
  ].join("|"),
  "u",
);
