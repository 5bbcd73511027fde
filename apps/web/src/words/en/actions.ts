import { spoken } from "../language.ts";

const ENGLISH = {
  // Those that come with Elwood.
  "llm.chat": "Ask a model: yours, or the one that the input names.",
  "llm.embed": "Texts as vectors, by the model in the input.",
  "llm.rerank": "Documents by nearness to a query.",
  "resources.search": "Find in notes, conversations and receipts; with scope chat.",
  "resources.get": "Read what a search found; with scope chat.",
  builtIn: "built-in",
  action: "Action",
  allActions: "All actions",
  versions: "Versions",
  vV: "v{0} → v{1}",
  asItIsStored: "As it is stored",
  eachExecutionIsACallOf: "Each execution is a call of the tool {0}.",
  tryIt: "Try it",
  inputAsJson: "Input, as JSON",
  hello: "Hello",
  execute: "Execute",
  v: "v{0}",
  current: "current",
  compare: "Compare",
  useThisOne: "Use this one",
  useVOf: "Use v{0} of {1}?",
  programsThatAskForItsLatest:
    "Programs that ask for its latest version get this one from now on. All versions stay.",
  useIt: "Use it",
  costUnknown: "cost unknown",
  tokens: "{0}/{1} · {2} tokens · {3}",
  actions: "Actions",
  whatProgramsAskOfModelsAnd:
    "What programs ask of models and services by name, with their own tokens and your limits.",
  yoursComeFromAFile: "Yours come from a file: {0}",
  of: " of {0}",
  v2: "v{0}{1}",
};
export type ActionsWords = typeof ENGLISH;

export const say: ActionsWords = spoken("actions", ENGLISH);
