import type { ActionsWords } from "../en/actions.ts";

export const actions: ActionsWords = {
  action: "Aktion",
  allActions: "Alle Aktionen",
  versions: "Fassungen",
  vV: "v{0} → v{1}",
  asItIsStored: "Wie sie gespeichert ist",
  eachExecutionIsACallOf: "Jede Ausführung ist ein Aufruf des Werkzeugs {0}.",
  tryIt: "Ausprobieren",
  inputAsJson: "Eingabe als JSON",
  hello: "Hallo",
  execute: "Ausführen",
  v: "v{0}",
  current: "aktuell",
  compare: "Vergleichen",
  useThisOne: "Diese verwenden",
  useVOf: "v{0} von {1} verwenden?",
  programsThatAskForItsLatest:
    "Programme, die nach der neuesten Fassung fragen, bekommen ab jetzt diese. Alle Fassungen bleiben.",
  useIt: "Verwenden",
  costUnknown: "Kosten unbekannt",
  tokens: "{0}/{1} · {2} Token · {3}",
  actions: "Aktionen",
  whatProgramsAskOfModelsAnd:
    "Was Programme unter einem Namen von Modellen und Diensten verlangen, mit eigenen Token und deinen Limits.",
  yoursComeFromAFile: "Deine kommen aus einer Datei: {0}",
  of: " von {0}",
  v2: "v{0}{1}",
};
