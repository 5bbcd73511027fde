import type { VerbClass } from "./verb-class.ts";

/**
 * What one language's requests look like. Every field but `verbs` is the source of a regular
 * expression over lower-cased text. A verb list is written as words with spaces between them, where
 * `_` is a space inside a phrase and `~` stands for the language's `endings`.
 */
export interface RequestWords {
  /** Forms in which a wish names its verb: imperatives and infinitives, never past forms. */
  readonly verbs: Readonly<Record<VerbClass, string>>;
  readonly endings?: string;
  /** Particles that may stand before an infinitive at the end of a clause: "weiter-leiten". */
  readonly prefixes?: string;
  /** Where the verb stands: at the start of a clause; there or at its end; anywhere, where of several the earliest or the latest counts. */
  readonly position: "first" | "ends" | "early" | "late";
  /** Only a clause with this in it is a wish, where the verb alone does not show it. */
  readonly wish?: string;
  /** Openings before the verb: "please", "could you". */
  readonly lead: string;
  /** The word that looks like the verb is a noun here: "email address". */
  readonly noun?: string;
  /** The clause tells something and wishes for nothing: "I sent it". */
  readonly said: string;
  /** Work on words alone: explain, translate, suggest. The same list form as `verbs`. */
  readonly tell: string;
  /** Role play and rewording, wherever it stands. */
  readonly fiction: string;
  /** Parts and kinds of text: a paragraph, a poem, a table. */
  readonly text: string;
  /** Things outside the talk: "my calendar", "the inbox". */
  readonly place: string;
  /** Asks what the assistant did or how something stands. */
  readonly ofYou: string;
  readonly status: string;
  /** The whole message agrees. */
  readonly consent: string;
  /** The whole message refuses. */
  readonly refusal: string;
  /** Before the verb where that comes first, anywhere in the clause elsewhere. */
  readonly not: string;
  /** Openings of a question about a thing. */
  readonly asks: string;
  /** Openings that ask for an explanation and never for a look. */
  readonly how: string;
  /** Between two wishes of one sentence. */
  readonly and: string;
}
