/** What is known of a conversation whose model wants to fetch an address or search the web. */
export interface OutgoingContext {
  /** What the owner typed. */
  readonly typed: readonly string[];
  /** What was read that anybody could read, such as pages and search results. */
  readonly open: readonly string[];
  /** Whether it holds anything else: files, notes, attachments, results of private tools. */
  readonly hasPrivate: boolean;
  /** Takes secrets out. */
  readonly redact: (text: string) => string;
}

/**
 * Whether an address carries nothing of what the model has seen that is the owner's. The name that
 * somebody registered is free: whoever owns it learns nothing but that it was asked for. All else
 * of the address can be written to say something.
 *
 * Where the conversation holds something private, each word in the rest of it must be one that the
 * owner typed or that public pages gave, or one that addresses are made of. Where it holds nothing
 * private, only what looks like a code, an account or a text in disguise is held back.
 */
export function carriesNothingPrivate(address: string, context: OutgoingContext): boolean {
  const url = URL.parse(address);
  if (url === null || url.username !== "" || url.password !== "" || url.href.length > ADDRESS_CHARS_MAX)
    return false;
  const plain = decoded(url.href);
  if (plain === undefined || context.redact(url.href) !== url.href || context.redact(plain) !== plain)
    return false;
  // As it stands on a public page, it is as public as that.
  if (context.open.some((text) => standsIn(text, address) || standsIn(text, url.href))) return true;
  const words = wordsOf(`${subdomains(url.hostname)} ${decoded(url.pathname + url.search) ?? ""}`);
  const typed = new Set(context.typed.flatMap(wordsOf));
  const open = new Set(context.open.flatMap(wordsOf));
  if (!context.hasPrivate) return words.every((word) => open.has(word) || isPlain(word));
  const short = words.filter((word) => word.length < SHORT_CHARS);
  if (short.length > SHORT_WORDS_MAX) return false;
  return words.every(
    (word) =>
      open.has(word) ||
      (typed.has(word) && !isCode(word)) ||
      (word.length < SHORT_CHARS && !/\d/.test(word)) ||
      ADDRESS_WORDS.has(word),
  );
}

/**
 * The same of what is searched for. Where the conversation holds something private, each word must
 * be one that the owner typed or that public pages gave, or the year that it is.
 */
export function searchesForNothingPrivate(
  query: string,
  context: OutgoingContext & { readonly year: number },
): boolean {
  if (query.length > QUERY_CHARS_MAX || context.redact(query) !== query) return false;
  const words = wordsOf(query).filter((word) => word !== String(context.year));
  const typed = new Set(context.typed.flatMap(wordsOf));
  const open = new Set(context.open.flatMap(wordsOf));
  if (!context.hasPrivate) return words.every((word) => open.has(word) || isPlain(word));
  return words.every((word) => open.has(word) || (typed.has(word) && !isCode(word)));
}

const ADDRESS_CHARS_MAX = 1_024;
const QUERY_CHARS_MAX = 400;
const WORD_CHARS_MAX = 24;
/** Words of so few letters say little each, as long as there are few of them. */
const SHORT_CHARS = 3;
const SHORT_WORDS_MAX = 4;

/** Words that addresses are made of, whoever writes them. */
const ADDRESS_WORDS: ReadonlySet<string> = new Set(
  "www web site page pages index main home html htm php aspx json xml rss txt pdf api rest v1 v2 v3 wiki search find query text lang locale format plain markdown news blog post posts article articles story stories topic topics tag tags category docs doc documentation guide guides manual reference help support faq about contact latest current today weather forecast download downloads release releases changelog version stable readme license tree blob raw master issues pull commit commits file files image images video videos user users profile product products item items list lists detail details info news public static assets title name type sort order page offset limit results".split(
    " ",
  ),
);

function isPlain(word: string): boolean {
  return !isCode(word) && word.length <= WORD_CHARS_MAX;
}

/** A number that could be an account, a date of birth or a code; an address to write to. */
function isCode(word: string): boolean {
  return /\d{4}/.test(word) || (/\d/.test(word) && /\p{L}/u.test(word) && word.length > 5);
}

function wordsOf(text: string): string[] {
  return (
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** What stands before the name that somebody registered, as far as that can be told without a list of endings. */
function subdomains(hostname: string): string {
  return hostname.split(".").slice(0, -2).join(" ");
}

function standsIn(text: string, address: string): boolean {
  const at = text.indexOf(address);
  return at >= 0 && !/^[\p{L}\p{N}/?&=#%_-]/u.test(text.slice(at + address.length));
}

/** undefined where it cannot be read. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
