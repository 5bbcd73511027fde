/** In another language: what it is done to where no name is known, and the three ways to tell it. */
export type SpokenDeed = readonly [something: string, todo: string, doing: string, done: string];

/** What Elwood's own tools do, in German, for every surface that speaks it. */
export const GERMAN_DEEDS: Readonly<Record<string, SpokenDeed>> = {
  "shell.command.run": ["einen Befehl", "{0} ausführen", "führt {0} aus", "{0} ausgeführt"],
  "program.code.run": ["ein Programm", "{0} ausführen", "führt {0} aus", "{0} ausgeführt"],
  "files.file.read": ["eine Datei", "{0} lesen", "liest {0}", "{0} gelesen"],
  "files.file.attach": ["eine Datei", "{0} anhängen", "hängt {0} an", "{0} angehängt"],
  "files.file.list": ["einen Ordner", "{0} auflisten", "listet {0} auf", "{0} aufgelistet"],
  "files.file.search": ["einen Ordner", "{0} durchsuchen", "durchsucht {0}", "{0} durchsucht"],
  "files.file.write": ["eine Datei", "{0} schreiben", "schreibt {0}", "{0} geschrieben"],
  "files.file.edit": ["eine Datei", "{0} ändern", "ändert {0}", "{0} geändert"],
  "files.file.move": ["eine Datei", "{0} verschieben", "verschiebt {0}", "{0} verschoben"],
  "files.file.delete": ["eine Datei", "{0} löschen", "löscht {0}", "{0} gelöscht"],
  "web.page.fetch": ["eine Seite", "{0} abrufen", "ruft {0} ab", "{0} abgerufen"],
  "web.search.query": ["im Web", "{0} suchen", "sucht {0}", "{0} gesucht"],
  "memory.note.save": ["eine Notiz", "{0} speichern", "speichert {0}", "{0} gespeichert"],
  "memory.note.get": ["eine Notiz", "{0} lesen", "liest {0}", "{0} gelesen"],
  "memory.note.search": ["im Gedächtnis", "{0} suchen", "sucht {0}", "{0} gesucht"],
  "memory.note.forget": ["etwas", "{0} vergessen", "vergisst {0}", "{0} vergessen"],
  "schedule.job.create": ["eine Erinnerung oder einen Auftrag", "{0} anlegen", "legt {0} an", "{0} angelegt"],
  "schedule.job.list": ["Erinnerungen und Aufträge", "{0} auflisten", "listet {0} auf", "{0} aufgelistet"],
  "schedule.job.update": ["eine Erinnerung oder einen Auftrag", "{0} ändern", "ändert {0}", "{0} geändert"],
  "schedule.job.delete": [
    "eine Erinnerung oder einen Auftrag",
    "{0} entfernen",
    "entfernt {0}",
    "{0} entfernt",
  ],
  "owner.question.ask": ["dich", "{0} fragen", "fragt {0}", "{0} gefragt"],
  "owner.question.choose": ["dich", "{0} wählen lassen", "lässt {0} wählen", "{0} wählen lassen"],
  "skills.skill.read": ["einen Skill", "{0} lesen", "liest {0}", "{0} gelesen"],
  "session.call.undo": [
    "einen Aufruf",
    "{0} rückgängig machen",
    "macht {0} rückgängig",
    "{0} rückgängig gemacht",
  ],
  "workspace.tool.check": ["ein eigenes Werkzeug", "{0} prüfen", "prüft {0}", "{0} geprüft"],
  "session.result.read": ["in einem Ergebnis", "{0} weiterlesen", "liest {0} weiter", "{0} weitergelesen"],
};
