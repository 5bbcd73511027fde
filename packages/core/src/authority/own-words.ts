import { daysMeant, meansDay, readMoment, spokenTimes } from "./spoken-times.ts";

/** Small words that carry no meaning of their own; a negation is never one of them. */
const SMALL = new Set(
  (
    "the a an and of to in on at by is am are was be it its this that my mine our i i'm im we you your please for with has have do does so as " +
    "der die das den dem ein eine einen einer und zu von im am ist bin sind mein meine meinen meiner ich wir du dein bitte dass für mit hat habe " +
    "el la los las un una y de del en es son está mi mis yo que por con ha he su se " +
    "le les une et du des est suis sont mon ma mes je j'ai nous qui pour avec au aux il elle " +
    "il lo gli di e è sono mio mia io per con che ho o os as um uma do da é são meu minha eu que com " +
    "de het een en van is zijn mijn ik dat voor met w z i na jest są mój moja że dla " +
    "owner owner's owners user user's users remember note"
  ).split(" "),
);
export function isSmallWord(word: string): boolean {
  return SMALL.has(word);
}

/** Negations, and words that turn round or narrow what a sentence says: without them it says something else. */
export const NEGATION =
  /^(?:not|never|no|none|nothing|nobody|neither|nor|hardly|barely|\p{L}+n't|dont|doesnt|didnt|cant|wont|isnt|cannot|without|except|unless|only|instead|formerly|anymore|avoid\p{L}*|refus\p{L}*|forbid\p{L}*|forbidden|stop\p{L}*|mistake|wrong|false|untrue|lie|lies|joke|joking|nicht|nie|niemals|kein\p{L}*|nichts|niemand|kaum|weder|ohne|außer|nur|statt|sondern|früher|vermeid\p{L}*|verbiet\p{L}*|verboten|hör|fehler|falsch|nunca|nada|nadie|sin|jamás|ni|tampoco|solo|sólo|excepto|salvo|evit\p{L}*|prohib\p{L}*|dej[ae]|error|falso|ne|n'\p{L}+|pas|jamais|rien|personne|aucune?|sans|sauf|seulement|évit\p{L}*|interdi\p{L}*|arrête|erreur|faux|non|mai|niente|nessun\p{L}*|senza|tranne|solo|soltanto|sbagliat\p{L}*|não|nem|sem|exceto|só|somente|niet|nooit|geen|niets|zonder|behalve|alleen|nigdy|nic|bez|oprócz|tylko)$/u;
export const SPACELESS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
export const SPACELESS_NEGATION = /不|没|沒|无|無|别|別|勿|莫|只|除了|ない|ません|なく|ず|だけ|ไม่|อย่า/u;

/**
 * Whether a text says nothing but what a clause says: its words in their order, with at most
 * small words left out or put in between, and every negation kept. A word may be another of the
 * same meaning ("loves" for "likes").
 */
export function isInOwnWords(text: string, clause: string): boolean {
  const given = plainWords(clause);
  const wanted = plainWords(text);
  if (wanted.every((word) => SMALL.has(word))) return false;
  if (SPACELESS.test(text)) {
    const letters = (value: string) => value.normalize("NFKC").replaceAll(/[^\p{L}\p{N}]+/gu, "");
    const lost = SPACELESS_NEGATION.test(clause) && !SPACELESS_NEGATION.test(text);
    return letters(clause).includes(letters(text)) && !lost;
  }
  const lostNegation = given.some((word) => NEGATION.test(word) && !wanted.includes(word));
  if (lostNegation) return false;
  const core = wanted.filter((word) => !SMALL.has(word)).join(" ");
  const whole = given.filter((word) => !SMALL.has(word)).join(" ");
  return ` ${whole} `.includes(` ${core} `);
}

/**
 * Whether words that a change puts into a text are the owner's own: each stands in what they typed, or is
 * the date or time that they meant. A negation of theirs must be among them.
 */
export function areOwnWords(
  added: readonly string[],
  {
    clause,
    said,
    today,
  }: { readonly clause: string; readonly said: readonly string[]; readonly today: readonly string[] },
): boolean {
  if (added.length === 0 || added.length > ADDED_MAX) return false;
  const whole = said.join("\n");
  const given = new Set(wordsOf(whole));
  const days = daysMeant(whole, today);
  const isSaid = (token: string): boolean => {
    const moment = /^\d{4}-\d{2}-\d{2}$/u.test(token) ? readMoment(token) : undefined;
    if (moment) return days.some((day) => meansDay(day, moment.day));
    if (/^\d{1,2}:\d{2}$/u.test(token))
      return spokenTimes(token).some((time) => spokenTimes(whole).includes(time));
    if (/\d/u.test(token)) return tokensOf(whole).includes(token);
    return wordsOf(token).every((word) => SMALL.has(word) || given.has(word));
  };
  const own = added.flatMap(wordsOf);
  const lost = wordsOf(clause).some((word) => NEGATION.test(word) && !own.includes(word));
  return !lost && own.some((word) => !SMALL.has(word)) && added.every(isSaid);
}

const ADDED_MAX = 60;

/** A text as tokens between blanks, without the marks around them: "1234.50", "2026-11-18". */
export function tokensOf(text: string): string[] {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .split(/[\s,;|()[\]{}"“”„«»*#>`]+/u)
    .map((token) => token.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}%]+$/gu, ""))
    .filter((token) => token !== "");
}

/** Words that say the same in a note; the first of each stands for all. None of them turns a sentence round. */
const SAME_MEANING: ReadonlyMap<string, string> = new Map(
  [
    "likes like loves love enjoys enjoy adores prefers",
    "birthday bday",
    "favourite favorite",
    "mag liebt mögen lieben",
    "gusta gustan encanta encantan",
    "aime aiment adore adorent",
    "ama piace piacciono",
    "gosta adora",
    "houdt vindt",
  ].flatMap((line) => {
    const [first = "", ...others] = line.split(" ");
    return others.map((word) => [word, first] as const);
  }),
);

/** Whether other words stand for this one, which is the first of them. */
export function hasSameMeanings(word: string): boolean {
  return STANDS_FOR_OTHERS.has(word);
}

const STANDS_FOR_OTHERS: ReadonlySet<string> = new Set(SAME_MEANING.values());

function sameMeaning(word: string): string {
  const bare = word.replace(/'s$/u, "");
  return SAME_MEANING.get(bare) ?? bare;
}

/** The words of a text as they are compared: in small letters, without what is elided, one for all of a meaning. */
export function plainWords(text: string): string[] {
  return wordsOf(text).map(sameMeaning);
}

function wordsOf(text: string): string[] {
  return text
    .normalize("NFKC")
    .replaceAll("’", "'")
    .toLowerCase()
    .split(/[^\p{L}\p{N}']+/u)
    .map((word) => plainForm(word.replace(/^'+|'+$/gu, "")))
    .filter((word) => word !== "");
}

/** "d'appeler" is "appeler", and "rauszuholen" is "rausholen": neither the elided article nor the particle says anything. */
function plainForm(word: string): string {
  return word.replace(ELIDED, "").replace(INFIX, "$1$2");
}

const ELIDED = /^(?:d|l|j|m|t|s|c|qu)'(?=\p{L})/u;
const INFIX =
  /^(ab|an|auf|aus|bei|ein|fest|her|hin|heim|hoch|los|mit|nach|raus|rein|rauf|runter|rüber|um|vor|weg|weiter|wieder|zu|zurück|zusammen|durch|über|unter|hinaus|hinein|herunter|hinzu)zu(\p{L}{3,}n)$/u;
