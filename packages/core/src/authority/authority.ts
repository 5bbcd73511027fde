import { canonicalJson } from "../base/canonical-json.ts";
import { showLine } from "../base/show.ts";
import { readClauses, type ReadMessage, type RequestClause } from "../request/clauses.ts";
import { wantsToDecide, withoutAskFirst } from "../request/owner-first.ts";
import { PATH, readRequest, saysYes } from "../request/read-request.ts";
import { ENDS_LATER, LATER, OPENS_WITH_TIME } from "../request/later-words.ts";
import { MAKES, MONEY_NOUN, PURPOSE, TELLS, THING_SENT, WRITTEN_DOWN } from "../request/money-words.ts";
import { INSIDE_AFTER, INSIDE_BEFORE } from "../request/place-words.ts";
import { EVERY, LINE_NUMBER, MEANT, OWN_PLACE, POINTS_TO, REFERS } from "../request/reference-words.ts";
import { takesBack } from "../request/taken-back.ts";
import type { Readings } from "../request/readings.ts";
import type { VerbClass } from "../request/verb-class.ts";
import type { ToolContract } from "../tool/tool.ts";
import { AND_MORE, argumentsOf, isPresent, leavesOf } from "./call-values.ts";
import { hasKind, kindOf, occurrences, says, saysTime, type CallValue, type Scope } from "./clause-values.ts";
import { addedBetween, allowsLoss, lossBetween, type Loss } from "./change-words.ts";
import { contentProblem, type ContentProblem } from "../outgoing/content-problem.ts";
import { dictates, saysWhatWasGiven } from "./dictated-text.ts";
import { replacesOtherwise } from "./replaced-words.ts";
import { isKnownPlace, type KnownPlaces } from "./known-places.ts";
import type { MomentContext, OwnersClock } from "./meant-moment.ts";
import { areOwnWords } from "./own-words.ts";
import { NOT_BEHIND_TITLE, OwnerWords } from "./owner-words.ts";
import { isNamed, namesOf, type SeenResult } from "./records.ts";
import { SaidSentences } from "./said-sentences.ts";
import { spansAhead } from "./spoken-spans.ts";
import { sourceInWords } from "./source-words.ts";
import { daysMeant, meansDay, readMoment } from "./spoken-times.ts";
import { isDraftOnly, isInvited, isOpposite, verbClassesOf } from "./verb-classes.ts";

/** What the owner typed that a run answers, and what its conversation holds. */
export interface Conversation {
  /**
   * What the owner typed for this run, through a principal that may approve: the message that
   * began it, and notes beside their denials. Nothing that was piped, attached, quoted, forwarded or recalled.
   */
  readonly typed: readonly string[];
  /** Questions of the assistant within the run, with what the owner typed as the answer. */
  readonly answers?: readonly { readonly question: string; readonly answer: string }[];
  /** Options of the assistant that the owner picked in the run; like an offer they name only a local change that can be undone. */
  readonly picked?: readonly string[];
  /** What the assistant wrote last before the message. */
  readonly offer?: string;
  /** What the owner typed in the conversation before this message, oldest first. */
  readonly earlier?: readonly string[];
  readonly seen: readonly SeenResult[];
  /** Where the owner let this very tool go to before, by hand; only where they want that to count. */
  readonly known?: KnownPlaces;
  /** The days that may be today for the owner, such as `2026-11-15`. */
  readonly today?: readonly string[];
  /** By which they say at what time, and in how many minutes. */
  readonly clock?: OwnersClock;
  /** Messages as they were read before; without it each is read anew. */
  readonly readings?: Readings;
  /** Takes secrets out of a value before it is quoted in a reason, which is kept and shown. */
  readonly redact?: (text: string) => string;
}

/** By what names the owner may mean the values of a call; the tool finds them out where it can. */
export interface CallNames {
  /** By argument: other names of the value, each of which means nothing else. */
  readonly aliases?: Readonly<Record<string, readonly string[]>>;
  /** By argument: the folders in which the call would make it as something new. */
  readonly newIn?: Readonly<Record<string, readonly string[]>>;
  /** By argument: words by which people call the thing that it names, where no other is called so. */
  readonly called?: Readonly<Record<string, readonly string[]>>;
  /** By argument: what people may call the thing. It counts only where the call adds nothing but the owner's own words. */
  readonly described?: Readonly<Record<string, readonly string[]>>;
  /** By argument: when the thing is now that the call would move, as `2026-11-17 09:00` by the owner's clock. */
  readonly before?: Readonly<Record<string, string>>;
}

/** What a call is about and would do, as its tool finds out without doing it. */
export interface CallEffect {
  /** By argument: the one spelling of its value, by which two spellings of one thing are the same. */
  readonly spelling?: Readonly<Record<string, string>>;
  /** What it would take away of a thing that is there. */
  readonly loses?: Loss;
  /** The words that it would put into a text which are not there yet; absent where that is not known. */
  readonly adds?: readonly string[];
}

/** A text that is there, and the one that would be there instead; `unread` where it is no text or too long to compare. */
export type TextChange = { readonly before: string; readonly after: string } | "unread";

/** Where a value came from, as far as it can be told. */
export interface ValueOrigin {
  readonly from: "owner" | "trusted" | "untrusted" | "model";
  readonly callId?: string;
  readonly toolId?: string;
  readonly target?: string;
}

export type Authority =
  | {
      readonly authorised: true;
      readonly reason: string;
      /** The owner's words that ask for the call. */
      readonly clause: string;
      /** The values that were found in it, as `name: value`. */
      readonly values: readonly string[];
      /** Arguments that were not in the clause, but allowed before. */
      readonly known?: readonly string[];
      /** What is used up by the call, and how often the clause asks for it; without a limit where it may be repeated. */
      readonly use: { readonly key: string; readonly times?: number };
    }
  | {
      readonly authorised: false;
      /** `authority.none`, `.verb`, `.question`, `.negated`, `.condition`, `.value`, `.reference`, `.time`, `.no-target`, `.content`, `.copied`, `.loss`, `.unlabelled`, `.used`, `.denied`, `.offer` */
      readonly rule: string;
      readonly argument: string;
      readonly reason: string;
      readonly origin: ValueOrigin;
      /** The words that came nearest to asking for it. */
      readonly clause?: string;
      readonly values?: readonly string[];
    };

type Refused = Extract<Authority, { authorised: false }>;
type Contract = Pick<ToolContract, "id" | "labels" | "input" | "risk" | "canUndo">;

/**
 * Whether a clause that the owner typed asks for a call: it wishes for something of the tool's
 * kind, is neither negated nor a question nor a condition, and says every critical value. It
 * looks only at what was typed and what would be done; whether an attack was noticed does not matter.
 */
export function authorise(
  contract: Contract,
  input: unknown,
  conversation: Conversation,
  names: CallNames = {},
  effect: CallEffect = {},
): Authority {
  const { labels, risk } = contract;
  if (labels.critical.includes("*"))
    return refuse(
      "authority.unlabelled",
      "*",
      "All that it is called with counts, and you did not say all of it",
      conversation,
    );
  const call = callOf(contract, input, names, effect);
  const { picked = [] } = conversation;
  if (call.isLocalChange && picked.length > 0)
    return authorise(
      contract,
      input,
      {
        ...conversation,
        picked: [],
        answers: [...(conversation.answers ?? []), ...picked.map((answer) => ({ question: "", answer }))],
      },
      names,
      effect,
    );
  const { readings } = conversation;
  const messages = conversation.typed.map((text) => readings?.of(text) ?? readClauses(text));
  const asked = asksFor(contract, call, messages, conversation);
  const found = asked.authorised
    ? asked
    : (acceptedOffer(call, conversation) ?? knownPlaces(contract, call, conversation, asked));
  if (!found.authorised) return { values: valuesOf(call), ...found };
  const typed = [...conversation.typed, ...(conversation.answers ?? []).map(({ answer }) => answer)];
  const clause = messages.flatMap(({ clauses }) => clauses).find(({ text }) => text.trim() === found.clause);
  for (const name of labels.content) {
    if (labels.egress === "none" && risk !== "read" && contract.canUndo) continue;
    const problem = contentProblem(call.values[name], typed, conversation.seen);
    if (problem)
      return { values: found.values, ...contentRefused(problem, name, conversation, found.clause) };
    const others = call.critical.map(({ value }) => value);
    if (risk !== "read" && clause !== undefined && dictates(clause, others) && !SUBJECT.test(name)) {
      const said = leavesOf(call.values[name]).every((leaf) =>
        saysWhatWasGiven(String(leaf), { given: typed.join("\n"), content: clause.content }, others),
      );
      if (!said)
        return {
          values: found.values,
          ...refuse(
            "authority.content",
            name,
            `Its ${name} says something else than you gave for it`,
            conversation,
          ),
          clause: found.clause,
        };
    }
  }
  return found;
}

/** A heading may be in other words. */
const SUBJECT = /subject|title|betreff|summary|name/iu;

/** The words for a call that was asked for, and has been made as often as that. */
export function usedUp(authority: Extract<Authority, { authorised: true }>): Refused {
  const often =
    authority.use.times === 1 || authority.use.times === undefined ? "once" : `${authority.use.times} times`;
  return noLonger(authority, "authority.used", `You asked for this ${often}, and that was done.`);
}

/** The words for a call that was asked for, after the owner denied it or one like it. */
export function denied(authority: Extract<Authority, { authorised: true }>): Refused {
  const reason = "You denied this or a call like it, so your message lets nothing of the kind run unasked.";
  return noLonger(authority, "authority.denied", reason);
}

function noLonger(
  { clause, values }: Extract<Authority, { authorised: true }>,
  rule: string,
  reason: string,
): Refused {
  return { authorised: false, rule, argument: "", reason, origin: { from: "model" }, clause, values };
}

/** What a change of a text takes away; of what cannot be compared, most. */
export function lossOf(change: TextChange | undefined): Loss | undefined {
  if (change === undefined) return undefined;
  return change === "unread" ? "most" : lossBetween(change.before, change.after);
}

/** What a change puts into a text; of what cannot be compared, nothing is known. */
export function addedBy(change: TextChange | undefined): readonly string[] | undefined {
  return change === undefined || change === "unread" ? undefined : addedBetween(change.before, change.after);
}

/** What of a call is used up by making it; the same for a call that asks and one that was made. */
export function useKey(
  contract: Contract,
  input: unknown,
  { spelling }: Pick<CallEffect, "spelling"> = {},
): string {
  return callOf(contract, input, {}, spelling === undefined ? {} : { spelling }).key;
}

/** The critical values of a call, each in its one spelling: by them calls of different tools are alike. */
export function criticalOf(
  contract: Contract,
  input: unknown,
  { spelling = {} }: Pick<CallEffect, "spelling"> = {},
): ReadonlySet<string> {
  const { critical } = callOf(contract, input, {}, {});
  return new Set(
    critical
      .filter(({ value }) => typeof value === "string" || typeof value === "number")
      .map(({ argument, value }) => String(folded(spelling[argument] ?? value))),
  );
}

/** The critical values as they are shown: `path: todo.md`. */
function valuesOf({ critical }: Call): string[] {
  return critical.map(({ argument, value }) => `${argument}: ${String(value)}`);
}

interface Call {
  readonly values: Readonly<Record<string, unknown>>;
  /** Critical values that are present, leaf by leaf. */
  readonly critical: readonly CallValue[];
  readonly times: readonly { readonly argument: string; readonly value: unknown }[];
  /** The zone that it names for its times. */
  readonly zone?: string;
  readonly before: Readonly<Record<string, string>>;
  readonly isLocalChange: boolean;
  readonly key: string;
  readonly loses?: Loss;
  readonly adds?: readonly string[];
}

function callOf(contract: Contract, input: unknown, names: CallNames, effect: CallEffect): Call {
  const { labels, risk } = contract;
  const values = argumentsOf(input, contract.input);
  const local = labels.egress === "none";
  const labelled = new Set([
    ...labels.critical,
    ...labels.content,
    ...labels.time,
    ...Object.keys(labels.ids),
    ...(labels.local ?? []),
  ]);
  // What a tool that sends something out says nothing of may carry anything.
  const critical = local
    ? labels.critical
    : [...labels.critical, ...Object.keys(values).filter((name) => !labelled.has(name))];
  const present = critical.flatMap((argument) =>
    criticalLeaves(values[argument]).map((value) => ({
      argument,
      value,
      aliases: names.aliases?.[argument] ?? [],
      newIn: names.newIn?.[argument] ?? [],
      called: names.called?.[argument] ?? [],
      described: names.described?.[argument] ?? [],
      isId: labels.ids[argument] !== undefined,
    })),
  );
  const times = labels.time
    .filter((argument) => !critical.includes(argument))
    .flatMap((argument) => leavesOf(values[argument]).map((value) => ({ argument, value })));
  const isLocalChange = local && risk === "write" && contract.canUndo;
  const kept = Object.keys(values).filter((name) => critical.includes(name));
  // Whatever else it says: what was asked for once is not done again with another text.
  const counted = kept.length === 0 ? Object.keys(values) : kept;
  const spelled = counted.map((name) => [name, folded(effect.spelling?.[name] ?? values[name])] as const);
  const key = `${contract.id} ${canonicalJson(Object.fromEntries(spelled))}`;
  const { loses, adds } = effect;
  const zone = Object.entries(values).find(([name]) => ZONE_ARGUMENT.test(name))?.[1];
  return {
    values,
    critical: present,
    times,
    ...(isPresent(zone) ? { zone: String(zone) } : {}),
    before: names.before ?? {},
    isLocalChange,
    key,
    ...(loses === undefined ? {} : { loses }),
    ...(adds === undefined ? {} : { adds }),
  };
}

const ZONE_ARGUMENT = /^(?:time_?zone|tz)$/iu;

/** False is a value like any other: only nothing and an empty text ask for nothing. */
function criticalLeaves(value: unknown): readonly unknown[] {
  if (value === false) return [false];
  if (Array.isArray(value) && value.includes(false)) return [...leavesOf(value), false];
  return leavesOf(value);
}

function folded(value: unknown): unknown {
  if (typeof value === "string") return value.trim().toLowerCase();
  if (Array.isArray(value))
    return value.map((each) => JSON.stringify(folded(each))).toSorted((a, b) => (a < b ? -1 : 1));
  return value ?? null;
}

/** How far a clause came before a condition failed; the one that came furthest is told. */
interface Attempt {
  readonly rank: number;
  readonly refused: Refused;
}

function asksFor(
  contract: Contract,
  call: Call,
  messages: readonly ReadMessage[],
  conversation: Conversation,
): Authority {
  const classes = verbClassesOf(contract);
  const isLook = contract.risk === "read";
  let best: Attempt | undefined;
  const fails = (rank: number, refused: Refused) => {
    if (best === undefined || rank > best.rank) best = { rank, refused };
  };
  for (const { clauses, fiction, mask } of messages) {
    for (const clause of clauses) {
      const failed = (rank: number, rule: string, what: string) =>
        fails(rank, { ...refuse(rule, "", what, conversation), clause: clause.text.trim() });
      const corrected = call.isLocalChange ? correctedBy(clause, classes, conversation) : undefined;
      // "What does https://… say?" wishes for a look at it.
      const wishes = isLook
        ? clause.kind !== "statement" ||
          clause.verbs.length > 0 ||
          POINTS_TO.test(clause.text.trim()) ||
          isUsedAfter(clause, clauses)
        : corrected !== undefined ||
          (clause.kind === "wish" &&
            (clause.verbs.some((verb) => classes.has(verb)) ||
              takesOut(clause, call) ||
              isInvited(contract.id, clause)) &&
            isOfMoney(clause, classes));
      if (fiction || !wishes) {
        if (clause.kind === "question")
          failed(
            1,
            "authority.question",
            "Elwood read your message as a question, not as a request for this",
          );
        else failed(0, "authority.verb", `${COULD_NOT_TELL} ${wantedWords(classes)}`);
        continue;
      }
      if (isOpposite(contract.id, clause.text)) {
        failed(1, "authority.verb", `${COULD_NOT_TELL} this done: ${actionWords(contract.id)}`);
        continue;
      }
      if (isDraftOnly(contract.id, clause)) {
        failed(1, "authority.verb", "Elwood read your message as asking for a draft, not for it to be sent");
        continue;
      }
      if (clause.negated || isCancelled(clause, clauses, classes)) {
        failed(2, "authority.negated", "Elwood read your message as asking not to do this");
        continue;
      }
      if (!isLook && wantsToDecide(mask) && !wasAsked(mask, call, conversation)) {
        failed(3, "authority.condition", "You want to see it, decide on it or do it yourself first");
        continue;
      }
      if (classes.has("pay") && call.times.length === 0 && isForLater(clause, conversation)) {
        failed(3, "authority.condition", "You named a time for it, and this would be done now");
        continue;
      }
      if (!isLook && !call.isLocalChange && call.times.length === 0 && isPutOff(clause, mask, conversation)) {
        failed(3, "authority.condition", "You named a time for it, and this would be done now");
        continue;
      }
      if (clause.conditional && !isLook && !call.isLocalChange) {
        failed(
          3,
          "authority.condition",
          "Your message makes it depend on a condition, and whether it is met is for you to say",
        );
        continue;
      }
      const missing = firstMissing(contract, call, clause, {
        ...conversation,
        before: thingsBefore(clause, clauses),
        spoken: clauses.flatMap(({ text, members, items }) => [text, ...members, ...items]).join(" "),
      });
      if (missing) {
        fails(4, { ...missing, clause: clause.text.trim() });
        continue;
      }
      if (replacesOtherwise(call.values, clause.text)) {
        failed(4, "authority.value", "It puts something else there than you wrote");
        continue;
      }
      if (call.loses !== undefined && !allowsLoss(corrected?.text ?? clause.text, call.loses)) {
        failed(5, "authority.loss", LOSS_WORDS[call.loses]);
        continue;
      }
      return granted(contract, call, clause, conversation);
    }
  }
  return withOrigin(
    best?.refused ?? refuse("authority.none", "", "You have typed nothing that asks for it", conversation),
    call,
    conversation,
  );
}

/** "My rate server is https://…. Make yourself a tool for it": a place of the owner's that a wish right after it is about. */
function isUsedAfter(clause: RequestClause, clauses: readonly RequestClause[]): boolean {
  if (clause.negated || !OWN_PLACE.test(clause.text.trim())) return false;
  const at = clauses.indexOf(clause);
  return clauses
    .slice(at + 1, at + 1 + REFERS_BACK_MAX)
    .some(
      ({ kind, negated, members }) =>
        (kind === "wish" || kind === "work") && !negated && REFERS.test(members.join(" ")),
    );
}

/** "I meant notes/packing.md": the wish of the owner's message before, for another thing than was named there. */
function correctedBy(
  clause: RequestClause,
  classes: ReadonlySet<VerbClass>,
  { earlier = [], readings }: Conversation,
): RequestClause | undefined {
  const last = earlier.at(-1);
  if (last === undefined || clause.negated || !MEANT.test(clause.text.trim())) return undefined;
  const { clauses, fiction, mask } = readings?.of(last) ?? readClauses(last);
  if (fiction || wantsToDecide(mask)) return undefined;
  return clauses.find(
    ({ kind, negated, conditional, verbs }) =>
      kind === "wish" && !negated && !conditional && verbs.some((verb) => classes.has(verb)),
  );
}

/** An answer by which nothing is to be done, or not yet. */
function refuses(answer: string): boolean {
  return readRequest(answer).negated || NOT_YET.test(answer.trim());
}

const NOT_YET =
  /^(?:no|nope|nah|not|never|don't|stop|wait|later|cancel|skip|leave|forget it|nothing|neither|none|nein|nicht|nie|warte|später|abbrechen|lass|keine?s?|espera|luego|más tarde|cancela|nada|ningun\p{L}*|non|pas|attends|plus tard|annule|laisse|rien|aucun\p{L}*|aspetta|dopo|annulla|niente|não|depois|cancela|nee|niet|wacht|nie|czekaj|później)(?!\p{L})|^(?:不|别|先不|等|いいえ|いや|やめ|待|아니|나중)/iu;

/** "Ask me first whether …", and they were asked and answered: of a local change that can be undone, nothing more is to be decided. */
function wasAsked(mask: string, { isLocalChange }: Call, { answers = [] }: Conversation): boolean {
  return (
    isLocalChange &&
    answers.length > 0 &&
    answers.every(({ answer }) => !refuses(answer)) &&
    !wantsToDecide(withoutAskFirst(mask))
  );
}

/** Whichever condition failed: where a value came from belongs on the card. */
function withOrigin(refused: Refused, call: Call, { seen }: Conversation): Refused {
  if (refused.origin.callId !== undefined) return refused;
  const origins = call.critical.map(({ value }) => originOf(value, seen));
  const origin = origins.find(({ callId }) => callId !== undefined);
  return origin === undefined ? refused : { ...refused, origin };
}

const COULD_NOT_TELL = "Elwood could not tell from your message whether you want";

const LOSS_WORDS: Readonly<Record<Loss, string>> = {
  some: "You asked to add something, and this takes something away that is there",
  most: `This takes most of what is there away, and Elwood could not tell from your message whether you want that`,
  all: `This leaves nothing of what is there, and Elwood could not tell from your message whether you want that`,
};

/** "Remove milk from todo.md" asks to change the file; "remove todo.md" does not. */
function takesOut({ verbs, text }: RequestClause, { isLocalChange, critical }: Call): boolean {
  if (!isLocalChange || !verbs.includes("delete")) return false;
  const paths = critical.filter((given) => kindOf(given) === "path");
  return paths.some(({ value, aliases }) =>
    [String(value).trim(), ...aliases].some((path) =>
      occurrences(text, path).some(
        (at) => INSIDE_BEFORE.test(text.slice(0, at)) || INSIDE_AFTER.test(text.slice(at + path.length)),
      ),
    ),
  );
}

/** "Create a transfer" asks to pay; "add milk to todo.md" does not, though both write something. */
function isOfMoney({ verbs, text }: RequestClause, classes: ReadonlySet<VerbClass>): boolean {
  if (!classes.has("pay") || verbs.includes("pay")) return true;
  // "Send Anna 20" pays her; "send Anna a photo of the 20 euro note" and "tell Anna I owe her 20" do not.
  if (verbs.includes("send")) return !TELLS.test(text.trim()) && !THING_SENT.test(text.replace(PURPOSE, ""));
  return MONEY_NOUN.test(text) && MAKES.test(text.trim()) && !WRITTEN_DOWN.test(text) && !PATH.test(text);
}

/** "Pay Nina 20 on Friday" is no wish to pay today; what a payment is for may have its day. */
function isForLater({ members }: RequestClause, { today = [] }: Conversation): boolean {
  const whole = members.join(" , ");
  const text = whole.replace(PURPOSE, "");
  const now = today.flatMap((day) => daysMeant(day, []));
  return (
    LATER.test(whole) ||
    spansAhead(text).length > 0 ||
    daysMeant(text, today).some((day) => !now.some((other) => meansDay(day, other)))
  );
}

/** "Next week, post …", "send it in two hours": what is to happen then is not wished for now. What others are told may have its day. */
function isPutOff({ members }: RequestClause, mask: string, { today = [] }: Conversation): boolean {
  const own = members.join(" , ").trim();
  const at = mask.indexOf((members[0] ?? "").trim().toLowerCase());
  const opens = /(?:^|[.!?\n])\s*([^.!?\n]{2,40}?)[,，]\s*$/u.exec(mask.slice(0, Math.max(0, at)))?.[1] ?? "";
  const head = `${opens} ${own}`.trim();
  if (spansAhead(head).length > 0 || ENDS_LATER.test(head)) return true;
  const first = /^(?:(?:please|bitte|por favor|s'il te plaît)\s)?(?:\S+\s){1,2}\S+/iu.exec(head)?.[0] ?? "";
  const opening = OPENS_WITH_TIME.exec(first)?.[0] ?? "";
  if (opening === "") return false;
  const now = today.flatMap((day) => daysMeant(day, []));
  return (
    LATER.test(opening) || daysMeant(opening, today).some((day) => !now.some((other) => meansDay(day, other)))
  );
}

/** A later clause takes a wish back where it is negated and names nothing of its own: "… no wait, don't." */
function isCancelled(
  clause: RequestClause,
  clauses: readonly RequestClause[],
  classes: ReadonlySet<VerbClass>,
): boolean {
  return clauses
    .slice(clauses.indexOf(clause) + 1)
    .some(
      (other) =>
        other.negated &&
        other.kind !== "question" &&
        (other.verbs.length === 0
          ? takesBack(other.text.trim())
          : other.verbs.some((verb) => clause.verbs.includes(verb) || classes.has(verb))) &&
        !/[\d@/"“„«「']|\.\p{L}|(?<=\S\s)\p{Lu}/u.test(
          other.text.trim().replaceAll(/(?<=\p{L})['’](?=\p{L})/gu, ""),
        ),
    );
}

function granted(
  contract: Contract,
  call: Call,
  clause: RequestClause,
  conversation: Conversation,
): Authority {
  const values = valuesOf(call);
  const about = [...new Set(call.critical.map(({ argument }) => argument))].join(", ");
  const times = contract.risk === "read" ? undefined : timesOf(contract, clause);
  const { known: places } = conversation;
  const known =
    places === undefined
      ? []
      : call.critical
          .filter(({ argument, value }) => isKnownPlace(value, places.get(argument)))
          .map(({ argument }) => argument);
  return {
    authorised: true,
    reason: `You asked for it yourself${about === "" ? "" : ` (${about})`}.`,
    clause: clause.text.trim(),
    values,
    ...(known.length === 0 ? {} : { known: [...new Set(known)] }),
    use: { key: call.key, ...(times === undefined ? {} : { times }) },
  };
}

const PARTS_MAX = 20;

/** A tool that changes parts of a thing may be needed for each part that the clause lists, or for all of them. */
function timesOf({ labels }: Contract, { times, members, items, text }: RequestClause): number {
  if (labels.parts !== true) return times;
  return EVERY.test(text) ? PARTS_MAX : Math.min(PARTS_MAX, Math.max(times, members.length + items.length));
}

/** "Read a.md and add milk to it": what a clause means by "it" stands in the clauses right before it. */
function thingsBefore(clause: RequestClause, clauses: readonly RequestClause[]): string {
  if (!REFERS.test(clause.members.join(" "))) return "";
  const at = clauses.indexOf(clause);
  return clauses
    .slice(Math.max(0, at - REFERS_BACK_MAX), at)
    .filter((each) => !each.negated)
    .map((each) => each.members.join(" , "))
    .join(" \n ");
}

const REFERS_BACK_MAX = 3;

interface ClauseConversation extends Conversation {
  /** What "it" may mean. */
  readonly before: string;
  /** All that was typed in the message, without what it quotes. */
  readonly spoken: string;
}

/**
 * "My todo list" for `todo.md`, or "line 502" of the file that the owner's last message named. That is a
 * reading, so it counts only for a local change that can be undone, and that adds nothing but their own words.
 */
function isMeantLoosely(
  given: CallValue,
  call: Call,
  clause: RequestClause,
  { earlier = [], ...conversation }: ClauseConversation,
): boolean {
  if (!call.isLocalChange || kindOf(given) !== "path" || call.adds === undefined) return false;
  const text = clause.members.join(" , ");
  const described = given.described?.some((name) => occurrences(text, name).length > 0) ?? false;
  if (!described && !isLineOfLast(given, text, earlier.at(-1), conversation)) return false;
  const said = [...conversation.typed, ...freshAnswers(conversation), ...earlier.slice(-EARLIER_MAX)];
  return areOwnWords(call.adds, { clause: clause.text, said, today: conversation.today ?? [] });
}

const EARLIER_MAX = 3;

/** A line by its number is one of the file that was spoken of last, where that is one file, and no other is named now. */
function isLineOfLast(
  given: CallValue,
  text: string,
  last: string | undefined,
  { readings }: Conversation,
): boolean {
  if (last === undefined || !LINE_NUMBER.test(text) || PATH.test(text)) return false;
  const { clauses, mask } = readings?.of(last) ?? readClauses(last);
  const named = new Set([...mask.matchAll(EVERY_PATH)].map(([path]) => path));
  const scope = { shared: "", amounts: "", items: [], isMember: false, language: "en", today: [] } as const;
  return (
    named.size === 1 &&
    clauses.every(({ negated }) => !negated) &&
    says({ ...given, newIn: [] }, { ...scope, text: mask })
  );
}

const EVERY_PATH = new RegExp(PATH, "giu");

/** The first value of a call that a clause does not say. */
function firstMissing(
  contract: Contract,
  call: Call,
  clause: RequestClause,
  conversation: ClauseConversation,
): Refused | undefined {
  const { labels, risk } = contract;
  const scopes = scopesOf(clause, call, conversation);
  const own = [clause.text, ...clause.members, ...clause.items, ...freshAnswers(conversation)];
  const words = new OwnerWords(own);
  const meant = new OwnerWords([...own, conversation.before]);
  const isKnown = ({ argument, value }: CallValue) =>
    labels.ids[argument] === undefined && isKnownPlace(value, conversation.known?.get(argument));
  const missing = scopes.map((scope) =>
    call.critical.find((given) => {
      const kind = labels.ids[given.argument];
      if (given.value === AND_MORE) return true;
      if (kind !== undefined && given.value !== false)
        return !isReference(given.value, kind, conversation.seen, meant, scope);
      if (isKnown(given)) return false;
      if (risk === "read" && typeof given.value === "string" && isQuery(given) && words.allWords(given.value))
        return false;
      if (says(given, scope) || isMeantLoosely(given, call, clause, conversation)) return false;
      if (kindOf(given) === "path" && conversation.before !== "" && !DIRECTED.test(given.argument))
        return !says(
          { ...given, argument: "path" },
          { ...scope, text: conversation.before, shared: "", items: [] },
        );
      return !keepsItsName(given, call, scope);
    }),
  );
  if (missing.every((each) => each !== undefined)) {
    const given = missing[0]!;
    const rule = labels.ids[given.argument] === undefined ? "authority.value" : "authority.reference";
    const kind = labels.ids[given.argument];
    const what = kind === undefined ? unsaid(given, conversation) : unnamed(given, kind, conversation);
    return refuse(rule, given.argument, what, conversation, given.value);
  }
  const whole = wholeScope(clause, call, conversation);
  const start = call.times.find(({ argument }) => !isEnd(argument));
  for (const { argument, value } of call.times) {
    if (
      saysTime(value, { ...whole, before: call.before[argument] }) ||
      (isEnd(argument) && follows(value, start?.value))
    )
      continue;
    const what = `Elwood could not tell from your message whether you mean ${quoted(value, conversation)} (${argument})`;
    return refuse("authority.time", argument, what, conversation, value);
  }
  if (call.critical.length === 0 && risk !== "read")
    return notInOwnWords(labels.content, call, clause, conversation);
  return undefined;
}

/** What is wrong with a value, as far as that is certain: one that is in the message somewhere was named. */
function unsaid(given: CallValue, conversation: Conversation): string {
  const { argument, value, aliases } = given;
  if (value === AND_MORE) return `Its ${argument} is too much to look through`;
  const shown = `${quoted(value, conversation)} (${argument})`;
  const kind = kindOf(given);
  const typed = lettersOf([...conversation.typed, ...freshAnswers(conversation)].join(" "));
  const names = [String(value), ...aliases].flatMap((name) => [name, baseName(name)]);
  const isThere = names.some((name) => {
    const letters = lettersOf(name);
    return letters.length >= MENTION_CHARS_MIN && typed.includes(letters);
  });
  const literal =
    kind === "path" || kind === "name" || kind === "email" || kind === "url" || kind === "account";
  return literal && !isThere
    ? `You didn't name ${shown}`
    : `Elwood could not tell from your message whether you mean ${shown}`;
}

/** What is wrong with an id: people know the thing that it stands for by its name. */
function unnamed({ argument, value }: CallValue, kind: string, conversation: Conversation): string {
  const [name] = typeof value === "symbol" ? [] : namesOf(String(value), kind, conversation.seen);
  if (name !== undefined)
    return `You didn't name ${quoted(name, conversation)} (${argument}) in your message`;
  return value === AND_MORE
    ? `Its ${argument} is too much to look through`
    : `You didn't name ${quoted(value, conversation)} (${argument}), and nothing that was listed here is known by that`;
}

const MENTION_CHARS_MIN = 2;

function baseName(path: string): string {
  const base = path.split("/").findLast((part) => part !== "") ?? path;
  return base.replace(/\.[^.]+$/u, "");
}

function isQuery({ argument, value }: CallValue): boolean {
  return (
    kindOf({ argument, value, aliases: [] }) === "name" &&
    /query|search|text|term|question|q$/iu.test(argument)
  );
}

const DIRECTED = /^(?:to|dest|destination|target)$/iu;
const isEnd = (argument: string) => /end|until|finish|bis|fin/iu.test(argument);
const DAY_MINUTES = 24 * 60;

/** An end needs no words of its own where it comes within a day of a start that was said. */
function follows(end: unknown, start: unknown): boolean {
  if (typeof end !== "string" || typeof start !== "string" || !readMoment(end) || !readMoment(start))
    return false;
  const minutes = (Date.parse(end.replace(" ", "T")) - Date.parse(start.replace(" ", "T"))) / 60_000;
  return minutes > 0 && minutes <= DAY_MINUTES;
}

/** Between two sentences. */
const SENTENCE_END = new RegExp(String.raw`(?<=[.!?])${NOT_BEHIND_TITLE}\s+|\n`, "u");

/** A call that names nobody and nothing must repeat the owner's own words: otherwise anything could be put there. */
function notInOwnWords(
  content: readonly string[],
  call: Call,
  clause: RequestClause,
  conversation: Conversation,
): Refused | undefined {
  const present = content.filter((name) => isPresent(call.values[name]));
  if (present.length === 0)
    return refuse(
      "authority.no-target",
      "",
      "It names nothing that could be compared with what you wrote",
      conversation,
    );
  const listed = clause.items.length === 0 ? "" : `: ${clause.items.join(", ")}`;
  const said = saidSentences(call, conversation).withFirst(
    [`${clause.text}${listed}`, ...freshAnswers(conversation)].join(", "),
  );
  const { key } = call.values;
  for (const name of present)
    for (const leaf of leavesOf(call.values[name])) {
      const lines = withoutToday(String(leaf), conversation.today)
        .split("\n")
        .filter((line) => /[\p{L}\p{N}]/u.test(line));
      const unsaid = firstUnsaid(lines.slice(0, LINES_COMPARED_MAX), key, said);
      if (unsaid === undefined && lines.length <= LINES_COMPARED_MAX) continue;
      if (unsaid === undefined || said.isTooMuch) {
        const much = `Its ${name} is too much to be compared with what you wrote`;
        return refuse("authority.content", name, much, conversation, leaf);
      }
      const what =
        unsaid.title !== undefined && said.says(unsaid.line, undefined)
          ? `Its ${name} is in your words, but not said of “${unsaid.title}”`
          : `Its ${name} is not in your own words: it says more than you wrote, or leaves something out`;
      return refuse("authority.no-target", name, what, conversation, leaf);
    }
  return undefined;
}

/** Read once for a call, however many clauses may wish for it. */
const saidOf = new WeakMap<Call, SaidSentences>();

function saidSentences(call: Call, { typed }: Conversation): SaidSentences {
  const known = saidOf.get(call);
  if (known) return known;
  const said = new SaidSentences(typed.map((text) => text.split(SENTENCE_END)));
  saidOf.set(call, said);
  return said;
}

/** More is too much to be compared with all that was typed. */
const LINES_COMPARED_MAX = 200;

/** The first line that the owner did not say, and what it should have been said of. */
function firstUnsaid(
  lines: readonly string[],
  key: unknown,
  said: SaidSentences,
): { readonly line: string; readonly title: string | undefined } | undefined {
  let title = typeof key === "string" ? key : undefined;
  for (const line of lines) {
    if (!said.says(line, title)) return { line, title };
    // What stands below a heading is said of what it names.
    if (title !== undefined && isHeading(line)) title = line.replaceAll(/[#:*_]+/gu, "").trim();
  }
  return undefined;
}

function isHeading(line: string): boolean {
  return /^\s*#{1,6}\s|:[*_\s]*$/u.test(line);
}

/** Answers count only by what they add: repeating the assistant's own words names nothing. */
function freshAnswers({ answers = [] }: Conversation): string[] {
  return answers.map(({ question, answer }) => {
    // Quoted lines are somebody else's, in an answer as in a message.
    let fresh = answer.replaceAll(/^\s*>.*$/gmu, "");
    for (const token of question.split(/[\s,;()"'“”„«»?!]+/u).filter((each) => each.length > 1))
      for (const at of occurrences(fresh, token.replace(/[.:]+$/u, "")).toReversed())
        fresh = `${fresh.slice(0, at)}${" ".repeat(token.length)}${fresh.slice(at + token.length)}`;
    return fresh;
  });
}

/** By which clock its times are compared. */
function timesIn(call: Call, { today = [], clock }: Conversation): MomentContext {
  return { today, clock, zone: call.zone, loose: call.isLocalChange };
}

function wholeScope(clause: RequestClause, call: Call, conversation: ClauseConversation): Scope {
  return {
    ...timesIn(call, conversation),
    spoken: conversation.spoken,
    text: clause.text,
    shared: freshAnswers(conversation).join(" \n "),
    amounts: "",
    items: [...clause.items, ...clause.members],
    isMember: false,
    language: clause.language,
  };
}

/** Where amounts or directions must belong together, each part of a clause is looked at for itself. */
function scopesOf(clause: RequestClause, call: Call, conversation: ClauseConversation): Scope[] {
  const answers = freshAnswers(conversation).filter((answer) => answer.trim() !== "");
  const shared = answers.join(" \n ");
  const base = {
    ...timesIn(call, conversation),
    spoken: conversation.spoken,
    language: clause.language,
    shared,
    amounts: "",
    isMember: false,
  };
  const members = clause.members.map((member) => withoutQuotations(member, call));
  const [head = "", ...rest] = members;
  const hasNumber = (text: string) => hasKind("number", text, clause.language);
  const names = new Set(call.critical.map(({ argument }) => argument));
  const kinds = new Set(call.critical.filter(({ isId }) => !isId).map(kindOf));
  const paired = names.size > 1 && (kinds.has("number") || kinds.has("path"));
  const whole: Scope = {
    ...base,
    text: members.join(" , "),
    items: [...clause.items, ...rest.map((each) => each.trim()), ...answers],
  };
  if (!paired) return [whole];
  const scopes = members.map((text, at): Scope => ({
    ...base,
    text,
    amounts: at === 0 || hasNumber(text) ? "" : head,
    items: answers,
    isMember: at > 0,
  }));
  const listed = clause.items.map((item): Scope => ({
    ...base,
    text: item,
    amounts: hasNumber(item) ? "" : members.join(" "),
    items: [item],
    isMember: true,
  }));
  // Parts of one wish that say different things of it: "pay Bob 40, as a standing order".
  const single =
    members.filter(hasNumber).length === 1 ||
    (!kinds.has("number") && rest.every((text) => !PATH.test(text)));
  return [...scopes, ...listed, ...(rest.length > 0 && single ? [{ ...whole, items: answers }] : [])];
}

const QUOTATION =
  /(["“„«「『])([^"”“»」』\n]{1,2000})["”“»」』]|(?<![\p{L}\p{N}])(['‘‚])(?=\S)([^'\n]{1,400}?)['’](?![\p{L}\p{N}])/gu;

/** What is quoted is text, and names nobody, unless the quotation is the value itself. */
function withoutQuotations(member: string, call: Call): string {
  const values = new Set(call.critical.map(({ value }) => String(value).trim().toLowerCase()));
  return member.replace(
    QUOTATION,
    (whole, _open, double: string | undefined, _single, single: string | undefined) => {
      const text = (double ?? single ?? "").trim();
      return /\s/u.test(text) && !values.has(text.toLowerCase()) ? `…${" ".repeat(whole.length - 1)}` : whole;
    },
  );
}

/** "Move a.txt to old/" says old/a.txt: the folder was said, and the name is that of another path of the call, which was said too. */
function keepsItsName({ argument, value }: CallValue, call: Call, scope: Scope): boolean {
  const [, folder, base] = /^([^:]+)\/([^/]+)$/u.exec(typeof value === "string" ? value.trim() : "") ?? [];
  if (folder === undefined || base === undefined) return false;
  const given = { argument, aliases: [folder], newIn: [], isId: false };
  if (!says({ ...given, value: `${folder}/` }, scope) && !says({ ...given, value: folder }, scope))
    return false;
  return call.critical.some(
    (other) =>
      other.argument !== argument &&
      typeof other.value === "string" &&
      other.value.split("/").at(-1) === base &&
      says(other, scope),
  );
}

const WRITTEN_ID_CHARS_MIN = 6;

/** An id counts where the owner named the thing it stands for; a long one also where they wrote it. */
function isReference(
  value: unknown,
  kind: string,
  seen: readonly SeenResult[],
  words: OwnerWords,
  scope: Scope,
): boolean {
  if (typeof value !== "string" && typeof value !== "number") return false;
  const id = String(value);
  if (isNamed(id, kind, seen, words)) return true;
  return (
    id.length >= WRITTEN_ID_CHARS_MIN &&
    /\d/u.test(id) &&
    occurrences(`${scope.text} ${scope.shared}`, id).length > 0
  );
}

/** "Shall I write it to notes.md?" and "yes": only for a local change that can be undone, to what the offer named. */
function acceptedOffer(call: Call, conversation: Conversation): Authority | undefined {
  const last = conversation.typed.at(0);
  if (last === undefined || conversation.offer === undefined || !saysYes(last)) return undefined;
  if (!call.isLocalChange || call.critical.length === 0)
    return refuse(
      "authority.offer",
      "",
      "You agreed to an offer, and that covers only a change on this machine that can be undone",
      conversation,
    );
  const offers = (conversation.offer.match(/[^.!?。！？\n]*(?:\.(?=\S)[^.!?。！？\n]*)*[?？]/gu) ?? []).slice(
    -1,
  );
  const offer = offers[0]?.trim();
  const scope: Scope = {
    text: offer ?? "",
    shared: "",
    amounts: "",
    items: [],
    isMember: false,
    language: "en",
    today: [],
  };
  const unnamed = call.critical.find((given) => offer === undefined || !says({ ...given, newIn: [] }, scope));
  if (unnamed || offer === undefined)
    return refuse(
      "authority.offer",
      unnamed?.argument ?? "",
      unnamed === undefined
        ? "You agreed, and Elwood could not tell what to"
        : `You agreed to an offer, and Elwood could not find ${quoted(unnamed.value, conversation)} in it`,
      conversation,
      unnamed?.value,
    );
  return {
    authorised: true,
    reason: "You agreed to an offer that named it.",
    clause: last.trim(),
    values: valuesOf(call),
    use: { key: call.key, times: 1 },
  };
}

/** Where the owner wants it to count: places they allowed this very tool to reach before, by hand. */
function knownPlaces(contract: Contract, call: Call, conversation: Conversation, asked: Refused): Authority {
  const { known } = conversation;
  if (known === undefined || call.critical.length === 0) return asked;
  const all = call.critical.every(
    ({ argument, value }) =>
      contract.labels.ids[argument] === undefined && isKnownPlace(value, known.get(argument)),
  );
  if (!all) return asked;
  const names = [...new Set(call.critical.map(({ argument }) => argument))];
  return {
    authorised: true,
    reason: `You allowed the same before (${names.join(", ")}), and want that to count.`,
    clause: "",
    values: valuesOf(call),
    known: names,
    use: { key: call.key },
  };
}

function contentRefused(
  problem: ContentProblem<SeenResult>,
  name: string,
  conversation: Conversation,
  clause: string,
): Refused {
  if (problem.kind === "too-much")
    return {
      ...refuse("authority.content", name, `Its ${name} is too much to look through`, conversation),
      clause,
    };
  if (problem.kind === "stranger")
    return {
      ...refuse(
        "authority.content",
        name,
        `Its ${name} contains ${problem.what} that you did not write`,
        conversation,
        problem.value,
      ),
      clause,
    };
  const { callId, toolId } = problem.from;
  return {
    ...refuse(
      "authority.copied",
      name,
      `Its ${name} copies text from ${sourceInWords(problem.from)}, which is private`,
      conversation,
    ),
    origin: { from: "trusted", callId, toolId },
    clause,
  };
}

const CLASS_WORDS: Readonly<Record<VerbClass, string>> = {
  write: "something written or changed",
  delete: "something deleted",
  move: "something moved or renamed",
  send: "something sent",
  draft: "something written",
  pay: "something paid",
  schedule: "something scheduled",
  run: "something run",
  control: "something switched",
  look: "something looked up",
};

function wantedWords(classes: ReadonlySet<VerbClass>): string {
  const told = [...classes].filter((each) => each !== "draft" || !classes.has("write"));
  const [first, second] = new Set(told.map((each) => CLASS_WORDS[each]));
  return `${first ?? "this"}${second === undefined ? "" : `, or ${second}`}`;
}

function actionWords(id: string): string {
  return (id.split(".").at(-1) ?? id).replaceAll("_", " ");
}

function refuse(
  rule: string,
  argument: string,
  what: string,
  { seen }: Conversation,
  value?: unknown,
): Refused {
  const origin = originOf(value, seen);
  const whole = value === undefined ? what : `${what}${whence(origin)}`;
  return { authorised: false, rule, argument, reason: `${whole}.`, origin };
}

/** The latest result that has the value in it; the model's own where none has. */
export function originOf(value: unknown, seen: readonly SeenResult[]): ValueOrigin {
  if (typeof value !== "string" && typeof value !== "number") return { from: "model" };
  const wanted = String(value).toLowerCase();
  const source =
    wanted.length < ORIGIN_CHARS_MIN
      ? undefined
      : seen.findLast(({ value: result }) => textOf(result).toLowerCase().includes(wanted));
  if (!source) return { from: "model" };
  const { callId, toolId, target, trust } = source;
  const from = trust === "trusted" ? "trusted" : "untrusted";
  return { from, callId, toolId, ...(target === undefined ? {} : { target }) };
}

const ORIGIN_CHARS_MIN = 2;

function whence({ from, toolId, target }: ValueOrigin): string {
  if (toolId === undefined) return "; the model wrote it";
  const what = sourceInWords({ toolId, ...(target === undefined ? {} : { target }) });
  return from === "trusted"
    ? `; it came from ${what}`
    : `; it came from ${what}, which anybody may have written`;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? "");
}

const SHOWN_CHARS_MAX = 80;

/** A secret must be gone before the text is cut: half of one is known to nobody as a secret any more. */
function quoted(value: unknown, { redact = (text) => text }: Pick<Conversation, "redact">): string {
  const text = showLine(redact(String(value)));
  return `“${text.length > SHOWN_CHARS_MAX ? `${text.slice(0, SHOWN_CHARS_MAX)}…` : text}”`;
}

/** "Bike: red (since 2026-11-15)" on that very day says no more than "Bike: red". */
function withoutToday(text: string, today: readonly string[] = []): string {
  return text.replaceAll(
    /\s*[([](?:since|as of|from|seit|ab|desde|depuis) (\d{4}-\d{2}(?:-\d{2})?)[)\]]/giu,
    (whole, day: string) => (today.some((each) => each === day || each.slice(0, 7) === day) ? "" : whole),
  );
}

/** By letters and digits alone: other blanks, capitals or marks make no other text. */
function lettersOf(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "");
}
