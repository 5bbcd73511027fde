/** What kind of thing a question wants, as far as its first words tell. */
export interface AnswerShape {
  readonly time: boolean;
  readonly number: boolean;
  readonly place: boolean;
}

export function answerShape(question: string): AnswerShape {
  return { time: WHEN.test(question), number: HOW_MANY.test(question), place: WHERE.test(question) };
}

export function hasTimeWords(text: string): boolean {
  return TIME_WORDS.test(text);
}

export function hasNumber(text: string): boolean {
  return NUMBER.test(text);
}

/** A preposition before a name. */
export function hasPlace(text: string): boolean {
  return PLACE.test(text);
}

/** Ends by asking; what stands in brackets after it, such as the words for a picture, does not count. */
export function isQuestion(text: string): boolean {
  return ASKS.test(text.slice(-TAIL_CHARS));
}

/** Opens by taking up what another said, and so is seldom where something is told first. */
export function isReaction(text: string): boolean {
  return REACTION.test(text);
}

/** Speaks of the one it is said to, and not of the speaker. */
export function isAboutListener(text: string): boolean {
  return LISTENER.test(text) && !SPEAKER.test(text);
}

/** Names of people, places and works, as far as capital letters tell, three at most. */
export function namesHeld(text: string): number {
  return Math.min(NAMES_MAX, text.match(NAME)?.length ?? 0);
}

const NAMES_MAX = 3;
const TAIL_CHARS = 200;

const WHEN =
  /\bwhen\b|\b(?:which|what) (?:day|date|week|month|year|time)\b|\bhow long ago\b|\bwann\b|\b(?:welche[nrms]?|an welchem) (?:tag|datum|woche|monat|jahr)\b/iu;
const HOW_MANY =
  /\bhow (?:many|much|long|often|old|far|big|tall)\b|\bwie ?(?:viele?|lange|oft|alt|weit|groß|teuer)\b/iu;
const WHERE =
  /^\W*where\b|\b(?:which|what) (?:city|country|state|place|town|village|street)\b|\b(?:wo|wohin|woher)\b|\bwelche[nrms]? (?:stadt|land|ort|straße)\b/iu;

const TIME_WORDS =
  /\b(?:yesterday|today|tonight|tomorrow|ago|last|next|this|since|recently|just|soon|weekend|weeks?|months?|years?|days?|morning|evening|night|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|in may|june|july|august|september|october|november|december|summer|winter|spring|autumn|gestern|heute|morgen|vorgestern|letzte[nrsm]?|nächste[nrsm]?|seit|vor|woche[n]?|monate?|jahre?n?|tage?n?|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|januar|februar|märz|mai|juni|juli|oktober|dezember|sommer|herbst|frühling)\b|\d{4}|\d{1,2}\.\d{1,2}\./iu;
const NUMBER =
  /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|once|twice|couple|few|dozen|hundred|thousand|ein(?:mal)?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|zweimal|hundert|tausend)\b/iu;
const PLACE = /\b(?:in|at|to|from|near|around|nach|aus|bei) (?:the |der |die |den )?\p{Lu}/u;
const ASKS = /[?？؟]["'”’)\s]*(?:\[[^\]]*\]\s*)?$/u;
const REACTION =
  /^\W*(?:wow|that.?s|sounds|congrat\w*|great|awesome|nice|cool|glad|good luck|absolutely|definitely|totally|you.?re welcome|no problem|klingt|super|toll|schön|freut mich|glückwunsch|gern geschehen|viel glück)(?!\p{L})/iu;
const LISTENER = /\b(?:you|your|du|dein\w*|dir|dich)\b/iu;
const SPEAKER = /\b(?:i|my|me|we|our|us|ich|mein\w*|mir|mich|wir|uns\w*)\b/iu;
/** Not at the start of a sentence, where any word has one. */
const NAME = /(?<!^)(?<![.!?] )\b\p{Lu}\p{Ll}+/gu;
