import type { RequestWords } from "./words.ts";

export const PL: RequestWords = {
  position: "first",
  verbs: {
    write:
      "utwórz utworzyć stwórz stworzyć dodaj dodać dodawaj zapisz zapisać zapisuj zanotuj zanotować wpisz wpisać uzupełnij zaktualizuj zaktualizować zmień zmienić zmieniaj edytuj popraw poprawić poprawiaj zastąp zastąpić zamień oznacz oznaczyć włącz_opcję ustaw_(?:w|na|status).* posortuj uporządkuj uporządkować wypełnij podpisz zapamiętaj wstaw wstawić skonfiguruj napraw naprawić załóż zamknij_(?:zgłoszenie|zadanie|ticket) dopisz dopisać",
    delete:
      "usuń usunąć usuwaj skasuj skasować kasuj wyczyść wyczyścić opróżnij odinstaluj anuluj anulować anulować odwołaj odwołać odwołuj wypowiedz wypisz_mnie zablokuj wyrzuć wyrzucaj",
    move: "przenieś przenieść przenoś zarchiwizuj archiwizuj skopiuj skopiować kopiuj pobierz pobrać ściągnij wgraj prześlij_(?:plik|pliki|zdjęcia)_(?:na|do)_.* zsynchronizuj wyeksportuj zaimportuj zrób_(?:kopię|backup).* zmień_nazwę.* przesuń_plik.*",
    send: "wyślij wysłać wysyłaj prześlij przesłać odpisz odpisać odpowiedz_(?:mu|jej|na|im|pani|panu|\\p{L}+owi).* opublikuj publikuj powiadom powiadomić powiadamiaj poinformuj poinformować przekaż przekazać daj_znać zadzwoń dzwoń zaproś zaprosić udostępnij udostępnić udostępniaj napisz_(?:do|mu|jej|im|że)(?=_|$) powiedz_(?!mi)\\p{L}+ zaakceptuj odrzuć potwierdź potwierdzić zgłoś",
    draft: "napisz napisać zredaguj",
    pay: "zapłać zapłacić płać opłać opłacić kup kupić kupuj zamów zamówić zamawiaj przelej przelać zwróć_pieniądze zrób_przelew.*",
    schedule:
      "zaplanuj zaplanować umów umówić umawiaj zarezerwuj zarezerwować rezerwuj przypomnij przypomnieć obudź obudzić budź przełóż przełożyć przekładaj przesuń przesunąć ustaw_(?:budzik|przypomnienie|minutnik|alarm).* monitoruj pilnuj",
    run: "uruchom uruchomić uruchamiaj zrestartuj restartuj zatrzymaj zatrzymać wykonaj zainstaluj zainstalować instaluj wdróż wdrażaj scal zrób_(?:commit|push|merge|deploy).* odpal wypchnij",
    control:
      "włącz włączyć włączaj wyłącz wyłączyć wyłączaj zapal zgaś zamknij zamknąć zamykaj otwórz otworzyć otwieraj przycisz przyciszyć podgłośnij podgłośnić ścisz ściszyć zapalić zgasić puść wydrukuj wydrukować drukuj odtwórz przyciemnij podkręć",
    look: "sprawdź sprawdzić znajdź znaleźć poszukaj wyszukaj przeczytaj przeczytać zobacz zerknij zajrzyj przejrzyj odczytaj",
  },
  lead: "proszę(?: cię)?|teraz|potem|ok|okej|hej|cześć|elwood|tak|no|i|ale|też|(?:czy )?(?:możesz|mógłbyś|mogłabyś|może pan|może pani|zechcesz)(?: mi| proszę)?|chcę, żebyś|pomóż mi|jutro|dziś|dzisiaj|najpierw|następnie|mi|nie zapomnij|[-*•]|\\d+[.)]",
  said: "(?:ja|on|ona|my|oni|mój|moja|moje|to|już|jestem|mam|\\p{L}+(?:łem|łam|liśmy))(?![\\p{L}])",
  tell: "przetłumacz przetłumaczyć wyjaśnij wyjaśnić wytłumacz streść podsumuj opisz zaproponuj zasugeruj poleć doradź opowiedz porównaj oblicz policz przeredaguj wymyśl powiedz_mi podaj pokaż wymień przeanalizuj uprość skróć ulepsz wybierz zgadnij kontynuuj zrób_(?:z_tego|tabelę|listę|to|mi|tekst).* przerób popraw_(?:to|ten|tę)_(?:zdanie|tekst|akapit) przepisz rozwiąż ułóż zamień_(?:to_)?na",
  fiction: "udawaj|wyobraź sobie|odegraj|wciel się|zabawa w|jesteś (?:moim|moją|teraz)|zagrajmy",
  text: "akapit\\p{L}*|zdani[ea]|zdań|wiersz\\p{L}*|linijk\\p{L}*|kolumn\\p{L}*|tabel\\p{L}*|ton|tytuł|funkcj\\p{L}*|opowiadani\\p{L}*|historyjk\\p{L}*|bajk\\p{L}*|żart\\p{L}*|dowcip|przemówieni\\p{L}*|tweet\\p{L}*|przepis|streszczeni\\p{L}*|checklist\\p{L}*|szablon|opis commita|list motywacyjny|gramatyk\\p{L}*|literówk\\p{L}*|przecin\\p{L}*|przykład\\p{L}*|pomysł\\p{L}*|t[ęe] list[ęy]|ten (?:tekst|kod)|powtórzenia|plan (?:na|nauki|treningu|posiłków)|wady i zalety|slogan|emotik\\p{L}*|fragment|słów",
  place:
    "(?:mój|moja|moje|mojej|moim|mojego|moich|moją|nasz\\p{L}*|do|w|we|z|ze|na|od|plik\\p{L}*|folder\\p{L}*) ?(?:\\p{L}+ )?(?:kalendarz\\p{L}*|skrzyn\\p{L}*|poczt\\p{L}*|mail\\p{L}*|notat\\p{L}*|plik\\p{L}*|folder\\p{L}*|katalog\\p{L}*|dysk\\p{L}*|repo\\p{L}*|serwer\\p{L}*|baz\\p{L}*|arkusz\\p{L}*|kon(?:to|cie|ta)|sald\\p{L}*|bank\\p{L}*|list\\p{L} (?:zakupów|zadań)|pulpi\\p{L}*|pobran\\p{L}*|dokument\\p{L}*|zdję\\p{L}*|wiadomości|stron\\p{L}*|kontakt\\p{L}*|playlist\\p{L}*|zamówie\\p{L}*|zada(?:nia|niach)|spotka\\p{L}*|faktur\\p{L}*|kosz\\p{L}*|subskrypcj\\p{L}*|paczk\\p{L}*|lodówc\\p{L}*|koszyk\\p{L}*|log\\p{L}*)|pogod[aęy]|internecie|online|lot(?:y|ów)|nieprzeczytan\\p{L}*|godziny otwarcia|korki|kurs (?:euro|dolara)|list[ęay] zakupów",
  ofYou:
    "(?:czy )?(?:już )?\\p{L}+(?:łeś|łaś)|czy (?:\\p{L}+ ){0,3}(?:został|została|zostało|wysłan|zapłacon|poszedł|poszła|doszedł|doszła|dotarł|dotarła|się udało|jest już|gotow)\\p{L}*|udało (?:ci )?się|co zrobił\\p{L}*",
  status:
    "gotowe|zrobione|status|na jakim etapie|jakieś wieści|jak poszło|co się stało|mówił[ea]ś|skończył[ea]ś|jak idzie",
  consent:
    "(?:tak|ok|okej|dobrze|jasne|śmiało|zrób to|zgoda|zgadzam się|potwierdzam|zatwierdzam|zatwierdzone|proszę|dalej|kontynuuj|jeszcze raz|pewnie|oczywiście|super|działaj|w porządku)(?:[\\s,.!]+(?:proszę|dzięki|dziękuję|tak|zrób|to|dalej|działaj|śmiało|jasne|bardzo|kontynuuj|dobrze)){0,4}",
  refusal:
    "(?:nie|zostaw|stop|lepiej nie|nie teraz|jeszcze nie|daj spokój)(?:[\\s,.!]+(?:dziękuję|dzięki|rób|tego|trzeba|zostaw|to|nie)){0,4}",
  not: "(?:nie|nigdy nie|nie trzeba|nie musisz|lepiej nie|jeszcze nie)(?: (?:mi|mu|jej|jeszcze|go))*",
  asks: "co|kto|kogo|kiedy|gdzie|jak|jaki\\p{L}*|jaka|dlaczego|czemu|ile|któr\\p{L}+|czy (?!możesz|mógłbyś|mogłabyś|może pan)|mogę|powinien\\p{L}*|o której|skąd",
  how: "dlaczego|czemu|jak (?!poszło|idzie)|co (?:to|oznacza|znaczy|się stanie)|czy (?:mogę|można|powinien\\p{L}*|to (?:normalne|prawda|bezpieczne)|warto|da się)|mogę",
  and: " (?:i|oraz|a potem|potem|ale) ",
};
