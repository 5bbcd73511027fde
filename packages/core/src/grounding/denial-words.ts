/** A capital within a sentence. */
export const NAMES_SOMEBODY = /(?<=[^.!?:\s"„“«]\s)\p{Lu}\p{Ll}{2,}/u;

/** "No, …": what follows says what is denied. */
export const ANSWER =
  /^(?:no|nope|yes|yep|right|correct|nein|ja|doch|non|oui|si|sí|sì|não|sim|nee|nie|tak|ne|ano|nej|jo|hayır|evet|いいえ|いえ|はい|没有|不|不是|是的|아니요|아니오|네|예)(?:[,.!，、。！]\s*|:\s+)(?=\S)/iu;

/** "I didn't touch it": any change speaks against that. */
export const TOUCHED =
  /(?<!\p{L})touch|(?:did|do|done)(?:n't| not)? (?:do )?anything (?:with|to)|angefasst|angerührt|(?<!\p{L})touché|toc(?:ado|ué|ada)(?!\p{L})|toccat|(?<!\p{L})mexi(?!\p{L})|aangeraakt|(?<!\p{L})rört(?!\p{L})|dokunma|nedotk|rusza[łl]|动过|碰过|触って|いじって|건드/iu;

/** "Correction: …" */
export const LABEL = /^\p{L}{4,14}\s?:\s+/u;

/** A second deed in the same clause. */
export const ALSO_DID = /(?<!\p{L})(?:and|but|und|aber|sondern|et|mais|pero|sino|ma|mas|maar|ale)(?!\p{L})/iu;

export const DID = /(?<!\p{L})did(?:n't)?(?!\p{L})|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Hangul}]/iu;

export const NONE_OF =
  /(?<!\p{L})(?:neither|nor|weder|none|(?:no|any|keine?|geen) (?:files?|notes?|messages?|e-?mails?|events?|lists?|datei(?:en)?|notiz(?:en)?|nachrichten?|mails?|termine?|listen?|bestand(?:en)?)|keine[rs]? (?:der|von|beiden|dieser)|ni l'une?|ninguno de|nessuno dei|nenhum dos|geen van|żaden z)(?!\p{L})/iu;

export const THE_FILE =
  /(?<!\p{L})(?:the (?:file|note|message|e-?mail)|die (?:datei|notiz|nachricht|mail)|le fichier|la note|el archivo|la nota|il file|o arquivo|het bestand)(?!\p{L})/iu;

/** "Could" that speaks of what was, not of what might be. */
export const COULD_NOT =
  /could(?:n't| not)|(?<!\p{L})konnte|n'ai pas pu|no (?:pude|se pudo)|non (?:ho potuto|sono riuscit)|não (?:consegui|pude)|(?<!\p{L})kon(?!\p{L})|nie (?:udało|mogł)/iu;

export const NEEDS =
  /(?<!\p{L})(?:need|must|should|ha[sd] to|have to|muss|müss|brauch|sollt|faut|doit|debe|hay que|hace falta|deve|bisogna|precisa|moet|hoeft|trzeba|musi)/iu;

export const EXISTS =
  /exist|(?<!\p{L})there(?!\p{L})|f(?:ou|i)nd|vorhanden|gefunden|(?<!\p{L})gab(?!\p{L})|trouv|encontr|trov|gevonden|istni/iu;

/** That nothing was lost or replaced is no denial of what was written. */
export const OVERWRITES =
  /overw|replac|überschr|ersetz|écras|remplac|sobrescr|reemplaz|sovrascr|sostitu|substitu|overschr|vervang|nadpis|zastąp|覆盖|替换|上書|置き換|덮어|바꾸/iu;

/** What others did not do: "those who have not answered", "没交表的同学". */
export const OF_OTHERS =
  /(?<!\p{L})(?:no|keine|pas de|aucune|sin|ninguna|nessuna|sem|nenhuma|geen|brak|inget|žádná) (?:reply|replies|answer|response|word back|antwort|rückmeldung|réponse|respuesta|risposta|resposta|antwoord|reactie|odpowiedzi|svar|odpověď)(?!\p{L})|(?<!\p{L})(?:who|whom|qui)(?!\p{L})[^,.;:]*|[没沒未不]\p{Script=Han}{1,6}的/giu;
