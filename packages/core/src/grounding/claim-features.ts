import type { PieceList } from "./piece-list.ts";
import { conceptsNamed, deedOf, END, general, isDeed, START, type Concept } from "./concepts.ts";
import { spelled } from "../base/letters.ts";
import { TextReader, type ReadText } from "./read-text.ts";
import { WordScan } from "./word-scan.ts";

/**
 * A sentence as numbers: hashed pieces of its words and of what they mean, of what the owner asked
 * and of what stands before it, and its place in the reply. Training and reading share this file, so that
 * weights always meet the features they were trained on. Whoever changes it trains again.
 */
export const FEATURES = {
  requestCharsMax: 600,
  sentenceCharsMax: 400,
  beforeCharsMax: 300,
} as const;

/** Facts about the place of a sentence. */
export const PLACES = [
  "first",
  "last",
  "alone",
  "short reply",
  "long reply",
  "in a list",
  "heading or label",
  "in a table",
  "after code",
  "before code",
  "reply has code",
  "reply has a quotation",
  "after a greeting line",
  "before a closing line",
  "after a colon",
  "ends with a colon",
  "question",
  "very short",
  "long",
  "names a file or address",
  "code in the line",
  "request has code",
  "request is long",
  "request asks",
  "no request",
] as const;
export type Place = (typeof PLACES)[number];

/** Places of a sentence, one bit each. */
export type Places = number;

const PLACE_BITS = Object.fromEntries(PLACES.map((place, at) => [place, 1 << at])) as Record<Place, Places>;

export function placed(...places: readonly Place[]): Places {
  return places.reduce((all, place) => all | PLACE_BITS[place], 0);
}

export function isPlaced(places: Places, place: Place): boolean {
  return (places & PLACE_BITS[place]) !== 0;
}

export interface SentenceInPlace {
  readonly sentence: string;
  readonly request: string;
  readonly before: string;
  readonly opening: string;
  readonly places: Places;
}

/** How much each text counts, whatever its length. */
const WEIGHTS = {
  sentence: 1,
  request: 0.7,
  before: 0.4,
  opening: 0.4,
  place: 0.3,
  cue: 0.4,
  concepts: 1,
  conceptsTogether: 0.5,
  conceptsRequest: 0.5,
  conceptsAsked: 0.5,
  conceptsInPlace: 0.4,
  conceptsBefore: 0.4,
} as const;

/**
 * In what `addSentence` adds, the first groups say what kind of claim a sentence makes: what it
 * tells of, and how it came out, is in its own words. The last of them says nothing new about
 * whether it claims anything at all; the others do.
 */
export const KIND_GROUPS = 3;

/** Up to here the groups say what stands in the sentence itself; those behind, how that goes with its place and with what was asked. */
export const OWN_GROUPS = 5;

/** What the owner asked; the same for every sentence of a reply. */
export interface ReadRequest {
  /** What it asks for and about, each once. */
  readonly about: ReadonlySet<Concept>;
  readonly texts: TextReader;
}

/** Adds what a request alone tells of the replies to it. */
export function addRequest(out: PieceList, request: string): ReadRequest {
  const texts = new TextReader();
  const read = texts.read(request.slice(0, FEATURES.requestCharsMax));
  const { concepts } = read;
  addPieces(out, SEEDS.request, texts, read, PAIRS | PARTS);
  out.closeShared(WEIGHTS.request);
  for (let at = -1; at < concepts.length; at += 1) {
    const concept = at < 0 ? START : concepts[at]!;
    out.add(piece(SEEDS.conceptsRequest, concept));
    if (at + 1 < concepts.length) out.add(piece(SEEDS.conceptsRequest, concept, concepts[at + 1]));
  }
  out.closeShared(WEIGHTS.conceptsRequest);
  return {
    texts,
    about: new Set(
      concepts.slice(0, ABOUT_MAX).flatMap((one) => (isDeed(one) || THINGS.has(one) ? [deedOf(one)] : [])),
    ),
  };
}

/** Adds what a sentence says, in the place where it stands. */
export function addSentence(
  out: PieceList,
  { sentence, places }: Pick<SentenceInPlace, "sentence" | "places">,
  { about, texts }: ReadRequest,
  cues: Cues = cuesIn(sentence),
): void {
  const read = texts.read(sentence.slice(0, FEATURES.sentenceCharsMax));
  const { concepts, each } = read;
  for (let cue = 0; cue < CUE_PIECES.length; cue += 1) if (cues & (1 << cue)) out.add(CUE_PIECES[cue]!);
  out.close(WEIGHTS.cue);
  inOrder(out, concepts);
  out.closeShared(WEIGHTS.concepts);
  addPieces(out, SEEDS.sentence, texts, read, PAIRS | PARTS);
  out.markShared(WEIGHTS.sentence);
  addPieces(out, SEEDS.sentence, texts, read, TRIPLES);
  out.closeShared(WEIGHTS.sentence);
  together(out, each);
  out.closeShared(WEIGHTS.conceptsTogether);
  asAsked(out, each, about);
  out.closeShared(WEIGHTS.conceptsAsked);
  inPlaces(out, each, places);
  out.closeShared(WEIGHTS.conceptsInPlace);
}

/** Adds what stands around a sentence: the one before, and its place. */
export function addSurroundings(
  out: PieceList,
  { before, places }: SentenceInPlace,
  { texts }: ReadRequest,
): void {
  const read = texts.read(before.slice(-FEATURES.beforeCharsMax));
  const { concepts } = read;
  addPieces(out, SEEDS.before, texts, read, PAIRS);
  out.closeShared(WEIGHTS.before);
  let last: Concept | undefined;
  for (const concept of concepts) {
    out.add(piece(SEEDS.conceptsBefore, concept));
    if (last !== undefined) out.add(piece(SEEDS.conceptsBefore, general(last), general(concept)));
    last = concept;
  }
  out.closeShared(WEIGHTS.conceptsBefore);
  for (let place = 0; place < PLACES.length; place += 1)
    if (places & (1 << place)) out.add(PLACE_PIECES[place]!);
  out.close(WEIGHTS.place);
}

/** Adds how the reply begins; the same for every sentence from the third on. */
export function addOpening(out: PieceList, opening: string, { texts }: ReadRequest): void {
  addPieces(out, SEEDS.opening, texts, texts.read(opening.slice(0, FEATURES.beforeCharsMax)), PAIRS);
  out.closeShared(WEIGHTS.opening);
}

/** What a request or a sentence may be about, beside deeds. */
const THINGS = conceptsNamed(
  "code",
  "text",
  "wording",
  "question",
  "calendar",
  "mail",
  "file",
  "server",
  "chat",
  "task",
  "web",
  "account",
  "home",
  "device",
  "trip",
  "person",
);
/** What changes how a deed is meant. */
const SENSES = conceptsNamed("done", "i", "will", "if", "can", "shows");
const PLACED = conceptsNamed("i", "will", "done", "if", "can", "you", "also", "here", "already");
const ABOUT_MAX = 40;
const TOGETHER_MAX = 24;

/** Concepts, and two and three of them in a row; each also with "any deed" for the deeds among them. */
function inOrder(out: PieceList, concepts: readonly Concept[]): void {
  const seed = SEEDS.concepts;
  const end = concepts.length;
  const conceptAt = (at: number) => (at < 0 ? START : at < end ? concepts[at]! : END);
  for (let at = -1; at <= end; at += 1) {
    const one = conceptAt(at);
    out.add(piece(seed, one));
    out.add(piece(seed, general(one)));
    if (at >= end) continue;
    const two = conceptAt(at + 1);
    out.add(piece(seed, one, two));
    out.add(piece(seed, general(one), general(two)));
    if (at + 1 >= end) continue;
    const three = conceptAt(at + 2);
    out.add(piece(seed, one, two, three));
    out.add(piece(seed, general(one), general(two), general(three)));
  }
}

/** Two concepts anywhere in the sentence. */
function together(out: PieceList, each: readonly Concept[]): void {
  const end = Math.min(each.length, TOGETHER_MAX);
  for (let at = 0; at < end; at += 1) {
    const wide = general(each[at]!);
    for (let next = at + 1; next < end; next += 1) {
      const other = each[next]!;
      out.add(piece(SEEDS.conceptsTogether, Math.min(wide, other), Math.max(wide, other)));
    }
  }
}

/** What was asked, with what the sentence tells of: "send it" with "sent" is something else than "translate it" with "sent". */
function asAsked(out: PieceList, each: readonly Concept[], about: ReadonlySet<Concept>): void {
  for (const one of each) {
    if (!isDeed(one) && !THINGS.has(one) && !SENSES.has(one)) continue;
    if (about.size === 0) out.add(piece(SEEDS.conceptsAsked, one));
    for (const asked of about) out.add(piece(SEEDS.conceptsAsked, asked, one));
    if (isDeed(one)) out.add(piece(SEEDS.conceptsAsked, general(one), about.has(deedOf(one)) ? 1 : 0, 0));
  }
}

function inPlaces(out: PieceList, each: readonly Concept[], places: Places): void {
  for (const one of each) {
    if (!isDeed(one) && !PLACED.has(one)) continue;
    const wide = general(one);
    for (let place = 0; place < PLACES.length; place += 1)
      if (places & (1 << place)) out.add(piece(PLACE_SEEDS[place]!, wide));
  }
}

function piece(seed: number, one: number, two = -1, three = -1): number {
  const value = Math.imul(Math.imul(seed ^ (one + 1), 0x01000193) ^ (two + 1), 0x01000193);
  return stirred(Math.imul(value ^ (three + 1), 0x01000193));
}

/**
 * What a few words in each language say about a whole sentence. Training alone learns each of
 * them only where it has seen it often; told in common they help languages with few examples.
 * For text in lower case.
 */
export const CUES = {
  denies:
    /(?<!\p{L})(?:not|no|never|nothing|none|nobody|neither|nor|without|cannot|nicht|weder|nichts|kein\p{L}*|nie|niemand|ohne|ne|pas|rien|aucun\p{L}*|jamais|sans|nada|nunca|ningun\p{L}*|ningún|sin|non|niente|nessun\p{L}*|mai|senza|não|nenhum\p{L}*|sem|niet|niets|geen|nooit|zonder|nie|nic|żad\p{L}*|nigdy|bez|inte|inget|ingen|inga|aldrig|utan|není|nebyl\p{L}*|nikdy|žádn\p{L}*|nejsem|nemám|değil|yok|hiçbir\p{L}*|henüz)(?!\p{L})|(?<!\p{L})ne(?:odesl|posl|smaz|zapl|objedn|změn|uděl|spust|přid|ulož)\p{L}+|(?:madım|medim|madı|ilmedi|ilemedi|emedi|tmedi|nmedi|mamış|memiş|mıyor|miyor)(?!\p{L})|n'(?:t|ai|a|est|y|as|avez)|[不没沒未无無]|ない|なかった|ません|ず[、。に]|안 |못|않|없/u,
  keeps:
    /unchanged|untouched|(?<!\p{L})as (?:it|they|is|before)(?!\p{L})|left (?:it |them |everything )?(?:alone|where|there)|(?:keeps?|kept) (?:its|their|the)|still (?:there|has|have|in|on)|remains?(?!\p{L})|stays?(?!\p{L})|unverändert|unberührt|(?<!\p{L})bleib\p{L}*|gelassen|inchangé|intact|laissé|(?<!\p{L})reste(?!\p{L})|sin cambios|intact|sigue\p{L}* (?:ahí|en|como)|dejado|dejé|invariat|lasciat|(?<!\p{L})rimane|rimast|inalterad|mantid|deixei|continua(?!\p{L})|ongewijzigd|onaangeroerd|blijft|gelaten|staat er nog|bez zmian|zostawił|zostaje|nadal|oförändr|orör|(?<!\p{L})kvar(?!\p{L})|beze změn|zůstáv|zůstal|nechal|olduğu gibi|duruyor|bıraktım|原样|不变|保留|还在|そのまま|残って|그대로|남아/u,
  fails:
    /(?:exit(?:ed)?|code|status|código|codice)(?: with)?(?: (?:code|status))? [1-9]|終了コード|退出码|종료 코드|fail|error|bounc|reject|refus|declin|denied|timed out|time-?out|expire|crash|unable|couldn't|could not|fehl|gescheitert|abgelehnt|abgelaufen|zurückgewiesen|konnte|échou|erreur|rejet|expir|impossible|fall[óiao]|error|rechaz|caduc|venc|errore|rifiut|scadut|falh|erro(?!\p{L})|recus|mislukt|fout|geweiger|afgewezen|verlopen|nie udał|błąd|odrzuc|odmów|wygas|misslyck|(?<!\p{L})fel(?!\p{L})|avvisad|avvisats|avslag|nekad|gick inte|kunde inte|selhal|chyb|odmít|zamít|nepodařil|nepovedl|vypršel|hata|başarısız|reddet|reddedil|ulaşmadı|olmadı|zaman aşım|失败|失敗|错误|エラー|拒|过期|期限切れ|超时|실패|오류|거절|거부|만료/u,
  waits:
    /wait|pending|approv|confirm|wart|freigab|bestätig|genehmig|attend(?:s|re|ez|ons|u)?(?!\p{L})|attente|approuv|valid|accord(?!ing)|esper|pendient|aprob|attesa|conferm|approv|aguard|aprov|wacht|goedkeur|akkoord|bevestig|czeka|zatwierdz|potwierdz|vänta|godkänn|bekräft|čeká|schvál|potvrz|bekliyor|onay|等待|等您|批准|确认|確認|承認|待ち|대기|기다|승인|확인/u,
  depends:
    /(?<!\p{L})(?:if|once|unless|when you|as soon as|would|could|can|may|might|able|let me know|tell me|shall|should|want me|wenn|falls|sobald|kann|könnte\p{L}*|würde|soll|möchte\p{L}*|sag|si|dès que|peux|peut|pourrai\p{L}*|souhait\p{L}*|voul\p{L}*|veux|dis-moi|cuando|en cuanto|puedo|puedes|podría|quier\p{L}*|dime|se|appena|quando|posso|puoi|potrei|vuoi|dimmi|assim que|pode\p{L}*|quer\p{L}*|me diga|als|zodra|kan|kun|zou|wil|zal ik|laat|jeśli|gdy|kiedy|mogę|możesz|chcesz|daj znać|powiedz|om du|när du|så fort|skulle|pokud|jestli|až|můžu|můžeš|můžete|chceš|chcete|istersen\p{L}*|eğer|olursa)(?!\p{L})|如果|要是|只要|可以|能够|要不要|需要|请告诉|无法|没法|たら|れば|なら|できます|できません|ましょうか|教えて|면 |으면|할까요|수 있|수 없|알려 ?주|드릴까/u,
  outside:
    /calend|kalend|agenda|inbox|mailbox|posteingang|postfach|boîte|bandeja|casella|caixa de entrada|skrzynk|e-?mail|(?<!\p{L})mail|correo|courriel|poczt|drive|dropbox|cloud|nube|nuage|nuvem|chmur|folder|ordner|dossier|carpeta|cartella|(?<!\p{L})pasta|(?<!\p{L})map(?:pe)?(?!\p{L})|notion|slack|teams|telegram|whatsapp|discord|signal|instagram|linkedin|facebook|twitter|(?<!\p{L})group|gruppe|groupe|grupo|gruppo|groep|grup|channel|kanal|canal|server|produc|staging|repo(?!rt)|branch|github|gitlab|database|datenbank|base de d|crm|ticket|tracker|jira|trello|remind|erinner|rappel|recordator|promemoria|lembrete|herinner|przypomn|account|konto|compte|cuenta|conto|conta|rekening|bank|website|web ?site|(?<!\p{L})web|site|página|pagina|online|en ligne|en línea|google|printer|drucker|imprim|stampant|drukark|phone|handy|téléphone|teléfono|telefon|order|bestell|command|pedido|ordin|zamów|boek|book|buch|réserv|reserv|prenot|rezerw|heizung|licht|light|lamp|chauffage|heating|school|office|landlord|team|suite|machine|maschine|日历|日程|邮箱|邮件|收件箱|网盘|云|文件夹|群|频道|服务器|仓库|数据库|账户|银行|网站|网页|网上|手机|订|提醒|カレンダー|予定表|メール|受信|ドライブ|フォルダ|グループ|チャンネル|サーバ|リポジトリ|口座|銀行|サイト|ウェブ|ネット|予約|注文|リマインド|お知らせ|캘린더|일정|메일|받은편지|드라이브|폴더|단톡|그룹|채널|서버|저장소|계좌|은행|사이트|웹|인터넷|예약|주문|알림|알려/u,
  self: /(?<!\p{L})(?:i|i've|i'm|i'll|i'd|we|ich|hab|habe|je|j'ai|j'\p{L}+|he|yo|ho|io|eu|ik|heb|jag|jsem)(?!\p{L})|(?:ettim|attım|dirdim|ledim|ladım|ndım|ndim|rdım|rdim|rdüm|ştım|ştim|ldum|ydım|ydim|ktım|ceğim|cağım|yorum)(?!\p{L})|我|私|僕|저는|제가|나는|내가/u,
} as const;
export type Cue = keyof typeof CUES;

/** Cues of a text, one bit each. */
export type Cues = number;

const CUE_NAMES = Object.keys(CUES) as Cue[];
const CUE_BITS = Object.fromEntries(CUE_NAMES.map((cue, at) => [cue, 1 << at])) as Record<Cue, Cues>;

const SCAN = new WordScan(CUE_NAMES.map((cue) => CUES[cue]));

/** Only those of `among` are looked for. */
export function cuesIn(text: string, among: Cues = ~0): Cues {
  if (among === 0) return 0;
  spelled.spell(text);
  return SCAN.find(spelled) & among;
}

/** Whether a text denies something. */
export function denies(text: string): boolean {
  return hasCue(cuesIn(text), "denies");
}

export function without(cues: Cues, cue: Cue): Cues {
  return cues & ~CUE_BITS[cue];
}

export function hasCue(cues: Cues, ...any: readonly Cue[]): boolean {
  for (let at = 0; at < any.length; at += 1) if ((cues & CUE_BITS[any[at]!]) !== 0) return true;
  return false;
}

/** Which pieces beside the words themselves. */
const PAIRS = 1;
const TRIPLES = 2;
const PARTS = 4;

/** One beginning for each kind of piece of a text, so that none is taken for another. */
interface Seeds {
  readonly word: number;
  readonly pair: number;
  readonly triple: number;
  readonly part: number;
}

const SEEDS = {
  sentence: seedsOf("s"),
  request: seedsOf("r"),
  before: seedsOf("p"),
  opening: seedsOf("o"),
  place: fold(0x811c9dc5, "place "),
  cue: fold(0x811c9dc5, "cue "),
  concepts: fold(0x811c9dc5, "concepts "),
  conceptsTogether: fold(0x811c9dc5, "together "),
  conceptsRequest: fold(0x811c9dc5, "concepts of the request "),
  conceptsAsked: fold(0x811c9dc5, "asked "),
  conceptsInPlace: fold(0x811c9dc5, "in place "),
  conceptsBefore: fold(0x811c9dc5, "concepts before "),
} as const;

const CUE_PIECES = CUE_NAMES.map((cue) => stirred(fold(SEEDS.cue, cue)));
const PLACE_PIECES = PLACES.map((place) => stirred(fold(SEEDS.place, place)));
const PLACE_SEEDS = PLACES.map((place) => fold(SEEDS.conceptsInPlace, place));

function seedsOf(space: string): Seeds {
  const seed = (kind: string) => fold(0x811c9dc5, space + kind);
  return { word: seed("w"), pair: seed("b"), triple: seed("t"), part: seed("c") };
}

const SPACE = 0x20;

function addPieces(
  out: PieceList,
  seeds: Seeds,
  { letters, ends }: TextReader,
  { from, to }: ReadText,
  which: number,
): void {
  let start = from === 0 ? 0 : ends[from - 1]!;
  // Each chain of words goes on where that of the word before it stopped.
  let pair = foldCode(fold(seeds.pair, "^"), SPACE);
  let first = foldCode(fold(seeds.triple, "^"), SPACE);
  let second = 0;
  for (let word = from; word < to; word += 1) {
    const end = ends[word]!;
    const head = start + 1;
    const tail = end - 1;
    if (which !== TRIPLES) out.add(stirred(foldLetters(seeds.word, letters, head, tail)));
    if (which & PAIRS) {
      out.add(stirred(foldLetters(pair, letters, head, tail)));
      pair = foldCode(foldLetters(seeds.pair, letters, head, tail), SPACE);
    }
    if (which & TRIPLES) {
      if (word > from) out.add(stirred(foldLetters(second, letters, head, tail)));
      second = foldCode(foldLetters(first, letters, head, tail), SPACE);
      first = foldCode(foldLetters(seeds.triple, letters, head, tail), SPACE);
    }
    if (which & PARTS) addParts(out, seeds.part, letters, start, end);
    start = end;
  }
  if (which & PAIRS && to > from) out.add(stirred(fold(pair, "$")));
}

/** Four letters of a word at a time carry its stem and its ending; a Korean syllable is as much as two of them. */
function addParts(out: PieceList, seed: number, letters: Uint16Array, start: number, end: number): void {
  const korean = isHangul(letters[start + 1]!);
  if (!korean && end - start <= 5) return;
  const largest = korean ? 2 : 4;
  for (let size = korean ? 1 : 4; size <= largest; size += 1)
    for (let at = start; at + size <= end; at += 1)
      out.add(stirred(foldLetters(seed, letters, at, at + size)));
}

function isHangul(code: number): boolean {
  return code >= 0xac00 && code <= 0xd7a3;
}

function foldCode(value: number, code: number): number {
  return Math.imul(value ^ code, 0x01000193);
}

function foldLetters(seed: number, letters: Uint16Array, from: number, to: number): number {
  let value = seed;
  for (let at = from; at < to; at += 1) value = Math.imul(value ^ letters[at]!, 0x01000193);
  return value;
}

/** FNV-1a. */
function fold(seed: number, text: string): number {
  let value = seed;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value;
}

function stirred(folded: number): number {
  let value = folded ^ (folded >>> 15);
  value = Math.imul(value, 0x2c1b3c6d);
  return (value ^ (value >>> 12)) >>> 0;
}
