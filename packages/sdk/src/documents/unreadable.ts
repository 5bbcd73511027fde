/** Why a document gives no text, as whoever asked for it is told. */
export const UNREADABLE = [
  "encrypted",
  "rights",
  "no-text",
  "bomb",
  "entities",
  "old-format",
  "unsupported",
  "damaged",
] as const;

/** Thrown by readers, within the process that reads. */
export class Unreadable extends Error {
  override readonly name = "Unreadable";
  readonly why: (typeof UNREADABLE)[number];

  constructor(why: (typeof UNREADABLE)[number], message: string) {
    super(message);
    this.why = why;
  }
}
