import type { WelcomeWords } from "../en/welcome.ts";

export const welcome: WelcomeWords = {
  done: ", erledigt",
  toTheChat: "Zum Chat",
  youSayToTheDemoModel: "Du sagst:",
  sendIt: "Senden",
  beginAgain: "Von vorn",
  next: "Weiter: {0}",
  letItLook: "Lass es nachsehen",
  readingChangesNothingSoItRuns:
    "Lesen ändert nichts und läuft deshalb von selbst. Die Zeile unter der Antwort sagt, was lief.",
  allowOne: "Erlaube etwas",
  aChangeThatYouDidNot: "Änderungen warten auf dich.",
  denyOne: "Lehne etwas ab",
  nowSayNoTheAnswerHas: "Sag jetzt Nein. Die Antwort muss es zugeben, und Elwoods eigene Aufzeichnung auch.",
  verify: "Prüfen",
  allOfThatIsOnRecord: "All das steht in einer signierten Kette, die dein Browser selbst nachrechnen kann.",
  connectAModel: "Modell verbinden",
  aRealModelGetsTheSame:
    "Ein echtes Modell wird genauso nachgefragt und belegt; nur die Worte werden besser.",
  itIsAtWork: "Es arbeitet.",
  itWaitsForYouPressD: "Drücke „Ablehnen“ oder die Taste D.",
  itWaitsForYouPressA: "Drücke „Erlauben“ oder die Taste A.",
  youDeniedItAndNothingWas:
    "Du hast abgelehnt, und nichts wurde geändert. Die Zeile unter der Antwort hat kein Modell geschrieben.",
  youAllowedItOnceTheLine: "Du hast es einmal erlaubt. Öffne die Zeile mit dem ✓: Sie ist der Beweis.",
  itWasDecidedAndTheLine: "Es wurde entschieden, und die Zeile unter der Antwort sagt, wie es ausging.",
  noToolRanTheAnswerSays: "Kein Werkzeug lief. Die Antwort sagt, warum; du kannst trotzdem weitermachen.",
  thatDidNotWorkHereAnd:
    "Das hat hier nicht geklappt, und die Antwort sagt, warum. Du kannst trotzdem weitermachen.",
  nothingWasAskedAsThePolicy: "Es wurde nichts gefragt: Nach den jetzigen Regeln läuft das von selbst.",
  welcomeToElwood: "Willkommen bei Elwood",
  anAssistantThatShowsWhatIt: "Fragt, bevor er etwas ändert, und kann beweisen, was er getan hat.",
  skip: "Überspringen",
  otherWaysToBegin: "Andere Wege zu beginnen",
  pasteAKey: "Schlüssel einfügen",
  useWhatIsHere: "Nutzen, was da ist",
  checkAgain: "Noch einmal prüfen",
  anthropicOpenaiOrAnyServerThat: "Anthropic, OpenAI oder ein kompatibler Server.",
  theKeyIsTriedWithOne:
    "Der Schlüssel wird mit einer kleinen Frage probiert, du siehst, was sie gekostet hat, und er bleibt nur, wenn sie beantwortet wurde.",
  thisLoginMayNotKeepKeys:
    "Diese Anmeldung darf keine Schlüssel speichern. Melde dich als Besitzer an, um ein Modell zu verbinden.",
  tryTheDemo: "Demo ausprobieren",
  noKeyAndNothingLeavesThis:
    "Kein Schlüssel. Nichts verlässt diesen Rechner. Vorbereitete Antworten, echte Werkzeuge.",
  goOnWithTheDemo: "Mit der Demo weitermachen",
  thisLoginMayNotLookFor: "Diese Anmeldung darf nicht nach Modellen auf diesem Rechner suchen.",
  lookingForAModelOnThis: "Ein Modell auf diesem Rechner wird gesucht…",
  notSet: " Nicht gesetzt: {0}.",
  noModelServerAnswers: "Auf diesem Rechner ist kein Modell zu finden.",
  noModelServerAnswersOnThis:
    "Kein Modellserver antwortet auf diesem Rechner.{0} Das Suchen ändert nichts und lädt nichts herunter.",
  from: " von {0}",
  change: "ändern",
  using: "{0}{1} wird verwendet ({2}).",
  startChatting: "Chat beginnen",
};
