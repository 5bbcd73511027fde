/** As many answers as one of these keeps. */
const KEPT_MAX = 500;
/** Nobody's name is longer; what is has been made up, and is not kept. */
const CHARS_MAX = 200;

/**
 * The same function, whose answers are kept: for one that works out the same few things again and again, such as words
 * of a tool's name. It must answer by its text alone, with something that nobody changes.
 */
export function remembered<V>(work: (text: string) => V): (text: string) => V {
  const kept = new Map<string, V>();
  return (text) => {
    const known = kept.get(text);
    if (known !== undefined) return known;
    const fresh = work(text);
    if (text.length > CHARS_MAX) return fresh;
    if (kept.size >= KEPT_MAX) kept.clear();
    kept.set(text, fresh);
    return fresh;
  };
}
