import { GERMAN_SENTENCES } from "@elwood/core/base/german-sentences";
import type { Sentences } from "@elwood/core/base/sentences";

/** What `core` writes on cards and the gateway says, as the terminal has it too. */
export const gateway: Sentences = GERMAN_SENTENCES;
