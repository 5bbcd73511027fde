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
