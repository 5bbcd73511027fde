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

/** Asks for something that is known, with or without a question mark. */
export function wantsToKnow(text: string): boolean {
  return isQuestion(text) || ASKING.test(text) || wantsIdeas(text);
}

/** Only wishes for ideas: what somebody needs them for may stand in a sentence beside it. */
export function isWish(text: string): boolean {
  return wantsIdeas(text) && !FURTHER_SENTENCE.test(text);
}

/** "I need ideas for Clara's birthday", "suggest a present"; "I had an idea" and "he gave me some advice" are no wishes. */
function wantsIdeas(text: string): boolean {
  return WISHES.some((wish) => wish.test(text)) || (WITH_IDEAS.test(text) && beginsAsOrder(text));
}

/**
 * Tells the assistant to do something and says nothing of whoever says it. "Book a table for my
 * birthday" and "Remember that the safe is blue" are none: there is something in them to know later.
 * "Look up what I told you of Anna" is one: that they told something is nothing to know. So is "Check whether I paid
 * Anna", which leaves open whether they did. "Write down what I told you" is none, since what they told may follow.
 */
export function isOrder(text: string): boolean {
  if (text.length > ORDER_CHARS_MAX || !(ORDER.test(text) || POLITE_ORDER.test(text))) return false;
  if (!OF_THE_OWNER.test(text)) return true;
  return !OF_THE_OWNER.test(text.replace(LOOKS_FOR_WORDS, " ").replace(LOOKS_WHETHER, " "));
}

/** Tells the assistant to do something, whatever else it says. */
export function beginsAsOrder(text: string): boolean {
  const wish = text.replace(PLACE_BEFORE, "");
  return ORDER.test(wish) || OTHER_ORDER.test(wish) || POLITE_ORDER.test(wish);
}

/**
 * Says only that nothing is known, and asks or offers something at most: "I don't know where Anna left the kettle",
 * "I looked in your notes and found nothing. Shall I note it?".
 */
export function knowsNothing(text: string): boolean {
  if (text.length > NOTHING_CHARS_MAX) return false;
  const sentences = text.split(BETWEEN_SENTENCES).filter((sentence) => sentence !== "");
  const others = sentences.filter((sentence) => !KNOWS_NOTHING.test(sentence));
  return others.length < sentences.length && others.every((each) => isQuestion(each) || OFFERS.test(each));
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
export function namesMentioned(text: string): number {
  return Math.min(NAMES_MAX, text.match(NAME)?.length ?? 0);
}

/** `known`: before an idea that is there already. `suggest`: begins a sentence that asks for one. */
function wishFor(wish: string, known: string, ideas: string, suggest: string): RegExp {
  const between = String.raw`(?:(?!(?:${known})(?!\p{L}))\p{L}+['\u2019 -]){0,5}`;
  const polite = String.raw`(?:(?:and|so|then|ok|okay|please|just|now|can you|could you|would you|bitte|und|por favor)[, ]+){0,4}`;
  return new RegExp(
    String.raw`(?:${wish}) ${between}(?:${ideas})(?!\p{L})|(?:^|[.!?]\s+)${polite}(?:${suggest})(?!\p{L})`,
    "iu",
  );
}

const ORDER_CHARS_MAX = 400;
const FURTHER_SENTENCE = /[.!?…]\s+\S|\n\s*\S/u;
const ASKING =
  /^\W*(?:(?:and|so|but|und|y|et) )?(?:what|which|where|when|who|whose|whom|why|how|do(?! not\b)|does|did|is|are|was|were|am|have|has|had|should|tell me|remind me|do you (?:know|remember)|was|welche\w*|wo|wohin|wann|wer|wem|wessen|warum|wie|habe?n?|ist|sind|war|weißt du|sag mir|qué|cuál|dónde|cuándo|quién|cómo|quel\w*|où|quand|qui|comment)\b/iu;
const ENGLISH_IDEAS = "ideas?|suggestions?|advice|recommendations?|tips?";
const GERMAN_IDEAS = String.raw`\p{L}*(?:ideen?|vorschlag|vorschlägen?)|rat|ratschlägen?|tipps?|anregung(?:en)?|empfehlung(?:en)?`;
const FRENCH_IDEAS = "idées?|conseils?|suggestions?|recommandations?";
const SPANISH_IDEAS = "ideas?|sugerencias?|consejos?|recomendación|recomendaciones";
/** Of each language by itself: a German "Rat" is no English rat. */
const WISHES: readonly RegExp[] = [
  wishFor(
    String.raw`(?:^|[.!?,;]\s*|\b(?:i|we) (?:\p{L}+ )?)(?:need|want|could use|would like)(?: to (?:get|hear|have|see))?|\bi['\u2019]d like(?: to (?:get|hear|have|see))?|\blooking for|(?:^|[.!?,;]\s*|\bplease |\bjust |\byou )(?:give|send|show|tell) (?:me|us)|(?:^|[.!?]\s*)any`,
    "my|our|his|her|their|the|this|that|to",
    ENGLISH_IDEAS,
    "suggest|recommend|propose",
  ),
  wishFor(
    String.raw`(?:^|[.!?,;]\s*|\b(?:ich|wir) (?:\p{L}+ )?)(?:brauchen?|suchen?|möchten?|will|wollen|hätten? gerne?)|\b(?:gib|mach|nenne?|sag) (?:mir|uns)`,
    String.raw`mein\w*|unser\w*|sein\w*|ihr\w*|der|die|das|dem|den`,
    GERMAN_IDEAS,
    String.raw`empfiehl|schlage? [^.!?\n]{0,120}\bvor(?=\s*(?:[.,;:!?]|$))`,
  ),
  wishFor(
    String.raw`\bj['\u2019]ai besoin|\bil (?:me|nous) faut|\bje (?:cherche|veux|voudrais)|\bnous (?:cherchons|voulons|voudrions)|\bdonne[zr]?[- ](?:moi|nous)`,
    "mon|ma|mes|notre|nos|son|sa|ses|le|la|les",
    FRENCH_IDEAS,
    "propose|proposez|suggère|suggérez|recommande|recommandez",
  ),
  wishFor(
    String.raw`\b(?:necesito|necesitamos|busco|buscamos|quiero|queremos|quisiera|dame|danos|deme)`,
    "mi|mis|nuestr[ao]s?|su|sus|el|la|los|las",
    SPANISH_IDEAS,
    "sugiere|sugiéreme|recomienda|recomiéndame|propón|proponme",
  ),
];
/** "Write an invitation, with a suggestion what to cook" */
const WITH_IDEAS = new RegExp(
  [
    ["with", ENGLISH_IDEAS],
    ["mit", GERMAN_IDEAS],
    ["avec", FRENCH_IDEAS],
    ["con", SPANISH_IDEAS],
  ]
    .map(([beside, ideas]) => String.raw`\b${beside} (?:\p{L}+['\u2019 -]){0,3}(?:${ideas})(?!\p{L})`)
    .join("|"),
  "iu",
);
const ORDER =
  /^\W*(?:(?:ok|okay|and|now|then|so|also|bitte|please|por favor|hey elwood|elwood)[,:]? )*(?:(?:can|could|would|will) you (?:please )?|(?:kannst|könntest) du (?:bitte )?)?(?:please |just |bitte )*(?:run|execute|move|rename|copy|delete|remove|edit|change|replace|add|append|insert|create|make|build|write|draft|save|read|open|show|list|print|count|sort|search|find|look|grep|fetch|download|load|browse|visit|check|test|verify|compare|summari[sz]e|translate|explain|describe|convert|calculate|compute|update|fix|undo|send|reply|post|stop|start|continue|try|do(?! not)|use|give|tell|lösche?|verschieb\w*|kopier\w*|benenne?|ändere?|schreib\w*|erstelle?|lies|zeige?|öffne?|suche?|(?:schaue?|sieh|guck)(?: (?:bitte|mal|noch|einmal)){0,3} nach|finde|prüfe?|vergleiche?|übersetze?|erkläre?|führe?|starte?|borra|mueve|copia|crea|escribe|lee|muestra|busca|comprueba|mira si|ejecuta|supprime|déplace|copie|crée|écris|lis|montre|cherche|vérifie|regarde si|lance)\b/iu;
/** Whatever is asked for: "please proofread …". What one is to keep in mind is no work, and worth knowing later. */
const POLITE_ORDER =
  /^\W*(?:(?:ok|okay|and|now|then|so|also|hey elwood|elwood)[,:]? )*(?:please|bitte|por favor|s['’]il (?:te|vous) pla[iî]t),? (?!(?:remember|note|keep|bear|know|record|memori[sz]e|don['’]t|do|never|be|merke?|notiere?|beachte?|denke?|vergiss|wisse|recuerda|anota|no|souviens|retiens|note[zr]?|n['’]oublie)\b)\p{L}/iu;
/** "In notes/todo.md, tick off …" */
const PLACE_BEFORE = /^\W*(?:in|on|from|under|im|auf|aus|unter|dans|sur|en|nel|em) [^,;:!?\n]{1,80}[,:] /iu;
/** What is asked for now; said of earlier, the same words may tell of something. */
const OTHER_ORDER =
  /^\W*(?:please |bitte )?(?:tick|mark|put|set|split|commit|remind me (?:to|in|on|at|about|tomorrow|today|tonight|next|every)|erinnere? mich (?:an|in|um|am|morgen|heute)|hake?|setz\w*|markier\w*|recuérdame|rappelle-moi)\b/iu;
const OF_THE_OWNER =
  /\b(?:i|i['’]m|i['’]ve|my|mine|we|our|ich|mein\w*|wir|unser\w*|yo|mi|mis|je|mon|ma|mes)\b/iu;
/** And nothing that was told follows. "Look up what I told you", "find out when I last mentioned", "suche, was ich dir gesagt habe", "cherche ce que je t'ai dit". */
const LOOKS_FOR_WORDS =
  /\b(?:(?:look(?: it)?(?: up| for)?|find(?: out)?|search(?: for)?|check|tell me|show me|read)(?: again)?,? (?:what|whatever|everything|anything|all|when|where|who|which|how|whether|if)(?: that)? (?:i|we)(?:['’]ve)?(?: (?:have|had|just|once|ever|first|last|already)){0,2} (?:told|said|wrote|asked|mentioned|noted|called|named)|(?:suche?|finde|prüfe?|zeige? mir|lies|schau)(?: (?:bitte|mal|nach|noch|heraus)){0,3},? (?:was|wann|wo|wen|wem|ob|wie) (?:ich|wir)(?: \p{L}+){0,6} (?:gesagt|erzählt|geschrieben|erwähnt|genannt|gefragt|sagten?|schrieben?|erwähnten?)|(?:cherche|trouve|montre-moi|lis) (?:ce que|quand|où|qui|si) j(?:e t)?['’]ai (?:dit|écrit|raconté|demandé|noté))(?!\p{L}|[^.!?\n]*:\s)/giu;
/** And nothing that is so follows. "Look up whether I lent", "schau nach, ob ich", "vérifie si j'ai". */
const LOOKS_WHETHER =
  /\b(?:(?:look(?: it)?(?: up)?|find(?: out)?|search|check|see|verify|tell me)(?: again)?,? (?:whether|if) (?:i|we)|(?:schaue?|sieh|guck|suche?|prüfe?|finde|sag mir)(?: (?:bitte|mal|nach|noch|heraus|einmal)){0,4},? ob (?:ich|wir)|(?:regarde|vérifie|cherche|dis-moi) (?:bien )?si (?:je|j['\u2019](?:ai|avais))|(?:mira|comprueba|busca|dime) si (?:yo )?)(?!\p{L}|[^.!?\n]*:\s)/giu;
const NOTHING_CHARS_MAX = 300;
const BETWEEN_SENTENCES = /(?<=[.!?…;])\s+|\s[–—]\s|\n+/u;
/** "Sorry, I looked in your notes and". */
const LOOKED = String.raw`(?:(?:sorry|unfortunately|i['\u2019]m (?:sorry|afraid)|leider|désolée?|lo siento),? (?:but |that )?)?(?:(?:i|i['\u2019]ve|ich habe|j['\u2019]ai|he) (?:looked|searched|checked|nachgesehen|gesucht|cherché|buscado)[^.!?]{0,60}?,? (?:and|but|und|aber|et|mais|y|pero) )?`;
/** And something follows that may be known. */
const GOES_ON = String.raw`[^\n]*(?:\b(?:but|however|though|although|except|only|besides|aber|jedoch|allerdings|nur|außer|mais|cependant|sauf|pero|aunque|salvo|sino)\b|\p{L}:\s)`;
const RECORD = "(?:notes?|records?|mentions?|information|memor(?:y|ies)|trace)";
const KNOWS_NOTHING = new RegExp(
  [
    String.raw`(?:i )?(?:really |just |still )?(?:do not|don['\u2019]t) (?:actually )?(?:know|have (?:anything|that|(?:an?|any) ${RECORD}|information))`,
    String.raw`(?:i )?(?:have|found) (?:no (?:${RECORD}|idea)|nothing (?:about|on|in|under|for|there))`,
    String.raw`(?:i )?(?:could not|couldn['\u2019]t|cannot|can['\u2019]t|did not|didn['\u2019]t) find (?:anything|it|that|(?:an?|any) ${RECORD}|where|when|who|what)`,
    String.raw`(?:ich )?(?:weiß|wusste) (?:\p{L}+ ){0,3}nicht|ich (?:habe|finde|fand) (?:(?:dazu|darüber|leider) ){1,2}nichts`,
    String.raw`(?:je )?(?:ne sais pas|n['\u2019]ai rien)`,
    String.raw`no (?:lo sé|sé|tengo nada|(?:encontré|encuentro|he encontrado) nada)`,
  ]
    .map((said) => String.raw`^${LOOKED}(?:${said})(?!\p{L})(?!${GOES_ON})`)
    .join("|"),
  "iu",
);
const OFFERS =
  /^(?:please |just |bitte )?(?:tell me|let me know|if you (?:tell|want|like|let|know)|would you|shall i|i can (?:note|look|search|remember|ask|check)|sag mir|(?:wenn|falls) du (?:es|mir|magst|möchtest|willst)|soll ich|dis-moi|dites-moi|si tu (?:me|veux|le)|si vous (?:me|voulez|le)|dime|si me|si quieres)(?!\p{L})/iu;
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
