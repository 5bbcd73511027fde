import { err, ok, type Result } from "../base/result.ts";
import type { Message } from "../message/message.ts";
import { tokensOfText } from "../model/tokens.ts";
import { ownerSentences, type OwnerSentence } from "./owner-sentences.ts";

export interface Quote {
  readonly ts: number;
  readonly text: string;
}

export interface Audited {
  readonly quotes: readonly Quote[];
  /** How many sentences there was no room for. */
  readonly leftOut: number;
}

/**
 * Which of the owner's sentences have to stand beside a summary because it does not hold
 * them. Rules go first, then what is open, then sentences with details, the newest first of
 * each; what is shown is in the order in which it was said.
 */
export function auditSummary(summary: string, covered: readonly Message[], tokensMax: number): Audited {
  const said = squeezed(summary);
  const seen = new Set<string>();
  const all = ownerSentences(covered);
  const missing = all.toReversed().filter(({ text, needed }) => {
    const plain = squeezed(text);
    if (seen.has(plain)) return false;
    seen.add(plain);
    return !needed.every((each) => holds(said, squeezed(each)));
  });
  const ranked = RANKS.flatMap((kind) => missing.filter((sentence) => sentence.kind === kind));
  const chosen: OwnerSentence[] = [];
  let left = tokensMax;
  for (const sentence of ranked) {
    const cost = tokensOfText(sentence.text) + QUOTE_TOKENS;
    if (cost > left) continue;
    left -= cost;
    chosen.push(sentence);
  }
  const taken = new Set(chosen);
  const quotes = all.filter((sentence) => taken.has(sentence)).map(({ ts, text }) => ({ ts, text }));
  return { quotes, leftOut: missing.length - chosen.length };
}

const RANKS: readonly OwnerSentence["kind"][] = ["rule", "open", "detail"];
/** The date before a quotation. */
const QUOTE_TOKENS = 10;
const SUMMARY_CHARS_MIN = 40;

/** Whether what a model wrote can be a summary at all; the reason is told to the owner. */
export function checkSummary(
  text: string,
  { tokensMax, coveredTokens }: { readonly tokensMax: number; readonly coveredTokens: number },
): Result<string, string> {
  const summary = text.trim();
  if (summary === "") return err("the model wrote nothing");
  if (summary.length < SUMMARY_CHARS_MIN) return err("the model wrote too little to be a summary");
  const tokens = tokensOfText(summary);
  if (tokens > tokensMax) return err("the summary was too long");
  if (tokens >= coveredTokens) return err("the summary was no shorter than what it stands for");
  const letters = summary.match(/[\p{L}\p{N}\s]/gu)?.length ?? 0;
  if (letters < summary.length * 0.5) return err("the model wrote no readable text");
  const lines = summary
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  if (lines.length >= 6 && new Set(lines).size < lines.length / 2) return err("the model repeated itself");
  const words = summary.toLowerCase().split(/\s+/);
  if (words.length >= 60 && new Set(words).size < words.length / 10) return err("the model repeated itself");
  return ok(summary);
}

/** Whether it stands there by itself: 300 does not stand in 3000 or 1.300, nor KX-77 in KX-7741. */
function holds(text: string, wanted: string): boolean {
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    const end = at + wanted.length;
    const before =
      PART.test(wanted[0] ?? "") &&
      /[\p{Script=Latin}\p{N}][.,]?$/u.test(text.slice(Math.max(0, at - 2), at));
    const after =
      PART.test(wanted.at(-1) ?? "") &&
      /^(?:[\p{Script=Latin}\p{N}]|[.,]\p{N})/u.test(text.slice(end, end + 2));
    if (!before && !after) return true;
  }
  return false;
}

const PART = /[\p{Script=Latin}\p{N}]/u;

function squeezed(text: string): string {
  return text.replaceAll(/[\s"“”„'’`*_]+/gu, " ").trim();
}
