/** What failures say that only a terminal shows: those of commands, of a start, and of backups. `{0}` is the first value. */
export const GERMAN_CLI_FAILURES: Readonly<Record<string, string>> = {
  // Why a call asks, or is denied; the page has the most usual ones.
  "{0}; the model wrote it.": "{0}; das hat das Modell geschrieben.",
  "{0}; it came from {1}.": "{0}; es kam aus {1}.",
  "{0}; it came from {1}, which anybody may have written.":
    "{0}; es kam aus {1}, was jeder geschrieben haben kann.",
  "This address leads to Elwood itself.": "Diese Adresse führt zu Elwood selbst.",
  "The tool's own policy denies every call of it.":
    "Die eigenen Regeln des Werkzeugs verbieten jeden Aufruf.",
  "The tool itself wants to be asked about every call.":
    "Das Werkzeug selbst will bei jedem Aufruf gefragt werden.",
  "The tool is new: you have not said yet that it may be used unasked.":
    "Das Werkzeug ist neu: Du hast noch nicht gesagt, dass es ohne Frage laufen darf.",
  "The tool is not the one you knew: its description, its schema, its labels or its code have changed.":
    "Das Werkzeug ist nicht mehr das, das du kanntest: Beschreibung, Schema, Einstufung oder Code sind anders.",
  "You allowed this tool for this message, and it is given nothing but what you typed.":
    "Du hast dieses Werkzeug für diese Nachricht erlaubt, und es bekommt nur, was du getippt hast.",
  "It can be undone.": "Es lässt sich rückgängig machen.",
  "It carries something out of this machine, and in the mode strict every such call asks.":
    "Es trägt etwas aus diesem Rechner hinaus, und im Modus strict fragt jeder solche Aufruf.",
  "It changes something outside this machine, and in the mode strict every such call asks.":
    "Es ändert etwas außerhalb dieses Rechners, und im Modus strict fragt jeder solche Aufruf.",
  "It changes something, and in the mode strict every such call asks.":
    "Es ändert etwas, und im Modus strict fragt jeder solche Aufruf.",
  "That does not cover where the data goes.": "Das gilt nicht dafür, wohin die Daten gehen.",
  "What it sends holds nothing private.": "Was es sendet, enthält nichts Privates.",
  "You gave a standing permission for this very call.": "Du hast genau diesen Aufruf auf Dauer erlaubt.",
  "You gave a standing permission for this tool.": "Du hast dieses Werkzeug auf Dauer erlaubt.",
  "The assistant asks you something.": "Der Assistent fragt dich etwas.",
  "A tool asks you something.": "Ein Werkzeug fragt dich etwas.",
  "Your answer goes to it.": "Deine Antwort geht an es.",
  "The program would make several calls that ask.": "Das Programm würde mehrere Aufrufe machen, die fragen.",
  "They are listed, so that you can decide about all at once; a call that is not as listed asks for itself.":
    "Sie sind aufgelistet, damit du über alle auf einmal entscheiden kannst; ein Aufruf, der anders ist, fragt für sich.",
  "The catalog cannot be called from itself.": "Das Verzeichnis lässt sich nicht aus sich selbst aufrufen.",
  "What this call of {0} is about could not be found out, so it is not made.":
    "Worum es bei diesem Aufruf von {0} geht, ließ sich nicht feststellen, deshalb wird er nicht gemacht.",
  "The input does not fit the tool, so the call would be refused before anybody is asked.":
    "Die Eingabe passt nicht zum Werkzeug; der Aufruf würde abgelehnt, bevor jemand gefragt wird.",
  "This makes a tool of Elwood's own, which may then be used for this message too, as long as it only reads, needs no key and is given nothing but what you typed.":
    "Das macht ein eigenes Werkzeug von Elwood, das dann auch für diese Nachricht benutzt werden darf, solange es nur liest, keinen Schlüssel braucht und nur bekommt, was du getippt hast.",
  "What is undone is gone, with all that was built on it, so an undo always asks.":
    "Was rückgängig gemacht wird, ist fort, mit allem, was darauf aufbaut; deshalb fragt das immer.",
  "The tool does not declare {0} among its hosts.": "Das Werkzeug nennt {0} nicht unter seinen Adressen.",
  'It declares none; add "{0}" to `hosts` in its defineTool().':
    "Es nennt keine; ergänze „{0}“ unter `hosts` in seinem defineTool().",
  'It declares {0}; add "{1}" to `hosts` in its defineTool().':
    "Es nennt {0}; ergänze „{1}“ unter `hosts` in seinem defineTool().",
  "The name {0} was not found.": "Der Name {0} wurde nicht gefunden.",
  "It only closes pages that this conversation itself opened.":
    "Es schließt nur Seiten, die dieses Gespräch selbst geöffnet hat.",
  "It puts a file from the web onto this machine, and that is always asked.":
    "Es legt eine Datei aus dem Netz auf diesem Rechner ab, und das wird immer gefragt.",
  "The field {0} on {1} is {2}, and nothing is typed into such a field unasked.":
    "Das Feld {0} auf {1} ist {2}, und in so ein Feld wird nichts ungefragt getippt.",
  "It only reads your own calendar.": "Es liest nur deinen eigenen Kalender.",
  "An event that repeats always asks first.": "Ein Termin, der sich wiederholt, fragt immer zuerst.",
  "Deleting a whole series always asks.": "Eine ganze Serie zu löschen, fragt immer.",
  "Elwood has not listed this event since it was started.":
    "Elwood hat diesen Termin seit dem Start noch nicht aufgelistet.",
  "Others are invited, and your calendar server may tell them.":
    "Andere sind eingeladen, und dein Kalenderserver sagt es ihnen vielleicht.",
  "{0} is a file that usually holds keys, passwords or what you typed, so opening, changing or moving it always asks.":
    "{0} ist eine Datei, in der meist Schlüssel, Passwörter oder Getipptes stehen; sie zu öffnen, zu ändern oder zu verschieben, fragt immer.",
  "This file tells Elwood who it is or what it can do, so a change to it always asks.":
    "Diese Datei sagt Elwood, wer er ist oder was er kann; sie zu ändern, fragt immer.",
  "{0} is in a folder that you marked as synced to other places, so changing it always asks.":
    "{0} liegt in einem Ordner, den du als anderswohin abgeglichen markiert hast; eine Änderung fragt immer.",
  "{0} is a name that other programs run or obey, so changing it always asks.":
    "{0} ist ein Name, den andere Programme ausführen oder befolgen; eine Änderung fragt immer.",
  "What {0} was before is kept for {1} days, so this can be undone.":
    "Was {0} vorher war, bleibt {1} Tage lang erhalten; das lässt sich also rückgängig machen.",
  "It only reads {0}, which you named as yours.": "Es liest nur {0}, das du als deines genannt hast.",
  "Nothing of the issue would be changed.": "Am Issue würde nichts geändert.",
  "It only asks your own PostHog for numbers.": "Es fragt nur dein eigenes PostHog nach Zahlen.",
  "A job that repeats always asks first.": "Ein Auftrag, der sich wiederholt, fragt immer zuerst.",
  "It is to have the network, and could send anything it can read anywhere, and reach services on this machine.":
    "Es soll ins Netz dürfen und könnte alles, was es lesen kann, irgendwohin senden und Dienste auf diesem Rechner erreichen.",
  "It could change files that tell Elwood who it is or what it can do, so it asks every time.":
    "Es könnte Dateien ändern, die Elwood sagen, wer er ist oder was er kann, und fragt deshalb jedes Mal.",
  "It only looks, and runs where it can neither change anything nor reach the network.":
    "Es sieht nur nach und läuft dort, wo es weder etwas ändern noch das Netz erreichen kann.",
  "The environment of commands is built by Elwood; {0} cannot be set by a call.":
    "Die Umgebung von Befehlen baut Elwood; {0} kann ein Aufruf nicht setzen.",
  "You can let further names through with shell.env.": "Weitere Namen kannst du mit shell.env durchlassen.",
  "This command of git can run other programs, or reach other machines.":
    "Dieser Befehl von git kann andere Programme ausführen oder andere Rechner erreichen.",
  "With these options {0} runs another program.": "Mit diesen Optionen führt {0} ein anderes Programm aus.",
  "The program is named by a path of its own, not found where the system keeps programs.":
    "Das Programm ist mit einem eigenen Pfad benannt und liegt nicht dort, wo das System Programme hat.",
  "Commands cannot be caged here, since {0}, and shell.requireCage forbids to run them without.":
    "Befehle lassen sich hier nicht einsperren ({0}), und shell.requireCage verbietet, sie ohne Käfig auszuführen.",
  "It would run without a cage, since {0}: it could read and change all that Elwood itself can, its keys included.":
    "Es würde ohne Käfig laufen ({0}): Es könnte alles lesen und ändern, was Elwood selbst kann, auch seine Schlüssel.",
  "It formats a disk.": "Es formatiert eine Platte.",
  "It writes straight to a device.": "Es schreibt direkt auf ein Gerät.",
  "It starts itself over and over until the machine stops.":
    "Es startet sich immer wieder, bis der Rechner stehen bleibt.",
  "It turns the machine off, or starts it again.": "Es schaltet den Rechner aus oder startet ihn neu.",
  "It wipes or divides a disk.": "Es löscht oder teilt eine Platte.",
  "It lets everybody on this machine change system folders.":
    "Es lässt jeden auf diesem Rechner Systemordner ändern.",
  "It changes the owner of every file on this machine.":
    "Es ändert den Besitzer jeder Datei auf diesem Rechner.",
  "It ends every program of this machine.": "Es beendet jedes Programm auf diesem Rechner.",
  "It is too long to be held against the dangerous patterns.":
    "Es ist zu lang, um es mit den gefährlichen Mustern zu vergleichen.",
  "It could not be held against the dangerous patterns in time.":
    "Es ließ sich nicht rechtzeitig mit den gefährlichen Mustern vergleichen.",
  "It fits one of the patterns that you listed as dangerous (permissions.dangerousPatterns).":
    "Es passt auf eines der Muster, die du als gefährlich aufgeführt hast (permissions.dangerousPatterns).",
  "It writes the note {0} anew and leaves out a line that is in it.":
    "Es schreibt die Notiz {0} neu und lässt eine Zeile weg, die darin steht.",
  "It writes the note {0} anew and leaves out {1} lines that are in it.":
    "Es schreibt die Notiz {0} neu und lässt {1} Zeilen weg, die darin stehen.",
  'The text for {0} holds "[redacted…]", which stands where Elwood took out a secret.':
    "Der Text für {0} enthält „[redacted…]“, das dort steht, wo Elwood ein Geheimnis herausgenommen hat.",
  "Writing it would destroy the secret in the file.":
    "Ihn zu schreiben, würde das Geheimnis in der Datei zerstören.",
  "Use files.file.edit and leave that part alone.":
    "Nimm files.file.edit und lass diese Stelle, wie sie ist.",
  "{0} goes through a symbolic link, which is never followed.":
    "{0} geht durch einen symbolischen Link, und keinem wird je gefolgt.",
  "The home folder of another user is outside of what Elwood may use.":
    "Der Ordner eines anderen Benutzers liegt außerhalb dessen, was Elwood benutzen darf.",
  "The path leads out of the folders that Elwood may use.":
    "Der Pfad führt aus den Ordnern hinaus, die Elwood benutzen darf.",
  '"{0}" is the name of a device on some systems.': "„{0}“ ist auf manchen Systemen der Name eines Geräts.",
  "{0} was moved or replaced while it was being opened.":
    "{0} wurde verschoben oder ersetzt, während es geöffnet wurde.",
  "{0} is a symbolic link, which is never followed.":
    "{0} ist ein symbolischer Link, und keinem wird je gefolgt.",
  "Name the real path.": "Nenne den echten Pfad.",
  "{0} is a device, a pipe or a socket, not a file.":
    "{0} ist ein Gerät, eine Pipe oder ein Socket und keine Datei.",
  "{0} has more than one name (a hard link), so it may be a file from elsewhere.":
    "{0} hat mehr als einen Namen (einen Hardlink) und ist vielleicht eine Datei von anderswo.",
  "Devices and system folders are never read or written as files.":
    "Geräte und Systemordner werden nie wie Dateien gelesen oder geschrieben.",
  "Elwood may read {0}, but not change anything in it.": "Elwood darf {0} lesen, aber nichts darin ändern.",
  "{0} is, or holds, a folder that was given to Elwood.":
    "{0} ist ein Ordner, der Elwood gegeben wurde, oder enthält einen.",
  "{0} is where keys and passwords are kept; no tool opens it.":
    "In {0} stehen Schlüssel und Passwörter; kein Werkzeug öffnet es.",
  "{0} holds keys, passwords or Elwood's own state; what contains it stays where it is.":
    "{0} enthält Schlüssel, Passwörter oder Elwoods eigene Daten; was es enthält, bleibt, wo es ist.",
  "{0} is a device, a pipe or a socket; what contains it stays where it is.":
    "{0} ist ein Gerät, eine Pipe oder ein Socket; was es enthält, bleibt, wo es ist.",
  // A start.
  "{0} is not the file that Elwood left there.": "{0} ist nicht die Datei, die Elwood dort hinterlassen hat.",
  "Nothing was started or changed.": "Nichts wurde gestartet oder geändert.",
  "It holds nothing that is needed: remove it, then try again.":
    "Sie enthält nichts, was gebraucht wird: Entferne sie und versuche es dann noch einmal.",
  "{0} is a database, but not one of Elwood's.": "{0} ist eine Datenbank, aber keine von Elwood.",
  "{0} was written by a newer Elwood (schema {1}; this one knows up to {2}).":
    "{0} wurde von einem neueren Elwood geschrieben (Schema {1}; dieses kennt bis {2}).",
  "An elwood command in another terminal (pid {0}) is still at work and keeps Elwood running on {1}.":
    "Ein elwood-Befehl in einem anderen Terminal (PID {0}) arbeitet noch und hält Elwood auf {1} am Laufen.",
  "An elwood command in another terminal (pid {0}) is still waiting for your decision and keeps Elwood running on {1}.":
    "Ein elwood-Befehl in einem anderen Terminal (PID {0}) wartet noch auf deine Entscheidung und hält Elwood auf {1} am Laufen.",
  "Decide with {0} approvals list, or stop that command, then try again.":
    "Entscheide mit {0} approvals list, oder halte den Befehl an, und versuche es dann noch einmal.",
  "Wait until it is done, or stop it, then try again.":
    "Warte, bis er fertig ist, oder halte ihn an, und versuche es dann noch einmal.",
  "Elwood already runs on {0} (pid {1}, {2}).": "Elwood läuft schon auf {0} (PID {1}, {2}).",
  "Elwood already runs on {0}{1}.": "Elwood läuft schon auf {0}{1}.",
  "Join it: leave out --local, or in a program use a GatewayEngine.":
    "Benutze das: Lass --local weg, oder nimm in einem Programm eine GatewayEngine.",
  "Another process has {0} open.": "Ein anderer Prozess hat {0} offen.",
  "Wait until it is done, stop it, or give this one a directory of its own: ELWOOD_HOME=/another/place.":
    "Warte, bis er fertig ist, halte ihn an, oder nimm hier einen eigenen Ordner: ELWOOD_HOME=/another/place.",
  'Use it with "elwood open" or "elwood status", stop it, or give this one a directory of its own: ELWOOD_HOME=/another/place.':
    "Benutze es mit „elwood open“ oder „elwood status“, halte es an, oder nimm hier einen eigenen Ordner: ELWOOD_HOME=/another/place.",
  "Port {0} is used by {1}.": "Port {0} wird von {1} benutzt.",
  "Elwood did not start.": "Elwood wurde nicht gestartet.",
  'If that is Elwood too, look at it with "elwood status"; else choose another: --port {0}.':
    "Ist das auch Elwood, zeigt es „elwood status“; sonst nimm einen anderen: --port {0}.",
  "Cannot listen on {0}:{1} ({2}).": "Auf {0}:{1} lässt sich nicht lauschen ({2}).",
  "Choose another with --host and --port.": "Wähle mit --host und --port etwas anderes.",
  "With host {0}, every machine that can reach this one could talk to your assistant, and whoever has the token commands it.":
    "Mit host {0} könnte jede Maschine, die diese erreicht, mit deinem Assistenten sprechen; und wer das Token hat, gibt ihm Befehle.",
  "Set a token of your own first: ELWOOD_TOKEN=$(openssl rand -hex 24).":
    "Setze zuerst ein eigenes Token: ELWOOD_TOKEN=$(openssl rand -hex 24).",
  "Or leave out --host, and only this machine can connect.":
    "Oder lass --host weg; dann kann sich nur diese Maschine verbinden.",
  "The state directory would be {0} itself.": "Der Datenordner wäre {0} selbst.",
  "Elwood closes its state directory to other users, so it needs one of its own: set ELWOOD_HOME to {0}, for example.":
    "Elwood schließt seinen Datenordner für andere Benutzer und braucht deshalb einen eigenen: Setze ELWOOD_HOME etwa auf {0}.",
  "A restore of {0} was broken off in the middle.":
    "Eine Wiederherstellung von {0} wurde mittendrin abgebrochen.",
  "Finish it with: elwood backup restore --finish": "Führe sie zu Ende mit: elwood backup restore --finish",
  "The key that signs receipts ({0}) is not the one that signed them until now ({1}).":
    "Der Schlüssel, der Belege unterschreibt ({0}), ist nicht der, der sie bis jetzt unterschrieben hat ({1}).",
  "Put the old key back.": "Lege den alten zurück.",
  "If it is lost, keep {0} elsewhere to check what it signed, move it out of the keys folder and move elwood.db away: a new log begins.":
    "Ist er verloren, bewahre {0} anderswo auf, um zu prüfen, was er unterschrieben hat, nimm die Datei aus dem Ordner keys und lege elwood.db beiseite: Dann beginnt ein neues Protokoll.",
  "{0} holds no Ed25519 key, so nothing can be checked or signed with it.":
    "In {0} ist kein Ed25519-Schlüssel; damit lässt sich nichts prüfen oder unterschreiben.",
  "Elwood runs on {0}, but this shell has no valid token: set ELWOOD_TOKEN, or ELWOOD_TOKEN_FILE to a file that has it.":
    "Elwood läuft auf {0}, aber diese Shell hat kein gültiges Token: Setze ELWOOD_TOKEN, oder ELWOOD_TOKEN_FILE auf eine Datei, in der es steht.",
  "Another Elwood holds {0} but does not answer.": "Ein anderes Elwood hat {0} offen, antwortet aber nicht.",
  // Backups.
  "The passphrase has fewer than {0} characters.": "Die Passphrase hat weniger als {0} Zeichen.",
  "Take four or five words that nobody would guess.":
    "Nimm vier oder fünf Wörter, die niemand erraten würde.",
  "The passphrase does not open {0}.": "Die Passphrase öffnet {0} nicht.",
  "Try again with the passphrase that it was made with; without it nobody can open it.":
    "Versuche es mit der Passphrase, mit der sie gemacht wurde; ohne die kann sie niemand öffnen.",
  "{0} is cut short or damaged: its beginning cannot be read.":
    "{0} ist abgeschnitten oder beschädigt: Der Anfang ist nicht lesbar.",
  "{0} is cut short or damaged: {1}.": "{0} ist abgeschnitten oder beschädigt: {1}.",
  "Copy it again from where it was, or take another backup.":
    "Kopiere sie noch einmal von dort, wo sie war, oder nimm eine andere Sicherung.",
  "Conversations were rewritten again and again while they were copied ({0}).":
    "Gespräche wurden beim Kopieren immer wieder umgeschrieben ({0}).",
  "No backup was made.": "Es wurde keine Sicherung gemacht.",
  "Try again when Elwood has finished forgetting.":
    "Versuche es noch einmal, wenn Elwood mit dem Vergessen fertig ist.",
  "There is nothing to back up yet: {0} is empty.": "Es gibt noch nichts zu sichern: {0} ist leer.",
  "Elwood fills it when it first runs.": "Elwood füllt den Ordner beim ersten Start.",
  "{0} exists already and was left as it is.": "{0} gibt es schon und bleibt, wie es ist.",
  "To write over it: add --force.": "Zum Überschreiben: --force dazu.",
  "There is nothing to back up: {0} does not exist.": "Es gibt nichts zu sichern: {0} existiert nicht.",
  "Name the data folder with --home.": "Nenne den Datenordner mit --home.",
  "{0} is encrypted.": "{0} ist verschlüsselt.",
  "Give the passphrase: on a terminal you are asked for it, elsewhere name a file with --passphrase-file.":
    "Gib die Passphrase an: In einem Terminal wirst du danach gefragt, sonst nenne mit --passphrase-file eine Datei.",
  "{0} was made by a newer Elwood ({1}; its database has schema {2}, this one knows up to {3}).":
    "{0} wurde von einem neueren Elwood gemacht ({1}; seine Datenbank hat Schema {2}, dieses kennt bis {3}).",
  "Install that Elwood, or a newer one, and restore with it.":
    "Installiere dieses oder ein neueres Elwood und stelle damit wieder her.",
  "{0} cannot be read ({1}).": "{0} ist nicht lesbar ({1}).",
  "{0} is not a backup that Elwood made.": "{0} ist keine Sicherung von Elwood.",
  "No restore of {0} was broken off.": "Es wurde keine Wiederherstellung von {0} abgebrochen.",
  "Elwood is running on {0}.": "Elwood läuft auf {0}.",
  "Stop it first (Ctrl+C, or systemctl --user stop elwood), then restore.":
    "Halte es zuerst an (Strg+C, oder systemctl --user stop elwood), und stelle dann wieder her.",
  "An earlier restore of {0} was broken off.": "Eine frühere Wiederherstellung von {0} wurde abgebrochen.",
  "Finish it first with: elwood backup restore --finish":
    "Führe sie zuerst zu Ende: elwood backup restore --finish",
  "{0} is in use: Elwood has data there.": "{0} ist in Benutzung: Elwood hat dort Daten.",
  "Name another folder with --home, or add --replace: what is there now is then put aside, not deleted.":
    "Nenne mit --home einen anderen Ordner, oder nimm --replace dazu: Was jetzt dort ist, wird dann beiseitegelegt, nicht gelöscht.",
  "The backup needs {0} and the disk of {1} has {2} left.":
    "Die Sicherung braucht {0}, und auf der Festplatte von {1} sind noch {2} frei.",
  "{0} has more than {1} files.": "{0} hat mehr als {1} Dateien.",
  "The database in {0} is damaged: {1}.": "Die Datenbank in {0} ist beschädigt: {1}.",
  "The receipts in {0} are not those of its manifest.":
    "Die Belege in {0} sind nicht die aus ihrem Verzeichnis.",
  "The two passphrases are not the same.": "Die beiden Passphrasen sind nicht gleich.",
  "The passphrase file {0} cannot be read.": "Die Datei {0} mit der Passphrase ist nicht lesbar.",
  "Put {0} in place of what is in {1}?": "{0} an die Stelle dessen setzen, was in {1} ist?",
  "What is there now is put aside, not deleted.": "Was jetzt dort ist, wird beiseitegelegt, nicht gelöscht.",
  "There is no folder {0}.": "Den Ordner {0} gibt es nicht.",
  "Name the backup to restore.": "Nenne die Sicherung, die wiederhergestellt werden soll.",
  "See: elwood backup restore --help": "Siehe: elwood backup restore --help",
  // What a command was given.
  "--input is not valid JSON.": "--input ist kein gültiges JSON.",
  "This is not JSON.": "Das ist kein JSON.",
  "The input is not JSON.": "Die Eingabe ist kein JSON.",
  'Write it in single quotes: \'{"path": "notes.md"}\'':
    'Schreibe sie in einfachen Anführungszeichen: \'{"path": "notes.md"}\'',
  '--scope is "call" (only with these very arguments), "similar" (calls like it, where the card offers that) or "tool" (any input of the tool).':
    "--scope ist „call“ (nur mit genau diesen Angaben), „similar“ (ähnliche Aufrufe, wo die Karte das anbietet) oder „tool“ (jede Eingabe des Werkzeugs).",
  '--scope must be {0}, not "{1}".': "--scope muss {0} sein, nicht „{1}“.",
  '--api must be {0}, not "{1}".': "--api muss {0} sein, nicht „{1}“.",
  '--level must be {0}, not "{1}".': "--level muss {0} sein, nicht „{1}“.",
  '--format must be markdown or json, not "{0}".': "--format muss markdown oder json sein, nicht „{0}“.",
  '--lint takes error, warning or info, not "{0}".': "--lint nimmt error, warning oder info, nicht „{0}“.",
  '--values takes {0}, not "{1}".': "--values nimmt {0}, nicht „{1}“.",
  '--status must be one of {0}, not "{1}".': "--status muss eines von {0} sein, nicht „{1}“.",
  "--lines must be a whole number from 1 to {0}.": "--lines muss eine ganze Zahl von 1 bis {0} sein.",
  "--lines must be a whole number from 1 to 500.": "--lines muss eine ganze Zahl von 1 bis 500 sein.",
  "--limit must be a whole number from 1 to {0}.": "--limit muss eine ganze Zahl von 1 bis {0} sein.",
  "--timeout must be a whole number of seconds.": "--timeout muss eine ganze Zahl von Sekunden sein.",
  "--oauth-port must be a number from 1 to 65535.": "--oauth-port muss eine Zahl von 1 bis 65535 sein.",
  "--older-than takes a whole number of days, from 1.": "--older-than nimmt eine ganze Zahl von Tagen, ab 1.",
  "--expires-days must be a whole number from 1 to 3650.":
    "--expires-days muss eine ganze Zahl von 1 bis 3650 sein.",
  "--secret-env takes the name of a variable, or key=NAME.":
    "--secret-env nimmt den Namen einer Variablen, oder schlüssel=NAME.",
  '--credential takes name:/path/to/file, not "{0}".':
    "--credential nimmt name:/pfad/zur/datei, nicht „{0}“.",
  "{0} takes key=value.": "{0} nimmt schlüssel=wert.",
  "{0} takes NAME=value.": "{0} nimmt NAME=wert.",
  "--local is this process, and --url a gateway elsewhere: give one of them.":
    "--local ist dieser Prozess, --url ein Gateway anderswo: Gib eines davon an.",
  '"{0}" is no time.': "„{0}“ ist keine Zeit.",
  "Write 2h, 7d, 2026-11-15 or 2026-11-15T09:00:00Z.":
    "Schreibe 2h, 7d, 2026-11-15 oder 2026-11-15T09:00:00Z.",
  "To answer yes: add --yes.": "Um mit Ja zu antworten: --yes dazu.",
  "Say --yes to mean it.": "Wenn du es so meinst: --yes dazu.",
  "If it may: add --yes.": "Wenn ja: --yes dazu.",
  "Look with --dry-run; if it may: add --yes.": "Sieh mit --dry-run nach; wenn ja: --yes dazu.",
  "Add --yes to do it, where nobody can be asked.": "Wo niemand gefragt werden kann: --yes dazu.",
  "Nobody can be asked here whether that may be forgotten.":
    "Hier kann niemand gefragt werden, ob das vergessen werden darf.",
  "Nobody can be asked here whether the key may be changed.":
    "Hier kann niemand gefragt werden, ob der Schlüssel gewechselt werden darf.",
  'Nobody can be asked here whether "{0}" may be deleted.':
    "Hier kann niemand gefragt werden, ob „{0}“ gelöscht werden darf.",
  "This lets more happen.": "Damit darf mehr geschehen.",
  "Nothing was tried.": "Nichts wurde versucht.",
  "Nothing was installed.": "Nichts wurde installiert.",
  // Which one is meant.
  '"{0}" fits {1}.': "„{0}“ passt auf {1}.",
  '"{0}" fits {1}; write more of its id.': "„{0}“ passt auf {1}; schreibe mehr von der Kennung.",
  '"{0}" fits {1}; write more of its key:': "„{0}“ passt auf {1}; schreibe mehr vom Schlüssel:",
  '"{0}" fits {1} sessions; write more of its key:':
    "„{0}“ passt auf {1} Sitzungen; schreibe mehr vom Schlüssel:",
  "See them with: elwood grants list": "Welche es gibt, zeigt: elwood grants list",
  "See them with: elwood approvals list --all": "Welche es gibt, zeigt: elwood approvals list --all",
  "See them with: elwood sessions list": "Welche es gibt, zeigt: elwood sessions list",
  "See them with: elwood token list": "Welche es gibt, zeigt: elwood token list",
  "See what is there with: elwood sessions list --deleted":
    "Was dort liegt, zeigt: elwood sessions list --deleted",
  "List them with: elwood receipts list": "Welche es gibt, zeigt: elwood receipts list",
  'No approval fits "{0}".': "Keine Anfrage passt auf „{0}“.",
  'No session fits "{0}".': "Keine Sitzung passt auf „{0}“.",
  'No run of "{0}" fits "{1}".': "Kein Lauf von „{0}“ passt auf „{1}“.",
  'Nothing in the trash fits "{0}".': "Nichts im Papierkorb passt auf „{0}“.",
  "{0} wait for you.": "{0} warten auf dich.",
  "Nothing was decided; say which by its id:": "Nichts wurde entschieden; sage mit der Kennung, welche:",
  "That is not the word, so nothing was decided.": "Das ist nicht das Wort; nichts wurde entschieden.",
  '"{0}" is no version: a number such as 2.': "„{0}“ ist keine Version; es ist eine Zahl wie 2.",
  // Messages.
  "The piped text is longer than {0} characters.": "Der Text aus der Pipe ist länger als {0} Zeichen.",
  "Nothing was sent; pipe a part of it.": "Nichts wurde gesendet; nimm einen Teil davon.",
  "The piped input is binary, not text.": "Was aus der Pipe kommt, ist kein Text.",
  "Nobody decided within {0}.": "Innerhalb von {0} hat niemand entschieden.",
  "The run waits on, and goes on when it is decided.":
    "Der Lauf wartet weiter und geht weiter, wenn entschieden ist.",
  "The text is too long for a QR code.": "Der Text ist zu lang für einen QR-Code.",
  // Keys.
  "No key is stored or set.": "Kein Schlüssel ist hinterlegt.",
  "Add one: {0} auth anthropic": "Hinterlege einen: {0} auth anthropic",
  "{0} has several keys.": "{0} hat mehrere Schlüssel.",
  "Say which: {0}": "Sage, welchen: {0}",
  "What came in on standard input is far too long to be a key.":
    "Was über die Standardeingabe kam, ist viel zu lang für einen Schlüssel.",
  "A key does not belong on the command line.": "Ein Schlüssel gehört nicht auf die Befehlszeile.",
  "Leave it out to be asked for it, or pipe it in: … | elwood config set {0} -":
    "Lass ihn weg, dann wirst du gefragt, oder gib ihn über eine Pipe: … | elwood config set {0} -",
  "Say what {0} is to be, or --unset to go back to its default.":
    "Sage, was {0} sein soll, oder --unset für den Standardwert.",
  "It is {0}.": "Jetzt ist es {0}.",
  // Channels.
  "There is no link: {0}": "Es gibt keinen Link: {0}",
  'There is no channel "{0}".': "Einen Kanal „{0}“ gibt es nicht.",
  "No token was given.": "Es wurde kein Token angegeben.",
  "Nobody with the id {0} was let in.": "Niemand mit der Kennung {0} wurde zugelassen.",
  "See who was: elwood pair list": "Wer es wurde, zeigt: elwood pair list",
  "Several channels know {0}: {1}.": "Mehrere Kanäle kennen {0}: {1}.",
  // The rest, by command.
  "Say for which shell: {0}.": "Sage, für welche Shell: {0}.",
  "For example: elwood completion {0}": "Zum Beispiel: elwood completion {0}",
  "There is no editor: EDITOR is not set, and neither {0} is installed.":
    "Es gibt keinen Editor: EDITOR ist nicht gesetzt, und {0} ist nicht installiert.",
  "Set EDITOR to the one you use{0}.": "Setze EDITOR auf den, den du benutzt{0}.",
  "The editor {0} could not be started.": "Der Editor {0} ließ sich nicht starten.",
  "The editor {0} was ended by a signal.": "Der Editor {0} wurde durch ein Signal beendet.",
  "The editor {0} ended with {1}.": "Der Editor {0} endete mit {1}.",
  'There is no part "{0}" to install.': "Einen Teil „{0}“ gibt es nicht zu installieren.",
  "There is: {0}.": "Es gibt: {0}.",
  'There is no integration "{0}".': "Eine Anbindung „{0}“ gibt es nicht.",
  "Elwood is not running, and keeps its log only while it runs.":
    "Elwood läuft nicht und hat nur im Betrieb ein Protokoll.",
  "Elwood is not running, and has not written {0} yet.":
    "Elwood läuft nicht und hat {0} noch nicht geschrieben.",
  "A service's log is in the journal: journalctl --user -u elwood.":
    "Das Protokoll eines Dienstes steht im Journal: journalctl --user -u elwood.",
  "To keep one in a file, set log.file.": "Für eines in einer Datei setze log.file.",
  "Elwood is not running, so there is nothing to follow.": "Elwood läuft nicht; es gibt nichts mitzulesen.",
  "Its last lines: {0} logs": "Die letzten Zeilen: {0} logs",
  "Write either a command behind --, or --url with an address.":
    "Schreibe entweder einen Befehl hinter --, oder --url mit einer Adresse.",
  "{0} is no tool of an MCP server, and takes no label.":
    "{0} ist kein Werkzeug eines MCP-Servers und nimmt keine Angabe an.",
  "Say what {0} does: reads, changes, sends, or none to be asked every time.":
    "Sage, was {0} tut: reads, changes, sends, oder none, um jedes Mal gefragt zu werden.",
  "Write what to look for: elwood memory search <words>":
    "Schreibe, wonach gesucht werden soll: elwood memory search <Wörter>",
  "Write what to look for: elwood sessions search <words>":
    "Schreibe, wonach gesucht werden soll: elwood sessions search <Wörter>",
  "A note holds at most {0} bytes.": "Eine Notiz fasst höchstens {0} Bytes.",
  "Name one thing to forget: a note, a place such as memory/default/home.md#4, --run, --session or --word.":
    "Nenne eine Sache, die vergessen werden soll: eine Notiz, eine Stelle wie memory/default/home.md#4, --run, --session oder --word.",
  "Say which line: {0}#4.": "Sage, welche Zeile: {0}#4.",
  "To forget a session whole: --session.": "Um eine ganze Sitzung zu vergessen: --session.",
  "What {0} says of {1} cannot be understood.": "Was {0} über {1} sagt, ist nicht zu verstehen.",
  "{0} does not have {1} {2}.": "{0} hat {1} {2} nicht.",
  "What {0} gave as {1} {2} is not what Elwood was tested with: its hash is another.":
    "Was {0} als {1} {2} liefert, ist nicht das, womit Elwood getestet wurde: Die Prüfsumme ist eine andere.",
  "Use another registry, or look who changed it.":
    "Nimm eine andere Registry, oder sieh nach, wer es geändert hat.",
  "{0} answered {1}.": "{0} antwortete {1}.",
  "{0} sent more than there can be.": "{0} hat mehr gesendet, als es geben kann.",
  "{0} cannot be reached.": "{0} ist nicht zu erreichen.",
  "Try again, or name another registry: npm_config_registry=https://…":
    "Versuche es noch einmal, oder nenne eine andere Registry: npm_config_registry=https://…",
  "The archive cannot be used: {0} does not belong in a package.":
    "Das Archiv ist nicht brauchbar: {0} gehört nicht in ein Paket.",
  "The archive cannot be used: it unpacks to more than there can be.":
    "Das Archiv ist nicht brauchbar: Ausgepackt ist es größer als erlaubt.",
  "The archive cannot be used: it has more files than there can be.":
    "Das Archiv ist nicht brauchbar: Es hat mehr Dateien als erlaubt.",
  "There is no mode {0}.": "Einen Modus {0} gibt es nicht.",
  "Modes: {0}.": "Modi: {0}.",
  "{0} asks less than {1}.": "{0} fragt seltener als {1}.",
  "The file has {0} cases; at most {1} are tried at once.":
    "Die Datei hat {0} Fälle; höchstens {1} werden auf einmal versucht.",
  'Line {0} is no case: {"typed": "…", "tool": "…", "input": {…}, "expect": "allow" | "ask" | "deny"}.':
    'Zeile {0} ist kein Fall: {"typed": "…", "tool": "…", "input": {…}, "expect": "allow" | "ask" | "deny"}.',
  "{0} is not a proof of a receipt.": "{0} ist kein Beweis eines Belegs.",
  "There is no public key to check the proof with.":
    "Es gibt keinen öffentlichen Schlüssel, um den Beweis zu prüfen.",
  "Name one with --key.": "Nenne einen mit --key.",
  "Name the file with --key.": "Nenne die Datei mit --key.",
  "There are no receipts yet, so there is nothing to export.":
    "Es gibt noch keine Belege, also nichts zu exportieren.",
  "{0} is not empty.": "{0} ist nicht leer.",
  "Nothing was written; name a new folder.": "Nichts wurde geschrieben; nenne einen neuen Ordner.",
  "{0} cannot be used to check the receipts: {1}.": "Mit {0} lassen sich die Belege nicht prüfen: {1}.",
  "{0} is too large to be what it should be.": "{0} ist zu groß für das, was es sein soll.",
  "A service of the whole system is installed by root.": "Einen Dienst des ganzen Systems installiert root.",
  "Run it with sudo, or without --system.": "Nimm sudo, oder lass --system weg.",
  "There is no service to remove: {0} does not exist.":
    "Es gibt keinen Dienst zu entfernen: {0} existiert nicht.",
  "On macOS Elwood runs as a launch agent of yours.":
    "Unter macOS läuft Elwood als dein eigener Launch-Agent.",
  "Leave --system out.": "Lass --system weg.",
  "There are no services for {0} yet.": "Für {0} gibt es noch keine Dienste.",
  "Let your system start: elwood up --no-open": "Lass dein System dies starten: elwood up --no-open",
  '"{0}" is not a user name.': "„{0}“ ist kein Benutzername.",
  "This system has no systemd.": "Dieses System hat kein systemd.",
  "{0} did not work: {1}.": "{0} ging nicht: {1}.",
  "What was written before stays; try again, or remove it with: elwood service uninstall":
    "Was schon geschrieben wurde, bleibt; versuche es noch einmal, oder entferne es mit: elwood service uninstall",
  "A path with a line break in it cannot be part of a service.":
    "Ein Pfad mit einem Zeilenumbruch kann nicht zu einem Dienst gehören.",
  "The new title is empty.": "Der neue Titel ist leer.",
  "A title has at most {0} characters.": "Ein Titel hat höchstens {0} Zeichen.",
  'Nothing was answered in "{0}" yet, so there is nothing to copy.':
    "In „{0}“ wurde noch nichts beantwortet; es gibt nichts zu kopieren.",
  "There is no data folder yet: {0}.": "Es gibt noch keinen Datenordner: {0}.",
  "The first start makes it.": "Der erste Start legt ihn an.",
  "A token needs a name by which you will know it: --name laptop":
    "Ein Token braucht einen Namen, an dem du es erkennst: --name laptop",
  "That is a token itself, not its id.": "Das ist ein Token selbst, nicht seine Kennung.",
  "Find its id with: elwood token list": "Seine Kennung zeigt: elwood token list",
  'No token is called "{0}".': "Kein Token heißt „{0}“.",
  '{0} tokens are called "{1}"; write the id:': "{0} Tokens heißen „{1}“; schreibe die Kennung:",
  "{0} is there already and was left alone.": "{0} gibt es schon und bleibt, wie es ist.",
  "{0}: an integration's name is one word of lower-case letters and digits, such as weather.":
    "{0}: Der Name einer Anbindung ist ein Wort aus Kleinbuchstaben und Ziffern, etwa weather.",
  "There are no tests in {0}: files that end in .test.ts.":
    "In {0} gibt es keine Tests, also Dateien, die auf .test.ts enden.",
  "There is nothing more to undo: “{0}” was the last call that could be, and it is undone.":
    "Mehr gibt es nicht rückgängig zu machen: „{0}“ war das Letzte, und es ist rückgängig gemacht.",
  "{0} has no package of this Elwood.": "{0} hat kein Paket dieses Elwood.",
  "This is version {0}.": "Das hier ist Version {0}.",
  "{0} cannot be read: {1}.": "{0} ist nicht lesbar: {1}.",
  "The gateway went away.": "Das Gateway ist weg.",
  "What was asked of it is kept, and is done when it is back.":
    "Worum es gebeten wurde, ist gespeichert und geschieht, sobald es wieder da ist.",
  // What the doctor finds where no page can be open.
  "No configuration file is there yet; the first start writes one.":
    "Es gibt noch keine Einstellungsdatei; der erste Start schreibt eine.",
  "The first start makes it: elwood up": "Der erste Start legt es an: elwood up",
  "There is no database yet.": "Es gibt noch keine Datenbank.",
  "The next start fills it: elwood up": "Der nächste Start füllt sie: elwood up",
  "The database is empty.": "Die Datenbank ist leer.",
  "The database is not one of Elwood's.": "Die Datenbank ist keine von Elwood.",
  "Move it away, or choose another state directory with ELWOOD_HOME.":
    "Lege sie woandershin, oder wähle mit ELWOOD_HOME einen anderen Datenordner.",
  "The database was written by a newer Elwood; this one knows schema {0}.":
    "Die Datenbank wurde von einem neueren Elwood geschrieben; dieses kennt Schema {0}.",
  "Start the newer Elwood, or put back a copy from the backups folder that this one can read.":
    "Starte das neuere Elwood, oder spiele aus dem Ordner der Sicherungen eine zurück, die dieses lesen kann.",
  "The database has an older schema.": "Die Datenbank ist noch auf einem älteren Stand.",
  "The next start copies it to the backups folder and brings it up to date.":
    "Der nächste Start sichert sie und bringt sie auf den neuesten.",
  "Set ELWOOD_TOKEN, or ELWOOD_TOKEN_FILE to a file that has it.":
    "Setze ELWOOD_TOKEN, oder ELWOOD_TOKEN_FILE auf eine Datei, in der es steht.",
  "A gateway is starting or stopping on this state directory.":
    "Auf diesem Datenordner startet gerade ein Gateway, oder es hält an.",
  "If it does not come up in a minute, look for Elwood's process and stop it.":
    "Wenn es in einer Minute nicht da ist, suche den Prozess von Elwood und beende ihn.",
  "No gateway is running.": "Es läuft kein Gateway.",
  "The gateway runs but is not ready ({0}).": "Das Gateway läuft, ist aber nicht bereit ({0}).",
  "The gateway is running and ready, but this shell has no valid token.":
    "Das Gateway läuft und ist bereit, aber diese Shell hat kein gültiges Token.",
  "Stop it and start it again: elwood up": "Halte es an und starte es neu: elwood up",
  "The running gateway has version {0}, this command {1}.":
    "Das laufende Gateway hat Version {0}, dieser Befehl {1}.",
  "A gateway holds the state directory but does not answer.":
    "Ein Gateway hat den Datenordner offen, antwortet aber nicht.",
  "Look at what it does (pid {0}), then stop it: kill {1}.":
    "Sieh nach, was es tut (PID {0}), und beende es dann: kill {1}.",
  "A gateway that is gone left its address behind.":
    "Ein Gateway, das weg ist, hat seine Adresse hinterlassen.",
  "The next start writes it again; or now: elwood doctor --fix":
    "Der nächste Start schreibt sie neu; oder jetzt: elwood doctor --fix",
  "Wait a moment, then run the doctor again.": "Warte einen Moment und prüfe dann noch einmal.",
  "There is no state directory yet.": "Es gibt noch keinen Datenordner.",
  "The state directory is not a folder.": "Der Datenordner ist kein Ordner.",
  "Move that file away, or choose another state directory with ELWOOD_HOME.":
    "Lege die Datei woandershin, oder wähle mit ELWOOD_HOME einen anderen Datenordner.",
  "The state directory belongs to another user.": "Der Datenordner gehört einem anderen Benutzer.",
  "Run Elwood as user {0}, or make the folder yours: sudo chown -R {1} {2}":
    "Führe Elwood als Benutzer {0} aus, oder mache den Ordner zu deinem: sudo chown -R {1} {2}",
  "There is no workspace yet.": "Es gibt noch keinen Arbeitsordner.",
  "The port is used by {0}, so elwood up would not start.":
    "Den Port benutzt {0}; elwood up würde nicht starten.",
  "Stop that program, or choose another port: elwood up --port {0}":
    "Halte das Programm an, oder nimm einen anderen Port: elwood up --port {0}",
  "Any free port will do.": "Jeder freie Port ist recht.",
  "This gateway was not started from the command line; run: elwood doctor":
    "Dieses Gateway wurde nicht von der Befehlszeile gestartet; nimm: elwood doctor",
  "A chat service is set up, and no gateway listens to it.":
    "Ein Chatdienst ist eingerichtet, und kein Gateway hört ihm zu.",
  "Start it with: elwood up": "Starte es mit: elwood up",
  "Set ELWOOD_TOKEN, or host to 127.0.0.1.": "Setze ELWOOD_TOKEN, oder host auf 127.0.0.1.",
  "The service was stopped; its file is still there.":
    "Der Dienst wurde angehalten; seine Datei ist noch da.",
  "No service was installed.": "Es wurde kein Dienst installiert.",
  "Name a file that can be read.": "Nenne eine Datei, die sich lesen lässt.",
  "Choose another file.": "Wähle eine andere Datei.",
};
