import type { ActivityItem } from "../activity.ts";
import { LOCALES } from "./language.ts";
import { lexiconOf } from "./lexicons.ts";
import { familiesOf } from "./tool-fit.ts";

/** Typed values in a sentence that a call's target can contradict. A kind counts only where the targets hold values of that kind too. */
const KINDS: readonly { readonly kind: "target" | "amount"; readonly of: (text: string) => string[] }[] = [
  {
    kind: "target",
    of: (text) => all(text, /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}.-]{1,253}\.\p{L}{2,24}/giu),
  },
  { kind: "target", of: (text) => all(text, /(?<![\p{L}\p{N}&/])#\d{1,10}(?!\p{N})/gu) },
  { kind: "target", of: (text) => all(text, /(?<![\p{L}\p{N}&/])#\p{L}[\p{L}\p{N}_-]{1,60}/gu) },
  {
    kind: "target",
    of: (text) =>
      all(
        text,
        /(?<![\p{L}\p{N}])(?:[\w-]{1,60}\/){0,12}[\w-]{1,60}\.(?:pdf|docx?|xlsx?|pptx?|txt|md|csv|png|jpe?g|gif|svg|zip|tar|gz|ts|js|py|rs|go|json|ya?ml|toml|html?|css|sql|log|key|mp3|mp4|ics)(?![\p{L}\p{N}])/giu,
      ).map((path) => path.split("/").at(-1) ?? path),
  },
  {
    kind: "target",
    of: (text) =>
      all(text, /https?:\/\/[^\s)>\]"']{3,300}/giu).map((url) =>
        url.replace(/^https?:\/\/(?:www\.)?/iu, "").replace(/[/.,]+$/u, ""),
      ),
  },
  { kind: "amount", of: amounts },
  { kind: "target", of: times },
  {
    kind: "target",
    of: (text) =>
      all(
        text,
        /(?<![\p{L}\p{N}@.])(?=[\p{L}-]{0,20}\d)(?:[A-Z]{1,6}-?\d{1,6}|v\d{1,3}(?:\.\d{1,4}){0,3})(?![\p{L}\p{N}@])/gu,
      ),
  },
];

/** The first kind of value that the sentence says and no target confirms. */
export function wrongValue(
  sentence: string,
  confirmed: readonly ActivityItem[],
): "target" | "amount" | undefined {
  const targets = confirmed.map((item) => item.target ?? "");
  for (const { kind, of } of KINDS) {
    const known = new Set(targets.flatMap(of));
    if (known.size === 0) continue;
    const said = of(sentence);
    if (said.length > 0 && !said.some((value) => known.has(value))) return kind;
    if (kind === "target" && said.some((value) => /@|^#\d/u.test(value) && !known.has(value))) return kind;
  }
  return undefined;
}

const CURRENCY = "€|eur(?:os?)?|\\$|usd|dollars?|dólares|£|gbp|pounds?|¥|円|元|yen|chf|franken|francs?|块";
const BEFORE = new RegExp(`(?:${CURRENCY})\\s?(\\d[\\d.,]{0,14})`, "giu");
const AFTER = new RegExp(`(\\d[\\d.,]{0,14})\\s?(?:${CURRENCY})(?!\\p{L})`, "giu");

function amounts(text: string): string[] {
  return [...text.matchAll(BEFORE), ...text.matchAll(AFTER)].map((match) => plainNumber(match[1] ?? ""));
}

/** 1.250,00 and 1,250.00 and 1250 are one number. */
function plainNumber(text: string): string {
  const digits = text.replace(/[.,]+$/u, "").replace(/[.,](?=\d{3}(?!\d))/gu, "");
  return String(Number(digits.replace(",", ".")));
}

function times(text: string): string[] {
  const out: string[] = [];
  for (const match of text.matchAll(
    /(?<![\d.,:])(\d{1,2})[:h](\d{2})(?!\d)\s?(am|pm)?|(?<![\d.,:])(\d{1,2})\s?(am|pm)(?!\p{L})/giu,
  )) {
    const hour = Number(match[1] ?? match[4]);
    const half = (match[3] ?? match[5] ?? "").toLowerCase();
    const full = half === "pm" && hour < 12 ? hour + 12 : half === "am" && hour === 12 ? 0 : hour;
    out.push(`${full}:${match[2] ?? "00"}`);
  }
  return out;
}

/** How many things the sentence says were dealt with; 0 where it says none. */
export function saidCount(sentence: string, numbers: Readonly<Record<string, number>>): number {
  const pattern = COUNTED.get(numbers);
  if (!pattern) return 0;
  let most = 0;
  for (const match of sentence.matchAll(pattern)) {
    const before =
      /(\p{L}+)\s*$/u.exec(sentence.slice(Math.max(0, match.index - 20), match.index))?.[1]?.toLowerCase() ??
      "";
    if (NOT_BEFORE.has(before) || NOT_AFTER.test(match[2] ?? "")) continue;
    const said = match[1]?.toLowerCase() ?? "";
    most = Math.max(most, numbers[said] ?? (Number(said) || 0));
  }
  return most;
}

const NOT_BEFORE = new Set(
  "line zeile línea ligne seite página schritt row reihe column spalte paso étape article kapitel chapitre capítulo nummer raum zimmer phase part teil issue ticket pr option at um à las to auf by for für para pour of on in until from room number version page step within um bis ab seit nach vor hasta desde dans pendant après chapter table top".split(
    " ",
  ),
);
const NOT_AFTER =
  /^(?:min\p{L}*|hours?|hrs?|h|uhr|days?|tagen?|tage|weeks?|wochen?|months?|monaten?|monate|years?|jahren?|jahre|am|pm|o|clock|eur\p{L}*|usd|dollars?|dólares|pounds?|people|persons?|personen|personas|personnes|guests?|gäste|invitados|seats?|degrees?|grad|grados|degrés|percent|prozent|kg|km|m|mb|gb|kb|bytes?|octets?|char(?:acter)?s?|zeichen|caract[eè]res|lines?|zeilen?|l[ií]neas?|lignes?|words?|wörter|palabras|mots|x|times|mal|veces|fois|heures?|horas?|días?|jours?|semaines?|semanas?|minutos?|segundos?|seconds?|sekunden|secondes?|años?|ans?|mois|mes(?:es)?|yen|jan\p{L}*|feb\p{L}*|mar\p{L}*|apr\p{L}*|may|mai|mayo|jun\p{L}*|jul\p{L}*|aug\p{L}*|ago\p{L}*|sep\p{L}*|oct\p{L}*|okt\p{L}*|nov\p{L}*|dec\p{L}*|dez\p{L}*|dic\p{L}*|de|d|nits?|of|year|stars?|options?|steps?|attempts?|tries|is|ist|sind|was|were|wurden?|est|es|fue|has|hat|and|und|et|y|or)$/iu;

/** How many things these calls dealt with at most; undefined where nobody can say. */
export function capacity(items: readonly ActivityItem[]): number | undefined {
  let sum = 0;
  for (const item of items) {
    if (familiesOf(item.toolId) === undefined && item.count === undefined) return undefined;
    sum += item.count ?? 1;
  }
  return sum;
}

/** Names by which a sentence may call a target. */
export function namesOf(target: string | undefined): string[] {
  if (target === undefined) return [];
  const first = target.split("@")[0] ?? target;
  return first
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => /^\p{L}{2,}$/u.test(word) && !COMMON.has(word));
}

const COMMON = new Set(
  "the with and for eur usd at to of in on le la el der die das un une und et y mail email info www com org net".split(
    " ",
  ),
);

export function mentions(sentence: string, name: string): boolean {
  const plain = sentence.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  return new RegExp(`(?<!\\p{L})${name}(?!\\p{L})`, "u").test(plain);
}

function all(text: string, pattern: RegExp): string[] {
  return (text.match(pattern) ?? []).map((value) => value.toLowerCase().replace(/[.,]+$/u, ""));
}

/** A number before a thing, by the number words of each language. */
const COUNTED: ReadonlyMap<Readonly<Record<string, number>>, RegExp> = new Map(
  LOCALES.map(
    (locale) => [lexiconOf(locale).numbers, counted(Object.keys(lexiconOf(locale).numbers))] as const,
  ),
);

function counted(words: readonly string[]): RegExp {
  if (words.some((word) => /\p{Script=Han}/u.test(word)))
    return new RegExp(
      `(\\d{1,4}|[${words.join("")}])\\s?(?:封|个|個|条|條|件|份|つ|通|本|枚|篇|张|張|项|則|则)`,
      "gu",
    );
  return new RegExp(
    `(?<![\\p{L}\\p{N}.,:#/€$£¥@+-])(\\d{1,4}|${words.join("|")})(?![\\p{N}]|[.,:]\\d|\\s?[%°€$£¥:h])\\s+(\\p{L}+)`,
    "giu",
  );
}
