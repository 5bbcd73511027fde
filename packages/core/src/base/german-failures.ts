/**
 * What the gateway's failures and the doctor's findings say, in German, by the English that stands in the code; `{0}` is the first value. What
 * only a terminal shows is in `apps/cli/src/words/german-failures.ts`. `apps/cli/src/words/said-sentences.test.ts` reads the code
 * and says which sentences are in no table, and which of a table nobody says any more.
 */
export const GERMAN_FAILURES: Readonly<Record<string, string>> = {
  // Why a call asks, or is denied.
  "It only reads, and carries nothing out.": "Es liest nur und trägt nichts hinaus.",
  "Destructive calls always ask.": "Was zerstört, fragt immer.",
  "It changes something, and nothing that you typed asks for it.":
    "Es ändert etwas, und nichts, was du getippt hast, verlangt es.",
  "It changes something outside this machine, and nothing that you typed asks for it.":
    "Es ändert etwas außerhalb dieses Rechners, und nichts, was du getippt hast, verlangt es.",
  "It carries something out of this machine, and nothing that you typed asks for it.":
    "Es trägt etwas aus diesem Rechner hinaus, und nichts, was du getippt hast, verlangt es.",
  "Commands that need a shell always ask; this one has {0}.":
    "Befehle, die eine Shell brauchen, fragen immer; dieser hat {0}.",
  "It runs what it downloads, unseen.": "Es führt ungesehen aus, was es herunterlädt.",
  "It deletes everything under the root, your home or the folder it runs in.":
    "Es löscht alles unter der Wurzel, deinem Zuhause oder dem Ordner, in dem es läuft.",
  "Elwood's own files are never the target of a command.":
    "Elwoods eigene Dateien sind nie das Ziel eines Befehls.",
  "The path is outside of the folders that Elwood may use: {0}.":
    "Der Pfad liegt außerhalb der Ordner, die Elwood benutzen darf: {0}.",
  "Elwood's own files are never the target of a tool.":
    "Elwoods eigene Dateien sind nie das Ziel eines Werkzeugs.",
  // What was and was not done.
  "Nothing was written.": "Nichts wurde geschrieben.",
  "Nothing was stored.": "Nichts wurde gespeichert.",
  "Nothing was read.": "Nichts wurde gelesen.",
  "Nothing was read or stored.": "Nichts wurde gelesen oder gespeichert.",
  "Nothing was forgotten.": "Nichts wurde vergessen.",
  "Nothing was allowed.": "Nichts wurde erlaubt.",
  "Nothing was imported.": "Nichts wurde übernommen.",
  "Nothing was run.": "Nichts wurde ausgeführt.",
  "Nothing was granted.": "Nichts wurde freigegeben.",
  "Nothing was removed.": "Nichts wurde entfernt.",
  "Nothing was rehearsed.": "Nichts wurde geprobt.",
  "Nothing was kept.": "Nichts wurde behalten.",
  "Nothing was started.": "Nichts wurde gestartet.",
  "Nothing was added.": "Nichts wurde hinzugefügt.",
  "Nothing was asked.": "Nichts wurde gefragt.",
  "Nothing was registered.": "Nichts wurde angemeldet.",
  "Nobody was let in.": "Niemand wurde zugelassen.",
  "No token was made.": "Kein Token wurde erstellt.",
  "No session was created.": "Keine Sitzung wurde angelegt.",
  "No model was asked.": "Kein Modell wurde gefragt.",
  "Your message was not sent.": "Deine Nachricht wurde nicht gesendet.",
  "The message was not accepted.": "Die Nachricht wurde nicht angenommen.",
  "The request was stopped.": "Die Anfrage wurde angehalten.",
  "The repeated call did not run.": "Der wiederholte Aufruf wurde nicht ausgeführt.",
  "It was left as it is.": "Es bleibt, wie es ist.",
  "It was not stored.": "Sie wurde nicht gespeichert.",
  "It was not changed.": "Er wurde nicht geändert.",
  "What was there before is unchanged.": "Was vorher da war, ist unverändert.",
  "Nothing was changed; try again.": "Nichts wurde geändert; versuche es noch einmal.",
  "Nothing was changed; choose another name.": "Nichts wurde geändert; wähle einen anderen Namen.",
  "Nothing was changed; stop it, or wait for its end.":
    "Nichts wurde geändert; halte es an, oder warte, bis es fertig ist.",
  "Nothing was saved; look at it again first.": "Nichts wurde gespeichert; sieh erst noch einmal nach.",
  "Nothing was saved; forget the note to remove it.":
    "Nichts wurde gespeichert; um die Notiz zu entfernen, lass sie vergessen.",
  "Nothing was sent; try again later.": "Nichts wurde gesendet; versuche es später noch einmal.",
  "Nothing was sent; try again when they have ended.":
    "Nichts wurde gesendet; versuche es noch einmal, wenn sie fertig sind.",
  "Nothing was sent; go on in a branch.": "Nichts wurde gesendet; mach in einem Zweig weiter.",
  "Nothing was sent; use a new key.": "Nichts wurde gesendet; nimm einen neuen Schlüssel.",
  "Nothing was stored; give it one.": "Nichts wurde gespeichert; gib ihm einen Namen.",
  "Nothing was stored; give another one.": "Nichts wurde gespeichert; nenne eine andere Zeit.",
  "Nothing was forgotten; look again first.": "Nichts wurde vergessen; sieh erst noch einmal nach.",
  "Nothing was forgotten; look at the note again.":
    "Nichts wurde vergessen; sieh dir die Notiz noch einmal an.",
  "Nothing was allowed; look at the last one.": "Nichts wurde erlaubt; sieh dir die letzte an.",
  "Nothing was copied; stop it, or wait for its end.":
    "Nichts wurde kopiert; halte es an, oder warte, bis es fertig ist.",
  "Nothing was done again; say first what became of that one.":
    "Nichts wurde noch einmal getan; sage zuerst, was daraus wurde.",
  "Nothing was imported; try again.": "Nichts wurde übernommen; versuche es noch einmal.",
  "This one was not made; try again in a moment.": "Diese fand nicht statt; versuche es gleich noch einmal.",
  "This one was not taken; try again later.": "Diese wurde nicht angenommen; versuche es später noch einmal.",
  "Try again later.": "Versuche es später noch einmal.",
  "Try again in {0} s.": "Versuche es in {0} s noch einmal.",
  "Try again; if it is refused again, run: elwood doctor":
    "Versuche es noch einmal; wenn es wieder nicht geht, hilft: elwood doctor",
  "Free some space and try again.": "Schaffe Platz und versuche es noch einmal.",
  "Free some space on the disk, then send it again.":
    "Schaffe Platz auf der Festplatte und sende sie dann noch einmal.",
  "Look at it again, then decide.": "Sieh es dir noch einmal an und entscheide dann.",
  "Look at them again, then decide.": "Sieh sie dir noch einmal an und entscheide dann.",
  "Choose another name.": "Wähle einen anderen Namen.",
  "Attach it again.": "Hänge sie noch einmal an.",
  "Copy it again.": "Kopiere es noch einmal.",
  "Begin again.": "Fange noch einmal an.",
  "Ask for a new one.": "Hole dir eine neue.",
  "There are {0}.": "Es gibt {0}.",
  "Did you mean {0}?": "Meintest du {0}?",
  "Nothing was sent, and nothing is lost.": "Nichts wurde gesendet, und nichts ist verloren.",
  "Nothing was sent to the model.": "Dem Modell wurde nichts gesendet.",
  "The answer is not given out.": "Die Antwort wird nicht herausgegeben.",
  "The place to go on from (`before`) is not one that Elwood gave out.":
    "Die Stelle, ab der es weitergehen soll (`before`), kommt nicht von Elwood.",
  "Leave it out to start from the newest.": "Lass sie weg, um beim Neuesten zu beginnen.",
  'Leave "before" out for the newest messages.':
    "Lass „before“ weg, um die neuesten Nachrichten zu bekommen.",
  "The scripted model broke down: {0}": "Das vorbereitete Modell ist gescheitert: {0}",
  "The model's answer did not fit the schema, nor did its second try: {0}":
    "Die Antwort des Modells passte nicht zum Schema, auch nicht beim zweiten Versuch: {0}",
  "Nothing of it is given out.": "Nichts davon wird herausgegeben.",
  "The model's answer ended without an end.": "Die Antwort des Modells brach ab.",
  "It said: {0}": "Es sagte: {0}",
  "See the ones there are: elwood actions list": "Welche es gibt, zeigt: elwood actions list",
  "See them with: elwood mcp list": "Welche es gibt, zeigt: elwood mcp list",
  "See which can be: elwood config list": "Welche es gibt, zeigt: elwood config list",
  "The owner can raise tenants.{0}.costCapUsd.{1}.": "Der Besitzer kann tenants.{0}.costCapUsd.{1} erhöhen.",
  "To replace it, key included: elwood auth {0} --replace":
    "Um es samt Schlüssel zu ersetzen: elwood auth {0} --replace",
  "Remove that first if it is no longer needed: elwood auth list":
    "Entferne das zuerst, wenn es nicht mehr gebraucht wird: elwood auth list",
  "A key for {0} comes from {1}": "Ein Schlüssel für {0} kommt von {1}",
  "No key for {0} can be used now: {1}.": "Für {0} ist gerade kein Schlüssel brauchbar: {1}.",
  // The disk and the database.
  "The disk is full.": "Die Festplatte ist voll.",
  "The state directory is not writable.": "In den Datenordner kann nicht geschrieben werden.",
  "Check that it belongs to you.": "Prüfe, ob er dir gehört.",
  "Try again; check the disk if it repeats.":
    "Versuche es noch einmal; kommt es wieder, prüfe die Festplatte.",
  "{0} may not be written by this user.": "{0} darf dieser Benutzer nicht schreiben.",
  "{0} lies on a read-only disk.": "{0} liegt auf einem Datenträger, der nur gelesen werden kann.",
  "{0} cannot be made: a part of that path is not a folder.":
    "{0} lässt sich nicht anlegen: Ein Teil des Pfads ist kein Ordner.",
  "The disk is full: {0} could not be written.":
    "Die Festplatte ist voll: {0} konnte nicht geschrieben werden.",
  "{0} could not be written ({1}).": "{0} konnte nicht geschrieben werden ({1}).",
  "{0} cannot be read from the database (elwood.db): {1}.":
    "{0} lässt sich nicht aus der Datenbank (elwood.db) lesen: {1}.",
  'Look at it with "elwood doctor", or put a backup of elwood.db back.':
    "Prüfe sie mit „elwood doctor“, oder spiele eine Sicherung von elwood.db zurück.",
  "Elwood is stopping and has closed its database.": "Elwood hält an und hat seine Datenbank geschlossen.",
  "It would contradict what is already stored.": "Es widerspräche dem, was schon gespeichert ist.",
  "A message is too large to be kept in a transcript.":
    "Eine Nachricht ist zu groß, um gespeichert zu werden.",
  "A secret of this call is no longer in the vault, so the call cannot be made.":
    "Ein Geheimnis dieses Aufrufs ist nicht mehr da; er kann nicht ausgeführt werden.",
  "{0}, which keeps the secrets of a call, is damaged.":
    "{0} ist beschädigt; darin stehen die Geheimnisse eines Aufrufs.",
  "It was left as it is, and the call was not made.":
    "Die Datei bleibt, wie sie ist, und der Aufruf wurde nicht ausgeführt.",
  "Remove the file and ask for the call again.": "Entferne die Datei und bitte noch einmal um den Aufruf.",
  "An earlier answer of this session could not be stored yet, so this message was not begun.":
    "Eine frühere Antwort dieser Sitzung ist noch nicht gespeichert; diese Nachricht wurde nicht begonnen.",
  // Files.
  "A file may have at most {0} MB.": "Eine Datei darf höchstens {0} MB haben.",
  "This file is missing on disk or damaged, so it is not handed out.":
    "Diese Datei fehlt auf der Festplatte oder ist beschädigt und wird nicht herausgegeben.",
  "The file is empty.": "Die Datei ist leer.",
  "There is no such stored file.": "Eine solche Datei ist nicht gespeichert.",
  "There is no stored file {0}.": "Diese Datei ist nicht gespeichert ({0}).",
  "It is not there any more: it was moved, renamed or deleted since.":
    "Sie ist nicht mehr da: Sie wurde seither verschoben, umbenannt oder gelöscht.",
  "Elwood is writing.": "Elwood schreibt.",
  "Reply ready.": "Die Antwort ist da.",
  "The reply failed.": "Die Antwort ist gescheitert.",
  "Approval needed.": "Deine Freigabe ist gefragt.",
  "Your message was not sent; upload the file again.":
    "Deine Nachricht wurde nicht gesendet; lade die Datei noch einmal hoch.",
  "This address was used before or is older than a minute.":
    "Diese Adresse wurde schon benutzt oder ist älter als eine Minute.",
  // Receipts.
  "Receipt {0} was changed and cannot be read.": "Beleg {0} wurde verändert und ist nicht lesbar.",
  "Run: elwood receipts verify": "Prüfe mit: elwood receipts verify",
  "There is no receipt {0}.": "Den Beleg {0} gibt es nicht.",
  "Receipt {0} is not under a signature yet, so there is nothing to prove it with.":
    "Beleg {0} ist noch nicht unterschrieben; es gibt nichts, womit er sich beweisen ließe.",
  "Signatures are made when a run ends and at the latest after ten minutes; try again then.":
    "Unterschrieben wird, wenn ein Lauf endet, spätestens nach zehn Minuten; versuche es dann noch einmal.",
  "Receipts are missing, so nothing can be proven.": "Es fehlen Belege; so lässt sich nichts beweisen.",
  "The key of the receipts cannot be changed now.":
    "Der Schlüssel der Belege lässt sich gerade nicht wechseln.",
  "The key signs the receipts of {0} too, which would no longer verify.":
    "Der Schlüssel unterschreibt auch die Belege von {0}; die wären dann nicht mehr zu prüfen.",
  "The receipts could not be signed first, so their key was not changed.":
    "Die Belege konnten vorher nicht unterschrieben werden; ihr Schlüssel wurde nicht gewechselt.",
  "The checkpoint cannot be read: {0}.": "Der Prüfpunkt ist nicht lesbar: {0}.",
  "The receipts are signed, but the public key is missing (keys/receipts.pub), so they cannot be checked.":
    "Die Belege sind unterschrieben, aber der öffentliche Schlüssel fehlt (keys/receipts.pub); sie lassen sich nicht prüfen.",
  // Memory.
  "Name a note, or a source and its lines.": "Nenne eine Notiz, oder eine Quelle und ihre Zeilen.",
  "Nothing is known of {0} there.": "Von {0} ist dort nichts bekannt.",
  "Nothing is known of {0}, line {1}.": "Von {0}, Zeile {1}, ist nichts bekannt.",
  "A note without words is none.": "Eine Notiz ohne Worte ist keine.",
  "The note {0} {1}.": "Mit der Notiz {0} geht das nicht: {1}.",
  "Memory is turned off, or its index cannot be opened; elwood doctor says more.":
    "Das Gedächtnis ist ausgeschaltet, oder sein Index lässt sich nicht öffnen; elwood doctor sagt mehr.",
  "There are {0} things to forget now, not {1}.": "Zu vergessen sind jetzt {0} Stellen, nicht {1}.",
  "{0} has no line {1}.": "{0} hat keine Zeile {1}.",
  "A word needs at least {0} characters; shorter ones stand everywhere.":
    "Ein Wort braucht mindestens {0} Zeichen; kürzere stehen überall.",
  "A word or phrase may have at most {0} characters.": "Ein Wort oder Satz darf höchstens {0} Zeichen haben.",
  "Line {0} of the note {1} does not say that (any more).":
    "In Zeile {0} der Notiz {1} steht das nicht (mehr).",
  "The session {0} has no line {1}.": "Diese Sitzung hat keine Zeile {1} ({0}).",
  "There is no such message in this session.": "Eine solche Nachricht gibt es in dieser Sitzung nicht.",
  "That was forgotten before.": "Das wurde schon vergessen.",
  "Nothing is left to forget.": "Es gibt nichts mehr zu vergessen.",
  "Something is going on in {0}, which holds it.": "In {0} ist noch etwas im Gang, und dort steht es.",
  "Wait until it is over, or stop it, then try again.":
    "Warte, bis es vorbei ist, oder halte es an, und versuche es dann noch einmal.",
  "The note {0} would be {1} bytes long, and {2} are the limit.":
    "Die Notiz {0} wäre {1} Bytes lang; die Grenze sind {2}.",
  "Shorten it, or put a part of it into another note.":
    "Kürze sie, oder lege einen Teil davon in eine andere Notiz.",
  "The note {0} is too long to be changed by Elwood.":
    "Die Notiz {0} ist zu lang, um von Elwood geändert zu werden.",
  "There are {0} notes, which is the limit.": "Es gibt schon {0} Notizen, mehr gehen nicht.",
  "Add to a note that exists, or forget one first.":
    "Ergänze eine, die es gibt, oder lass zuerst eine vergessen.",
  "Too many searches of memory wait already.": "Es warten schon zu viele Suchen im Gedächtnis.",
  "The search of memory took too long and was given up.":
    "Die Suche im Gedächtnis dauerte zu lange und wurde abgebrochen.",
  "Ask with fewer words.": "Suche mit weniger Worten.",
  "The search of memory broke off twice.": "Die Suche im Gedächtnis brach zweimal ab.",
  "The search of memory was not made: Elwood is stopping, or the index was replaced.":
    "Es wurde nicht im Gedächtnis gesucht: Elwood hält an, oder der Index wurde ersetzt.",
  "{0} makes no embeddings.": "{0} erzeugt keine Embeddings.",
  "Name another in memory.embeddings.model.": "Nenne ein anderes Modell in memory.embeddings.model.",
  // Models, their servers and keys.
  "{0} answers, but lists no model.": "{0} antwortet, nennt aber kein Modell.",
  "Load a model there, or name one.": "Lade dort ein Modell, oder nenne eines.",
  "{0} did not answer within {1} s.": "{0} hat innerhalb von {1} s nicht geantwortet.",
  "{0} did not answer just now.": "{0} hat gerade nicht geantwortet.",
  "The answer ended without saying so.": "Die Antwort brach ab.",
  "Known providers are {0}.": "Bekannte Anbieter sind {0}.",
  "There is one demo model, {0}.": "Es gibt nur ein Demo-Modell, {0}.",
  "The provider {0} has no address.": "Der Anbieter {0} hat keine Adresse.",
  "Set providers.{0}.baseUrl in config.yaml.": "Setze providers.{0}.baseUrl in config.yaml.",
  "{0} needs a key for {1}, and none is set.":
    "{0} braucht einen Schlüssel für {1}, und keiner ist hinterlegt.",
  "Or set the variable {0}, or ask the demo model: -m demo":
    "Oder setze die Variable {0}, oder frage das Demo-Modell: -m demo",
  "{0} refused to renew the access.": "{0} hat den Zugang nicht verlängert.",
  "Log in there again.": "Melde dich dort noch einmal an.",
  "The access could not be renewed: {0} gave no usable answer.":
    "Der Zugang konnte nicht verlängert werden: {0} gab keine brauchbare Antwort.",
  "{0} may not be asked here.": "{0} darf hier nicht gefragt werden.",
  "The model had not answered after {0} s, the longest it may take here.":
    "Das Modell hatte nach {0} s nicht geantwortet; länger darf es hier nicht dauern.",
  "The request was stopped before its turn came.":
    "Die Anfrage wurde angehalten, bevor sie an der Reihe war.",
  "{0} requests a minute are allowed here.": "Hier sind {0} Anfragen pro Minute erlaubt.",
  "{0} requests already wait here.": "Hier warten schon {0} Anfragen.",
  "The model answered with a picture, which actions do not take.":
    "Das Modell antwortete mit einem Bild; das nehmen Aktionen nicht.",
  "Elwood does not know where {0} is.": "Elwood weiß nicht, wo {0} zu erreichen ist.",
  "Say it with: elwood auth {0} --base-url https://…": "Sage es mit: elwood auth {0} --base-url https://…",
  "demo is the name of the demo model.": "demo heißt schon das Demo-Modell.",
  "{0} is there already ({1}{2}).": "{0} gibt es schon ({1}{2}).",
  "Nothing was saved, and it was not changed.": "Nichts wurde gespeichert und nichts geändert.",
  "There are {0} stored keys already.": "Es sind schon {0} Schlüssel gespeichert.",
  "Remove one first: elwood auth list": "Entferne zuerst einen: elwood auth list",
  "{0} comes from the environment, and Elwood cannot change that.":
    "{0} kommt aus der Umgebung, und die kann Elwood nicht ändern.",
  "There is no stored key {0}.": "Ein Schlüssel {0} ist nicht gespeichert.",
  "See the ones there are: elwood auth list": "Welche es gibt, zeigt: elwood auth list",
  "It was left as it is, and no key in it was used or changed.":
    "Die Datei bleibt, wie sie ist; kein Schlüssel darin wurde benutzt oder geändert.",
  "Repair it, or move it away and add your keys again with: elwood auth anthropic":
    "Repariere sie, oder lege sie beiseite und gib deine Schlüssel neu ein: elwood auth anthropic",
  "Another Elwood process is changing the stored keys and does not finish.":
    "Ein anderer Elwood-Prozess ändert gerade die gespeicherten Schlüssel und wird nicht fertig.",
  '"{0}" is not {1}: lower-case letters, digits, - and _ only.':
    "„{0}“ geht hier nicht ({1}): nur Kleinbuchstaben, Ziffern, - und _.",
  "The base URL {0}.": "Mit der Adresse stimmt etwas nicht: {0}.",
  "That is a line of a shell script.": "Das ist eine Zeile aus einem Shell-Skript.",
  "Paste only the key itself.": "Füge nur den Schlüssel selbst ein.",
  "That is a token of a Claude subscription, not a key of the {0} API.":
    "Das ist ein Token eines Claude-Abos, kein Schlüssel der API von {0}.",
  "If you want to use it: elwood auth anthropic setup-token":
    "Wenn du es benutzen willst: elwood auth anthropic setup-token",
  "That is an API key, not a setup token.": "Das ist ein API-Schlüssel, kein Setup-Token.",
  "Store it with: elwood auth anthropic": "Hinterlege ihn mit: elwood auth anthropic",
  "That does not look like a setup token: those begin with sk-ant-oat01- and are about a hundred characters long.":
    "Das sieht nicht nach einem Setup-Token aus: Die beginnen mit sk-ant-oat01- und sind etwa hundert Zeichen lang.",
  "Run `claude setup-token` and copy the whole line.":
    "Führe „claude setup-token“ aus und kopiere die ganze Zeile.",
  "No key for {0} is set.": "Für {0} ist kein Schlüssel hinterlegt.",
  "Add one with: {0} (or set {1}).": "Hinterlege einen mit: {0} (oder setze {1}).",
  "The profile {0} was chosen to pay, and it is of {1}, while the model is of {2}.":
    "Bezahlen soll das Profil {0}, aber es gehört zu {1}, das Modell zu {2}.",
  "Choose a model or a profile that fits.": "Wähle ein Modell oder Profil, das dazu passt.",
  "The profile {0} that this session asks for is not there.":
    "Das Profil {0}, das diese Sitzung verlangt, gibt es nicht.",
  "Wait, or add another: elwood auth {0} --name second":
    "Warte, oder hinterlege einen weiteren: elwood auth {0} --name second",
  "The configuration names the model (model: {0}), and it has the last word.":
    "Das Modell steht in den Einstellungen (model: {0}), und die haben das letzte Wort.",
  "Take that line out, or change it there.": "Nimm die Zeile dort heraus, oder ändere sie.",
  // The connection and the login.
  "The gateway at {0} did not answer in time.": "Das Gateway unter {0} hat nicht rechtzeitig geantwortet.",
  "The connection to the gateway broke before it answered.":
    "Die Verbindung zum Gateway brach ab, bevor es geantwortet hat.",
  "Whether the request took effect is not known.": "Ob die Anfrage gewirkt hat, ist nicht bekannt.",
  "There is no gateway at {0}.": "Unter {0} ist kein Gateway.",
  "The connection to the gateway is closed.": "Die Verbindung zum Gateway ist geschlossen.",
  "The gateway ended this login.": "Das Gateway hat diese Anmeldung beendet.",
  "Get a fresh link with: npx elwood open": "Einen neuen Link gibt: npx elwood open",
  "Get a fresh login link with: elwood open": "Einen neuen Link gibt: elwood open",
  "Too many failed attempts from this address.": "Zu viele Fehlversuche von dieser Adresse.",
  "The token was not accepted.": "Das Token wurde nicht angenommen.",
  "The token could not be looked up.": "Das Token konnte nicht geprüft werden.",
  "This connection already has {0} requests open.": "Diese Verbindung hat schon {0} offene Anfragen.",
  "This one was not handled; send it again when some are answered.":
    "Diese wurde nicht bearbeitet; sende sie noch einmal, wenn einige beantwortet sind.",
  'Refused a request for the name "{0}", which is not a name of this gateway.':
    "Anfrage abgelehnt: „{0}“ ist kein Name dieses Gateways.",
  "If it is yours, add it to gateway.allowedHosts.":
    "Wenn er deiner ist, trage ihn in gateway.allowedHosts ein.",
  "Blocked a page at {0} from talking to your assistant.":
    "Einer Seite unter {0} wurde verwehrt, mit deinem Assistenten zu sprechen.",
  "If that page is yours, add it to gateway.allowedOrigins.":
    "Wenn es deine Seite ist, trage sie in gateway.allowedOrigins ein.",
  "The request failed inside Elwood.": "Die Anfrage ist in Elwood selbst gescheitert.",
  "{0} failed inside Elwood.": "{0} ist in Elwood selbst gescheitert.",
  "It may or may not have taken effect; the log says more.":
    "Vielleicht hat es gewirkt, vielleicht nicht; im Protokoll steht mehr.",
  '{0} needs a token with the scope "{1}"; this one does not have it.':
    "Dafür ({0}) braucht ein Token das Recht „{1}“; dieses hat es nicht.",
  "{0} is about the whole installation, which is its owner's; this token is of the tenant {1}.":
    "{0} betrifft die ganze Installation, und die gehört ihrem Besitzer; dieses Token gehört zum Mandanten {1}.",
  'There is no method "{0}".': "Eine Methode „{0}“ gibt es nicht.",
  'A token of a tenant cannot have the scope "admin": keys, settings and tokens are of the whole installation.':
    "Ein Token eines Mandanten kann das Recht „admin“ nicht haben: Schlüssel, Einstellungen und Tokens gehören zur ganzen Installation.",
  "Only the owner's login can be kept.": "Nur der Besitzer kann angemeldet bleiben.",
  "This token exists already.": "Dieses Token gibt es schon.",
  "The address of a push service begins with https://.":
    "Die Adresse eines Push-Dienstes beginnt mit https://.",
  // Sessions and messages.
  "There is no run {0} in this session.": "Diesen Lauf gibt es in dieser Sitzung nicht ({0}).",
  "There is no version {0} of {1}.": "Von {1} gibt es keine Version {0}.",
  "{0} was changed by somebody else meanwhile.": "{0} wurde inzwischen von jemand anderem geändert.",
  "A session with this id exists already.": "Eine Sitzung mit dieser Kennung gibt es schon.",
  "A run with this id exists already.": "Einen Lauf mit dieser Kennung gibt es schon.",
  "This run has ended and no longer changes.": "Dieser Lauf ist zu Ende und ändert sich nicht mehr.",
  "Something in this session is still being answered.": "In dieser Sitzung wird noch geantwortet.",
  "This session is in the trash.": "Diese Sitzung liegt im Papierkorb.",
  "The message was not accepted; restore it first.":
    "Die Nachricht wurde nicht angenommen; hole die Sitzung zuerst zurück.",
  "That is not the id of a session.": "Das ist keine Kennung einer Sitzung.",
  "A search is at most {0} characters long.": "Gesucht wird mit höchstens {0} Zeichen.",
  "Only an answer to a message can be asked for again.":
    "Nur eine Antwort auf eine Nachricht lässt sich noch einmal verlangen.",
  "This message has {0} versions already.": "Diese Nachricht hat schon {0} Versionen.",
  "This idempotency key was used before for another message.":
    "Dieser Schlüssel wurde schon für eine andere Nachricht benutzt.",
  "The run {0} is not one of several versions.": "Von diesem Lauf gibt es nur eine Version ({0}).",
  "A folder needs a name.": "Ein Ordner braucht einen Namen.",
  "Only who may approve can add to the system prompt of a session.":
    "Den Systemprompt einer Sitzung kann nur ergänzen, wer erlauben darf.",
  "There is another session {0}.": "Eine andere Sitzung heißt schon so: {0}.",
  "Known agents: {0}.": "Bekannte Agenten: {0}.",
  "The session {0} was deleted.": "Diese Sitzung wurde gelöscht ({0}).",
  "It lies in the trash: restore it there, or with: elwood sessions restore {0}":
    "Sie liegt im Papierkorb: Hole sie dort zurück, oder mit: elwood sessions restore {0}",
  "There is no message {0} in this session.": "Diese Nachricht gibt es in dieser Sitzung nicht ({0}).",
  "This session has more than {0} messages and cannot be forked.":
    "Diese Sitzung hat mehr als {0} Nachrichten und lässt sich nicht verzweigen.",
  "What is to be copied is still being answered.": "Was kopiert werden soll, wird noch beantwortet.",
  "{0} of this session is summed up or left out now.":
    "Von dieser Sitzung wird gerade etwas zusammengefasst oder weggelassen: {0}.",
  "Your message is about {0} tokens long, its files included, and does not fit into {1}.":
    "Deine Nachricht hat mit ihren Dateien etwa {0} Token und passt nicht in {1}.",
  "The agent's instructions and tools take about {0} of {1}, which leaves too little for a conversation.":
    "Anweisungen und Werkzeuge des Agenten brauchen etwa {0} von {1}; für ein Gespräch bleibt zu wenig.",
  "The conversation so far takes about {0} of {1}, and it could not be made shorter.":
    "Das Gespräch bis hier braucht etwa {0} von {1} und ließ sich nicht kürzen.",
  "Send less at once, use a model with a larger context, give this one more where it runs, or correct contextWindows in the configuration if it takes more.":
    "Sende weniger auf einmal, nimm ein Modell mit größerem Kontext, gib diesem dort, wo es läuft, mehr, oder berichtige contextWindows in den Einstellungen.",
  "Give the agent fewer tools, use a model with a larger context, give this one more where it runs, or correct contextWindows in the configuration if it takes more.":
    "Gib dem Agenten weniger Werkzeuge, nimm ein Modell mit größerem Kontext, gib diesem dort, wo es läuft, mehr, oder berichtige contextWindows in den Einstellungen.",
  "Start a new session, use a model with a larger context, give this one more where it runs, or correct contextWindows in the configuration if it takes more.":
    "Beginne eine neue Sitzung, nimm ein Modell mit größerem Kontext, gib diesem dort, wo es läuft, mehr, oder berichtige contextWindows in den Einstellungen.",
  "The agent {0} no longer exists in the workspace.": "Den Agenten {0} gibt es im Arbeitsordner nicht mehr.",
  "Put its folder back, or start a session with another agent.":
    "Lege seinen Ordner zurück, oder beginne eine Sitzung mit einem anderen Agenten.",
  "Stopped: the model made the same call {0} times in one run and wanted it again.":
    "Angehalten: Das Modell hat denselben Aufruf {0}-mal gemacht und wollte ihn noch einmal.",
  "Ask again in other words, or raise limits.identicalCalls in the configuration.":
    "Frage mit anderen Worten, oder erhöhe limits.identicalCalls in den Einstellungen.",
  // Approvals, permissions, undo.
  'To allow this plan, type the word "{0}".': "Um diesen Plan zu erlauben, tippe das Wort „{0}“.",
  "{0} is no longer there.": "{0} gibt es nicht mehr.",
  "Choose one of: {0}.": "Wähle eines davon: {0}.",
  "The grant {0} was revoked before.": "Diese Erlaubnis wurde schon widerrufen ({0}).",
  "The edited call would be denied: {0}": "Der bearbeitete Aufruf würde abgelehnt: {0}",
  "This call can only be allowed once: {0}": "Dieser Aufruf kann nur einmal erlaubt werden: {0}",
  "This call can only be allowed once.": "Dieser Aufruf kann nur einmal erlaubt werden.",
  'This call cannot be allowed for longer with the scope "{0}", only with {1}.':
    "Dieser Aufruf lässt sich nicht mit der Reichweite „{0}“ länger erlauben, nur mit {1}.",
  "{0} has changed since it made call {1}, and the new version cannot be trusted to undo what the old one did.":
    "{0} hat sich seit dem Aufruf {1} geändert; der neuen Fassung ist nicht zuzutrauen, rückgängig zu machen, was die alte tat.",
  "Reverse it by hand, or restore the version of the tool that made the call and undo it again.":
    "Mache es von Hand rückgängig, oder stelle die Fassung des Werkzeugs wieder her, von der der Aufruf kam.",
  "What call {0} did is known, but not what it answered, so it cannot be undone.":
    "Was Aufruf {0} tat, ist bekannt, aber nicht, was er antwortete; er lässt sich nicht rückgängig machen.",
  "The undo of call {0} could not be recorded (the ledger refused {1}), so it was not started.":
    "Dass Aufruf {0} rückgängig gemacht wird, ließ sich nicht festhalten ({1}); es wurde nicht begonnen.",
  "Do not try again; check what the tool changed.":
    "Versuche es nicht noch einmal; sieh nach, was das Werkzeug geändert hat.",
  "Elwood asks what became of it after the next restart.":
    "Elwood fragt nach dem nächsten Neustart, was daraus wurde.",
  "It is unknown whether an earlier try ({0}) undid call {1}.":
    "Es ist unbekannt, ob ein früherer Versuch ({0}) Aufruf {1} rückgängig gemacht hat.",
  "The tool of this call takes no label.": "Das Werkzeug dieses Aufrufs nimmt keine Angabe an.",
  "{0} has changed since you were asked.": "{0} hat sich seit der Frage geändert.",
  "{0} is one of Elwood's own tools and needs no grant.":
    "{0} ist ein Werkzeug von Elwood selbst und braucht keine Freigabe.",
  "{0} has changed since you looked at it.": "{0} hat sich geändert, seit du es angesehen hast.",
  "Look again: elwood tools show {0}": "Sieh noch einmal nach: elwood tools show {0}",
  "{0} says itself what it does, and takes no label.":
    "{0} sagt selbst, was es tut, und nimmt keine Angabe an.",
  "The tool {0} is not granted.": "Das Werkzeug {0} ist nicht freigegeben.",
  "There is no tool {0} any more.": "Das Werkzeug {0} gibt es nicht mehr.",
  "Only who may approve can switch to {0}, which asks less.":
    "Auf {0}, wo seltener gefragt wird, kann nur umstellen, wer erlauben darf.",
  "The mode is still {0}.": "Es bleibt bei {0}.",
  "{0} asks less than {1}: say confirm: true to mean it.":
    "{0} fragt seltener als {1}: Bestätige es mit confirm: true.",
  "Only who may approve can let somebody else approve.":
    "Dass jemand anderes erlauben darf, kann nur bestimmen, wer selbst erlauben darf.",
  // Budgets of tenants.
  "The tenant {0} may not ask {1}: tenants.{2}.modelsAllowed lists {3}.":
    "Der Mandant {0} darf {1} nicht fragen: tenants.{2}.modelsAllowed nennt {3}.",
  "What {0} costs is not known, so the caps of the tenant {1} cannot be kept.":
    "Was {0} kostet, ist nicht bekannt; so lassen sich die Grenzen des Mandanten {1} nicht einhalten.",
  "Its price goes into prices in the settings.": "Der Preis gehört in den Einstellungen unter prices.",
  "The tenant {0} has used ${1} {2}.": "Der Mandant {0} hat {1} $ verbraucht ({2}).",
  "The tenant {0} has used ${1} {2}, and requests in progress may use up the rest (${3}).":
    "Der Mandant {0} hat {1} $ verbraucht ({2}), und laufende Anfragen können den Rest ({3} $) aufbrauchen.",
  "A tenant is named by lower-case letters, digits, - and _.":
    "Der Name eines Mandanten hat Kleinbuchstaben, Ziffern, - und _.",
  // Jobs.
  'There is a job called "{0}" already.': "Einen Auftrag „{0}“ gibt es schon.",
  "There are {0} jobs already, which is the most there may be.":
    "Es gibt schon {0} Aufträge, mehr gehen nicht.",
  "No job was added; remove one first.": "Kein Auftrag kam hinzu; entferne zuerst einen.",
  'There is no job "{0}".': "Einen Auftrag „{0}“ gibt es nicht.",
  "See them with: elwood jobs list": "Welche es gibt, zeigt: elwood jobs list",
  'The job "{0}" cannot be resumed: its time passed while it was paused.':
    "Der Auftrag „{0}“ lässt sich nicht fortsetzen: Seine Zeit verging, während er ruhte.",
  "Give it a new time, or remove it.": "Gib ihm eine neue Zeit, oder entferne ihn.",
  'Nothing can be delivered to "{0}".': "An „{0}“ lässt sich nichts zustellen.",
  'Use "page", or a chat of a connected channel such as telegram:12345.':
    "Nimm „page“, oder einen Chat eines verbundenen Kanals wie telegram:12345.",
  'There is no agent "{0}".': "Einen Agenten „{0}“ gibt es nicht.",
  "No name could be found for the job.": "Für den Auftrag fand sich kein Name.",
  "A job's name has 1 to {0} characters.": "Der Name eines Auftrags hat 1 bis {0} Zeichen.",
  'The name "{0}" is taken by Elwood\'s own job.': "„{0}“ heißt schon ein Auftrag von Elwood selbst.",
  "A job's message has 1 to {0} characters.": "Die Nachricht eines Auftrags hat 1 bis {0} Zeichen.",
  "A jitter is at most {0} minutes.": "Die Streuung ist höchstens {0} Minuten.",
  "That time never comes.": "Diese Zeit kommt nie.",
  'The job "{0}" was removed meanwhile.': "Der Auftrag „{0}“ wurde inzwischen entfernt.",
  'The job "{0}" is set in the configuration ({1}), so it was not {2}.':
    "Der Auftrag „{0}“ steht in den Einstellungen ({1}) und lässt sich hier nicht ändern ({2}).",
  "Change it there and restart, or pause it.": "Ändere ihn dort und starte neu, oder lass ihn ruhen.",
  "“{0}” makes a backup and asks no model.": "„{0}“ macht eine Sicherung und fragt kein Modell.",
  "There is nothing to rehearse.": "Es gibt nichts zu proben.",
  "“{0}” is a reminder: it comes as text, asks no model and calls no tool.":
    "„{0}“ ist eine Erinnerung: Sie kommt als Text, fragt kein Modell und ruft kein Werkzeug auf.",
  "HEARTBEAT.md in the workspace says nothing to look at.":
    "In HEARTBEAT.md im Arbeitsordner steht nichts, wonach zu sehen wäre.",
  "“{0}” is being rehearsed already.": "„{0}“ wird schon geprobt.",
  "Wait for its end, or stop its run.": "Warte, bis das vorbei ist, oder halte den Lauf an.",
  "The rehearsal was begun and cannot be found.": "Die Probe wurde begonnen und ist nicht zu finden.",
  "That is not the last rehearsal of “{0}”.": "Das ist nicht die letzte Probe von „{0}“.",
  "The rehearsal listed no call {0}.": "In der Probe gab es keinen Aufruf {0}.",
  "{0}: it needs no permission.": "{0} braucht keine Erlaubnis.",
  "It could not be delivered for too long.": "Es ließ sich zu lange nicht zustellen.",
  "The reply is in its session on the page.": "Die Antwort steht auf der Seite in ihrer Sitzung.",
  // Channels.
  "{0} is not connected, so nothing was sent to {1}.":
    "{0} ist nicht verbunden; an {1} wurde nichts gesendet.",
  "Connect it, or choose another target.": "Verbinde den Kanal, oder wähle ein anderes Ziel.",
  "Nobody whom you let in writes in {0}, so nothing was sent there.":
    "In {0} schreibt niemand, den du zugelassen hast; dorthin wurde nichts gesendet.",
  "Choose a chat that Elwood knows.": "Wähle einen Chat, den Elwood kennt.",
  "There is no open code.": "Es ist kein Code offen.",
  "Codes count for ten minutes; let the person write to Elwood again for a new one.":
    "Codes gelten zehn Minuten; für einen neuen muss die Person Elwood noch einmal schreiben.",
  "That is no open code.": "Das ist kein offener Code.",
  "{0} more tries before all open codes are void.":
    "Noch {0} Versuche, dann gelten alle offenen Codes nicht mehr.",
  "That was the {0}th wrong code, so all open codes are void now.":
    "Das war der {0}. falsche Code; alle offenen Codes gelten nicht mehr.",
  "Let the person write to Elwood again for a new one.":
    "Für einen neuen muss die Person Elwood noch einmal schreiben.",
  "{0} needs a token, and there is none.": "{0} braucht ein Token, und keines ist da.",
  "Nobody with the id {0} was let in to {1}.": "Niemand mit der Kennung {0} wurde bei {1} zugelassen.",
  "There is no channel {0}.": "Einen Kanal {0} gibt es nicht.",
  // Agents.
  "{0} is longer than {1} KB, so it can only be changed with an editor.":
    "{0} ist länger als {1} KB und lässt sich nur in einem Editor ändern.",
  'There is an agent "{0}" already.': "Einen Agenten „{0}“ gibt es schon.",
  'The files of the agent "{0}" were changed meanwhile.':
    "Die Dateien des Agenten „{0}“ wurden inzwischen geändert.",
  "Only who may approve can give an agent more tools.":
    "Mehr Werkzeuge kann einem Agenten nur geben, wer erlauben darf.",
  "This gives the agent more tools: say confirm: true to mean it.":
    "Damit bekommt der Agent mehr Werkzeuge: Bestätige es mit confirm: true.",
  "{0} is written in a way that cannot be changed here.":
    "{0} ist so geschrieben, dass es sich hier nicht ändern lässt.",
  "{0} is a link, so it is changed where it leads to.":
    "{0} ist ein Verweis und wird dort geändert, wohin er führt.",
  // Settings.
  "`{0}` is set by the flag {1}, which goes before {2}.":
    "„{0}“ ist durch die Option {1} festgelegt, und die geht {2} vor.",
  "`{0}` is set by the variable {1}, which goes before {2}.":
    "„{0}“ ist durch die Variable {1} festgelegt, und die geht {2} vor.",
  "Change the flag {0}, or start Elwood without it.": "Ändere die Option {0}, oder starte Elwood ohne sie.",
  "Change the variable {0}, or start Elwood without it.":
    "Ändere die Variable {0}, oder starte Elwood ohne sie.",
  "`{0}` is set in {1}:{2}.": "„{0}“ ist festgelegt in {1}:{2}.",
  "`{0}` is a secret, and no secret is written into {1}.":
    "„{0}“ ist ein Geheimnis, und in {1} wird kein Geheimnis geschrieben.",
  "Put it into a variable of the environment, and name that here: ${NAME}.":
    "Lege es in eine Umgebungsvariable und nenne die hier: ${NAME}.",
  "`{0}` was changed meanwhile, in {1}.": "„{0}“ wurde inzwischen geändert, in {1}.",
  "`{0}` was changed meanwhile: it is {1} now.": "„{0}“ wurde inzwischen geändert und ist jetzt {1}.",
  "{0} was changed meanwhile.": "{0} wurde inzwischen geändert.",
  "The secret {0} holds spaces, line breaks or other characters that no key has.":
    "Das Geheimnis {0} enthält Leerzeichen, Umbrüche oder andere Zeichen, die kein Schlüssel hat.",
  "{0} is written in a way in which {1} cannot be changed alone.":
    "{0} ist so geschrieben, dass sich {1} nicht allein ändern lässt.",
  "{0} would grow past {1} KB.": "{0} würde größer als {1} KB.",
  "Another change of the settings does not end.": "Eine andere Änderung der Einstellungen wird nicht fertig.",
  "{0} is denied by a rule for {1} ({2}).": "{0} ist durch eine Regel für {1} verboten ({2}).",
  "Change that rule first.": "Ändere zuerst diese Regel.",
  "`{0}` must be a key.": "„{0}“ muss ein Schlüssel sein.",
  "This change of {0} lets more happen, which only who may approve can do.":
    "Mit dieser Änderung von {0} darf mehr geschehen; das kann nur, wer erlauben darf.",
  "This change of {0} lets more happen: say confirm: true to mean it.":
    "Mit dieser Änderung von {0} darf mehr geschehen: Bestätige es mit confirm: true.",
  'There is no setting "{0}" that can be changed here.':
    "Eine Einstellung „{0}“, die sich hier ändern lässt, gibt es nicht.",
  "This connection serves an assistant of a program, and settings are the owner's alone.":
    "Diese Verbindung gehört dem Assistenten eines Programms; Einstellungen sind allein Sache des Besitzers.",
  "The settings have mistakes: {0}": "In den Einstellungen sind Fehler: {0}",
  "Mend them first: elwood config check": "Behebe sie zuerst: elwood config check",
  "The configuration cannot be used.": "Die Einstellungen sind nicht brauchbar.",
  "No model is asked here.": "Hier wird kein Modell gefragt.",
  // Integrations and MCP servers.
  "{0} is not set up.": "{0} ist nicht eingerichtet.",
  "Set it up: elwood integrations setup {0}": "Richte es ein: elwood integrations setup {0}",
  "{0} needs “{1}” ({2}).": "{0} braucht „{1}“ ({2}).",
  "The variable {0} is not set where Elwood was started.":
    "Die Variable {0} ist dort, wo Elwood gestartet wurde, nicht gesetzt.",
  "There is no integration {0}.": "Eine Anbindung {0} gibt es nicht.",
  "{0} has no setting {1}; it has {2}.": "{0} hat keine Einstellung {1}; es hat {2}.",
  'There is an MCP server "{0}" already.': "Einen MCP-Server „{0}“ gibt es schon.",
  "Remove it first: elwood mcp remove {0}": "Entferne ihn zuerst: elwood mcp remove {0}",
  'The MCP server "{0}" was not added: {1}': "Der MCP-Server „{0}“ wurde nicht hinzugefügt: {1}",
  "The value of {0} has spaces or other characters that no key has.":
    "Der Wert von {0} hat Leerzeichen oder andere Zeichen, die kein Schlüssel hat.",
  "Write it into a variable of the environment, and name that: ${NAME}.":
    "Schreibe ihn in eine Umgebungsvariable und nenne die: ${NAME}.",
  '"{0}" takes no login: it is a program of this machine, or the settings have its token.':
    "Bei „{0}“ meldet man sich nicht an: Es ist ein Programm dieser Maschine, oder sein Token steht in den Einstellungen.",
  "That came to nothing: {0}": "Daraus wurde nichts: {0}",
  "Try it again.": "Versuche es noch einmal.",
  'There is no MCP server "{0}".': "Einen MCP-Server „{0}“ gibt es nicht.",
  '{0} of "{1}" has no text.': "{0} von „{1}“ hat keinen Text.",
  'The login to "{0}" cannot come back to this machine: {1}.':
    "Die Anmeldung bei „{0}“ kann nicht zu dieser Maschine zurückfinden: {1}.",
  'Elwood could not begin a login to "{0}": {1}': "Die Anmeldung bei „{0}“ konnte nicht beginnen: {1}",
  "No login is under way, or it took too long.": "Es ist keine Anmeldung im Gang, oder sie dauerte zu lange.",
  "That is not the address that the login ends at ({0}?…).":
    "Das ist nicht die Adresse, bei der die Anmeldung endet ({0}?…).",
  // Actions, as far as the page shows them.
  'There is no action "{0}".': "Eine Aktion „{0}“ gibt es nicht.",
  "There is no such action.": "Eine solche Aktion gibt es nicht.",
  "{0} has no version {1}; its newest is v{2}.": "{0} hat keine Version {1}; die neueste ist v{2}.",
  '"{0}" is no version.': "„{0}“ ist keine Version.",
  "Say which version of {0}: version=latest, or a number.":
    "Sage, welche Version von {0}: version=latest, oder eine Zahl.",
  "Only an action can be executed.": "Nur eine Aktion lässt sich ausführen.",
  "{0} has a model of its own, {1}.": "{0} hat ein eigenes Modell, {1}.",
  "{0} had no answer after {1} s and was stopped.":
    "{0} hatte nach {1} s keine Antwort und wurde angehalten.",
  "The action names no model, and none was asked for.":
    "Die Aktion nennt kein Modell, und es wurde keines verlangt.",
  "The connection {0} is not there.": "Die Verbindung {0} gibt es nicht.",
  "The connection {0} needs a key, and none is set.":
    "Die Verbindung {0} braucht einen Schlüssel, und keiner ist hinterlegt.",
  "Set the variable that its token names, or: elwood auth {0} --base-url {1}":
    "Setze die Variable, die ihr Token nennt, oder: elwood auth {0} --base-url {1}",
  "The connection {0} reads the variable {1}, which is not set.":
    "Die Verbindung {0} liest die Variable {1}, und die ist nicht gesetzt.",
  "The connection {0} has no `api_base`, and {1} is not known by name.":
    "Die Verbindung {0} hat kein `api_base`, und {1} ist dem Namen nach nicht bekannt.",
  "The action lists the tool {0}, which is not there.":
    "Die Aktion nennt das Werkzeug {0}, und das gibt es nicht.",
  "The call was not made; try again.": "Der Aufruf fand nicht statt; versuche es noch einmal.",
  // Elwood's own state.
  "A restore was broken off.": "Eine Wiederherstellung wurde abgebrochen.",
  "First: elwood backup restore --finish": "Zuerst: elwood backup restore --finish",
  "Elwood runs on {0}.": "Elwood läuft auf {0}.",
  "Stop it, then try again.": "Halte es an und versuche es dann noch einmal.",
  "{0} is TOML, which Elwood reads and does not write.":
    "{0} ist TOML; das liest Elwood, schreibt es aber nicht.",
  "Change {0} there, then start Elwood again.": "Ändere {0} dort und starte Elwood dann neu.",
  "Mend that line, or remove it.": "Berichtige die Zeile, oder entferne sie.",
  "{0}, and it was chosen to pay.": "{0}, und gerade der soll bezahlen.",
  "Choose another ({0}) or replace it: elwood auth {1}":
    "Wähle einen anderen ({0}), oder ersetze ihn: elwood auth {1}",
  "Choose another ({0}) or wait.": "Wähle einen anderen ({0}), oder warte.",
  "Blocked by moderation: {0}": "Von der Moderation gesperrt: {0}",
  "{0} is a question: it takes an answer, not a yes or no.":
    "Das ist eine Frage ({0}): Sie braucht eine Antwort, kein Ja oder Nein.",
  'Answer it on the page, or with: elwood approvals answer {0} "…"':
    'Antworte auf der Seite, oder mit: elwood approvals answer {0} "…"',
  "{0} of call {1}, but the outcome could not be recorded: {2}":
    "{0} (Aufruf {1}), aber was daraus wurde, ließ sich nicht festhalten: {2}",
  // Health: model keys.
  "No model keys are stored.": "Es sind keine Schlüssel gespeichert.",
  "The file with the model keys {0}.": "Mit der Datei der Schlüssel stimmt etwas nicht: {0}.",
  "Look at the file; if it cannot be saved, move it away and enter the keys again: elwood auth anthropic":
    "Sieh dir die Datei an; wenn sie nicht zu retten ist, lege sie beiseite und gib die Schlüssel neu ein: elwood auth anthropic",
  "The file with the model keys can be read by other users of this machine.":
    "Andere Benutzer dieser Maschine können die Datei mit den Schlüsseln lesen.",
  "The stored key {0} has lost its secret.": "Dem gespeicherten Schlüssel {0} fehlt sein Geheimnis.",
  "The stored key {0} has expired.": "Der gespeicherte Schlüssel {0} ist abgelaufen.",
  "The stored key {0} expires within a week.":
    "Der gespeicherte Schlüssel {0} läuft in weniger als einer Woche ab.",
  "The stored key {0} rests: {1}.": "Der gespeicherte Schlüssel {0} ruht: {1}.",
  "Others take its place until then.": "Andere vertreten ihn so lange.",
  "To use it at once: elwood auth prefer {0}": "Um ihn sofort zu benutzen: elwood auth prefer {0}",
  // Health: backups.
  "The folder for backups is not there, so none can be made.":
    "Der Ordner für Sicherungen ist nicht da; es kann keine gemacht werden.",
  "Connect its disk, or set another folder.": "Schließe die Festplatte an, oder nimm einen anderen Ordner.",
  "Backups are made by themselves.": "Sicherungen werden von selbst gemacht.",
  "elwood jobs history says why; make one now with: elwood backup create":
    "Warum, sagt elwood jobs history; gleich machen mit: elwood backup create",
  "The last backup is older than it should be.": "Die letzte Sicherung ist älter, als sie sein sollte.",
  "There is a backup.": "Es gibt eine Sicherung.",
  "There is no recent backup.": "Es gibt keine neue Sicherung.",
  "Make one with: elwood backup create.": "Mache eine mit: elwood backup create.",
  "To have them made, set backup.schedule in config.yaml.":
    "Damit sie von selbst entstehen, setze backup.schedule in config.yaml.",
  // Health: channels.
  "Look at it again with: elwood channels list": "Noch einmal nachsehen mit: elwood channels list",
  "{0} to {1} could not be delivered.": "{0} an {1} ließ sich nicht zustellen.",
  "Read what was not delivered on the page, under Attention.":
    "Was nicht zugestellt wurde, steht auf der Seite unter Beachten.",
  "{0} is connected{1}.": "{0} ist verbunden{1}.",
  "{0} is being connected.": "{0} wird gerade verbunden.",
  "{0} is not connected, and does not say why.": "{0} ist nicht verbunden und sagt nicht, warum.",
  // Health: settings and database.
  "Set it right, then: elwood config show --origin": "Berichtige es, dann: elwood config show --origin",
  "Edit {0}{1}.": "Bearbeite {0}{1}.",
  "Run the doctor again; if it stays so, see which program has the file open.":
    "Prüfe noch einmal; wenn es so bleibt, sieh nach, welches Programm die Datei offen hat.",
  "Another program holds the database.": "Ein anderes Programm hat die Datenbank offen.",
  "The database is damaged.": "Die Datenbank ist beschädigt.",
  "Stop Elwood, keep a copy of {0}, then put the newest file of {1} in its place, or move it away to begin a new one.":
    "Halte Elwood an, hebe eine Kopie von {0} auf, setze dann die neueste Datei aus {1} an ihre Stelle, oder lege sie beiseite, um neu zu beginnen.",
  "The conversations' own files are not touched by that.":
    "Die Dateien der Gespräche bleiben davon unberührt.",
  'The check "{0}" itself failed, so nothing is known about it.':
    "Die Prüfung „{0}“ ist selbst gescheitert; darüber ist nichts bekannt.",
  "If the words beside this do not help, report them as a bug.":
    "Wenn die Worte daneben nicht helfen, melde sie als Fehler.",
  // Health: machine.
  "The browser tools are switched off.": "Die Browser-Werkzeuge sind ausgeschaltet.",
  "Pages run without Chromium's own sandbox, as the configuration says.":
    "Seiten laufen ohne Chromiums eigene Sandbox, wie es die Einstellungen sagen.",
  "Remove that setting unless this machine is itself a cage.":
    "Nimm das heraus, es sei denn, diese Maschine ist selbst ein Käfig.",
  "Node is older than {0}, the oldest that Elwood is tested on.":
    "Node ist älter als {0}, das älteste, mit dem Elwood getestet ist.",
  "Install Node {0} or newer; in a checkout, npm ci brings one along.":
    "Installiere Node {0} oder neuer; in einem Checkout bringt npm ci eines mit.",
  "Commands are off because they cannot be caged here, and shell.requireCage is set.":
    "Befehle sind aus, weil es hier keinen Käfig für sie gibt und shell.requireCage gesetzt ist.",
  "Commands cannot be caged here: none runs unasked, and one that you allow can do all that Elwood can.":
    "Für Befehle gibt es hier keinen Käfig: Keiner läuft ungefragt, und einer, den du erlaubst, kann alles, was Elwood kann.",
  "Install bubblewrap, for example with: apt install bubblewrap":
    "Installiere bubblewrap, zum Beispiel mit: apt install bubblewrap",
  "Run Elwood on Linux to have commands caged, or set shell.requireCage: true to run none.":
    "Einen Käfig für Befehle gibt es unter Linux; oder setze shell.requireCage: true, um keine auszuführen.",
  "Allow this user to make user namespaces (sysctl kernel.unprivileged_userns_clone=1, or kernel.apparmor_restrict_unprivileged_userns=0; in a container, its seccomp profile).":
    "Erlaube diesem Benutzer User-Namespaces (sysctl kernel.unprivileged_userns_clone=1 oder kernel.apparmor_restrict_unprivileged_userns=0; in einem Container dessen Seccomp-Profil).",
  // Health: memory.
  "Memory is turned off in the configuration.": "Das Gedächtnis ist in den Einstellungen ausgeschaltet.",
  "There is no index of memory yet.": "Es gibt noch keinen Index des Gedächtnisses.",
  "Another program holds the index of memory.": "Ein anderes Programm hat den Index des Gedächtnisses offen.",
  "The index of memory is of another version.": "Der Index des Gedächtnisses ist von einer anderen Version.",
  "The index of memory is damaged.": "Der Index des Gedächtnisses ist beschädigt.",
  "Nothing is to be done: Elwood rebuilds it from the files when it is next used.":
    "Nichts zu tun: Elwood baut ihn aus den Dateien neu, sobald er gebraucht wird.",
  "An index that could not be read was put aside.": "Ein Index, der nicht lesbar war, wurde beiseitegelegt.",
  "It is kept so that somebody can find out why.": "Er bleibt, damit sich herausfinden lässt, warum.",
  "Delete it when you like; it holds words of conversations.":
    "Lösche ihn, wenn du willst; darin stehen Worte aus Gesprächen.",
  // Health: model.
  "Mend the configuration first.": "Berichtige zuerst die Einstellungen.",
  "Which model would answer cannot be said.": "Welches Modell antworten würde, lässt sich nicht sagen.",
  "The demo model answers, with scripted words.": "Das Demo-Modell antwortet, mit vorbereiteten Worten.",
  "Connect a real one: elwood auth anthropic": "Verbinde ein echtes: elwood auth anthropic",
  "Choose a model of {0}: on the page under Models & keys, or with this line in {1}: model: {2}":
    "Wähle ein Modell von {0}: auf der Seite unter Modelle & Schlüssel, oder mit dieser Zeile in {1}: model: {2}",
  "Elwood does not know where {0} is, so {1} cannot answer.":
    "Elwood weiß nicht, wo {0} zu erreichen ist; {1} kann nicht antworten.",
  "Set providers.{0}.baseUrl in the configuration, or: elwood auth {1} --base-url https://…":
    "Setze providers.{0}.baseUrl in den Einstellungen, oder: elwood auth {1} --base-url https://…",
  "{0} answers, without a key.": "{0} antwortet, ohne Schlüssel.",
  "{0} answered a live call.": "{0} hat auf eine echte Anfrage geantwortet.",
  "Set `{0}` in config.yaml.": "Setze „{0}“ in config.yaml.",
  "Try again; see also: elwood auth list": "Versuche es noch einmal; siehe auch: elwood auth list",
  "{0} did not answer: {1}": "{0} hat nicht geantwortet: {1}",
  // Health: tools of the owner.
  "The tools in {0} cannot be used.": "Die Werkzeuge in {0} sind nicht brauchbar.",
  "Mend that, then: elwood tools check": "Berichtige das, dann: elwood tools check",
  "Tools of yours have no network but for the hosts they declare.":
    "Deine eigenen Werkzeuge haben kein Netz außer den Adressen, die sie nennen.",
  "That tools of yours reach only the hosts they declare is not enforced here: they could open other connections.":
    "Dass deine Werkzeuge nur die Adressen erreichen, die sie nennen, wird hier nicht erzwungen: Sie könnten andere Verbindungen öffnen.",
  "Install bubblewrap, or read what you put there with that in mind.":
    "Installiere bubblewrap, oder lies daraufhin, was du dort ablegst.",
  // Health: how it can be reached.
  "The port is used by this state directory's own gateway.":
    "Den Port benutzt das Gateway dieses Datenordners selbst.",
  "Elwood listens beyond this machine, and speaks no TLS itself.":
    "Elwood ist über diese Maschine hinaus zu erreichen und spricht selbst kein TLS.",
  "Put a reverse proxy, an SSH tunnel or a private network in front: docs/remote.md":
    "Stelle einen Reverse-Proxy, einen SSH-Tunnel oder ein privates Netz davor: docs/remote.md",
  "A page elsewhere may talk to Elwood without TLS: your token and your words can be read on the way.":
    "Eine Seite anderswo darf ohne TLS mit Elwood sprechen: Dein Token und deine Worte sind unterwegs lesbar.",
  "Serve that page over https.": "Liefere diese Seite über https aus.",
  "Renew the proxy's certificate, or let Caddy keep it.":
    "Erneuere das Zertifikat des Proxys, oder lass Caddy sich darum kümmern.",
  "Look whether the proxy runs, and whether that name leads to it.":
    "Sieh nach, ob der Proxy läuft und ob der Name zu ihm führt.",
  "Nothing that can be trusted answers at {0}.": "Unter {0} antwortet nichts, dem zu trauen ist.",
  "The proxy at {0} does not pass the name on, so Elwood refuses what it sends.":
    "Der Proxy unter {0} gibt den Namen nicht weiter; Elwood lehnt ab, was er sendet.",
  "Let it send the header Host as it came (nginx: proxy_set_header Host $host).":
    "Er soll den Header Host so weitergeben, wie er kam (nginx: proxy_set_header Host $host).",
  "Something else than Elwood answers at {0}.": "Unter {0} antwortet etwas anderes als Elwood.",
  "Point the proxy at the gateway's address: elwood status shows it.":
    "Richte den Proxy auf die Adresse des Gateways: elwood status zeigt sie.",
  "Elwood answers at {0}.": "Elwood antwortet unter {0}.",
  "This machine may fall asleep, and jobs then wait until it wakes.":
    "Diese Maschine kann einschlafen; Aufträge warten dann, bis sie aufwacht.",
  "What becomes of missed times is each job's catchUp.":
    "Was aus versäumten Zeiten wird, sagt catchUp jedes Auftrags.",
  "To keep it awake: systemctl mask sleep.target suspend.target":
    "Um sie wach zu halten: systemctl mask sleep.target suspend.target",
  // Health: the gateway.
  "Unfinished runs are taken up at the next start.": "Unfertige Läufe gehen beim nächsten Start weiter.",
  "The web can be searched.": "Das Web lässt sich durchsuchen.",
  // Health: the data folder.
  "Other users of this machine can look into the state directory.":
    "Andere Benutzer dieser Maschine können in den Datenordner sehen.",
  "The state directory cannot be written.": "In den Datenordner kann nicht geschrieben werden.",
  "Mount that disk for writing, or choose another state directory with ELWOOD_HOME.":
    "Hänge die Festplatte zum Schreiben ein, oder wähle mit ELWOOD_HOME einen anderen Datenordner.",
  "Give yourself the right to write there: chmod u+rwx {0}":
    "Gib dir das Recht, dort zu schreiben: chmod u+rwx {0}",
  "Free some space on the disk that holds {0}.": "Schaffe Platz auf der Festplatte, auf der {0} liegt.",
  "The disk is nearly full.": "Die Festplatte ist fast voll.",
  "The disk is full, or as good as full.": "Die Festplatte ist voll oder so gut wie voll.",
  "Only the closed state directory around it keeps other users from this.":
    "Nur der geschlossene Datenordner darum hält andere Benutzer davon ab.",
  // Health: time.
  "The time zone {0} is not known here.": "Die Zeitzone {0} ist hier nicht bekannt.",
  "Set timeZone in config.yaml, for example Europe/Berlin.":
    "Setze timeZone in config.yaml, zum Beispiel Europe/Berlin.",
  "Your time zone is {0}.": "Deine Zeitzone ist {0}.",
  "The clock of this machine is wrong.": "Die Uhr dieser Maschine geht falsch.",
  "Set the clock, or let the system keep it: timedatectl set-ntp true":
    "Stelle die Uhr, oder überlasse sie dem System: timedatectl set-ntp true",
  "The clock was set back: files of Elwood carry a later time.":
    "Die Uhr wurde zurückgestellt: Dateien von Elwood tragen eine spätere Zeit.",
  "Elwood was not used for half a year, or the clock is ahead.":
    "Elwood wurde ein halbes Jahr nicht benutzt, oder die Uhr geht vor.",
  "Until something is said again, nothing is destroyed for its age.":
    "Bis wieder etwas gesagt wird, wird nichts wegen seines Alters gelöscht.",
  // Health: conversations and agents.
  "{0} more lines of conversations cannot be read.": "{0} weitere Zeilen von Gesprächen sind nicht lesbar.",
  "Only the first {0} of {1} conversations were looked at.":
    "Nur die ersten {0} von {1} Gesprächen wurden angesehen.",
  "A line of a conversation {0}.": "Eine Zeile eines Gesprächs ist nicht lesbar: {0}.",
  "Nothing else is lost: the line is skipped and left as it is.":
    "Sonst ist nichts verloren: Die Zeile wird übersprungen und bleibt, wie sie ist.",
  "To look at it yourself, open the file; to be rid of it, stop Elwood and remove the line.":
    "Um sie anzusehen, öffne die Datei; um sie loszuwerden, halte Elwood an und entferne die Zeile.",
  "The agent {0} cannot run.": "Der Agent {0} kann nicht laufen.",
  "Mend that file.": "Berichtige diese Datei.",
  "Mend that file; until then the skill is left out.":
    "Berichtige diese Datei; bis dahin bleibt der Skill weg.",
  "Shorten it, or move details into other files.":
    "Kürze sie, oder verschiebe Einzelheiten in andere Dateien.",
  "The workspace has no {0}; the assistant does without.":
    "Im Arbeitsordner gibt es kein {0}; es geht auch ohne.",
  "Write one if you miss it.": "Schreibe eines, wenn es dir fehlt.",
  // Health: tools that are off.
  "Browser tools are off because what drives a browser is not installed.":
    "Die Browser-Werkzeuge sind aus, weil fehlt, was einen Browser steuert.",
  "Install it with: elwood install browser": "Installiere es mit: elwood install browser",
  "Browser tools are off because {0}, which browser.executable names, cannot be run.":
    "Die Browser-Werkzeuge sind aus, weil sich {0} (aus browser.executable) nicht ausführen lässt.",
  "Correct the setting, or remove it to use the system's browser.":
    "Berichtige die Einstellung, oder nimm sie heraus, dann gilt der Browser des Systems.",
  "Browser tools are off because there is no browser on this machine.":
    "Die Browser-Werkzeuge sind aus, weil auf dieser Maschine kein Browser ist.",
  "Set web.search.key to a key of the Brave Search API ({0}), or web.search.searxngUrl to the address of a SearXNG of yours, in Settings on the page or with elwood config set.":
    "Hinterlege in den Einstellungen einen Schlüssel der Brave-Suche ({0}) oder die Adresse einer eigenen SearXNG, oder nimm elwood config set.",
  "If you live elsewhere, set timeZone in config.yaml, for example Europe/Berlin.":
    "Wenn du anderswo wohnst, stelle deine Zeitzone ein (timeZone in config.yaml), etwa Europe/Berlin.",
  // Health: what is well.
  "Node is new enough.": "Node ist neu genug.",
  "The state directory is closed to other users.": "Der Datenordner ist für andere Benutzer geschlossen.",
  "The state directory can be written.": "In den Datenordner kann geschrieben werden.",
  "There is room on the disk.": "Auf der Festplatte ist Platz.",
  "The configuration is right.": "Die Einstellungen sind in Ordnung.",
  "The database is sound, and its schema is the current one.":
    "Die Datenbank ist heil und auf dem neuesten Stand.",
  "Every conversation can be read.": "Alle Gespräche sind lesbar.",
  "The index of memory is sound.": "Der Index des Gedächtnisses ist heil.",
  "The stored model keys can be read.": "Die gespeicherten Schlüssel sind lesbar.",
  "The agents can be read.": "Die Agenten sind lesbar.",
  "There is a browser for the browser tools.": "Für die Browser-Werkzeuge ist ein Browser da.",
  "Browser tools are off because Elwood runs as root.":
    "Die Browser-Werkzeuge sind aus, weil Elwood als root läuft.",
  "Run Elwood as another user: as root, Chromium has no sandbox for pages.":
    "Führe Elwood als anderer Benutzer aus: Als root hat Chromium keine Sandbox für Seiten.",
  "Where the whole machine is a sandbox, such as a container of its own, set browser.sandbox: false.":
    "Wo die ganze Maschine eine Sandbox ist, etwa ein eigener Container, setze browser.sandbox: false.",
  "Web search is off because no search service is set up.":
    "Die Websuche ist aus, weil kein Suchdienst eingerichtet ist.",
  "The gateway runs on another port than the one that is set, which is free.":
    "Das Gateway läuft auf einem anderen Port als dem eingestellten, der frei ist.",
  "The gateway is running and ready.": "Das Gateway läuft und ist bereit.",
  "The port is free.": "Der Port ist frei.",
  "Commands run in a cage.": "Befehle laufen in einem Käfig.",
  "No time zone is set; using UTC.": "Keine Zeitzone eingestellt; es gilt UTC.",
  "The clock is plausible.": "Die Uhr geht richtig.",
  "{0} answers.": "{0} antwortet.",
  // Integrations, as their manifests tell of them.
  "Your calendar over CalDAV: Google, iCloud, Fastmail, Nextcloud and others.":
    "Dein Kalender über CalDAV: Google, iCloud, Fastmail, Nextcloud und andere.",
  "See your events, and find time that is free.": "Deine Termine sehen und freie Zeit finden.",
  "Create, move and delete events; each of these can be undone.":
    "Termine anlegen, verschieben und löschen; alles lässt sich rückgängig machen.",
  "Remind you of an event before it begins.": "Dich vor einem Termin erinnern.",
  "Issues, pull requests, files and checks of your repositories on GitHub.":
    "Issues, Pull Requests, Dateien und Checks deiner Repositories auf GitHub.",
  "Read issues, pull requests, comments, files and the state of checks, and search.":
    "Issues, Pull Requests, Kommentare, Dateien und Checks lesen und durchsuchen.",
  "Write comments, open and change issues, and open pull requests; each can be undone.":
    "Kommentieren, Issues anlegen und ändern, Pull Requests öffnen; alles lässt sich rückgängig machen.",
  "The visitors of your websites, counted by PostHog.": "Die Besucher deiner Websites, gezählt von PostHog.",
  "Tell how many visitors and page views a website had.":
    "Sagen, wie viele Besucher und Seitenaufrufe eine Website hatte.",
  "Look at a website's visitors at set times, and tell you when a number is reached or missed.":
    "Zu festen Zeiten nach den Besuchern sehen und melden, wenn eine Zahl erreicht oder verfehlt ist.",
  "Look at the rights of the state directory: elwood doctor":
    "Sieh dir die Rechte des Datenordners an: elwood doctor",
  "Set ELWOOD_HOME to a folder you can write to.":
    "Setze ELWOOD_HOME auf einen Ordner, in den du schreiben kannst.",
  "Choose another place with --output.": "Wähle mit --output einen anderen Ort.",
  "Nothing was restored from {0}; what was there is unchanged.":
    "Aus {0} wurde nichts wiederhergestellt; was da war, ist unverändert.",
  "Choose another state directory: ELWOOD_HOME=/path elwood …":
    "Wähle einen anderen Datenordner: ELWOOD_HOME=/path elwood …",
};
