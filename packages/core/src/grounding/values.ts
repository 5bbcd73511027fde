import { HAN, isDigit, NUMBER as NUMERAL, spelled } from "../base/letters.ts";
import { lastAnswer } from "./last-answer.ts";
import { WordScan } from "./word-scan.ts";

/** Values in a sentence that a call can confirm or contradict, by their kind. */
export const VALUE_KINDS = [
  "address",
  "channel",
  "number",
  "file",
  "link",
  "amount",
  "time",
  "code",
] as const;
export type ValueKind = (typeof VALUE_KINDS)[number];

const EXTENSIONS =
  "pdf|docx?|xlsx?|pptx?|odt|ods|txt|md|csv|tsv|png|jpe?g|heic|gif|svg|webp|zip|tar|gz|tgz|tsx?|jsx?|mjs|py|rs|go|rb|java|kt|swift|php|c|h|cpp|sh|json|jsonl|ya?ml|toml|ini|conf|env|html?|css|scss|sql|log|key|mp3|mp4|mov|wav|ics|epub|bak|lock|xml|vue|svelte";

/** Files that are known by a name without an ending. */
const BARE_FILES =
  /(?<![\p{L}\p{N}_./-])(?:LICEN[CS]E|README|CHANGELOG|NOTICE|CODEOWNERS|Makefile|Dockerfile|Containerfile|Procfile|Gemfile|Jenkinsfile|Vagrantfile)(?![\p{L}\p{N}_/-]|\.[\p{L}\p{N}])/gu;

const ADDRESS = /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}.-]{1,253}\.\p{L}{2,24}/giu;
const CHANNEL = /(?<![\p{L}\p{N}&/])#\p{L}[\p{L}\p{N}_-]{1,60}/gu;
const TICKET = /(?<![\p{L}\p{N}&/])#\d{1,10}(?!\p{N})/gu;
/** In Korean and Japanese a particle may follow without a space. */
const ENDS =
  "(?:(?![\\p{L}\\p{N}])|(?=[\\p{Script=Hangul}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Han}]))";
/** Names are compared as they are written: an underscore belongs to a name. */
const FILE = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:[\\p{L}\\p{N}_.-]{1,60}[/\\\\]){0,12}[\\p{L}\\p{N}_.()-]{0,60}[\\p{L}\\p{N}_)-]\\.(?:${EXTENSIONS})${ENDS}`,
  "giu",
);
/** Looking for a whole path takes long where nothing ends like a file. Case is written out, with the two signs that fold to a letter: patterns without it are faster. */
const MAY_BE_FILE = /\.[a-zA-Z\u017f\u212a]/;
const MAY_BE_BARE = /LICEN|READM|CHANGE|NOTIC|CODEO|Makef|Docke|Conta|Procf|Gemfi|Jenki|Vagra/;
const MAY_NAME = new RegExp(`@|://|${MAY_BE_FILE.source}|${MAY_BE_BARE.source}`);
const FILE_END = new RegExp(`\\.(?:${EXTENSIONS})${ENDS}`, "iu");
/** Where words have no spaces between them, the next one follows a link at once. */
const LINK =
  /https?:\/\/[^\s)>\]"'`，。、；：！？）」』\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{3,300}/giu;
const CODE = /(?<![\p{L}\p{N}@.#/_-])(?:[A-Z]{2,8}-\d{1,7}|v\d{1,3}(?:\.\d{1,4}){1,3})(?![\p{L}\p{N}@_-])/gu;
const DIGIT = /[0-9]/;

/** A path from a root or from home, such as ~/Photos or /etc/hosts; "/help" may be a command. */
const PATH =
  /(?<![\p{L}\p{N}:/.~])(?:~\/[\p{L}\p{N}_.@-]{1,60}|\/[\p{L}\p{N}_.@-]{1,60}(?=\/[\p{L}\p{N}]))(?:\/[\p{L}\p{N}_.@-]{1,60}){0,12}/gu;

/** Each first asks whether there can be any: most sentences have none. */
const READERS: Readonly<Record<ValueKind, (text: string) => string[]>> = {
  address: (text) => (text.includes("@") ? all(text, ADDRESS) : []),
  channel: (text) => (text.includes("#") ? all(text, CHANNEL) : []),
  number: (text) => (text.includes("#") ? all(text, TICKET) : []),
  file: (text) =>
    (MAY_BE_FILE.test(text) && FILE_END.test(text) ? all(text, FILE) : [])
      .map((path) => path.split(/[/\\]/u).at(-1) ?? path)
      // A bracket that nothing closes stands before the name.
      .map((name) => (name.includes(")") ? name : name.replace(/^.*\(/u, "")))
      .concat(MAY_BE_BARE.test(text) ? all(text, BARE_FILES) : []),
  link: (text) =>
    text.includes("://")
      ? all(text, LINK).map((url) => url.replace(/^https?:\/\/(?:www\.)?/iu, "").replace(/[/.,]+$/u, ""))
      : [],
  amount: amounts,
  time: times,
  code: (text) => (DIGIT.test(text) ? all(text, CODE) : []),
};

export function valuesOf(text: string, kind: ValueKind): string[] {
  return READERS[kind](text);
}

/** Paths as far as they can be compared: without their root, since calls may be told of home by its full name. */
export function pathsIn(text: string): string[] {
  if (!text.includes("/")) return [];
  return all(text, PATH).map((path) => path.replace(/^~?\//u, "").replace(/[./]+$/u, ""));
}

/** Values of every kind. */
export const allValuesOf = lastAnswer((text): readonly string[] =>
  MAY_NAME_VALUE.test(text) ? VALUE_KINDS.flatMap((kind) => READERS[kind](text)) : [],
);

/** Most sentences name nothing, and one look says so. */
const MAY_NAME_VALUE = new RegExp(`[0-9#]|${MAY_NAME.source}`);

/** Files, links and addresses: what calls can be compared with by its very name. */
export const namedIn = lastAnswer((text): readonly string[] =>
  MAY_NAME.test(text) ? (["file", "link", "address"] as const).flatMap((kind) => READERS[kind](text)) : [],
);

/**
 * The first kind of value where the sentence names other things than the calls were about. It
 * counts only where their targets hold values of that kind, and never where what they were
 * given or gave back holds the value.
 */
export function otherValue(sentence: string, targets: string, known: string): ValueKind | undefined {
  return otherThan(sentence, heldValues(targets), known.toLowerCase());
}

/** The values of some targets, by their kind. */
export type HeldValues = readonly { readonly kind: ValueKind; readonly values: ReadonlySet<string> }[];

/** Only kinds of which there are any. */
export function heldValues(targets: string): HeldValues {
  return VALUE_KINDS.map((kind) => ({ kind, values: new Set(READERS[kind](targets)) })).filter(
    ({ values }) => values.size > 0,
  );
}

/** As `otherValue`, where the values of the targets were read, and what is known is in lower case. */
export function otherThan(sentence: string, held: HeldValues, lower: string): ValueKind | undefined {
  for (const { kind, values } of held) {
    const said = READERS[kind](sentence);
    const others = said.filter((value) => !values.has(value) && !lower.includes(value));
    if (others.length > 0 && (others.length === said.length || kind === "address")) return kind;
  }
  return undefined;
}

const NUMBER =
  /(?<![\p{L}\p{N}_.,/-])\d[\d.,'’\u00a0\u202f ]{0,18}\d(?![\p{L}\p{N}_/-])|(?<![\p{L}\p{N}_.,/-])\d(?![\p{N}])/gu;
const DATE_LIKE = /\d{1,4}[-./]\d{1,2}[-./]\d{2,4}|\d{1,2}:\d{2}/gu;

/**
 * Whether each number of three or more digits or with decimals, each path and each address of
 * a sentence stands in what the call was given or gave back.
 */
export function valuesFound(sentence: string, known: string): boolean {
  const lower = known.toLowerCase();
  for (const kind of ["address", "link", "file", "channel"] as const)
    if (READERS[kind](sentence).some((value) => !lower.includes(value))) return false;
  if (pathsIn(sentence).some((path) => !lower.includes(path))) return false;
  // Every run of digits counts too: a year stands in a date, a cent in an amount.
  const decimals = [...(known.match(/\d+\.\d+/gu) ?? []), ...(known.match(/\d+,\d+/gu) ?? [])];
  const held = new Set([
    ...numbersIn(known),
    ...decimals.map(plainNumber),
    ...(known.match(/\d+/gu) ?? []).map((digits) => String(Number(digits))),
  ]);
  const bare = sentence.replace(/https?:\/\/\S+/giu, " ").replace(DATE_LIKE, " ");
  return numbersIn(bare)
    .filter((number) => number.includes(".") || number.length >= 3)
    .every((number) => held.has(number));
}

/** Numbers in every usual spelling: 1.250,00 and 1,250.00 and 1250 are one. */
function numbersIn(text: string): string[] {
  return (text.match(NUMBER) ?? []).flatMap((raw) => {
    const spaced = raw.split(/[ \u00a0\u202f]/u);
    // A space joins only groups of three.
    const joined = spaced.every((part, index) =>
      index === 0 ? part.length <= 3 : /^\d{3}(?:[.,]\d+)?$/u.test(part),
    );
    return (joined ? [spaced.join("")] : spaced).flatMap((part) => {
      const plain = plainNumber(part);
      return plain === "NaN" ? [] : [plain];
    });
  });
}

/** 1.250,00 and 1,250.00 and 1250 are one number. */
function plainNumber(text: string): string {
  const digits = text.replace(/[.,'’]+$/u, "").replace(/[.,'’](?=\d{3}(?!\d))/gu, "");
  return String(Number(digits.replace(",", ".")));
}

const CURRENCY =
  "€|eur(?:os?|ów|a)?|\\$|usd|dollars?|dólares|£|gbp|pounds?|¥|円|元|원|won|yen|chf|franken|francs?|块|zł|pln|reais|r\\$";
const BEFORE = new RegExp(`(?:${CURRENCY})\\s?(\\d[\\d.,]{0,14})`, "giu");
const AFTER = new RegExp(`(\\d[\\d.,]{0,14})\\s?(?:${CURRENCY})(?!\\p{L})`, "giu");

function amounts(text: string): string[] {
  if (!DIGIT.test(text)) return [];
  return [...matchesIn(text, BEFORE), ...matchesIn(text, AFTER)].map((match) => plainNumber(match[1] ?? ""));
}

const TIME = /(?<![\d.,:])(\d{1,2})[:h](\d{2})(?!\d)\s?(am|pm)?|(?<![\d.,:])(\d{1,2})\s?(am|pm)(?!\p{L})/giu;

function times(text: string): string[] {
  if (!DIGIT.test(text)) return [];
  const out: string[] = [];
  for (const match of matchesIn(text, TIME)) {
    const hour = Number(match[1] ?? match[4]);
    const half = (match[3] ?? match[5] ?? "").toLowerCase();
    const full = half === "pm" && hour < 12 ? hour + 12 : half === "am" && hour === 12 ? 0 : hour;
    out.push(`${full}:${match[2] ?? "00"}`);
  }
  return out;
}

/** Numbers from two to twelve as words, each with the languages it is one in. */
const NUMBER_WORDS: ReadonlyMap<string, { readonly n: number; readonly in: string }> = new Map(
  [
    "both:en two:en iki:* ikisi:* beide:de,nl beiden:de zwei:de dos:es ambos:es,pt ambas:es,pt deux:fr due:it ambedue:it dois:pt duas:pt twee:nl dwa:pl dwie:pl dwóch:pl oba:* obie:pl obu:pl två:* båda:* dva:* dvě:* obě:*",
    "three:en üç:* üçü:* drei:de tres:es trois:fr tre:* três:pt drie:nl trzy:pl trzech:pl tři:*",
    "four:en dört:* dördü:* vier:de,nl cuatro:es quatre:fr quattro:it quatro:pt cztery:pl czterech:pl fyra:* čtyři:*",
    "five:en beş:* beşi:* fünf:de cinco:es,pt cinq:fr cinque:it vijf:nl pięć:pl pięciu:pl fem:* pět:*",
    "six:en,fr altı:* sechs:de seis:es,pt sei:it zes:nl sześć:pl sześciu:pl šest:*",
    "seven:en yedi:* sieben:de siete:es sept:fr sette:it sete:pt zeven:nl siedem:pl siedmiu:pl sju:* sedm:*",
    "eight:en sekiz:* acht:de,nl ocho:es huit:fr otto:it oito:pt osiem:pl ośmiu:pl åtta:* osm:*",
    "nine:en dokuz:* neun:de nueve:es neuf:fr nove:it,pt negen:nl dziewięć:pl dziewięciu:pl",
    "ten:en zehn:de diez:es dix:fr dieci:it dez:pt tien:nl dziesięć:pl dziesięciu:pl",
    "eleven:en elf:de,nl once:es onze:fr,pt undici:it jedenaście:pl jedenastu:pl",
    "twelve:en zwölf:de doce:es douze:fr dodici:it doze:pt twaalf:nl dwanaście:pl dwunastu:pl",
  ].flatMap((words, index) =>
    words.split(" ").map((entry) => {
      const [word = "", languages = ""] = entry.split(":");
      return [word, { n: index + 2, in: languages }] as const;
    }),
  ),
);

/** "Two of the three", "zwei von dreien", "one of them": the rest was to be done too. */
const PART_OF = new RegExp(
  `(?<!\\p{L})(?:\\d+|${[...NUMBER_WORDS.keys()].join("|")}|one|some|most|half|part|ein(?:er|e|es|en)?|einige|manche|meisten|teil|une?|uno|una|uma?|quelques|certain\\p{L}*|plupart|partie|algun\\p{L}*|parte|alcun\\p{L}*|een|sommige|deel|jeden|jedn\\p{L}+|kilka|część)\\s+(?:of|out of|von|der|des|d'entre|sur|de|dos|das|del|delle|dei|degli|di|su|van|z|ze|spośród)(?!\\p{L})|中的|のうち|중`,
  "iu",
);

/** It tells of a part of what there was to do: the larger number is no count of what was done. */
export function isPartOf(plain: string): boolean {
  return PART_OF.test(plain);
}

const PART_SAID = new RegExp(
  `(?<!\\p{L})(\\d+|${[...NUMBER_WORDS.keys()].join("|")})\\s+(?:of|out of|von|der|des|d'entre|sur|de|dos|das|del|delle|dei|degli|di|su|van|z|ze|spośród|av|ze)(?!\\p{L})`,
  "iu",
);

/** How many "two of the three" says; 0 where it says nothing of the kind. */
export function partSaid(plain: string): number {
  const word = PART_SAID.exec(plain)?.[1]?.toLowerCase() ?? "";
  return isDigit(word.charCodeAt(0)) ? Number(word) : (NUMBER_WORDS.get(word)?.n ?? 0);
}

/** A word that no other language has. */
const ANY = "*";

function numberOf(word: string, language: string): number {
  if (isDigit(word.charCodeAt(0))) return Number(word);
  const known = NUMBER_WORDS.get(word);
  return known?.in === ANY || known?.in.split(",").includes(language) ? known.n : 0;
}

const CJK_NUMBERS: ReadonlyMap<string, number> = new Map(
  Array.from("两三四五六七八九十", (c, i) => [c, i + 2] as const).concat([["二", 2]]),
);
/** A number, then a thing. */
const COUNTED = new RegExp(
  `(?<![\\p{L}\\p{N}.,:#/€$£¥@+_-])(\\d{1,4}|${[...NUMBER_WORDS.keys()].join("|")})(?![\\p{L}\\p{N}]|[.,:]\\d|\\s?[%°€$£¥:h])\\s+(?:\\p{L}+\\s+){0,2}?(\\p{L}{3,})`,
  "gu",
);
/** "All three", "pour les trois": a number that stands for the things themselves. */
const COUNTED_ALONE = new RegExp(
  `(?<!\\p{L})(?:all|the|alle|allen|die|den|les|los|las|todos|todas|gli|tutt[ei] e|os|as|de|wszystk\\p{L}+|każd\\p{L}+ z)\\s+(${[...NUMBER_WORDS.keys()].join("|")})(?!\\p{L}|\\s+\\p{L}|[.,:]\\d|-)|(?<!\\p{L})(both|båda|obě|ikisi|üçü|dördü|beşi|beide|ambos|ambas|ambedue|obie)(?!\\p{L})`,
  "gu",
);
const COUNTED_CJK =
  /(\d{1,4}|[二两三四五六七八九十])\s?(?:封|个|個|条|條|件|份|つ|通|本|枚|篇|张|張|项|則|则|장|개|건|통|명|팀|[位名](?!客人|大人|成人|的)(?=\p{Script=Han}{2})|[名人]の(?!予約|席|テーブル|参加)(?=\p{L}))/gu;
/**
 * "A list with three topics": behind "with" stands what a thing holds, and not how many there are.
 * What one is done with is counted: "finished with the three letters".
 */
const WITH =
  /(?<!(?:done|finished|through|fertig|durch|bin|fini|terminé|acabado|terminado|finito|terminei|acabei|klaar|gotow\p{L}{0,2}|skończył\p{L}?)\s+)(?<!\p{L})(?:with|containing|mit|avec|con|com|met|ze?|zawierając\p{L}{1,2})\s+(?:(?:the|these|those|your|its|die|den|diesen|deinen|ihren|les|ces|tes|vos|ses|los|las|estos|estas|esos|tus|sus|i|le|gli|questi|queste|tuoi|tue|os|as|esses|essas|estes|estas|seus|suas|de|deze|die|je|jouw|uw|tymi|twoimi)\s+)?$/u;
const WITH_CHARS_MAX = 40;
/** What is counted beside a number need not be what the calls dealt with: time, size, people, days of a month. */
const OTHER_THINGS =
  /^(?:minut|dakika|hour|hrs|uhr|stund|saat|day|dias|días|jour|giorn|week|woch|seman|semain|settiman|tydzi|tygod|hafta|month|monat|maand|miesi|year|jahr|año|jaar|people|person|kişi|guest|gäst|seat|degree|derece|grad|percent|prozent|word|wört|palabr|parol|charact|zeichen|caract|vece|fois|keer|second|sekund|section|abschnit|column|spalte|step|schritt|option|euro|dollar|night|nächt|page|seite|janu|janv|janei|febr|févr|fever|märz|march|marz|março|april|avril|abril|kwiet|maggi|june|juni|juin|junh|giugn|czerw|july|juli|juil|julh|lugli|lipca|august|août|agost|sierp|septem|setem|settem|wrześ|octob|oktob|outub|ottob|paźdz|novem|listopad|decem|dezem|dicie|dicem|décem|grudni|stycz|luteg|o'clock|(?:min|sec|tag|tagen?|dag|dagen|dni|gün|mes|meses|mois|mesi|ans|anni|lat|lata|yıl|mots?|times?|mal|kez|kere|volt[ae]|razy?|stars?|jan|feb|mar|mars|marca|apr|avr|abr|may|mai|mayo|mag|maj|maja|jun|giu|cze|jul|lug|lip|aug|ago|sie|sept?|set|wrz|oct|okt|ott|paź|nov|lis|dec|dez|dic|déc|gru)(?!\p{L}))/iu;
/** Parts of a thing: one call may deal with several, unless all of them are meant. */
const PARTS =
  /^(?:item|entr|eintr|line|zeile|líne|lign|righ|linh|regel|wier|row|reihe|point|punkt|punt|elem|pozyc|voc)/iu;

/** The largest number of things that the sentence says were dealt with; 0 where it says none. */
export function saidCount(sentence: string, language: string, all: boolean): number {
  if (!mayNumber(sentence)) return 0;
  let most = 0;
  const bare = bareOf(sentence);
  spelled.spell(bare);
  const hasWord = NUMBER_SCAN.find(spelled) !== 0;
  const hasDigit = (spelled.met & NUMERAL) !== 0;
  for (const { 1: number = "", 2: thing = "", index } of hasWord || hasDigit
    ? matchesIn(bare, COUNTED)
    : []) {
    if (OTHER_THINGS.test(thing) || (PARTS.test(thing) && !all)) continue;
    const n = numberOf(number, language);
    if (n > most && WITH.test(bare.slice(Math.max(0, index - WITH_CHARS_MAX), index))) continue;
    if (n <= COUNT_MAX) most = Math.max(most, n);
  }
  for (const [, number, both = ""] of hasWord ? matchesIn(bare, COUNTED_ALONE) : [])
    most = Math.max(most, numberOf(number ?? both, language));
  for (const [, number = ""] of CJK_NUMBER.test(bare) ? matchesIn(bare, COUNTED_CJK) : [])
    most = Math.max(most, CJK_NUMBERS.get(number) ?? (Number(number) || 0));
  return most;
}

const COUNT_MAX = 500;
/** Numbers in names are no counts; a name may have a few words. */
const CODE_OR_PATH = new RegExp(
  `\u0060[^\u0060\n]{1,200}\u0060|(?:[\\p{L}\\p{N}_./()-]{1,40} ){0,2}[\\p{L}\\p{N}_./()-]{1,80}\\.(?:${EXTENSIONS})(?![\\p{L}\\p{N}])`,
  "giu",
);

/** A full stop at the end of a sentence is none; looking for a whole path takes long where there is none. */
const MAY_BE_NAMED = /\u0060|\.[a-z]/;
const NAMED = new RegExp(`\u0060|\\.(?:${EXTENSIONS})(?![\\p{L}\\p{N}])`, "iu");

/** A text in lower case without its names. */
const bareOf = lastAnswer((text) => withoutNames(text.toLowerCase()));

function withoutNames(lower: string): string {
  return MAY_BE_NAMED.test(lower) && NAMED.test(lower) ? lower.replace(CODE_OR_PATH, " ") : lower;
}

const CJK_NUMBER = /[\d二两三四五六七八九十]/u;

function mayCount(lower: string): boolean {
  spelled.spell(lower);
  return (spelled.met & NUMERAL) !== 0 || NUMBER_SCAN.find(spelled) !== 0;
}

/** Whether a text may say a number: most sentences say none. */
const mayNumber = lastAnswer((text) => mayCount(text) || (spelled.met & HAN) !== 0);

const NUMBER_SCAN = new WordScan([
  new RegExp(`(?<!\\p{L})(?:${[...NUMBER_WORDS.keys()].join("|")})(?!\\p{L})`, "u"),
]);

/** Every number that a text says, in digits or as a word of its language. */
export function numbersSaid(text: string, language: string): number[] {
  if (!mayNumber(text)) return [];
  const bare = bareOf(text);
  const words = bare.match(/\p{L}+|\d+(?:[.,:]\d+)?/gu) ?? [];
  const found = words.flatMap((word) =>
    isDigit(word.charCodeAt(0)) ? Number(word.replace(/[,:]/u, ".")) : numberOf(word, language) || [],
  );
  for (const [, number = ""] of CJK_NUMBER.test(bare) ? matchesIn(bare, COUNTED_CJK) : [])
    found.push(CJK_NUMBERS.get(number) ?? Number(number));
  return [...new Set(found)];
}

/** The same thing counted otherwise: three boxes where the call had one. */
export function otherCount(sentence: string, held: readonly Counted[], language: string): boolean {
  if (held.length === 0) return false;
  return countedThings(sentence, language).some(
    ({ stem, n }) =>
      held.some((other) => other.stem === stem) &&
      !held.some((other) => other.stem === stem && other.n === n),
  );
}

/** A thing that a text counts, and how many. */
export interface Counted {
  readonly stem: string;
  readonly n: number;
}

export function countedThings(text: string, language: string): Counted[] {
  const lower = text.toLowerCase();
  if (!mayCount(lower)) return [];
  return matchesIn(lower, COUNTED).flatMap(([, number = "", thing = ""]) => {
    const n = numberOf(number, language);
    return n === 0 || OTHER_THINGS.test(thing) ? [] : [{ stem: thing.slice(0, 5), n }];
  });
}

/** What a tool of Elwood's own counts at the end of what it gives back, as languages call it. */
const RESULT_THINGS = {
  line: /^(?:lines?|zeilen?|líneas?|lignes?|righ[ae]|linhas?|regels?|wiersz[ey]?|linij[ki]?|treffer|match(?:es)?|hits?|matching)$/u,
  file: /^(?:files?|dateien|datei|archivos?|ficheros?|fichiers?|arquivos?|bestanden|bestand|plik(?:i|ów)?)$/u,
  folder:
    /^(?:folders?|director(?:y|ies)|ordnern?|verzeichniss?e?|carpetas?|dossiers?|répertoires?|cartell[ae]|pastas?|mappen)$/u,
} as const;
type ResultThing = keyof typeof RESULT_THINGS;

/** "[12 lines in 1 file of /w.]", "[/w: 3 files, 1 folder.]" */
const OWN_COUNT = /^\[.*\]$/gmu;
const COUNT_IN_RESULT = /(?<![\p{L}\p{N}.,:/-])(\d{1,6}) (line|file|folder)s?(?!\p{L})/gu;
const DIRECTLY_COUNTED = new RegExp(
  `(?:(\\p{L}+)\\s+)?(?<![\\p{L}\\p{N}.,:#/€$£¥@+_-])(\\d{1,6}|${[...NUMBER_WORDS.keys()].join("|")})\\s+(\\p{L}{3,})(?!\\p{L})`,
  "gu",
);
const CJK_COUNTED = /(\d{1,6})\s?(行|个文件夹|個文件夾|个文件|個檔案|個のフォルダ|個のファイル)/gu;
/** A part of them is meant, which the result does not count. */
const SOME_OF =
  /^(?:first|last|next|other|another|top|least|ersten?|letzten?|nächsten?|weiteren?|anderen?|mindestens|primer[ao]s|últim[ao]s|otr[ao]s|premi(?:er|ère)s|derni(?:er|ère)s|autres|prim[ei]|ultim[ei]|primeir[ao]s|eerste|laatste|andere|pierwsze|ostatnie)$/u;

/**
 * Whether a sentence counts what a result counts itself, and otherwise: nine lines where it says
 * that it found twelve. Several results may be added up.
 */
export function contradictsOwnCount(sentence: string, known: string, language: string): boolean {
  const own = new Map<ResultThing, number[]>();
  for (const [line] of known.matchAll(OWN_COUNT))
    for (const [, number = "", thing = ""] of line.matchAll(COUNT_IN_RESULT)) {
      const kind = thing as ResultThing;
      own.set(kind, [...(own.get(kind) ?? []), Number(number)]);
    }
  if (own.size === 0) return false;
  const differs = (kind: ResultThing | undefined, n: number) => {
    const counts = kind === undefined ? undefined : own.get(kind);
    if (counts === undefined) return false;
    return !counts.includes(n) && counts.reduce((sum, each) => sum + each, 0) !== n;
  };
  const lower = withoutNames(sentence.toLowerCase());
  for (const [, before = "", number = "", thing = ""] of lower.matchAll(DIRECTLY_COUNTED)) {
    if (SOME_OF.test(before)) continue;
    const n = numberOf(number, language);
    if ((n > 0 || number === "0") && differs(resultThing(thing), n)) return true;
  }
  return [...lower.matchAll(CJK_COUNTED)].some(([, number = "", thing = ""]) =>
    differs(thing === "行" ? "line" : /夹|夾|フォルダ/u.test(thing) ? "folder" : "file", Number(number)),
  );
}

/** A number as a word that counts nothing: "with the word seven". */
const LONE_NUMBER = new RegExp(
  `(?<!\\p{L})(${[...NUMBER_WORDS.keys()].filter((word) => !/^(?:both|beid|amb|ob[aiu])/u.test(word)).join("|")})(?!\\p{L}|\\s+\\p{L})`,
  "gu",
);

/** Whether a sentence ends in a number word where what is known says only others: "seven" of a file that holds "six". */
export function saysOtherNumber(sentence: string, known: string, language: string): boolean {
  const said = [...withoutNames(sentence.toLowerCase()).matchAll(LONE_NUMBER)].flatMap(
    ([, word = ""]) => numberOf(word, language) || [],
  );
  if (said.length === 0) return false;
  const words = known.toLowerCase().match(/\p{L}+/gu) ?? [];
  const held = numbersSaid(known, language);
  return words.some((word) => numberOf(word, language) > 0) && said.some((n) => !held.includes(n));
}

function resultThing(word: string): ResultThing | undefined {
  return RESULT_KINDS.find((kind) => RESULT_THINGS[kind].test(word));
}

const RESULT_KINDS: readonly ResultThing[] = ["line", "file", "folder"];

/** Names by which a sentence may call a target, without accents and case; a file by its name alone. */
export function namesIn(text: string): string[] {
  const files = valuesOf(text, "file");
  if (files.length > 0) {
    const stems = files.map((file) => file.replace(/\.[^.]+$/u, "")).filter((stem) => stem.length >= 4);
    return [...files, ...stems].map(folded);
  }
  return folded(text)
    .replace(/@[\p{L}\p{N}.-]+/gu, " ")
    .split(/[^\p{L}\p{N}]+/u)
    .filter(
      (word) => (/^\p{L}{2,}$/u.test(word) || /^\p{L}+\d+$|^\d+\p{L}+$/u.test(word)) && !COMMON.has(word),
    );
}

/** Whether the words of a folded sentence hold this name, or one of them begins with it: languages decline names. */
export function mentions(text: string, name: string): boolean {
  let at = text.indexOf(name);
  if (at < 0) return false;
  // Only where it stands there at all it matters how it may: most names do not.
  if (/[^\p{L}]/u.test(name)) return true;
  if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(name)) return true;
  while (at > 0 && /\p{L}$/u.test(text.slice(Math.max(0, at - 2), at))) at = text.indexOf(name, at + 1);
  if (at < 0) return false;
  const rest = /^\p{L}*/u.exec(text.slice(at + name.length))?.[0] ?? "";
  return rest.length <= (name.length >= 4 ? 3 : 0);
}

/** Without accents and case. */
export const folded = lastAnswer((text) =>
  /[^\0-\x7f]/.test(text)
    ? text.normalize("NFD").replace(/\p{M}/gu, "").normalize("NFC").toLowerCase()
    : text.toLowerCase(),
);

const COMMON = new Set(
  "the with and for eur usd at to of in on by from le la el les los las der die das den dem un une uno una und et y e o i a de du da do em na no w z mail email info www com org net example http https file datei".split(
    " ",
  ),
);

function all(text: string, pattern: RegExp): string[] {
  return (text.match(pattern) ?? []).map((value) => value.toLowerCase().replace(/[.,]+$/u, ""));
}

/** As `matchAll`, for a pattern that is kept: that copies it each time. */
function matchesIn(text: string, pattern: RegExp): RegExpExecArray[] {
  const out: RegExpExecArray[] = [];
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) out.push(match);
  return out;
}

/** Whether a text has this name, and not only as the end of another: "acme.org" is not "blog.acme.org". */
export function hasName(known: string, name: string): boolean {
  for (let at = known.indexOf(name); at >= 0; at = known.indexOf(name, at + 1))
    if (!ENDS_IN_NAME.test(known.slice(Math.max(0, at - 5), at))) return true;
  return false;
}

const ENDS_IN_NAME = /(?:[\p{L}\p{N}_-]|(?<!(?<![\p{L}\p{N}.-])www)\.)$/u;
