import { spoken } from "../language.ts";

const ENGLISH = {
  done: ", done",
  toTheChat: "To the chat",
  youSayToTheDemoModel: "You say:",
  sendIt: "Send it",
  beginAgain: "Begin again",
  next: "Next: {0}",
  letItLook: "Let it look",
  readingChangesNothingSoItRuns:
    "Reading changes nothing, so it runs by itself. The line below the answer says what ran.",
  allowOne: "Allow one",
  aChangeThatYouDidNot: "Changes wait for you.",
  denyOne: "Deny one",
  nowSayNoTheAnswerHas: "Now say no. The answer has to admit it, and so does Elwood's own record.",
  verify: "Verify",
  allOfThatIsOnRecord:
    "All of that is on record in a signed chain, which your browser can recompute by itself.",
  connectAModel: "Connect a model",
  aRealModelGetsTheSame:
    "A real model gets the same questions asked and the same receipts written; only the words get better.",
  itIsAtWork: "It is at work.",
  itWaitsForYouPressD: "Press Deny, or the key D.",
  itWaitsForYouPressA: "Press Allow, or the key A.",
  youDeniedItAndNothingWas:
    "You denied it, and nothing was changed. No model wrote the line below the answer.",
  youAllowedItOnceTheLine: "You allowed it, once. Open the ✓ line for the proof.",
  itWasDecidedAndTheLine: "It was decided, and the line under the answer says how it ended.",
  noToolRanTheAnswerSays: "No tool ran. The answer says why; you can go on all the same.",
  thatDidNotWorkHereAnd: "That did not work here, and the answer says why. You can go on all the same.",
  nothingWasAskedAsThePolicy: "Nothing was asked: with your current rules, this runs by itself.",
  welcomeToElwood: "Welcome to Elwood",
  anAssistantThatShowsWhatIt: "It asks before it changes anything, and can prove what it did.",
  skip: "Skip",
  otherWaysToBegin: "Other ways to begin",
  pasteAKey: "Paste a key",
  useWhatIsHere: "Use what is here",
  checkAgain: "Check again",
  anthropicOpenaiOrAnyServerThat: "Anthropic, OpenAI or a compatible server.",
  theKeyIsTriedWithOne:
    "The key is tried with one small question, you see what that cost, and it is kept only if it was answered.",
  thisLoginMayNotKeepKeys: "This login may not keep keys. Log in as the owner to connect a model.",
  tryTheDemo: "Try the demo",
  noKeyAndNothingLeavesThis: "No key. Nothing leaves this machine. Scripted answers, real tools.",
  goOnWithTheDemo: "Go on with the demo",
  thisLoginMayNotLookFor: "This login may not look for models on this machine.",
  lookingForAModelOnThis: "Looking for a model on this machine…",
  notSet: " Not set: {0}.",
  noModelServerAnswers: "No model found on this machine.",
  noModelServerAnswersOnThis:
    "No model server answers on this machine.{0} Looking changes nothing and downloads nothing.",
  from: " from {0}",
  change: "change",
  using: "Using {0}{1} ({2}).",
  startChatting: "Start chatting",
};
export type WelcomeWords = typeof ENGLISH;

export const say: WelcomeWords = spoken("welcome", ENGLISH);
