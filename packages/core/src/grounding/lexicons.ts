import type { Locale } from "./language.ts";
import { DE } from "./lexicon-de.ts";
import { EN } from "./lexicon-en.ts";
import { ES } from "./lexicon-es.ts";
import { FR } from "./lexicon-fr.ts";
import { JA } from "./lexicon-ja.ts";
import { ZH } from "./lexicon-zh.ts";
import type { Lexicon } from "./lexicon.ts";

const LEXICONS: Readonly<Record<Locale, Lexicon>> = { en: EN, de: DE, es: ES, fr: FR, zh: ZH, ja: JA };

export function lexiconOf(locale: Locale): Lexicon {
  return LEXICONS[locale];
}
