import { LetterTree } from "../base/letter-tree.ts";
import {
  HALF,
  HAN,
  HANGUL,
  HIRAGANA,
  KATAKANA,
  LATIN as LATIN_LETTER,
  LETTER,
  SPACELESS,
  spelled,
} from "../base/letters.ts";

/** The languages in which Elwood speaks. */
export const LOCALES = ["en", "de", "es", "fr", "zh", "ja"] as const;
export type Locale = (typeof LOCALES)[number];

export function isLocale(value: unknown): value is Locale {
  return LOCALES.some((locale) => locale === value);
}

/** The language in which Elwood speaks beside a text: the text's own, where it is one of them. */
export function replyLocale(text: string): Locale {
  const language = detectLanguage(text);
  return isLocale(language) ? language : "en";
}

/** The languages in which Elwood reads a request. */
export const LANGUAGES = [...LOCALES, "it", "pt", "nl", "pl", "ko"] as const;
export type Language = (typeof LANGUAGES)[number];

/** A few sentences say which language it is. */
const SAMPLE_CHARS = 1_000;
const LATIN_SPOKEN = ["en", "de", "es", "fr"] as const;
const LATIN = [...LATIN_SPOKEN, "it", "pt", "nl", "pl"] as const;
type Latin = (typeof LATIN)[number];
const WORDS: Readonly<Record<Latin, string>> = {
  en: "the is are was were i i've i'll i'm it's you your you're and to of for it that this with not have has be been on my me done what do can could please from now will no yes sent all an at so don't let's a in out we they by up about already just any everything nothing",
  de: "der die das ist sind war ich du sie dir dich dein deine deinen und zu von für es nicht habe hab hat haben wurde wurden auf mit den dem ein eine einen im am noch kein keine ja bitte soll kann wird werde alles erledigt bei mir mich schon ihr ihnen auch wie wer was in nach danke hast um man nichts nur meine meinen mein unser alle morgen deine nichts nur zum zur hallo guten gern",
  es: "el la los las es son está están yo tu tus te me y de para lo que no he ha han se en con un una por ya mi del al hecho sí si qué nada todo puedo quieres su voy le más pero a va gracias hola claro mañana listo lista todavía hay fue así sigue mis están salvo nube estaré",
  fr: "le la les est sont je j'ai tu vous votre ton ta tes vos et de pour il elle ne pas ai a été en avec un une des du au c'est fait oui non que rien sur ce cette dans ma mon mes peux veux voulez aucun qui as l'ai nous donc bonjour merci demain l'équipe d'appeler plus chez aux lieu mardi désormais lundi réunion",
  it: "il lo la i gli le un uno una di del della dello dei delle a al alla alle ai da dal dalla in nel nella nei su sul sulla con per tra e è sono ho hai ha non che chi cosa come quando dove perché mi ti ci si mio mia miei mie questo questa questi più già puoi potresti sì grazie ciao domani oggi stasera tutto tutti anche ma o poi manda invia scrivi aggiungi cancella metti spegni accendi prenota ricordami dimmi spiega fammi fai non c'è giovedì alle favore cos'è qual quanto",
  pt: "o a os as um uma de do da dos das no na nos nas em ao à com por para pra pro e é são não que quem como quando onde meu minha meus minhas seu sua este esta esse essa isso já você eu ele ela tem está foi mais também sim obrigado obrigada amanhã hoje tudo todos ou mas depois pelo pela até me lhe pode posso faz manda envia apaga cancela avisa liga desliga coloca qual quais às às reunião favor",
  nl: "de het een en van ik je jij jouw mijn me mij is zijn was niet geen dat die dit deze op in aan met voor naar om te er ook maar als bij uit wat hoe waar wie waarom wanneer heb heeft hebt kun kan wil zou even graag nog al alle morgen vandaag vanavond ja nee bedankt stuur zet maak doe verwijder boek schrijf dan over mijn onze ons u",
  pl: "i w we z ze na do nie się to jest są co jak czy kto gdzie kiedy dlaczego mi mój moja moje mojego mojej mnie dla od po za o u ten ta te tę tego już jeszcze tak proszę jutro dziś dzisiaj wszystkie wszystko że żeby ale lub oraz możesz mam masz był była ile który która wyślij usuń dodaj napisz zapłać ustaw zrób przypomnij zamów sprawdź kup plik godzinę godzinie",
};
/** More words of the spoken languages, to tell them from the others. */
const MORE: Readonly<Partial<Record<Latin, string>>> = {
  en: "of send add delete book remind write make turn move check what's how why where when who which should does did them their there his her its if or but into than some more off put",
  de: "als speicher an frau herr steht liegt welche warum wann wo kannst könntest schick lösch mach schreib erinner stell buch zeig heute bis oder aber wenn dass ins vom beim uns mal",
  es: "esto este esta estos eso esa esas ese esos cómo cuándo dónde quién por puedes podrías manda mándale envía borra apaga pon paga reserva mueve recuérdame escribe carpeta hoy o pero porque les sin sobre desde hasta",
  fr: "pourrais pourriez baisse chauffage montre comment pourquoi quand où qu'est-ce quel quelle envoie supprime ajoute mets renomme éteins allume réserve paie écris vas tu d'un d'une s'il te plaît moi sans ou mais parce aujourd'hui soir jusqu'à rends fais combien vous-même compte",
  it: "rispondi spiegami mostrami dammi bene va rinomina paga traduci leggi controlla aggiorna sposta cerca apri chiudi se",
  pt: "explica mostra responde lembra adiciona às oito conta paga renomeia traduz escreve verifica vai chover compras café quinta sexta segunda terça",
  nl: "klaar staat kijk betaal hernoem sorteer vertaal herinner",
};
const ENDINGS: Readonly<Record<Latin, string>> = {
  en: "ing ed ly tion 's n't 'll 've",
  de: "ung lich keit isch iert st cht ßen tet en",
  es: "ción ado ada ados adas mente ó aste iste aré ido",
  fr: "é ée és ées eux aux ez ment oir tion eur rai",
  it: "zione zioni mente ato ata ati are ere ire etto etta gli ami armi tti ttà",
  pt: "ção ções mente ado ada inho inha eira agem ões ão lha lho lhas lhos ou",
  nl: "lijk ing heid tje tjes oor aan ijn aar eer uis uur",
  pl: "ać eć ić ość ów ach ami ego emu ych owi cie nie ij aj uj dź sz ę ą",
};
/** A word of so few letters is too short to end in one. */
const ENDLESS_CHARS_MAX = 4;
/** Endings with a gap in them. */
const OPEN_ENDINGS = [
  { mark: "cchi", bit: 1 << LATIN.indexOf("it"), ending: /cchi\p{L}$/u },
  { mark: "ver", bit: 1 << LATIN.indexOf("nl"), ending: /ver\p{L}+en$/u },
  { mark: "oek", bit: 1 << LATIN.indexOf("nl"), ending: /oek\p{L}*$/u },
];
/** Words by their ends. */
class Endings {
  readonly #tree = new LetterTree();
  /** By the node at which an ending begins: the languages that know it, one bit each. */
  readonly #owners: number[] = [];

  constructor() {
    for (const [at, language] of LATIN.entries())
      for (const ending of ENDINGS[language].split(" ")) {
        const node = this.#tree.add(Array.from(ending).toReversed().join(""));
        this.#owners[node] = (this.#owners[node] ?? 0) | (1 << at);
      }
  }

  /** The languages in which words end like this one, one bit each. */
  ownersOf(codes: Uint16Array, from: number, to: number): number {
    let owners = 0;
    let node = 0;
    for (let at = to - 1; at >= from; at -= 1) {
      node = this.#tree.step(node, codes[at]!);
      if (node === 0) break;
      owners |= this.#owners[node] ?? 0;
    }
    return owners;
  }
}

/** Letters that point to a language, and how strongly. */
const SPOKEN_LETTERS: readonly (readonly [Latin, RegExp, number])[] = [
  ["es", /[¿¡ñ]/u, 3],
  ["es", /[íóú]/u, 0.6],
  ["fr", /[éôû]/u, 0.8],
  ["de", /[ßäöü]/u, 2],
  ["fr", /[êàùœèçâî]/u, 1.5],
];
const LETTERS: readonly (readonly [Latin, RegExp, number])[] = [
  ["es", /[¿¡ñ]/u, 3],
  ["es", /[íóú]/u, 0.6],
  ["fr", /[éôû]/u, 0.8],
  ["de", /[ßäöü]/u, 2],
  ["fr", /[ùœâî]|(?<!\p{L})[dljmnsc]'\p{L}/u, 1.2],
  ["fr", /[êçèà]/u, 0.8],
  ["it", /[ìòèù]|(?<!\p{L})(?:l|dell|all|nell|sull|un|dall|c|cos)'\p{L}/u, 1.2],
  ["it", /(?:zz|cch|ggi|gli|[aeiou]{2}[rlt][eio])\p{L}*(?!\p{L})/u, 0.4],
  ["pt", /[ãõ]/u, 3],
  ["pt", /ç|lh|nh|[êâ]/u, 0.8],
  ["nl", /ij|aa|oo(?!k(?!\p{L}))|uu|(?<!\p{L})(?:ge|ver)\p{L}+d(?!\p{L})/u, 0.6],
  ["pl", /[łąęśźżćń]/u, 3],
  ["pl", /sz|cz|rz|dz/u, 0.6],
];

/** More than letters and the fallback can add to one language. */
const LETTERS_MAX = 6;

/** The languages that know a word, by their places in LATIN; those that share it count less. */
class KnownWords {
  readonly #tree = new LetterTree();
  readonly #owners: (readonly number[] | undefined)[] = [];

  constructor(words: ReadonlyMap<string, readonly Latin[]>) {
    for (const [word, owners] of words)
      this.#owners[this.#tree.add(word)] = owners.map((owner) => LATIN.indexOf(owner));
  }

  ownersOfWord(word: string): readonly number[] | undefined {
    const codes = Uint16Array.from({ length: word.length }, (_, at) => word.charCodeAt(at));
    return this.ownersOf(codes, 0, word.length);
  }

  ownersOf(codes: Uint16Array, from: number, to: number): readonly number[] | undefined {
    let node = 0;
    for (let at = from; at < to; at += 1) {
      node = this.#tree.step(node, codes[at]!);
      if (node === 0) return undefined;
    }
    return this.#owners[node];
  }
}

/** Made when a language is first asked for: a gateway that starts asks for none. */
let spokenWords: KnownWords | undefined;
let allWords: KnownWords | undefined;
let endings: Endings | undefined;

/** The spoken language of a text by its script, its small words and its endings; `fallback` where it does not say. */
export function detectLocale(text: string, fallback: Locale = "en"): Locale {
  const sample = sampleOf(text);
  const script = scriptOf(sample);
  if (script === "ja" || script === "zh") return script;
  spokenWords ??= known(LATIN_SPOKEN, {});
  const best = bestOf(sample, LATIN_SPOKEN, spokenWords, SPOKEN_LETTERS, fallback);
  return isLocale(best) ? best : fallback;
}

/** As `detectLocale`, for every language in which a request is read. */
export function detectLanguage(text: string, fallback: Language = "en"): Language {
  const sample = withoutNames(sampleOf(text));
  allWords ??= known(LATIN, MORE);
  return scriptOf(sample) ?? bestOf(sample, LATIN, allWords, LETTERS, fallback);
}

/** Whether it is one of the small words of any language that is read, such as "the" or "mit". */
export function isSmallWord(word: string): boolean {
  allWords ??= known(LATIN, MORE);
  return allWords.ownersOfWord(word) !== undefined;
}

/** Whether a text has any small word of a language, apart from the names in it. */
export function hasSmallWord(text: string, language: Language): boolean {
  allWords ??= known(LATIN, MORE);
  const sample = withoutNames(sampleOf(text));
  for (const [word] of sample.matchAll(/[\p{L}']+/gu))
    if (allWords.ownersOfWord(word)?.some((owner) => LATIN[owner] === language)) return true;
  return false;
}

/** Names of files and addresses are in no language. */
function withoutNames(sample: string): string {
  return /\/|\.\p{L}/u.test(sample)
    ? sample.replaceAll(MAY_BE_NAME, (word) => (NAME.test(word) ? " " : word))
    : sample;
}

const NAME = /[\p{L}\p{N}]\.\p{L}{2,4}(?!\p{L})|\//u;
const MAY_BE_NAME = /(?<!\S)[^\s./]*[./]\S*/gu;

function sampleOf(text: string): string {
  return text.slice(0, SAMPLE_CHARS).toLowerCase().normalize("NFC").replaceAll("’", "'");
}

function scriptOf(sample: string): "zh" | "ja" | "ko" | undefined {
  spelled.spell(sample);
  if (!(spelled.met & SPACELESS)) return undefined;
  const { codes, kinds, length } = spelled;
  let kana = 0;
  let han = 0;
  let hangul = 0;
  let latin = 0;
  for (let at = 0; at < length; at += 1) {
    const kind = kinds[at]!;
    if (kind & LATIN_LETTER) latin += 1;
    else if (kind & HAN) han += 1;
    else if (kind & HANGUL) hangul += 1;
    else if (kind & (HIRAGANA | KATAKANA) && codes[at] !== LONG_MARK) kana += 1;
  }
  if (hangul > kana + han && hangul * 3 > latin) return "ko";
  if ((kana + han) * 3 > latin && kana + han > 0) return kana > 0 && kana * 8 >= han ? "ja" : "zh";
  return undefined;
}

/** "ー" stands with both kinds of kana, and is of neither. */
const LONG_MARK = 0x30fc;
const APOSTROPHE = 0x27;
const WORD_CHARS_MAX = 20;

function bestOf(
  sample: string,
  languages: readonly Latin[],
  knownWords: KnownWords,
  letters: readonly (readonly [Latin, RegExp, number])[],
  fallback: Language,
): Language {
  endings ??= new Endings();
  const points = new Float64Array(LATIN.length);
  spelled.spell(sample);
  const { codes, kinds, length } = spelled;
  let at = 0;
  while (at < length) {
    const from = at;
    at += 1;
    if (!(kinds[from]! & LETTER) && codes[from] !== APOSTROPHE) continue;
    while (at - from < WORD_CHARS_MAX && (kinds[at]! & (LETTER | HALF) || codes[at] === APOSTROPHE)) at += 1;
    const owners = knownWords.ownersOf(codes, from, at);
    if (owners !== undefined)
      for (let one = 0; one < owners.length; one += 1) points[owners[one]!]! += 1 / owners.length;
    else if (at - from > ENDLESS_CHARS_MAX) {
      let byEnding = endings.ownersOf(codes, from, at);
      if (mayEndOpen(codes, from, at)) {
        const word = sample.slice(from, at);
        for (const { mark, bit, ending } of OPEN_ENDINGS)
          if (word.includes(mark) && ending.test(word)) byEnding |= bit;
      }
      // Spoken languages come first in both lists.
      if (byEnding === 0) continue;
      for (let one = 0; one < languages.length; one += 1) if (byEnding & (1 << one)) points[one]! += 0.3;
    }
  }
  const scores = Object.fromEntries(LATIN.map((language, one) => [language, points[one]!])) as Record<
    Latin,
    number
  >;
  const leader = languages.reduce((a, b) => (scores[b] > scores[a] ? b : a));
  // Letters are looked for only where they could change which language leads.
  const settled = languages.every(
    (language) => language === leader || scores[language] + LETTERS_MAX < scores[leader],
  );
  if (settled) return leader;
  for (const [language, pattern, weight] of letters) if (pattern.test(sample)) scores[language] += weight;
  const first = languages.find((language) => language === fallback);
  if (first) scores[first] += 0.7;
  const best = languages.reduce((a, b) => (scores[b] > scores[a] ? b : a), first ?? "en");
  return scores[best] > 0 ? best : fallback;
}

/** Whether "cch", "ver" or "oek" may stand in a word: it has one of their middle letters beside the right one. */
function mayEndOpen(codes: Uint16Array, from: number, to: number): boolean {
  for (let at = from + 1; at + 1 < to; at += 1) {
    const code = codes[at]!;
    if (code === 0x65) {
      if (codes[at - 1] === 0x76 || codes[at - 1] === 0x6f) return true;
    } else if (code === 0x63 && codes[at - 1] === 0x63) return true;
  }
  return false;
}

function known(languages: readonly Latin[], more: Readonly<Partial<Record<Latin, string>>>): KnownWords {
  const out = new Map<string, Latin[]>();
  for (const language of languages)
    for (const word of new Set(`${WORDS[language]} ${more[language] ?? ""}`.split(" ")))
      out.set(word, [...(out.get(word) ?? []), language]);
  return new KnownWords(out);
}
