/**
 * What the gateway says, in another language. It says it in English, once, for receipts, logs and models;
 * who shows it to a person looks it up in a table, so that it follows the language of the page or the
 * terminal and costs the gateway nothing. A failure that no table has is told by its reason, with the
 * English behind it.
 */

/** A sentence, and how another language says it: `$1` is what the first place of it holds, `@1` the same, said in that language too. */
export type SpokenSentence = readonly [sentence: RegExp, words: string];

export interface Sentences {
  readonly sentences: readonly SpokenSentence[];
  /** Of failures and findings; looked through only for what is a whole sentence. On the page they come a little later. */
  readonly failures?: readonly SpokenSentence[];
  /** What may stand in a place of a sentence, and nowhere else. */
  readonly pieces?: readonly SpokenSentence[];
  readonly reasons: Readonly<Record<string, string>>;
}

/** In one sentence, or in each of several; part by part where they stand between “ · ”. Whatever is not known stays as it came. */
export function sentencesIn(table: Omit<Sentences, "reasons">, text: string): string {
  if (table.sentences.length === 0) return text;
  return text
    .split(" · ")
    .map((part) => {
      const sign = SIGN.exec(part)?.[0] ?? "";
      return sign + translated(table, part.slice(sign.length)).text;
    })
    .join(" · ");
}

/** What stands before an outcome, such as ✓. */
const SIGN = /^[✓✗⊘⌛⏸⁇▸■↩↯] /u;

/** A failure: in full where all of it is known, else by its reason, with what was said behind it. */
export function failureIn(table: Sentences, reason: string, message: string): string {
  if (table.sentences.length === 0) return message;
  const { text, whole } = translated(table, message);
  const short = table.reasons[reason];
  return whole || short === undefined ? text : `${short} (${message})`;
}

/** Where a sentence ends and the next one begins. */
const BOUNDARY = /(?<=[.!?]) (?=["“\p{Lu}])/u;

/** Whole sentences, and what is to be typed behind a colon. */
const SENTENCE = /[.!?…:"“”')]$|: /;

interface Translated {
  readonly text: string;
  /** Whether nothing of it stayed as it came. */
  readonly whole: boolean;
}

/** A list may stand below a sentence, line by line. */
function translated(table: Omit<Sentences, "reasons">, text: string): Translated {
  const [first = "", ...below] = text.split("\n");
  const told = inLine(table, first);
  if (below.length === 0) return told;
  return { ...told, text: [told.text, ...below.map((line) => inLine(table, line).text)].join("\n") };
}

function inLine(
  { sentences, failures = [], pieces = [] }: Omit<Sentences, "reasons">,
  text: string,
): Translated {
  const known = (part: string, fits: (sentence: RegExp) => boolean = () => true) => {
    const isOne = ([sentence]: SpokenSentence) => sentence.test(part) && fits(sentence);
    return (SENTENCE.test(part) ? failures.find(isOne) : undefined) ?? sentences.find(isOne);
  };
  const say = (part: string, [sentence, words]: SpokenSentence) => {
    const values = sentence.exec(part) ?? [];
    return words.replaceAll(/([$@])(\d|\$)/g, (_, sign: string, place: string) => {
      const value = place === "$" ? "$" : (values[Number(place)] ?? "");
      if (sign === "@") return inLine({ sentences: pieces, pieces }, value).text;
      // A reason is a sentence of its own; a name is none.
      return value.includes(" ") && value.endsWith(".")
        ? inLine({ sentences, failures, pieces }, value).text
        : value;
    });
  };
  const parts = text.split(BOUNDARY);
  // A name may hold whatever looks like the end of a sentence; a place in a sentence holds no other sentence.
  const one = known(text, ({ source }) => parts.length === 1 || !source.endsWith(String.raw`\.$`));
  if (one && (parts.length === 1 || !failures.includes(one))) return { text: say(text, one), whole: true };
  if (parts.length === 1) return { text, whole: false };
  const told = parts.map((part) => ({ part, how: known(part) }));
  return {
    text: told.map(({ part, how }) => (how ? say(part, how) : part)).join(" "),
    whole: told.every(({ how }) => how !== undefined),
  };
}
