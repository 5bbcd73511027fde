import type { SpokenSentence } from "@elwood/core/base/sentences";

/** What `--help` says, in German, by its English: every command, argument and option. */
export const GERMAN_HELP: Readonly<Record<string, string>> = {
  // What the library says by itself.
  "Usage:": "Aufruf:",
  "Arguments:": "Argumente:",
  "Options:": "Optionen:",
  "Commands:": "Befehle:",
  "display help for command": "diese Hilfe",
  "output the version number": "die Version",

  "A personal AI assistant that you run yourself.": "Ein persönlicher KI-Assistent, den du selbst betreibst.",
  "what to say to the assistant": "was dem Assistenten gesagt wird",
  "go on in the last session": "in der letzten Sitzung weitermachen",
  "go on in this session": "in dieser Sitzung weitermachen",
  "go on in this session: its key, the start of it, or words of its title":
    "in dieser Sitzung weitermachen: ihr Schlüssel, dessen Anfang oder Wörter des Titels",
  "ask this model": "dieses Modell fragen",
  "have this key pay, such as anthropic:work, and no other":
    "nur diesen Schlüssel bezahlen lassen, etwa anthropic:work",
  "open the session with this agent": "die Sitzung mit diesem Agenten beginnen",
  "print the answer as it comes": "die Antwort ausgeben, wie sie kommt",
  "show an answer as it comes": "eine Antwort zeigen, wie sie kommt",
  "print the answer once it is whole": "die Antwort erst ausgeben, wenn sie fertig ist",
  "wait so long (10m, 90s, 1h) for your decision, then exit: 4":
    "so lange (10m, 90s, 1h) auf deine Entscheidung warten, dann enden: 4",
  "print one JSON document": "ein JSON-Dokument ausgeben",
  "talk in this terminal; words are the first message":
    "in diesem Terminal reden; Wörter sind die erste Nachricht",
  "the model that answers in it": "das Modell, das darin antwortet",
  "the key that pays in it, such as anthropic:work": "der Schlüssel, der dafür bezahlt, etwa anthropic:work",
  "a model of this provider; the first one unless --model names it":
    "ein Modell dieses Anbieters; das erste, wenn --model keines nennt",
  "show an answer once it is whole": "eine Antwort erst zeigen, wenn sie fertig ist",
  "with panes beside the conversation": "mit Bereichen neben dem Gespräch",
  "run it all in this process, without a gateway beside it and without a port":
    "alles in diesem Prozess, ohne Gateway daneben und ohne Port",
  "a gateway elsewhere, such as https://elwood.example:18789":
    "ein Gateway anderswo, etwa https://elwood.example:18789",
  "a token of that gateway (ELWOOD_TOKEN)": "ein Token jenes Gateways (ELWOOD_TOKEN)",
  "where Elwood keeps its data (ELWOOD_HOME); with any command":
    "wo Elwood seine Daten hat (ELWOOD_HOME); bei jedem Befehl",
  "the configuration file (ELWOOD_CONFIG); with any command":
    "die Einstellungsdatei (ELWOOD_CONFIG); bei jedem Befehl",
  "into a pipe or a file, write control characters as they are; with any command":
    "in eine Pipe oder Datei Steuerzeichen unverändert schreiben; bei jedem Befehl",

  "what waits for you, and what you decided": "was auf dich wartet und was du entschieden hast",
  "calls and questions that wait for you": "Aufrufe und Fragen, die auf dich warten",
  "everything that would run, and why you are asked": "alles, was laufen würde, und warum du gefragt wirst",
  "allow a call once; or for a while, or until you revoke it":
    "einen Aufruf einmal erlauben; oder für eine Weile, oder bis du es widerrufst",
  "deny a call": "einen Aufruf ablehnen",
  "answer a question of the assistant's, or say what became of a call in doubt":
    "eine Frage des Assistenten beantworten oder sagen, was aus einem ungewissen Aufruf wurde",
  "standing permissions that you gave": "dauerhafte Erlaubnisse, die du gegeben hast",
  "what may run without being asked": "was ohne Frage laufen darf",
  "end one; from then on it is asked again": "eine beenden; von da an wird wieder gefragt",
  "take back what a call did; without its id, the last that can be":
    "rückgängig machen, was ein Aufruf tat; ohne Kennung den letzten, bei dem es geht",
  "panic stop: end every run and revoke every grant; the gateway stays up":
    "Notaus: jeden Lauf beenden und jede Erlaubnis widerrufen; das Gateway läuft weiter",
  "those that are decided too": "auch die entschiedenen",
  "with tool, rule, input and ids": "mit Werkzeug, Regel, Eingabe und Kennungen",
  "also the same in this session for so many minutes":
    "auch dasselbe in dieser Sitzung, so viele Minuten lang",
  "also the same from now on, until you revoke it": "auch dasselbe von jetzt an, bis du es widerrufst",
  "with --for or --always: call (these very arguments), similar (as the card says) or tool (any input)":
    "mit --for oder --always: call (genau diese Argumente), similar (wie die Karte sagt) oder tool (jede Eingabe)",
  "run this input instead: JSON, or @file": "stattdessen diese Eingabe ausführen: JSON oder @datei",
  "a word to the assistant": "ein Wort an den Assistenten",
  "the word that a plan which destroys something wants to be typed":
    "das Wort, das ein zerstörender Plan getippt haben will",
  "why; the assistant is told": "warum; der Assistent erfährt es",
  "those that ended too": "auch die beendeten",
  "with it, all calls of its kind that were made for the same request":
    "dazu alle Aufrufe dieser Art aus derselben Anfrage",
  "do not ask": "nicht fragen",
  "yes, everything": "ja, alles",

  "what programs ask models by name, in versions": "was Programme Modelle unter Namen fragen, in Versionen",
  "actions, by their current version": "Aktionen mit ihrer aktuellen Version",
  "one action: what it says, and its versions": "eine Aktion: was sie sagt, und ihre Versionen",
  "print them as a file, without secrets": "sie als Datei ausgeben, ohne Geheimnisse",
  "make an earlier version the current one": "eine frühere Version zur aktuellen machen",
  "execute an action and print its answer": "eine Aktion ausführen und ihre Antwort ausgeben",
  "another version than the current one": "eine andere als die aktuelle Version",
  "what becomes of names that are there": "was aus vorhandenen Namen wird",
  "the file is an OpenAPI document: each operation becomes an http action":
    "die Datei ist ein OpenAPI-Dokument: jede Operation wird eine http-Aktion",
  "only say what would change": "nur sagen, was sich ändern würde",
  "the whole input as JSON, in place of a message": "die ganze Eingabe als JSON statt einer Nachricht",

  "connect a model: the key is tried with one small call and kept only if that works":
    "ein Modell verbinden: der Schlüssel wird einmal probiert und nur behalten, wenn er geht",
  "keys that are stored or set, never the keys themselves":
    "welche Schlüssel gespeichert oder gesetzt sind, nie sie selbst",
  "try a key, or all of them, with one small call":
    "einen Schlüssel oder alle mit je einer Anfrage probieren",
  "forget a stored key": "einen gespeicherten Schlüssel vergessen",
  "use this key first among those of its provider": "diesen Schlüssel seines Anbieters zuerst benutzen",
  "where the server is": "wo der Server ist",
  "how it is spoken to: anthropic, responses or chat":
    "wie mit ihm gesprochen wird: anthropic, responses oder chat",
  "a name for this key, beside others of the same provider":
    "ein Name für diesen Schlüssel neben anderen desselben Anbieters",
  "try it with this model; it answers from then on where otherwise the demo would":
    "mit diesem Modell probieren; es antwortet von da an, wo sonst die Demo antworten würde",
  "put it in the place of the server that has this name": "an die Stelle des Servers setzen, der so heißt",
  "for oauth: where access is renewed": "für oauth: wo der Zugang erneuert wird",
  "for oauth: the program that it was given to": "für oauth: das Programm, das ihn bekam",
  "read the key from standard input": "den Schlüssel von der Standardeingabe lesen",

  "copies of everything, in one file each": "Kopien von allem, je in einer Datei",
  "copy everything into one file, also while Elwood runs, and check it":
    "alles in eine Datei kopieren, auch während Elwood läuft, und sie prüfen",
  "the backups there are, newest first; in the folder of the schedule and in the data folder":
    "die Sicherungen, die neueste zuerst; im Ordner des Zeitplans und im Datenordner",
  "read a backup whole, and check its files and its receipts; changes nothing":
    "eine Sicherung ganz lesen, Dateien und Belege prüfen; ändert nichts",
  "put a backup in place, into an empty data folder or with --replace":
    "eine Sicherung einspielen, in einen leeren Datenordner oder mit --replace",
  "everything in one file, to take to another machine": "alles in einer Datei, für eine andere Maschine",
  "what `elwood export` wrote, into an empty data folder":
    "was `elwood export` geschrieben hat, in einen leeren Datenordner",
  "a file, or a folder to name one in; else backups/ in the data folder":
    "eine Datei, oder ein Ordner für sie; sonst backups/ im Datenordner",
  "encrypt it with a passphrase, in the format of age":
    "mit einer Passphrase verschlüsseln, im Format von age",
  "write over a file that exists": "eine vorhandene Datei überschreiben",
  "read and check it, and say what would be done": "lesen, prüfen und sagen, was getan würde",
  "put what is there now aside, in a folder of its own":
    "was jetzt da ist, in einen eigenen Ordner beiseitelegen",
  "go on with a restore that was broken off": "eine abgebrochene Wiederherstellung fortsetzen",

  "talk to Elwood in Telegram and other chat services": "mit Elwood in Telegram und anderen Chats reden",
  "who may write to Elwood in chat services": "wer Elwood in Chats schreiben darf",
  "chat services, and how each is doing": "Chatdienste, und wie es jedem geht",
  "ask the service whose token it is; changes nothing":
    "den Dienst fragen, wem das Token gehört; ändert nichts",
  "connect a service: the token is tried, kept only if that works, and never shown":
    "einen Dienst verbinden: das Token wird probiert, nur dann behalten und nie gezeigt",
  "the link that adds the bot to a Discord server, or opens its chat":
    "der Link, der den Bot auf einen Discord-Server holt oder seinen Chat öffnet",
  "stop listening to a service, and remove its token":
    "einem Dienst nicht mehr zuhören, sein Token entfernen",
  "people who may write, and those who were given a code":
    "wer schreiben darf, und wer einen Code bekommen hat",
  "let somebody in, by the code that the bot gave them": "jemanden zulassen, mit dem Code vom Bot",
  "take back that somebody may write, or approve": "zurücknehmen, dass jemand schreiben oder freigeben darf",
  "read the token from standard input": "das Token von der Standardeingabe lesen",
  "what to send to whoever helps, without secrets and without what was said":
    "was man Helfenden schickt, ohne Geheimnisse und ohne Gesagtes",
  "write it there; - prints it": "dorthin schreiben; - gibt es aus",
  "a part that Elwood does not bring along, at its exact version: browser":
    "ein Teil, den Elwood nicht mitbringt, in genauer Version: browser",
  "whether there is a newer Elwood; changes nothing": "ob es ein neueres Elwood gibt; ändert nichts",
  "ask npm's registry": "die Registry von npm fragen",
  "what changed": "was sich geändert hat",
  "calendar, GitHub and other services that the assistant can use":
    "Kalender, GitHub und andere Dienste, die der Assistent nutzen kann",
  "the integrations there are, and which are set up":
    "welche Integrationen es gibt und welche eingerichtet sind",
  "try one as it is set up; changes nothing": "eine probieren, wie sie eingerichtet ist; ändert nichts",
  "connect one: it is tried, and stored only if that works; secrets are never shown":
    "eine verbinden: sie wird probiert und nur dann gespeichert; Geheimnisse werden nie gezeigt",
  "a setting, in place of the question for it": "eine Einstellung statt der Frage danach",
  "name a variable that has the secret, in place of storing it":
    "eine Variable mit dem Geheimnis nennen, statt es zu speichern",
  "read the secret from standard input": "das Geheimnis von der Standardeingabe lesen",

  "reminders, and what Elwood does by itself": "Erinnerungen, und was Elwood von selbst tut",
  "jobs, with their next time and what became of the last":
    "Aufträge mit ihrer nächsten Zeit und dem letzten Ergebnis",
  "one job: its message, its next times, its history": "ein Auftrag: Nachricht, nächste Zeiten, Verlauf",
  "run a job now and print its reply; for timers of the system too":
    "einen Auftrag jetzt ausführen und die Antwort ausgeben; auch für Timer des Systems",
  "remove a job and its history": "einen Auftrag und seinen Verlauf entfernen",
  "what became of each time: the run, and its delivery":
    "was aus jedem Mal wurde: der Lauf und die Zustellung",
  "run a job with real reads, and list everything else instead of doing it":
    "einen Auftrag mit echtem Lesen proben; alles andere wird nur aufgelistet",
  "allow calls of the last rehearsal in the runs of a job":
    "Aufrufe der letzten Probe für die Läufe eines Auftrags erlauben",
  "what a job may do without asking": "was ein Auftrag ohne Frage darf",
  "take such a permission back: its number in `jobs grants`, or all":
    "so eine Erlaubnis zurücknehmen: ihre Nummer in `jobs grants`, oder all",
  "add a job, or with --remind a reminder": "einen Auftrag anlegen, mit --remind eine Erinnerung",
  "the regular look around": "der regelmäßige Rundblick",
  "look around now, with what HEARTBEAT.md says": "sich jetzt umsehen, wie HEARTBEAT.md sagt",
  "do not wait for the end": "nicht auf das Ende warten",
  "do not ask whether you mean it": "nicht nachfragen, ob es ernst gemeint ist",
  "how many": "wie viele",
  "which, by their numbers in the rehearsal": "welche, nach ihren Nummern in der Probe",
  "only this very thing; unless told otherwise": "nur genau dies; wenn nichts anderes gesagt ist",
  "whatever lies in its folder": "alles in seinem Ordner",
  "whatever is on its host": "alles auf seinem Host",
  "how often in one run": "wie oft in einem Lauf",
  "for how many days": "für wie viele Tage",
  "deliver the message as it is; no model is asked":
    "die Nachricht zustellen, wie sie ist; kein Modell wird gefragt",
  "once, by your clock: 2026-11-17T09:00": "einmal, nach deiner Uhr: 2026-11-17T09:00",
  "again and again: 30m, 2h, 1d": "immer wieder: 30m, 2h, 1d",
  "the zone of --cron or --at; yours unless told": "die Zeitzone von --cron oder --at; sonst deine",
  "what to call it; its first words unless told": "wie er heißt; sonst seine ersten Wörter",
  "who does it": "wer es tut",
  "which model answers": "welches Modell antwortet",
  "go on in one session; otherwise every run has its own":
    "in einer Sitzung weitermachen; sonst hat jeder Lauf seine eigene",
  "where the reply goes: page, or a chat such as telegram:12345":
    "wohin die Antwort geht: page, oder ein Chat wie telegram:12345",
  "after downtime": "nach einer Auszeit",
  "while the run before has not ended": "solange der vorige Lauf nicht zu Ende ist",
  "up to so much later": "bis zu so viel später",

  "MCP servers whose tools the assistant can use": "MCP-Server, deren Werkzeuge der Assistent nutzen kann",
  "the servers, what they are doing, and how many tools they have":
    "die Server, was sie tun und wie viele Werkzeuge sie haben",
  "be an MCP server on standard input and output, for a program that starts this":
    "ein MCP-Server auf Standardeingabe und -ausgabe sein, für ein Programm, das dies startet",
  "start a server, also one that crashed, and list its tools as they are now":
    "einen Server starten, auch einen abgestürzten, und seine Werkzeuge neu auflisten",
  "servers and skills of Claude Desktop, Claude Code, Codex and OpenClaw: what would be taken over":
    "Server und Skills von Claude Desktop, Claude Code, Codex und OpenClaw: was übernommen würde",
  "log in to a server with your browser; the address is the one that the browser ended at":
    "sich mit dem Browser bei einem Server anmelden; die Adresse ist die, bei der er endete",
  "remove a server's tokens from this machine": "die Tokens eines Servers von dieser Maschine entfernen",
  "say what a tool does: reads, changes, sends; or none, to be asked for every call":
    "sagen, was ein Werkzeug tut: reads, changes, sends; oder none, um jedes Mal gefragt zu werden",
  "end a server, and take it out of the settings": "einen Server beenden und aus den Einstellungen nehmen",
  "what a server wrote last, and what became of it": "was ein Server zuletzt schrieb und was aus ihm wurde",
  "add a server: a command of this machine behind --, or an address":
    "einen Server hinzufügen: ein Befehl dieser Maschine hinter --, oder eine Adresse",
  "take them over; none of their tools is granted by it":
    "sie übernehmen; keines ihrer Werkzeuge ist damit erlaubt",
  "how many lines, 100 unless told": "wie viele Zeilen, sonst 100",
  "where it is reached, in place of a command": "wo er erreicht wird, statt eines Befehls",
  "a header for it; a key is stored apart from the settings":
    "ein Header dafür; ein Schlüssel wird getrennt von den Einstellungen gespeichert",
  "a client that you registered with it, to log in as": "ein bei ihm registrierter Client zum Anmelden",
  "the secret of that client; it is stored apart from the settings":
    "das Geheimnis dieses Clients; es wird getrennt von den Einstellungen gespeichert",
  "where your browser comes back to: http://127.0.0.1:<port>/callback":
    "wohin dein Browser zurückkommt: http://127.0.0.1:<port>/callback",
  "what a login asks for, in place of what it suggests":
    "was eine Anmeldung verlangt, statt seines Vorschlags",
  "a variable for it; a key is stored apart from the settings":
    "eine Variable dafür; ein Schlüssel wird getrennt von den Einstellungen gespeichert",
  "a folder that it may read in its cage": "ein Ordner, den er in seinem Käfig lesen darf",
  "a folder that it may change, too": "ein Ordner, den er auch ändern darf",
  "without the network, where it can be caged": "ohne Netz, wo ein Käfig möglich ist",
  "the folder that it is started in": "der Ordner, in dem er gestartet wird",
  "how long a call may take": "wie lange ein Aufruf dauern darf",

  "look into memory, edit notes, and forget": "ins Gedächtnis sehen, Notizen bearbeiten, vergessen",
  "the notes": "die Notizen",
  "find in notes and conversations, the best first": "in Notizen und Gesprächen finden, das Beste zuerst",
  "print a note, or the line that a search named":
    "eine Notiz ausgeben, oder die Zeile, die eine Suche nannte",
  "write a note in your editor, or from standard input":
    "eine Notiz in deinem Editor oder von der Standardeingabe schreiben",
  "remove something for good, everywhere; says what first, and asks":
    "etwas überall für immer entfernen; sagt vorher was, und fragt",
  "only in this session": "nur in dieser Sitzung",
  "everything that holds this word or phrase": "alles, worin dieses Wort oder dieser Satz steht",
  "a session, whole": "eine ganze Sitzung",
  "one message with its answer and calls": "eine Nachricht mit Antwort und Aufrufen",
  "also delete own backups of the database that hold it":
    "auch eigene Sicherungen der Datenbank löschen, in denen es steht",
  "only say what would go": "nur sagen, was verschwände",
  "what the model is told before your first message":
    "was dem Modell vor deiner ersten Nachricht gesagt wird",
  "the system prompt and the text of every tool": "der Systemprompt und der Text jedes Werkzeugs",
  "of this agent instead of the default one": "von diesem Agenten statt vom üblichen",
  "only what each part costs, in tokens; estimated": "nur was jeder Teil kostet, in Token; geschätzt",

  "what was done, and the proof of it": "was getan wurde, und der Beweis dafür",
  "receipts, newest first": "Belege, neueste zuerst",
  "one receipt whole, by its number or id": "ein ganzer Beleg, nach Nummer oder Kennung",
  "every tool run and auth event, oldest first": "jeder Aufruf und jede Anmeldung, älteste zuerst",
  "check that no receipt was changed, removed or put in":
    "prüfen, dass kein Beleg geändert, entfernt oder eingefügt wurde",
  "a proof that this receipt is in the log, as JSON":
    "ein Beweis, dass dieser Beleg im Protokoll steht, als JSON",
  "check such a proof; needs no database": "so einen Beweis prüfen; braucht keine Datenbank",
  "the whole log with a verifier that needs nothing of Elwood's":
    "das ganze Protokoll mit einem Prüfer, der nichts von Elwood braucht",
  "sign with a new key from now on; earlier signatures stay good":
    "von jetzt an mit neuem Schlüssel signieren; frühere Signaturen gelten weiter",
  "only those of this run": "nur die dieses Laufs",
  "only those of this call": "nur die dieses Aufrufs",
  "only those of this tool": "nur die dieses Werkzeugs",
  "succeeded, failed, denied, expired, pending or unknown":
    "succeeded, failed, denied, expired, pending oder unknown",
  "from this time on: 2h, 7d, 2026-11-15": "von dieser Zeit an: 2h, 7d, 2026-11-15",
  "before this time": "vor dieser Zeit",
  "one JSON document a line": "ein JSON-Dokument je Zeile",
  "a checkpoint that you kept elsewhere": "ein Prüfpunkt, den du anderswo aufbewahrt hast",
  "a public key that you kept elsewhere": "ein öffentlicher Schlüssel, den du anderswo aufbewahrt hast",
  "fail where some receipts are not signed yet": "fehlschlagen, wo Belege noch nicht signiert sind",
  "a file or folder; standard output where none is given":
    "eine Datei oder ein Ordner; sonst die Standardausgabe",
  "overwrite the file": "die Datei überschreiben",
  "the public key of the log it comes from": "der öffentliche Schlüssel des Protokolls, aus dem er kommt",
  "a new folder, or a file that ends in .json": "ein neuer Ordner, oder eine Datei auf .json",
  "with inputs and outputs, where they are still stored":
    "mit Ein- und Ausgaben, wo sie noch gespeichert sind",

  "let the system start Elwood and keep it running": "Elwood vom System starten und am Laufen halten lassen",
  "a service of yours, or with --system of the machine; started at once":
    "ein Dienst von dir, mit --system der Maschine; sofort gestartet",
  "whether it is installed and runs; exit code 1 where not": "ob er installiert ist und läuft; sonst Code 1",
  "stop it and remove the service; the data stays": "anhalten und den Dienst entfernen; die Daten bleiben",
  "for the machine, with a user of its own and hardened; needs root":
    "für die Maschine, mit eigenem Benutzer und abgehärtet; braucht root",
  "with --system: this user instead of elwood": "mit --system: dieser Benutzer statt elwood",
  "lines NAME=value with keys and tokens, read at each start":
    "Zeilen NAME=Wert mit Schlüsseln und Tokens, bei jedem Start gelesen",
  "a key in a file that only the service can read; repeatable":
    "ein Schlüssel in einer Datei, die nur der Dienst lesen kann; wiederholbar",
  "only install it": "nur installieren",
  "print the file, and change nothing": "die Datei ausgeben und nichts ändern",
  "the service of the machine": "der Dienst der Maschine",

  "look at conversations and tidy them": "Gespräche ansehen und aufräumen",
  "sessions, newest first": "Sitzungen, neueste zuerst",
  "print a conversation": "ein Gespräch ausgeben",
  "find what was said": "finden, was gesagt wurde",
  "a conversation as Markdown or JSON": "ein Gespräch als Markdown oder JSON",
  "summaries that stand for messages": "Zusammenfassungen, die für Nachrichten stehen",
  "sum up the older part of a session": "den älteren Teil einer Sitzung zusammenfassen",
  "take the newest summary back": "die neueste Zusammenfassung zurücknehmen",
  "give a session a title": "einer Sitzung einen Titel geben",
  "copy a session up to a run": "eine Sitzung bis zu einem Lauf kopieren",
  "put a session in the trash, for 30 days": "eine Sitzung für 30 Tage in den Papierkorb legen",
  "take a session out of the trash": "eine Sitzung aus dem Papierkorb holen",
  "tokens for programs and other agents": "Tokens für Programme und andere Agenten",
  "make a token; it is shown once": "ein Token erzeugen; es wird einmal gezeigt",
  "tokens, without their secrets": "Tokens, ohne ihre Geheimnisse",
  "end a token by its id or name": "ein Token beenden, nach Kennung oder Name",
  "only those with these words in the title": "nur die mit diesen Wörtern im Titel",
  "those in the trash": "die im Papierkorb",
  "markdown or json": "markdown oder json",
  "take all of them back": "alle zurücknehmen",
  "up to this run; its last one unless told": "bis zu diesem Lauf; sonst bis zum letzten",
  "without that run": "ohne diesen Lauf",
  "what it is for": "wofür es ist",
  "chat, approve, admin or execute; may be repeated": "chat, approve, admin oder execute; wiederholbar",
  "whose sessions, receipts and usage it opens, in place of your own":
    "wessen Sitzungen, Belege und Verbrauch es öffnet, statt deiner eigenen",
  "end it after so many days": "nach so vielen Tagen beenden",

  "start the gateway: the page, the WebSocket, and everything that runs":
    "das Gateway starten: die Seite, den WebSocket und alles, was läuft",
  "what the running gateway does": "was das laufende Gateway tut",
  "a fresh one-time link to the page; opened where there is a desktop":
    "ein neuer Einmal-Link zur Seite; geöffnet, wo es einen Desktop gibt",
  "the newest lines of the log": "die neuesten Zeilen des Protokolls",
  "how much data there is, and less of it": "wie viele Daten es gibt, und weniger davon",
  "how much of the data folder is what": "wie viel vom Datenordner was ist",
  "remove what nothing needs; receipts stay, and are verified":
    "entfernen, was nichts braucht; Belege bleiben und werden geprüft",
  "look at the configuration, and change it": "die Einstellungen ansehen und ändern",
  "every setting; with --origin, where each value came from":
    "jede Einstellung; mit --origin, woher jeder Wert kam",
  "the configuration file": "die Einstellungsdatei",
  "whether Elwood could start with it": "ob Elwood damit starten könnte",
  "the settings that `config set` can change": "die Einstellungen, die `config set` ändern kann",
  "change one setting in your file; comments and all other lines stay":
    "eine Einstellung in deiner Datei ändern; Kommentare und alle anderen Zeilen bleiben",
  "look for what is wrong; changes nothing unless asked to":
    "nachsehen, was nicht stimmt; ändert nur auf Wunsch etwas",
  "a script that completes commands in your shell": "ein Skript, das Befehle in deiner Shell vervollständigt",
  "the WebSocket protocol, for authors of clients":
    "das WebSocket-Protokoll, für alle, die Clients schreiben",
  "every frame, method and push as JSON Schema": "jeder Frame, jede Methode und jeder Push als JSON Schema",
  "listen on this port (0 takes a free one)": "auf diesem Port lauschen (0 nimmt einen freien)",
  "listen on this address; anything but loopback needs ELWOOD_TOKEN":
    "auf dieser Adresse lauschen; alles außer Loopback braucht ELWOOD_TOKEN",
  "the model that answers by default": "das Modell, das sonst antwortet",
  "where the agents' words are (ELWOOD_WORKSPACE)": "wo die Texte der Agenten sind (ELWOOD_WORKSPACE)",
  "error, warn, info or debug (ELWOOD_LOG_LEVEL)": "error, warn, info oder debug (ELWOOD_LOG_LEVEL)",
  "auto, json or pretty (ELWOOD_LOG_FORMAT)": "auto, json oder pretty (ELWOOD_LOG_FORMAT)",
  "write the log there; full ones are put aside (ELWOOD_LOG_FILE)":
    "das Protokoll dorthin schreiben; volle werden beiseitegelegt (ELWOOD_LOG_FILE)",
  "do not open the page": "die Seite nicht öffnen",
  "only print it": "nur ausgeben",
  "print it as a QR code for a phone, also where no terminal is":
    "als QR-Code fürs Telefon ausgeben, auch ohne Terminal",
  "go on showing lines as they come, until Ctrl-C": "weiter Zeilen zeigen, wie sie kommen, bis Strg-C",
  "only from this level on: error, warn, info or debug": "nur ab dieser Stufe: error, warn, info oder debug",
  "also put conversations that nobody touched for so long into the trash":
    "auch Gespräche, die so lange niemand anrührte, in den Papierkorb legen",
  "say what would go, and remove nothing": "sagen, was verschwände, und nichts entfernen",
  "say where each value came from": "sagen, woher jeder Wert kam",
  "go back to the default": "zum Standard zurück",
  "mend what can be mended safely": "richten, was sich gefahrlos richten lässt",
  "also ask the model once, which costs a little, and look from outside":
    "auch das Modell einmal fragen, was ein wenig kostet, und von außen nachsehen",
  "exit code 1 from this severity on (error, or warning)": "Code 1 ab dieser Schwere (error oder warning)",
  "bash, zsh or fish": "bash, zsh oder fish",
  "write it to a file": "in eine Datei schreiben",

  "what the assistant can do": "was der Assistent kann",
  "tools, with their risk and whether they send anything out":
    "Werkzeuge, mit ihrem Risiko und ob sie etwas nach außen senden",
  "one tool, with its schema and labels": "ein Werkzeug, mit Schema und Kennzeichen",
  "reload the tools; runs in progress keep theirs": "die Werkzeuge neu laden; laufende Läufe behalten ihre",
  "what is allowed, asked or denied": "was erlaubt, gefragt oder abgelehnt wird",
  "what would become of a call, and which rule says so; nothing is run":
    "was aus einem Aufruf würde und welche Regel es sagt; nichts läuft",
  "tell or switch how much asks: strict, balanced, trusting":
    "sagen oder umstellen, wie viel gefragt wird: strict, balanced, trusting",
  "try every case of a file, one JSON object per line; nothing is run":
    "jeden Fall einer Datei probieren, ein JSON-Objekt je Zeile; nichts läuft",
  "know a tool of yours as it is, so that it no longer asks because it is new":
    "ein eigenes Werkzeug kennen, wie es ist, damit es nicht mehr fragt, nur weil es neu ist",
  "take that back: it asks for every call again": "das zurücknehmen: es fragt wieder bei jedem Aufruf",
  "begin a tool of your own, with a test: integration.resource.action":
    "ein eigenes Werkzeug beginnen, mit einem Test: integration.resource.action",
  "check the types of your tools, and whether they can be loaded":
    "die Typen deiner Werkzeuge prüfen, und ob sie sich laden lassen",
  "run the tests beside your tools, in the same kind of process as the tools":
    "die Tests neben deinen Werkzeugen ausführen, in der gleichen Art Prozess",
  "as if it were made in this session": "als käme er in dieser Sitzung",
  "as if you had typed this message": "als hättest du diese Nachricht getippt",
  "begin an integration in Elwood's own sources: a folder with a manifest":
    "eine Integration in Elwoods eigenen Quellen beginnen: ein Ordner mit Manifest",
  "tokens and estimated cost of the last days": "Token und geschätzte Kosten der letzten Tage",
  "one line for each": "eine Zeile für jeden",
  "how far back": "wie weit zurück",
  "print comma-separated values": "kommagetrennte Werte ausgeben",
  "keep a session at the top of lists": "eine Sitzung oben in Listen halten",
  "let a session go down lists again": "eine Sitzung in Listen wieder nach unten lassen",
  "how much there is, and whether its index is sound": "wie viel es gibt, und ob der Index heil ist",
  "rebuild the index from the files": "den Index aus den Dateien neu aufbauen",
  "anthropic, openai, openrouter, ollama, lmstudio, vllm, or a name of yours with --base-url":
    "anthropic, openai, openrouter, ollama, lmstudio, vllm, oder ein eigener Name mit --base-url",
  'for anthropic: "setup-token", to use a token of `claude setup-token`; "oauth" for access that is renewed':
    "für anthropic: „setup-token“ für ein Token von `claude setup-token`; „oauth“ für Zugang, der erneuert wird",
  "switch one on again that is set up": "eine eingerichtete wieder einschalten",
  "switch one off: its tools are gone, what was set up stays":
    "eine ausschalten: ihre Werkzeuge sind weg, die Einrichtung bleibt",
  'by a cron expression: "0 9 * * 1-5"': "nach einem Cron-Ausdruck: „0 9 * * 1-5“",
  "keep a job from running": "einen Auftrag anhalten",
  "let a paused job run again, from its next time on":
    "einen angehaltenen Auftrag ab seiner nächsten Zeit wieder laufen lassen",
  "what an import of this file would change": "was ein Import dieser Datei ändern würde",
  "store the connections and actions of a file": "die Verbindungen und Aktionen einer Datei speichern",
  "read the passphrase from a file; - is standard input":
    "die Passphrase aus einer Datei lesen; - ist die Standardeingabe",
  "of its own in that folder, keep so many (7)": "von den eigenen in diesem Ordner so viele behalten (7)",

  // Below the options.
  "Examples:": "Beispiele:",
  "Example:": "Beispiel:",
  "Without a terminal, or with TERM=dumb, each line is a message.\nYour own keys and prompts: keys.yaml and prompts/ in ~/.config/elwood":
    "Ohne Terminal, oder mit TERM=dumb, ist jede Zeile eine Nachricht.\nEigene Tasten und Prompts: keys.yaml und prompts/ in ~/.config/elwood",
  "Without an id: the only one that waits for you.": "Ohne Kennung: das Einzige, was auf dich wartet.",
  "Without an id: the only call that waits for you.":
    "Ohne Kennung: der einzige Aufruf, der auf dich wartet.",
  "Elwood must not be running. Examples:": "Elwood darf nicht laufen. Beispiele:",
  "It is fetched from npm's registry (npm_config_registry), checked against its\nhash, and put into the data folder.":
    "Es wird aus dem Verzeichnis von npm geholt (npm_config_registry), gegen seinen\nHash geprüft und in den Datenordner gelegt.",
  "Exit code 1 where the run failed.": "Code 1, wo der Lauf fehlschlug.",
  "Exit code 1 where no gateway runs.": "Code 1, wo kein Gateway läuft.",
  "In a host's configuration:": "In den Einstellungen eines Hosts:",
  "A held checkpoint is a signed one that you kept, a reply as JSON, an export\nof a session as JSON, or the line that the page shows behind a reply:\nreceipts 1204 · 9f3a17c2e0b4d658":
    "Ein aufbewahrter Prüfpunkt ist ein signierter, den du behalten hast, eine Antwort\nals JSON, ein Export einer Sitzung als JSON, oder die Zeile, die auf der Seite\nhinter einer Antwort steht:\nreceipts 1204 · 9f3a17c2e0b4d658",
  "Exit codes: 0 intact · 10 altered · 11 cut, against a checkpoint ·\n            12 with --strict: some are not signed yet":
    "Codes: 0 unversehrt · 10 verändert · 11 abgeschnitten, gegen einen Prüfpunkt ·\n       12 mit --strict: einige sind noch nicht signiert",
  "A session is named by its key, the start or end of it, or words of its title.":
    "Eine Sitzung wird durch ihren Schlüssel benannt, dessen Anfang oder Ende, oder Wörter ihres Titels.",
  "Flags go before environment variables, these before the file,\nthe file before defaults.":
    "Optionen gehen vor Umgebungsvariablen, diese vor der Datei,\ndie Datei vor Standardwerten.",
  "A case, all of it in one line:": "Ein Fall, alles in einer Zeile:",
};

/** What the library says of a command line that is wrong, and what it is told of values. */
export const GERMAN_USAGE: readonly SpokenSentence[] = [
  [/^Unknown option '(.+)'\.$/, "Es gibt keine Option „$1“."],
  [
    /^Unknown option '(.+)' \(Did you mean (?:one of )?(.+)\?\)$/,
    "Es gibt keine Option „$1“ (meintest du $2?)",
  ],
  [/^Unknown command '(.+)'\.$/, "Es gibt keinen Befehl „$1“."],
  [/^Missing required argument '(.+)'\.$/, "Es fehlt: $1."],
  [/^Option '(.+)' argument missing\.$/, "Zur Option „$1“ fehlt ein Wert."],
  [/^Required option '(.+)' not specified\.$/, "Die Option „$1“ ist nötig."],
  [/^Option '(.+)' cannot be used with option '(.+)'\.$/, "„$1“ geht nicht zusammen mit „$2“."],
  [/^Too many arguments for '(.+)'\.$/, "Zu viele Argumente für „$1“."],
  [/^Too many arguments\.$/, "Zu viele Argumente."],
  [/^Expected (\d+) arguments? but got (\d+)(: .+)?\.$/, "Erwartet: $1, bekommen: $2$3."],
  [/^Option '(.+)' argument '([^]*)' is invalid\.$/, "„$2“ passt nicht zu „$1“."],
  [/^Command-argument value '([^]*)' is invalid for argument '(.+)'\.$/, "„$1“ passt nicht zu „$2“."],
  [/^Allowed choices are (.+)\.$/, "Es gibt $1."],
  [/^Write a time such as 90s, 10m or 1h\.$/, "Schreibe eine Zeit wie 90s, 10m oder 1h."],
  [/^At most (\d+)d\.$/, "Höchstens $1d."],
  [/^Write a whole number\.$/, "Schreibe eine ganze Zahl."],
  [/^A number from 1 to (\d+) is needed\.$/, "Nötig ist eine Zahl von 1 bis $1."],
];

export const GERMAN_EXAMPLES = `
Beispiele:
  elwood up                              das Gateway starten und die Seite öffnen
  elwood "was kannst du?"                einmal fragen, in einer neuen Sitzung
  elwood -c "und auf Englisch?"          in der letzten Sitzung weitermachen
  git diff | elwood "prüfe das"          etwas über die Standardeingabe übergeben
  elwood -m ollama/qwen3 "hallo"         ein bestimmtes Modell fragen
  elwood --json "hallo" | jq -r .text    ein JSON-Dokument statt Text

Codes: 0 erledigt · 1 fehlgeschlagen · 2 falsch aufgerufen · 3 abgelehnt ·
       4 Frage abgelaufen · 130 abgebrochen
`;
