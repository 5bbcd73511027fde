import type { German } from "./de/german.ts";

/**
 * The language of the page: `theme.js` writes it on the document before anything else runs, from what was
 * chosen in this browser or what it asks for. It holds until the page is loaded again.
 */
export const LANGUAGES = { en: "English", de: "Deutsch" } as const;
export type Language = keyof typeof LANGUAGES;

export function pageLanguage(): Language {
  return "document" in globalThis && document.documentElement.lang === "de" ? "de" : "en";
}

/** For dates and figures: as this browser writes them, if it speaks the page's language. */
export function pageLocale(): string | undefined {
  const language = pageLanguage();
  return "navigator" in globalThis && navigator.language.startsWith(language) ? undefined : language;
}

const KEY = "elwood.language";

/** Loads the page again, in that language. What was typed is kept as at every reload. */
export function chooseLanguage(language: Language): void {
  try {
    localStorage.setItem(KEY, language);
  } catch {
    return; // storage is forbidden here: the page stays as the browser asked for it
  }
  location.reload();
}

/** The tables there are so far, and the German ones, if this page speaks them. Set once, before anything is drawn. */
const tables = new Map<keyof German, object>();
let german: German | undefined;

/**
 * Has the tables speak the page's language. Files that come with the page must not read a word while they
 * are loaded, for by then it may still be English; those that are fetched later may.
 */
export async function speak(): Promise<void> {
  if (pageLanguage() !== "de") return;
  try {
    german = (await import("./de/german.ts")).GERMAN;
  } catch {
    return; // the gateway is away, or was updated: better in English than not at all
  }
  for (const [area, table] of tables) Object.assign(table, german[area]);
  void speakOfFailures(german);
}

/** Many sentences that few visits need: nothing waits for them, and until they are there a failure is told by its reason. */
async function speakOfFailures(words: German): Promise<void> {
  try {
    const { failures } = await import("./de/failures.ts");
    german = { ...words, gateway: { ...words.gateway, failures } };
    Object.assign(tables.get("gateway") ?? {}, german.gateway);
  } catch {
    // by its reason then, with the English behind it
  }
}

/** The words of an area. The table is the same object in every language, so that whoever has it need not ask. */
export function spoken<A extends keyof German>(area: A, english: German[A]): German[A] {
  tables.set(area, english);
  return german ? Object.assign(english, german[area]) : english;
}
