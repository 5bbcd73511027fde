import type { Message } from "../message/message.ts";

/** A sentence of the owner's that must not be lost, and why. */
export interface OwnerSentence {
  readonly ts: number;
  readonly text: string;
  readonly kind: "rule" | "open" | "detail";
  /** What of it must stand in a summary, letter by letter: the sentence itself, or the details in it. */
  readonly needed: readonly string[];
}

/**
 * What the owner typed in these messages that a summary must hold: rules and corrections,
 * what was asked and never answered, and sentences with ids, paths, addresses, amounts or
 * dates. Found by their form alone, so that no model has to be trusted with it; it finds
 * too much rather than too little. Words of others in the same messages are left alone.
 */
export function ownerSentences(messages: readonly Message[]): OwnerSentence[] {
  return messages.flatMap((message, at) => {
    const typed = typedBy(message);
    if (typed === "") return [];
    const unanswered = isUnanswered(messages, at);
    return sentencesOf(typed).flatMap((text): OwnerSentence[] => {
      const { ts } = message;
      if (unanswered) return [{ ts, text, kind: "open", needed: [text] }];
      if (RULE.test(text)) return [{ ts, text, kind: "rule", needed: [text] }];
      if (LATER.test(text)) return [{ ts, text, kind: "open", needed: [text] }];
      const details = detailsIn(text);
      return details.length > 0 ? [{ ts, text, kind: "detail", needed: details }] : [];
    });
  });
}

const SENTENCE_CHARS_MAX = 400;
const SENTENCES_MAX = 2_000;

/** Lines and sentences; a very long one is cut into pieces, none of which is dropped. */
export function sentencesOf(text: string): string[] {
  const out: string[] = [];
  for (const line of text.split(/\n+/)) {
    for (const sentence of line.split(/(?<=[.!?。！？])\s+/u)) {
      const plain = sentence.trim();
      for (let at = 0; at < plain.length && out.length < SENTENCES_MAX;) {
        const end = pieceEnd(plain, at);
        out.push(plain.slice(at, end).trim());
        at = end;
      }
    }
  }
  return out.filter((sentence) => sentence !== "");
}

function pieceEnd(text: string, from: number): number {
  const end = from + SENTENCE_CHARS_MAX;
  if (end >= text.length) return text.length;
  const blank = text.lastIndexOf(" ", end);
  return blank > from + SENTENCE_CHARS_MAX / 2 ? blank : end;
}

function typedBy({ role, origin, blocks }: Message): string {
  if (role !== "user" || origin !== "owner") return "";
  return blocks
    .flatMap((block) => (block.type === "text" && (block.origin ?? origin) === "owner" ? [block.text] : []))
    .join("\n");
}

/** No answer came to its end before the next message of a person. */
function isUnanswered(messages: readonly Message[], at: number): boolean {
  for (const { role, origin, meta, blocks } of messages.slice(at + 1)) {
    if (role === "user") return true;
    if (role !== "assistant" || origin !== "model" || meta?.aborted || meta?.error) continue;
    if (!blocks.some(({ type }) => type === "tool_use")) return false;
  }
  return true;
}

const word = (...alternatives: string[]) =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${alternatives.join("|")})(?![\\p{L}\\p{N}])`, "iu");

/** Rules, wishes that hold on, and corrections. */
const RULE = word(
  "never|always|don['’]?t|do not|doesn['’]?t|must(?:n['’]?t)?|must not|shall(?: not)?|should(?:n['’]?t)?|cannot|can['’]?t|may not",
  "only|except|unless|from now on|in future|no longer|not any ?more|make sure|avoid|prefer|instead|rather than|at most|at least",
  "remember|important|careful|wrong|actually|correction|i meant|i mean|not .{1,40} but|stop (?:doing|using|asking|sending)|ask (?:me )?(?:first|before)",
  "nie|niemals|nicht|kein\\p{L}*|immer|muss\\p{L}*|müssen|musst|darf\\p{L}*|dürfen|soll\\p{L}*|nur|außer|ab jetzt|künftig|merk\\p{L}* dir|wichtig|falsch|eigentlich|sondern|statt\\p{L}*|lieber",
  "jamais|toujours|ne .{1,40} pas|dois|devez|doit|faut|seulement|sauf|désormais|important\\p{L}*|plutôt",
  "nunca|siempre|no (?:lo|la|le|me|se|hagas|uses|envíes|borres)|debes?|tienes que|solo|sólo|excepto|a partir de ahora|en vez de|mejor",
);

/** Things that are still to come. */
const LATER = word(
  "later|remind me|to-?do|don['’]?t forget|still (?:need|have|want)|next (?:week|month|time)|tomorrow|waiting for|follow up|promise\\p{L}*",
  "später|erinner\\p{L}*|noch (?:zu|machen|offen)|nächste\\p{L}*|morgen|warte\\p{L}* auf",
  "plus tard|rappelle|demain|más tarde|recuérdame|mañana",
);

const MONTH =
  "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|januar|februar|märz|mai|juni|juli|oktober|dezember)\\p{L}*";

const DETAILS: readonly RegExp[] = [
  /\bhttps?:\/\/[^\s<>"'`)\]]+/giu,
  /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/gu,
  /(?<![\w/])(?:~|\.{1,2})?\/[\w.@%+~-]+(?:\/[\w.@%+~-]*)*/gu,
  /\b[A-Za-z]:\\[^\s"'<>|]+/gu,
  /\b[\w-]+\.(?:md|txt|ts|js|py|json|ya?ml|csv|pdf|docx?|xlsx?|png|jpe?g|sh|toml|ini|html?|sql|zip)\b/giu,
  // Identifiers: letters and digits mixed, tickets, hashes, versions, machine addresses.
  /(?<![\p{L}\p{N}])(?=[\p{L}\p{N}_-]*\p{L})(?=[\p{L}\p{N}_-]*\p{N})[\p{L}\p{N}][\p{L}\p{N}_-]{2,}(?![\p{L}\p{N}])/gu,
  /#\d+\b/gu,
  /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/gu,
  /\bv?\d+\.\d+(?:\.\d+)*\b/gu,
  // Amounts.
  /[$€£¥₹]\s?\d[\d.,]*|\d[\d.,]*\s?(?:[$€£¥₹%]|(?:usd|eur|gbp|chf|euros?|dollars?|kg|km|cm|mm|gb|mb|tb|kwh|hours?|minutes?|days?|weeks?|months?|years?)\b)/giu,
  // Dates, times, phone numbers and every longer number.
  /\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2})?\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b/gu,
  new RegExp(
    `\\b\\d{1,2}(?:st|nd|rd|th|\\.)?\\s+${MONTH}(?:\\s+\\d{4})?|\\b${MONTH}\\s+\\d{1,2}(?:,?\\s+\\d{4})?`,
    "giu",
  ),
  /\b\d{1,2}:\d{2}\b|\b\d{1,2}\s?[ap]m\b/giu,
  /\+?\d[\d ()/-]{6,}\d/gu,
  /(?<![\w.,])\d{3,}(?![\w])/gu,
];

const DETAILS_MAX = 32;

/** The longest form of each; what is part of another is not told twice. */
export function detailsIn(sentence: string): string[] {
  const found = new Set<string>();
  for (const pattern of DETAILS) {
    for (const [match] of sentence.matchAll(pattern)) found.add(match.replace(/[.,;:!?]+$/u, "").trim());
  }
  const all = [...found].filter((each) => each !== "").sort((a, b) => b.length - a.length);
  return all
    .filter((each, at) => !all.slice(0, at).some((longer) => longer.includes(each)))
    .slice(0, DETAILS_MAX);
}
