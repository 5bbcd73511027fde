import { spoken } from "../language.ts";

const ENGLISH = {
  stepOf: "Step {0} of {1}",
  done: ", done",
  toTheChat: "To the chat",
  youSayToTheDemoModel: "You say to the demo model:",
  sendIt: "Send it",
  beginAgain: "Begin again",
  next: "Next: {0}",
  letItLook: "Let it look",
  readingChangesNothingSoItRuns:
    "Reading changes nothing, so it runs by itself; the line under the answer says what ran.",
  allowOne: "Allow one",
  aChangeThatYouDidNot:
    "A change that you did not spell out waits for you, and shows beforehand what would be different.",
  denyOne: "Deny one",
  nowSayNoTheAnswerHas:
    "Now say no: the answer has to admit that nothing was done, and Elwood's own record says so too.",
  verify: "Verify",
  allOfThatIsOnRecord:
    "All of that is on record in a signed chain, which your browser can recompute by itself.",
  connectAModel: "Connect a model",
  aRealModelGetsTheSame:
    "A real model gets the same questions asked and the same receipts written; only the words get better.",
  itIsAtWork: "It is at work.",
  itWaitsForYouPressD: "It waits for you. Press D while the card has the focus, or its button Deny.",
  itWaitsForYouPressA: "It waits for you. Press A while the card has the focus, or its button Allow.",
  youDeniedItAndNothingWas:
    "You denied it, and nothing was changed. The answer says so, and so does the line under it, which no model writes.",
  youAllowedItOnceTheLine:
    "You allowed it, once. The line under the answer is made from receipts; open it to see each call.",
  itWasDecidedAndTheLine: "It was decided, and the line under the answer says how it ended.",
  noToolRanTheAnswerSays: "No tool ran. The answer says why; you can go on all the same.",
  thatDidNotWorkHereAnd: "That did not work here, and the answer says why. You can go on all the same.",
  nothingWasAskedAsThePolicy: "Nothing was asked: with your current rules, this runs by itself.",
  welcomeToElwood: "Welcome to Elwood",
  anAssistantThatShowsWhatIt:
    "An assistant that shows what it would change, does what you allow, and can prove what it did.",
  skip: "Skip",
  otherWaysToBegin: "Other ways to begin",
  pasteAKey: "Paste a key",
  useWhatIsHere: "Use what is here",
  checkAgain: "Check again",
  anthropicOpenaiOrAnyServerThat:
    "Anthropic, OpenAI, or any server that speaks OpenAI's protocol. The key is tried with one small question, you see what that cost, and it is kept only if it was answered.",
  thisLoginMayNotKeepKeys: "This login may not keep keys. Log in as the owner to connect a model.",
  tryTheDemo: "Try the demo",
  noKeyAndNothingLeavesThis:
    "No key, and nothing leaves this machine. The answers are scripted; the tools, the questions and the receipts are the real ones. Five steps, about a minute.",
  goOnWithTheDemo: "Go on with the demo",
  thisLoginMayNotLookFor: "This login may not look for models on this machine.",
  lookingForAModelOnThis: "Looking for a model on this machine…",
  notSet: " Not set: {0}.",
  noModelServerAnswersOnThis:
    "No model server answers on this machine.{0} Looking changes nothing and downloads nothing.",
  from: " from {0}",
  change: "change",
  using: "Using {0}{1} ({2}).",
  startChatting: "Start chatting",
};
export type WelcomeWords = typeof ENGLISH;

export const say: WelcomeWords = spoken("welcome", ENGLISH);
