import { toolCall } from "@elwood/sdk/model-script/steps";
import type { Turn } from "@elwood/sdk/model-script/rule-model";
import { cited, did, withUndoHint, type Scenario } from "./demo-scenario.ts";
import { says, shown } from "./demo-words.ts";

const SAVE = "memory.note.save";
const SEARCH = "memory.note.search";
const GET = "memory.note.get";
const FORGET = "memory.note.forget";

/** One note for all that is said in passing. */
const NOTE = "remembered";

export const MEMORY_SCENARIOS: readonly Scenario[] = [
  {
    example: "remember that my car is a Volvo",
    tools: [SAVE],
    asked: says(
      "(?:remember|memori[sz]e|keep in mind)(?: that|:|,)? (?!me\\b|when\\b|what\\b|how\\b|who\\b)<line:rest>",
      "don['’]?t forget(?: that|:)? <line:rest>",
      "merke? dir(?:,? dass|:)? <line:rest>",
    ),
    calls: [({ line = "" }) => toolCall(SAVE, { key: NOTE, content: `- ${line.trim()}`, mode: "add" })],
    tell: ([saved]) => withUndoHint(saved!),
  },
  {
    example: "what do you remember about my car",
    tools: [SEARCH],
    asked: says(
      "what (?:do|did) (?:you|i|we) (?:remember|know|say|tell you|note) (?:about|of|on) <query:text>",
      "do you (?:remember|recall|know)(?: anything about| something about)? <query:text>",
      "(?:search|look (?:in|into|through)) (?:your |my |the )?(?:memory|earlier conversations) for <query:text>",
      "was weißt du (?:noch )?(?:über|von) <query:text>",
    ),
    calls: [({ query }) => toolCall(SEARCH, { query, limit: 5 })],
    tell: ([found]) => `I searched my memory${cited(found!)}. It holds:\n\n${shown(found!.text)}`,
  },
  {
    example: "what notes are there",
    tools: [GET],
    asked: says(
      "(?:what|which) notes (?:are there|do (?:you|i|we) have)|(?:list|show)(?: me)? (?:my |your |the |all )?(?:memory|notes)",
      "(?:show|read)(?: me)? (?:the |my |your )?note <name>",
    ),
    calls: [({ name }) => toolCall(GET, name === undefined ? {} : { key: name })],
    tell: ([got]) => `Here is what lies in memory${cited(got!)}:\n\n${shown(got!.text)}`,
  },
  {
    example: "forget the note remembered",
    tools: [FORGET],
    asked: says("(?:forget|delete|erase) (?:the |my |your )?note <name>", "vergiss die notiz <name>"),
    calls: [({ name }) => toolCall(FORGET, { key: name })],
    tell: ([gone]) => did(gone!),
  },
];

const RECALLED = /<data origin="recalled">\n(?<text>[^]*?)\n<\/data>/;

/** What Elwood put before the last message out of memory, without its preface; undefined where it did not. */
export function recalledFor({ request }: Pick<Turn, "request">): string | undefined {
  const asked = request.messages.findLast(({ role }) => role === "user");
  for (const block of asked?.blocks ?? []) {
    const text = block.type === "text" ? RECALLED.exec(block.text)?.groups?.["text"] : undefined;
    if (text !== undefined) return text.split("\n").slice(1).join("\n");
  }
  return undefined;
}
