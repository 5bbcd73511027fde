import { isSmallWord } from "../request/language.ts";

/** Words that stand in many requests and are some people's, rooms' or channels' names too. */
const COMMON = new Set(
  (
    "general random will may mark bill rose grace hope joy faith art rich frank pat sue drew rob jack dean chase hunter mason " +
    "report mail email message money note notes file files summary list photo photos invoice link meeting call text plan plans " +
    "news info data home work team family friend friends boss client everyone everybody all somebody someone people group " +
    "today tomorrow monday tuesday wednesday thursday friday saturday sunday morning evening please thanks thank hello hi " +
    "money payment order table book room time day week month year things thing stuff way part question answer help support " +
    "user users admin owner staff office company bank shop store public private main default other others new old next last " +
    "bericht nachricht geld rechnung datei notiz liste termin arbeit leute freunde familie chef alle jemand bitte danke morgen heute " +
    "informe mensaje dinero factura archivo nota lista reunión trabajo gente amigos familia jefe todos alguien gracias mañana hoy " +
    "rapport argent facture fichier liste réunion travail gens amis famille patron tous quelqu'un merci demain équipe " +
    "allgemein général"
  ).split(" "),
);

/** Whether a word is no name unless it is written as one. */
export function isCommonWord(word: string): boolean {
  const plain = word.trim().toLowerCase();
  return COMMON.has(plain) || isSmallWord(plain) || (/^\p{Script=Latin}+$/u.test(plain) && plain.length < 2);
}
