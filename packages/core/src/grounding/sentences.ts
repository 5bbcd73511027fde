import { placed, type Places, type SentenceInPlace } from "./claim-features.ts";
import { fenceAfter, type OpenFence } from "./fences.ts";
import { GROUNDING_LIMITS } from "./limits.ts";

/** One sentence of a draft: as written, and as it is read (without quotations and markup). */
export interface Sentence {
  readonly text: string;
  readonly plain: string;
  readonly start: number;
  readonly end: number;
  readonly places: Places;
}

/** What of a draft the assistant says itself, and whether it holds more than that. */
export interface ReadDraft {
  readonly sentences: readonly Sentence[];
  readonly hasCode: boolean;
  readonly hasQuotation: boolean;
  /** A line of it is nothing but a quotation. */
  readonly quotesLines: boolean;
  /** Only part of it was short enough to be read. */
  readonly partly: boolean;
}

interface Line {
  readonly text: string;
  readonly start: number;
  readonly kind: "words" | "code" | "quotation" | "empty";
  /** It may be the first or the last line of a letter. */
  readonly greets: boolean;
  readonly closes: boolean;
}

/** Somebody else's words. A single quoted word is no quotation. */
const QUOTED =
  /"[^"\n]{0,400}"|“[^”\n]{0,400}”|„[^“”"\n]{0,400}[“”"]|«[^»\n]{0,400}»|‹[^›\n]{0,400}›|「[^」\n]{0,400}」|『[^』\n]{0,400}』|‘[^’\n]{3,400}’(?!\p{L})/gu;
const MAY_QUOTE = /["“„«‹「『‘]/u;
const CODE = /(`{1,3})(?!`)[^\n]{1,400}?(?<!`)\1(?!`)/gu;
const END = /[.!?…](?=["”»)\]*_]*\s)|[。！？](?![」』”])|[!?](?=\p{Extended_Pictographic})/gu;
/** A full stop that ends a shortened word, a single letter or an ordinal, not a sentence. */
const ABBREVIATED =
  /(?:^|[\s("“„«])(?:\p{L}|Mr|Mrs|Ms|Dr|Prof|St|Sr|Sra|Jr|No|Nr|Mme|Mlle|dhr|mevr|ul|al|dr|prof|inkl|incl|ca|vs|etc|e\.g|i\.e|z\.\s?B|d\.\s?h|p\.\s?ej|np|bijv|bzw|usw|\d{1,2})\.$/u;
const LIST_ITEM = /^\s*(?:[-*+•▪–]|\d{1,3}[.)])\s+/u;
const TABLE_ROW = /^\s*\|.*\|\s*$/u;
const HEADING = /^\s{0,3}#{1,6}\s|^\s*\*\*[^*]{1,60}\*\*:?\s*$/u;
/** "Hi Anna," or "Subject: …" on a line of its own: a letter begins. */
const GREETING = /^\s*[\p{L}'’.\s]{2,40}[,，、:]\s*$|^\s*\*{0,2}\p{L}{3,12}\*{0,2}\s?[:：]\s?\S/u;
/** A short last line without a full stop: a signature or placeholder. */
const CLOSING = /^\s*[[(]?[\p{L}'’.\s[\]]{2,40}[,，]?[\])]?\s*$/u;

/** Code, block quotes and quotations are not what the assistant says of itself, and are left out. */
export function readDraft(draft: string): ReadDraft {
  const text = draft.slice(0, GROUNDING_LIMITS.readCharsMax);
  const lines = linesOf(text);
  const spoken = lines.filter(({ kind }) => kind !== "empty");
  const hasCode = lines.some(({ kind }) => kind === "code");
  const hasQuotation = lines.some(({ kind }) => kind === "quotation");
  const sentences: Sentence[] = [];
  let quotesLines = false;
  for (const [index, line] of spoken.entries()) {
    if (line.kind !== "words") continue;
    const around = placesOfLine(spoken, index);
    for (const [from, to] of pieces(line.text)) {
      if (sentences.length >= GROUNDING_LIMITS.sentencesMax) break;
      const raw = line.text.slice(from, to);
      const plain = plainOf(raw);
      if (!/[\p{L}\p{N}\p{Extended_Pictographic}✓✔☑]/u.test(plain)) {
        quotesLines ||= /\p{L}/u.test(raw);
        continue;
      }
      const places =
        around |
        placesOfSentence(raw, plain) |
        (isColon(line.text.charCodeAt(beforeSpaces(line.text, from) - 1)) ? IN.afterColon : 0);
      sentences.push({ text: raw.trim(), plain, start: line.start + from, end: line.start + to, places });
    }
  }
  const partly = draft.length > text.length || sentences.length >= GROUNDING_LIMITS.sentencesMax;
  return {
    sentences: inOrder(sentences, { hasCode, hasQuotation }),
    hasCode,
    hasQuotation,
    quotesLines,
    partly,
  };
}

/** Each sentence with what stands around it and what was asked, as the classifier reads it. */
export function inPlace({ sentences }: ReadDraft, request: string): SentenceInPlace[] {
  const opening = sentences[0]?.plain ?? "";
  const asked = requestPlaces(request);
  return sentences.map((sentence, index) => ({
    sentence: sentence.plain,
    request,
    before: sentences[index - 1]?.plain ?? "",
    opening: index < 2 ? "" : opening,
    places: sentence.places | asked,
  }));
}

function linesOf(text: string): Line[] {
  const out: Line[] = [];
  let fence: OpenFence | undefined;
  let at = 0;
  for (const line of text.split("\n")) {
    const start = at;
    at += line.length + 1;
    const after = fenceAfter(line, fence, "any");
    const code = fence !== undefined || after !== undefined;
    fence = after;
    const kind = code
      ? "code"
      : /^\s{0,3}>/u.test(line)
        ? "quotation"
        : line.trim() === ""
          ? "empty"
          : "words";
    const words = kind === "words";
    out.push({
      text: line,
      start,
      kind,
      greets: words && GREETING.test(line),
      closes: words && CLOSING.test(line),
    });
  }
  return out;
}

const IN = {
  first: placed("first"),
  last: placed("last"),
  alone: placed("alone"),
  shortReply: placed("short reply"),
  longReply: placed("long reply"),
  replyWithCode: placed("reply has code"),
  replyWithQuotation: placed("reply has a quotation"),
  list: placed("in a list"),
  table: placed("in a table"),
  heading: placed("heading or label"),
  afterCode: placed("after code"),
  beforeCode: placed("before code"),
  afterGreeting: placed("after a greeting line"),
  beforeClosing: placed("before a closing line"),
  afterColon: placed("after a colon"),
  endsWithColon: placed("ends with a colon"),
  question: placed("question"),
  veryShort: placed("very short"),
  long: placed("long"),
  names: placed("names a file or address"),
  code: placed("code in the line"),
} as const;

/** How far from a sentence the first and the last line of a letter may stand. */
const GREETING_LINES_MAX = 12;
const CLOSING_LINES_MAX = 7;

function placesOfLine(spoken: readonly Line[], here: number): Places {
  const line = spoken[here]?.text ?? "";
  const next = spoken[here + 1]?.kind;
  let out = 0;
  if (LIST_ITEM.test(line)) out |= IN.list;
  if (TABLE_ROW.test(line)) out |= IN.table;
  if (HEADING.test(line)) out |= IN.heading;
  if (spoken[here - 1]?.kind === "code") out |= IN.afterCode;
  if (next === "code" || next === "quotation") out |= IN.beforeCode;
  for (let at = Math.max(0, here - GREETING_LINES_MAX); at < here; at += 1)
    if (spoken[at]!.greets) out |= IN.afterGreeting;
  for (let at = Math.min(spoken.length - 1, here + CLOSING_LINES_MAX); at > here; at -= 1)
    if (spoken[at]!.closes) out |= IN.beforeClosing;
  return out;
}

function isColon(code: number): boolean {
  return code === 0x3a || code === 0xff1a;
}

/** Where the spaces begin that end at a place. */
function beforeSpaces(text: string, end: number): number {
  let at = end;
  while (at > 0 && isSpace(text.charCodeAt(at - 1))) at -= 1;
  return at;
}

/** As `\s` has it. */
function isSpace(code: number): boolean {
  if (code <= 0x20) return code === 0x20 || (code >= 0x09 && code <= 0x0d);
  if (code < 0x1680) return code === 0xa0;
  return (
    code === 0x1680 ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x3000 ||
    code === 0xfeff
  );
}

const VERY_SHORT_CHARS = 16;
const THREE_WORDS = /\p{L}[^\p{L}]+\p{L}+[^\p{L}]+\p{L}/u;
const LONG_CHARS = 140;
const NAME = /[\w-]{2}\.[a-z]{1,5}(?![a-z])|@|https?:|(?<!\p{L})#\w|\//iu;

function placesOfSentence(raw: string, plain: string): Places {
  let out = 0;
  const end = beforeSpaces(raw, raw.length);
  let last = end;
  while (last > 0 && raw.charCodeAt(last - 1) === STAR) last -= 1;
  if (isColon(raw.charCodeAt(last - 1))) out |= IN.endsWithColon;
  last = end;
  while (last > 0 && CLOSERS.has(raw.charCodeAt(last - 1))) last -= 1;
  const closed = raw.charCodeAt(last - 1);
  if (closed === 0x3f || closed === 0xff1f) out |= IN.question;
  if (plain.length < VERY_SHORT_CHARS || !THREE_WORDS.test(plain)) out |= IN.veryShort;
  if (plain.length > LONG_CHARS) out |= IN.long;
  if (MAY_NAME.test(plain) && NAME.test(plain)) out |= IN.names;
  if (raw.includes("`") && /`[^`]+`/u.test(raw)) out |= IN.code;
  return out;
}

const STAR = 0x2a;
/** What may stand behind the last sign of a sentence. */
const CLOSERS: ReadonlySet<number> = new Set(Array.from('"”»)]*_', (sign) => sign.charCodeAt(0)));
const MAY_NAME = /[@#/:]|\.[a-z]/iu;

export function requestPlaces(request: string): Places {
  if (request.trim() === "") return placed("no request");
  let out = 0;
  if (/```|[{};]\s*$|=>|\bdef \w|function\s*\w*\(/mu.test(request)) out |= placed("request has code");
  if (request.length > 160 || request.includes("\n")) out |= placed("request is long");
  if (/[?？]/u.test(request)) out |= placed("request asks");
  return out;
}

/** Each with its place among the others. */
function inOrder(
  sentences: readonly Sentence[],
  { hasCode, hasQuotation }: { readonly hasCode: boolean; readonly hasQuotation: boolean },
): Sentence[] {
  const count = sentences.length;
  const all =
    (count <= SHORT_REPLY_SENTENCES ? IN.shortReply : IN.longReply) |
    (count === 1 ? IN.alone : 0) |
    (hasCode ? IN.replyWithCode : 0) |
    (hasQuotation ? IN.replyWithQuotation : 0);
  return sentences.map((sentence, index) => {
    const first = index === 0 ? IN.first : 0;
    const last = index === count - 1 ? IN.last : 0;
    return { ...sentence, places: sentence.places | all | first | last };
  });
}

const SHORT_REPLY_SENTENCES = 3;

function pieces(line: string): [number, number][] {
  const out: [number, number][] = [];
  // Quotations and code keep their full stops to themselves.
  const uncoded = line.includes("`") ? line.replace(CODE, (code) => "x".repeat(code.length)) : line;
  const masked = MAY_QUOTE.test(uncoded)
    ? uncoded.replace(QUOTED, (quote) => "x".repeat(quote.length))
    : uncoded;
  let from = 0;
  const cut = (to: number) => {
    for (let start = from; start < to; start += GROUNDING_LIMITS.sentenceCharsMax)
      out.push([start, Math.min(to, start + GROUNDING_LIMITS.sentenceCharsMax)]);
    from = to;
  };
  const cites = line.includes("[");
  for (const match of masked.matchAll(END)) {
    const end = match.index + match[0].length;
    if (match[0] === "." && isNoEnd(line, from, end)) continue;
    cut(
      end +
        (cites
          ? (CITED.exec(line.slice(end, end + CITED_CHARS_MAX))?.[0].length ?? 0)
          : closersAt(line, end)),
    );
  }
  cut(line.length);
  return out;
}

/** What closes a sentence behind its last sign, with what it cites. */
const CITED = /^["”»)\]*_]*(?:\s*\[c\d{1,6}(?:,\s?c\d{1,6})*\])*/u;
const CITED_CHARS_MAX = 80;

function closersAt(line: string, from: number): number {
  let at = from;
  while (at < from + CITED_CHARS_MAX && CLOSERS.has(line.charCodeAt(at))) at += 1;
  return at - from;
}

/** The number of a list, or a shortened word: none is longer than this, with what stands before it. */
const SHORTENED_CHARS_MAX = 16;

function isNoEnd(line: string, from: number, end: number): boolean {
  if (/^\s*\d{1,3}\.$/u.test(line.slice(from, end))) return true;
  const before = line.slice(Math.max(from, end - SHORTENED_CHARS_MAX), end);
  if (!ABBREVIATED.test(before)) return false;
  return !(/\d ?h?\.$/u.test(before) && BEGINS.test(line.slice(end, end + SHORTENED_CHARS_MAX)));
}

/** "… is at 12. The page …": behind an ordinal or an hour no such word stands with a capital, unless a sentence begins. */
const BEGINS =
  /^\s+(?:The|This|That|These|It|It's|I|I've|I'll|I'm|You|You're|Your|We|They|He|She|There|If|When|Then|And|But|So|Also|No|Not|Der|Die|Das|Den|Ein|Eine|Ich|Du|Sie|Er|Es|Wir|Wenn|Danach|Dann|Auch|Und|Aber|Dein|Deine|Le|La|Les|L'\p{L}+|Une?|Je|J'\p{L}+|Tu|Vous|Il|Elle|Nous|C'est|Ce|Cette|Si|El|Los|Las|Una|He|Te|Ya|Lo|Ho|Gli|Ti|È|Se|Os?|As?|Um|Uma|Eu|Já|Foi|Het|De|Een|Ik|Je|Ook|Det|Den|Jag|Du|To|Jest|Już|Jsem|Už|Je)(?![\p{L}'])/u;

/** As it is read: no quotation, no citation, no list marker, no emphasis. A name keeps every character of its own. */
function plainOf(raw: string): string {
  const code: string[] = [];
  let text = raw;
  if (BEYOND_ASCII.test(raw))
    text = raw
      .normalize("NFC")
      .replaceAll("’", "'")
      .replace(/[\u200b-\u200f\u2060\ufeff\u00ad]/gu, "");
  if (text.includes("`"))
    text = text.replace(CODE, (whole) => {
      code.push(whole.replace(/^`+|`+$/gu, ""));
      return `\u0001${code.length - 1}\u0001`;
    });
  if (MAY_QUOTE.test(text))
    text = text.replace(QUOTED, (quote) => {
      const inner = quote.slice(1, -1).trim();
      return /\s/u.test(inner) || quote.length > 24 ? " … " : inner;
    });
  if (text.includes("![")) text = text.replace(/!\[[^\]\n]{0,200}\]\([^)\n]{0,2000}\)/gu, " ");
  if (text.includes("[")) text = text.replace(/\[c\d{1,6}(?:,\s?c\d{1,6})*\]/giu, " ");
  text = text.replace(LIST_ITEM, "");
  if (/[*_~]/u.test(text)) text = text.replace(EMPHASIS, "");
  if (code.length > 0)
    text = text.replace(/\u0001(\d{1,4})\u0001/gu, (_, n: string) => code[Number(n)] ?? "");
  return (/[^\S ]|  /u.test(text) ? text.replace(/\s+/gu, " ") : text).trim();
}

const BEYOND_ASCII = /[^\0-\x7f]/u;
const EMPHASIS =
  /(?<![\p{L}\p{N}])(?:\*{1,3}|_{1,3}|~{2})(?=\S)|(?<=\S)(?:\*{1,3}|_{1,3}|~{2})(?![\p{L}\p{N}])|\*{2,3}/gu;
