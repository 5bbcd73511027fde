import type { ActivityItem } from "../activity.ts";
import type { Found, Reading, Whole } from "./check.ts";
import type { Facts } from "./facts.ts";
import type { Asked } from "./request.ts";
import { familiesOf, fits, looksAt, namesDomain, type Family } from "./tool-fit.ts";
import { capacity, mentions, namesOf, saidCount, wrongValue } from "./values.ts";

const UNDERWAY: readonly Family[] = [
  "send",
  "order",
  "book",
  "schedule",
  "share",
  "transfer",
  "pay",
  "print",
  "update",
  "deploy",
  "device",
  "remind",
];
/** What got no answer was begun all the same. */
const BEGUN =
  /(?<!\p{L})(?:started|began|initiated|submitted|kicked off|sent off|begonnen|gestartet|angestoßen|inicié|he iniciado|empecé|lancé|commencé|démarré)(?!\p{L})|开始|发起|開始|実行/iu;
/** "I ran a search" is a look-up. */
const LOOKUP =
  /(?<!\p{L})(?:search(?:es)?|quer(?:y|ies)|look-?ups?|checks?|scans?|reviews?|suche|abfrage|búsqueda|consulta|recherche|requête)(?!\p{L})|搜索|查询|検索/iu;
/** Long ago, and so not by us. */
const YEAR = /(?<![\d.,€$£#])(?:1[0-9]{3}|20[01]\d)(?![\d.,]?\d|\s?[€$%])/u;
const DRAFT = /draft|entwurf|borrador|brouillon|草稿|下書き/iu;
/** A completion this short is the whole message, whatever was asked. */
const SHORT_WORDS = 6;

/** A sentence that tells a deed needs a success that could be it. */
export function deedProblem(reading: Reading, facts: Facts, asked: Asked, whole: Whole): Found | undefined {
  const { lexicon, clauses, sentence } = reading;
  const begun = facts.unsuccessful.some((item) => item.status === "unknown") && BEGUN.test(sentence.plain);
  if (whole.unsure && begun) return undefined;
  const mixed = denies(reading, sentence.plain);
  const told: Family[] = [];
  for (const clause of clauses) {
    if (denies(reading, clause)) continue;
    // "Nothing was read, written or sent" is one denial, though its commas part it.
    if (facts.changed.length === 0 && lexicon.nothing.test(sentence.plain) && !ownDeed(reading, clause))
      continue;
    const claims = claimsOf(reading, clause, asked, whole);
    for (const families of claims) {
      const found = cover(families, reading, clause, facts, asked, whole);
      if (found) return found;
    }
    const deeds = claims.flat();
    const found = mixed && deeds.length > 0 ? valueProblem(clause, deeds, lexicon, facts) : undefined;
    if (found) return found;
    told.push(...deeds);
  }
  // What a short reply names is what it is about, even where no deed was recognised.
  const bare =
    told.length === 0 &&
    whole.short &&
    asked.kind === "deed" &&
    facts.state === "E2" &&
    !lexicon.safe.test(sentence.plain);
  if (mixed || reading.question || (told.length === 0 && !bare)) return undefined;
  return valueProblem(sentence.plain, told.length > 0 ? told : ["any"], lexicon, facts);
}

function ownDeed({ lexicon }: Reading, clause: string): boolean {
  return lexicon.told(clause).some(({ voice }) => voice === "first");
}

function claimsOf(
  { lexicon, sentence, conditional }: Reading,
  clause: string,
  asked: Asked,
  whole: Whole,
): (readonly Family[])[] {
  const out: (readonly Family[])[] = [];
  const subject = lexicon.others.test(clause) && !/(?<!\p{L})(?:i|ich|je|j'ai|yo|我)(?!\p{L})/iu.test(clause);
  const hypothetical =
    lexicon.condition.test(clause) ||
    /(?<!\p{L})(?:would|could|might|hätte|würde|könnte|habría|podría|aurais|pourrais)(?!\p{L})/iu.test(
      clause,
    );
  if (hypothetical || subject) return out;
  const history = YEAR.test(clause);
  for (const told of lexicon.told(clause)) {
    if (history && told.voice === "stated") continue;
    if (
      told.voice === "stated" &&
      (!whole.statesDeeds || (lexicon.safe.test(clause) && asked.kind !== "deed"))
    )
      continue;
    if (DRAFT.test(clause)) continue;
    if (!told.families.includes("read")) out.push(told.families);
  }
  if (conditional) return out;
  const short = clause.split(/\s+/u).length <= SHORT_WORDS && sentence.plain.length < 60;
  if (
    lexicon.done.test(clause) &&
    (whole.statesDeeds || short) &&
    asked.kind !== "content" &&
    !lexicon.safe.test(clause)
  )
    out.push(["done"]);
  if (lexicon.underway.test(clause) && whole.statesDeeds && !lexicon.safe.test(clause) && out.length === 0)
    out.push(UNDERWAY);
  return out;
}

function denies({ lexicon }: Reading, text: string): boolean {
  return (
    lexicon.negative.test(text) ||
    lexicon.failed.test(text) ||
    lexicon.pending.test(text) ||
    /[❌✗✘]/u.test(text)
  );
}

function cover(
  families: readonly Family[],
  { sentence, lexicon }: Reading,
  clause: string,
  facts: Facts,
  asked: Asked,
  whole: Whole,
): Found | undefined {
  const cites = (items: readonly ActivityItem[]) => items.map((item) => item.cite);
  const blanket = families.includes("done");
  if (
    LOOKUP.test(clause) &&
    facts.succeeded.length > 0 &&
    families.some((family) => ["run", "done", "any", "create"].includes(family))
  )
    return undefined;
  const fitting = facts.succeeded.filter((item) => fits(families, item));
  const missed = facts.unsuccessful.filter(
    (item) => fits(families, item) && (item.risk !== "read" || facts.changed.length === 0),
  );
  if (blanket) {
    if (missed.length > 0 && !whole.admits) return { kind: "not-succeeded", cites: cites(missed) };
    const wanted = asked.families.filter((family) => family !== "any");
    const right = wanted.length === 0 ? fitting : fitting.filter((item) => fits(wanted, item));
    if (fitting.length > 0 && right.length === 0 && asked.kind === "deed")
      return { kind: "other-deed", cites: cites(fitting) };
    if (fitting.length === 0 && facts.succeeded.length > 0 && asked.kind !== "deed") return undefined;
  }
  if (fitting.length > 0) {
    if (missed.length > 0 && lexicon.all.test(clause)) return { kind: "not-succeeded", cites: cites(missed) };
    if (lexicon.most.test(clause) && fitting.length * 2 <= fitting.length + missed.length)
      return { kind: "count", cites: cites(missed) };
    return undefined;
  }
  if (
    families === UNDERWAY &&
    facts.succeeded.some((item) => item.risk === "read" && looksAt(sentence.plain, item)) &&
    namesDomain(sentence.plain) &&
    facts.unsuccessful.length === 0
  )
    return undefined;
  if (missed.length > 0 && whole.unsure && missed.every((item) => item.status === "unknown"))
    return undefined;
  if (missed.length > 0) return { kind: "not-succeeded", cites: cites(missed) };
  return { kind: facts.changed.length > 0 ? "other-deed" : "no-call", cites: cites(facts.changed) };
}

function valueProblem(
  text: string,
  families: readonly Family[],
  lexicon: Reading["lexicon"],
  facts: Facts,
): Found | undefined {
  const fitting = facts.succeeded.filter((item) => item.risk !== "read" && fits(families, item));
  const missed = facts.unsuccessful.filter((item) => item.risk !== "read" && fits(families, item));
  const wrong = wrongValue(text, fitting);
  if (wrong) return { kind: wrong, cites: fitting.map((item) => item.cite) };
  const known = new Set(facts.succeeded.flatMap((item) => namesOf(item.target)));
  for (const item of missed)
    if (namesOf(item.target).some((name) => !known.has(name) && mentions(text, name)))
      return { kind: "not-succeeded", cites: [item.cite] };
  const said = saidCount(text, lexicon.numbers);
  const most = capacity(fitting);
  if (most !== undefined && fitting.length > 0 && said > most)
    return { kind: "count", cites: fitting.map((item) => item.cite) };
  return wrongName(text, fitting);
}

/** "emailed Carla" when the only mail went to anna@…. Roles are not names. */
function wrongName(text: string, fitting: readonly ActivityItem[]): Found | undefined {
  const said =
    /(?<!\p{L})(?:to|emailed|texted|told|notified|invited|messaged|pinged|paid|called|an|à|a)\s(?!I(?!\p{L}))(\p{Lu}\p{Ll}{2,})(?![\p{L}@])/u
      .exec(text)?.[1]
      ?.toLowerCase();
  if (said === undefined || NOT_NAMES.test(said) || fitting.length === 0) return undefined;
  const plain = said.normalize("NFD").replace(/\p{M}/gu, "");
  const named = fitting.filter(
    (item) =>
      /^[\p{L}]{3,}(?:[._-]\p{L}+)?(?:@\S+)?$/u.test(item.target ?? "") &&
      familiesOf(item.toolId)?.has("send"),
  );
  if (named.length < fitting.length) return undefined;
  const fit = named.some(
    (item) =>
      namesOf(item.target).some(
        (name) => name.startsWith(plain.slice(0, 3)) || plain.startsWith(name.slice(0, 3)),
      ) || /@.*/u.exec(item.target ?? "")?.[0].includes(plain),
  );
  return fit ? undefined : { kind: "target", cites: named.map((item) => item.cite) };
}

const NOT_NAMES =
  /^(?:mom|mum|dad|grandma|grandpa|mama|papa|oma|opa|team|everyone|monday|tuesday|wednesday|thursday|friday|saturday|sunday|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|lunes|martes|jueves|viernes|lundi|mardi|mercredi|jeudi|vendredi|the|your|all|hr|finance|support|sales|legal|slack|github|production|january|february|march|april|june|july|august|september|october|november|december)$/u;
