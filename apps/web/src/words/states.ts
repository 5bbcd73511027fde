import { spoken } from "./language.ts";
import { say } from "./en/parts.ts";
import { fill } from "./fill.ts";
import { showLine } from "@elwood/core/base/show";

/** States, and what each mode of the policy asks about, come from `core`: here in the page's language. */
const states = spoken("states", {});

export function stateText(word: string): string {
  const [, code] = /^ended with code (-?\d+)$/.exec(word) ?? [];
  return code === undefined ? (states[word] ?? word) : fill(say.endedWithCode, code);
}

/** Where something was said or decided, for people: “terminal” and not “cli”. A channel is called by its name. */
export function surfaceText(surface: string): string {
  const known = SURFACES[surface];
  return known ? say[known] : (CHANNELS[surface] ?? showLine(surface));
}

const CHANNELS: Readonly<Record<string, string>> = { telegram: "Telegram", discord: "Discord" };

const SURFACES: Readonly<Record<string, keyof typeof say>> = {
  web: "onThePage",
  cli: "terminal",
  ws: "byProgram",
  http: "api",
  api: "api",
  gateway: "elwoodItself",
  config: "settingsFile",
  webhook: "webhook",
  schedule: "schedule",
  mcp: "mcpClient",
};

export function policyText(words: string): string {
  return states[words] ?? words;
}
