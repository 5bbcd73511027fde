/**
 * The text of a stored document that models cannot take as it is: Word, Excel, a book and such. Where it cannot be
 * read, a sentence in brackets that says why. Undefined where it is no longer stored.
 */
export type AttachmentText = (
  document: { readonly tenant: string; readonly blobId: string; readonly name: string },
  signal: AbortSignal,
) => Promise<string | undefined>;
