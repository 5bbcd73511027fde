import type { Found, Reading, Whole } from "./check.ts";
import type { Facts } from "./facts.ts";
import { fits, isOpenEnded } from "./tool-fit.ts";

/** "Nothing was sent" when a receipt says that it was. */
export function readDenials({ lexicon, clauses }: Reading, facts: Facts, whole: Whole): Found | undefined {
  if (facts.changed.length === 0) return undefined;
  for (const clause of clauses) {
    const nothing = lexicon.nothing.test(clause);
    if (!nothing && !lexicon.negative.test(clause) && !lexicon.failed.test(clause)) continue;
    if (
      lexicon.elsewhere.test(clause) ||
      lexicon.unsure.test(clause) ||
      lexicon.verified.test(clause) ||
      lexicon.looked.test(clause)
    )
      continue;
    if (/^(?:not|noch nicht|nicht|no|pas|aún no|未|尚未)(?!\p{L})/iu.test(clause) && !nothing) continue;
    const named = lexicon
      .deeds(clause)
      .filter((family) => family !== "done" && (nothing || family !== "any"));
    if (named.length === 0) continue;
    if (facts.unsuccessful.some((item) => fits(named, item))) continue;
    // Of a tool that can do anything nobody can say that it did just this.
    const done = facts.changed.filter((item) => fits(named, item) && !isOpenEnded(item.toolId));
    if (done.length === 0) continue;
    if (!nothing && whole.told.some((family) => named.includes(family))) continue;
    if (!nothing && !(lexicon.failed.test(clause) || first(clause))) continue;
    return { kind: "denial", cites: done.map((item) => item.cite) };
  }
  return undefined;
}

function first(clause: string): boolean {
  return /(?<!\p{L})(?:i|i've|i'm|ich|je|j'ai|n'ai|he|yo)(?!\p{L})|我|(?:ていません|ませんでした|ておりません)/iu.test(
    clause,
  );
}

const WAITS =
  /(?<!\p{L})(?:(?:waiting|awaiting|waits|awaits|pending|parked)(?: \p{L}+){0,2} (?:your|you|approval)|wartet(?: \p{L}+)? auf (?:deine|ihre)|(?:esperando|espera|pendiente de|a la espera de) (?:tu|su)|(?:attend|attendent)(?: \p{L}+)? (?:votre|ton)|en attente de (?:votre|ton))|(?:正在|在|还在)等(?:待)?(?:您|你)(?:的)?(?:批准|确认|同意|审批)|承認待ち/iu;
const FAILED_HARD =
  /(?<!\p{L})(?:failed|was refused|was rejected|timed out|bounced|errored|fehlgeschlagen|gescheitert|schlug fehl|falló|ha fallado|a échoué|ont échoué)(?!\p{L})|失败|失敗/iu;

/** Failed, declined, expired and waiting are four different things. */
export function readStatuses(
  { sentence, lexicon, question }: Reading,
  facts: Facts,
  whole: Whole,
): Found | undefined {
  const text = sentence.plain;
  const has = (...statuses: string[]) => facts.items.some((item) => statuses.includes(item.status));
  if (question) return undefined;
  if (facts.items.length === 0) {
    const attempted = lexicon.tried.test(text) && !lexicon.condition.test(text) && whole.statesDeeds;
    if (attempted && !whole.retracted) return { kind: "no-call" };
    return WAITS.test(text) && whole.statesDeeds && !lexicon.condition.test(text)
      ? { kind: "wrong-status" }
      : undefined;
  }
  if (facts.state !== "E3")
    return WAITS.test(text) && !lexicon.negative.test(text) && facts.changed.length > 0
      ? { kind: "wrong-status" }
      : undefined;
  const cites = facts.unsuccessful.map((item) => item.cite);
  if (WAITS.test(text) && !has("pending") && !lexicon.condition.test(text) && !lexicon.expired.test(text))
    return { kind: "wrong-status", cites };
  if (
    lexicon.declined.test(text) &&
    !has("denied", "expired") &&
    !FAILED_HARD.test(text) &&
    has("pending", "unknown")
  )
    return { kind: "wrong-status", cites };
  if (lexicon.expired.test(text) && !has("expired")) return { kind: "wrong-status", cites };
  const only = (status: string) => facts.unsuccessful.every((item) => item.status === status);
  if (only("unknown") && !whole.unsure && (lexicon.failed.test(text) || lexicon.nothing.test(text)))
    return { kind: "wrong-status", cites };
  if (only("pending") && FAILED_HARD.test(text) && !lexicon.pending.test(text))
    return { kind: "wrong-status", cites };
  return undefined;
}
