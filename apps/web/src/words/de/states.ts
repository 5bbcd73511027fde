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

/** By the English words, as `core` has them. */
export const states: Readonly<Record<string, string>> = {
  ...GERMAN_STATES,
  ...PAGE_STATES,
  ...Object.fromEntries(
    Object.entries(POLICY_WORDS).map(([mode, words]) => [words, GERMAN_POLICY[mode] ?? words]),
  ),
};
