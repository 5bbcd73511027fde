/** Words that show who or what a clause is about. They are the common ones of English, German, French and Spanish. */

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** The owner. */
export const OWNER_WORDS = words(
  "i i'm i've i'd i'll im me mine we we're we've we'd we'll ours us ich mich mir wir uns j' m' je moi nous yo me nosotros nosotras",
);

/** The owner's: what they have stands behind it. */
export const OWNERS = words(
  "my our mein meine meinen meinem meiner meines unser unsere unseren unserem unserer mon ma mes notre nos mi mis nuestro nuestra nuestros nuestras",
);

/** Somebody or something that was named before. */
export const PRONOUNS = words(
  "he she it they he's she's it's they're he'd she'd they'd he'll she'll they'll er sie il elle ils elles on él ella ellos ellas",
);

/** Of them, those for a thing. */
export const THINGS = words("it it's");

/** A thing is named right behind them. */
export const ARTICLES = words(
  "the a an his her its their this these those your " +
    "der die das den dem des ein eine einen einem einer sein seine seinen ihr ihre ihren dein deine " +
    "l' le la les un une son sa ses leur leurs ce cette ces ton ta tes el los las una su sus tu tus",
);

/** With these a clause goes on whose subject stands before it: “… and is also late”. */
export const GOING_ON = words(
  "is are was were been has have had does do did can could will would may might must should " +
    "also too really always often usually sometimes still already now just even mostly absolutely " +
    "ist sind war waren hat haben hatte kann können will wird muss soll darf auch immer oft noch schon jetzt sehr wirklich meist " +
    "est sont était a ont avait peut va doit aussi toujours souvent déjà encore vraiment " +
    "es son está están era tiene puede también siempre ya todavía",
);

/** These ask to keep something in mind, and name nobody. */
export const ASKING = words(
  "please remember remind note save store write down jot keep in mind know don't dont forget about fyi " +
    "bitte merk merke dir notier notiere schreib schreibe speicher speichere vergiss behalte " +
    "retiens souviens toi rappelle garde enregistre recuerda acuérdate apunta anota guarda olvides",
);

/** What is named behind them has something or somebody, and does nothing itself: “the sister of Martin”. */
export const BELONGING_TO = words("of von de d' del du");

/** What is named behind them is a place. */
export const PLACE_BEFORE = words(
  "in to at from near on into im ins am zum zur vom nach aus bei beim auf an à au aux en dans desde a al",
);

/** What people have: behind “Martin's birthday”, “he” is Martin. */
export const POSSESSIONS = words(
  "birthday anniversary favourite favorite name nickname surname address email mail phone number mobile size car bike house flat home room job hobby " +
    "geburtstag name spitzname nachname adresse telefon handy handynummer telefonnummer nummer größe auto rad haus wohnung zimmer beruf " +
    "anniversaire nom surnom adresse téléphone portable numéro taille voiture vélo maison appartement métier " +
    "cumpleaños nombre apodo apellido dirección teléfono móvil número talla coche casa piso trabajo",
);

/** Behind these and a colon, “I” is whoever said it. */
export const SAYING = words(
  "said says wrote writes told texted sagte sagt schrieb schreibt meinte dit disait écrit dijo dice escribió escribe",
);

/** Between things of a list, and between clauses. */
export const AND = words("and und y e et");

/** Between clauses. */
export const BETWEEN_CLAUSES = words(
  "but or yet so that because while whereas although though when plus aber oder dass weil während obwohl sowie denn " +
    "mais ou que qu' parce tandis puis pero sino porque mientras",
);

/** The clause behind them is about what was named right before it. */
export const RELATIVE = words("who which whom whose qui quien quienes");

/** Small words of one language that are people's names in others. */
export const NAMES_TOO = words("mia per");

/** In English they have a capital, and are nobody. */
export const DAYS = words(
  "monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays",
);
export const MONTHS = words(
  "january february march april may june july august september october november december christmas easter",
);
