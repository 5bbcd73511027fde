import type { RequestWords } from "./words.ts";

export const NL: RequestWords = {
  position: "ends",
  endings: "(?:en|t)?",
  prefixes: "(?:aan|af|op|uit|in|door|over|toe|weg|terug|bij|mee|lager|hoger|harder|zachter)",
  verbs: {
    write:
      "maak_(?:even_|snel_)?(?:het_bestand_)?\\S*\\.\\p{L}\\S* maak_(?:even_)?(?:een|de)_(?:notitie|map|bestand|afspraak|taak|ticket|herinnering|lijstje).* aan(?:te)?maken voeg~ toe(?:te)?voegen zet_.* (?:in|op)(?:te)?zetten sla_.* op(?:te)?slaan opslaan bewaar bewaren noteer noteren schrijf_.*_op registreer registreren werk_.*_bij bij(?:te)?werken bijwerken wijzig~ verander~ pas_.*_aan aanpassen bewerk~ vervang~ corrigeer corrigeren markeer markeren activeer schakel_.*_in sorteer sorteren ruim_.*_op opruimen vul_.* invullen onthoud onderteken~ vink_.*_af repareer herstel~ sluit_(?:het|de|die)_(?:ticket|issue|taak)",
    delete:
      "verwijder~ wis wissen schrap~ gooi_.* leeg legen annuleer annuleren zeg_.*_(?:op|af) opzeggen afzeggen meld_.*_af afmelden haal_.*_(?:uit|weg)(?:_|$).* deïnstalleer blokkeer",
    move: "verplaats~ hernoem~ archiveer archiveren kopieer kopiëren download~ upload~ synchroniseer exporteer importeer maak_een_(?:back-?up|kopie).* dupliceer",
    send: "vraag_(?:aan_)?(?!me|mij|je|jezelf)\\S+_(?:of|wanneer|hoe|waar|om) stuur sturen versturen verstuur verzend~ mail mailen app(?:en)? antwoord~ beantwoord~ reageer post_(?:dit|dat|het|een).* plaats_(?:dit|dat|het|een).* bericht_(?!aan|over|voor)\\p{L}+ laat_(?!me|mij)\\p{L}+(?:_\\p{L}+)?_weten.* informeer bel bellen deel delen nodig_.*_uit uitnodigen zeg_tegen vertel_(?!me|mij|een|over|iets)\\p{L}+ publiceer accepteer weiger meld_(?!.*_af(?:_|$)).* waarschuw schrijf_(?:mijn_)?\\p{L}+_dat",
    draft: "schrijf schrijven stel_.*_op opstellen",
    pay: "betaal betalen maak_.*_over overmaken koop kopen bestel~ doneer vergoed",
    schedule:
      "plan plannen herinner~ boek boeken reserveer reserveren wek wekken verzet verzetten stel_.*_uit uitstellen maak_een_afspraak.* zet_(?:een_|de_)?(?:wekker|timer|alarm).* houd_.*_in_de_gaten",
    run: "start starten herstart~ stop stoppen voer_.*_uit uitvoeren installeer installeren merge commit push deploy draai_(?:de|het)_(?:tests?|script|build).* rol_.*_uit bouw_(?:de|het)",
    control:
      "doe_.*_(?:aan|uit|dicht|open|op_slot) zet_.*_(?:aan|uit|harder|zachter|lager|hoger) zet_de_(?:verwarming|thermostaat|muziek).* zetten dim dimmen speel_(?!een_|de_rol).* afspelen print printen sluit open vergrendel pauzeer",
    look: "controleer controleren check checken kijk kijken zoek zoeken vind lees lezen bekijk bekijken raadpleeg google opzoeken nakijken",
  },
  lead: "alsjeblieft|alstublieft|graag|even|nu|dan|ok|oké|hé|hey|hoi|hallo|elwood|ja|en|maar|ook|(?:kun|kan|kunt|zou|wil) (?:je|jij|u)(?: even| me| mij| alsjeblieft| kunnen)?|ik wil dat je|help me(?: met)?|morgen|vanavond|vandaag|eerst|daarna|vergeet niet|nog|[-*•]|\\d+[.)]",
  noun: "(?:mail|post|start|stop|plan|boek|deel|print|commit|push|merge|check|app|bel|open)(?: (?:van|voor|over|aan|naar|met)(?![\\p{L}])|\\s*:|$|(?:tje|je)s?(?![\\p{L}]))|mailtje|appje|plan voor",
  said: "(?:ik|jij|hij|zij|we|wij|ze|er)(?![\\p{L}])",
  tell: "laat_(?:me|mij)_.*_zien antwoord_(?:alleen|met|in_het) vertaal vertalen leg_.*_uit uitleggen vat_.* samenvatten beschrijf stel_.*_voor raad_.*_aan vertel_(?:me|mij|een|over|iets).* vergelijk bereken reken herschrijf verzin bedenk geef_(?:me|mij)? toon noem som_.*_op maak_(?:dit|dat|het|deze|er|een|de_\\p{L}+|me|van)_.* kort_.*_in inkorten verbeter_.* kies gok ga_verder analyseer vereenvoudig zet_om zet_(?:dit|dat|deze)_(?:om|in_een_tabel).* corrigeer_(?:deze|dit|de|mijn)_(?:zin|tekst|alinea)",
  fiction:
    "doe alsof|stel je voor|speel (?:een|de rol)|rollenspel|jij bent (?:een|mijn)|je bent (?:een|mijn)",
  text: "alinea'?s?|zin(?:nen)?|regels?|kolom(?:men)?|tabel|toon|titel|functie|gedicht|\\p{L}*gedicht|verhaal|mop|sprookje|toespraak|tweet|recept|samenvatting|checklist|sjabloon|commit-?bericht|sollicitatiebrief|grammatica|spelling|komma'?s?|aanhef|inleiding|voorbeeld\\p{L}*|ideeën|idee|deze (?:lijst|tekst|code)|dit lijstje|dubbele:|schema|voor- en nadelen|slogan|emoji'?s?|het stuk|het deel|woorden|mailtje|grap",
  place:
    "(?:mijn|onze|ons|de|het|die|in|op|uit|van|naar) (?:\\p{L}+ )?(?:agenda|kalender|inbox|postvak(?: in)?|mails?|e-mails?|notities|bestand(?:en)?|map(?:pen)?|schijf|repo|branch|server|database|rekening|saldo|bank|boodschappenlijst(?:je)?|to-?do-?lijst|takenlijst|bureaublad|downloads|documenten|foto'?s|berichten|website|site|contacten|playlist|bestelling(?:en)?|taken|afspraken|facturen|prullenbak|abonnement|pakket(?:je)?|koelkast|winkelwagen|logs?)|weer(?:bericht)?|nieuws|internet|online|vluchten?|vlucht|ongelezen|openingstijden|verkeer|wisselkoers",
  ofYou:
    "heb (?:je|jij)|heeft u|hebt u|wat heb je|is (?:mijn|de|het|die) (?:[\\p{L}-]+ ){0,4}(?:klaar|verstuurd|betaald|geboekt|verwijderd|gelukt|aangekomen|binnen|opgeslagen|verzonden|gedaan|gestart)|werd (?:mijn|de|het)|is het gelukt|is (?:mijn|de|het|die) (?:[\\p{L}-]+ ){1,3}al|is (?:dat|het) (?:al )?(?:gebeurd|gedaan|klaar|gelukt)",
  status:
    "is (?:\\p{L}+ ){0,4}(?:klaar|gedaan|verstuurd|gelukt)|status|hoe ver|nieuws over|ben je (?:al )?klaar|wat is er gebeurd|hoe ging het|je zei|loopt (?:de|het) \\p{L}+ nog",
  consent:
    "(?:ja|jazeker|ok|oké|prima|goed|doe maar|ga je gang|graag|akkoord|klopt|bevestigd|goedgekeurd|zeker|natuurlijk|ga door|nog een keer|perfect|is goed|ik bevestig|top)(?:[\\s,.!]+(?:graag|dank je|bedankt|alsjeblieft|doe maar|ja|hoor|zo|prima|maar|ga|door|verder|is goed)){0,4}",
  refusal:
    "(?:nee|laat maar|stop|niet doen|liever niet|nu niet|nog niet|vergeet het)(?:[\\s,.!]+(?:dank je|bedankt|laat|maar|niet|doen|toch)){0,4}",
  not: "(?<! dat .*)(?<![\\p{L}])(?:niet|niets|geen|nooit|hoeft|hoef|niemand)(?![\\p{L}])",
  asks: "wat|hoe|wanneer (?:is|zijn|komt|begint|moet|kan|heb|gaat)|waar|wie|waarom|welke?|is|zijn|heb ik|hebben|heeft|kan (?:ik|dat|het)|moet|mag|klopt|staat|staan|zit|hoeveel|heb je",
  how: "waarom|hoe (?!ging|ver|laat|is het weer|wordt het weer|veel|vol|staat)|wat (?:is een|betekent|gebeurt er|zijn)|moet|mag|kan ik|is het (?:erg|normaal|beter|waar)",
  and: " (?:en|dan|daarna|maar) ",
};
