/** Every bound of the file tools, by name. Reaching one is said in words, never a hang. */
export interface FileLimits {
  readonly pathCharsMax: number;
  /** What file systems take as one name. */
  readonly nameBytesMax: number;
  readonly pathDepthMax: number;
  /** A text file that is read, edited or replaced as a whole. */
  readonly fileBytesMax: number;
  /** Text of one answer to the model. */
  readonly answerCharsMax: number;
  readonly readLinesDefault: number;
  readonly imageBytesMax: number;
  /** A file that goes out with a reply; the gateway stores no larger one. */
  readonly attachedBytesMax: number;
  /** A document (PDF, Word, a book, …) is read whole or not at all. */
  readonly documentBytesMax: number;
  readonly listEntriesMax: number;
  /** Entries looked at for one recursive delete or move. */
  readonly visitedEntriesMax: number;
  /** The same for listing and searching, which only read names. */
  readonly lookedEntriesMax: number;
  readonly searchMatchesMax: number;
  readonly searchFileBytesMax: number;
  readonly searchBytesMax: number;
  readonly searchMs: number;
  readonly searchPatternCharsMax: number;
  readonly searchLineCharsMax: number;
  /** Above this a preview shows the places that change, or a hash in place of the content. */
  readonly previewCharsMax: number;
  /** Of a file that is to go: its name, its size and how it begins are enough to decide by. */
  readonly deletedCharsMax: number;
  readonly previewNamesMax: number;
  readonly previewPlacesMax: number;
  /** Content kept for taking calls back; the oldest goes first. */
  readonly undoBytesMax: number;
  readonly undoItemsMax: number;
  readonly undoItemBytesMax: number;
  /** Room of its own for content of calls that run unasked because they can be taken back; nothing drives it out before its time. */
  readonly undoPromisedBytesMax: number;
  readonly undoPromisedItemsMax: number;
  /** After this long a call can no longer be taken back, and nothing is kept of it. */
  readonly undoKeptMs: number;
  /** Notes on calls under way, for settling them after a crash; the oldest goes first. */
  readonly intentsMax: number;
  /** Calls of one path that wait for each other. */
  readonly waitersPerPathMax: number;
}

const MB = 1024 * 1024;

export const FILE_LIMITS: FileLimits = {
  pathCharsMax: 4_096,
  nameBytesMax: 255,
  pathDepthMax: 64,
  fileBytesMax: 8 * MB,
  answerCharsMax: 100_000,
  readLinesDefault: 2_000,
  imageBytesMax: 5 * MB,
  attachedBytesMax: 20 * MB,
  documentBytesMax: 32 * MB,
  listEntriesMax: 1_000,
  visitedEntriesMax: 50_000,
  lookedEntriesMax: 1_000_000,
  searchMatchesMax: 200,
  searchFileBytesMax: 4 * MB,
  searchBytesMax: 256 * MB,
  searchMs: 20_000,
  searchPatternCharsMax: 500,
  searchLineCharsMax: 300,
  previewCharsMax: 40_000,
  deletedCharsMax: 2_000,
  previewNamesMax: 20,
  previewPlacesMax: 20,
  undoBytesMax: 256 * MB,
  undoItemsMax: 5_000,
  undoItemBytesMax: 32 * MB,
  undoPromisedBytesMax: 256 * MB,
  undoPromisedItemsMax: 5_000,
  undoKeptMs: 30 * 24 * 60 * 60_000,
  intentsMax: 2_000,
  waitersPerPathMax: 100,
};
