/** One argument as people read it: in quotes where it is more than a plain word, so that two never look like one. */
export function showWord(word: string): string {
  return /^[A-Za-z0-9_./:@%+,=-]+$/.test(word) ? word : JSON.stringify(word);
}
