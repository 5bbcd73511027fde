import { spoken } from "../language.ts";

const ENGLISH = {
  aboutThisModel: "About this model",
  whatWantsYou: "What wants you",
  decide: "Decide",
  answer: "Answer",
  modelsKeys: "Models & keys",
  waitingForYou: "Waiting for you:",
  more: "{0} more",
  andMore: "And {0} more.",
  demoModel: "Demo model",
  scriptedAnswers: ": scripted answers.",
  realToolsRealReceiptsNothingLeaves: "Real tools, real receipts, nothing leaves this machine.",
  connectAModel: "Connect a model",
  dismiss: "Dismiss",
  newSession: "New session",
  sessions: "Sessions",
  find: "Find",
  findACommandPageOrSession: "Find a command, page or session",
  found: "Found",
  nothingHasThatName: "Nothing has that name.",
  of: "{0} of {1}",
  prompts: "Prompts",
  saidIn: "Said in",
  theConnectionBrokeTryingAgain: "The connection broke. Trying again.",
  connectedAgain: "Connected again.",
  connecting: "Connecting…",
  connected: "Connected",
  reconnecting: "Reconnecting…",
  loggedOut: "Logged out",
  notConnected: "Not connected",
  retryNow: "Retry now",
  thereIsANewVersionOf: "There is a new version of this page.",
  elwoodWasUpdatedTo: "Elwood was updated to {0}.",
  reload: "Reload",
  notDoneElwoodCannotBeReached: "Not done: Elwood cannot be reached now.",
  thisPartOfThePageCould:
    "This part of the page could not be loaded: Elwood cannot be reached, or was updated.",
  logInToElwood: "Log in to Elwood",
  elwoodOpensToAOneTime:
    "Elwood opens to a one-time link. On the machine it runs on, type this in a terminal and follow the link it prints:",
  orPasteALinkOrA: "Or paste a link or a token here",
  logIn: "Log in",
  aLinkWorksOnceForTen:
    "A link works once, for ten minutes. What is accepted stays in this tab and is gone when you close it, unless you choose to stay logged in. Other tabs log in by themselves.",
  couldNotBeLoadedElwoodMay: "{0} could not be loaded. Elwood may have been updated, or cannot be reached.",
  thisPageDoesNotFitThis: "This page does not fit this gateway",
  thePageSpeaksProtocolTheGateway:
    "The page speaks protocol {0}, the gateway ({1}) speaks {2}. Drafts and messages that were not sent are kept in this browser.",
  aReloadFetchesThePageOf:
    "A reload fetches the page of this gateway. Where it does not help, the page was not built again: run {0} where Elwood is.",
  keyboardShortcuts: "Keyboard shortcuts",
  close: "Close",
  singleLetterShortcuts: "Single-letter shortcuts",
  thisPageCameUnencryptedFromAnother:
    "This page came unencrypted from another machine, where a browser keeps no key. Open it by https, or on the machine that Elwood runs on.",
  theGatewayRefusedTheLogin: "The gateway refused the login ({0}).",
  elwoodDoesNotAnswerIsIt:
    "Elwood does not answer. Is it running? Start it with: npm start. The link may still be good.",
  refused: "refused ({0})",
  elwoodCannotBeReachedNowAttach: "Elwood cannot be reached now; attach it again",
  stayLoggedIn: "Stay logged in",
  stayLoggedInOnThisDevice: "Stay logged in on this device?",
  thisBrowserDoesNotStayLogged: "This browser does not stay logged in. {0}",
  thisBrowserStaysLoggedInSettings: "This browser stays logged in. Settings and “Log out” end it.",
  thisBrowserHasForgottenTheToken:
    "This browser has forgotten the token. The token itself was not ended: it still opens Elwood elsewhere.",
  thisBrowserHasForgottenItsLogin:
    "This browser has forgotten its login. Elwood could not be told: until it is revoked under Models & keys, or expires, it is still good.",
  nothingHere: "Nothing here",
  theLinkMayBeOldOr: "The link may be old, or have lost a letter on its way.",
  elwoodHasNoPage: "Elwood has no page {0}",
  toTheChat: "To the chat",
};
export type AppWords = typeof ENGLISH;

export const say: AppWords = spoken("app", ENGLISH);
