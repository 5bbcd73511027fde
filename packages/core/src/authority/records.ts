import type { OutputTrust } from "../tool/tool.ts";
import type { OwnerWords } from "./owner-words.ts";

/** What a call of this conversation answered. */
export interface SeenResult {
  readonly callId: string;
  readonly toolId: string;
  readonly target?: string;
  readonly trust: OutputTrust;
  readonly sensitive: boolean;
  /** The kind of things that the tool's results are, such as `event`. */
  readonly lists?: string;
  readonly value: unknown;
}

interface SeenRecord {
  readonly id: string;
  readonly labels: readonly string[];
}

const ID_KEY = /^(?:id_?|uuid|key|\w+_id)$/iu;
const LABEL_KEY = /^(?:title|name|subject|filename|file_name|label|summary|display_?name|path)$/iu;
const LABEL_CHARS_MAX = 200;
const RECORDS_MAX = 5_000;

/**
 * Whether the owner meant a thing by its name, where the call has its id: a thing of that
 * kind with that id was listed, the owner said what it is called, and no other thing of
 * the kind is called so. Without the kind, event 13 would vouch for file 13. Whoever names a thing may
 * name it after what people write anyway, so words of every request name nothing.
 */
export function isNamed(id: string, kind: string, seen: readonly SeenResult[], words: OwnerWords): boolean {
  const records = recordsOf(kind, seen);
  const own = records.filter((record) => record.id === id);
  const others = records.filter((record) => record.id !== id).flatMap(({ labels }) => labels);
  const labels = new Set(own.flatMap((record) => record.labels));
  return [...labels].some((label) => {
    const said = [label, ...tailsOf(kind).map((tail) => `${label}${tail}`)].find((name) => words.label(name));
    return (
      said !== undefined &&
      isName(label, kind, words) &&
      !others.some(
        (theirs) =>
          same(theirs, label) || same(theirs, said) || (isPartOf(label, theirs) && words.label(theirs)),
      )
    );
  });
}

/** What the thing with this id is called, as far as it was listed. */
export function namesOf(id: string, kind: string, seen: readonly SeenResult[]): readonly string[] {
  return recordsOf(kind, seen)
    .filter((record) => record.id === id)
    .flatMap(({ labels }) => labels);
}

function recordsOf(kind: string, seen: readonly SeenResult[]): SeenRecord[] {
  return seen
    .filter(({ lists }) => lists !== undefined && isOfKind(lists, kind))
    .flatMap(({ value }) => topRecords(value, kind));
}

/** Words that are joined to a name and only say of what kind the thing is: "Zahnarzttermin". */
const TAILS: Readonly<Record<string, readonly string[]>> = {
  event: ["termin", "treffen", "besuch", "afspraak"],
};

function tailsOf(kind: string): readonly string[] {
  return Object.entries(TAILS).find(([of]) => isOfKind(kind, of))?.[1] ?? [];
}

/** Where nothing but words of every request are in it, only quotation marks make a name of it. */
function isName(label: string, kind: string, words: OwnerWords): boolean {
  const kinds = kind.split("_").flatMap((part) => [part, `${part}s`, `${part}es`]);
  const tokens = tokensOf(label);
  if (tokens.some((token) => token.length > 1 && !GENERIC.has(token) && !kinds.includes(token))) return true;
  const text = label.trim();
  return ['""', "“”", "„“", "''", "‘’", "«»", "「」"].some(([open, close]) =>
    words.phrase(`${open}${text}${close}`),
  );
}

/** The owner who said "the dentist appointment" did not mean what somebody called "dentist". */
function isPartOf(label: string, longer: string): boolean {
  const [part, whole] = [tokensOf(label), tokensOf(longer)].map((tokens) => ` ${tokens.join(" ")} `);
  return part !== whole && whole!.includes(part!);
}

function tokensOf(text: string): string[] {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((token) => token !== "");
}

/** Words that stand in requests of every kind: who names a thing so wants to be meant by chance. */
const GENERIC: ReadonlySet<string> = new Set(
  (
    "a an the this that these those my mine our your his her its their me i you we he she it they them us all any each every everything some both one ones " +
    "and or but if then so as of to in on at by for from with without into out up off over about before after between until is are was were be been am do does did done have has had will would can could shall should may might must " +
    "please thanks thank hello hi hey ok okay yes no not never now today tomorrow yesterday tonight week month year day days time times morning evening afternoon noon monday tuesday wednesday thursday friday saturday sunday next last first latest new old recent other same " +
    "list show tell give get find look see read open check search what which who when where how why many much more most delete remove cancel erase clear move change edit update rename add create make write send share invite forward reply answer pay transfer book order buy set turn lock unlock close start stop run save note remember remind call mail email message file files folder document documents event events meeting meetings appointment appointments calendar contact contacts task tasks item items thing things entry entries record records transaction transactions payment account " +
    "der die das den dem des ein eine einen einem einer mein meine meinen meinem meiner dein deine unser unsere ihr ihre alle alles jede jeden und oder aber wenn dann von zu zum zur in im am an auf bei für aus mit ohne über vor nach bis ist sind war sein habe hat wird kann soll bitte danke hallo ja nein nicht nie jetzt heute morgen gestern woche monat jahr tag nächste nächsten letzte letzten neue neuen alte zeige zeig liste lies öffne suche lösche lösch entferne storniere verschiebe ändere erstelle schreibe schreib sende schick schicke teile lade zahle überweise termin termine nachricht nachrichten datei dateien notiz aufgabe aufgaben was welche wann wo wie wer mir mich ich wir uns sie es er " +
    "el la los las lo un una unos unas mi mis tu tus su sus nuestro nuestra todo todos toda todas cada y o pero si de del en al a con sin por para sobre antes después hasta es son está estoy ser haz hacer favor gracias hola sí no nunca ahora hoy mañana ayer semana mes año día próximo próxima último última nuevo nueva viejo lista muestra enseña dime lee abre busca borra elimina cancela mueve cambia crea escribe envía manda comparte invita paga transfiere evento eventos cita citas reunión archivo archivos mensaje mensajes correo nota tarea tareas qué cuál cuándo dónde cómo quién me nos te se " +
    "le les l un une des mon ma mes ton ta tes son sa ses notre nos votre vos tout tous toute toutes chaque et ou mais si de du d en au aux à avec sans par pour sur avant après jusque est sont être fais faire plaît plait merci bonjour salut oui non ne pas jamais maintenant aujourd hui demain hier semaine mois an année jour prochain prochaine dernier dernière nouveau nouvelle montre affiche dis lis ouvre cherche supprime efface annule déplace change crée écris envoie partage invite paie paye vire événement événements rendez réunion fichier fichiers message messages courriel note tâche tâches que quel quelle quand où comment qui je tu il elle nous vous ils moi toi " +
    "il gli i mio mia miei tuo tua suo nostro tutto tutti ogni e ma se di da del della nel con senza per su prima dopo fino è sono prego favore grazie ciao sì mai ora oggi domani ieri settimana mese anno giorno prossimo ultimo nuovo mostra leggi apri cerca cancella elimina sposta cambia crea scrivi invia manda condividi invita paga evento eventi appuntamento riunione messaggio messaggi nota attività che quale quando dove come chi mi ci " +
    "o os as um uma meu minha seu sua nosso tudo todos cada e ou mas se do da no na com sem por para sobre antes depois até é são por favor obrigado obrigada olá sim não nunca agora hoje amanhã ontem semana mês ano dia próximo último novo nova lista mostra leia abre abra procura apaga cancela move muda cria escreve envia partilha convida paga compromisso reunião arquivo ficheiro mensagem nota tarefa que qual quando onde como quem"
  ).split(" "),
);

/** `calendar_event` is an `event`; a `most_recent_transaction` is no `scheduled_transaction`. */
function isOfKind(lists: string, kind: string): boolean {
  return lists === kind || lists.endsWith(`_${kind}`);
}

/**
 * The records that a result is about: in its list, or itself one. What lies inside of a record is something else that
 * it mentions, and what lies beside the list is not in it.
 */
function topRecords(value: unknown, kind: string, depth = 0): SeenRecord[] {
  if (typeof value !== "object" || value === null || depth > WRAPPERS_MAX) return [];
  if (Array.isArray(value)) return value.slice(0, RECORDS_MAX).flatMap((item) => recordOf(item) ?? []);
  const record = recordOf(value);
  if (record) return [record];
  const holders = Object.entries(value).filter(([, member]) => typeof member === "object" && member !== null);
  const named = holders.filter(([key]) => isNameOfKind(key, kind));
  const [only, ...more] = named.length > 0 ? named : holders;
  return only !== undefined && more.length === 0 ? topRecords(only[1], kind, depth + 1) : [];
}

const WRAPPERS_MAX = 3;

/** `events` holds events, and `calendar_events` too. */
function isNameOfKind(key: string, kind: string): boolean {
  const name = key.replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, "_").toLowerCase();
  return [kind, `${kind}s`, `${kind}es`, kind.replace(/y$/u, "ies")].some(
    (each) => name === each || name.endsWith(`_${each}`),
  );
}

function recordOf(value: unknown): SeenRecord | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const entries = Object.entries(value);
  const id = entries.find(([key, member]) => ID_KEY.test(key) && isPlain(member));
  if (id === undefined) return undefined;
  const labels = entries.flatMap(([key, member]) =>
    LABEL_KEY.test(key) && typeof member === "string" && member.length <= LABEL_CHARS_MAX ? [member] : [],
  );
  return { id: String(id[1]), labels };
}

function isPlain(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number";
}

function same(a: string, b: string): boolean {
  return a.trim().toLowerCase() === b.trim().toLowerCase();
}
