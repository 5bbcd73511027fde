/** What a clause wants in the place of what: "replace Monday with Tuesday", "statt 17:00 18:00". */
export interface Replacement {
  readonly old: string;
  readonly new: string;
}

const THING = String.raw`(?:["“„«「'‘]([^"”“»」'’\n]{1,200})["”“»」'’]|([\p{L}\p{N}][\p{L}\p{N}:.,%€$£@/_-]{0,60}))`;
const OLD_THEN_NEW: readonly RegExp[] = [
  String.raw`(?:change|replace|swap|switch|rename|correct|edit|update) (?:(?:in|im|en|dans|nel) \S*\.\p{L}\S* )?(?:the |every |all |each )?(?:word |name |value |date |time )?${THING} (?:to|with|by|for|into) ${THING}`,
  String.raw`(?:ersetze?|ändere?|tausche?|korrigiere?) (?:(?:in|im|en|dans|nel) \S*\.\p{L}\S* )?(?:das |den |die |jedes |alle )?(?:wort |namen? |datum )?${THING} (?:durch|zu|in|auf|gegen|mit) ${THING}`,
  String.raw`(?:cambia|reemplaza|sustituye|corrige) (?:(?:in|im|en|dans|nel) \S*\.\p{L}\S* )?(?:la |el |cada )?(?:palabra |nombre )?${THING} (?:por|con|a) ${THING}`,
  String.raw`(?:remplace|change|corrige) (?:(?:in|im|en|dans|nel) \S*\.\p{L}\S* )?(?:le |la |chaque )?(?:mot |nom )?${THING} (?:par|en|avec) ${THING}`,
  String.raw`(?:cambia|sostituisci|correggi) (?:(?:in|im|en|dans|nel) \S*\.\p{L}\S* )?(?:la |il )?(?:parola |nome )?${THING} (?:con|in) ${THING}`,
  String.raw`(?:troca|substitui|altera|muda) (?:a |o )?(?:palavra )?${THING} (?:por|para) ${THING}`,
  String.raw`(?:vervang|verander|wijzig) (?:(?:in|im|en|dans|nel) \S*\.\p{L}\S* )?(?:het |de )?(?:woord )?${THING} (?:door|in|naar) ${THING}`,
  String.raw`(?:zmień|zamień|zastąp) (?:słowo )?${THING} (?:na|przez) ${THING}`,
].map((source) => new RegExp(String.raw`(?<!\p{L})${source}(?![\p{L}\p{N}])`, "iu"));
const NEW_FOR_OLD = new RegExp(
  String.raw`(?<![\p{L}\p{N}])${THING} (?:instead of|rather than|in place of|statt|anstatt|anstelle von|en lugar de|en vez de|à la place de|au lieu de|al posto di|invece di|em vez de|no lugar de|in plaats van|zamiast) ${THING}`,
  "iu",
);
const SPACELESS: readonly RegExp[] = [
  /把\s?["“「]?([^"”」\s]{1,40}?)["”」]?\s?(?:都|全部)?(?:改成|改为|换成|替换成|替换为)\s?["“「]?([^"”」\s，。]{1,40})/u,
  /["“「]([^"”」]{1,40})["”」]を["“「]([^"”」]{1,40})["”」]に(?:変更|置き換え|変え|直)/u,
];

export function replacementIn(clause: string): Replacement | undefined {
  for (const pattern of OLD_THEN_NEW) {
    const found = pattern.exec(clause);
    if (found) return { old: trimmed(found[1] ?? found[2]), new: trimmed(found[3] ?? found[4]) };
  }
  const turned = NEW_FOR_OLD.exec(clause);
  if (turned) return { old: trimmed(turned[3] ?? turned[4]), new: trimmed(turned[1] ?? turned[2]) };
  for (const pattern of SPACELESS) {
    const found = pattern.exec(clause);
    if (found) return { old: trimmed(found[1]), new: trimmed(found[2]) };
  }
  return undefined;
}

const OLD_ARGUMENT = /^(?:old|old_?text|old_?string|find|search|before)$/iu;
const NEW_ARGUMENT = /^(?:new|new_?text|new_?string|replacement|replace_?with|after)$/iu;
/** A clause that puts a file's name in the place of a thing speaks of the file. */
const FILE = /^[^\s]*\.\p{L}[\p{L}\p{N}]{0,4}$/u;

/** Whether a call puts something else there than the clause says, or turns the two round. */
export function replacesOtherwise(values: Readonly<Record<string, unknown>>, clause: string): boolean {
  const of = (names: RegExp) => Object.entries(values).find(([name]) => names.test(name))?.[1];
  const [was, becomes] = [of(OLD_ARGUMENT), of(NEW_ARGUMENT)];
  if (typeof was !== "string" || typeof becomes !== "string") return false;
  const wanted = replacementIn(clause);
  if (wanted === undefined || FILE.test(wanted.old) || FILE.test(wanted.new)) return false;
  const has = (text: string, part: string) => text.toLowerCase().includes(part.toLowerCase());
  // "Change the title to Lumen" calls what is there by its kind.
  const isLiteral = /\d/u.test(wanted.old) || clause.includes(`"${wanted.old}"`) || has(becomes, wanted.old);
  return !has(becomes, wanted.new) || (isLiteral && !has(was, wanted.old));
}

function trimmed(text: string | undefined): string {
  return (text ?? "").trim().replace(/[.,:;!?]+$/u, "");
}
