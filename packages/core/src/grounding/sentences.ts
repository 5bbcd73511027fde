import type { Place, SentenceInPlace } from "./claim-features.ts";
import { fenceAfter, type OpenFence } from "./fences.ts";
import { GROUNDING_LIMITS } from "./limits.ts";

/** One sentence of a draft: as written, and as it is read (without quotations and markup). */
export interface Sentence {
  readonly text: string;
  readonly plain: string;
  readonly start: number;
  readonly end: number;
  readonly places: ReadonlySet<Place>;
}

/** What of a draft the assistant says itself, and whether it holds more than that. */
export interface ReadDraft {
  readonly sentences: readonly Sentence[];
  readonly hasCode: boolean;
  readonly hasQuotation: boolean;
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
  for (const [index, line] of spoken.entries()) {
    if (line.kind !== "words") continue;
    const around = placesOfLine(spoken, index);
    for (const [from, to] of pieces(line.text)) {
      if (sentences.length >= GROUNDING_LIMITS.sentencesMax) break;
      const raw = line.text.slice(from, to);
      const plain = plainOf(raw);
      if (!/[\p{L}\p{N}\p{Extended_Pictographic}✓✔☑]/u.test(plain)) continue;
      const places = new Set<Place>(around);
      for (const place of placesOfSentence(raw, plain)) places.add(place);
      if (/[:：]\s*$/u.test(line.text.slice(0, from))) places.add("after a colon");
      sentences.push({ text: raw.trim(), plain, start: line.start + from, end: line.start + to, places });
    }
  }
  markOrder(sentences, { hasCode, hasQuotation });
  const partly = draft.length > text.length || sentences.length >= GROUNDING_LIMITS.sentencesMax;
  return { sentences, hasCode, hasQuotation, partly };
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
    places: new Set([...sentence.places, ...asked]),
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

function placesOfLine(spoken: readonly Line[], here: number): Place[] {
  const line = spoken[here]?.text ?? "";
  const out: Place[] = [];
  if (LIST_ITEM.test(line)) out.push("in a list");
  if (TABLE_ROW.test(line)) out.push("in a table");
  if (HEADING.test(line)) out.push("heading or label");
  if (spoken[here - 1]?.kind === "code") out.push("after code");
  if (spoken[here + 1]?.kind === "code" || spoken[here + 1]?.kind === "quotation") out.push("before code");
  if (spoken.slice(Math.max(0, here - 12), here).some(({ greets }) => greets))
    out.push("after a greeting line");
  if (spoken.slice(here + 1, here + 8).some(({ closes }) => closes)) out.push("before a closing line");
  return out;
}

function placesOfSentence(raw: string, plain: string): Place[] {
  const out: Place[] = [];
  if (/[:：]\**\s*$/u.test(raw)) out.push("ends with a colon");
  if (/[?？]["”»)\]*_]*\s*$/u.test(raw)) out.push("question");
  const words = plain.match(/\p{L}+/gu)?.length ?? 0;
  if (plain.length < 16 || words <= 2) out.push("very short");
  if (plain.length > 140) out.push("long");
  if (/[\w-]{2}\.[a-z]{1,5}(?![a-z])|@|https?:|(?<!\p{L})#\w|\//iu.test(plain))
    out.push("names a file or address");
  if (/`[^`]+`/u.test(raw)) out.push("code in the line");
  return out;
}

export function requestPlaces(request: string): Place[] {
  if (request.trim() === "") return ["no request"];
  const out: Place[] = [];
  if (/```|[{};]\s*$|=>|\bdef \w|function\s*\w*\(/mu.test(request)) out.push("request has code");
  if (request.length > 160 || request.includes("\n")) out.push("request is long");
  if (/[?？]/u.test(request)) out.push("request asks");
  return out;
}

function markOrder(sentences: readonly Sentence[], draft: { hasCode: boolean; hasQuotation: boolean }): void {
  for (const [index, sentence] of sentences.entries()) {
    const places = sentence.places as Set<Place>;
    if (index === 0) places.add("first");
    if (index === sentences.length - 1) places.add("last");
    if (sentences.length === 1) places.add("alone");
    places.add(sentences.length <= 3 ? "short reply" : "long reply");
    if (draft.hasCode) places.add("reply has code");
    if (draft.hasQuotation) places.add("reply has a quotation");
  }
}

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
  for (const match of masked.matchAll(END)) {
    const end = match.index + match[0].length;
    const closing =
      /^["”»)\]*_]*(?:\s*\[c\d{1,6}(?:,\s?c\d{1,6})*\])*/u.exec(line.slice(end, end + 80))?.[0].length ?? 0;
    if (/^\s*\d{1,3}\.$/u.test(line.slice(from, end)) || ABBREVIATED.test(line.slice(from, end))) continue;
    cut(end + closing);
  }
  cut(line.length);
  return out;
}

/** As it is read: no quotation, no citation, no list marker, no emphasis. A name keeps every character of its own. */
function plainOf(raw: string): string {
  const code: string[] = [];
  let text = raw
    .normalize("NFC")
    .replaceAll("’", "'")
    .replace(/[\u200b-\u200f\u2060\ufeff\u00ad]/gu, "");
  if (text.includes("`"))
    text = text.replace(CODE, (whole) => {
      code.push(whole.replace(/^`+|`+$/gu, ""));
      return `\u0001${code.length - 1}\u0001`;
    });
  if (MAY_QUOTE.test(text))
    text = text.replace(QUOTED, (quote) =>
      /\s/u.test(quote.trim()) || quote.length > 24 ? " … " : quote.slice(1, -1),
    );
  if (text.includes("[")) text = text.replace(/\[c\d{1,6}(?:,\s?c\d{1,6})*\]/giu, " ");
  text = text.replace(LIST_ITEM, "");
  if (/[*_~]/u.test(text)) text = text.replace(EMPHASIS, "");
  if (code.length > 0)
    text = text.replace(/\u0001(\d{1,4})\u0001/gu, (_, n: string) => code[Number(n)] ?? "");
  return text.replace(/\s+/gu, " ").trim();
}

const EMPHASIS =
  /(?<![\p{L}\p{N}])(?:\*{1,3}|_{1,3}|~{2})(?=\S)|(?<=\S)(?:\*{1,3}|_{1,3}|~{2})(?![\p{L}\p{N}])|\*{2,3}/gu;
