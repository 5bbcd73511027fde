import { beginsAsOrder, isOrder, isQuestion, isWish, knowsNothing } from "@elwood/core/memory/answer-shape";
import { isSameTextAs, matchingKey, nearBest, recallWords } from "@elwood/core/memory/recall-gate";
import type { MemoryHit, MemoryTurn } from "@elwood/core/memory/turn";

/** Of a message that brings a whole document along, its first words say what it is about. */
const MESSAGE_CHARS_MAX = 2_000;

export function beginningOf(message: string): string {
  return message.slice(0, MESSAGE_CHARS_MAX);
}

/** Which turns of a hit are told to whoever wrote a message: the hit itself, or one that stands beside it. */
export function tellsTo(message: string): (turn: MemoryTurn, hit: MemoryTurn) => boolean {
  const words = recallWords(message);
  if (words === undefined) return () => false;
  const isOnlyAsked = onlyAsked(message);
  return (turn, hit) => {
    if (isOnlyAsked(turn)) return false;
    // What stands beside a hit is told where it speaks of the same; a mere "yes" is not.
    return turn === hit || words.heldIn(turn.text).length > 0 || matchingKey(words, turn) !== undefined;
  };
}

/** The turns of such a hit: itself first. Should there be no room for more, it is the one that counts. */
export function turnsOf({ turn, before, after, isTold = true }: MemoryHit): readonly MemoryTurn[] {
  return isTold ? [turn, ...before, ...after] : [...before, ...after];
}

/** The hits without those that are not told anyway, for whoever would have to send them on. */
export function toldHits(hits: readonly MemoryHit[], message: string): readonly MemoryHit[] {
  const tells = tellsTo(message);
  return nearBest(hits).flatMap((hit) => {
    const { turn } = hit;
    const before = hit.before.filter((each) => tells(each, turn));
    const after = hit.after.filter((each) => tells(each, turn));
    const isTold = tells(turn, turn);
    return isTold || before.length + after.length > 0 ? [{ ...hit, before, after, isTold }] : [];
  });
}

/**
 * A question of the owner's holds no answer, and one that they ask again would be found before all
 * else. What they once told Elwood to do was done or not, and must not look like a wish of now.
 */
function onlyAsked(message: string): (turn: MemoryTurn) => boolean {
  const saysTheSame = isSameTextAs(message);
  const ordered = beginsAsOrder(message);
  return ({ role, text }) => {
    if (role === "user") return isQuestion(text) || isOrder(text) || isWish(text) || saysTheSame(text);
    // What Elwood said it did for an earlier request is no help with the next one, nor is what it only said after the
    // owner, or that it knew nothing then.
    return role === "assistant" && (ordered || knowsNothing(text) || saysTheSame(text));
  };
}
