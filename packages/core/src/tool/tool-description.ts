/** Signs that a description says more than what its own tool does. None of them decides anything: they are shown. */
const BEYOND: readonly RegExp[] = [
  /\b(?:any|all|other|every|each|another)\s+(?:other\s+)?tools?\b/i,
  /\b(?:before|after|instead of|prior to|when)\s+(?:using|calling|invoking|running)\s+(?!this\b|it\b)/i,
  // Another tool by its id, as people or as models write it.
  /\b[a-z][a-z0-9-]*\.[a-z0-9_-]+\.[a-z0-9_-]+\b(?!\/)|\b[a-z][a-z0-9-]*__[a-z0-9_-]+__[a-z0-9_-]+\b/,
  // The owner's own places.
  /(?:~\/|\$HOME\b|(?<![\w.])\/(?:etc|home|root|Users)\/|(?<!\w)\.(?:ssh|aws|env|gnupg|netrc)\b|\bid_(?:rsa|ed25519)\b)/,
  /\b(?:ignore|disregard|forget)\s+(?:all|any|the|your|previous|earlier)\b/i,
  /\b(?:do not|don't|never|without)\s+(?:tell|mention|inform|ask|show|reveal)(?:ing)?\b/i,
  /\bsystem prompt\b|<\/?(?:important|system|instructions?)>/i,
];
const SENTENCE_CHARS_MAX = 120;

/** The first sentence in which a tool's description speaks of other tools, of the owner's files, or to the model about its owner. */
export function beyondItself(description: string): string | undefined {
  const sentences = description.split(/(?<=[.!?;])\s+|\n+/u);
  const found = sentences.find((sentence) => BEYOND.some((sign) => sign.test(sentence)))?.trim();
  if (found === undefined) return undefined;
  return found.length <= SENTENCE_CHARS_MAX ? found : `${found.slice(0, SENTENCE_CHARS_MAX)}…`;
}
