import type { Locale } from "../request/language.ts";
import { againstCalls, againstCited, tellsOfWhatWasTried } from "./against-calls.ts";
import {
  admitsByName,
  admitsCited,
  admitsUnknown,
  admitsWhatFailed,
  deniesWhatNobodyTried,
  isBorneOutByCited,
  isBorneOutByReads,
  isGoneIndeed,
  saysNotFound,
  tellsOfBefore,
  tellsOfPrepared,
  tellsWhatOwnerDid,
} from "./borne-out.ts";
import { hasCue } from "./claim-features.ts";
import { ClaimModel, type Weights } from "./claim-model.ts";
import { judgeDenial } from "./denials.ts";
import { FactReader } from "./facts.ts";
import { MARKED_FROM_LEAST, markedFrom, mayClaim } from "./may-claim.ts";
import { readReply } from "./read-reply.ts";
import type { ReadSentence, ReplyContext } from "./read-sentence.ts";
import { CLAIMS_MIN, hasCalls } from "./reading.ts";
import type { ReadDraft } from "./sentences.ts";
import type { CallsOfSession } from "./session-calls.ts";
import { type PackedTrees, Trees } from "./trees.ts";
import { PLAINLY, type Verdict, verdictOf } from "./verdict.ts";

/** Both stages as training writes them: what a sentence says, and whether the calls bear it out. */
export interface JudgeWeights {
  readonly claims: Weights;
  readonly decision: PackedTrees;
}

/** Reads the sentences of replies, and says which of them the calls of the session do not bear out. */
export class Judge {
  readonly #claims: ClaimModel;
  readonly #decision: Trees;

  constructor({ claims, decision }: JudgeWeights) {
    this.#claims = new ClaimModel(claims);
    this.#decision = new Trees(decision);
  }

  read(draft: ReadDraft, request: string, calls: CallsOfSession, locale?: Locale): ReplyContext {
    return readReply(this.#claims, draft, request, calls, locale);
  }

  /** For each sentence: what is wrong with it; undefined where it claims nothing or is borne out. */
  judge(context: ReplyContext): (Verdict | undefined)[] {
    let reader: FactReader | undefined;
    const called = hasCalls(context);
    const verdictOn = (sentence: ReadSentence, index: number): Verdict | undefined => {
      // Without calls only a claim can be wrong.
      if (!called && sentence.read.claims < CLAIMS_MIN) return undefined;
      if (called) {
        reader ??= new FactReader(context);
        const tried = tellsOfWhatWasTried(sentence, reader.calls);
        if (tried) return tried;
      }
      if (reader && isGoneIndeed(sentence.plain, reader.calls)) return undefined;
      if (reader && saysNotFound(sentence.plain, context.calls)) return undefined;
      if (reader && hasCue(sentence.read.cues, "denies")) {
        const denial = judgeDenial(sentence, context, reader);
        if (denial !== undefined) return denial === "true" ? undefined : denial;
      }
      if (!mayClaim(sentence, context)) return undefined;
      const cited = againstCited(sentence, context);
      if (cited) return cited;
      reader ??= new FactReader(context);
      const plainly = againstCalls(sentence, context, reader);
      if (plainly) return plainly;
      if (
        isBorneOutByCited(sentence, context) ||
        isBorneOutByReads(sentence, context, reader) ||
        admitsCited(sentence) ||
        tellsWhatOwnerDid(sentence) ||
        admitsWhatFailed(sentence, reader.calls) ||
        admitsByName(sentence, reader.calls) ||
        admitsUnknown(sentence, reader) ||
        tellsOfPrepared(sentence, reader.calls) ||
        deniesWhatNobodyTried(sentence, reader.calls)
      )
        return undefined;
      const facts = reader.sheetOf(index);
      const sum = this.#decision.sumOf(facts, reader.shared);
      // Most are not reached at all, and nobody need know from where on such a sentence is marked.
      if (!this.#decision.isAtLeast(MARKED_FROM_LEAST, sum)) return undefined;
      if (!this.#decision.isAtLeast(markedFrom(sentence, context), sum)) return undefined;
      return verdictOf(sentence, facts, reader.calls, () => this.#decision.isAtLeast(PLAINLY, sum));
    };
    return context.sentences.map((sentence, index) => {
      const verdict = verdictOn(sentence, index);
      return verdict && tellsOfBefore(sentence, verdict, context) ? undefined : verdict;
    });
  }
}
