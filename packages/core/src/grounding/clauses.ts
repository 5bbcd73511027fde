const CLAUSES_MAX = 6;

/** Between two clauses: a semicolon, a comma, a dash, or a word that joins. */
const JOINT =
  /[;；，、,]\s*|\s[–—-]\s|:\s+|\s(?:and|und|sowie|et|puis|y|e|ed|en|i|oraz|a także|but|aber|mais|pero|ma|mas|maar|ale|then|dann|luego|poi|depois|daarna|potem)\s|(?<=[고며])\s|(?<=て|し|で)、|并且?|而且|然后/giu;

/** Long enough to say that something was done. */
const SAYS_SOMETHING =
  /\p{L}{2,}[^\p{L}]+\p{L}{2,}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]{4}/u;

/** The clauses of a sentence, where it has more than one; so a second deed beside a first is read for itself. */
export function clausesOf(plain: string): string[] {
  const found = plain
    .split(JOINT)
    .map((clause) => clause?.trim() ?? "")
    .filter((clause) => SAYS_SOMETHING.test(clause));
  return found.length > 1 ? found.slice(0, CLAUSES_MAX) : [];
}
