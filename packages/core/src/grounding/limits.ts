/** How much of a reply is looked at, and how much is said. Reaching one is safe: the gateway's own lines never depend on it. */
export const GROUNDING_LIMITS = {
  /** Beyond this a reply is only escaped, not read; the verdict says so. */
  readCharsMax: 100_000,
  sentencesMax: 4_000,
  /** A longer sentence is read in pieces of this size. */
  sentenceCharsMax: 600,
  marksMax: 20,
  citesPerSentenceMax: 16,
  ownerCharsMax: 4_000,
  targetCharsMax: 80,
  targetsPerSentenceMax: 5,
  /** Of more than that, so many are named and the rest is a number. */
  targetsOfManyMax: 3,
  quotedSentenceCharsMax: 200,
} as const;
