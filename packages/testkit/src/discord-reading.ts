/** A piece of a message as Discord's apps draw it. */
export interface DiscordPiece {
  readonly text: string;
  readonly styles: readonly DiscordStyle[];
  /** Where a link leads whose words say something else. */
  readonly url?: string;
}

export type DiscordStyle =
  | "bold"
  | "italic"
  | "underline"
  | "strike"
  | "spoiler"
  | "code"
  | "block"
  | "small"
  | "heading"
  | "quote"
  | "mention";

/**
 * Reads Discord's Markdown as its apps do, as far as bots use it. Written from how Discord shows
 * messages, without a look at what writes them, so that both can be compared.
 */
export function readDiscord(content: string): readonly DiscordPiece[] {
  const pieces: DiscordPiece[] = [];
  let at = 0;
  for (const found of content.matchAll(/(?<!\\)```(?:([\w+#-]*)\n)?([^]*?)\n?```/g)) {
    pieces.push(...readLines(content.slice(at, found.index)));
    pieces.push({ text: found[2] ?? "", styles: ["block"] });
    at = found.index + found[0].length;
  }
  pieces.push(...readLines(content.slice(at)));
  return pieces;
}

/** What people read of it. */
export function discordText(content: string): string {
  return readDiscord(content)
    .map(({ text }) => text)
    .join("");
}

const LINE_STARTS: readonly (readonly [RegExp, DiscordStyle])[] = [
  [/^-# /, "small"],
  [/^#{1,3} /, "heading"],
  [/^> /, "quote"],
];

function readLines(text: string): DiscordPiece[] {
  return text.split("\n").flatMap((line, i) => {
    const found = LINE_STARTS.find(([start]) => start.test(line));
    const rest = found ? line.replace(found[0], "") : line;
    const pieces = readWords(rest, found ? [found[1]] : []);
    return i === 0 ? pieces : [{ text: "\n", styles: [] }, ...pieces];
  });
}

const SIGNS: readonly (readonly [RegExp, DiscordStyle])[] = [
  [/^\*\*((?:\\.|[^\\])+?)\*\*(?!\*)/, "bold"],
  [/^__((?:\\.|[^\\])+?)__(?!_)/, "underline"],
  [/^~~((?:\\.|[^\\])+?)~~/, "strike"],
  [/^\|\|((?:\\.|[^\\])+?)\|\|/, "spoiler"],
  [/^\*(?!\s)((?:\\.|[^\\*])+?)\*/, "italic"],
  [/^_(?!\s)((?:\\.|[^\\_])+?)_(?!\w)/, "italic"],
];

function readWords(text: string, styles: readonly DiscordStyle[]): DiscordPiece[] {
  const pieces: DiscordPiece[] = [];
  let plain = "";
  const push = (...more: DiscordPiece[]): void => {
    if (plain !== "") pieces.push({ text: plain, styles });
    plain = "";
    pieces.push(...more);
  };
  for (let at = 0; at < text.length;) {
    const rest = text.slice(at);
    const escaped = /^\\([^a-z0-9\s])/i.exec(rest);
    const code = /^(`+)([^]*?[^`])\1(?!`)/.exec(rest);
    const address = /^<(https?:\/\/[^\s>]+)>/.exec(rest) ?? /^(https?:\/\/[^\s<>]+)/.exec(rest);
    const link = /^\[((?:\\.|[^\]\\])+)\]\(<?(https?:\/\/[^\s>)]+)>?\)/.exec(rest);
    const mention = /^(?:<(?:@[!&]?|#|a?:\w+:|t:|\/\w+:)\d+>|@everyone|@here)/.exec(rest);
    const sign = SIGNS.map(([pattern, style]) => [pattern.exec(rest), style] as const).find(
      ([found]) => found,
    );
    if (escaped) plain += escaped[1];
    else if (code) push({ text: (code[2] ?? "").replace(/^ (.+) $/s, "$1"), styles: [...styles, "code"] });
    else if (link) push(...readWords(link[1] ?? "", styles).map((each) => ({ ...each, url: link[2] ?? "" })));
    else if (address) push({ text: address[1] ?? "", styles });
    else if (mention) push({ text: mention[0], styles: [...styles, "mention"] });
    else if (sign?.[0]) push(...readWords(sign[0][1] ?? "", [...styles, sign[1]]));
    else plain += rest[0] ?? "";
    at += (escaped ?? code ?? link ?? address ?? mention ?? sign?.[0])?.[0].length ?? 1;
  }
  push();
  return pieces;
}
