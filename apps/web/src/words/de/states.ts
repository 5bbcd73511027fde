import { POLICY_WORDS } from "@elwood/core/base/state-words";
import { GERMAN_POLICY, GERMAN_STATES } from "@elwood/core/base/state-words-german";

/** States that only the page tells of. */
const PAGE_STATES = {
  OK: "in Ordnung",
  note: "Hinweis",
  warning: "Warnung",
  broken: "defekt",
  answered: "beantwortet",
  edited: "bearbeitet",
  on: "an",
  off: "aus",
  paused: "angehalten",
  over: "vorbei",
  due: "fällig",
  missed: "verpasst",
  skipped: "übersprungen",
  ready: "bereit",
  starting: "startet",
  written: "geschrieben",
  moved: "verschoben",
  deleted: "gelöscht",
  attached: "angehängt",
  connected: "verbunden",
  connecting: "verbindet",
};

/** What stands under Details of a card, and where it leads. */
const DETAILS = {
  Tool: "Werkzeug",
  "Full path": "Ganzer Pfad",
  Why: "Warum",
  Rule: "Regel",
  "Read before": "Davor gelesen",
  "Asked on": "Gefragt über",
  Approval: "Freigabe",
  Call: "Aufruf",
  Digest: "Prüfsumme",
  conversation: "Gespräch",
  run: "Lauf",
  receipts: "Belege",
};

/** By the English words, as `core` has them. */
export const states: Readonly<Record<string, string>> = {
  ...GERMAN_STATES,
  ...PAGE_STATES,
  ...DETAILS,
  ...Object.fromEntries(
    Object.entries(POLICY_WORDS).map(([mode, words]) => [words, GERMAN_POLICY[mode] ?? words]),
  ),
};
