import { askedText } from "./asked-text.ts";
import { answerOf, type Turn } from "@elwood/sdk/view-state/turn";
import { callWords } from "../../parts/calls/call-words.ts";

/** Everything that stands in a turn, folded or not, in the order in which it is read. */
export function wordsOfTurn(turn: Turn): string {
  const parts = [...turn.parts, ...turn.ending].flatMap((part) => {
    if (part.kind === "calls")
      return part.calls.map(({ tool, status, target }) => {
        const { words, about } = callWords(tool, status, target);
        return `${words} ${about}`;
      });
    if (part.kind === "media") return [part.block.name ?? ""];
    return "text" in part ? [part.text] : [];
  });
  const names = turn.asked.flatMap(({ blocks }) =>
    blocks.flatMap((block) => (block.type === "file" || block.type === "image" ? [block.name ?? ""] : [])),
  );
  return [askedText(turn), ...names, ...parts, turn.text, turn.evidence ?? ""].join("\n");
}

/** The turns that hold these words, the newest last; letters count alike in either case. */
export function turnsWith(turns: readonly Turn[], query: string): Turn[] {
  const words = folded(query);
  if (words === "") return [];
  return turns.filter(
    (turn) => folded(wordsOfTurn(turn)).includes(words) || folded(answerOf(turn)).includes(words),
  );
}

/** Lower case, and any run of white space as one blank: lines are broken elsewhere on the page. */
export function folded(text: string): string {
  return text.toLowerCase().replaceAll(/\s+/g, " ").trim();
}
