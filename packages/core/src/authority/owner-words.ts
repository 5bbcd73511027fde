import { isInOwnWords } from "./own-words.ts";
import { meansDay, readMoment, spokenDays, spokenTimes, withoutTimes } from "./spoken-times.ts";

const TEXT_CHARS_MAX = 64_000;
// Each begins only where a token does, and every repetition has a bound: a hostile text costs no more than a plain one.
const EMAIL =
  /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,10}/giu;
const ADDRESS =
  /(?<![\p{L}\p{N}.-])(?:https?:\/\/)?(?:[\p{L}\p{N}-]{1,63}\.){1,126}\p{L}{2,63}(?::\d{1,5})?(?:\/[^\s<>"'`]{0,4000})?/giu;
const NUMBER = /(?<![\p{L}\p{N}_.,-])[$€£¥]?\s?(-?\d[\d,]*(?:\.\d+)?)(?:\s?[$€£¥%])?(?![\p{L}\p{N}_])/giu;
/**
 * What the owner said, as it can be compared with the arguments of a call: values by their
 * kind, and never by a part of them. "June 13" says neither the number 13 nor the id 13;
 * "true-informations.com" does not say "informations.com".
 */
export class OwnerWords {
  readonly #whole: string;
  // Found when they are first asked for: most calls ask for one kind.
  readonly #text = once(() => this.#whole.toLowerCase());
  readonly #spaced = once(() => spaced(this.#whole));
  readonly #sentences = once(() => this.#whole.split(SENTENCE_END).filter((each) => each.trim() !== ""));
  readonly #emails = once(() => new Set(emailsIn(this.#whole)));
  readonly #addresses = once(() => new Set(addressesIn(this.#whole)));
  readonly #accounts = once(() => new Set(accountsIn(this.#whole)));
  readonly #numbers = once(() => new Set(numbersIn(this.#whole)));
  readonly #days = once(() => spokenDays(this.#whole));
  readonly #times = once(() => spokenTimes(this.#whole));

  constructor(texts: readonly string[]) {
    // The latest words count most; those before a bound are forgotten.
    this.#whole = texts.join("\n\n").slice(-TEXT_CHARS_MAX).normalize("NFKC");
  }

  email(value: string): boolean {
    return this.#emails().has(value.trim().toLowerCase());
  }

  /** The very address, or a bare host that was said. */
  address(value: string): boolean {
    return this.#addresses().has(plainAddress(value));
  }

  number(value: number): boolean {
    return this.#numbers().has(value);
  }

  account(value: string): boolean {
    return this.#accounts().has(plainAccount(value));
  }

  moment(value: string): boolean {
    const moment = readMoment(value);
    if (!moment || !this.#days().some((spoken) => meansDay(spoken, moment.day))) return false;
    return moment.minutes === undefined || moment.minutes === 0 || this.#times().includes(moment.minutes);
  }

  /** The words of the value in a row, as words of their own. */
  phrase(value: string): boolean {
    const wanted = value.normalize("NFKC").toLowerCase().trim();
    return wanted !== "" && containsWhole(this.#text(), wanted, OPEN_ENDS);
  }

  /** The same for a name by which a thing is called, where hyphens, underscores and the ending of a file do not matter. */
  label(value: string): boolean {
    const wanted = spaced(value.replace(/\.\p{L}\w{0,4}$/u, "")).trim();
    return wanted.length >= LABEL_CHARS_MIN && containsWhole(this.#spaced(), wanted, WORD);
  }

  /** Every word that carries meaning. */
  allWords(value: string): boolean {
    const words = spaced(value)
      .split(" ")
      .filter((word) => word.length > 2 && !STOP_WORDS.has(word));
    return words.length > 0 && words.every((word) => containsWhole(this.#spaced(), word, WORD));
  }

  /** Nothing but what one of the sentences says: its words in their order, with every negation kept. */
  sentence(value: string): boolean {
    return this.#sentences().some((sentence) => isInOwnWords(value, sentence));
  }

  word(stem: string): boolean {
    return this.#spaced()
      .split(" ")
      .some((word) => word.startsWith(stem));
  }
}

export function emailsIn(text: string): string[] {
  return [...text.matchAll(EMAIL)].map(([email]) => email.toLowerCase().replace(/\.+$/u, ""));
}

/** Links and host names, without those of e-mail addresses. */
export function addressesIn(text: string): string[] {
  const found = [...text.replace(EMAIL, " ").matchAll(ADDRESS)].map(([address]) => address);
  return found.flatMap((address) => {
    // "www.our-company.com.They": a sentence that was not followed by a blank.
    const glued = /^(.*\p{Ll}{2,})\.\p{Lu}\p{Ll}*$/u.exec(address);
    return glued ? [plainAddress(glued[1]!)] : [plainAddress(address)];
  });
}

/** Numbers and codes that identify somebody or open something: six digits or more, or letters and digits mixed. */
export function accountsIn(text: string): string[] {
  const plain = withoutTimes(text.replace(EMAIL, " ").replace(ADDRESS, " "));
  const found: string[] = [];
  for (const [token] of plain.matchAll(/(?<![\p{L}\p{N}])[\p{L}\p{N}]+(?:[ -]\d[\p{L}\p{N}]*)*/gu)) {
    const bare = plainAccount(token);
    const digits = bare.replaceAll(/\D/gu, "").length;
    if (digits >= DIGITS_MIN) found.push(bare.slice(0, ACCOUNT_CHARS_MAX));
  }
  return found;
}

function numbersIn(text: string): number[] {
  const plain = withoutTimes(text.replace(EMAIL, " ").replace(ADDRESS, " "));
  return [...plain.matchAll(NUMBER)].map(([, digits]) => Number(digits!.replaceAll(",", "")));
}

function once<T>(find: () => T): () => T {
  let found: { readonly value: T } | undefined;
  return () => (found ??= { value: find() }).value;
}

/** Not between "Mrs." and her name. */
export const NOT_BEHIND_TITLE = String.raw`(?<!(?<!\p{L})(?:Mr|Mrs|Ms|Dr|Prof|St|Sr|Sra|Mme|Mlle|Hr|Fr)\.)`;
const SENTENCE_END = new RegExp(
  String.raw`(?<=[.!?])${NOT_BEHIND_TITLE}\s+|(?<=[\u3002\uff01\uff1f])|\n`,
  "u",
);
const DIGITS_MIN = 6;
const ACCOUNT_CHARS_MAX = 64;
const LABEL_CHARS_MIN = 3;

export function plainAccount(value: string): string {
  return value.replaceAll(/[\s-]/gu, "").toLowerCase().slice(0, ACCOUNT_CHARS_MAX);
}

export function plainAddress(value: string): string {
  const [, scheme = "", host = "", rest = ""] = /^(https?:\/\/)?([^/?#]*)(.*)$/iu.exec(value.trim()) ?? [];
  void scheme;
  return `${host.toLowerCase()}${rest.replace(/[.,;:!?)\]}'"]+$/u, "")}`
    .replace(/\/$/u, "")
    .replace(/\.$/u, "");
}

const WORD = /[\p{L}\p{N}]/u;
/** Characters that go on with a token: what stands between them is only a part of something. */
const OPEN_ENDS = /[\p{L}\p{N}_@/\\+%=&#-]/u;

/** Scripts without blanks between words have no ends of words either. */
const NO_BLANKS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

function containsWhole(text: string, wanted: string, goesOn: RegExp): boolean {
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const before = text.slice(0, at).at(-1) ?? " ";
    const after = text.slice(at + wanted.length);
    const free = NO_BLANKS.test(wanted) || (!goesOn.test(before) && before !== ".");
    if (free && (NO_BLANKS.test(wanted) || endsThere(after, goesOn))) return true;
  }
  return false;
}

/** A dot ends it only where it ends a sentence: "notes.txt" is not said by "notes.txt.bak". */
function endsThere(after: string, goesOn: RegExp): boolean {
  const [next = " ", then = " "] = after;
  if (next === ".") return !goesOn.test(then) || /\p{Lu}/u.test(then);
  return !goesOn.test(next);
}

function spaced(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ");
}

const STOP_WORDS: ReadonlySet<string> = new Set(
  "the and for with from your you our his her its this that are was were will have has not but a an of to in on at by is it be as or".split(
    " ",
  ),
);
