import { parseAddress } from "../net/address.ts";
import { codesIn, spokenCodes } from "./codes.ts";
import { readableText } from "./readable-text.ts";

/** Something in a text that identifies a place, a person or an account, or opens something. */
export interface Stranger {
  readonly what: "an e-mail address" | "a link or host" | "a number or code";
  readonly value: string;
}

/** What the owner typed, as texts for others are compared with it. */
export class OwnText {
  readonly #texts: readonly string[];
  #found: Found | undefined;

  constructor(texts: readonly string[]) {
    this.#texts = texts;
  }

  /** Whether the owner typed the very same address, account or code. */
  has({ what, value }: Stranger): boolean {
    const { emails, places, codes } = this.#read();
    if (what === "an e-mail address") return emails.has(value);
    if (what === "a link or host") return places.has(value) || this.#handles(value);
    return codes.has(value);
  }

  /** All that was typed, readable. */
  text(): string {
    return this.#read().text;
  }

  #handles(value: string): boolean {
    if (!value.startsWith("@")) return false;
    const name = value.slice(1);
    return this.text()
      .toLowerCase()
      .split(/[^\p{L}\p{N}_]+/u)
      .includes(name);
  }

  #read(): Found {
    if (this.#found) return this.#found;
    const text = readableText(this.#texts.join("\n\n").slice(-OWN_CHARS_MAX));
    return (this.#found = {
      text,
      emails: new Set(emailsIn(text)),
      places: new Set(placesIn(text)),
      codes: spokenCodes(withoutPlaces(text)),
    });
  }
}

interface Found {
  readonly text: string;
  readonly emails: ReadonlySet<string>;
  readonly places: ReadonlySet<string>;
  readonly codes: ReadonlySet<string>;
}

const OWN_CHARS_MAX = 64_000;

/** The first thing in a readable text that the owner did not type. */
export function strangerIn(text: string, own: OwnText): Stranger | undefined {
  const found = [
    ...emailsIn(text).map((value) => ({ what: "an e-mail address", value }) as const),
    ...placesIn(text).map((value) => ({ what: "a link or host", value }) as const),
    ...codesIn(withoutPlaces(text)).map((value) => ({ what: "a number or code", value }) as const),
  ];
  return found.find((each) => !own.has(each));
}

// Each begins only where a token does, and every repetition has a bound: a hostile text costs no more than a plain one.
const LABEL = "[\\p{L}\\p{N}\\p{M}\\p{So}_-]";
const EMAIL = new RegExp(
  `(?<![\\p{L}\\p{N}._%+-])[\\p{L}\\p{N}\\p{M}._%+-]{1,64}\\s?@\\s?(?:${LABEL}{1,63}(?:\\.${LABEL}{1,63}){1,10}|\\[[0-9a-f:.]{3,45}\\])`,
  "giu",
);
/** With a scheme anything is a place: browsers take one slash, none or backslashes as well. */
const SCHEMED =
  /(?<![\p{L}\p{N}])(?:(?:https?|wss?|ftp)\s{0,2}:\s{0,2}[/\\]{0,8}|[a-z][a-z0-9+.-]{1,20}:\/\/|[/\\]{2}(?=[\p{L}\p{N}\p{M}_-]{1,63}\.))[^\s<>"'`]{1,4000}/giu;
const OPAQUE =
  /(?<![\p{L}\p{N}])(?:mailto|tel|callto|smsto?|mmsto?|data|javascript|vbscript|file|blob|bitcoin|ethereum|litecoin|monero|lightning|upi|paypal|venmo|cashapp|skype|facetime(?:-audio)?|tg|whatsapp|signal|magnet|geo|xmpp|sips?|intent|market|zoommtg|msteams|slack|ssh|git|irc|ipfs|nostr):[^\s<>"'`]{1,4000}/giu;
const HOST = new RegExp(
  `(?<![\\p{L}\\p{N}\\p{M}.@-])(?:${LABEL}{1,63}\\.){1,126}(?:xn--[a-z0-9-]{1,59}|[\\p{L}\\p{M}]{2,63})(?![\\p{L}\\p{N}])(?::\\d{1,5})?(?:[/?#\\\\][^\\s<>"'\`]{0,4000})?`,
  "giu",
);
const V4 =
  /(?<![\p{L}\p{N}.])(?:0x[0-9a-f]{1,8}|\d{1,10})(?:\.(?:0x[0-9a-f]{1,8}|\d{1,10})){3}(?![\p{L}\p{N}])(?::\d{1,5})?(?:[/?#][^\s<>"'`]{0,4000})?/giu;
const V6 =
  /(?<![\p{L}\p{N}:.])\[?(?:[0-9a-f]{0,4}:){2,8}(?:[0-9a-f]{0,4}|\d{1,3}(?:\.\d{1,3}){3})\]?(?![\p{L}\p{N}:])(?:[/?#][^\s<>"'`]{0,4000})?/giu;
const LOCAL = /(?<![\p{L}\p{N}.-])localhost(?![\p{L}\p{N}])(?::\d{1,5})?(?:[/?#][^\s<>"'`]{0,4000})?/giu;
const HANDLE = /(?<![\p{L}\p{N}_.%+@-])@[\p{L}\p{N}_][\p{L}\p{N}_.]{2,38}(?![\p{L}\p{N}@/])/gu;

function emailsIn(text: string): string[] {
  return [...text.matchAll(EMAIL)].map(([email]) =>
    email.replaceAll(/\s/gu, "").toLowerCase().replace(/\.+$/u, ""),
  );
}

/** Links, hosts, addresses and handles, each in the one form by which it is compared. */
function placesIn(text: string): string[] {
  const found: string[] = [];
  let left = text.replace(EMAIL, " ");
  for (const pattern of [SCHEMED, OPAQUE, V6, V4, LOCAL, HOST]) {
    left = left.replace(pattern, (place: string) => {
      if (pattern === V6 && !isV6(place)) return place;
      found.push(...placeKeys(place));
      return " ";
    });
  }
  for (const [handle] of left.matchAll(HANDLE)) found.push(handle.toLowerCase().replace(/\.+$/u, ""));
  return found;
}

/** What numbers there are beside those in addresses. */
export function withoutPlaces(text: string): string {
  return [EMAIL, SCHEMED, OPAQUE, V4, HOST].reduce((left, pattern) => left.replace(pattern, " | "), text);
}

function isV6(place: string): boolean {
  const [bare = ""] = place.replace(/^\[/u, "").split(/[\]/?#]/u);
  return parseAddress(bare)?.length === 16;
}

/** As a browser would read it: one host in one spelling, with what follows it. A file name comes out as a host too. */
function placeKeys(written: string): string[] {
  const trimmed = written.replace(/[.,;:!?)\]}'"*_~|]+$/u, "");
  // "www.our-company.com.They": a sentence that was not followed by a blank.
  const [, glued] = /^([^/?#]*\p{Ll}{2,})\.\p{Lu}\p{Ll}*$/u.exec(trimmed) ?? [];
  const text = (glued ?? trimmed).replaceAll(/\s/gu, "");
  const schemed = /^[a-z][a-z0-9+.-]*:/iu.test(text) && !/^[^/]*\.[^/]*:\d/u.test(text);
  const isSlashed = /^[/\\]{2}/u.test(text);
  const bare = /^\[?[0-9a-f:]*:[0-9a-f:.]*\]?$/iu.test(text) ? `[${text.replace(/^\[|\]$/gu, "")}]` : text;
  const url = parsed(schemed ? text : isSlashed ? `https:${text}` : `https://${bare}`);
  if (url === undefined) return [text.toLowerCase()];
  const rest = `${url.pathname}${url.search}${url.hash}`.replace(/\/$/u, "");
  const scheme = url.protocol === "https:" ? "" : schemed ? url.protocol : "";
  return [`${scheme}${url.host.replace(/\.$/u, "")}${rest}`];
}

function parsed(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
