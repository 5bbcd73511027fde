import { GERMAN_CARD_WORDS } from "@elwood/core/base/german-card-words";
import type { SpokenSentence } from "@elwood/core/base/sentences";

/** What the gateway and failures say in the terminal alone: the page does not carry it. `core` has what both show. */
export const GERMAN_CLI_SENTENCES: readonly SpokenSentence[] = [
  ...GERMAN_CARD_WORDS,
  [
    /^(\S+) is a shell: it runs whatever its text says, so it asks every time\.$/,
    "$1 ist eine Shell: Sie führt aus, was ihr Text sagt, und fragt deshalb jedes Mal.",
  ],
  [
    /^(\S+) can run other programs, so it asks every time\.$/,
    "$1 kann andere Programme ausführen und fragt deshalb jedes Mal.",
  ],
  [
    /^(\S+) runs whatever program it is given, so it asks every time\.$/,
    "$1 führt jedes Programm aus, das es bekommt, und fragt deshalb jedes Mal.",
  ],
  [
    /^(\S+) runs what files of the project tell it to, so it asks every time\.$/,
    "$1 führt aus, was Dateien des Projekts ihm sagen, und fragt deshalb jedes Mal.",
  ],
  [/^(.+), so it asks every time\.$/, "$1; deshalb fragt es jedes Mal."],
  [/^Your rule at (\S+) allows every tool\.$/, "Deine Regel bei $1 erlaubt jedes Werkzeug."],
  [/^Your rule at (\S+) asks for every tool\.$/, "Deine Regel bei $1 fragt bei jedem Werkzeug."],
  [/^Your rule at (\S+) denies every tool\.$/, "Deine Regel bei $1 verbietet jedes Werkzeug."],
  [/^Your rule at (\S+) allows (.+)\.$/, "Deine Regel bei $1 erlaubt $2."],
  [/^Your rule at (\S+) asks for (.+)\.$/, "Deine Regel bei $1 fragt bei $2."],
  [/^Your rule at (\S+) denies (.+)\.$/, "Deine Regel bei $1 verbietet $2."],
  [/^Your rule at (.+)\.$/, "Deine Regel bei $1."],
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
