import { detectLanguage, isLocale, type Locale } from "../request/language.ts";
import { readRequest, type ReadRequest } from "../request/read-request.ts";
import { citationsIn } from "./citations.ts";
import { cuesIn, denies, hasCue, without } from "./claim-features.ts";
import { ClaimModel, type ReadClaim } from "./claim-model.ts";
import { MATERIAL, PASTED } from "./claim-words.ts";
import { clausesOf } from "./clauses.ts";
import type { ReadSentence, ReplyContext } from "./read-sentence.ts";
import { CLAIMS_MIN, hasCalls, namesSomething } from "./reading.ts";
import { inPlace, type ReadDraft } from "./sentences.ts";
import type { CallsOfSession } from "./session-calls.ts";
import { tokensOf } from "./tool-acts.ts";

export function readReply(
  model: ClaimModel,
  draft: ReadDraft,
  request: string,
  calls: CallsOfSession,
  locale?: Locale,
): ReplyContext {
  const placed = inPlace(draft, request);
  const reader = model.reader(request, hasCalls({ calls }));
  const claims = placed.map((sentence) => reader.read(sentence));
  const whole = draft.sentences.map(({ plain }) => plain).join(" ");
  const language = detectLanguage(whole, locale ?? "en");
  const mayBePortuguese = language === "pt" || language === "es";
  const all = [...calls.earlier, ...calls.run];
  const sentences = draft.sentences.map(({ text, plain, places }, index): ReadSentence => {
    const read = mayBePortuguese ? deniesInPortuguese(claims[index]!, plain, whole, request) : claims[index]!;
    const clauses = read.claims < CLAIMS_MIN ? [] : clausesOf(plain);
    return {
      text,
      plain,
      places,
      read,
      clauses: clauses.map((clause) => ({
        plain: clause,
        read: reader.readClause(placed[index]!, clause, read.cues),
      })),
      cited: citationsIn(text, all).known,
    };
  });
  let asked: ReadRequest | undefined;
  let handsOver: boolean | undefined;
  return {
    sentences,
    calls,
    request,
    language,
    answers: calls.run.filter(({ toolId }) => tokensOf(toolId)[0] === "owner"),
    // Most replies claim nothing, and nobody asks.
    get asked() {
      asked ??= readRequest(request, isLocale(language) ? language : undefined);
      return asked;
    },
    get handsOver() {
      handsOver ??= handsOverWords(request);
      return handsOver;
    },
  };
}

/** There "no" is "in the". A few words do not say which language it is: the request helps. */
function deniesInPortuguese(read: ReadClaim, plain: string, whole: string, request: string): ReadClaim {
  if (!hasCue(read.cues, "denies") || !plain.includes(" no ")) return read;
  if (denies(plain.replace(PORTUGUESE_NO, " "))) return read;
  if (detectLanguage(`${whole} ${request}`) !== "pt") return read;
  return { ...read, cues: without(read.cues, "denies") };
}

const PORTUGUESE_NO = /(?<!\p{L})no(?!\p{L})/giu;

/** What it is about stands in the request itself, and nothing outside does. */
function handsOverWords(request: string): boolean {
  if (PASTED.test(request)) return true;
  return MATERIAL.test(request) && !hasCue(cuesIn(request), "outside") && !namesSomething(request);
}
