import { GERMAN_CARD_WORDS } from "@elwood/core/base/german-card-words";
import { abilities } from "./abilities.ts";
import { actions } from "./actions.ts";
import { app } from "./app.ts";
import { approvals } from "./approvals.ts";
import { chat } from "./chat.ts";
import { connections } from "./connections.ts";
import { deeds } from "./deeds.ts";
import { doctor } from "./doctor.ts";
import { gateway } from "./gateway.ts";
import { jobs } from "./jobs.ts";
import { memory } from "./memory.ts";
import { parts } from "./parts.ts";
import { receipts } from "./receipts.ts";
import { runs } from "./runs.ts";
import { settings } from "./settings.ts";
import { states } from "./states.ts";
import { tools } from "./tools.ts";
import { usage } from "./usage.ts";
import { welcome } from "./welcome.ts";

/** All words of the page in German. An area, or a word of one, that is missing does not compile. */
export const GERMAN = {
  abilities,
  actions,
  app,
  approvals,
  chat,
  connections,
  deeds,
  doctor,
  gateway: { ...gateway, sentences: [...GERMAN_CARD_WORDS, ...gateway.sentences] },
  jobs,
  memory,
  parts,
  receipts,
  runs,
  settings,
  states,
  tools,
  usage,
  welcome,
};
export type German = typeof GERMAN;
