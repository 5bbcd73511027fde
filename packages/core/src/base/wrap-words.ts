/** Lines of at most `width` columns, broken at spaces where there are some, else wherever the line is full. */
export function wrapWords(text: string, width: number): string[] {
  const room = Math.max(1, width);
  const out: string[] = [];
  let line = "";
  let used = 0;
  let space = -1;
  for (const character of text.replaceAll("\t", "    ")) {
    const wide = columnsOf(character);
    if (used + wide > room) {
      if (character === " ") {
        out.push(line);
        [line, used, space] = ["", 0, -1];
        continue;
      }
      const cut = space > 0 ? space : line.length;
      out.push(line.slice(0, cut));
      line = line.slice(space > 0 ? cut + 1 : cut);
      used = Array.from(line).reduce((sum, each) => sum + columnsOf(each), 0);
      space = -1;
    }
    if (character === " " && line.trim() !== "") space = line.length;
    line += character;
    used += wide;
  }
  out.push(line);
  return out;
}

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const NARROWLESS = /\p{Mn}|\p{Me}/u;

function columnsOf(character: string): number {
  if (NARROWLESS.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}
