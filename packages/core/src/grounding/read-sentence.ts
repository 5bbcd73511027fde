import type { Language } from "../request/language.ts";
import type { ReadRequest } from "../request/read-request.ts";
import type { ActivityItem } from "../tool/activity.ts";
import type { Places } from "./claim-features.ts";
import { type Act, ACTS, type ReadClaim } from "./claim-model.ts";
import type { CallsOfSession } from "./session-calls.ts";

/** One sentence as it was read. */
export interface ReadSentence {
  /** As written. */
  readonly text: string;
  readonly plain: string;
  readonly places: Places;
  readonly read: ReadClaim;
  /** Its clauses, each read for itself, where it has several. */
  readonly clauses: readonly { readonly plain: string; readonly read: ReadClaim }[];
  /** Calls that the sentence cites. */
  readonly cited: readonly ActivityItem[];
}

/** What one sentence needs to know of the whole. */
export interface ReplyContext {
  readonly sentences: readonly ReadSentence[];
  readonly calls: CallsOfSession;
  readonly request: string;
  readonly asked: ReadRequest;
  /** Calls of the run by which the owner was asked something. */
  readonly answers: readonly ActivityItem[];
  /** The request brings what it is about along, as words. */
  readonly handsOver: boolean;
  readonly language: Language;
}

/** Kinds of action that change something. */
export const CHANGES: readonly Act[] = ACTS.filter(
  (act) => act !== "look" && act !== "approve" && act !== "done",
);
