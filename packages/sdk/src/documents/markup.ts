import { Unreadable } from "./unreadable.ts";

export type MarkupToken =
  | { readonly kind: "open"; readonly name: string; readonly attributes: string; readonly closed: boolean }
  | { readonly kind: "close"; readonly name: string }
  | { readonly kind: "text"; readonly text: string };

/** In HTML, what is in these is no markup. */
const RAW = new Set(["script", "style", "textarea", "title"]);

/**
 * Goes through XML or HTML from its beginning to its end, once. Nothing is fetched and nothing is
 * expanded: a document that declares entities of its own is refused, since those that do are
 * built to read other files or to fill memory.
 */
export function* markupTokens(text: string, dialect: "xml" | "html"): Generator<MarkupToken> {
  let at = 0;
  while (at < text.length) {
    const next = text.indexOf("<", at);
    if (next !== at) {
      yield { kind: "text", text: decoded(text.slice(at, next < 0 ? text.length : next)) };
      if (next < 0) return;
      at = next;
    }
    if (text.startsWith("<!--", at)) {
      at = after(text, "-->", at + 4);
    } else if (text.startsWith("<![CDATA[", at)) {
      const end = after(text, "]]>", at + 9);
      yield { kind: "text", text: text.slice(at + 9, Math.max(at + 9, end - 3)) };
      at = end;
    } else if (text.startsWith("<!", at)) {
      at = afterDeclaration(text, at);
    } else if (text.startsWith("<?", at)) {
      at = after(text, "?>", at + 2);
    } else if (/[a-z_/]/i.test(text.charAt(at + 1))) {
      const end = tagEnd(text, at);
      const inside = text.slice(at + 1, end);
      at = end + 1;
      if (inside.startsWith("/")) {
        yield { kind: "close", name: nameOf(inside.slice(1), dialect) };
        continue;
      }
      const closed = inside.endsWith("/");
      const name = nameOf(inside, dialect);
      yield { kind: "open", name, attributes: inside.slice(name.length, closed ? -1 : undefined), closed };
      if (dialect === "html" && !closed && RAW.has(name)) {
        const stop = closingAt(text, name, at);
        yield { kind: "text", text: decoded(text.slice(at, stop)) };
        at = stop;
      }
    } else {
      yield { kind: "text", text: "<" };
      at += 1;
    }
  }
}

/** The value of an attribute, by its whole name. */
export function attribute(attributes: string, name: string): string | undefined {
  const found = new RegExp(
    `(?:^|\\s)${name.replaceAll(/[^\w:-]/g, "")}\\s*=\\s*("[^"]*"|'[^']*'|[^\\s"'>]+)`,
    "i",
  ).exec(attributes);
  const value = found?.[1];
  if (value === undefined) return undefined;
  return decoded(/^["']/.test(value) ? value.slice(1, -1) : value);
}

function nameOf(inside: string, dialect: "xml" | "html"): string {
  const name = /^[^\s/>]*/.exec(inside)?.[0] ?? "";
  return dialect === "html" ? name.toLowerCase() : name;
}

/** A `>` in a value does not end the tag. */
function tagEnd(text: string, from: number): number {
  let quote = "";
  for (let at = from + 1; at < text.length; at++) {
    const c = text.charAt(at);
    if (quote !== "") {
      if (c === quote) quote = "";
    } else if ((c === '"' || c === "'") && text.charAt(at - 1) === "=") quote = c;
    else if (c === ">") return at;
  }
  return text.length;
}

function afterDeclaration(text: string, from: number): number {
  const end = text.indexOf(">", from);
  const subset = text.indexOf("[", from);
  if (subset < 0 || (end >= 0 && end < subset)) return end < 0 ? text.length : end + 1;
  const close = text.indexOf("]", subset);
  const inside = text.slice(subset, close < 0 ? text.length : close);
  if (/<!ENTITY/i.test(inside)) throw new Unreadable("entities", "it declares entities of its own");
  return after(text, ">", close < 0 ? text.length : close);
}

function after(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found < 0 ? text.length : found + mark.length;
}

function closingAt(text: string, name: string, from: number): number {
  const close = new RegExp(`</${name}[\\s/>]`, "gi");
  close.lastIndex = from;
  return close.exec(text)?.index ?? text.length;
}

/** The characters from 160 on, in order. */
const LATIN =
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml";
const NAMED: ReadonlyMap<string, string> = new Map([
  ...LATIN.split(" ").map((name, i): [string, string] => [name, String.fromCodePoint(160 + i)]),
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
  ["ndash", "–"],
  ["mdash", "—"],
  ["hellip", "…"],
  ["bull", "•"],
  ["lsquo", "‘"],
  ["rsquo", "’"],
  ["sbquo", "‚"],
  ["ldquo", "“"],
  ["rdquo", "”"],
  ["bdquo", "„"],
  ["euro", "€"],
  ["trade", "™"],
  ["rarr", "→"],
  ["larr", "←"],
]);

function decoded(text: string): string {
  if (!text.includes("&")) return text;
  return text.replaceAll(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]\w{1,9});/gi, (whole, name: string) => {
    if (!name.startsWith("#")) return NAMED.get(name) ?? whole;
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
    return isCharacter ? String.fromCodePoint(code) : "\uFFFD";
  });
}
