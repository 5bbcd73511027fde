import { detectLanguage, hasSmallWord, type Language } from "./language.ts";
import {
  bareEnd,
  FENCED,
  GIVEN,
  PATH,
  tableFor,
  verbIn,
  withoutLead,
  withoutNot,
  type Table,
} from "./read-request.ts";
import type { VerbClass } from "./verb-class.ts";

/** One wish, question or statement of a message, as it was typed. */
export interface RequestClause {
  /** All of it, with the text that it quotes or introduces. */
  readonly text: string;
  /** The parts that share its verb: "send 20 to Anna", "30 to Bob". Text for others to read is not among them. */
  readonly members: readonly string[];
  /** The items of the list that it introduces after a colon or on the lines below. */
  readonly items: readonly string[];
  /** The words that it gives for others to read, as far as it does: "tell Anna that …", "post in #team: …". */
  readonly content: string;
  readonly verbs: readonly VerbClass[];
  /** `work`: text alone is wanted (translate, explain). `statement`: it wishes for nothing. */
  readonly kind: "wish" | "work" | "question" | "statement";
  readonly negated: boolean;
  /** It is to happen only if or when something else does. */
  readonly conditional: boolean;
  /** How often it is to be done. */
  readonly times: number;
  readonly language: Language;
}

export interface ReadMessage {
  readonly clauses: readonly RequestClause[];
  readonly language: Language;
  /** Role play: nothing in it is a wish. */
  readonly fiction: boolean;
  /** What was typed, in lower case and without what is quoted in it. */
  readonly mask: string;
}

const LIMITS = { chars: 8_000, sentences: 80, pieces: 200, times: 20 } as const;

/** Reads a message clause by clause. Quoted lines, fenced blocks and pasted mails in it are no wishes. */
export function readClauses(message: string): ReadMessage {
  const text = typedText(message.slice(0, LIMITS.chars));
  const mask = masked(text);
  const language = detectLanguage(/\p{L}{2}/u.test(mask) ? mask : text);
  const read = readIn(language, text, mask);
  // "Resume a.md en b.md" has a verb in English too, but no other word of it.
  const isGuess = !hasSmallWord(mask, language);
  if ((hasWish(read) && !isGuess) || !LATIN.includes(language)) return read;
  // A few words may be too few to tell the language by: then it is the one that finds a wish in them.
  const near = LATIN.filter((other) => other !== language && hasSmallWord(mask, other));
  const far = hasWish(read) ? [] : LATIN.filter((other) => other !== language && !near.includes(other));
  const others = [...near, ...far].map((other) => readIn(other, text, mask)).filter(hasWish);
  const [first] = others;
  if (first === undefined || !others.every((other) => agree(first, other))) return read;
  const negates = [language, ...LATIN].some((each) => NEGATIONS[each].test(mask.replace(FORGET, " ")));
  return negates
    ? { ...first, clauses: first.clauses.map((clause) => ({ ...clause, negated: true })) }
    : first;
}

const LATIN: readonly Language[] = ["en", "de", "es", "fr", "it", "pt", "nl", "pl"];

function hasWish({ clauses }: ReadMessage): boolean {
  return clauses.some(({ kind, verbs }) => kind === "work" || (kind === "wish" && verbs.length > 0));
}

/** Two readings that wish for different things are none. */
function agree(one: ReadMessage, other: ReadMessage): boolean {
  const verbs = ({ clauses }: ReadMessage) => clauses.flatMap((clause) => clause.verbs);
  return (
    verbs(one).length === 0 ||
    verbs(other).length === 0 ||
    verbs(one).some((verb) => verbs(other).includes(verb))
  );
}

function readIn(language: Language, text: string, mask: string): ReadMessage {
  const table = tableFor(language);
  const clauses: Draft[] = [];
  let listFor: Draft | undefined;
  for (const sentence of spans(mask, SENTENCE_END).slice(0, LIMITS.sentences)) {
    const line = cut(text, sentence);
    if (line.trim() === "") continue;
    const item = LIST_ITEM.exec(line);
    if (item && listFor) {
      const from = item[0].length;
      const read = readSentence(line.slice(from), cut(mask, sentence).slice(from), language);
      const own = read.find((clause) => clause.kind === "wish" && clause.verbs.length > 0);
      if (!own) {
        listFor.items.push(...itemsOf(line.slice(from)));
        continue;
      }
      // A list of wishes under a line that wishes for nothing itself.
      if (listFor.verbs.length === 0 && listFor.kind !== "work") clauses.push(...read);
      continue;
    }
    listFor = undefined;
    const read = readSentence(line, cut(mask, sentence), language);
    clauses.push(...read);
    if (/[:：]\s*$/u.test(line)) listFor = read.at(-1);
  }
  return { clauses, language, fiction: table.fiction.test(mask), mask };
}

interface Draft extends RequestClause {
  /** It asks to keep something in mind. */
  readonly remembers?: boolean;
  readonly members: string[];
  readonly items: string[];
  content: string;
}

/** "26.11. 19:00", "3. Mai" and "Dr. Meyer" go on behind their dots. */
const SENTENCE_END =
  /(?<=[.!?])(?<!(?:^|[\s(])(?:dr|mr|mrs|ms|prof|hr|fr|sr|sra|mme|mlle|nr|z\.b)\.)(?<!(?:^|[^\d.])\d{1,2}\.\d{1,2}\.|(?:^|[^\d.])\d{1,2}\.(?=\s(?:jan|feb|mär|apr|mai|jun|jul|aug|sep|okt|nov|dez)))\s+|\n|(?<=[。！？])|[;；]/gu;
const LIST_ITEM = /^\s*(?:[-*•]|\d{1,2}[.)])\s+/u;
const QUOTES =
  /["“„«「『][^"”“»」』\n]{1,2000}["”“»」』]|(?<![\p{L}\p{N}])['‘‚](?=\S)[^'\n]{1,400}?['’](?![\p{L}\p{N}])/gu;
const QUOTED_LINE = /^\s*>.*$/gmu;
/** A mail that was pasted: everything from its first header on. */
const PASTED_MAIL =
  /\n\s*(?:-{2,}\s*)?(?:from|von|de|da|van|od|发件人|差出人)\s?[:：]\s?\S.*\n[\s\S]*$|\n\s*-{3,}\s?(?:forwarded|original|weitergeleitete?|ursprüngliche|reenviado|transféré)[\s\S]*$/iu;

/** Between a script without blanks and a name, an address or a number in it; not within a day, a time or a count. */
const SCRIPT_CHANGE =
  /(?<=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}])(?=[\p{Script=Latin}~]|(?<![年月日時时点分第])\d)|(?<=[\p{Script=Latin}/]|\d(?![年月日時时点分半回次遍번시])|(?<=\p{Script=Latin})\d)(?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])/gu;

/** Marks that part clauses without a blank behind them; in their plain form they would not. */
const WIDE_MARK =
  /(?:(?<!\d)[，：]|[，：](?!\d)|[；！？])(?!\s|$)|(?<=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[,;!?](?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])/gu;

/** The message as the owner typed it: without what is quoted, fenced or pasted. */
function typedText(message: string): string {
  return message
    .replaceAll(WIDE_MARK, "$& ")
    .normalize("NFKC")
    .replaceAll("’", "'")
    .replaceAll(/[\u00ad\u200b-\u200f\u2060\ufeff\u202a-\u202e\u2066-\u2069]/gu, "")
    .replace(GIVEN, "")
    .replace(FENCED, "\n")
    .replace(QUOTED_LINE, "")
    .replace(PASTED_MAIL, "")
    .replaceAll(SCRIPT_CHANGE, " ");
}

/** In lower case, with every quotation blanked: what is quoted is no wish. Places stay as they are. */
function masked(text: string): string {
  const lower = text.replaceAll(/\p{Lu}/gu, (letter) =>
    letter.toLowerCase().length === letter.length ? letter.toLowerCase() : letter,
  );
  return lower.replace(QUOTES, (quote) => `…${"·".repeat(Math.max(0, quote.length - 2))}…`);
}

interface Span {
  readonly from: number;
  readonly to: number;
}

function spans(mask: string, separator: RegExp): Span[] {
  const found: Span[] = [];
  let from = 0;
  for (const match of mask.matchAll(separator)) {
    if (found.length >= LIMITS.pieces) break;
    found.push({ from, to: match.index });
    from = match.index + match[0].length;
  }
  found.push({ from, to: mask.length });
  return found;
}

function cut(text: string, { from, to }: Span): string {
  return text.slice(from, to);
}

function readSentence(text: string, mask: string, language: Language): Draft[] {
  const table = tableFor(language);
  const colon = /(?::(?=\s|$|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])|：)/u.exec(mask);
  const headTo = colon ? colon.index : mask.length;
  const head = readHead(text.slice(0, headTo), mask.slice(0, headTo), language, text);
  if (!colon) return head;
  const tail = { text: text.slice(headTo + 1), mask: mask.slice(headTo + 1) };
  const own = head.at(-1);
  const wished = own !== undefined && (own.verbs.length > 0 || own.kind === "work");
  if (!wished) {
    const before = withoutLead(mask.slice(0, headTo), table).trim();
    return before === "" || DO_THESE.test(before) || WHERE.test(before)
      ? [
          ...head.filter(({ kind }) => kind !== "statement"),
          ...readHead(tail.text, tail.mask, language, tail.text),
        ]
      : (own?.items.push(...itemsOf(tail.text)), head);
  }
  // What is sent or written down stands there to be read; only a list of names or numbers is meant as such.
  own.items.push(...itemsOf(tail.text));
  own.content = tail.text;
  return head;
}

const DO_THESE =
  /^(?:(?:do|perform|carry out|execute|complete|please do)\b.*(?:tasks?|things|following|steps|this|these)|(?:mach|erledige|führe)\p{L}*\s.*(?:folgende|aufgaben|das)|(?:haz|realiza)\b.*(?:tareas|siguiente)|fais\b.*(?:tâches|suit|suivant)|to-?dos?|tasks?|(?:(?:two|three|a few|a couple of|some|zwei|drei|ein paar|dos|tres|varias|unas|deux|trois|quelques|plusieurs|due|tre|alcune|twee|drie|een paar|duas|três|dwie|trzy|\d)\s(?:quick |small |kleine |kurze )?(?:things|tasks|favou?rs|dinge|sachen|aufgaben|cosas|tareas|choses|tâches|cose|compiti|dingen|zaken|taken|coisas|tarefas|rzeczy))$)/u;
const WHERE = /^(?:in|on|im|auf|en|dans|sur|nel|nella|su|no|na|em|op|w|we|z) \S+$/iu;

function itemsOf(tail: string): string[] {
  return tail
    .split(/,\s+|;\s*|[、，；\n]|\s(?:and|und|y|et|e|en|i|和)\s/u)
    .map((item) =>
      item
        .replace(LIST_ITEM, "")
        .replace(/^(?:and|und|y|et)\s/u, "")
        .replace(/[.!]\s*$/u, "")
        .trim(),
    )
    .filter((item) => item !== "")
    .slice(0, LIMITS.pieces);
}

function readHead(text: string, given: string, language: Language, whole: string): Draft[] {
  const table = tableFor(language);
  const mask = given.replace(PLACE_COMMA, "$1 ");
  const stripped = withoutLead(mask, table);
  const wishes = table.wish?.test(bareEnd(stripped)) === true;
  const polite = POLITE.test(mask);
  const isQuestion = /[?？]\s*$/u.test(mask);
  const pleads =
    /^\s*(?:please|bitte|por favor|s'il te plaît|per favore|proszę)(?!\p{L})/u.test(mask) && !isQuestion;
  const asks =
    (table.asks.test(stripped) && !wishes && !polite && !pleads) ||
    (table.how.test(stripped) && !polite) ||
    (isQuestion && !polite);
  const spaceless = table.position === "early" || table.position === "late";
  const conditional = CONDITIONS[language].test(spaceless ? mask : stripped);
  if (asks) return [statement(text, mask, language, { kind: "question", conditional })];
  const drafts: Draft[] = [];
  let current: Draft | undefined;
  let content = false;
  for (const { from, to } of pieces(mask, table)) {
    if (content) break;
    const piece = mask.slice(from, to);
    const bare = bareEnd(withoutLead(piece, table));
    if (bare === "") continue;
    const wanted = wantedIn(bare, language);
    const told = table.said.test(bare) && !polite && !wanted;
    const read =
      wanted ?? (told ? undefined : (phraseIn(bare, mask, language) ?? readPiece(piece, table, polite)));
    if (current && read && isNextName(piece, read, current)) {
      current.members.push(text.slice(from, to));
      continue;
    }
    if (!read) {
      if (current && FAULT_IN.test(bare) && current.verbs.includes("write")) {
        current.members.push(text.slice(from, to));
        continue;
      }
      if (told) {
        current = undefined;
        drafts.push(statement(text.slice(from, to), piece, language, { kind: "statement", conditional }));
      } else if (current && hasContent(current) && CONTENT_FIRST.test(bare)) {
        // "Schreib Anna, dass …": what somebody is to be told names nobody else.
        content = true;
        current.content = text.slice(from);
      } else if (current && NEGATIONS[language].test(piece.replace(FORGET, " "))) {
        drafts.push(statement(text.slice(from, to), piece, language, { kind: "statement", conditional }));
      } else if (current) {
        const kept = withoutContent(piece, current, language);
        current.members.push(text.slice(from, from + kept));
        content = kept < piece.length;
        if (content) current.content = text.slice(from + kept);
      } else
        drafts.push(statement(text.slice(from, to), piece, language, { kind: "statement", conditional }));
      continue;
    }
    const remembers = REMEMBERS.exec(bare);
    const kept = remembers ? rememberedFrom(piece) : withoutContent(piece, read, language);
    // What a text of one's own is about ends with it; what others are told goes on.
    content = kept < piece.length && !remembers && (read.verbs.includes("send") || !OWN_TEXT.test(bare));
    current = {
      text: content ? whole : text.slice(from, to),
      members: MAKES_WORK.test(bare) ? [] : [text.slice(from, from + kept)],
      items: [],
      content: kept < piece.length ? text.slice(from + kept) : "",
      verbs: read.verbs,
      kind: read.tells ? "work" : "wish",
      remembers: remembers !== null,
      negated: read.negated || NEGATIONS[language].test(piece.slice(0, kept).replace(FORGET, " ")),
      // "Ask Bob if he comes" waits for nothing.
      conditional:
        conditional && !(ASKS_OTHERS.test(bare) && !CONDITIONS[language].test(mask.slice(0, from + kept))),
      times: timesIn(piece),
      language,
    };
    drafts.push(current);
  }
  if (drafts.length === 0) drafts.push(statement(text, mask, language, { kind: "statement", conditional }));
  return drafts;
}

function statement(
  text: string,
  mask: string,
  language: Language,
  more: Pick<Draft, "kind" | "conditional">,
): Draft {
  const negated = NEGATIONS[language].test(mask);
  return { text, members: [text], items: [], content: "", verbs: [], negated, times: 1, language, ...more };
}

/** A sentence falls into pieces at commas and between wishes; one that has no verb of its own belongs to the one before. */
function pieces(mask: string, table: Table): Span[] {
  return spans(mask, COMMA).flatMap((part) =>
    spans(cut(mask, part), table.and).map(({ from, to }) => ({ from: part.from + from, to: part.from + to })),
  );
}

/** In Japanese, who gets something may have a comma behind it: "佐藤さんに、明日は休むと伝えて". What something is set to may not: "22度に、…". */
const COMMA = /,\s|，|(?<!^\s*[^、，。を]{1,80}(?<![\d度円元時日分個回台枚番%\s])\s?[にへ])、/gu;

/** "Make it pass, the mistake is in split.py": where to change something. */
const FAULT_IN =
  /^(?:the |there(?:'s| is) (?:an? |the )|der |die |das |el |la |le |l'|il )?(?:mistake|bug|error|problem|fault|culprit|fehler|problem|fallo|problema|erreur|bogue|bug|problème|errore|fout|błąd)\s(?:is|must be|seems to be|liegt|ist|steckt|está|es|se trouve|est|è|zit|jest)\s(?:in|im|en|dans|nel|nella|w)\s\S*[./]\S*$/u;

/** "I would like todo.md to have eggs": a wish without a verb for what is to be done. */
const WANTED: Readonly<Partial<Record<Language, RegExp>>> = {
  en: /^(?:i(?:'d| would)? (?:like|want|need|love)|i wish for) (?!to (?!have )|.*(?<!\p{L})(?:what|whether|how|why|which|who|summary|overview|look|idea of|is|are|was)(?!\p{L}))(?:(?:to have )?\S.* (?:in|on|inside|added to|written to|noted in|saved (?:in|to|as)) (?:the |my )?(?:file )?\S*\.\p{L}\S*$|(?:the file )?\S*\.\p{L}\S* (?:moved|renamed|copied|put|saved|filed) (?:to|into|in|under|as) |(?:the file )?\S*\.\p{L}\S* to (?:also )?(?:have|contain|say|list|include|read|mention|start with|end with) )|^\S*\.\p{L}\S* (?:should|must|needs to|has to|is to) (?:also )?(?:have|contain|say|list|include|read|mention|start with|end with) /u,
  de: /^(?:ich (?:möchte|hätte gerne?|will|brauche|wünsche mir)) \S.* (?:in|auf|im) (?:der |die |meiner )?(?:(?:datei )?\S*\.\p{L}\S*|ordner \S+)(?: (?:haben|stehen haben|sehen))?$|^in \S*\.\p{L}\S* (?:soll|sollen|muss|müssen) \S.* (?:stehen|rein|hinein)$/u,
  es: /^(?:quiero|quisiera|me gustaría|necesito) (?:que \S*\.\p{L}\S* (?:tenga|diga|incluya|contenga) |\S.* en \S*\.\p{L}\S*$)/u,
  fr: /^(?:je (?:veux|voudrais)|j'aimerais) (?:que \S*\.\p{L}\S* (?:ait|contienne|dise|inclue) |\S.* dans \S*\.\p{L}\S*$)/u,
};

const FILE = String.raw`(?:(?:the|my|our|whole|entire|all|of|contents?|file|document|die|den|das|der|datei|ganze|inhalt|von|el|la|todo|archivo|le|tout|fichier)\s){0,4}(?:\S*[^\s.]\.\p{L}[\p{L}\p{N}]{0,4}|…·*…)(?![\p{L}\p{N}])`;
const MAY_NAME_FILE = /\.\p{L}|…/u;

/** Whether a clause begins with a phrase of one language. */
type Phrases = (clause: string) => boolean;

function phrases(sources: readonly string[], end = ""): Phrases {
  let made: RegExp | undefined;
  // Compiled when they are first looked for, since most languages never are.
  return (clause) =>
    (made ??= new RegExp(`^(?:${sources.map((each) => `(?:${each})`).join("|")})${end}`, "u")).test(clause);
}

function fileVerbs(...sources: readonly string[]): Phrases {
  const begins = phrases(sources.map((source) => source.replaceAll("FILE", FILE)));
  return (clause) => MAY_NAME_FILE.test(clause) && begins(clause);
}

/** What is done with a file and its text: verbs that mean something else, or nothing, without a file. */
const FILE_VERBS: Readonly<Partial<Record<Language, Phrases>>> = {
  en: fileVerbs(
    "(?:over|re)write FILE",
    "(?:reword|rephrase|shorten|condense|simplify|format|reformat|refactor|reorder|redo|clear|empty|blank|wipe|expand|clean up|tidy up|polish) FILE",
    "turn FILE into ",
    "(?:cross|strike|check|tick|scratch) (?:out|off|through) .*(?:in|on|from|of|off) FILE",
    "(?:cross|strike|scratch|take) \\S.* (?:out|off)(?: of| in| on| from)? FILE",
    "(?:uncheck|untick|unmark|reopen|comment out|indent|translate \\S.* (?:in|on|of)|capitali[sz]e|bold|highlight) .*(?:in|on|from|of) FILE",
    "rename (?!FILE)\\S.* (?:in|of|within) FILE",
    "move (?!FILE)\\S.* (?:in|within) FILE",
  ),
  de: fileVerbs(
    "fasse? FILE in FILE zusammen",
    "(?:schreibe?|formuliere?) FILE (?:neu|um)",
    "(?:kürze?|vereinfache?|formatiere?|leere?|überschreibe?|überarbeite?|ordne?) FILE",
    "(?:hake?|kreuze?|streiche?) \\S.* (?:in|auf|aus|von) FILE",
  ),
  es: fileVerbs(
    "(?:reescrib[ea]|sobrescrib[ea]|acorta|abrevia|simplifica|formatea|vacía|ordena|limpia) FILE",
    "(?:tacha|desmarca|marca) \\S.* (?:en|de) FILE",
    "resume FILE en FILE",
  ),
  fr: fileVerbs(
    "(?:réécri[ts]|écrase|raccourci[ts]|simplifie|formate|vide|trie|nettoie) FILE",
    "(?:raye|barre|coche|décoche) \\S.* (?:dans|de|sur) FILE",
    "résume FILE dans FILE",
  ),
};

/** To give a file another name without the verb for it. */
const RENAMES: Readonly<Partial<Record<Language, Phrases>>> = {
  en: fileVerbs(
    "(?:change|alter|update) (?:the )?(?:file ?)?name of FILE",
    "put FILE (?:in|into|under) (?:the |my )?(?:folder \\S+|\\S+ folder|\\S+/)",
  ),
  de: fileVerbs(
    "änder(?:e|n)? (?:den )?(?:datei)?namen? (?:von|der datei) FILE",
    "nenne? FILE (?:in )?\\S+ um",
    "gib FILE (?:den|einen) (?:neuen )?namen",
    "(?:leg|pack|tu|steck)e? FILE in (?:den |meinen )?(?:ordner \\S+|\\S+/)",
  ),
  es: fileVerbs(
    "(?:c[aá]mbia|cambiar)(?:le)? (?:el |de )nombre (?:de |del )FILE",
    "(?:pon|mete) FILE en (?:la |mi )?(?:carpeta \\S+|\\S+/)",
  ),
  fr: fileVerbs(
    "(?:change|modifie)[rz]? le nom (?:de |du )FILE",
    "(?:mets|range) FILE dans (?:le |mon )?(?:dossier \\S+|\\S+/)",
  ),
  it: fileVerbs("(?:cambia|modifica)(?:re)? (?:il )?nome (?:di |del )FILE"),
  pt: fileVerbs("(?:muda|altera)(?:r)? o nome (?:de |do )FILE"),
  nl: fileVerbs("(?:verander|wijzig) de naam van FILE"),
  pl: fileVerbs("zmień nazwę (?:pliku )?FILE"),
  zh: (clause) => /(?:名字|名称|文件名)(?:改|换|修改|更改)(?:成|为|作)(?!了)(?!.*了$)/u.test(clause),
  ja: (clause) =>
    /(?:名前|ファイル名)を[^。、]{0,80}(?:(?:変更|付け直)し?て|変えて|変えと|改めて|変更(?:$|を?お願い))(?!い(?:る|ます|た)|あ(?:る|り))/u.test(
      clause,
    ),
};

function light(...sources: readonly string[]): Phrases {
  return phrases(sources, "(?:(?<=#)|(?!\\p{L}))");
}

/** Where several people read: a channel by its name, or by the word for it. */
const CHANNEL =
  "(?:the |our |den |dem |die |unseren? |unsere |el |la |le |nuestro |notre |il |o )?(?:#|(?:channel|chat|group|thread|kanal|gruppe|gruppenchat|canal|grupo|groupe|fil|canale|gruppo|kanaal|kanał)(?![\\p{L}]))";

/** A noun says what is to be done, and the verb beside it nothing: "make a payment", "drop her a line". */
const LIGHT_VERBS: Readonly<
  Record<"write" | "pay" | "send" | "control", Readonly<Partial<Record<Language, Phrases>>>>
> = {
  write: {
    en: light(
      "(?:start|make|begin) (?:me )?(?:an?|another) (?:new )?(?:file|document|note|list|folder)",
      "(?:a )?new (?:file|document|note|list|folder)(?= \\S)",
    ),
    es: light("haz(?:me)? (?:un|una) (?:nuev[oa] )?(?:archivo|documento|fichero|nota|lista|carpeta)"),
    it: light("fa(?:i|mmi|i un po') (?:un|una) (?:nuov[oa] )?(?:file|documento|nota|lista|cartella|elenco)"),
    fr: light("fais(?:-moi)? (?:un|une) (?:nouveau |nouvelle )?(?:fichier|document|note|liste|dossier)"),
    zh: (clause) => /写[^,。]{1,24}(?:到|进|入)\s?\S+\.\p{L}/u.test(clause),
  },
  pay: {
    en: light(
      "(?:make|do|put through|initiate|issue|execute) (?:an?|the|another) (?:\\p{L}+ ){0,2}(?:transfer|payment|donation)",
      "(?:place|put in|make) an? (?:\\p{L}+ )?order",
    ),
    de: light(
      "(?:mach|tätig|veranlass|leist|führ|gib)\\p{L}* (?:mal |bitte |mir ){0,2}eine (?:\\p{L}+ )?(?:überweisung|zahlung|spende|bestellung)",
    ),
    es: light(
      "(?:haz|hacer|realiza|realizar|efectúa|efectuar)(?:me|les?|nos)? (?:un|una|otra) (?:\\p{L}+ )?(?:transferencia|bizum|pago|pedido|donación|ingreso)",
    ),
    fr: light(
      "(?:fais|faire|faites|effectue[rz]?|passe[rz]?|réalise[rz]?)(?:-(?:moi|lui|leur))? (?:un|une|le|la) (?:\\p{L}+ )?(?:virement|paiement|commande|don|versement)",
    ),
    it: light("(?:fai|fare|effettua|fa)(?:re)? un (?:\\p{L}+ )?(?:bonifico|pagamento|ordine|versamento)"),
    pt: light(
      "(?:faz|fazer|faça|efetua|efetuar) (?:um|uma) (?:\\p{L}+ )?(?:transferência|pagamento|pedido|encomenda|pix)",
    ),
    nl: light("(?:maak|doe) een (?:\\p{L}+ )?(?:overschrijving|betaling|bestelling)"),
    pl: light("(?:zrób|wykonaj|zleć) (?:\\p{L}+ )?(?:przelew|płatność|zamówienie)"),
  },
  send: {
    en: light(
      "(?:drop|shoot|leave) (?!me )\\S+ (?:\\S+ )?(?:an? )?(?:quick |short )?(?:line|message|note|text|e-?mail|mail)",
      `(?:write|put|say) (?:\\p{L}+ ){0,3}(?:in|into|on|to) ${CHANNEL}`,
    ),
    de: light(
      "(?:hinterlass|lass)e? (?!mir )\\S+ (?:\\S+ )?eine (?:kurze )?(?:nachricht|mail)",
      "gib (?!mir )\\S+ (?:\\S+ )?(?:lese|schreib|zugriffs)?(?:rechte?|zugriff|zugang)",
      `(?:schreibe?|stelle?|setze?) (?:\\p{L}+ ){0,3}(?:in|auf) ${CHANNEL}`,
    ),
    es: light(
      "(?:pon|deja)(?:les?)? un (?:correo|mensaje|mail)",
      "dale (?:\\p{L}+ ){0,3}acceso|da acceso",
      `(?:escribe|pon|di) (?:\\p{L}+ ){0,3}en ${CHANNEL}`,
    ),
    fr: light(
      "(?:laisse|passe)[rz]?(?:-(?:lui|leur))? un (?:petit )?(?:message|mot|mail|courriel)",
      "donne(?:-lui)? (?:\\S+ ){0,3}(?:l')?accès",
      `(?:écris|mets|dis) (?:\\p{L}+ ){0,3}(?:dans|sur) ${CHANNEL}`,
    ),
  },
  control: {
    en: light(
      "(?:heat|warm|cool)(?: up| down)?",
      "(?:make|get|keep) (?:it|the \\p{L}+) (?:at )?\\d+ ?(?:degrees|°|percent|%)",
    ),
    de: light("(?:heiz|beheiz|wärm|kühl|temperier)e?"),
    es: light("(?:calienta|enfría|climatiza)"),
    fr: light("(?:chauffe|réchauffe|refroidis|rafraîchis)"),
    ja: (clause) =>
      /(?:\d|[一二三四五六七八九十])\s?(?:度|℃|%|パーセント)に(?:して|し(?:ておいて|といて)|セット)(?!い(?:る|ます|た)|あ(?:る|り))/u.test(
        clause,
      ),
  },
};
const MERGES = /^(?:merge|combine|join|führe? |fusiona|combina|fusionne|combine|unisci)/u;
/** "Make run-tests.sh pass" asks for a change, and says nothing of where. */
const MAKES_WORK =
  /^(?:make|get) \S*\.\p{L}\S* (?:to )?(?:pass|work|run|compile|build)(?: again)?$|^(?:mach|bring)e? \S.*(?:zum laufen|lauffähig)$/u;

/** Verbs that are told by the words beside them. */
function phraseIn(bare: string, mask: string, language: Language): ReadPiece | undefined {
  const isIn = (begins?: Phrases) => begins?.(bare) === true;
  const asked = (...verbs: VerbClass[]) => ({ verbs, tells: false, negated: false });
  if (isIn(RENAMES[language])) return asked("write", "move");
  if (isIn(LIGHT_VERBS.write[language])) return asked("write");
  if (isIn(LIGHT_VERBS.pay[language])) return asked("pay");
  if (isIn(LIGHT_VERBS.send[language])) return asked("send");
  if (isIn(LIGHT_VERBS.control[language])) return asked("control");
  const isOne =
    MAKES_WORK.test(bare) ||
    isIn(FILE_VERBS[language]) ||
    (MERGES.test(bare) && RESULT_INTO.test(bareEnd(mask)));
  return isOne ? asked("write") : undefined;
}

function wantedIn(bare: string, language: Language): ReadPiece | undefined {
  return WANTED[language]?.test(bare) === true
    ? { verbs: ["write"], tells: false, negated: false }
    : undefined;
}

/** "Rename scan 1.pdf to a.pdf, scan 2.pdf to b.pdf": a name that begins with a word for looking. */
function isNextName(piece: string, { verbs, tells }: ReadPiece, current: Draft): boolean {
  if (tells || !verbs.every((verb) => verb === "look") || current.kind !== "wish") return false;
  if (!current.verbs.includes("move") && !current.verbs.includes("write")) return false;
  return /^\s*[\p{L}\p{N}_-]+ \S*\.\p{L}[\p{L}\p{N}]{0,4} (?:to|into|as|nach|zu|in|a|en|à|vers) \S/u.test(
    piece,
  );
}

interface ReadPiece {
  readonly verbs: readonly VerbClass[];
  readonly tells: boolean;
  readonly negated: boolean;
}

const PLACE_FIRST =
  /^(?:in|into|to|on|im|auf|en|a|à|dans|sur|nel|nella|em|no|na|op|w|z)\s(?:(?:the |my )?(?:file |document )|der datei |el archivo |le fichier )?(?:\S*[./]\S*|…·*…),?\s+(?=\S)/u;
/** The same with its comma, which then parts nothing. */
const PLACE_COMMA =
  /^(\s*(?:in|into|to|on|im|auf|en|a|à|dans|sur|nel|nella|em|no|na|op|w|z)\s(?:(?:the |my )?(?:file |document )|der datei |el archivo |le fichier )?(?:[^\s,]*[./][^\s,]*|…·*…)),(?=\s)/u;

/** Words that show a German clause to tell something, though an infinitive ends it. */
const MODALS =
  /(?<!\p{L})(?:will|wollte|wollen|möchte|möchten|soll|sollte|sollen|muss|musste|müssen|kann|konnte|können|könnte|darf|durfte|wird|werden|würde|hat|haben|hatte|zu)(?!\p{L})/u;

function readPiece(piece: string, table: Table, polite: boolean): ReadPiece | undefined {
  // "In plan.txt put cocoa for tea": the place comes first, then the wish.
  const clause = withoutLead(bareEnd(withoutLead(piece, table)).replace(PLACE_FIRST, ""), table);
  const placed = table.position === "first" ? withoutNot(clause, table) : clause;
  const negated = table.position === "first" ? placed !== clause : table.not.test(clause);
  if (table.noun?.test(placed) === true || (table.wish && !table.wish.test(placed))) return undefined;
  const { classes, tells, last } = verbBeforeRest(placed, table, polite);
  if (classes.length === 0 && !tells) return undefined;
  if (last && !polite && MODALS.test(placed)) return undefined;
  // "Summarise a.md into b.md" asks for a file; "summarise what is in a.md" for words.
  if (tells && classes.length === 0 && RESULT_INTO.test(placed))
    return { verbs: ["write"], tells: false, negated };
  const verbs = classes.includes("draft") && PATH.test(placed) ? [...classes, "write" as const] : classes;
  return { verbs, tells: tells && classes.length === 0, negated };
}

/** "Kun je a.docx hernoemen naar b.docx": behind a polite opening the infinitive may have something behind it. */
function verbBeforeRest(placed: string, table: Table, polite: boolean): ReturnType<typeof verbIn> {
  const whole = verbIn(placed, table);
  if (!polite || table.position !== "ends" || whole.classes.length > 0 || whole.tells) return whole;
  for (const match of [...placed.matchAll(INFINITIVE)].slice(0, INFINITIVES_MAX)) {
    const found = verbIn(placed.slice(0, match.index + match[0].length), table);
    if (found.classes.length > 0) return found;
  }
  return whole;
}

const INFINITIVE =
  /(?<![\p{L}\p{N}.])\p{L}{3,}n(?=\s(?:in|nach|zu|als|an|auf|für|mit|naar|aan|op|voor|met|over|om)\s)/gu;
const INFINITIVES_MAX = 8;

const RESULT_INTO =
  /^(?!compare|vergleich|compara|confront).*\s(?:(?:into|as|onto|and (?:save|store) (?:it|them) (?:in|to|as)|als|como|comme|come)|(?<=^(?:summari[sz]e|translate|extract|rewrite|outline|describe|convert|list|simplify|format)\s.*\s)to|(?<=\.\p{L}\S*\s)(?:in|nach|en|a|dans|vers|nel|em|para|w|do))\s(?:(?:a|the|new|my|die|eine|neue|el|un|nuevo|le|nouveau)\s){0,2}(?:file |datei |archivo |fichier )?\S*[^\s.]\.\p{L}[\p{L}\p{N}]{0,4}(?!\S)/u;

/** Asks to keep something in mind, whose own "not" negates nothing else: "remember that I don't drink coffee". */
const REMEMBERS =
  /^(?:remember|memori[sz]e|keep in mind|note|write down|jot down|make a note)(?: for me)?(?:,? that|:)? |^(?:merke?|notiere?|behalte?|schreibe?)(?: dir| mir| bitte)?(?: auf| im kopf)?(?:$|,? dass )|^(?:recuerda|apunta|anota|ten en cuenta)(?: bien)? que |^(?:retiens|souviens-toi|note|rappelle-toi)(?: bien)? qu[e']|^(?:请)?(?:记住|记下|记一下|记得)|と(?:覚え|記憶し|メモし)/u;
const REMEMBERED_FILE =
  /\s(?:in|into|to|on|auf|en|dans)\s(?:\p{L}+\s){0,2}\S*[^\s.]\.\p{L}[\p{L}\p{N}]{0,4}$/u;

/** How much of a piece says that something is to be kept in mind; where that comes last, none of what comes before. */
function rememberedFrom(piece: string): number {
  const bare = bareEnd(piece);
  if (REMEMBERED_FILE.test(bare)) return piece.length;
  const found = / (?:that|dass|que) | qu'|(?<=记住|记下|记一下|记得)/u.exec(piece);
  if (found && found.index > 0) return found.index;
  return /と(?:覚え|記憶し|メモし)/u.test(piece) ? 0 : piece.length;
}

/** "Write me a poem about rain and save it as rain.txt" */
const OWN_TEXT =
  /^(?:write|draft|compose|schreibe?|verfasse?|entwirf|escribe|escríbe|redacta|écris|rédige|scrivi|escreve|schrijf|napisz)(?:-moi|me)?\s(?:(?:me|us|mir|uns|mij|mi)\s)?(?:an?|some|the|eine?n?|una?|une?|um|uma|een)\s(?:[\p{L}-]+\s){0,3}?(?:poem|haiku|story|song|essay|summary|list|letter|speech|joke|limerick|note|gedicht|geschichte|lied|aufsatz|zusammenfassung|liste|rede|poema|cuento|historia|canción|resumen|lista|poème|histoire|chanson|résumé|liste|poesia|storia|canzone|gedicht|verhaal)(?!\p{L})/u;

const ASKS_OTHERS = /^(?:ask|frage?|preg[uú]nta|demande|chiedi|pergunta|vraag|zapytaj)\p{L}*\s/u;

const CONTENT_FIRST =
  /^(?:that|what|how|why|dass|ob|weil|was|wie|warum|wer|wo|wann|que|qu'|qué|cómo|ce qu[e']|si|che|se|dat|of|wat|że|czy|co)(?:\s|(?<='))(?=\S)/u;

function hasContent({ verbs, remembers }: Draft): boolean {
  return remembers === true || verbs.includes("send") || verbs.includes("draft");
}

/** How much of a piece comes before the text that is to be sent: "tell Anna | that …". */
function withoutContent(piece: string, { verbs }: Pick<ReadPiece, "verbs">, language: Language): number {
  if (!verbs.includes("send") && !verbs.includes("draft")) return piece.length;
  const found = CONTENT[language]?.exec(piece);
  // "Write a poem about rain to rain.md": the file comes after what the text is about.
  if (verbs.includes("write") && ENDS_INTO.test(bareEnd(piece))) return piece.length;
  return found && found.index > 0 ? found.index : piece.length;
}

const ENDS_INTO =
  /\s(?:to|into|as|nach|als|como|comme|come|jako)\s(?:(?:a|the|new|my|file|called|named|eine|neue|datei|un|nuevo|archivo|nouveau|fichier)\s){0,4}\S*[^\s.]\.\p{L}[\p{L}\p{N}]{0,4}$/u;

const CONTENT: Readonly<Partial<Record<Language, RegExp>>> = {
  en: / (?:that|saying|to say|telling (?:him|her|them)|asking|about|regarding|whether|with the (?:text|message|words|body|subject))(?= )|(?<=^(?:\p{L}+ ){0,4}(?:tell|ask|inform|notify|remind|show|let|text|message|e-?mail|mail|write|reply) [^,]*) (?:what|how|why|who|where|which|when|if)(?= )|(?<=(?:(?:^| )(?:tell|inform|notify|remind)|^(?:\p{L}+ ){0,3}(?:text|message)) (?:\S+ ){0,2}\S+) (?:i|we|he|she|they|you|it|there|everyone|nobody)(?=[ '])/u,
  de: /(?:,| )(?:dass|ob|was|wie|warum|wer|wo|wann|welche\p{L}*|wegen|über|mit (?:dem|der) (?:text|nachricht|betreff))(?= )/u,
  es: / (?:que|si|lo que|qué|cómo|cuándo|dónde|quién|por qué|diciendo|sobre|con el (?:texto|mensaje|asunto))(?= )/u,
  fr: / (?:que|qu'|s'ils?|s'elles?|si|ce qu[e']|comment|quand|pourquoi|où|qui|disant|au sujet|à propos|avec le (?:texte|message))(?= |\p{L})/u,
  it: / (?:che|se|dicendo|riguardo|su(?! #)|con il (?:testo|messaggio))(?= )/u,
  pt: / (?:que|dizendo|sobre|com (?:o texto|a mensagem))(?= )/u,
  nl: / (?:dat|of|over|met de tekst)(?= )/u,
  zh: /说(?=[^法明话服])|(?<=(?:告诉|通知)\s?[#@]?[^\s，,。]{1,20}?)\s?(?=我|他|她|今天|明天|会议)/u,
  pl: /,? (?:że|o tym|z treścią)(?= )/u,
};

const POLITE =
  /(?<!\p{L})(?:(?:can|could|would|will) (?:you|u|ya)|would you mind|(?:kannst|könntest|würdest|magst|willst) du|(?:können|könnten|würden) sie|puedes|podrías|podría usted|puede usted|(?:peux|pourrais|veux)-tu|tu (?:peux|pourrais)|(?:pouvez|pourriez)-vous|est-ce que tu (?:peux|pourrais)|puoi|potresti|può|pode|poderia|você pode|kun je|kan je|wil je|zou je|graag|możesz|czy możesz|mógłbyś|mogłabyś)(?!\p{L})|能不能|能否|你能|可以(?:帮|请)?|能(?:帮|请)|请|麻烦|(?:て|で)(?:もらえ|いただけ|くれ|ください|下さい)|주세요|줄래|주실|줘/u;

/** What looks like a negation and wishes all the more. */
const FORGET =
  /(?<!\p{L})(?:don't forget to|do not forget to|vergiss nicht,?|no (?:te )?olvides|n'oublie pas de|no later than|non dimenticare di|não esqueças? de|vergeet niet|nie zapomnij|not later than|nicht später als|no problem|why not)|忘れずに|别忘了|不要忘/u;

const word = (source: string) => new RegExp(`(?<![\\p{L}\\p{N}])(?:${source})(?![\\p{L}\\p{N}])`, "u");

const NEGATIONS: Readonly<Record<Language, RegExp>> = {
  en: /(?<![\p{L}\p{N}])(?:not|never|no|none|nothing|nobody|neither|nor|without|avoid|refrain|cannot|except|instead of|rather than|hold off|wait (?:with|before)|stay away|hands off)(?![\p{L}\p{N}])|(?<!\p{L})(?:leave|keep) \S+ (?:alone|as (?:it|they))|n't(?!\p{L})|(?<!\p{L})dont(?!\p{L})/u,
  de: word(
    "nicht|nichts|nie|niemals|kein(?:e|en|er|em|es)?|keinesfalls|niemand\\p{L}*|ohne|weder|statt|außer|warte|lass(?= das|t?$)",
  ),
  es: word("no|nunca|jamás|nada|nadie|ningun\\p{L}*|ningún|ni|sin|evita|excepto|tampoco|deja \\S+ en paz"),
  fr: /(?<!\p{L})(?:ne|pas|jamais|rien|personne|aucun\p{L}*|ni|sans|évite|sauf|laisse \S+ tranquille)(?!\p{L})|(?<!\p{L})n'/u,
  it: word("non|mai|niente|nulla|nessun\\p{L}*|né|senza|evita|tranne"),
  pt: word("não|nunca|jamais|nada|ninguém|nenhum\\p{L}*|nem|sem|evit\\p{L}+|exceto"),
  nl: word("niet|nooit|niets|geen|niemand|noch|zonder|behalve|vermijd"),
  pl: word("nie|nigdy|nic|nikogo|nikomu|żadn\\p{L}+|ani|bez|oprócz"),
  zh: /不|别|勿|没|无需|除了|禁止|切勿/u,
  ja: /ない|ません|なく|ずに|禁止|やめ|以外|不要|(?:する|送る|消す|触る)な(?:$|[。よ])/u,
  ko: /않|안 |못|말(?:고|아|라)|마세요|마 |금지|제외|없이/u,
};

const CONDITIONS: Readonly<Record<Language, RegExp>> = {
  en: /(?<!\p{L})(?:if|unless|once|as soon as|in case|provided that|assuming|when(?! you (?:can|have time|get a))|whenever|the (?:moment|minute|second|day|week|month|time) (?:i|we|he|she|they|you|it|the|my)|as long as|by the time|should (?:i|he|she|they|it)|only after|after (?:i|he|she|they|it))(?!\p{L})/u,
  de: word("wenn|falls|sobald|sofern|solange|es sei denn|im falle|nachdem|erst nach|an dem tag"),
  es: word(
    "si|cuando|en cuanto|tan pronto|a menos que|en caso de|siempre que|el día que|una vez que|después de que",
  ),
  fr: /(?<!\p{L})(?:si(?! te plaît| vous plaît)|quand|dès que|lorsque|à moins|au cas où|une fois que|le jour où|après que|tant que)(?!\p{L})|(?<!\p{L})s'il(?! te plaît| vous plaît)/u,
  it: word("se|quando|appena|a meno che|nel caso|qualora"),
  pt: word("se|quando|assim que|a menos que|caso"),
  nl: word("als|indien|zodra|wanneer|tenzij|mocht"),
  pl: word("jeśli|jeżeli|gdy|kiedy|jak tylko|o ile|chyba że"),
  zh: /如果|要是|假如|假设|假定|设想|一旦|的话|等.{1,12}(?:后|再)|除非|万一/u,
  ja: /もし|たら|れば|なら|場合|とき|次第/u,
  ko: /만약|면 |경우|때 |하면/u,
};

const TIMES: readonly (readonly [RegExp, number])[] = [
  [
    /(?<!\p{L})(?:twice|two times|zweimal|zwei mal|dos veces|deux fois|due volte|duas vezes|twee keer|dwa razy|dwukrotnie)(?!\p{L})|两次|二回|2回|두 번/u,
    2,
  ],
  [
    /(?<!\p{L})(?:thrice|three times|dreimal|drei mal|tres veces|trois fois|tre volte|três vezes|drie keer|trzy razy)(?!\p{L})|三次|三回|세 번/u,
    3,
  ],
];
const TIMES_NUMBER =
  /(?<![\p{L}\p{N}.,])(\d{1,2})\s?(?:times|x|mal|veces|fois|volte|vezes|keer|razy)(?!\p{L})|(?<!\d)(\d{1,2})\s?(?:次|回|遍|번)/u;

function timesIn(piece: string): number {
  const numbered = TIMES_NUMBER.exec(piece);
  if (numbered) return Math.min(LIMITS.times, Math.max(1, Number(numbered[1] ?? numbered[2])));
  return TIMES.find(([words]) => words.test(piece))?.[1] ?? 1;
}
