// Words before or behind a thing that say what it is to a wish: where something goes, where it comes from, what it is made of, who gets it.

export const FILE_NOUN =
  "file|folder|directory|document|datei|ordner|verzeichnis|dokument|archivo|carpeta|documento|fichier|dossier|cartella|arquivo|pasta|bestand|map|plik|katalog|文件|文件夹|目录|ファイル|フォルダ|파일|폴더";

export const INTO_BEFORE =
  /(?:^|[\s(])(?:to|into|onto|as|in|called|named|nach|zu|auf|als|namens|genannt|en|como|llamad[oa]|hacia|à|vers|dans|sous|comme|nommée?|appelée?|nel|come|chiamat[oa]|para|em|naar|do|jako|w)\s(?:(?:a|the|my|our|new|die|eine|neue|meine|el|la|un|nuevo|mi|le|un|nouveau|mon|file|datei|archivo|fichier)\s){0,3}["'“„«「`]?$|(?:到|为|成|至|进)\s?["'“「]?$/iu;

export const SOURCE_BEFORE =
  /(?:^|[\s(])(?:of|from|about|using|with|by|per|von|vom|aus|über|mit|anhand|laut|del?|desde|sobre|con|según|des?|du|depuis|avec|selon|d[ai]l?|dalla|van|uit|over|z|ze|od|o)\s(?:(?:a|the|my|our|der|dem|den|die|das|meiner|meinem|el|la|mi|le|les|mon|file|datei|archivo|fichier)\s){0,2}["'“„«「`]?$|(?:从|根据|把|将)\s?["'“「]?$/iu;

/** "Write a summary of a.md" leaves a.md as it is, wherever the summary goes. */
export const MADE_OF =
  /(?<!\p{L})(?:summary|overview|review|outline|translation|analysis|explanation|description|critique|digest|copy|table|list|zusammenfassung|überblick|übersetzung|analyse|erklärung|beschreibung|kopie|liste|resumen|traducción|análisis|explicación|descripción|copia|lista|résumé|traduction|analyse|explication|description|copie|liste|riassunto|traduzione|analisi|resumo|tradução|samenvatting|vertaling|streszczenie|tłumaczenie)\s(?:of|from|about|for|von|aus|über|zu|de|del|du|des|sur|sobre|di|da|van|over|uit|z)\s(?:(?:the|my|our|der|dem|den|die|das|meiner|meinem|el|la|mi|le|les|mon|file|datei|archivo|fichier)\s){0,2}["'“„«「`]?$/iu;

/** Verbs of which the first thing is only looked at, or goes into the second. */
export const TAKES_FIRST =
  /^\s*(?:(?:please|bitte|por favor|kannst du|can you|could you|and|und|y|et)\s){0,2}(?:summari[sz]e|translate|extract|merge|combine|convert|copy|turn|outline|describe|add|append|list|fass\p{L}*|übersetz\p{L}*|kopier\p{L}*|füg\p{L}*|resum\p{L}*|traduc\p{L}*|copi\p{L}*|résum\p{L}*|tradu\p{L}*|riassum\p{L}*|vat|vertaal|streść|przetłumacz)(?!\p{L})/iu;

export const INSIDE_BEFORE =
  /(?:^|[\s(])(?:from|in|of|out of|off|inside|within|aus|von|vom|im|de|del|dans|du|des|da|dal|dalla|nel|nella|do|no|na|uit|van|z|ze|w)\s(?:(?:the|my|our|der|dem|den|die|das|meiner|meinem|la|el|le|les|file|list|note|datei|liste|archivo|lista|fichier)\s){0,2}["'“„«「`]?$|从\s?["'“「]?$/iu;

export const INSIDE_AFTER = /^["'”」`]?\s?(?:里|中|の|から|에서)/u;

export const TO_BEFORE =
  /(?:^|[\s(])(?:to|into|onto|as|in|nach|zu|zum|zur|an|auf|als|ins|a|al|hacia|como|en|à|au|vers|dans|sous|comme|in|come|para|pra|ao|como|naar|do|na|jako)\s(?:(?:the|my|our|die|den|das|der|dem|el|la|le|les|lo|il|o|os|as|de|het|mijn|folder|ordner|carpeta|dossier|cartella|pasta|datei|file|archivo|fichier)\s){0,2}["'“„«「]?$|(?:到|为|成|至|进|给)\s?["'“「]?$/iu;

export const FROM_BEFORE =
  /(?:^|[\s(])(?:from|out of|von|vom|aus|de|del|desde|depuis|du|da|dal|dalla|van|uit|z|ze|od)\s(?:(?:the|my|der|dem|el|la|le|mijn)\s){0,2}["'“„«「]?$|(?:从|把|将)\s?["'“「]?$/iu;

export const FROM_ONLY =
  /(?:^|\s)(?:from|out of|von|vom|aus|desde|depuis|dal|dalla|van|uit|od)\s(?:(?:the|my|der|dem|el|la|le)\s)?["'“„«]?$/iu;

export const TO_AFTER = /^["'”」]?\s?(?:に|へ|という名前|로|으로|에)/u;

export const PERSON_BEFORE =
  /(?:^|[\s(,])(?:to|for|with|via|at|cc|bcc|and|an|nach|für|mit|bei|und|a|al|para|con|y|e|à|au|aux|avec|pour|chez|et|di|per|com|ao|à|aan|voor|met|en|do|dla|z|ze|i|&)\s(?:(?:the|my|our|mr\.?|mrs\.?|ms\.?|dr\.?|user|channel|colleague|friend|herrn?|frau|meinen?|meiner|meinem|den|der|die|dem|kanal|mi|el|la|los|las|canal|mon|ma|le|les|canale|o|os|as|de|het|mijn|sr\.?|sra\.?|m\.|mme)\s){0,2}["'“„«「#@]?$|(?:给|向|跟|和|对|请|邀请|通知|告诉|与|、|，)\s?["'“「#@]?$/iu;

export const PERSON_AFTER =
  /^["'”」]?\s?(?:さん|様|ちゃん|くん|氏)?(?:に|へ|と|を|、)|^\s?(?:씨|님)?(?:에게|한테|께|와|과|을|를)|^\s?(?:发|转|寄|说|打|汇)/u;

/** "in #general": a channel is a place as well. */
export const CHANNEL_BEFORE =
  /(?:^|\s)(?:in|into|on|im|auf|en|dans|sur|nel|nella|su|no|na|em|op|w)\s(?:(?:the|our|den|dem|die|unseren?|el|la|le|nuestro|notre|il|o)\s)?(?:(?:channel|chat|group|kanal|gruppe|canal|grupo|groupe|canale|gruppo|kanaal|kanał)\s)?["'“„«「]?#$|(?:在|到|往)\s?#$/iu;

/** What is done to a thing may follow it at once: "大门锁上". */
export const SWITCHED_AFTER = /^(?:锁上|锁好|锁起|关上|关掉|关闭|打开|开一?下|调到|调高|调低|设为|设成)/u;

/** What may stand right before or after a name where words are not parted by blanks. */
export const EDGE_BEFORE = /[\s\p{P}给向跟和对把将请与到在从为用寄发找问告诉邀请通知]$|(?:から|まで)$/u;

/** A particle behind another script than its own ends a word, and the name begins behind it: "15時に田中". */
export const PARTICLE_BEFORE = /[\p{Script=Han}\p{Script=Katakana}\p{N}\p{Script=Latin}][にではがをとへ]$/u;

export const EDGE_AFTER =
  /^(?:[\s\p{P}]|さん|様|くん|ちゃん|氏|に|へ|を|と|が|の|は|も|で|から|まで|씨|님|에|을|를|发|转|寄|说|的|和|打|汇|这|里|中|上|吗)/u;
