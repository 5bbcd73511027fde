import type { RequestWords } from "./words.ts";

export const DE: RequestWords = {
  position: "ends",
  endings: "(?:e|en|n|t)?",
  prefixes:
    "(?:ab|an|auf|aus|ein|fest|hoch|runter|herunter|hinzu|weg|weiter|um|zu|zurück|nach|los|rein|raus|vor|hin|frei|leiser|lauter)",
  verbs: {
    write:
      "erstell~ leg~ an(?:zu)?legen füg~ hinzu(?:zu)?fügen trag~ ein(?:zu)?tragen speicher~ ab(?:zu)?speichern notier~ merk~ erfass~ setz~ stell_(?!dir)\\p{L}+ ein(?:zu)?stellen richt~ ein(?:zu)?richten pack~ nimm aktualisier~ änder~ ändere bearbeit~ ersetz~ korrigier~ markier~ aktivier~ deaktivier~ konfigurier~ sortier~ räum~ auf(?:zu)?räumen schreib(?:e)?_(?:das_|es_|dir_)?(?:auf|in)(?=_|$) auf(?:zu)?schreiben hak~ schließ_(?:das|die)_(?:ticket|issue|aufgabe)\\p{L}* ergänz~ reparier~ füll~ aus(?:zu)?füllen unterschreib~ mach_(?:eine|einen|ein)_(?:notiz|ordner|eintrag|datei) behebe? beheben",
    delete:
      "lösch~ entfern~ leer~ bereinig~ deinstallier~ stornier~ kündig~ ab(?:zu)?sagen sag_.*_ab bestell_.*_ab ab(?:zu)?bestellen meld_.*_ab wirf_.* schmeiß_.* streich~ blockier~",
    move: "verschieb~ benenn~ um(?:zu)?benennen archivier~ kopier~ lad~ hoch(?:zu)?laden herunter(?:zu)?laden sicher~ exportier~ importier~ synchronisier~ verleg~ zieh~",
    send: "kommentier~_(?:\\S+_){0,3}?(?:issue|ticket|pr|pull_request|thread|beitrag|card|discussion|\\S*#\\d+) (?:ver|ab|zu|zurück)?schick~ (?:ver|ab)?send~ mail~ antwort~ beantwort~ poste~ benachrichtig~ informier~ leite~ weiter(?:zu)?leiten teil~ kontaktier~ ruf~ an(?:zu)?rufen sag_(?!mir|ab|was|mal_was)[#@]?[\\p{L}\\p{N}.@-]+(?:_\\p{L}+)? frage?_(?!mich|dich|uns|nach|mal)\\S+_(?:\\p{L}+_)?(?:ob|wann|wie|wo|was|warum|nach) richt_.*_aus lad_.*_ein ein(?:zu)?laden veröffentlich~ gib_(?!mir)\\p{L}+_bescheid bescheid_geben bescheid_sagen schreib(?:e)?_(?:an_)?(?!mir|uns|mal|bitte|etwas|über|das|den|die|ein|kurz|folgend|auf(?!\\p{L})|nieder|hin(?!\\p{L})|dir)(?:meine?[rmn]?_|de[rm]_)?\\p{L}+(?=$|_dass|_wir|_ich) nimm_.*_an lehn_.*_ab melde_dich",
    draft: "schreib~ entwirf entwerf~ verfass~ formulier~ setz_.*_auf",
    pay: "überweis~ bezahl~ zahl~ begleich~ spend~ kauf~ besorg~ bestell~ order~ erstatt~",
    schedule:
      "erinner~ weck~ plan~ vereinbar~ terminier~ buch~ reservier~ beobacht~ überwach~ stell_(?:den|einen|mir_einen)_(?:wecker|timer).* mach_(?:mir_)?(?:einen|den)_termin.*",
    run: "start~ neu_?starten stopp~ führ~ aus(?:zu)?führen merg~ push~ commit~ deploy~ installier~ baue? beende~ veröffentliche_das_release",
    control:
      "schalt~ dreh~ stell~ regl~ regel~ an(?:zu)?schalten ein(?:zu)?schalten aus(?:zu)?schalten dreh~ dimm~ mach_.*_(?:an|aus|zu|auf|leiser|lauter|heller|dunkler) an(?:zu)?machen aus(?:zu)?machen spiel_(?!ein|den|die)\\p{L}+.* ab(?:zu)?spielen schließ~ verriegel~ öffne druck~ aus(?:zu)?drucken pausier~ sperr~",
    look: "prüf~ überprüf~ schau~ nach(?:zu)?schauen nach(?:zu)?sehen such~ find~ lies lesen sieh check~ google~ recherchier~ ruf_.*_ab durchsuch~ kontrollier~",
  },
  lead: "in (?:\\d+|einer|'?ner|zwei|drei|fünf|zehn|zwanzig)(?: halben)? (?:minuten?|stunden?|tagen?|wochen?)|um \\d{1,2}(?::\\d{2})?(?: uhr)?|bitte|mal|jetzt|dann|ok|okay|hey|hallo|hi|elwood|ja|also|und|gut|super|kurz|schnell|noch|doch|(?:kannst|könntest|würdest|magst|willst) du(?: mir| bitte| mal| mir bitte| bitte mal)?|(?:können|könnten|würden) sie(?: mir| bitte)?|du sollst|ich möchte, dass du|hilf mir(?: dabei)?,?|morgen|heute|nachher|zuerst|danach|für mich|[-*•]|\\d+[.)]",
  said: "(?:ich|du|er|wir|ihr|es|man)(?![\\p{L}])|(?:hab|habe|bin|war)(?![\\p{L}])",
  noun: "(?:plan|mail|post|order|buch|start|druck|teil|such|push|commit|merge|check)(?: (?:für|von|über|zum|zur|der|des|an die|an den)(?![\\p{L}])|\\s*:|$)|(?:commit|merge|such|teil|plan)-",
  tell: "(?:kürzer|knapper|länger|auf_\\p{L}+)_antworten antworte_(?:nur|kurz|mit|auf_(?:deutsch|englisch)).* ergänz~_dass empfiehl empfehlen übersetz~ erklär~ fass_.* zusammen(?:zu)?fassen beschreib~ dichte erzähl~ nenn~ zeig_mir schlag_.* vor(?:zu)?schlagen vergleich~ berechne rechne rechnen list~ auf(?:zu)?listen kürz~ gib_mir sag_mir sag_mal formulier~ korrigier~_(?:diesen|den|meinen)_(?:satz|text|absatz) mach_(?:das|es|den_\\p{L}+|daraus|mir|ein|eine|einen)_(?!(?:einen_|den_)?termin)(?!.*_(?:an|aus|zu|auf)$).* überleg~ analysier~ bewert~ vereinfach~ anonymisier~ wähl~ rat~ errat~ verbesser~ umformulier~ um(?:zu)?formulieren",
  fiction:
    "tu so|stell dir vor|spiel(?:e)? (?:einen|eine|den|die) (?!musik|playlist|song|liste)|rollenspiel|du bist (?:ein|eine|mein|jetzt) ?|lass uns spielen",
  text: "absatz|absätze|satz|sätze|zeile|spalte|tabelle|tonfall|formulierung|überschrift|funktion|gedicht|geschichte|witz|märchen|rede|tweet|rezept|gliederung|zusammenfassung|quiz|checkliste|vorlage|commit-?(?:text|nachricht|message)|anschreiben|grammatik|rechtschreibung|kommas?|anrede|einleitung|beispiel\\p{L}*|ideen?|diese\\p{L}? (?:liste|text|code|zeile)|deine\\p{L}? (?:antwort|version|text|entwurf)|doppelte|trainingsplan|lernplan|essensplan|vor- und nachteile|slogan|emojis?|den teil|wörter",
  place:
    "(?:mein|unser|dein|der|die|das|den|dem|im|ins|am|vom|aus|in|auf)\\p{L}{0,2} (?:\\p{L}+ )?(?:kalender|postfach|posteingang|mails?|e-mails?|notiz(?:en)?|datei(?:en)?|ordner|laufwerk|repo|branch|server|datenbank|konto|kontostand|einkaufsliste|to-?do-?liste|aufgaben(?:liste)?|schreibtisch|desktop|downloads|dokumente|fotos|nachrichten|website|webseite|festplatte|rechner|handy|kontakte|playlist|bestellung(?:en)?|termine?|rechnung(?:en)?|backup|logs?|papierkorb|netz|internet|wetter|abo|paket|kühlschrank|warenkorb|ablage|entwürfe)|meine\\p{L}? termine|wetter|termine? (?:heute|morgen)|(?:heute|morgen) (?:\\p{L}+ )?termine?|öffnungszeiten|habe ich (?:\\p{L}+ ){0,2}frei|ungelesene|online|wechselkurs|aktienkurs|flüge?|verkehr",
  ofYou:
    "hast du|haben sie|was hast du|wurden? (?:meine?|die|der|das|sie|er|es)|ist (?:meine?|der|die|das) (?:\\p{L}+ ){1,5}(?:erledigt|fertig|gesendet|raus|da|gebucht|bezahlt|gelöscht|angekommen|durch|gelaufen|verschickt|abgeschickt|online|gespeichert)|hat (?:das|es|der|die|mein\\p{L}*) (?:\\p{L}+ ){0,3}(?:geklappt|funktioniert|bestätigt|geantwortet)",
  status:
    "ist (?:\\p{L}+ ){0,5}(?:erledigt|fertig|gesendet|raus|gebucht|bezahlt|gelöscht|durch)|status|du hast gesagt|bist du (?:schon )?fertig|wie weit|gibt es (?:schon )?(?:neuigkeiten|was neues)|was ist passiert|läuft (?:das|der|die) (?:\\p{L}+ )?noch|schon (?:erledigt|fertig|raus)",
  consent:
    "(?:ja|jo|jep|jawohl|ok(?:ay)?|mach(?: das| es)?|bitte|gern(?:e)?|los|einverstanden|nochmal|weiter|klar|in ordnung|passt|genau|bestätigt|genehmigt|ich bestätige|alles klar|leg los|nur zu|stimmt|von mir aus|perfekt|das passt)(?:[\\s,.!]+(?:bitte|danke|gern|gerne|das|so|mal|jetzt|ja|los|mach|es|das|weiter|passt|für mich|leg)){0,5}",
  refusal:
    "(?:nein|nee|nö|lass es|lass das|stopp?|halt|nicht|vergiss es|lieber nicht|doch nicht)(?:[\\s,.!]+(?:danke|bitte|lass|es|das|nicht|lieber|sein|doch|jetzt)){0,4}",
  not: "(?<!dass .*)(?<![\\p{L}])(?:nicht|nichts|kein(?:e|en|er|em)?|niemals|nie|niemand\\p{L}*|brauchst)(?![\\p{L}])",
  asks: "was|wie|wann|wo|wer|wem|wen|warum|wieso|weshalb|woher|wohin|welche\\p{L}?|ist|sind|habe ich|hat|gibt|war|wurden?|darf|soll(?:te)? (?:ich|man)|muss|kann (?:ich|man)|stimmt|haben|bin|hast du",
  how: "warum|wieso|weshalb|wie (?!weit|lief|läuft|viel|voll|ist das wetter|wird das wetter|spät|hoch|lange)|was (?:ist|sind|bedeutet|heißt|passiert|macht) (?:ein|eine|der unterschied|\\p{L}+\\?|wenn)|soll|sollte|darf|kann (?:ich|man)|muss",
  and: " (?:und|dann|sowie|aber) ",
};
