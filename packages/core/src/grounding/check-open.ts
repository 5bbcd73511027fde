import type { Reading, Whole } from "./check.ts";
import type { Facts } from "./facts.ts";
import type { Asked } from "./request.ts";
import { familiesOf, fits, looksAt, namesDomain, tokensOf, type Family } from "./tool-fit.ts";

/** How things usually are says nothing of what was done. */
const GENERAL =
  /(?<!\p{L})(?:usually|typically|normally|in general|for example|normalerweise|in der regel|normalmente|en general|suele|d'habitude|en général)(?!\p{L})|通常|一般/giu;
/** After "cancel it", "you won't be charged again" tells the deed. */
const NO_LONGER =
  /(?<!\p{L})(?:won't|will no longer|no longer|not? (?:\p{L}+ ){0,3}any ?more|never again|nicht mehr|keine? (?:\p{L}+ ){0,2}mehr|nie wieder|ya no|no (?:\p{L}+ ){0,3}más|ne (?:\p{L}+ ){0,3}plus|n'\p{L}+ plus)(?!\p{L})|不再|不会再|已经?不在|不见了|没有了|もう[^。]{0,12}(?:ません|ない)/giu;
/** It depends on something that is yet to come. */
const LATER =
  /(?<!\p{L})(?:once|as soon as|sobald|en cuanto|cuando|dès que|une fois|lorsque)(?!\p{L})|后(?:就|才|即)|(?:たら|れば)/iu;
const DRAFT = /draft|entw[uü]rf|borrador|brouillon|草稿|下書き/iu;
const ENDINGS: ReadonlySet<string> = new Set(["cancel", "unsubscribe", "delete", "device"]);

/**
 * The gate the other way round. The owner asked for a deed and no change succeeded: then an
 * honest reply asks, offers, explains what it needs, or says that it was not done. A reply
 * in which no sentence does any of that leaves the owner believing it was done, whatever
 * its words. Answers the sentence to name, if so.
 */
export function unbackedReading(
  readings: readonly Reading[],
  facts: Facts,
  asked: Asked,
  whole: Whole,
): Reading | undefined {
  if (whole.retracted) return undefined;
  const drafts =
    facts.changed.length > 0 && facts.changed.every((item) => tokensOf(item.toolId).includes("draft"));
  if (facts.changed.length > 0 && !drafts) return undefined;
  // What was asked for can be a call that changes nothing: a program that ran, a picture that was made.
  if (facts.state === "E1" && isMade([...asked.families, ...whole.told], facts)) return undefined;
  const attempted = facts.unsuccessful.some((item) => item.risk !== "read");
  const asksLook = asked.kind === "look" && facts.succeeded.length === 0;
  if (!(asked.kind === "deed" || attempted || asksLook) || readings.length === 0) return undefined;
  const ending =
    asked.families.some((family) => ENDINGS.has(family)) ||
    facts.unsuccessful.some((item) =>
      [...(familiesOf(item.toolId) ?? [])].some((family) => ENDINGS.has(family)),
    );
  for (const { lexicon, sentence, question } of readings) {
    const text = sentence.plain.replace(GENERAL, " ").replace(ending ? NO_LONGER : GENERAL, " ");
    const open =
      question ||
      LATER.test(text) ||
      [
        lexicon.safe,
        lexicon.negative,
        lexicon.failed,
        lexicon.pending,
        lexicon.unsure,
        lexicon.declined,
        lexicon.expired,
      ].some((pattern) => pattern.test(text));
    if (open || DRAFT.test(text) || /[❌✗✘⏸⚠]/u.test(text)) return undefined;
    if (
      facts.state === "E1" &&
      (lexicon.looked.test(text) ||
        (namesDomain(text) && facts.succeeded.some((item) => looksAt(text, item))))
    )
      return undefined;
  }
  return readings.find(({ lexicon, sentence }) => !lexicon.ack.test(sentence.plain));
}

function isMade(families: readonly Family[], { succeeded }: Facts): boolean {
  const named = families.filter((family) => !["read", "verify", "any", "done"].includes(family));
  return named.length > 0 && succeeded.some((item) => fits(named, item));
}
