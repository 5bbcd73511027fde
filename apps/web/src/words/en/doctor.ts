import { spoken } from "../language.ts";

const ENGLISH = {
  health: "Health",
  checksEverythingElwoodNeedsAnd: "Checks everything Elwood needs, and changes nothing.",
  checkAgain: "Check again",
  findings: "Findings",
  log: "Log",
  thisLoginMayNotLook: "This login may not look.",
  findingsAndTheLogNeedA: "Findings and the log need a login with the scope admin.",
  nothingWasLookedAt: "Nothing was looked at.",
  everythingLooksGood: "Everything looks good.",
  broken: "{0} broken, {1}.",
  thing: "thing",
  things: "things",
  warning: "warning",
  warnings: "warnings",
  elwoodChecked: "{0} Elwood {1}, checked {2}",
  check: "check",
  checks: "checks",
  passed: "{0} passed",
  orAllAtOnce: "Or all at once: {0}",
  copyTheCommand: "Copy the command",
  downTo: "Down to",
  find: "Find",
  goOn: "Go on",
  pause: "Pause",
  noLineFits: "No line fits.",
  openModelsAndKeys: "Open Models & keys",
  setUpSearch: "Set up search",
  openChannels: "Open Channels",
  openIntegrations: "Open Integrations",
  openToolsAndPolicy: "Open Tools & policy",
  openSettings: "Open Settings",
  details: "Details",
};
export type DoctorWords = typeof ENGLISH;

export const say: DoctorWords = spoken("doctor", ENGLISH);
