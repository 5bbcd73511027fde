import type { SpokenDeed } from "@elwood/core/tool/german-deeds";
import { deedOf } from "@elwood/core/tool/tool-words";
import { formatLocal } from "@elwood/core/base/local-time";
import { relativeTime } from "@elwood/core/base/relative-time";
import { failureIn, sentencesIn, type Sentences, type SpokenSentence } from "@elwood/core/base/sentences";
import type { Card } from "@elwood/core/card/card";
import type { GERMAN } from "./german.ts";
import type { GERMAN_COMMANDS } from "./german-commands.ts";

/** What commands say, as the code has it. One that is not in the table does not compile. */
export type Sentence = keyof typeof GERMAN | keyof typeof GERMAN_COMMANDS;

/** Another language than English: loaded at the start of a command, where the terminal speaks it. */
export interface Spoken {
  readonly sentences: Readonly<Record<Sentence, string>>;
  readonly help: Readonly<Record<string, string>>;
  /** What the library of the command line says of one that is wrong. */
  readonly usage: readonly SpokenSentence[];
  /** Under the help of the whole. */
  readonly examples: string;
  /** What the gateway says, and states. */
  readonly gateway: Sentences;
  readonly states: Readonly<Record<string, string>>;
  readonly policy: Readonly<Record<string, string>>;
  readonly deeds: Readonly<Record<string, SpokenDeed>>;
}

/** A terminal, as far as its language goes. */
export interface Speaking {
  readonly spoken?: Spoken | undefined;
}

/** A sentence in the language of the terminal, with values in its places: `say(io, "Undo all {0}? [y/N] ", 3)`. */
export function say(
  { spoken }: Speaking,
  sentence: Sentence,
  ...values: readonly (string | number)[]
): string {
  const told = spoken?.sentences[sentence] ?? sentence;
  return told.replaceAll(/\{(\d)\}/g, (_, place: string) => String(values[Number(place)] ?? ""));
}

/** One or many, by their number, which is the first value: `sayCount(io, runs, "1 run", "{0} runs")`. */
export function sayCount(
  io: Speaking,
  count: number,
  one: Sentence,
  many: Sentence,
  ...values: readonly (string | number)[]
): string {
  return say(io, count === 1 ? one : many, count, ...values);
}

/** A time by the wall clock of a zone. */
export function timeText(io: Speaking, ts: number, timeZone: string): string {
  return gatewayText(io, formatLocal(ts, timeZone));
}

/** How long ago, as a person says it. */
export function agoText(io: Speaking, ts: number, nowMs: number, timeZone: string): string {
  return gatewayText(io, relativeTime(ts, nowMs, timeZone));
}

/** What the gateway says. A sentence that no table has is shown as it came. */
export function gatewayText({ spoken }: Speaking, text: string): string {
  return spoken ? sentencesIn(spoken.gateway, text) : text;
}

export function failureText(
  { spoken }: Speaking,
  { reason, message }: { readonly reason: string; readonly message: string },
): string {
  return spoken ? failureIn(spoken.gateway, reason, message) : message;
}

/** States come from `core`, for every surface. */
export function stateText({ spoken }: Speaking, word: string): string {
  return spoken?.states[word] ?? word;
}

/** What a call does, does now or did. */
export function deedText({ spoken }: Speaking, tool: string, time: "todo" | "doing" | "done"): string {
  const deed = spoken?.deeds[tool];
  if (!deed) return deedOf(tool)[time];
  const [something, todo, doing, done] = deed;
  const words = { todo, doing, done }[time].replace("{0}", something);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Where a setting comes from: files and flags are told as they are. */
export function originText(io: Speaking, origin: string): string {
  if (origin === "default" || origin === "default (the system's)") return say(io, origin);
  const [, variable] = /^environment (.+)$/.exec(origin) ?? [];
  return variable === undefined ? origin : say(io, "environment {0}", variable);
}

/** What a tool does, for its owner. Of one that did not come with Elwood, what its author says of it. */
export function toolText(io: Speaking, tool: string, description: string): string {
  return io.spoken?.deeds[tool] ? deedText(io, tool, "todo") : description;
}

/** What would be done stays as it is: only Elwood's own words about it are told in the language of the terminal. */
export function spokenCard(io: Speaking, card: Card): Card {
  if (!io.spoken) return card;
  const told = (text: string) => gatewayText(io, text);
  return {
    ...card,
    title: told(card.title),
    ...(card.note === undefined ? {} : { note: told(card.note) }),
    why: told(card.why),
    effects: card.effects.map((effect) => ({ ...effect, words: told(effect.words) })),
    allow: card.allow.map((each) => ({ ...each, words: told(each.words), hint: told(each.hint) })),
  };
}

/** German, loaded only where it is spoken. */
export async function germanWords(): Promise<Spoken> {
  const [
    { GERMAN },
    { GERMAN_COMMANDS },
    { GERMAN_EXAMPLES, GERMAN_HELP, GERMAN_USAGE },
    { GERMAN_SENTENCES },
    { GERMAN_CLI_PIECES, GERMAN_CLI_SENTENCES },
    { GERMAN_FAILURES },
    { GERMAN_CLI_FAILURES },
    { sentencesBy },
    { GERMAN_POLICY, GERMAN_STATES },
    { GERMAN_DEEDS },
  ] = await Promise.all([
    import("./german.ts"),
    import("./german-commands.ts"),
    import("./german-help.ts"),
    import("@elwood/core/base/german-sentences"),
    import("./german-sentences.ts"),
    import("@elwood/core/base/german-failures"),
    import("./german-failures.ts"),
    import("@elwood/core/base/sentences-by"),
    import("@elwood/core/base/state-words-german"),
    import("@elwood/core/tool/german-deeds"),
  ]);
  return {
    sentences: { ...GERMAN, ...GERMAN_COMMANDS },
    help: GERMAN_HELP,
    usage: GERMAN_USAGE,
    examples: GERMAN_EXAMPLES,
    gateway: {
      ...GERMAN_SENTENCES,
      sentences: [...GERMAN_CLI_SENTENCES, ...GERMAN_SENTENCES.sentences],
      pieces: [...GERMAN_CLI_PIECES, ...(GERMAN_SENTENCES.pieces ?? [])],
      failures: sentencesBy({ ...GERMAN_FAILURES, ...GERMAN_CLI_FAILURES }),
    },
    states: GERMAN_STATES,
    policy: GERMAN_POLICY,
    deeds: GERMAN_DEEDS,
  };
}
