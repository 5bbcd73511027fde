/** Times of day in words: "half past eight", "halb neun", "las ocho y media", "八点半". */

/** Hours by their names; beside them stand figures. */
const HOURS: readonly string[] = [
  "one|eins|ein|una|une|un|uma|één|een|pierwsz[aeą]j?|한",
  "two|zwei|dos|deux|due|duas|twee|drugi?ej|두",
  "three|drei|tres|trois|tre|três|drie|trzeciej|세",
  "four|vier|cuatro|quatre|quattro|quatro|czwartej|네",
  "five|fünf|cinco|cinq|cinque|vijf|piątej|다섯",
  "six|sechs|seis|sei|zes|szóstej|여섯",
  "seven|sieben|siete|sept|sette|sete|zeven|siódmej|일곱",
  "eight|acht|ocho|huit|otto|oito|ósmej|여덟",
  "nine|neun|nueve|neuf|nove|negen|dziewiątej|아홉",
  "ten|zehn|diez|dix|dieci|dez|tien|dziesiątej|열",
  "eleven|elf|once|onze|undici|jedenastej|열한",
  "twelve|zwölf|doce|douze|dodici|doze|twaalf|dwunastej|열두",
];
const HAN_HOURS = ["一", "二|两", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二"];
const MINUTES: Readonly<Record<string, number>> = {
  five: 5,
  fünf: 5,
  cinco: 5,
  cinq: 5,
  vijf: 5,
  ten: 10,
  zehn: 10,
  diez: 10,
  dix: 10,
  dieci: 10,
  dez: 10,
  tien: 10,
  twenty: 20,
  zwanzig: 20,
  veinte: 20,
  vingt: 20,
  venti: 20,
  vinte: 20,
  fifteen: 15,
  thirty: 30,
  "forty-five": 45,
  "twenty-five": 25,
  quinze: 15,
  quince: 15,
  dreißig: 30,
  treinta: 30,
  trente: 30,
};

const H = String.raw`(\d{1,2}|${HOURS.join("|")})`;
const M = String.raw`(\d{1,2}|${Object.keys(MINUTES).join("|")})`;
const END = String.raw`(?![\p{L}\p{N}:.,]*\d)(?!\p{L})`;
const rule = (source: string) => new RegExp(String.raw`(?<![\p{L}\p{N}])${source}`, "giu");

/** Each rule with the minutes that it adds to the hour that it names; `M` where it names them. */
const RULES: readonly (readonly [RegExp, number | "past" | "to"])[] = [
  // English
  [rule(`half past ${H}${END}`), 30],
  [rule(`(?<=(?:at|by|around) )half ${H}${END}`), 30],
  [rule(`(?:an? )?quarter past ${H}${END}`), 15],
  [rule(`(?:an? )?quarter (?:to|of|till) ${H}${END}`), -15],
  [rule(`${M} (?:minutes )?past ${H}${END}`), "past"],
  [rule(`${M} (?:minutes )?to ${H}${END}(?=\\s(?:on|in|to|tomorrow|today|tonight)|[,.!?]|$)`), "to"],
  [rule(`${H} o'clock`), 0],
  // German
  [rule(`halb ${H}${END}`), -30],
  [rule(`(?:drei ?viertel|dreiviertel) ${H}${END}`), -15],
  [rule(`viertel nach ${H}${END}`), 15],
  [rule(`viertel vor ${H}${END}`), -15],
  [rule(`${M} (?:minuten )?nach ${H}${END}`), "past"],
  [rule(`${M} (?:minuten )?vor ${H}${END}`), "to"],
  [rule(`${H} uhr${END}`), 0],
  // Dutch
  [
    rule(
      `(?<!(?:at|by|around) )half (${HOURS.map((names) => names.split("|").find((name) => /^(?:één|een|twee|drie|vier|vijf|zes|zeven|acht|negen|tien|elf|twaalf)$/u.test(name))).join("|")})${END}`,
    ),
    -30,
  ],
  [rule(`(?<=(?:om|rond|tegen|vanaf) )half (\\d{1,2})${END}`), -30],
  [rule(`kwart over ${H}${END}`), 15],
  [rule(`kwart voor ${H}${END}`), -15],
  [rule(`${H} uur${END}`), 0],
  // Spanish, Portuguese, Italian
  [rule(`${H} (?:y|e) (?:media|meia|mezz[ao])${END}`), 30],
  [rule(`${H} (?:y cuarto|e un quarto|e quinze)${END}`), 15],
  [rule(`${H} (?:menos cuarto|meno un quarto)${END}`), -15],
  [
    rule(
      `(?:a )?las? ${H}(?: en punto)?${END}(?=\\s(?:de la (?:mañana|tarde|noche)|en punto|que|a|de|para|mañana|el|hoy|del?)|[,.!?]|$)`,
    ),
    0,
  ],
  // French
  [rule(`${H} heures? et demie?${END}`), 30],
  [rule(`${H} heures? et quart${END}`), 15],
  [rule(`${H} heures? moins (?:le )?quart${END}`), -15],
  [rule(`${H} heures?${END}(?! et | moins )`), 0],
  // Polish
  [rule(`wpół do ${H}${END}`), -30],
  [rule(`kwadrans po ${H}${END}`), 15],
  [rule(`za kwadrans ${H}${END}`), -15],
  // Korean
  [rule(`${H} ?시 ?반`), 30],
];
const HAN_HOUR = `(十一|十二|十|一|二|两|三|四|五|六|七|八|九|\\d{1,2})`;
const HAN_RULES: readonly (readonly [RegExp, number])[] = [
  [new RegExp(`(?<![\\d十百])${HAN_HOUR}\\s?[点點時](?:钟|鐘)?半`, "gu"), 30],
  [new RegExp(`(?<![\\d十百])${HAN_HOUR}\\s?[点點]一刻`, "gu"), 15],
  [new RegExp(`(?<![\\d十百])${HAN_HOUR}\\s?[点點]三刻`, "gu"), 45],
  [
    new RegExp(
      `(?<![\\d十百])${HAN_HOUR}\\s?[点點時](?!半|一刻|三刻|\\s?\\d|[一二三四五六七八九十]+分)`,
      "gu",
    ),
    0,
  ],
];
/** "at nine", "um neun": an hour by its name alone. */
const BARE = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:at|by|around|um|gegen|ab|alle|às|om|o)\s(${HOURS.join("|")})(?=\s*(?:[,;.!?]|$|(?:(?:to|and|that|on|in|tomorrow|today|tonight|sharp|daran|an|am|morgen|heute|dass|zu|die|den|das|di|che|domani|de|que|amanhã|dat|te|aan|jutro)(?!\p{L}))))`,
  "giu",
);
const NOON =
  /(?<!\p{L})(?:noon|midday|mediodía|midi|mezzogiorno|meio-dia|zwölf uhr mittags|południe)(?!\p{L})|正午/iu;
const HALF_PAST_NOON = /(?<!\p{L})midi et demie?(?!\p{L})/iu;
const MIDNIGHT =
  /(?<!\p{L})(?:midnight|mitternacht|medianoche|minuit|mezzanotte|meia-noite|middernacht)(?!\p{L})|午夜|真夜中/iu;
const FOUND_MAX = 50;

/** Minutes since midnight, by a clock of twelve hours where the words leave it open. */
export function clockWords(text: string): number[] {
  const found: number[] = [];
  const add = (hour: number | undefined, minutes: number) => {
    if (hour === undefined || hour > 24 || minutes >= 60 || found.length >= FOUND_MAX) return;
    found.push((hour * 60 + minutes + DAY_MINUTES) % DAY_MINUTES);
  };
  for (const [pattern, minutes] of RULES)
    for (const [, first, second] of text.matchAll(pattern)) {
      if (typeof minutes === "number") add(hourOf(first), minutes);
      else add(hourOf(second), (minutes === "past" ? 1 : -1) * (minutesOf(first) ?? 60));
    }
  for (const [pattern, minutes] of HAN_RULES)
    for (const [, hour] of text.matchAll(pattern)) add(hanHour(hour!), minutes);
  for (const [, hour] of text.matchAll(BARE)) add(hourOf(hour), 0);
  if (HALF_PAST_NOON.test(text)) found.push(NOON_MINUTES + 30);
  else if (NOON.test(text)) found.push(NOON_MINUTES);
  if (MIDNIGHT.test(text)) found.push(0);
  return found;
}

const DAY_MINUTES = 24 * 60;
const NOON_MINUTES = 12 * 60;

function hourOf(word: string | undefined): number | undefined {
  if (word === undefined) return undefined;
  if (/^\d+$/u.test(word)) return Number(word);
  const at = HOURS.findIndex((names) => new RegExp(`^(?:${names})$`, "iu").test(word));
  return at < 0 ? undefined : at + 1;
}

function minutesOf(word: string | undefined): number | undefined {
  if (word === undefined) return undefined;
  return /^\d+$/u.test(word) ? Number(word) : MINUTES[word.toLowerCase()];
}

function hanHour(word: string): number | undefined {
  if (/^\d+$/u.test(word)) return Number(word);
  const at = HAN_HOURS.findIndex((names) => names.split("|").includes(word));
  return at < 0 ? undefined : at + 1;
}

/** Which half of the day a text speaks of, where it does. */
export function saysAfternoon(text: string): boolean {
  return AFTERNOON.test(text);
}

const AFTERNOON =
  /(?<!\p{L})(?:tonight|afternoon|evening|night|pm|nachmittags?|abends?|noche|tarde|après-midi|soir|pomeriggio|sera|stasera|noite|middag|'s middags|avond|vanavond|popołudniu|wieczor\p{L}*)(?!\p{L})|下午|晚上|今晚|傍晚|午後|夕方|夜|今夜|晩|오후|저녁|밤/iu;
