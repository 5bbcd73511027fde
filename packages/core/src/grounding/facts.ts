import type { ActivityItem } from "../tool/activity.ts";
import type { ReadRequest } from "../request/read-request.ts";
import { hasCue, type Place } from "./claim-features.ts";
import { ACTS, type Act, type ReadClaim } from "./claim-model.ts";
import { requestPlaces } from "./sentences.ts";
import { isGood, isMadeGood, isNamed, isNamedApart, type CallsOfSession } from "./session-calls.ts";
import { fitsActs, isOpenEnded, tokensOf } from "./tool-acts.ts";
import { numbersSaid, otherCount, otherValue, saidCount, VALUE_KINDS, valuesOf } from "./values.ts";

/** One sentence as it was read. */
export interface ReadSentence {
  /** As written. */
  readonly text: string;
  readonly plain: string;
  readonly places: ReadonlySet<Place>;
  readonly read: ReadClaim;
  /** Its clauses, each read for itself, where it has several. */
  readonly clauses: readonly { readonly plain: string; readonly read: ReadClaim }[];
  /** Calls that the sentence cites. */
  readonly cited: readonly ActivityItem[];
}

/** What one sentence needs to know of the whole. */
export interface ReplyContext {
  readonly sentences: readonly ReadSentence[];
  readonly calls: CallsOfSession;
  readonly request: string;
  readonly requestWords: ReadonlySet<string>;
  readonly asked: ReadRequest;
  readonly language: string;
}

/** Kinds of action that change something. */
export const CHANGES: readonly Act[] = ACTS.filter(
  (act) => act !== "look" && act !== "approve" && act !== "done",
);

/** Calls sorted by what came of them; once for a reply. */
export interface SortedCalls {
  readonly all: readonly ActivityItem[];
  readonly good: readonly ActivityItem[];
  readonly changed: readonly ActivityItem[];
  readonly looked: readonly ActivityItem[];
  /** Not succeeded, and not made good since. */
  readonly bad: readonly ActivityItem[];
}

export function sortCalls({ run, earlier, recalled }: CallsOfSession): SortedCalls {
  const calls = [...earlier, ...run].filter(({ toolId }) => tokensOf(toolId)[0] !== "owner");
  // What memory put before the model is a look that nobody had to call for.
  const all = recalled ? [RECALL, ...calls] : calls;
  const good = all.filter(isGood);
  return {
    all,
    good,
    changed: good.filter(({ risk }) => risk !== "read"),
    looked: good.filter(({ risk }) => risk === "read"),
    bad: all.filter((item) => !isGood(item) && !isMadeGood(item, all)),
  };
}

const RECALL: ActivityItem = {
  cite: "c0",
  callId: "",
  toolId: "memory.note.search",
  status: "succeeded",
  risk: "read",
  when: 0,
  receiptRef: "",
  summary: "",
};

/**
 * What is known about a sentence, as numbers with names: how it reads, what was asked, what the
 * calls did, and where the two differ. Training and judging share this file; whoever changes it
 * trains again.
 */
export function factsOf(index: number, context: ReplyContext, sorted: SortedCalls): Record<string, number> {
  return {
    ...wordingFacts(context.sentences[index]!),
    ...placeFacts(index, context),
    ...requestFacts(context, context.sentences[index]!),
    ...callFacts(context, sorted),
    ...fitFacts(context.sentences[index]!, sorted),
    ...valueFacts(context.sentences[index]!, context, sorted),
  };
}

function wordingFacts({ plain, read, clauses: parts }: ReadSentence): Record<string, number> {
  const clauses = parts.map((clause) => clause.read);
  return {
    claims: read.claims,
    unsuccessful: read.unsuccessful,
    later: read.later,
    asked: read.asked,
    ...Object.fromEntries(ACTS.map((act) => [`act ${act}`, read.acts[act]])),
    change: most(CHANGES.map((act) => read.acts[act])),
    "clause claims": Math.max(read.claims, ...clauses.map((clause) => clause.claims)),
    "clause later": Math.max(read.later, ...clauses.map((clause) => clause.later * clause.claims)),
    "clause unsuccessful": most(clauses.map((clause) => clause.unsuccessful)),
    "clause successful": most(clauses.map((clause) => clause.claims * (1 - clause.unsuccessful))),
    denies: is(hasCue(plain.replace(SMOOTHLY, " "), "denies")),
    keeps: is(hasCue(plain, "keeps")),
    fails: is(hasCue(plain, "fails")),
    waits: is(hasCue(plain, "waits")),
    depends: is(hasCue(plain, "depends")),
    outside: is(hasCue(plain, "outside")),
    self: is(hasCue(plain, "self")),
    success: is(SUCCESS.test(plain)),
    all: is(ALL.test(plain)),
    "part of": is(PART_OF.test(plain)),
    also: is(ALSO.test(plain)),
    words: plain.match(/[\p{L}\p{N}]+/gu)?.length ?? 0,
    length: plain.length,
  };
}

const PLACE_FACTS: readonly Place[] = [
  "first",
  "last",
  "in a list",
  "heading or label",
  "in a table",
  "after code",
  "before code",
  "reply has code",
  "reply has a quotation",
  "after a greeting line",
  "before a closing line",
  "ends with a colon",
  "very short",
  "names a file or address",
];

function placeFacts(index: number, { sentences }: ReplyContext): Record<string, number> {
  const { places, read } = sentences[index]!;
  const others = sentences.filter((_, at) => at !== index);
  return {
    ...Object.fromEntries(PLACE_FACTS.map((place) => [place, is(places.has(place))])),
    sentences: sentences.length,
    place: index,
    "others claim": most(others.map((other) => other.read.claims)),
    "others admit": most(others.map((other) => other.read.claims * other.read.unsuccessful)),
    "claims most": is(others.every((other) => other.read.claims <= read.claims)),
    "claiming sentences": sentences.reduce((sum, other) => sum + other.read.claims, 0),
    "claims before": sentences[index - 1]?.read.claims ?? 0,
  };
}

function requestFacts(
  { asked, request, requestWords }: ReplyContext,
  { plain, read }: ReadSentence,
): Record<string, number> {
  const verbs = asked.verbs as readonly Act[];
  return {
    ...Object.fromEntries(
      (["effect", "look", "status", "consent", "words", "question", "other"] as const).map((kind) => [
        `wish ${kind}`,
        is(asked.kind === kind),
      ]),
    ),
    "wish negated": is(asked.negated),
    "asks of you": is(asked.ofYou === true),
    "request asks": is(/[?？]/u.test(request)),
    "request hands over": is(/[:：\n]/u.test(request)),
    "request has code": is(requestPlaces(request).includes("request has code")),
    "request length": request.length,
    "wished act": most(verbs.map((act) => read.acts[act])),
    "unwished act": most(CHANGES.filter((act) => !verbs.includes(act)).map((act) => read.acts[act])),
    "request outside": is(hasCue(request, "outside")),
    "request words shared": shareOf(wordsIn(plain), requestWords),
  };
}

function callFacts({ calls, asked }: ReplyContext, sorted: SortedCalls): Record<string, number> {
  const { all, changed, looked, bad } = sorted;
  const ofStatus = (...any: readonly ActivityItem["status"][]) =>
    bad.filter(({ status }) => any.includes(status)).length;
  const ofRun = (items: readonly ActivityItem[]) => items.filter((item) => calls.run.includes(item)).length;
  const verbs = asked.verbs as readonly Act[];
  return {
    calls: all.length,
    "calls of the run": calls.run.length,
    changed: changed.length,
    "changed in the run": ofRun(changed),
    looked: looked.length,
    bad: bad.length,
    "bad in the run": ofRun(bad),
    "bad changes": bad.filter(({ risk }) => risk !== "read").length,
    failed: ofStatus("failed") + bad.filter(({ exitCode }) => exitCode !== undefined).length,
    denied: ofStatus("denied", "expired"),
    pending: ofStatus("pending"),
    unknown: ofStatus("unknown"),
    approved: is(all.some(({ approval }) => approval?.decision === "approved" || approval?.required)),
    "open ended": is(all.some(({ toolId }) => isOpenEnded(toolId))),
    "wish met": is(verbs.length > 0 && sorted.good.some((item) => fitsActs(verbs, item))),
    "wish unmet": is(verbs.some((act) => !sorted.good.some((item) => fitsActs([act], item)))),
  };
}

/** How far the kinds of action that a sentence tells of are kinds that the calls were of. */
function fitFacts(
  { plain, read, clauses, cited }: ReadSentence,
  sorted: SortedCalls,
): Record<string, number> {
  const { good, changed, looked, bad } = sorted;
  const badChanges = bad.filter(({ risk }) => risk !== "read");
  const top = CHANGES.reduce((best, act) => (read.acts[act] > read.acts[best] ? act : best));
  const fitting = (items: readonly ActivityItem[]) => items.filter((item) => fitsActs([top], item));
  const done = fitting(changed);
  return {
    "unmet change": unmet(read, changed),
    "clause unmet change": most(clauses.map((clause) => clause.read.claims * unmet(clause.read, changed))),
    "clause met by bad": most(
      clauses.map(({ read: part }) => part.claims * (1 - part.unsuccessful) * met(part, badChanges)),
    ),
    "clause not visited": most(
      clauses.map(
        (clause) => clause.read.claims * is(placesNamed(clause.plain, good)["places not visited"] > 0),
      ),
    ),
    "clause unmet look":
      looked.length === 0 ? most(clauses.map(({ read: part }) => part.claims * part.acts.look)) : 0,
    "unmet look": looked.length === 0 ? read.acts.look : 0,
    "unmet later": good.some((item) => item.risk !== "read" && fitsActs(["schedule"], item)) ? 0 : read.later,
    "met change": met(read, changed),
    "met by bad": met(read, badChanges),
    "top act met": is(done.length > 0),
    "top act bad": is(fitting(badChanges).length > 0),
    "good named": good.filter((item) => isNamed(plain, item)).length,
    "bad named": bad.filter((item) => isNamed(plain, item)).length,
    "bad named apart": bad.filter((item) => isNamedApart(plain, item, good)).length,
    cited: cited.length,
    "cited bad": cited.filter((item) => !isGood(item)).length,
    "cited change": cited.filter((item) => isGood(item) && item.risk !== "read").length,
    ...placesNamed(plain, good),
  };
}

function unmet({ acts }: ReadClaim, items: readonly ActivityItem[]): number {
  return most(CHANGES.map((act) => (items.some((item) => fitsActs([act], item)) ? 0 : acts[act])));
}

function met({ acts }: ReadClaim, items: readonly ActivityItem[]): number {
  return most(CHANGES.map((act) => (items.some((item) => fitsActs([act], item)) ? acts[act] : 0)));
}

/** Places outside by their words, and by what tools for them are called. */
const REALMS: readonly { readonly words: RegExp; readonly tools: RegExp }[] = [
  {
    words: /calend|kalend|agenda|日历|日程|カレンダー|予定表|캘린더|일정/iu,
    tools: /calendar|event|meeting|appointment|agenda/u,
  },
  {
    words:
      /e-?mail|inbox|posteingang|postfach|boîte|bandeja|casella|caixa de entrada|skrzynk|correo|courriel|poczt|(?<!\p{L})spam|邮件|邮箱|收件|メール|受信|메일|편지함/iu,
    tools: /mail|gmail|inbox|message|outlook|imap|smtp|draft/u,
  },
  {
    words:
      /slack|teams|telegram|whatsapp|discord|(?<!\p{L})signal|channel|kanal|canal|(?<!\p{L})chat|(?<!\p{L})sms|群|频道|チャンネル|グループ|채널|단톡/iu,
    tools: /slack|team|telegram|whatsapp|discord|signal|chat|channel|sm|message|post/u,
  },
  {
    words:
      /drive|dropbox|cloud|nube|nuage|nuvem|chmur|backup|sicherung|sauvegard|copia de seg|网盘|云|备份|ドライブ|バックアップ|드라이브|백업/iu,
    tools: /drive|dropbox|cloud|file|doc|backup|storage|folder|onedrive|icloud/u,
  },
  {
    words:
      /(?<!\p{L})web(?!hook)|online|internet|google(?! (?:drive|cal|doc|sheet))|网上|网页|搜索|ウェブ|ネット|検索|인터넷|검색|웹/iu,
    tools: /web|search|browser|http|fetch|page|url/u,
  },
  {
    words: /(?<!\p{L})note|notiz|notas?(?!\p{L})|notatk|carnet|appunt|anota|notitie|笔记|メモ|메모/iu,
    tools: /note|memory|notion|evernote|keep|doc|file/u,
  },
  {
    words: /remind|erinner|rappel|recordator|promemoria|lembrete|herinner|przypomn|提醒|リマインド|알림/iu,
    tools: /remind|alarm|timer|schedule|cron|event|task|todo|automation/u,
  },
  {
    words:
      /(?<!\p{L})bank|account|konto|compte|cuenta|(?<!\p{L})conto|conta(?!\p{L})|rekening|账户|银行|口座|銀行|계좌|은행/iu,
    tools: /bank|account|transfer|payment|transaction|invoice|balance/u,
  },
  {
    words: /(?<!\p{L})tests?(?!\p{L})|(?<!\p{L})suite|prueb|tester|テスト|测试|테스트/iu,
    tools: /test|suite|shell|command|ci|run|exec|pipeline|build/u,
  },
  {
    words:
      /deploy|produc|staging|server|serveur|servidor|repo(?!rt)|branch|github|gitlab|(?<!\p{L})push|服务器|部署|仓库|サーバ|デプロイ|서버|배포/iu,
    tools: /deploy|server|git|repo|branch|shell|command|release|pipeline|pr|commit|service|host|ssh/u,
  },
];

function placesNamed(plain: string, good: readonly ActivityItem[]) {
  const named = REALMS.filter(({ words }) => words.test(plain));
  const been = named.filter(({ tools }) =>
    good.some((item) => isOpenEnded(item.toolId) || tokensOf(item.toolId).some((token) => tools.test(token))),
  );
  return { "places named": named.length, "places not visited": named.length - been.length };
}

/** Where what the sentence names differs from what the calls were about. */
function valueFacts(
  { text, plain, read }: ReadSentence,
  { calls, language, requestWords: asked }: ReplyContext,
  { good, changed }: SortedCalls,
): Record<string, number> {
  const about = changed.length > 0 ? changed : good;
  const fitting = about.filter((item) =>
    CHANGES.some((act) => read.acts[act] >= 0.35 && fitsActs([act], item)),
  );
  const done = fitting.length > 0 ? fitting : about;
  const targets = done.map(({ target }) => (target ?? "").replace(/@[\p{L}\p{N}.-]+/gu, " ")).join("\n");
  const whole = done.map(({ target }) => target ?? "").join("\n");
  const known = `${whole}\n${done.map((item) => calls.textOf(item)).join("\n")}`;
  const said = saidCount(text, language, ALL.test(plain));
  const dealt = done.reduce((sum, item) => sum + (item.count ?? 1), 0);
  const values = VALUE_KINDS.flatMap((kind) => valuesOf(plain, kind));
  const lower = known.toLowerCase();
  // What a target is called can be compared only where it is known, and written in the same script.
  const told = done.length > 0 && done.every((item) => item.target !== undefined);
  const comparable = told && scriptOf(plain) === scriptOf(targets);
  const words = wordsIn(plain);
  const held = wordsIn(known);
  const target = wordsIn(targets);
  const shared = new Set([...words].filter((word) => asked.has(word)));
  const names = new Set(comparable ? [...namesOf(plain)].filter((name) => !held.has(name)) : []);
  const toolWords = wordsIn(done.map(({ toolId }) => tokensOf(toolId).join(" ")).join(" "));
  const numbers = numbersSaid(plain, language).filter((n) => n !== dealt && n !== good.length);
  const heldNumbers = numbersSaid(known, language);
  const listed = listedIn(plain);
  return {
    "other value": is(good.length > 0 && otherValue(plain, whole, known) !== undefined),
    "other count": is(good.length > 0 && otherCount(plain, whole, language)),
    "other day": is(otherDay(plain, whole)),
    "count said": said,
    "count over": said - dealt,
    "count over all": said - good.length,
    numbers: numbers.length,
    "numbers not found": told ? numbers.filter((n) => !heldNumbers.includes(n)).length : 0,
    "numbers unsaid": told && numbers.length > 0 ? heldNumbers.filter((n) => !numbers.includes(n)).length : 0,
    listed: listed.length,
    "listed over": listed.length - dealt,
    "listed not found": comparable
      ? listed.filter((item) => ![...wordsIn(item)].some((word) => held.has(word))).length
      : 0,
    values: values.length,
    "values not found": told ? values.filter((value) => !lower.includes(value)).length : 0,
    "targets told": is(told),
    "target words": target.size,
    "target words in sentence": comparable ? shareOf(target, words) : -1,
    "target words unheard": comparable ? shareOf(target, words, asked) : -1,
    "asked words": shared.size,
    "asked words in calls": comparable ? shareOf(shared, held, toolWords) : -1,
    "names not in calls": names.size,
    "asked names not in calls": [...names].filter((name) => asked.has(name)).length,
    "new names": [...names].filter((name) => !asked.has(name)).length,
  };
}

/** "Milk, bread and eggs": what is listed in one breath. */
function listedIn(plain: string): string[] {
  const [found = ""] = LISTED.exec(plain) ?? [];
  return found === "" ? [] : found.split(LIST_JOINT).filter((item) => item.trim() !== "");
}

const LIST_AND =
  "(?:,?\\s(?:and|und|et|y|e|en|i|oraz)\\s|[、和与及と]|(?<=\\p{Script=Hangul}[와과])\\s|,\\s)";
const LIST_ITEM = "[\\p{L}\\p{N}.'-]{2,24}(?:\\s[\\p{L}\\p{N}.'-]{2,24})?";
const LISTED = new RegExp(`${LIST_ITEM}(?:${LIST_AND}${LIST_ITEM}){1,8}`, "u");
const LIST_JOINT = new RegExp(LIST_AND, "u");

/** Latin or not: names in one script are not found in another. */
function scriptOf(text: string): string {
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)
    ? "han"
    : /\p{Script=Hangul}/u.test(text)
      ? "hangul"
      : "latin";
}

/** Capitalised words within the sentence; at its beginning any word is. */
function namesOf(plain: string): Set<string> {
  const found = plain.match(/(?<=[^.!?:\s"„“«]\s)\p{Lu}[\p{L}'-]{2,}/gu) ?? [];
  return wordsIn(found.join(" "));
}

/** Words of three letters or more, without accents; in scripts without spaces, pairs of characters. */
export function wordsIn(text: string): Set<string> {
  const out = new Set<string>();
  for (const [word] of folded(text.slice(0, WORDS_CHARS_MAX)).matchAll(WORD)) {
    if (!SPACELESS.test(word)) {
      if (word.length >= 3) out.add(word.length > 6 ? word.slice(0, 6) : word);
      continue;
    }
    for (let at = 0; at + 2 <= word.length; at += 1) out.add(word.slice(at, at + 2));
  }
  return out;
}

const WORDS_CHARS_MAX = 2_000;
const WORD =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]+|\p{Script=Hangul}+|[\p{Script=Latin}\p{N}]+/gu;
const SPACELESS = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

function folded(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").normalize("NFC").toLowerCase();
}

/** Which part of some words others have; -1 where there are none. */
function shareOf(words: ReadonlySet<string>, ...others: readonly ReadonlySet<string>[]): number {
  if (words.size === 0) return -1;
  let found = 0;
  for (const word of words) if (others.some((other) => other.has(word))) found += 1;
  return found / words.size;
}

function otherDay(plain: string, targets: string): boolean {
  const held: readonly string[] = targets.toLowerCase().match(WEEKDAYS) ?? [];
  const said = plain.toLowerCase().match(WEEKDAYS) ?? [];
  return held.length > 0 && said.length > 0 && !said.some((day) => held.includes(day));
}

const WEEKDAYS =
  /(?<!\p{L})(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?<!\p{L})(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|lunes|martes|miércoles|jueves|viernes|sábado|domingo|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica|segunda|terça|quarta|quinta|sexta|maandag|dinsdag|woensdag|donderdag|vrijdag|zaterdag|zondag|poniedziałek|wtorek|środ\p{L}|czwartek|piątek|sobot\p{L}|niedziel\p{L})(?!\p{L})|(?:周|星期)[一二三四五六日天]|[月火水木金土日]曜|[월화수목금토일]요일/giu;

/** All went well. */
export const SUCCESS =
  /(?<!\p{L})(?:pass(?:es|ed|ing)?|succe\p{L}+|green|all good|fine|worked|works|pushed|deployed|merged|without (?:an? )?(?:error|problem|issue)\p{L}*|erfolg\p{L}*|bestanden|grün|durchgelaufen|geklappt|ohne fehler|réussi\p{L}*|passent|sans erreur|éxito|pasa[nr]?|pasaron|sin errores|riuscit\p{L}*|passat\p{L}*|superat\p{L}*|senza errori|sucesso|passaram|sem erros|geslaagd|slagen|gelukt|zonder fouten|powiodł\p{L}*|przeszł\p{L}*|bez błędów)(?!\p{L})|通过|成功|没有报错|通り|パス|合格|성공|통과|문제없/iu;

/** "Without a problem" denies nothing. */
const SMOOTHLY =
  /(?<!\p{L})(?:without|ohne|sans|sin|senza|sem|zonder|bez)(?: an?| any| eine?n?)? \p{L}+|no (?:error|problem|issue|trouble)\p{L}*|no longer|nicht mehr|ne \p{L}+ plus|ya no|non \p{L}+ più|não \p{L}+ mais|niet meer|już nie|不再|もう/giu;

const ALL =
  /(?<!\p{L})(?:all|every(?:one|thing|body)?|whole|entire|both|alle[nrs]?|alles|sämtliche|beide[nrs]?|ganze[nrs]?|tod[oa]s?|amb[oa]s|tous|toutes?|entier|les deux|tutt[eio]|entramb[ei]|allemaal|allebei|hele|wszyst\p{L}+|wszyscy|oba|obie)(?!\p{L})|全部|所有|都|両方|全て|すべて|모두|전부|다 /iu;

/** "Two of the three": the larger number is what there was to do. */
const PART_OF =
  /(?<!\p{L})(?:of the|out of|von|der|des|sur|de los|de las|sobre|delle|dei|su|das|dos|van de|z)(?!\p{L})\s+(?:\d+|\p{L}+)|中的|のうち|중/iu;

/** Something beside what was asked for. */
const ALSO =
  /(?<!\p{L})(?:also|too|as well|while i was at it|went ahead|by the way|auch|außerdem|zudem|gleich|nebenbei|aussi|également|au passage|también|además|de paso|anche|inoltre|già che|também|além|aproveit\p{L}+|ook|meteen|bovendien|też|także|również|przy okazji|od razu)(?!\p{L})|也|还|顺便|另外|も|ついでに|あわせて|도 |까지|겸/iu;

function most(values: readonly number[]): number {
  return Math.max(0, ...values);
}

function is(value: boolean): number {
  return value ? 1 : 0;
}
