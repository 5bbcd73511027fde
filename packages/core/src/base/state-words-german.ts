import type { APPROVAL_WORDS, BLOCKED_WORD, CALL_STATE_WORDS, RISK_WORDS, RUN_WORDS } from "./state-words.ts";

type WordsOf<T extends Readonly<Record<string, { readonly word: string }>>> = T[keyof T]["word"];

/** The states' words in German, by the English ones, for every surface that speaks it. One that is missing does not compile. */
export const GERMAN_STATES: Readonly<
  Record<
    | WordsOf<typeof CALL_STATE_WORDS>
    | WordsOf<typeof RUN_WORDS>
    | WordsOf<typeof APPROVAL_WORDS>
    | WordsOf<typeof RISK_WORDS>
    | (typeof BLOCKED_WORD)["word"],
    string
  >
> = {
  done: "erledigt",
  failed: "fehlgeschlagen",
  denied: "abgelehnt",
  "blocked by a rule": "durch eine Regel gesperrt",
  "changed since it was allowed": "nach der Erlaubnis geändert",
  expired: "abgelaufen",
  "waiting for you": "wartet auf dich",
  unknown: "unbekannt",
  running: "läuft",
  queued: "eingereiht",
  cancelled: "abgebrochen",
  refused: "zurückgewiesen",
  undone: "rückgängig gemacht",
  approved: "freigegeben",
  read: "liest",
  write: "ändert",
  destructive: "zerstört",
};

export const GERMAN_POLICY: Readonly<Record<string, string>> = {
  balanced: "Fragt, wenn du es nicht gesagt hast",
  strict: "Fragt vor jeder Änderung",
  trusting: "Fragt bei allem, was sich nicht rückgängig machen lässt",
};
