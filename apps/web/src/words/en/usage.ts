import { spoken } from "../language.ts";

const ENGLISH = {
  usage: "Usage",
  estimatesFromThePricesElwoodKnows:
    "Estimates from the prices Elwood knows. What your provider bills is the provider's word.",
  over: "Over",
  days: "{0} days",
  show: "Show",
  cost: "cost",
  tokens: "tokens",
  noModelWasUsedInThis: "No model was used in this time.",
  saySomething: "Say something",
  ofUnknownPrice: "{0} of unknown price",
  request: "request",
  requests: "requests",
  inOutFromCache: "{0} in, {1} out, {2} from cache",
  todaysBudget: "today's budget",
  of: "{0} of {1}",
  ofTheLimit: "{0} % of the limit",
  byModel: "By model",
  model: "Model",
  requests2: "Requests",
  tokens2: "Tokens",
  cost2: "Cost",
  byConversation: "By conversation",
  conversation: "Conversation",
  runs: "Runs",
  deletedOnes: "deleted ones",
  tokens3: "{0} tokens",
  aDayByModel: "{0} a day, by model",
  theSameAsATable: "The same as a table",
  day: "Day",
};
export type UsageWords = typeof ENGLISH;

export const say: UsageWords = spoken("usage", ENGLISH);
