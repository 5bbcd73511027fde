/** Bounds of reading pages and of searching. */
export const WEB_TOOL_LIMITS = {
  /** Of a page or text; the rest is not read. */
  pageBytesMax: 3 * 1024 * 1024,
  /** A PDF is read whole or not at all. */
  pdfBytesMax: 10 * 1024 * 1024,
  charsDefault: 20_000,
  charsMax: 200_000,
  /** Text that a page gives, before `offset` and `maxChars` cut from it. */
  textCharsMax: 2_000_000,
  /** Reading happens in a thread of its own, which is ended at this age or size. */
  readMs: 8_000,
  readMemoryMb: 384,
  /** A thread that has nothing to read leaves. */
  readerIdleMs: 60_000,
  linksMax: 20_000,
  /** Pages of more parts are read whole, without looking for the article in them. */
  elementsMax: 15_000,
  fieldCharsMax: 300,
  queryCharsMax: 400,
  resultsDefault: 8,
  resultsMax: 20,
  snippetCharsMax: 500,
  searchBytesMax: 2 * 1024 * 1024,
} as const;

export type WebToolLimits = { readonly [Name in keyof typeof WEB_TOOL_LIMITS]: number };
