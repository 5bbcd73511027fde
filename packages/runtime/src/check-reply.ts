import type { ActivityItem } from "@elwood/core/activity";
import type { Grounded } from "@elwood/core/grounding/ground";
import { textOf, type Message } from "@elwood/core/message";
import { loadGrounding } from "./grounding.ts";

/** A reply that was held against the receipts of its run. */
export interface CheckedReply {
  /** `repaired`: the model wrote it anew; `withheld`: Elwood's own wording stands in its place. */
  readonly verdict: "grounded" | "repaired" | "withheld";
  readonly grounded: Grounded;
  /** Every draft there was, the first one first. */
  readonly drafts: readonly string[];
  /** What was wrong with them. */
  readonly problems: readonly string[];
  /** The model's message that the reply was made of; none where it is withheld. */
  readonly message?: Message;
  readonly activity: readonly ActivityItem[];
}

export interface ReplyToCheck {
  readonly message: Message | undefined;
  readonly activity: readonly ActivityItem[];
  readonly ownerWords: string;
  /** Asks the model once more, with this note; without it, or where no answer comes, there is no second draft. */
  readonly again?: (note: string) => Promise<Message | undefined>;
}

/**
 * Holds a draft against the receipts. What does not fit them is written anew by the model,
 * once; what then still does not fit is left out, and fixed wording says what is known.
 */
export async function checkReply({
  message,
  activity,
  ownerWords,
  again,
}: ReplyToCheck): Promise<CheckedReply> {
  const { ground, fallback, repairInstruction } = await loadGrounding();
  const draft = message ? textOf(message) : "";
  const about = { activity, ownerWords };
  const first = ground({ ...about, draft });
  if (first.verdict === "grounded") {
    const drafts = draft === "" ? [] : [draft];
    return {
      verdict: "grounded",
      grounded: first,
      drafts,
      problems: [],
      activity,
      ...(message && { message }),
    };
  }
  const kinds = first.problems.map(({ kind }) => kind);
  const revised = await again?.(repairInstruction(first.problems, activity));
  const anew = revised ? textOf(revised) : "";
  if (revised && anew !== "") {
    const second = ground({ ...about, draft: anew });
    const drafts = [draft, anew];
    if (second.verdict === "grounded")
      return {
        verdict: "repaired",
        grounded: second,
        drafts,
        problems: [...new Set(kinds)],
        message: revised,
        activity,
      };
    kinds.push(...second.problems.map(({ kind }) => kind));
    return withheld(drafts);
  }
  return withheld([draft]);

  function withheld(drafts: readonly string[]): CheckedReply {
    const grounded = fallback({ ...about, draft });
    return { verdict: "withheld", grounded, drafts, problems: [...new Set(kinds)], activity };
  }
}

/** What the owner typed, without what they piped, attached, quoted or passed on. */
export function ownerWordsOf(inbound: Message | undefined): string {
  return (inbound?.blocks ?? [])
    .flatMap((block) =>
      block.type === "text" && (block.origin ?? inbound?.origin) === "owner" ? [block.text] : [],
    )
    .join("\n\n");
}
