import { GERMAN_FAILURES } from "@elwood/core/base/german-failures";
import { sentencesBy } from "@elwood/core/base/sentences-by";
import type { SpokenSentence } from "@elwood/core/base/sentences";

/** What failures and findings say, fetched behind everything else. */
export const failures: readonly SpokenSentence[] = sentencesBy(GERMAN_FAILURES);
