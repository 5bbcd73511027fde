import type { SpokenSentence } from "@elwood/core/base/sentences";

/** What the gateway and failures say in the terminal alone: the page does not carry it. `core` has what both show. */
export const GERMAN_CLI_SENTENCES: readonly SpokenSentence[] = [
  [/^Allow; this tool only reads$/, "Erlauben; dieses Werkzeug liest nur"],
  [/^Allow; this tool changes things$/, "Erlauben; dieses Werkzeug ändert etwas"],
  [/^Allow; this tool sends things out$/, "Erlauben; dieses Werkzeug sendet etwas"],
  [/^runs without asking from now on$/, "läuft ab jetzt ohne Frage"],
  [/^asks unless you asked for it from now on$/, "fragt ab jetzt, wenn du es nicht verlangt hast"],
  [
    /^asks unless you named who gets what from now on$/,
    "fragt ab jetzt, wenn du nicht gesagt hast, wer was bekommt",
  ],
  [/^its server says so$/, "so sagt es sein Server"],
  [
    /^(.+), in the job “(.+)” as it is now, until you revoke it$/,
    "@1, im Auftrag „$2“, wie er jetzt ist, bis du es widerrufst",
  ],
  [/^(.+), until you revoke it$/, "@1, bis du es widerrufst"],
  [/^(.+), in this session, for (.+)$/, "@1, in dieser Sitzung, für @2"],
  [
    /^The last (\d+) (?:is|are) not yet under a signature: a change there could not be seen\.$/,
    "Die letzten $1 sind noch nicht signiert: Eine Änderung dort wäre nicht zu sehen.",
  ],
  [/^The receipts could not be read\.$/, "Die Belege ließen sich nicht lesen."],
  [
    /^It changes something, and nothing that you typed asks for it\.$/,
    "Es ändert etwas, und nichts, was du getippt hast, verlangt es.",
  ],
  [
    /^It changes something, and in the mode (\w+) every such call asks\.$/,
    "Es ändert etwas, und im Modus $1 fragt jeder solche Aufruf.",
  ],
  [/^Destructive calls always ask\.$/, "Was zerstört, fragt immer."],
  [
    /^The tool itself wants to be asked about every call\.$/,
    "Das Werkzeug selbst will bei jedem Aufruf gefragt werden.",
  ],
  [
    /^The tool is new: you have not said yet that it may be used unasked\.$/,
    "Das Werkzeug ist neu: Du hast noch nicht gesagt, dass es ohne Frage laufen darf.",
  ],
  [/^You asked for it yourself( \(.+\))?\.$/, "Du hast es selbst verlangt$1."],
  [/^You agreed to an offer that named it\.$/, "Du hast einem Angebot zugestimmt, das es nannte."],
  [/^(.+) was open to other users\.$/, "$1 war für andere Benutzer offen."],
  [/^It was closed \((\d+)\)\.$/, "Es wurde geschlossen ($1)."],
  [/^just now$/, "gerade eben"],
  [/^1 day ago$/, "vor 1 Tag"],
  [/^The last call that can be undone is (.+)\.$/, "Als Letztes lässt sich rückgängig machen: $1."],
  [
    /^Undo it with: (.+) It is the last of (\d+) made for one request; undo all of them with: (.+)$/,
    "Rückgängig machen mit: $1 Es ist der letzte von $2 zu einer Anfrage; alle rückgängig machen mit: $3",
  ],
  [/^Undo it with: (.+)$/, "Rückgängig machen mit: $1"],
  [
    /^There is nothing to undo: no call that can be undone was made lately\.$/,
    "Es gibt nichts rückgängig zu machen: In letzter Zeit gab es keinen Aufruf, bei dem es geht.",
  ],
  [/^Any other server needs an address: (.+)$/, "Jeder andere Server braucht eine Adresse: $1"],
  [/^No call waits for you\.$/, "Kein Aufruf wartet auf dich."],
  [/^There is nothing to send\.$/, "Es gibt nichts zu senden."],
  [/^Write it after the command: (.+)$/, "Schreibe es hinter den Befehl: $1"],
  [
    /^Elwood is not running on (.+), so there is no page to open\.$/,
    "Elwood läuft nicht auf $1, also gibt es keine Seite zu öffnen.",
  ],
  [/^Start it with: (.+)$/, "Starte es mit: $1"],
];

/** Parts of sentences, wherever `@` asks for them. */
export const GERMAN_CLI_PIECES: readonly SpokenSentence[] = [
  [/^write anything in (.+)$/, "alles in $1 schreiben"],
  [/^edit anything in (.+)$/, "alles in $1 ändern"],
  [/^an hour$/, "eine Stunde"],
  [/^(\d+) hours$/, "$1 Stunden"],
  [/^a minute$/, "eine Minute"],
  [/^(\d+) minutes$/, "$1 Minuten"],
];
