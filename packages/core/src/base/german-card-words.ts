import type { SpokenSentence } from "./sentences.ts";

/** What stands on cards beside sentences: what the owner says that a tool of an MCP server does, what follows from it, and sizes. */
export const GERMAN_CARD_WORDS: readonly SpokenSentence[] = [
  [/^Allow; this tool only reads$/, "Erlauben; dieses Werkzeug liest nur"],
  [/^Allow; this tool changes things$/, "Erlauben; dieses Werkzeug ändert etwas"],
  [/^Allow; this tool sends things out$/, "Erlauben; dieses Werkzeug sendet etwas"],
  [/^runs without asking from now on$/, "läuft ab jetzt ohne Frage"],
  [/^asks unless you asked for it from now on$/, "fragt ab jetzt, wenn du es nicht verlangt hast"],
  [
    /^asks unless you named who gets what from now on$/,
    "fragt ab jetzt, wenn du nicht gesagt hast, wer was bekommt",
  ],
  [/^1 line out$/, "1 Zeile weg"],
  [/^(\d+) lines out$/, "$1 Zeilen weg"],
  [/^1 line out, (\d+) in$/, "1 Zeile weg, $1 dazu"],
  [/^1 byte$/, "1 Byte"],
  [/^(\d+) bytes$/, "$1 Bytes"],
  [/^its server says so$/, "so sagt es sein Server"],
  [/^only reads$/, "liest nur"],
  [/^changes things$/, "ändert etwas"],
  [/^sends things out$/, "sendet etwas"],
  [/^runs without asking$/, "läuft ohne Frage"],
  [/^asks unless you asked for it$/, "fragt, wenn du es nicht verlangt hast"],
  [/^asks unless you named who gets what$/, "fragt, wenn du nicht gesagt hast, wer was bekommt"],
];
