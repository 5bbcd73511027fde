import { settings } from "./settings.ts";

/** All words of the page in German. An area, or a word of one, that is missing does not compile. */
export const GERMAN = { settings };
export type German = typeof GERMAN;
