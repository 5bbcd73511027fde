/** What commands say, in German, by the English that stands in the code. `{0}` is the first value. */
export const GERMAN = {
  // elwood status
  "Elwood is not running on {0}. Start it with: {1} up": "Elwood läuft nicht auf {0}. Starte es mit: {1} up",
  version: "Version",
  address: "Adresse",
  data: "Daten",
  "up for": "läuft",
  model: "Modell",
  runs: "Läufe",
  clients: "Clients",
  today: "heute",
  unknown: "unbekannt",
  "{0} (demo: scripted answers)": "{0} (Demo: vorbereitete Antworten)",
  "{0} active, {1} queued": "{0} aktiv, {1} eingereiht",
  ", {0} calls without a known price": ", {0} Aufrufe ohne bekannten Preis",
  "{0} of {1}": "{0} von {1}",
  // elwood open
  "Opened in your browser.": "In deinem Browser geöffnet.",
  "Open this link in a browser on this machine.": "Öffne diesen Link in einem Browser auf dieser Maschine.",
  "{0} It works once, within {1} min.": "{0} Er gilt einmal, {1} min lang.",
  "For your phone: point its camera at this. {0}": "Für dein Telefon: halte die Kamera darauf. {0}",
  "No phone can reach this address: Elwood listens on this machine alone. docs/remote.md says how to open it.":
    "Kein Telefon erreicht diese Adresse: Elwood lauscht nur auf dieser Maschine. docs/remote.md sagt, wie man es öffnet.",
  "From the machine you came from, first: {0}; then open it there.":
    "Auf der Maschine, von der du kommst, zuerst: {0}; dann öffne ihn dort.",
  // elwood undo
  "Nothing was undone.": "Nichts wurde rückgängig gemacht.",
  "Undone. {0}": "Rückgängig gemacht. {0}",
  "Not undone. {0}": "Nicht rückgängig gemacht. {0}",
  "Not undone: {0}. {1}": "Nicht rückgängig gemacht: {0}. {1}",
  "{0} of {1} were undone. The others are as they were.":
    "{0} von {1} wurden rückgängig gemacht. Die anderen sind, wie sie waren.",
  "“{0}” is undone already. The one before it:": "„{0}“ ist schon rückgängig gemacht. Davor:",
  "The last {0} of one request, the newest first:": "Die letzten {0} einer Anfrage, neueste zuerst:",
  "Undo all {0}? [y/N] ": "Alle {0} rückgängig machen? [y/N] ",
  "Undo {0}? {1}": "{0} rückgängig machen? {1}",
  "[y]es, [a]ll {0}, [n]o ": "[y] ja, [a] alle {0}, [n] nein ",
  "[y/N] ": "[y/N] ",
  // elwood logs
  "{0} lines came too fast to be shown here.": "{0} Zeilen kamen zu schnell, um hier gezeigt zu werden.",
  "Elwood is not running. These are the last lines of {0}":
    "Elwood läuft nicht. Das sind die letzten Zeilen von {0}",
  // elwood approvals
  "Nothing was ever asked.": "Es wurde noch nie gefragt.",
  "Nothing waits for you.": "Nichts wartet auf dich.",
  ID: "ID",
  RISK: "RISIKO",
  WHAT: "WAS",
  ASKED: "GEFRAGT",
  STATE: "STAND",
  question: "Frage",
  "Look at one with: {0} approvals show <id>": "Eines ansehen mit: {0} approvals show <id>",
  "Answer with: {0}": "Antworte mit: {0}",
  "Decide with: {0}": "Entscheide mit: {0}",
  Details: "Details",
  "Session: {0}, run {1}": "Sitzung: {0}, Lauf {1}",
  "All details: {0}": "Alle Details: {0}",
  "Allowed without asking: {0}. End that with: {1}": "Ohne Frage erlaubt: {0}. Beenden mit: {1}",
  "Too late: it was decided before. {0}": "Zu spät: es war schon entschieden. {0}",
  'Type "{0}" to allow it: ': "Tippe „{0}“, um es zu erlauben: ",
  // at a card
  "  a  allow this once": "  a  dieses Mal erlauben",
  "  e  edit it first, in your editor": "  e  vorher bearbeiten, in deinem Editor",
  "  d  deny it": "  d  ablehnen",
  "  n  deny it, and tell the assistant why": "  n  ablehnen und dem Assistenten sagen, warum",
  "  t  allow all {0} together": "  t  alle {0} zusammen erlauben",
  "  l  list all of this kind, then t allows them together":
    "  l  alle dieser Art auflisten, dann erlaubt t sie zusammen",
  "  x  deny all {0}": "  x  alle {0} ablehnen",
  "  ?  show everything that is known about it": "  ?  alles zeigen, was darüber bekannt ist",
  "Nothing is decided until you choose one of {0}.": "Nichts ist entschieden, bis du eines wählst: {0}.",
  "a, d and n": "a, d und n",
  "d and n": "d und n",
  // elwood backup
  "Wrote {0} ({1})": "{0} geschrieben ({1})",
  "Removed the older {0}.": "Die ältere {0} entfernt.",
  "Your keys, tokens and conversations are in it. Without the passphrase nobody can open it, you neither.":
    "Deine Schlüssel, Tokens und Gespräche sind darin. Ohne die Passphrase kann niemand sie öffnen, auch du nicht.",
  "Your keys, tokens and conversations are in it, in the clear: keep it where only you can read it, or add --encrypt.":
    "Deine Schlüssel, Tokens und Gespräche sind unverschlüsselt darin: bewahre sie auf, wo nur du sie lesen kannst, oder nimm --encrypt.",
  "There is no backup in {0}. Make one with: {1} backup create":
    "In {0} ist keine Sicherung. Lege eine an mit: {1} backup create",
  Made: "Angelegt",
  Size: "Größe",
  Encrypted: "Verschlüsselt",
  File: "Datei",
  yes: "ja",
  no: "nein",
  "The backup is whole: every file has the bytes that were written.":
    "Die Sicherung ist heil: jede Datei hat die Bytes, die geschrieben wurden.",
  "Put {0} in place of what is in {1}? What is there now is put aside, not deleted.":
    "{0} an die Stelle dessen setzen, was in {1} ist? Was jetzt dort ist, wird beiseitegelegt, nicht gelöscht.",
  "Restored into {0}": "Wiederhergestellt in {0}",
  "What was there before is in {0}; delete it once you do not need it.":
    "Was vorher da war, ist in {0}; lösche es, wenn du es nicht mehr brauchst.",
  "What was there before is in {0}.": "Was vorher da war, ist in {0}.",
  "Start it with: {0} up": "Starte es mit: {0} up",
  "Finished the restore of {0}.": "Die Wiederherstellung von {0} ist fertig.",
  "It could not be done now: {0}": "Jetzt ginge es nicht: {0}",
  // elwood service
  "Nothing was changed. It would be written to {0}": "Nichts wurde geändert. Geschrieben würde nach {0}",
  "Wrote {0}": "{0} geschrieben",
  "Elwood runs, and starts with the machine.": "Elwood läuft und startet mit der Maschine.",
  "Look at it with: {0} service status": "Ansehen mit: {0} service status",
  "Look at it with: {0} service status. Its log: {1}": "Ansehen mit: {0} service status. Sein Protokoll: {1}",
  "To let it run while you are logged out: {0}": "Damit es läuft, wenn du abgemeldet bist: {0}",
  "Elwood is not installed as a service. Install it with: {0} service install":
    "Elwood ist nicht als Dienst installiert. Installiere es mit: {0} service install",
  "The service is {0} ({1}).": "Der Dienst ist {0} ({1}).",
  "Stopped the service and removed {0}. The data in {1} was not touched.":
    "Den Dienst angehalten und {0} entfernt. Die Daten in {1} blieben unberührt.",
  "Made the user {0}, who cannot log in.": "Den Benutzer {0} angelegt, der sich nicht anmelden kann.",
  // elwood config
  "It does not exist yet; `{0} up` makes it.": "Sie existiert noch nicht; `{0} up` legt sie an.",
  "There is no configuration file; all defaults are fine.":
    "Es gibt keine Einstellungsdatei; alle Standardwerte sind in Ordnung.",
  "{0} is fine.": "{0} ist in Ordnung.",
  "Nothing was changed.": "Nichts wurde geändert.",
  "{0} is {1} now.": "{0} ist jetzt {1}.",
  " It counts with the next start.": " Es gilt ab dem nächsten Start.",
  "its default": "den Standardwert",
  "Change {0} from {1} to {2}? This lets more happen.":
    "{0} von {1} auf {2} ändern? Damit darf mehr geschehen.",
  // elwood doctor
  "Nothing is wrong.": "Es ist alles in Ordnung.",
  "1 error": "1 Fehler",
  "{0} errors": "{0} Fehler",
  "1 warning": "1 Warnung",
  "{0} warnings": "{0} Warnungen",
  "{0} doctor --fix mends one of them; it loses nothing.":
    "{0} doctor --fix behebt eines davon; dabei geht nichts verloren.",
  "{0} doctor --fix mends {1} of them; it loses nothing.":
    "{0} doctor --fix behebt {1} davon; dabei geht nichts verloren.",
  "Mended: {0}": "Behoben: {0}",
  "Could not mend: {0}, was the plan, but: {1}": "Nicht behoben: {0} war geplant, aber: {1}",
  // elwood up
  "Stopping.": "Hält an.",
  "chosen by you": "von dir gewählt",
  "key from {0}": "Schlüssel aus {0}",
  "{0} from {1}": "{0} aus {1}",
  "no {0}": "kein {0}",
  "Stopped at once. Unfinished runs are taken up at the next start.":
    "Sofort angehalten. Unfertige Läufe gehen beim nächsten Start weiter.",
  "only this machine can connect ({0})": "nur diese Maschine kann sich verbinden ({0})",
  "every machine that reaches {0} and has the token can connect":
    "jede Maschine, die {0} erreicht und das Token hat, kann sich verbinden",
  "database ready": "Datenbank bereit",
  "{0} tools ({1})": "{0} Werkzeuge ({1})",
  "{0} and those of 1 configured MCP server": "{0} und die eines eingerichteten MCP-Servers",
  "{0} and those of {1} configured MCP servers": "{0} und die von {1} eingerichteten MCP-Servern",
  "policy: {0}": "Regel: {0}",
  "demo model: scripted answers, no key needed, nothing leaves this machine":
    "Demo-Modell: vorbereitete Antworten, kein Schlüssel nötig, nichts verlässt diese Maschine",
  "took up 1 unfinished run": "1 unfertigen Lauf fortgesetzt",
  "took up {0} unfinished runs": "{0} unfertige Läufe fortgesetzt",
  "Open {0}": "Öffne {0}",
  "(one-time link, 10 min)": "(Link für einmal, 10 min)",
  'Ctrl+C stops it · {0} "hello" talks to it from a terminal · {0} open gives a new link':
    'Strg+C hält es an · {0} "hallo" spricht damit im Terminal · {0} open gibt einen neuen Link',
  // elwood "…"
  Starting: "Startet",
  Thinking: "Denkt nach",
  Writing: "Schreibt",
  "Waiting for the message before it": "Wartet auf die Nachricht davor",
  "Read the answer then with: {0} sessions show {1}": "Die Antwort zeigt dann: {0} sessions show {1}",
  "Waiting: {0} ahead in this session.": "Wartet: {0} davor in dieser Sitzung.",
  "Stopped. What was written by then is kept.": "Angehalten. Was bis dahin geschrieben war, bleibt.",
  "Demo model: scripted answers. Connect a real one with: {0}":
    "Demo-Modell: vorbereitete Antworten. Ein echtes verbinden mit: {0}",
  "The provider said: “{0}”": "Der Anbieter sagte: „{0}“",
  "Send it again with: {0}": "Noch einmal senden mit: {0}",
  "Decided elsewhere.": "Anderswo entschieden.",
  "Decided elsewhere: {0}": "Anderswo entschieden: {0}",
  "Nobody answered in time.": "Niemand hat rechtzeitig geantwortet.",
  "Answered elsewhere.": "Anderswo beantwortet.",
  "This runs instead:": "Stattdessen läuft dies:",
  "This will run instead:": "Stattdessen wird dies laufen:",
  "{0} approvals show {1}, then {0} approvals allow {1} or deny {1}":
    "{0} approvals show {1}, dann {0} approvals allow {1} oder deny {1}",
  "Waiting for you: {0}": "Wartet auf dich: {0}",
  "[a]llow": "[a] erlauben",
  "[e]dit": "[e] bearbeiten",
  "[d]eny [n]ote": "[d] ablehnen [n] mit Grund",
  "[t]ogether: allow all {0}": "[t] alle {0} erlauben",
  "[l]ist all {0}": "[l] alle {0} zeigen",
  "[x] deny all {0}": "[x] alle {0} ablehnen",
  "As you edited it:": "Wie du es bearbeitet hast:",
  "Several characters came at once, as if pasted. They decide nothing.":
    "Mehrere Zeichen kamen auf einmal, wie eingefügt. Sie entscheiden nichts.",
  "Other keys came with it, so nothing was allowed. Press {0} alone to allow it.":
    "Andere Tasten kamen mit; nichts wurde erlaubt. Drücke {0} allein, um es zu erlauben.",
  "Why not? The assistant is told: ": "Warum nicht? Der Assistent erfährt es: ",
  "No note, so nothing was decided.": "Kein Grund, also nichts entschieden.",
  "Nothing was decided here. {0}": "Hier wurde nichts entschieden. {0}",
  "{0} by now": "inzwischen {0}",
  "That is another word, so nothing was decided.": "Das ist ein anderes Wort; nichts wurde entschieden.",
  "It is as it was asked for again.": "Es ist wieder, wie es verlangt war.",
  "That cannot be read: {0} Nothing was changed.": "Das ist nicht lesbar: {0} Nichts wurde geändert.",
  "press n to deny it and say what you want instead":
    "drücke n, um es abzulehnen und zu sagen, was du stattdessen willst",
  "# What will run. Save and close to see it once more before you allow it.":
    "# Was laufen wird. Speichere und schließe, um es noch einmal zu sehen, bevor du es erlaubst.",
  "Undo: {0} undo": "Rückgängig machen: {0} undo",
  "Nothing was decided. It waits for you: {0}": "Nichts wurde entschieden. Es wartet auf dich: {0}",
} as const satisfies Readonly<Record<string, string>>;
