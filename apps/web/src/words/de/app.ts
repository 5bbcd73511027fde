import type { AppWords } from "../en/app.ts";

export const app: AppWords = {
  aboutThisModel: "Zu diesem Modell",
  whatWantsYou: "Was auf dich wartet",
  decide: "Entscheiden",
  answer: "Antworten",
  modelsKeys: "Modelle & Schlüssel",
  waitingForYou: "Wartet auf dich:",
  more: "{0} weitere",
  andMore: "Und {0} weitere.",
  demoModel: "Demo-Modell",
  scriptedAnswers: ": vorbereitete Antworten.",
  realToolsRealReceiptsNothingLeaves: "Echte Werkzeuge, echte Belege, nichts verlässt diesen Rechner.",
  connectAModel: "Modell verbinden",
  dismiss: "Ausblenden",
  newSession: "Neue Sitzung",
  sessions: "Sitzungen",
  find: "Suchen",
  findACommandPageOrSession: "Befehl, Seite oder Sitzung suchen",
  found: "Gefunden",
  nothingHasThatName: "Nichts heißt so.",
  of: "{0} von {1}",
  prompts: "Prompts",
  saidIn: "Gesagt in",
  theConnectionBrokeTryingAgain: "Die Verbindung brach ab. Neuer Versuch.",
  connectedAgain: "Wieder verbunden.",
  connecting: "Verbindet…",
  connected: "Verbunden",
  reconnecting: "Verbindet neu…",
  loggedOut: "Abgemeldet",
  notConnected: "Nicht verbunden",
  retryNow: "Jetzt versuchen",
  thereIsANewVersionOf: "Es gibt eine neue Fassung dieser Seite.",
  elwoodWasUpdatedTo: "Elwood wurde auf {0} aktualisiert.",
  reload: "Neu laden",
  notDoneElwoodCannotBeReached: "Nicht ausgeführt: Elwood ist gerade nicht erreichbar.",
  thisPartOfThePageCould:
    "Dieser Teil der Seite konnte nicht geladen werden: Elwood ist nicht erreichbar oder wurde aktualisiert.",
  logInToElwood: "Bei Elwood anmelden",
  elwoodOpensToAOneTime:
    "Elwood öffnet sich mit einem Link, der einmal gilt. Gib dies auf dem Rechner, auf dem es läuft, in ein Terminal ein und folge dem Link:",
  orPasteALinkOrA: "Oder füge hier einen Link oder ein Token ein",
  logIn: "Anmelden",
  aLinkWorksOnceForTen:
    "Ein Link gilt einmal, zehn Minuten lang. Die Anmeldung bleibt in diesem Tab und endet, wenn du ihn schließt, außer du bleibst angemeldet. Andere Tabs melden sich von selbst an.",
  couldNotBeLoadedElwoodMay:
    "{0} konnte nicht geladen werden. Elwood wurde vielleicht aktualisiert oder ist nicht erreichbar.",
  thisPageDoesNotFitThis: "Diese Seite passt nicht zu diesem Gateway",
  thePageSpeaksProtocolTheGateway:
    "Die Seite spricht Protokoll {0}, das Gateway ({1}) spricht {2}. Entwürfe und nicht gesendete Nachrichten sind in diesem Browser gespeichert.",
  aReloadFetchesThePageOf:
    "Neu laden holt die Seite dieses Gateways. Hilft das nicht, wurde sie nicht neu gebaut: Führe {0} aus, wo Elwood läuft.",
  keyboardShortcuts: "Tastenkürzel",
  close: "Schließen",
  singleLetterShortcuts: "Kürzel aus einem Buchstaben",
  thisPageCameUnencryptedFromAnother:
    "Diese Seite kam unverschlüsselt von einem anderen Rechner, und dort behält ein Browser keinen Schlüssel. Öffne sie über https oder auf dem Rechner, auf dem Elwood läuft.",
  theGatewayRefusedTheLogin: "Das Gateway hat die Anmeldung abgelehnt ({0}).",
  elwoodDoesNotAnswerIsIt:
    "Elwood antwortet nicht. Läuft es? Starte es mit: npm start. Der Link gilt vielleicht noch.",
  refused: "abgelehnt ({0})",
  elwoodCannotBeReachedNowAttach: "Elwood ist gerade nicht erreichbar; hänge es noch einmal an",
  stayLoggedIn: "Angemeldet bleiben",
  stayLoggedInOnThisDevice: "Auf diesem Gerät angemeldet bleiben?",
  thisBrowserDoesNotStayLogged: "Dieser Browser bleibt nicht angemeldet. {0}",
  thisBrowserStaysLoggedInSettings:
    "Dieser Browser bleibt angemeldet. Die Einstellungen und „Abmelden“ beenden das.",
  thisBrowserHasForgottenTheToken:
    "Dieser Browser hat das Token vergessen. Das Token selbst gilt weiter: Es öffnet Elwood noch an anderer Stelle.",
  thisBrowserHasForgottenItsLogin:
    "Dieser Browser hat seine Anmeldung vergessen. Elwood weiß davon nichts: Bis du sie unter Modelle & Schlüssel widerrufst oder sie abläuft, gilt sie.",
  nothingHere: "Hier ist nichts",
  theLinkMayBeOldOr: "Der Link ist vielleicht alt oder hat unterwegs einen Buchstaben verloren.",
  elwoodHasNoPage: "Elwood hat keine Seite {0}",
  toTheChat: "Zum Chat",
};
