import type { ActivityItem } from "../activity.ts";
import type { Found, Reading, Whole } from "./check.ts";
import { mayLook, type Facts } from "./facts.ts";
import type { Lexicon } from "./lexicon.ts";
import type { Asked } from "./request.ts";
import { fits, looksAt, namesDomain, tokensOf } from "./tool-fit.ts";
import { saidCount } from "./values.ts";

/** Looking, checking, testing and what was seen at the other end: each needs a look-up that succeeded. */
export function lookProblem(
  { sentence, lexicon, clauses }: Reading,
  facts: Facts,
  asked: Asked,
  whole: Whole,
): Found | undefined {
  if (asked.kind === "fiction") return undefined;
  const looked = facts.lookedSince || (asked.kind !== "deed" && facts.succeeded.some(mayLook));
  for (const clause of clauses) {
    if (
      lexicon.verified.test(clause) &&
      !lexicon.negative.test(lexicon.verified.exec(clause)?.[0] ?? "") &&
      !lexicon.condition.test(clause) &&
      !notDone(lexicon, clause, lexicon.verified) &&
      !looked
    )
      return { kind: "not-verified" };
    if (
      TESTED.test(clause) &&
      !lexicon.negative.test(clause) &&
      !lexicon.condition.test(clause) &&
      whole.statesDeeds &&
      !facts.succeeded.some((item) => fits(["run", "verify"], item))
    )
      return { kind: "not-verified" };
    const told = whole.statesDeeds && (facts.items.length > 0 || asked.kind !== "unknown");
    if (
      told &&
      lexicon.arrived.test(clause) &&
      !lexicon.negative.test(clause) &&
      !/(?:should|will|soon|shortly|debería|devrait|sollte|应该|はず|when|once)/iu.test(clause) &&
      !looked
    )
      return { kind: "not-verified" };
    if (lexicon.delegate.test(clause) && !lexicon.negative.test(clause) && facts.succeeded.length === 0)
      return { kind: "no-call" };
    const look = lexicon.looked.exec(clause);
    if (
      !look ||
      lexicon.negative.test(look[0]) ||
      (facts.items.length > 0 && lexicon.nothing.test(clause)) ||
      notDone(lexicon, clause, lexicon.looked) ||
      lexicon.condition.test(clause)
    )
      continue;
    const saw = facts.succeeded.filter((item) => looksAt(sentence.plain, item));
    if (saw.length > 0 && tooMany(clause, saw, lexicon))
      return { kind: "count", cites: saw.map((item) => item.cite) };
    if (saw.length > 0) continue;
    const inHand = facts.succeeded.length > 0 && !namesDomain(sentence.plain);
    if (!inHand) return { kind: "not-read", cites: facts.unsuccessful.map((item) => item.cite) };
  }
  return undefined;
}

const TESTED =
  /(?<!\p{L})(?:tests?(?: \p{L}+){0,2} (?:pass|passed|passing|green|succeed(?:ed)?)|tests? (?:laufen|sind grün|bestanden)|pruebas (?:pasan|pasaron)|tests passent)(?!\p{L})|测试(?:都|全部|已)?通过|テスト(?:は|も)?(?:全て|すべて)?(?:通|パス|成功)/iu;

/** "not", "couldn't", "can" right in front of it. */
function notDone(lexicon: Lexicon, clause: string, pattern: RegExp): boolean {
  const at = pattern.exec(clause)?.index ?? 0;
  const before = clause.slice(Math.max(0, at - 14), at);
  return (
    lexicon.negative.test(before) ||
    /(?:can|could|would|should|will|let me|to|kann|könnte|werde|puedo|podría|peux|vais|可以|能|会)\s?$/iu.test(
      before,
    )
  );
}

const BOTH = /(?<!\p{L})(?:both|beide[nrs]?|amb[oa]s|les deux)(?!\p{L})|两(?:个|份|封)|両方/iu;
const ONE_THING = new Set("file page document doc pdf note".split(" "));

/** One call that reads one file has not read two. */
function tooMany(clause: string, saw: readonly ActivityItem[], lexicon: Lexicon): boolean {
  const single = saw.every((item) => {
    const tokens = tokensOf(item.toolId);
    return (
      item.risk === "read" &&
      ["read", "get", "fetch", "open", "view"].includes(tokens.at(-1) ?? "") &&
      tokens.some((token) => ONE_THING.has(token))
    );
  });
  const said = BOTH.test(clause)
    ? 2
    : /(?<!\p{L})(?:files?|pages?|documents?|pdfs?|docs?|notes?)(?!\p{L})/iu.test(clause)
      ? saidCount(clause, lexicon.numbers)
      : 0;
  return single && said > saw.length;
}
