import { detectLocale, type Locale } from "./language.ts";
import type { Facts } from "./facts.ts";
import { GROUNDING_LIMITS } from "./limits.ts";
import type { Lexicon } from "./lexicon.ts";
import { lexiconOf } from "./lexicons.ts";
import type { Problem, ProblemKind } from "./problem.ts";
import type { Asked } from "./request.ts";
import type { Sentence } from "./sentences.ts";
import { readDenials, readStatuses } from "./check-denials.ts";
import { deedProblem } from "./check-deeds.ts";
import { lookProblem } from "./check-looks.ts";
import { unbackedReading } from "./check-open.ts";
import { familiesOf, fits, type Family } from "./tool-fit.ts";

/** A sentence with everything needed to judge it. */
export interface Reading {
  readonly sentence: Sentence;
  readonly lexicon: Lexicon;
  /** Its parts; a question keeps only what stands before it. */
  readonly clauses: readonly string[];
  readonly question: boolean;
  /** It depends on the owner's next word. */
  readonly conditional: boolean;
}

export interface Checked {
  readonly problems: readonly Problem[];
  readonly readings: readonly Reading[];
}

/**
 * Plain mismatches between what a draft says and what the receipts say. Finding none proves
 * nothing: the evidence line and Elwood's own sentences are what the owner can rely on.
 */
export function check(sentences: readonly Sentence[], facts: Facts, asked: Asked, locale: Locale): Checked {
  const readings = (asked.kind === "content" ? beforeLetter(sentences) : sentences).map((sentence) =>
    read(sentence, locale),
  );
  const problems: Problem[] = [];
  const add = (kind: ProblemKind, sentence: Sentence, cites: readonly string[] = []) => {
    const known = problems.some((p) => p.sentence === shorten(sentence.text));
    if (!known && problems.length < GROUNDING_LIMITS.problemsMax)
      problems.push({ kind, sentence: shorten(sentence.text), cites });
  };
  if (asked.kind === "fiction" && facts.items.length === 0) return { problems, readings };
  const whole = wholeOf(readings, facts, asked);
  for (const [index, reading] of readings.entries()) {
    const found =
      (whole.retracted ? undefined : deedProblem(reading, facts, asked, whole)) ??
      watchProblem(reading, facts, asked) ??
      lookProblem(reading, facts, asked, whole) ??
      approvalProblem(reading, facts) ??
      (index === 0 ? yesProblem(reading, facts, asked, whole) : undefined) ??
      readStatuses(reading, facts, whole) ??
      readDenials(reading, facts, whole);
    if (found) add(found.kind, reading.sentence, found.cites);
  }
  const ticks = tickProblem(readings, facts, whole);
  if (ticks) add("count", ticks.sentence);
  if (problems.length === 0) {
    const open = unbackedReading(readings, facts, asked, whole);
    if (open) add("unbacked", open.sentence);
  }
  return { problems, readings };
}

const LETTER =
  /^(?:subject|betreff|asunto|objet)\s?:|^(?:hi|hello|hey|dear|hallo|liebe[rs]?|sehr geehrte[rs]?|hola|estimad[oa]s?|querid[oa]s?|bonjour|cher|chère)(?: [\p{L}.]+){0,3}\s?[,:!]?$|^(?:尊敬的|亲爱的|拝啓)|様[、。]?$/iu;

/** A letter that the owner asked for is content from its greeting on. */
function beforeLetter(sentences: readonly Sentence[]): readonly Sentence[] {
  const at = sentences.findIndex((sentence) => LETTER.test(sentence.plain));
  return at < 0 ? sentences : sentences.slice(0, at);
}

export interface Found {
  readonly kind: ProblemKind;
  readonly cites?: readonly string[];
}

/** What one sentence needs to know of the others. */
export interface Whole {
  /** Sentences without a first person tell deeds too. */
  readonly statesDeeds: boolean;
  readonly retracted: boolean;
  /** Two sentences at most. */
  readonly short: boolean;
  /** Somewhere the reply admits that something did not succeed. */
  readonly admits: boolean;
  readonly unsure: boolean;
  /** Deeds told and covered, by family. */
  readonly told: readonly Family[];
}

function wholeOf(readings: readonly Reading[], facts: Facts, asked: Asked): Whole {
  const some = (test: (lexicon: Lexicon, text: string) => boolean) =>
    readings.some(({ lexicon, sentence }) => test(lexicon, sentence.plain));
  const changes = facts.items.some((item) => item.risk !== "read");
  return {
    statesDeeds: changes || ["deed", "status", "consent", "unknown"].includes(asked.kind),
    short: readings.length <= 2,
    retracted: facts.changed.length === 0 && some((lexicon, text) => lexicon.retract.test(text)),
    admits: some(
      (l, text) =>
        l.failed.test(text) ||
        l.pending.test(text) ||
        l.negative.test(text) ||
        l.unsure.test(text) ||
        /[❌✗✘⏸⚠]/u.test(text),
    ),
    unsure: some((lexicon, text) => lexicon.unsure.test(text)),
    told: readings.flatMap(({ lexicon, clauses }) =>
      clauses.flatMap((clause) =>
        lexicon.negative.test(clause) ? [] : lexicon.told(clause).flatMap((told) => told.families),
      ),
    ),
  };
}

function read(sentence: Sentence, locale: Locale): Reading {
  const lexicon = lexiconOf(detectLocale(sentence.plain, locale));
  const question = lexicon.question.test(sentence.plain);
  const parts = sentence.plain.split(lexicon.clause).slice(0, GROUNDING_LIMITS.clausesPerSentenceMax);
  const clauses = parts.map((part) => part.trim()).filter((part) => part !== "");
  return {
    sentence,
    lexicon,
    question,
    conditional: OWNER_CONDITION.test(sentence.plain),
    clauses: question ? (/[—–;:]/u.test(sentence.plain) ? clauses.slice(0, 1) : []) : clauses,
  };
}

/** On the owner's own next word it depends, so nothing is promised. */
const OWNER_CONDITION =
  /(?<!\p{L})(?:once you|if you(?!r)|when you(?!r)|as soon as you|after you|unless you|just say|sobald (?:du|sie)|wenn (?:du|sie (?:zustimmen|bestätigen|möchten|wollen))|falls du|si (?:quieres|me|lo|prefieres|tu |vous |tu$)|cuando (?:me |lo )?(?:confirmes|apruebes|digas|quieras)|en cuanto (?:me |lo )?(?:confirmes|apruebes|digas|des)|dès que (?:tu|vous)|une fois que (?:tu|vous)|quand (?:tu|vous))|(?:确认|批准|同意|授权)(?:之)?后|(?:您|你)[^，。]{0,6}后|(?:承認|確認|ご連絡|教えて)(?:後|次第|いただ|くだされ|され(?:たら|れば))|よろしければ|ご希望/iu;

function watchProblem(
  { sentence, lexicon, clauses, conditional }: Reading,
  facts: Facts,
  asked: Asked,
): Found | undefined {
  if (conditional || asked.kind === "fiction") return undefined;
  const may = ["deed", "consent"].includes(asked.kind) && !lexicon.condition.test(sentence.plain);
  const scheduled = facts.succeeded.some(
    (item) =>
      item.risk !== "read" &&
      (familiesOf(item.toolId) === undefined || familiesOf(item.toolId)?.has("remind")),
  );
  for (const clause of clauses) {
    if (lexicon.watch.test(clause) && !negated(lexicon, clause) && !scheduled)
      return { kind: "promise", cites: facts.unsuccessful.map((item) => item.cite) };
    if (!may || negated(lexicon, clause)) continue;
    const families = lexicon.announced(clause);
    if (families.length > 0 && !scheduled && !facts.succeeded.some((item) => fits(families, item)))
      return { kind: "promise" };
  }
  return undefined;
}

function negated(lexicon: Lexicon, clause: string): boolean {
  const watch = lexicon.watch.exec(clause);
  return lexicon.negative.test(watch ? clause.slice(0, watch.index + watch[0].length) : clause);
}

const WITH_APPROVAL =
  /^(?:with|per|following|given|on|thanks|nach|mit|dank|gemäß|con|tras|gracias|según|avec|après|suite|grâce|selon)(?!\p{L})/iu;

function approvalProblem({ sentence, lexicon, clauses }: Reading, facts: Facts): Found | undefined {
  if (facts.items.some((item) => item.approval?.decision === "approved")) return undefined;
  for (const clause of clauses) {
    const said = lexicon.approved.exec(clause)?.[0];
    if (said === undefined || lexicon.negative.test(clause)) continue;
    if (lexicon.condition.test(clause.replace(lexicon.approved, " "))) continue;
    // "with your approval" says how things are done, unless something is told as done.
    if (!WITH_APPROVAL.test(said) || lexicon.told(sentence.plain).length > 0) return { kind: "approval" };
  }
  return undefined;
}

const YES =
  /^(?:yes|yep|yeah|yup|sure did|i did|indeed|ja(?:wohl)?|doch|sí|oui|si,|claro que sí|是的|对|嗯|有的|做了|发了|はい|ええ|うん)(?!\p{L}{3})/iu;

/** "Did you send it?" "Yes": a deed told in one word. */
function yesProblem(
  { sentence, question }: Reading,
  facts: Facts,
  asked: Asked,
  whole: Whole,
): Found | undefined {
  if (!asked.ofYou || question || !YES.test(sentence.plain) || whole.unsure || whole.retracted)
    return undefined;
  return facts.succeeded.length === 0 && !whole.admits ? { kind: "no-call" } : undefined;
}

const TICKS = /[✅✓✔☑🗸]/gu;

function tickProblem(readings: readonly Reading[], facts: Facts, whole: Whole): Reading | undefined {
  const ticked = readings.flatMap((reading) => (reading.sentence.text.match(TICKS) ?? []).map(() => reading));
  const short = readings.length <= 2;
  if (ticked.length <= facts.succeeded.length || !(whole.statesDeeds || short)) return undefined;
  return ticked[facts.succeeded.length];
}

export function shorten(text: string): string {
  const max = GROUNDING_LIMITS.quotedSentenceCharsMax;
  return text.length > max ? `${text.slice(0, max - 1).toWellFormed()}…` : text;
}
