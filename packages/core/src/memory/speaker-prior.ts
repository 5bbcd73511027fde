import type { TurnRole } from "./turn.ts";
import { FIRST_OF_SEVERAL_SHARE } from "./weights.ts";

/** Who is asked about, as far as the question says. */
export interface SpeakerPrior {
  /** Words that only name a speaker; whoever is asked about seldom says the own name. */
  readonly nameWords: ReadonlySet<string>;
  /** 0 to 1. */
  of(turn: { readonly role: TurnRole; readonly speaker: string }): number;
}

const NICKNAME_CHARS_MIN = 3;
/** The owner's turns carry this name, but in a question the word means the assistant. */
const OWNER_SPEAKER = "you";
const QUESTION_CHARS_MAX = 2_000;

/**
 * Names go first: "What did Anna say about …" prefers Anna's own turns. Else "I" and "my" prefer what
 * the owner said and what is noted, and "you told me" what the assistant said.
 */
export function speakerPrior(question: string, speakers: readonly string[]): SpeakerPrior {
  const text = question.slice(0, QUESTION_CHARS_MAX);
  const { named, nameWords } = namesIn(text, speakers);
  if (named.length > 0) {
    const share = named.length === 1 ? 1 : TOGETHER.test(text) ? 0 : FIRST_OF_SEVERAL_SHARE;
    return { nameWords, of: (turn) => (turn.speaker.toLowerCase() === named[0] ? share : 0) };
  }
  const role = roleAsked(text);
  if (role === undefined) return { nameWords, of: () => 0 };
  return {
    nameWords,
    of: (turn) => ((role === "assistant" ? turn.role === "assistant" : isOwners(turn)) ? 1 : 0),
  };
}

function isOwners({ role, speaker }: { readonly role: TurnRole; readonly speaker: string }): boolean {
  return role === "note" || (role === "user" && speaker === OWNER_SPEAKER);
}

/** Speakers in the order they are named, in lower case, also by the beginning of a name ("Mel" for Melanie). */
function namesIn(text: string, speakers: readonly string[]) {
  const known = speakers.map((name) => name.toLowerCase()).filter((name) => name !== OWNER_SPEAKER);
  const named: string[] = [];
  const nameWords = new Set<string>();
  for (const written of text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []) {
    const word = written.toLowerCase();
    const short = /^\p{Lu}/u.test(written) && word.length >= NICKNAME_CHARS_MIN;
    for (const name of known) {
      const parts = name.split(/\s+/u);
      if (!parts.includes(word) && !(short && parts.some((part) => part.startsWith(word)))) continue;
      nameWords.add(word);
      if (!named.includes(name)) named.push(name);
    }
  }
  return { named, nameWords };
}

const TOGETHER =
  /\b(?:both|together|each other|beide|beiden|zusammen|\p{Lu}\p{L}+ (?:and|und|or|oder) \p{Lu}\p{L}+)\b/u;

function roleAsked(text: string): "user" | "assistant" | undefined {
  if (ASSISTANT_SAID.test(text)) return "assistant";
  return OWNER_WORDS.test(text) ? "user" : undefined;
}

const SAYING =
  "(?:tell|told|say|said|suggest(?:ed)?|recommend(?:ed)?|advise[d]?|answer(?:ed)?|explain(?:ed)?|write|wrote|written|mention(?:ed)?|promise[d]?|propose[d]?|give|gave|given|show(?:ed|n)?|find|found|think|thought|offer(?:ed)?|warn(?:ed)?|call(?:ed)?|describe[d]?|draft(?:ed)?|list(?:ed)?|summari[sz]e[d]?)";

/** The assistant as the one who said it: "you told me", "did you suggest", "your advice", "hast du gesagt". */
const ASSISTANT_SAID = new RegExp(
  [
    `\\byou (?:\\w+ ){0,2}?${SAYING}\\b`,
    `\\b(?:did|have|had|would|were|are) you\\b`,
    "\\byour (?:\\w+ )?(?:advice|answer|suggestions?|recommendations?|reply|idea|opinion|draft|list|summary|explanation)\\b",
    "\\b(?:hast|hattest|würdest) du\\b",
    "\\bdu (?:mir|uns)?\\b.*\\b(?:gesagt|empfohlen|vorgeschlagen|geraten|geschrieben|erklärt|genannt|gegeben)\\b",
    "\\bdeine? (?:antwort|vorschl\\S+|empfehlung\\w*|rat|meinung|idee)\\b",
  ].join("|"),
  "iu",
);

const OWNER_WORDS =
  /\b(?:i|i'm|i've|my|mine|me|myself|we|our|ours|us|ich|mein|meine[nmrs]?|mir|mich|wir|uns|unser|unsere[nmrs]?)\b/iu;
