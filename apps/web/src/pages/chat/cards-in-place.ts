import type { ReplyPart } from "./reply-parts.ts";

/** Cards stand before the calls that they were about; one whose call is not known yet stands last. */
export function withCards(
  parts: readonly ReplyPart[],
  cards: readonly { readonly approvalId: string; readonly callId: string }[],
): readonly ReplyPart[] {
  if (cards.length === 0) return parts;
  const partOfCard = ({ callId }: { callId: string }) =>
    parts.findIndex(
      (part) =>
        part.kind === "calls" &&
        part.calls.some((call) => call.callId === callId || callId.startsWith(`${call.callId}.`)),
    );
  const placed = cards.map((card) => ({ at: partOfCard(card), approvalId: card.approvalId }));
  const at = (index: number) =>
    placed.flatMap((card): ReplyPart[] =>
      card.at === index ? [{ kind: "approval", approvalId: card.approvalId }] : [],
    );
  return [...parts.flatMap((part, index) => [...at(index), part]), ...at(-1)];
}
