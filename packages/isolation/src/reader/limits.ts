/** Bounds on reading one document; reaching one is said in words. */
export interface DocumentLimits {
  /** A document that takes longer is given up, and its process ended. */
  readonly readMs: number;
  /** What the process may take, in all. */
  readonly memoryMb: number;
  /** A process with nothing to read leaves. */
  readonly idleMs: number;
  readonly startMs: number;
  /** How often the process is looked at while it reads. */
  readonly lookMs: number;
  readonly bytesMax: number;
  readonly textCharsMax: number;
  readonly pdfPagesMax: number;
  /** What the parts of a packed document may come to. */
  readonly unpackedBytesMax: number;
  /** Documents that wait for their turn. */
  readonly waitingMax: number;
}

const MB = 1024 * 1024;

export const DOCUMENT_LIMITS: DocumentLimits = {
  readMs: 20_000,
  memoryMb: 768,
  idleMs: 60_000,
  startMs: 30_000,
  lookMs: 100,
  bytesMax: 32 * MB,
  textCharsMax: 2_000_000,
  pdfPagesMax: 500,
  unpackedBytesMax: 128 * MB,
  waitingMax: 50,
};
