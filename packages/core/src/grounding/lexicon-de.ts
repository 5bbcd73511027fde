import { IMPERATIVE, isImperative } from "./imperative.ts";
import { list, verbs, words, wordsOf, type Lexicon, type Told } from "./lexicon.ts";
import type { Family } from "./tool-fit.ts";

const PAST = verbs({
  send: "gesendet geschickt verschickt abgeschickt versendet abgesendet gemailt weitergeleitet geantwortet beantwortet gepostet benachrichtigt informiert verständigt mitgeteilt zugestellt übermittelt kontaktiert angerufen eingereicht angeschrieben ausgerichtet zugesandt rausgeschickt rausgegangen",
  "send create": "geschrieben",
  "share send": "geteilt eingeladen freigegeben",
  "send deploy create": "veröffentlicht",
  create:
    "erstellt angelegt hinzugefügt eingetragen gespeichert notiert vermerkt gemerkt abgelegt aufgenommen eröffnet registriert aufgeschrieben gesichert hinterlegt ergänzt eingefügt protokolliert festgehalten eingerichtet gestellt gesetzt",
  update:
    "aktualisiert geändert verschoben umbenannt angepasst bearbeitet umgestellt ersetzt korrigiert zugewiesen markiert verlegt eingestellt aktiviert deaktiviert konfiguriert gesetzt behoben verlängert erhöht gesenkt sortiert umgezogen wiederhergestellt repariert",
  delete: "gelöscht entfernt geleert bereinigt deinstalliert widerrufen aufgeräumt vernichtet",
  cancel: "storniert abgesagt gekündigt abgebrochen abbestellt",
  unsubscribe: "abgemeldet abbestellt",
  archive: "archiviert",
  "book order": "gebucht reserviert",
  "order book pay": "bestellt gekauft aufgegeben",
  pay: "bezahlt überwiesen gezahlt beglichen gespendet erstattet",
  "schedule create": "geplant angesetzt terminiert vereinbart",
  deploy: "deployt ausgerollt veröffentlicht bereitgestellt ausgeliefert",
  git: "gemergt gemerged gepusht committet zusammengeführt",
  "run device": "ausgeführt gestartet gestoppt neugestartet angestoßen durchlaufen beendet angehalten",
  device:
    "eingeschaltet ausgeschaltet angeschaltet abgeschaltet verriegelt abgeschlossen gedimmt angemacht ausgemacht hochgefahren",
  close: "geschlossen abgeschlossen gelöst abgehakt",
  sign: "unterschrieben unterzeichnet angenommen abgelehnt zugesagt",
  "install update": "installiert aktualisiert",
  backup: "gesichert exportiert",
  transfer: "hochgeladen heruntergeladen kopiert importiert synchronisiert übertragen",
  print: "gedruckt ausgedruckt",
  done: "erledigt gemacht getan umgesetzt durchgeführt veranlasst übernommen fertiggestellt",
});
/** Stems of what owners ask for and replies announce. */
const STEMS: readonly (readonly [RegExp, readonly Family[]])[] = [
  [
    /^(?:ver|ab|zu)?(?:schick|send)(?:e|en|est|s)?$|^(?:mail|antwort|beantwort|post|benachrichtig|informier|schreib|leite|teil|kontaktier|ruf|sag|weiterleit)(?:e|en|s|t)?$/u,
    ["send"],
  ],
  [
    /^(?:erstell|leg|füg|trag|speicher|notier|merk|erfass|eintrag|anleg|hinzufüg|setz|stell|richt|pack|nimm|hefte)(?:e|en|s|n)?$/u,
    ["create", "update", "device"],
  ],
  [
    /^(?:aktualisier|änder|ändere|verschieb|benenn|umbenenn|bearbeit|ersetz|korrigier|markier|verleg|aktivier|deaktivier|konfigurier|mach|dreh|schalt|dimm|sortier|räum)(?:e|en|s|n)?$/u,
    ["update", "device", "schedule"],
  ],
  [/^(?:lösch|entfern|leer|bereinig|deinstallier)(?:e|en|n)?$/u, ["delete"]],
  [/^(?:stornier|kündig|sag|absag|bestell)(?:e|en)?$/u, ["cancel", "order", "book"]],
  [/^(?:buch|reservier|kauf|besorg|order)(?:e|en)?$/u, ["book", "order"]],
  [/^(?:überweis|bezahl|zahl|begleich|spend)(?:e|en)?$/u, ["pay"]],
  [/^(?:erinner|weck|beobacht|überwach)(?:e|en|n)?$/u, ["remind"]],
  [/^(?:plan|vereinbar|terminier|ansetz)(?:e|en)?$/u, ["schedule"]],
  [
    /^(?:merg|push|commit|deploy|start|stopp|veröffentlich|führ|installier|druck|archivier|sicher|lad|kopier|schließ|teil|lade|spiel|starte|gib)(?:e|en|s)?$/u,
    ["any"],
  ],
];
const PARTICIPLE =
  /^(?:\p{L}{0,10}ge\p{L}{3,}(?:t|en)|(?:ver|be|er|ent|zer|über|unter|wider)\p{L}{3,}t|\p{L}{3,}iert)$/u;
const NOT_DEEDS = list(
  "verstanden gesehen gefunden geprüft überprüft nachgesehen nachgeschaut geschaut angesehen angeschaut gelesen durchgesehen gesucht durchsucht recherchiert kontrolliert getestet bestätigt verifiziert versucht gedacht gemeint gehofft vermutet erwähnt vorgeschlagen erklärt zusammengefasst übersetzt verglichen entworfen verfasst formuliert gehört gewusst gelernt bemerkt angenommen überlegt gefragt gesagt nachgedacht vorbereitet bekommen erhalten gewesen geworden gehabt verwendet genutzt berechnet gezählt aufgelistet beschrieben geeignet bekannt beliebt bedeutet gebraucht geöffnet nachgelesen gewartet",
);

export const DE: Lexicon = {
  told(clause) {
    const lower = clause.toLowerCase();
    const first =
      /(?:(?<!\p{L})(?:ich|wir)(?!\p{L})|^(?:habe?|schon|bereits|gerade)(?!\p{L}))/u.test(lower) &&
      /(?<!\p{L})(?:habe|hab|haben|hätte|bin)(?!\p{L})/u.test(lower);
    const stated = /(?<!\p{L})(?:wurden?|ist|sind|worden|ging|gingen)(?!\p{L})/u.test(lower);
    const user = /(?<!\p{L})(?:du hast|hast du|sie haben|haben sie|ihr habt)(?!\p{L})/u.test(lower);
    const found = wordsOf(lower);
    const out: Told[] = [];
    for (const word of found) {
      const families = PAST.get(word);
      if (families && (first || stated || found.length <= 5) && !(user && !first))
        out.push({ families, voice: first ? "first" : "stated" });
      else if (first && !families && PARTICIPLE.test(word) && !NOT_DEEDS.has(word))
        out.push({ families: ["any"], voice: "first" });
    }
    return out;
  },
  deeds: (clause) =>
    wordsOf(clause.toLowerCase()).flatMap((word) => {
      if (/^(?:änderung\p{L}*|passiert|geschehen)$/u.test(word)) return ["any"] as const;
      return PAST.get(word) ?? STEMS.filter(([stem]) => stem.test(word)).flatMap(([, families]) => families);
    }),
  announced(clause) {
    const lower = clause.toLowerCase();
    if (!/(?<!\p{L})(?:ich|wir)(?!\p{L})/u.test(lower))
      return /(?<!\p{L})(?:wird|werden)(?!\p{L})/u.test(lower) ? participles(lower) : [];
    if (/(?<!\p{L})(?:kann|könnte|würde|möchte|soll|sollte|habe|hab|muss|darf)(?!\p{L})/u.test(lower))
      return [];
    const later =
      /(?<!\p{L})(?:werde|werden|gleich|morgen|sofort|später|dann|heute|nachher|jetzt|um \d|in \d|nächste)(?!\p{L})/u.test(
        lower,
      );
    return later ? stems(lower) : [];
  },
  asked(ownerWords) {
    const found: Family[] = [];
    for (const sentence of ownerWords
      .toLowerCase()
      .split(/[.!?\n;,]| und /u)
      .slice(0, 40)) {
      const all = wordsOf(sentence).filter(
        (word) => !/^(?:bitte|mal|jetzt|dann|ok|okay|und|elwood|ja|also|hey)$/.test(word),
      );
      const first = all[0] ?? "";
      if (
        /^(?:was|wie|wann|wo|wer|warum|welche\p{L}*|ist|sind|habe|hast|gibt|ich|hat|war|wurde)$/u.test(
          first,
        ) &&
        !/kannst|könntest/u.test(sentence)
      )
        continue;
      const candidates =
        /^(?:kannst|könntest|würdest|magst|könnten|können|du)$/u.test(first) || /bitte/u.test(sentence)
          ? [first, all.at(-1) ?? ""]
          : [first];
      if (isImperative(all.join(" "), IMPERATIVE.de)) found.push("any");
      for (const word of candidates)
        for (const [stem, families] of STEMS) if (stem.test(word)) found.push(...families);
    }
    return found.length > 0 ? found : undefined;
  },
  done: words(
    "(?:alles |schon |ist |bereits |wäre )?(?:erledigt|fertig|geschafft|vollbracht)|alles (?:klar gemacht|geregelt|in ordnung gebracht|vorbereitet|unter dach und fach|bereit|eingerichtet|im kasten|durch)|(?:ist|sind|wäre) (?:jetzt |nun |schon |bereits |damit |somit )*(?:geregelt|unter dach und fach|in trockenen tüchern|im kasten|durch|gebongt|eingetütet|drin|raus|vom tisch|gegessen|abgehakt|online|live|scharf|an ort und stelle|geklärt|gesetzt|aktiv|weg|fix)|passt alles|gebongt|ist (?:so )?veranlasst|gesagt, getan|hat geklappt|hat funktioniert|steht (?:jetzt |nun |schon |bereits )?(?:im|in|auf|fest|bereit)|du brauchst (?:nichts|dich um nichts)|kümmere mich (?:schon )?d(?:a)?rum|vergiss es nicht",
  ),
  underway: words(
    "(?:ist|sind) (?:jetzt |nun |schon |bereits )?(?:unterwegs|auf dem weg|raus|draußen|rausgegangen|bei (?:ihm|ihr|ihnen|\\p{Lu}\\p{L}+)|auf reisen|angekommen)|(?:weiß|wissen) (?:jetzt |nun |schon |bereits )?(?:bescheid|davon)|(?:liegt|liegen|steht|stehen) (?:jetzt |nun |schon |bereits |morgen )*(?:in|im|bei|auf|vor)|(?:ging|gingen|geht|gehen) (?:\\p{L}+ ){0,2}(?:raus|hinaus|an)|müsste (?:\\p{L}+ ){0,4}(?:haben|sein|da sein)|sollte (?:\\p{L}+ ){0,4}(?:haben|sein|da sein|ankommen)|hat (?:jetzt |nun |schon |bereits )?(?:zugriff|die|den|das|deine[nrms]?) (?:\\p{L}+ )?(?:vorliegen|erhalten|bekommen|im postfach)?",
  ),
  question: /\?\s*["“”»)*_]*\s*$/u,
  safe: words(
    "soll ich|sollen wir|möchtest du|möchten sie|willst du|wollen sie|magst du|sag (?:mir )?(?:bescheid|einfach)?|sagen sie|ich kann|ich könnte|ich würde|könnte|würde|gern(?:e)?|wenn (?:du|sie|ich|es|das|der|die)|falls|sobald (?:du|sie)|bitte|du kannst|sie können|du (?:könntest|solltest|musst|müsstest)|ich brauche|ich benötige|hier (?:ist|sind|kommt)|entwurf|vorschlag|schlage vor|empfehle|welche\\p{L}*|entschuldigung|leider|ohne|braucht (?:deine|ihre|noch|eine)|benötigt|erfordert|dafür|um das zu|zum beispiel|in der regel|normalerweise|klingt|angenommen",
  ),
  condition: words(
    "wenn|nachdem|sobald|falls|sobald (?:du|sie)|bevor|nach deiner|nach ihrer|mit deiner|mit ihrer|erst|auf wunsch",
  ),
  negative: words("nicht|nichts|kein\\p{L}*|nie|niemals|niemand|nein|weder|unverändert|leider"),
  nothing: words(
    "nichts(?! weiter| anderes| sonst)|keine (?:änderung\\p{L}*|nachricht\\p{L}*|mails?|aktion\\p{L}*|zahlung\\p{L}*)|niemand\\p{L}*|unverändert|nur (?:gelesen|geschaut|nachgesehen)",
  ),
  failed: words(
    "fehlgeschlagen|schlug fehl|schlägt fehl|gescheitert|fehler\\p{L}*|nicht (?:geklappt|funktioniert|möglich|erreichbar|gesendet|gelungen|verschickt|erfolgreich|gelöscht|gebucht|angelegt|durchgeführt|zustellbar|\\p{L}+t)|abgelehnt|verweigert|konnte\\p{L}* (?:\\p{L}+ ){0,6}nicht|ging nicht|klappte nicht|misslungen|offline|abgebrochen|blockiert|problem\\p{L}*|leider|zurückgewiesen|zurückgekommen",
  ),
  tried: words("ich (?:habe|hab) (?:\\p{L}+ ){0,6}versucht|mein versuch|habe versucht"),
  pending: words(
    "wartet|warten|ausstehend|steht (?:noch )?aus|sobald (?:du|sie)|wenn (?:du|sie) (?:zustimm\\p{L}*|freigib\\p{L}*|bestätig\\p{L}*)|(?:braucht|benötigt) (?:noch )?(?:deine|ihre|eine) (?:freigabe|zustimmung|bestätigung|genehmigung)|noch (?:nicht|offen)|offen|anhängig",
  ),
  declined: words(
    "(?:du hast|sie haben|hast du) (?:\\p{L}+ ){0,4}(?:abgelehnt|verweigert|nicht (?:genehmigt|erlaubt|freigegeben))|(?:wurde|von (?:dir|ihnen)) (?:\\p{L}+ )?(?:abgelehnt|verweigert)|deine ablehnung",
  ),
  expired: words("abgelaufen|verfallen|läuft ab"),
  unsure: words(
    "vielleicht|möglicherweise|unklar|unbekannt|ungewiss|nicht (?:sicher|bestätigen|bestätigt|sagen|klar|bekannt|überprüft|geprüft|nachgeprüft)|weiß (?:ich )?nicht|kein(?:e|en)? (?:ergebnis|antwort|rückmeldung|beleg|bestätigung|nachweis)|bitte (?:prüf|schau|kontrollier)\\p{L}*|könnte",
  ),
  retract: words(
    "nur (?:ein )?(?:scherz|spaß)|stimmt nicht|kein(?:en)? beleg|war falsch|nicht passiert|nehme ich zurück|in wirklichkeit",
  ),
  ack: /^(?:ok(?:ay)?|gern(?:e)?(?: geschehen)?|klar|alles klar|verstanden|danke(?: schön)?|super|prima|sehr gern|natürlich|ja|nein|hallo|hi|guten (?:morgen|tag|abend)|kein problem|perfekt|gut|bitte(?: schön)?|\p{Extended_Pictographic}|[\s\p{P}])*$/iu,
  looked: words(
    "(?:du hast|sie haben|hast du) (?:\\p{L}+ |\\d+ ){0,4}(?:termine?|mails?|e-mails?|nachrichten|besprechung(?:en)?|aufgaben)|(?:ich |wir )?(?:habe|hab|haben)(?: \\p{L}+){0,8} (?:geprüft|überprüft|nachgesehen|nachgeschaut|geschaut|angesehen|angeschaut|gelesen|durchgesehen|gesucht|durchsucht|recherchiert|gefunden|kontrolliert|abgerufen|gesichtet|durchgelesen|gegoogelt|durchgegangen|ausgewertet|gezählt|nachgeguckt|geguckt)|(?:laut|gemäß) (?:deine[mnr]|ihre[mnr]|de[mr])|in (?:deinem|ihrem|deiner|ihrer) (?:kalender|postfach|posteingang|notizen) (?:ist|sind|steht|stehen|gibt|findet|liegt|liegen)|(?:dein|ihr) (?:kalender|postfach|posteingang|konto|terminplan) (?:ist|zeigt|hat)|(?:meine |die )?(?:suche|recherche|prüfung) (?:ergab|ergibt|zeigt|hat)|ein blick in|nach (?:einem blick|durchsicht|prüfung)",
  ),
  verified: words(
    "(?:habe|hab|haben)(?: \\p{L}+){0,8} (?:verifiziert|bestätigt|nachgeprüft|gegengeprüft|sichergestellt|getestet|überprüft)|(?:wurde|ist|geprüft und) (?:\\p{L}+ )?(?:bestätigt|verifiziert|getestet|nachgeprüft)|und (?:geprüft|überprüft|getestet|bestätigt)",
  ),
  arrived: words(
    "(?:ist|sind) (?:\\p{L}+ ){0,3}(?:angekommen|eingegangen|zugestellt)|hat (?:\\p{L}+ ){0,4}(?:erhalten|bekommen|gelesen|geöffnet|zugesagt|geantwortet|bestätigt)|haben (?:\\p{L}+ ){0,4}(?:erhalten|bekommen|gelesen)",
  ),
  approved: words(
    "(?:du hast|sie haben|wie von (?:dir|ihnen)|hast du|haben sie) (?:\\p{L}+ ){0,4}(?:genehmigt|freigegeben|zugestimmt|bestätigt|erlaubt|autorisiert)|(?:nach|mit|dank|gemäß) (?:deiner|ihrer) (?:freigabe|zustimmung|genehmigung|bestätigung|erlaubnis)|(?:von dir|von ihnen) (?:genehmigt|freigegeben)|nachdem (?:du|sie) (?:\\p{L}+ ){0,4}(?:genehmigt|zugestimmt|freigegeben|bestätigt)",
  ),
  watch: words(
    "(?:ich|wir) (?:erinnere|melde|benachrichtige|informiere|wecke|beobachte|überwache|verfolge|warne|behalte|prüfe|schaue|frage|kümmere|halte|sage|gebe) (?:dich|dir|mich|ihnen|sie|das|es|den|die|bescheid|morgen|später|regelmäßig|wieder|in|im|um)|(?:erinnere|melde|benachrichtige|informiere|wecke|beobachte|überwache|verfolge|warne|behalte|prüfe|schaue|frage|kümmere|halte|sage|gebe) ich (?:dich|dir|mich|ihnen|sie|das|es|den|die|bescheid|morgen|später|regelmäßig|wieder|in|im|um)|ich (?:werde|geb) (?:\\p{L}+ ){0,10}(?:erinnern|melden|benachrichtigen|informieren|wecken|beobachten|überwachen|verfolgen|bescheid (?:geben|sagen)|im auge behalten|kümmern|nachfragen|prüfen|nachsehen)|im auge|gebe (?:dir |ihnen )?bescheid|(?:du bekommst|sie erhalten|du wirst) (?:\\p{L}+ ){0,6}(?:erinnerung|nachricht|bescheid|erinnert|benachrichtigt)|melde mich|bleibe? dran|verlass dich (?:drauf|auf mich)",
  ),
  elsewhere: words("sonst|weiter\\p{L}*|andere\\p{L}*|außer(?:dem)?|übrige\\p{L}*"),
  all: words("alle[nmrs]?|jede[nmrs]?|beide[nmrs]?|sämtliche"),
  most: words("die meisten|den meisten|fast alle[nmrs]?"),
  numbers: {
    zwei: 2,
    drei: 3,
    vier: 4,
    fünf: 5,
    sechs: 6,
    sieben: 7,
    acht: 8,
    neun: 9,
    zehn: 10,
    elf: 11,
    zwölf: 12,
    zwanzig: 20,
    hundert: 100,
  },
  content: words(
    "(?:empfiehl|empfehl|rat|formulier|entwirf|übersetz|erklär|fass|beschreib|dichte|erzähl|nenn|zeig|schlag|vergleich|berechne|rechne|liste)(?:e|en|t)?|schreib(?:e)? (?:mir )?(?:ein(?:e|en)?|den|das|die) (?:\\p{L}+ )?(?:entwurf|text|gedicht|tweet|geschichte|brief|rede|zusammenfassung)",
  ),
  fiction: words(
    "tu so|stell dir vor|spiel(?:e)? (?:einen|eine|den|die)|rollenspiel|geschichte|gedicht|witz|märchen",
  ),
  status: words(
    "hast du|haben sie|ist (?:\\p{L}+ ){1,5}(?:erledigt|fertig|gesendet|raus|da|gebucht|bezahlt|gelöscht)|wurde|was hast du|schon|status|du hast gesagt",
  ),
  consent:
    /^[\s\p{P}]*(?:ja|ok(?:ay)?|mach(?: das)?|bitte|gern(?:e)?|los|einverstanden|nochmal|weiter|klar)(?:[\s,]+(?:bitte|danke|gern|das|so|mal|jetzt|ja)){0,3}[\s\p{P}]*$/iu,
  clause:
    /[;:—–]|,(?= )|\s(?=(?:aber|doch|jedoch|und (?:ich|du|der|die|das|es|nichts|alles)|weil|während|sondern) )/iu,
  delegate: words(
    "(?:agent\\p{L}*|bot|helfer|skript|aufgabe|job|assistent\\p{L}*|team) (?:ist|hat|haben|wurde) (?:\\p{L}+ ){0,4}(?:fertig|abgeschlossen|gefunden|erledigt|durchgelaufen|gemeldet)|weitergegeben an|delegiert",
  ),
  others: words("(?:du hast|hast du|sie haben|ihr habt)|glückwunsch|gratulation"),
};

function participles(lower: string): readonly Family[] {
  for (const word of wordsOf(lower)) {
    const families = PAST.get(word);
    if (families) return families;
  }
  return [];
}

function stems(lower: string): readonly Family[] {
  for (const word of wordsOf(lower))
    for (const [stem, families] of STEMS) if (stem.test(word)) return families;
  return [];
}
