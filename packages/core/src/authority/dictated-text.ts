import type { RequestClause } from "../request/clauses.ts";
import { isSmallWord, NEGATION, SPACELESS_NEGATION } from "./own-words.ts";

/** Whether a clause gives the words for others itself: "post in #team: …", "tell Anna that …". What something is about is no such text. */
export function dictates(
  { text, members, content, verbs }: RequestClause,
  values: readonly unknown[],
): boolean {
  if (!verbs.includes("send") && !verbs.includes("draft")) return false;
  // "Forward it to the team: team@x.org": what stands there is who gets it.
  const rest = values.reduce<string>((left, value) => left.replaceAll(String(value), " "), content).trim();
  if (/\p{L}/u.test(rest)) return !ABOUT.test(rest);
  const told = TELLS.exec(members[0]?.trim() ?? "");
  if (told) return told[1]!.trim().split(/\s+/u).length >= TOLD_WORDS_MIN;
  return [...text.matchAll(QUOTED)].some(([quote]) =>
    SPACELESS.test(quote)
      ? (quote.match(/\p{L}/gu) ?? []).length >= QUOTED_LETTERS_MIN
      : quote.trim().split(/\s+/u).length >= QUOTED_WORDS_MIN,
  );
}

/** "Tell Anna the keys are under the mat" */
const TELLS =
  /^(?:\p{L}+\s){0,3}?(?:tell|inform|notify|text|message|ping)\s(?:[#@]?\S+)\s((?:the|my|our|his|her|their|this|these|all|every|no|dinner|lunch|work|school)\s.*)$/iu;
const TOLD_WORDS_MIN = 3;
const QUOTED_WORDS_MIN = 3;
/** Where words are not parted. */
const QUOTED_LETTERS_MIN = 4;
const QUOTED = /["“„«「『][^"”“»」』\n]{1,2000}["”“»」』]/gu;
const ABOUT =
  /^,?\s*(?:about|regarding|asking|whether|what|how|why|who|where|which|when|if|über|wegen|ob|was|wie|warum|wer|wo|wann|welche\p{L}*|sobre|si|qué|cómo|cuándo|dónde|quién|por qué|lo que|au sujet|à propos|comment|quand|pourquoi|où|qui|ce qu[e']|s'ils?|s'elles?|riguardo|se|su|of|over|o tym)(?!\p{L})/iu;

/** Whether a text for others says what the owner gave for it: hardly a word of its own, no number and no name, and every "not". */
export function saysWhatWasGiven(
  text: string,
  { given, content }: { readonly given: string; readonly content: string },
  others: readonly unknown[],
): boolean {
  const typed = wordsOf(`${given} ${others.map(String).join(" ")}`);
  const known = new Set(typed);
  if (SPACELESS.test(text)) return isSpacelessCopy(text, given);
  const negations = (words: readonly string[]) => words.some((word) => NEGATION.test(word));
  const words = wordsOf(text);
  if (negations(words) !== negations(wordsOf(given)) && negations(words)) return false;
  const meant = wordsOf(content).filter((word) => !isSmallWord(word) && !COURTESY.has(word));
  const kept = meant.filter((word) =>
    words.some((other) => isSameStem(word, other) || isSameStem(other, word)),
  );
  if (kept.length < meant.length * KEPT_WORDS_SHARE) return false;
  const own = words.filter(
    (word) => !isSmallWord(word) && !COURTESY.has(word) && !typed.some((other) => isSameStem(word, other)),
  );
  if (own.some((word) => /\d/u.test(word) && !known.has(word))) return false;
  const counted = words.filter((word) => !isSmallWord(word) && !COURTESY.has(word)).length;
  return (
    new Set(own).size <= Math.max(NEW_WORDS_MIN, Math.floor(counted * NEW_WORDS_SHARE)) &&
    !namesSomebody(text, own)
  );
}

/** So few words of its own make no other message: "I am running late" for "I'm late". */
const NEW_WORDS_MIN = 1;
const NEW_WORDS_SHARE = 0.2;
const KEPT_WORDS_SHARE = 0.5;

/** A word with a capital in the middle of a sentence; in German every noun has one. */
function namesSomebody(text: string, own: readonly string[]): boolean {
  if (/(?<![\p{L}])(?:der|die|das|und|ist|nicht|ich|wir)(?![\p{L}])/iu.test(text)) return false;
  return own.some((word) =>
    new RegExp(`(?<=[\\p{L}\\p{N},]\\s)${capitalised(word)}(?!\\p{L})`, "u").test(text),
  );
}

function capitalised(word: string): string {
  return `${word[0]!.toUpperCase()}${word.slice(1)}`.replaceAll(/[^\p{L}\p{N}]/gu, "");
}

const SPACELESS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const NEW_PAIRS_SHARE = 0.5;

/** Where words are not parted, by pairs of letters. */
function isSpacelessCopy(text: string, given: string): boolean {
  if (SPACELESS_NEGATION.test(text) && !SPACELESS_NEGATION.test(given)) return false;
  const letters = (value: string) => value.normalize("NFKC").replaceAll(/[^\p{L}\p{N}]+/gu, "");
  const [wanted, typed] = [letters(text), letters(given)];
  const digits = wanted.match(/\d+/gu) ?? [];
  if (digits.some((number) => !typed.includes(number))) return false;
  const pairs = Array.from({ length: Math.max(0, wanted.length - 1) }, (_, at) => wanted.slice(at, at + 2));
  const own = pairs.filter((pair) => !typed.includes(pair));
  return own.length <= pairs.length * NEW_PAIRS_SHARE;
}

const STEM_CHARS_MIN = 4;
const PARTICLE =
  /^(?:ab|an|auf|aus|bei|ein|fest|her|hin|los|mit|nach|um|vor|weg|weiter|wieder|zu|zurück|zusammen|af|in|op|uit|mee|terug|door|over|voorbij)$/u;

/** Also where a verb is taken apart: "fällt … aus" is "ausfällt". */
function isSameStem(one: string, other: string): boolean {
  if (one === other) return true;
  if (PARTICLE.test(one) && other.startsWith(one)) return true;
  if (one.length >= STEM_CHARS_MIN && PARTICLE.test(other.slice(0, -one.length)) && other.endsWith(one))
    return true;
  const shorter = Math.min(one.length, other.length);
  if (shorter < STEM_CHARS_MIN) return false;
  let same = 0;
  while (same < shorter && one[same] === other[same]) same += 1;
  return same >= STEM_CHARS_MIN && same >= shorter - 2;
}

function wordsOf(text: string): string[] {
  return text
    .normalize("NFKC")
    .replaceAll("’", "'")
    .toLowerCase()
    .split(/[^\p{L}\p{N}']+/u)
    .map((word) => word.replace(/^'+|'+$/gu, ""))
    .filter((word) => word !== "");
}

/** How people begin and end what they write, in whatever words. */
const COURTESY = new Set(
  (
    "hi hello hey dear good morning afternoon evening best kind regards thanks thank cheers sincerely love sorry just letting let know wanted tell inform quick note see soon take care hope well everyone all team everybody " +
    "hallo lieber liebe liebes guten tag morgen abend viele beste freundliche freundlichen grüße gruß mit danke vielen dank bis bald kurz nur bescheid geben wollte alle zusammen " +
    "hola querido querida buenos buenas días tardes noches saludos gracias un abrazo cordial cordiales atentamente solo quería avisar hasta pronto todos " +
    "bonjour bonsoir salut cher chère cordialement merci bien amicalement bises juste pour prévenir te vous informer à bientôt tous tout monde " +
    "ciao caro cara buongiorno buonasera saluti cordiali grazie a presto volevo dirti tutti " +
    "olá oi caro obrigado obrigada abraço cumprimentos dag beste groet groeten met vriendelijke dankjewel allemaal cześć dzień dobry pozdrawiam dziękuję " +
    "i'm i'll i've i'd im ill am will be been is are being do does did don can could would should shall going gonna get got have has had it's that's there's we're we'll they're he's she's you're " +
    "werde wird werden habe hat haben bin ist sind kann soy estoy es está voy va ser estar he ha suis est sont serai sera ai a vais va sono è ho ha sarà ben zal wordt heb heeft"
  ).split(" "),
);
