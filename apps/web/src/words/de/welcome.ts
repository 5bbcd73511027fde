import type { WelcomeWords } from "../en/welcome.ts";

export const welcome: WelcomeWords = {
  stepOf: "Schritt {0} von {1}",
  done: ", erledigt",
  toTheChat: "Zum Chat",
  youSayToTheDemoModel: "Du sagst zum Demo-Modell:",
  sendIt: "Senden",
  beginAgain: "Von vorn",
  next: "Weiter: {0}",
  letItLook: "Lass es nachsehen",
  readingChangesNothingSoItRuns:
    "Lesen ändert nichts und läuft deshalb von selbst; die Zeile unter der Antwort sagt, was lief.",
  allowOne: "Erlaube etwas",
  aChangeThatYouDidNot:
    "Eine Änderung, die du nicht genau vorgegeben hast, wartet auf dich und zeigt vorher, was anders wäre.",
  denyOne: "Lehne etwas ab",
  nowSayNoTheAnswerHas:
    "Sag jetzt Nein: Die Antwort muss zugeben, dass nichts getan wurde, und Elwoods eigene Aufzeichnung sagt es auch.",
  verify: "Prüfen",
  allOfThatIsOnRecord: "All das steht in einer signierten Kette, die dein Browser selbst nachrechnen kann.",
  connectAModel: "Modell verbinden",
  aRealModelGetsTheSame:
    "Ein echtes Modell wird genauso nachgefragt und belegt; nur die Worte werden besser.",
  itIsAtWork: "Es arbeitet.",
  itWaitsForYouPressD:
    "Es wartet auf dich. Drücke D, während die Karte den Fokus hat, oder ihren Knopf „Ablehnen“.",
  itWaitsForYouPressA:
    "Es wartet auf dich. Drücke A, während die Karte den Fokus hat, oder ihren Knopf „Erlauben“.",
  youDeniedItAndNothingWas:
    "Du hast abgelehnt, und nichts wurde geändert. Das sagt die Antwort, und das sagt die Zeile darunter, die kein Modell schreibt.",
  youAllowedItOnceTheLine:
    "Du hast es einmal erlaubt. Die Zeile unter der Antwort entsteht aus Belegen; öffne sie, um jeden Aufruf zu sehen.",
  itWasDecidedAndTheLine: "Es wurde entschieden, und die Zeile unter der Antwort sagt, wie es ausging.",
  noToolRanTheAnswerSays: "Kein Werkzeug lief. Die Antwort sagt, warum; du kannst trotzdem weitermachen.",
  thatDidNotWorkHereAnd:
    "Das hat hier nicht geklappt, und die Antwort sagt, warum. Du kannst trotzdem weitermachen.",
  nothingWasAskedAsThePolicy: "Es wurde nichts gefragt: Nach den jetzigen Regeln läuft das von selbst.",
  welcomeToElwood: "Willkommen bei Elwood",
  anAssistantThatShowsWhatIt:
    "Ein Assistent, der zeigt, was er ändern würde, tut, was du erlaubst, und beweisen kann, was er getan hat.",
  skip: "Überspringen",
  otherWaysToBegin: "Andere Wege zu beginnen",
  pasteAKey: "Schlüssel einfügen",
  useWhatIsHere: "Nutzen, was da ist",
  checkAgain: "Noch einmal prüfen",
  anthropicOpenaiOrAnyServerThat:
    "Anthropic, OpenAI oder jeder Server mit dem Protokoll von OpenAI. Der Schlüssel wird mit einer kleinen Frage probiert, du siehst, was sie gekostet hat, und er bleibt nur, wenn sie beantwortet wurde.",
  thisLoginMayNotKeepKeys:
    "Diese Anmeldung darf keine Schlüssel speichern. Melde dich als Besitzer an, um ein Modell zu verbinden.",
  tryTheDemo: "Demo ausprobieren",
  noKeyAndNothingLeavesThis:
    "Kein Schlüssel, und nichts verlässt diesen Rechner. Die Antworten sind vorbereitet; Werkzeuge, Fragen und Belege sind echt. Fünf Schritte, etwa eine Minute.",
  goOnWithTheDemo: "Mit der Demo weitermachen",
  thisLoginMayNotLookFor: "Diese Anmeldung darf nicht nach Modellen auf diesem Rechner suchen.",
  lookingForAModelOnThis: "Ein Modell auf diesem Rechner wird gesucht…",
  notSet: " Nicht gesetzt: {0}.",
  noModelServerAnswersOnThis:
    "Kein Modellserver antwortet auf diesem Rechner.{0} Das Suchen ändert nichts und lädt nichts herunter.",
  from: " von {0}",
  change: "ändern",
  using: "{0}{1} wird verwendet ({2}).",
  startChatting: "Chat beginnen",
};
