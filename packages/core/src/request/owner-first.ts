/**
 * Whether a message says that its sender wants to see, decide or do the last step themselves:
 * "show it to me first", "I'll send it myself", "as a draft". What it asks for then is not to be
 * done yet. Every language is looked for, since a short message may be taken for another one.
 */
export function wantsToDecide(mask: string): boolean {
  return OWNER_FIRST.some((words) => words.test(mask));
}

/** A message without what a question and its answer settle: "ask me first whether …". To see something first is more than that. */
export function withoutAskFirst(mask: string): string {
  return mask.replaceAll(ASK_FIRST, (found) => " ".repeat(found.length));
}

const ASK_FIRST =
  /(?<![\p{L}\p{N}])(?:(?:ask|consult) me (?:\p{L}+ ){0,3}(?:first|before(?:hand)?)|(?:first|before that) ask (?:\p{L}+ ){0,2}me|frage? (?:[^\s,]+ ){0,2}(?:mich)(?: [^\s,]+){0,3} (?:vorher|zuerst|zuvor|erst|erstmal|vorab)|(?:vorher|zuerst|zuvor|erst|erstmal|vorab) mich fragen|frage? mich|(?:pregúnta|consúlta)(?:me|mel[oa]s?|nos)(?: [^\s,]+){0,3} (?:antes|primero|previamente)|(?:antes|primero) (?:pregúnta|consúlta)\p{L}*|demande(?:-l[ea]s?)?-moi(?: [^\s,]+){0,3} (?:avant|d'abord)|(?:d'abord|avant),? demande(?:-l[ea]s?)?-moi|chiedi(?:mel[oa]|mi)(?: [^\s,]+){0,3} prima|prima chiedi\p{L}*|pergunta(?:-me|-mo)(?: [^\s,]+){0,3} (?:antes|primeiro)|vraag (?:[^\s,]+ ){0,3}(?:eerst|vooraf)|najpierw (?:mi |mnie )?zapytaj|zapytaj(?: [^\s,]+){0,3} (?:najpierw|wcześniej))(?![\p{L}\p{N}])|先问(?:一下|过)?我|(?:その前に|先に|まず|事前に)[^。、]{0,10}聞い|먼저 물어/gu;

/** A draft is to be written, and nothing is to leave: "draft a mail to Anna". */
export function isOnlyDraft(text: string): boolean {
  return DRAFT.test(text.toLowerCase());
}

const DRAFT =
  /(?<!\p{L})(?:drafts?|drafting|entwirf|entwerf\p{L}*|entw[uü]rf\p{L}*|borrador(?:es)?|brouillons?|bozz[ae]|rascunhos?|concept(?:mail|bericht)?|szkic\p{L}*)(?!\p{L})|起草|草拟|草稿|下書き|초안/u;

const words = (...sources: readonly string[]) =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${sources.join("|")})(?![\\p{L}\\p{N}])`, "u");

const OWNER_FIRST: readonly RegExp[] = [
  // English
  words(
    "(?:for me to|so (?:that )?i (?:can|may|could)|until i(?:'ve| have)?|wait for me to|let me) (?:\\p{L}+ ){0,2}(?:sen[dt]|post(?:ed)?|pay|paid|submit|confirm(?:ed)?|approved?|check(?:ed)?|review(?:ed)?|look(?:ed)?|read|seen?|sign(?:ed)?|decided?|okay|ok|say|said)",
    "i(?:'ll| will| want to| would like to|'d like to| have to| need to|'m going to) (?:\\p{L}+ ){1,5}(?:myself|first|before(?:hand)?)",
    "(?:show|read|send) (?:(?:it|them|this|that) )?(?:to )?me (?:\\p{L}+ ){0,3}(?:first|before(?:hand)?)",
    "(?:ask|tell|call|ping|consult) me (?:\\p{L}+ ){0,3}(?:first|before(?:hand)?)",
    "(?:first|before that) (?:show|ask|check with|tell|call) (?:\\p{L}+ ){0,2}me",
    "(?:check|confirm|clear|verify|double-check) (?:(?:it|them|this|that|everything) )?with me",
    "run (?:it|them|this|that) (?:by|past) me",
    "(?:get|wait for|need|with|after|without|pending|subject to) my (?:\\p{L}+ )?(?:ok|okay|approval|consent|confirmation|permission|go-ahead|sign-off|word|yes)",
    "before (?:you )?(?:actually )?(?:send|sending|post|posting|pay|paying|submit|submitting|transfer|transferring|wire|wiring|book|booking|order|ordering|buy|buying|publish|publishing|do (?:it|that|anything)|doing (?:it|that|anything))",
    "(?:as|in|into) (?:a |my |the )?drafts?(?: folder)?",
  ),
  /(?:^|[,.;:!?]|(?<!\p{L})(?:and|but|then))\s*i(?:'ll| will) (?:send|submit|post|pay|confirm|approve|publish) (?:it|them|this|that|the rest)(?!\p{L})/u,
  // German
  words(
    "damit ich (?:[^\\s,]+ ){0,4}(?:prüf|überprüf|kontrollier|anschau|anseh|durchles|les|schick|abschick|absend|send|bestätig|freigeb|entscheid)\\p{L}*",
    "(?:zeige?|frage?|lege?|gib|lass) (?:[^\\s,]+ ){0,2}(?:mir|mich)(?: [^\\s,]+){0,3} (?:vorher|zuerst|zuvor|erst|erstmal|vorab)",
    "(?:vorher|zuerst|zuvor|erst|erstmal|vorab) (?:mir|mich) (?:zeigen|fragen)|frage? mich",
    "(?:bevor|ehe) (?:du|etwas|es|sie|das)",
    "vor dem (?:ab|ver)?(?:senden|schicken|bezahlen|zahlen|buchen|bestellen|veröffentlichen|überweisen)",
    "ich (?:schicke|sende|überweise|bezahle|prüfe|bestätige|mache|verschicke|veröffentliche) (?:[^\\s,]+ ){0,3}(?:selbst|selber)",
    "ich (?:will|möchte|muss) (?:[^\\s,]+ ){0,4}(?:vorher|zuerst|zuvor|noch|erst|selbst) (?:[^\\s,]+ ){0,3}(?:prüfen|sehen|lesen|ansehen|anschauen|kontrollieren|bestätigen|freigeben|abschicken|absenden|schicken|senden)",
    "lass mich (?:[^\\s,]+ ){0,4}(?:prüfen|sehen|lesen|ansehen|anschauen|drüberschauen|drüberlesen|bestätigen|entscheiden)",
    "als entwurf|in (?:die |den |meine )?entwürfe",
    "warte (?:auf mein\\p{L}*|bis ich)|(?:mit|nach|ohne|auf) meine[rn]? (?:\\p{L}+ )?(?:zustimmung|freigabe|bestätigung|erlaubnis|ok|okay)",
  ),
  // Spanish
  words(
    "para que (?:yo )?(?:l[oae]s? )?(?:revise|mande|envíe|apruebe|confirme|compruebe|decida)",
    "para que yo (?:l[oae]s? )?(?:vea|lea)",
    "antes de (?:enviar|mandar|pagar|publicar|reservar|comprar|transferir|hacer)(?:l[oae]s?)?",
    "(?:enséña|muéstra|pregúnta|consúlta|avísa|pása)(?:me|mel[oa]s?|nos)(?: [^\\s,]+){0,3} (?:antes|primero|previamente)",
    "(?:antes|primero) (?:enséña|muéstra|pregúnta|consúlta|confírma|avísa)\\p{L}*",
    "(?:consúltalo|confírmalo|consulta|confirma) conmigo",
    "l[oa]s? (?:mando|envío|reviso|pago|mandaré|enviaré|confirmo|publico) yo|yo (?:mism[oa] )?l[oa]s? (?:mando|envío|reviso|pago|mandaré|enviaré|confirmaré|publico)",
    "déjame (?:[^\\s,]+ ){0,2}(?:ver|revisar|leer|comprobar|confirmar)\\p{L}*",
    "como borrador|en (?:mis |los )?borradores",
    "espera (?:mi|a que)|cuando (?:yo )?(?:te )?(?:lo )?(?:confirme|apruebe|diga)|(?:con|sin|tras) mi (?:aprobación|confirmación|permiso|visto bueno)",
  ),
  // French
  /(?<!\p{L})(?:pour que je (?:l[ea]s? |l')?(?:relise|envoie|valide|vérifie|confirme|voie|lise|approuve)|avant (?:de |d'|que tu |l'|toute? )(?:ne )?(?:l[ea]s? |l'|n')?(?:envo\p{L}+|pay\p{L}*|paiement|publi\p{L}*|réserv\p{L}*|command\p{L}*|vir\p{L}*|faire|fasses)|(?:montre|demande|lis|fais)(?:-l[ea]s?)?-moi(?: [^\s,]+){0,3} (?:avant|d'abord)|(?:d'abord|avant),? (?:montre|demande)(?:-l[ea]s?)?-moi|je (?:l[ea]s? |l')?(?:enverrai|envoie|vérifierai|vérifie|relirai|paierai|confirmerai|publierai) (?:[^\s,]+ ){0,2}(?:moi-même|d'abord|avant)|laisse-moi (?:[^\s,]+ ){0,2}(?:voir|vérifier|relire|lire|valider|confirmer)|(?:comme|en) brouillon|dans (?:mes |les )?brouillons|attends (?:mon|ma|que je)|(?:avec|après|sans) (?:mon accord|ma validation|ma confirmation|mon feu vert))(?!\p{L})/u,
  // Italian, Portuguese, Dutch, Polish
  words(
    "prima di (?:invi|mand|pag|pubblic|prenot|compr|ordin)\\p{L}+|(?:mostra|chiedi|fa)(?:mel[oa]|mmel[oa]|mi)(?: [^\\s,]+){0,3} prima|prima (?:mostra|chiedi|fammel)\\p{L}*|come bozza|nelle bozze|l[oa] (?:invio|mando|pago) io|lasciami (?:vedere|controllare|leggere)|(?:con|senza) la mia (?:approvazione|conferma)",
    "(?:mostra|pergunta)(?:-me|-mo)(?: [^\\s,]+){0,3} (?:antes|primeiro)|como rascunho|nos rascunhos|eu (?:mesm[oa] )?(?:envio|mando|pago)|deixa-me (?:ver|rever|ler)|(?:com|sem) a minha (?:aprovação|confirmação)",
    "voordat je|voor het (?:versturen|verzenden|betalen|plaatsen)|(?:laat|vraag|toon) (?:[^\\s,]+ ){0,3}(?:eerst|vooraf)|als concept|in concepten|ik (?:stuur|verstuur|betaal) (?:[^\\s,]+ ){0,2}zelf|(?:met|zonder) mijn (?:toestemming|goedkeuring)",
    "zanim (?:wyślesz|zapłacisz|opublikujesz|zamówisz)|przed (?:wysłaniem|zapłatą|publikacją|zamówieniem)|najpierw (?:mi |mnie )?(?:pokaż|zapytaj)|(?:pokaż|zapytaj)(?: [^\\s,]+){0,3} (?:najpierw|wcześniej)|jako (?:szkic|wersję roboczą)|sama? (?:wyślę|zapłacę)|(?:za|bez) moj(?:ą|ej) (?:zgodą|zgody)",
  ),
  // Chinese
  /先(?:给|让|跟|和|问|请|经)?(?:一下)?我(?:看|确认|检查|过目|说|商量|同意|审|批)|先问(?:一下|过)?我|问过我|(?:给|让|等|经)(?:过)?我(?:先)?(?:看|确认|检查|过目|审|同意|批准)|(?<!出)(?:发|付|转|寄|订|买|下单|发送|付款|转账|支付|提交|发布|汇款)(?:之)?前(?!天|往)|存(?:成|为|到|进|入)?草稿|作为草稿|我(?:自己|来)(?:发|付|转|寄|订|买)|等我/u,
  // Japanese
  /(?:送[るっ]|送金する|送金|送信する|送信|払う|支払う|支払い|投稿する|投稿|公開する|公開|予約する|予約|注文する|注文|購入する|購入|買う|振り込む)(?:の)?前に|(?:その前に|先に|まず|事前に)[^。、]{0,10}(?:見せ|確認|聞い|相談|許可)|確認(?:して|した|させて|を)[^。、]{0,3}(?:から|後)|(?:私|僕|俺|自分)(?:が|で)[^。、]{0,8}(?:送|払|確認|決め)|下書き(?:に|として|で|フォルダ)|確認させて|見せてから|許可を(?:取|得)|勝手に/u,
  // Korean
  /(?:보내|결제하|송금하|주문하|예약하|게시하)기 전에|먼저 (?:보여|물어|확인)|(?:제가|내가) (?:직접 )?(?:보내|확인|결제)|초안으로/u,
];
