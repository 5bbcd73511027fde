/** The words of a page without its structure, in one pass: for pages that cannot be read properly. */
export function bareText(html: string): string {
  const parts: string[] = [];
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf("<", at);
    if (open === -1) {
      parts.push(html.slice(at));
      break;
    }
    parts.push(html.slice(at, open));
    const silent = /^<(script|style|noscript|template|head|svg|!--)/i.exec(html.slice(open, open + 12));
    const end = silent ? endOf(html, open, silent[1]!.toLowerCase()) : html.indexOf(">", open);
    if (end === -1) break;
    parts.push(
      /^<\/?(p|div|li|tr|h[1-6]|br|section|article|pre)\b/i.test(html.slice(open, open + 10)) ? "\n" : " ",
    );
    at = end + 1;
  }
  return decodeEntities(parts.join(""))
    .replaceAll(/[ \t\f\v]+/g, " ")
    .replaceAll(/ ?\n[\n ]*/g, "\n")
    .trim();
}

function endOf(html: string, from: number, name: string): number {
  if (name === "!--") {
    const end = html.indexOf("-->", from);
    return end === -1 ? -1 : end + 2;
  }
  const closing = new RegExp(`</${name}`, "gi");
  closing.lastIndex = from;
  const close = closing.exec(html);
  return close === null ? -1 : html.indexOf(">", close.index);
}

const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
};

/** The few entities that plain texts hold; others stay as they are. */
export function decodeEntities(text: string): string {
  return text.replaceAll(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos|nbsp));/gi,
    (whole, decimal, hex, name) => {
      if (typeof name === "string") return NAMED[name.toLowerCase()] ?? whole;
      const code = typeof decimal === "string" ? Number(decimal) : Number.parseInt(String(hex), 16);
      return code > 0 && code <= 0x10_ff_ff && !(code >= 0xd800 && code <= 0xdfff)
        ? String.fromCodePoint(code)
        : whole;
    },
  );
}
