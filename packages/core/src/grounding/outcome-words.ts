/** "`a.md` is no longer there": said with a "no", and told as deleted all the same. */
export const GONE =
  /no longer (?:there|exists?|in)|(?:is|are) gone|(?:gibt es|existier\p{L}*|ist|sind) (?:\p{L}+ )?nicht mehr(?: da)?[.!]|n'(?:existe|est) plus|n'y a plus|ya no (?:está|existe|hay)|non (?:c'è|esiste|ci sono) più|(?:já )?não existe(?:m)? mais|já não (?:existe|está)|bestaat niet meer|is er niet meer|już nie (?:ma|istnieje)|nie ma (?:już|śladu)|もう(?:ありません|ない|存在しません)|(?:已经|已經|现在)?(?:没有了|不存在了|没了)|(?:이제|더 이상) 없|artık yok/iu;

export const NOT_FOUND =
  /no such (?:file|folder|page|note|entry)|(?:does not|doesn't) exist|(?:gibt es|existiert) (?:\p{L}+ )?nicht[.!]?$|keine solche (?:datei|seite|notiz)|n'existe pas|no existe|non esiste|não existe|bestaat niet|nie istnieje|不存在|存在しません|존재하지 않/iu;

export const IN_MEMORY =
  /(?<!\p{L})(?:to|in|into) (?:my |the |long-term )?memory(?!\p{L})|(?:im|ins|mein\p{L}*) gedächtnis|en (?:ma |la )?mémoire|(?:en|a) (?:mi |la )?memoria|(?:in|nella mia|alla) memoria|na (?:minha )?memória|(?:in|aan) (?:het|mijn) geheugen|w pamięci|do pamięci|记忆|記憶し|메모리에|기억해|hafıza/iu;

export const PREPARED =
  /(?<!\p{L})(?:prepared|set up|ready|vorbereitet|bereit|préparé|prête?s?(?!\p{L})|preparad|list[oa]s?(?!\p{L})|preparat|pront[oaie](?!\p{L})|klaargezet|voorbereid|przygotowa|gotow|hazır)|準備|準備完了|已准备|已備好|准备好|준비/iu;

export const REMIND =
  /(?<!\p{L})remind|erinner\p{L}* (?:dich|sie|euch)|te (?:rappel|recordar)|vous rappel|ti ricord|te lembr|herinner\p{L}* (?:je|u)(?!\p{L})|przypomn|提醒|リマインド|알려/iu;

/** Of a call that was undone: the sentence says so. */
export const TELLS_OF_UNDO =
  /und(?:id|o|one)|revert|restor|(?<!\p{L})back(?!\p{L})|rückgängig|wiederher|zurück|annul|rétabl|restaur|desh[ei]|desfe|desfiz|desfa|ripristin|ongedaan|herstel|terug|cofn|przywr|撤销|恢复|取り消|元に戻|되돌|복원/iu;

/** All went well. */
export const SUCCESS =
  /(?<!\p{L})(?:pass(?:es|ed|ing)?|succe\p{L}+|green|all good|fine|worked|works|pushed|deployed|merged|without (?:an? )?(?:error|problem|issue)\p{L}*|erfolg\p{L}*|bestanden|grün|durchgelaufen|geklappt|ohne fehler|réussi\p{L}*|passent|sans erreur|éxito|pasa[nr]?|pasaron|sin errores|riuscit\p{L}*|passat\p{L}*|superat\p{L}*|senza errori|sucesso|passaram|sem erros|geslaagd|slagen|gelukt|zonder fouten|powiodł\p{L}*|przeszł\p{L}*|bez błędów)(?!\p{L})|通过|成功|没有报错|通り|パス|合格|성공|통과|문제없/iu;

/** "Without a problem" denies nothing. */
export const SMOOTHLY =
  /(?<!\p{L})(?:without|ohne|sans|sin|senza|sem|zonder|bez)(?: an?| any| eine?n?)? \p{L}+|(?<!\p{L})(?:no|zero|keine|aucune?|sin|ning[uú]n\p{L}*|nessun\p{L}*|nenhum\p{L}*|geen|bez|żadnych|inga|žádn\p{L}+) (?:error|problem|issue|trouble|warning|fehler|warnung|erreur|avertissement|problème|errore|aviso|avviso|advertencia|problema|fout|waarschuwing|błęd|ostrzeż|fel|varning|chyb|varován)\p{L}*|(?:none|nothing) (?:was|were|is|got) (?:left out|missing|missed|lost|skipped|forgotten)|no longer|nicht mehr|ne \p{L}+ plus|ya no|non \p{L}+ più|não \p{L}+ mais|niet meer|już nie|不再|もう/giu;

/** Denies all of it: "nothing was changed". */
export const NOTHING =
  /(?<!\p{L})(?:nothing|anything|no (?:changes?|files?|messages?|e-?mails?|money|edits?)|none|nichts|keine?(?:r(?:lei)?|n)? (?:änderung\p{L}*|datei\p{L}*|nachricht\p{L}*|mail\p{L}*)|rien|aucun\p{L}*|nada|ningun\p{L}*|ningún|niente|nulla|nessun\p{L}*|nenhum\p{L}*|niets|geen (?:wijziging|bestand|bericht|mail)\p{L}*|nic|niczego|żadn\p{L}*)(?!\p{L})|什么(?:都|也)[没不]|没有任何|任何|何も|一切|一件も|一つも|아무것도|아무 |전혀|하나도/iu;

/** What came of it is not known. */
export const UNSURE =
  /(?<!\p{L})(?:can(?:not|'t)|don't|not|unable to) (?:tell|say|know|confirm|be sure)|(?<!\p{L})(?:unsure|unclear|unknown|uncertain|may or may not|may have|might have|never got|no (?:answer|response|reply|confirmation|result)|unklar|ungewiss|unbekannt|weiß (?:ich )?nicht|nicht sicher|keine (?:antwort|bestätigung|rückmeldung)|incertain|inconnu|pas sûre?|ne sais pas|sans (?:réponse|confirmation)|aucune (?:réponse|confirmation)|incierto|desconocid\p{L}|no (?:lo )?sé|no estoy segur\p{L}|sin (?:respuesta|confirmación)|incerto|ignoto|non (?:lo )?so|non sono sicur\p{L}|nessuna (?:risposta|conferma)|não sei|não tenho certeza|sem (?:resposta|confirmação)|onzeker|onduidelijk|onbekend|weet (?:ik )?niet|geen (?:antwoord|bevestiging|reactie)|niepewn\p{L}+|nie wiem|nie wiadomo|brak (?:odpowiedzi|potwierdzenia)|bez (?:odpowiedzi|potwierdzenia))(?!\p{L})|不确定|不清楚|无法确认|没有(?:收到)?(?:回应|确认|响应)|わかりません|不明|確認でき|返事がない|応答がな|확실하지|모르|확인되지|응답이 없|불분명/iu;

/** Something was opened and read, not only looked for. */
export const OPENED =
  /(?<!\p{L})(?:read|opened|visited|skimmed|browsed|(?:went|gone|going|looked|combed|worked) through|pulled up|gelesen|durchgelesen|geöffnet|aufgerufen|durchgegangen|durchgesehen|durchgeschaut|lue?s?|relue?s?|ouvert\p{L}*|parcouru\p{L}*|consulté\p{L}*|leíd[oa]s?|leí|abiert[oa]s?|abrí|repasado|lett[oaei]|apert[oaei]|sfogliat\p{L}|lid[oa]s?|li|abri|abert[oa]s?|percorri|gelezen|doorgelezen|geopend|doorgenomen|bekeken|przeczytał\p{L}*|otworzył\p{L}*|przejrzał\p{L}*|läst|öppna(?:t|de)|(?:gått|gick) igenom|přečetl\p{L}*|otevřel\p{L}*|prošel|prošla|okudum|açtım|inceledim|gözden geçirdim)(?!\p{L})|读[了完过]|打开[了过]|看[了完过]|访问[了过]|浏览|通读|翻[了阅]|読み(?:ました|込|比べ)|読んで|開(?:いて|き)|目を通|読了|읽(?:었|어 ?봤|어보)|열어|훑어|살펴/iu;
