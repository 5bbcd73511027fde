/** Limits of everything that Elwood's tools fetch; sizes count what comes out of a decompressor. */
export const WEB_LIMITS = {
  resolveMs: 5_000,
  /** One address of several; the last one has what is left of `connectMs`. */
  connectTryMs: 3_000,
  connectMs: 10_000,
  addressesTriedMax: 4,
  /** More answers to one name than this are no honest site. */
  addressesMax: 64,
  urlCharsMax: 8_192,
  redirectsMax: 5,
  headBytesMax: 32 * 1024,
  headersMax: 200,
  /** From the connection to the head of the answer. */
  headMs: 20_000,
  /** The whole of a request, all redirects and the body included. */
  totalMs: 60_000,
  bodyBytesMax: 10 * 1024 * 1024,
  /** Silence in the middle of a body. */
  idleMs: 10_000,
  /** After this long a body must have come at `slowBytesPerSecond` or more. */
  slowAfterMs: 15_000,
  slowBytesPerSecond: 256,
  /** What a tool sends. */
  requestBodyBytesMax: 10 * 1024 * 1024,
  encodingsMax: 2,
} as const;

export type WebLimits = { readonly [Name in keyof typeof WEB_LIMITS]: number };
