export const LOCALES = ["en", "de", "es", "fr", "zh", "ja"] as const;
export type Locale = (typeof LOCALES)[number];

export function isLocale(value: unknown): value is Locale {
  return LOCALES.some((locale) => locale === value);
}

const SAMPLE_CHARS = 4_000;
const LATIN = ["en", "de", "es", "fr"] as const;
type Latin = (typeof LATIN)[number];
const WORDS: Readonly<Record<Latin, string>> = {
  en: "the is are was were i i've i'll i'm it's you your you're and to of for it that this with not have has be been on my me done what do can could please from now will no yes sent all an at so don't let's a in out we they by up about already just any everything nothing",
  de: "der die das ist sind war ich du sie dir dich dein deine deinen und zu von für es nicht habe hab hat haben wurde wurden auf mit den dem ein eine einen im am noch kein keine ja bitte soll kann wird werde alles erledigt bei mir mich schon ihr ihnen auch wie wer was in nach danke hast um man nichts nur meine meinen mein unser alle morgen deine nichts nur zum zur hallo guten gern",
  es: "el la los las es son está están yo tu tus te me y de para lo que no he ha han se en con un una por ya mi del al hecho sí si qué nada todo puedo quieres su voy le más pero a va gracias hola claro mañana listo lista todavía hay fue así sigue mis están salvo nube estaré",
  fr: "le la les est sont je j'ai tu vous votre ton ta tes vos et de pour il elle ne pas ai a été en avec un une des du au c'est fait oui non que rien sur ce cette dans ma mon mes peux veux voulez aucun qui as l'ai nous donc bonjour merci demain l'équipe d'appeler plus chez aux lieu mardi désormais lundi réunion",
};
const ENDINGS: Readonly<Record<Latin, RegExp>> = {
  en: /(?:ing|ed|ly|tion|'s|n't|'ll|'ve)$/u,
  de: /(?:ung|lich|keit|isch|iert|st|cht|ßen|tet|en)$/u,
  es: /(?:ción|ado|ada|ados|adas|mente|ó|aste|iste|aré|ido)$/u,
  fr: /(?:ée?s?|eux|aux|ez|ment|oir|tion|eur|rai)$/u,
};

/** The languages that know a word; those that share it count less. */
const KNOWN: ReadonlyMap<string, readonly Latin[]> = known();

/** The language of a text by its script, its small words and its endings; `fallback` where it does not say. */
export function detectLocale(text: string, fallback: Locale = "en"): Locale {
  const sample = text.slice(0, SAMPLE_CHARS).toLowerCase().normalize("NFC").replaceAll("’", "'");
  const kana = count(sample, /[\p{Script=Hiragana}\p{Script=Katakana}]/gu);
  const han = count(sample, /\p{Script=Han}/gu);
  const latin = count(sample, /\p{Script=Latin}/gu);
  if ((kana + han) * 3 > latin && kana + han > 0) return kana > 0 && kana * 8 >= han ? "ja" : "zh";
  const scores: Record<Latin, number> = { en: 0, de: 0, es: 0, fr: 0 };
  for (const word of sample.match(/[\p{L}']{1,20}/gu) ?? []) {
    const owners = KNOWN.get(word);
    for (const locale of owners ?? []) scores[locale] += 1 / (owners?.length ?? 1);
    if (!owners && word.length > 4)
      for (const locale of LATIN) if (ENDINGS[locale].test(word)) scores[locale] += 0.3;
  }
  if (/[¿¡ñ]/u.test(sample)) scores.es += 3;
  if (/[íóú]/u.test(sample)) scores.es += 0.6;
  if (/[éôû]/u.test(sample)) scores.fr += 0.8;
  if (/[ßäöü]/u.test(sample)) scores.de += 2;
  if (/[êàùœèçâî]/u.test(sample)) scores.fr += 1.5;
  const first = LATIN.includes(fallback as Latin) ? (fallback as Latin) : undefined;
  if (first) scores[first] += 0.7;
  const best = LATIN.reduce((a, b) => (scores[b] > scores[a] ? b : a), first ?? "en");
  return scores[best] > 0 ? best : fallback;
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

function known(): ReadonlyMap<string, readonly Latin[]> {
  const out = new Map<string, Latin[]>();
  for (const locale of LATIN)
    for (const word of WORDS[locale].split(" ")) out.set(word, [...(out.get(word) ?? []), locale]);
  return out;
}
