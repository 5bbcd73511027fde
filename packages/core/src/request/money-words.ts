// Words by which a wish about money is told from one about something else, and a sum from another number.

/** "Record the payment" and "make a note of the payment" write about one. */
export const MAKES =
  /^(?:(?:please|bitte|por favor|can you|could you|kannst du)\s){0,2}(?:create|make|set up|set|add|issue|plan|erstell|leg|richt|mach|tätig|crea|haz|añad|agreg|configur|crée|cré|fais|ajout|effectu|mets|cria|faz|faça|maak|zrób|utwórz|ustaw)\p{L}*(?!\p{L})|创建|新建|设置|添加|作成|登録|設定|追加/iu;

export const WRITTEN_DOWN =
  /(?<!\p{L})(?:notes?|entr(?:y|ies)|reminders?|records?|lists?|files?|notiz(?:en)?|eintrag|erinnerung|liste|datei|notas?|apuntes?|recordatorios?|listas?|archivos?|rappels?|fichiers?|listes?)(?!\p{L})|笔记|记录|提醒|清单|メモ|記録|リマインダー|リスト/iu;

/** Verbs by which somebody is told something, and not paid. */
export const TELLS =
  /^(?:(?:please|and|then|also|bitte|und|dann|por favor|y|et|puis|can you|could you|kannst du|请|麻烦|帮我)\s?){0,2}(?:tell|inform|notify|let|ask|remind|text|message|e-?mail|mail|reply|respond|answer|write|post|announce|share|invite|call|ring|phone|contact|sag|schreib|benachrichtig|informier|teile?|antwort|maile?|rufe?|lade?|frage?|di|dile|avis|infor|escrib|contest|respond|llama|compart|invita|public|pregunt|dis|préviens|prévien|écri|répond|appel|partag|invite|publi|demande)\p{L}*(?![\p{L}])|告诉|通知|回复|发邮件|发消息|联系|伝え|知らせ|返信|メール|連絡|投稿|電話|共有|招待/iu;

/** What is sent where no money is. */
export const THING_SENT =
  /(?<!\p{L})(?:pictures?|photos?|messages?|e-?mails?|mails?|links?|files?|cop(?:y|ies)|reminders?|invoices?|receipts?|cards?|letters?|documents?|screenshots?|videos?|lists?|summar(?:y|ies)|reports?|bild(?:er)?|fotos?|nachricht(?:en)?|datei(?:en)?|kopien?|erinnerung|rechnung(?:en)?|quittung|beleg|karte|brief|dokument|liste|zusammenfassung|bericht|imagen|mensaje|correo|enlace|archivo|copia|recordatorio|factura|recibo|tarjeta|carta|documento|lista|resumen|informe|image|courriel|lien|fichier|copie|rappel|facture|reçu|carte|lettre|document|résumé|rapport)(?!\p{L})|照片|图片|消息|邮件|链接|文件|提醒|发票|收据|账单|写真|画像|メッセージ|リンク|ファイル|請求書|領収書/iu;

/** What a payment is for, or what is written beside it. */
export const PURPOSE = /\s(?:for|with|as|because|für|mit|wegen|als|para|por|con|como|pour|avec|comme)\s.*$/iu;

/** What a payment is called. */
export const MONEY_NOUN =
  /transfer|payment|standing order|transaction|überweisung|zahlung|dauerauftrag|pago|pagamento|virement|paiement|bonifico|przelew|overschrijving|betaling|转账|付款|汇款|送金|振込|支払|이체|송금/iu;

/** Behind a number of something that is no money: "3 hours", "the 20th". */
export const COUNTED_AFTER =
  /^(?:st|nd|rd|th)(?!\p{L})|^\.(?=\s\p{L})|^[\s-]?(?:minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?|people|persons?|guests?|pages?|km|kg|miles?|tickets?|nights?|minuten?|stunden?|std|tagen?|tage|wochen?|monaten?|jahren?|jahre|personen|leute|seiten|karten|nächte|minutos?|horas?|d[ií]as?|semanas?|mes(?:es)?|años?|personas|páginas|entradas|noches|heures?|jours?|semaines?|mois|ans|personnes|billets|nuits|minuti|ore|giorni|settimane|mesi|anni|persone|biglietti|uur|uren|dagen|weken|maanden|personen)(?!\p{L})|^\s?(?:分钟|小时|天|个月|年|个人|张|时间|時間|日間|人|枚)/iu;

/** Before a number by which something is called: "invoice 118". */
export const NUMBERED =
  /(?<!\p{L})(?:invoice|bill|order|number|no\.?|nr\.?|room|page|chapter|ticket|flight|rechnung|rechnungsnummer|nummer|bestellung|seite|zimmer|factura|pedido|número|núm\.?|facture|commande|numéro|n°|fattura|ordine|numero|factuur|bestelling)\s(?:number\s|no\.?\s|nr\.?\s|nummer\s)?#?$|#$/iu;

/** An article, which means one. */
export const ONE =
  /(?<!\p{L})(?:an?|one|the|my|eine?[nmrs]?|den|das|die|una?|uno|el|la|une|le|een|um|uma|il|lo)(?!\p{L})|一/iu;

export const IN_CURRENCY =
  /(?<!\p{L})(?:in|en|em)\s(euros?|dollars?|dólares|pounds?|franken|yen|yuan|złot\p{L}+|reais)(?!\p{L})/giu;
