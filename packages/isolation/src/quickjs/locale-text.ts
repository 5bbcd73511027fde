/** What a program may have written the way of a language and a country. */
export type LocaleKind = "date" | "time" | "dateTime" | "number" | "compare" | "upper" | "lower";

const OPTIONS_CHARS_MAX = 4_000;
const TEXT_CHARS_MAX = 1_000_000;
const COLLATORS_MAX = 20;

/**
 * Writes dates and numbers for a program: its engine knows no language, the process around it knows them all. What
 * comes from the program is text; it is read as plain data, and only text goes back: `=` and what was written, or `!`
 * and why it could not be.
 */
export class LocaleText {
  readonly #timeZone: string;
  readonly #collators = new Map<string, Intl.Collator>();

  constructor(timeZone: string) {
    this.#timeZone = timeZone;
  }

  write(kind: string, value: string, other: string, settings: string): string {
    try {
      if (settings.length > OPTIONS_CHARS_MAX) throw new RangeError("The options are too long.");
      const { locales, options } = readSettings(settings);
      return `=${this.#written(kind as LocaleKind, value, other, locales, options, settings)}`;
    } catch (error) {
      // A program can spoil what it hands over in all of these ways.
      const known = [RangeError, TypeError, SyntaxError].some((kind) => error instanceof kind);
      if (!known || !(error instanceof Error)) throw error;
      return `!${error.message}`;
    }
  }

  #written(
    kind: LocaleKind,
    value: string,
    other: string,
    locales: string[],
    options: object,
    settings: string,
  ): string {
    switch (kind) {
      case "date":
        return new Date(Number(value)).toLocaleDateString(locales, this.#placed(options));
      case "time":
        return new Date(Number(value)).toLocaleTimeString(locales, this.#placed(options));
      case "dateTime":
        return new Date(Number(value)).toLocaleString(locales, this.#placed(options));
      case "number":
        // As text: whole numbers of any size keep all their digits.
        return new Intl.NumberFormat(locales, options).format(value as Intl.StringNumericLiteral);
      case "compare":
        return String(
          this.#collator(locales, options, settings).compare(
            value.slice(0, TEXT_CHARS_MAX),
            other.slice(0, TEXT_CHARS_MAX),
          ),
        );
      case "upper":
        return value.toLocaleUpperCase(locales);
      case "lower":
        return value.toLocaleLowerCase(locales);
      default:
        throw new TypeError("There is no such way to write something.");
    }
  }

  #placed(options: object): object {
    return { timeZone: this.#timeZone, ...options };
  }

  /** A list is sorted by thousands of comparisons. */
  #collator(locales: string[], options: object, settings: string): Intl.Collator {
    const known = this.#collators.get(settings);
    if (known) return known;
    const made = new Intl.Collator(locales, options);
    if (this.#collators.size >= COLLATORS_MAX) this.#collators.clear();
    this.#collators.set(settings, made);
    return made;
  }
}

/** Where no locale is given. */
const DEFAULT_LOCALE = "en-US";

function readSettings(json: string): { readonly locales: string[]; readonly options: object } {
  const [locales, options] = JSON.parse(json) as unknown[];
  const named = locales === undefined || locales === null ? [] : Array.isArray(locales) ? locales : [locales];
  if (!named.every((each) => typeof each === "string"))
    throw new TypeError('A locale is text such as "de-DE".');
  if (typeof (options ?? {}) !== "object") throw new TypeError("The options must be an object.");
  return {
    locales: named.length === 0 ? [DEFAULT_LOCALE] : named,
    options: { ...(options as object | null) },
  };
}
