import { zoneNamed } from "../schedule/zone-name.ts";

/** The clock of a place, as people name it beside a time: "9 am Tokyo time", "um neun Londoner Zeit", "东京时间9点". */

/** Places that people name otherwise than the list of zones does, or that have no zone of their own. */
const PLACES: readonly (readonly [zone: string, names: string])[] = [
  ["Asia/Tokyo", "tokyo|tokio|tóquio|osaka|kyoto|japan|japón|japon|东京|東京|日本|大阪|도쿄|일본"],
  ["Asia/Shanghai", "beijing|peking|pekín|pékin|pechino|china|chine|北京|上海|中国|베이징|중국"],
  ["Asia/Hong_Kong", "hongkong|香港"],
  ["Asia/Seoul", "seúl|séoul|korea|首尔|ソウル|韩国|韓国|서울|한국"],
  ["Asia/Singapore", "singapur|singapour|新加坡|シンガポール"],
  ["Asia/Kolkata", "delhi|new delhi|mumbai|bangalore|india|indien|inde|印度|インド"],
  ["Asia/Dubai", "迪拜|ドバイ"],
  ["Asia/Jerusalem", "tel aviv"],
  ["Europe/London", "londres|londra|londen|londyn|england|uk|britain|伦敦|ロンドン|런던"],
  ["Europe/Paris", "parigi|parís|parijs|paryż|lyon|france|frankreich|巴黎|パリ|파리"],
  [
    "Europe/Berlin",
    "berlín|berlino|berlijn|munich|münchen|hamburg|frankfurt|cologne|köln|germany|deutschland|alemania|allemagne|柏林|ベルリン|德国|ドイツ|베를린",
  ],
  ["Europe/Madrid", "barcelona|spain|spanien|españa|马德里|マドリード"],
  ["Europe/Rome", "rom|roma|milan|mailand|milano|italy|italien|italia|罗马|ローマ"],
  ["Europe/Lisbon", "lissabon|lisboa|lisbonne|里斯本|リスボン"],
  ["Europe/Vienna", "wien|viena|vienne|维也纳|ウィーン"],
  ["Europe/Zurich", "zürich|zúrich|geneva|genf|genève|苏黎世|チューリッヒ"],
  ["Europe/Warsaw", "warschau|varsovia|varsovie|warszawa"],
  ["Europe/Athens", "athen|atenas|athènes"],
  ["Europe/Moscow", "moskau|moscú|moscou|mosca|莫斯科|モスクワ"],
  ["America/New_York", "nueva york|nova york|nova iorque|nyc|boston|miami|washington|纽约|ニューヨーク|뉴욕"],
  [
    "America/Los_Angeles",
    "l\\.?a\\.?|san francisco|seattle|california|kalifornien|洛杉矶|ロサンゼルス|旧金山",
  ],
  ["America/Chicago", "dallas|houston|texas|芝加哥|シカゴ"],
  ["America/Mexico_City", "ciudad de méxico|mexiko-stadt|méxico"],
  ["America/Sao_Paulo", "são paulo|rio|brasilia|圣保罗"],
  ["Australia/Sydney", "sídney|悉尼|シドニー|시드니"],
  ["Pacific/Honolulu", "hawaii|夏威夷|ハワイ"],
];
/** Letters that stand for a zone, where they stand beside a time. */
const LETTERS: Readonly<Record<string, string>> = {
  utc: "UTC",
  gmt: "UTC",
  cet: "Europe/Berlin",
  cest: "Europe/Berlin",
  mez: "Europe/Berlin",
  mesz: "Europe/Berlin",
  bst: "Europe/London",
  est: "America/New_York",
  edt: "America/New_York",
  et: "America/New_York",
  pst: "America/Los_Angeles",
  pdt: "America/Los_Angeles",
  pt: "America/Los_Angeles",
  jst: "Asia/Tokyo",
  kst: "Asia/Seoul",
  "eastern time": "America/New_York",
  "pacific time": "America/Los_Angeles",
  "central time": "America/Chicago",
  "mountain time": "America/Denver",
};

const NAME = String.raw`\p{Lu}[\p{L}.'-]*(?:\s(?:de\s)?\p{Lu}[\p{L}.'-]*){0,2}`;
/** "Tokyo time", "Tokioter Zeit", "Ortszeit London", "hora de Tokio": only where a place's name is written as one. */
const OF_PLACE: readonly RegExp[] = [
  new RegExp(
    String.raw`(?<!\p{L})(${NAME})(?:['’]s)?[\s-](?:local )?(?:time|Zeit|Ortszeit|tijd)(?!\p{L})`,
    "gu",
  ),
  new RegExp(String.raw`(?<!\p{L})(?:time|Zeit|Ortszeit|tijd) (?:in |von |van |of )?(${NAME})`, "gu"),
  new RegExp(
    String.raw`(?<!\p{L})(?:hora|horas|horario|heure|ora) (?:local )?(?:de |d'|di |do |da |en |à |a )(${NAME})`,
    "gu",
  ),
];
const LETTERS_BESIDE =
  /(?:\d|[ap]\.?m\.?|uhr|h)\s?\(?(utc|gmt|cest|cet|mesz|mez|bst|est|edt|et|pst|pdt|pt|jst|kst|(?:eastern|pacific|central|mountain) time)(?![\p{L}\p{N}+-])/giu;
const SPACELESS_PLACE =
  /([\p{Script=Han}\p{Script=Katakana}ー]{2,6}?)(?:の?(?:当地|现地|現地)?(?:时间|時間))/gu;
const HANGUL_PLACE = /(\p{Script=Hangul}{2,4})\s?시간(?!\p{Script=Hangul})/gu;
/** What these words are put before is no clock of a place. */
const NO_PLACE =
  /^(?:the|my|our|your|any|next|last|this|first|same|free|full|half|real|short|long|what|which|die|der|zur|keine|meine|freie)$/iu;
const ZONES_MAX = 3;

/** The zones that a text names beside its times; `unknown` for a place that nobody here knows. */
export function zonesNamed(text: string): ReadonlySet<string> {
  const zones = new Set<string>();
  const add = (name: string) => {
    if (zones.size >= ZONES_MAX || NO_PLACE.test(name)) return;
    zones.add(zoneOf(name) ?? "unknown");
  };
  for (const pattern of OF_PLACE) for (const [, name] of text.matchAll(pattern)) add(withoutLead(name!));
  for (const [, letters] of text.matchAll(LETTERS_BESIDE)) zones.add(LETTERS[letters!.toLowerCase()]!);
  for (const pattern of [SPACELESS_PLACE, HANGUL_PLACE])
    for (const [, name] of text.matchAll(pattern)) {
      // "开会时间" is no place: of such words only known ones count.
      const known = endsWithPlace(name!);
      if (known !== undefined) zones.add(known);
    }
  return zones;
}

/** "Set Tokyo time": what begins a sentence has a capital of its own. */
function withoutLead(name: string): string {
  const words = name.split(" ");
  while (
    words.length > 1 &&
    zoneOf(words.join(" ")) === undefined &&
    zoneOf(words.slice(1).join(" ")) !== undefined
  )
    words.shift();
  return words.join(" ");
}

/** "Londoner Zeit", "Amsterdamse tijd": the ending of the place's name is not its own. */
const ENDINGS = [/$/u, /(?:er|se)$/u, /(?:ter|ner|r)$/u];

function zoneOf(name: string): string | undefined {
  const plain = name
    .toLowerCase()
    .replaceAll(/['’]s$/gu, "")
    .trim();
  const stems = [...new Set(ENDINGS.map((ending) => plain.replace(ending, "")))];
  for (const stem of stems) {
    const known = placeOf(stem) ?? LETTERS[stem] ?? (stem.length > LETTERS_MAX ? zoneNamed(stem) : undefined);
    if (known !== undefined) return known;
  }
  return undefined;
}

const LETTERS_MAX = 4;

function placeOf(plain: string): string | undefined {
  return PLACES.find(([, names]) => new RegExp(`^(?:${names})$`, "u").test(plain))?.[0];
}

function endsWithPlace(name: string): string | undefined {
  return PLACES.find(([, names]) => new RegExp(`(?:${names})$`, "u").test(name))?.[0];
}
