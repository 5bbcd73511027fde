// Words that say which way a switch is to go.

const PRIVATELY =
  /(?<!\p{L})(?:private|privately|privat(?:e[nrms]?)?|privad[oa]s?|privée?s?|privat[oaie]|privé|prywatn\p{L}+)(?!\p{L})|私有|私密|非公開|プライベート|비공개/u;

const PUBLICLY =
  /(?<!\p{L})(?:public|publicly|öffentlich(?:e[nrms]?)?|públic[oa]s?|publique?s?|pubblic[oahei]+|openba(?:ar|re)|publiczn\p{L}+)(?!\p{L})|公开|公共|(?<!非)公開|パブリック|(?<!비)공개/u;

const PRIVATE = /^(?:private|is_?private)$/iu;

const PUBLIC = /^(?:public|is_?public)$/iu;

/** Pairs of words that say which way a switch is to go. */
export const SWITCHES: readonly (readonly [RegExp, RegExp, RegExp])[] = [
  [
    /^(?:on|enabled?|power|active|is_?on|state)$/iu,
    /(?<!\p{L})(?:on|an|ein|einschalt\p{L}*|anschalt\p{L}*|enciende|prende|allume|accendi|liga|aan|włącz)(?!\p{L})|打开|开启|つけ|オン/u,
    /(?<!\p{L})(?:off|aus|ab|ausschalt\p{L}*|apaga|éteins|spegni|desliga|uit|wyłącz)(?!\p{L})|关|消し|オフ/u,
  ],
  [
    /^(?:locked|lock|closed)$/iu,
    /(?<!\p{L})(?:lock|close|shut|abschließ\p{L}*|verriegel\p{L}*|(?:schließ|sperr)\p{L}*(?!\p{L}|.*\sauf(?!\p{L}))|cierra|ferme|verrouille|chiudi|tranca|sluit|zamknij)(?!\p{L})|锁|关|閉め|施錠|鍵を(?:かけ|掛け|閉め)|(?<!アン)ロック(?!を?(?:解除|外))/u,
    /(?<!\p{L})(?:unlock|open|aufschließ\p{L}*|(?:schließ|sperr|mach)\p{L}*(?=\s(?:(?!\s(?:ab|zu)(?!\p{L})).)*\sauf(?!\p{L}))|entriegel\p{L}*|öffne|abre|ouvre|déverrouille|apri|otwórz)(?!\p{L})|开|開け|解錠|鍵を(?:外し|はずし)|アンロック|ロックを?(?:解除|外)/u,
  ],
  [
    /^(?:open|opened|is_?open)$/iu,
    /(?<!\p{L})(?:open|öffne|aufmach\p{L}*|abre|ouvre|apri|otwórz)(?!\p{L})|打开|開け/u,
    /(?<!\p{L})(?:close|shut|schließ\p{L}*|zumach\p{L}*|cierra|ferme|chiudi|zamknij)(?!\p{L})|关|閉め/u,
  ],
  [
    /^(?:monthly|recurring|repeat(?:s|ing)?|standing)$/iu,
    /(?<!\p{L})(?:monthly|recurring|every month|each month|standing order|monatlich\p{L}*|jeden monat|dauerauftrag|mensual\p{L}*|cada mes|mensuel\p{L}*|chaque mois|mensile|ogni mese|todo mês|maandelijks\p{L}*|miesięcznie)(?!\p{L})|每月|每个月|毎月/u,
    /$^/u,
  ],
  [PRIVATE, PRIVATELY, PUBLICLY],
  [PUBLIC, PUBLICLY, PRIVATELY],
  [
    /^(?:overwrite|replace|force)$/iu,
    /(?<!\p{L})(?:overwrit\p{L}+|replac\p{L}+|überschreib\p{L}*|ersetz\p{L}*|sobrescrib\p{L}*|reemplaza\p{L}*|écras\p{L}+|remplac\p{L}+|sovrascriv\p{L}+|force)(?!\p{L})|覆盖|替换|上書き/u,
    /$^/u,
  ],
  [
    /^(?:recursive|all)$/iu,
    /(?<!\p{L})(?:recursive(?:ly)?|folder|directory|everything|all of it|with everything|ordner|verzeichnis|carpeta|dossier|cartella|pasta|map|katalog|alles)(?!\p{L})|文件夹|目录|フォルダ/u,
    /$^/u,
  ],
];

/** Words that wish for a state which a call names: "close issue 8" says `closed`, and "reopen" `open`. */
export const STATES: readonly (readonly [values: RegExp, words: RegExp])[] = [
  [
    /^(?:closed?|resolved)$/iu,
    /(?<!\p{L})(?:clos(?:e|ed|ing)|resolve[ds]?|schließ\p{L}*|geschlossen|cierra|cerrar|cerrad[oa]|ferme[rz]?|fermée?|clôtur\p{L}*|chiudi|chiudere|chius[oa]|fech(?:a|e|ar)|sluit\p{L}*|zamknij|zamknąć)(?!\p{L})|关闭|关掉|閉じ|クローズ|닫/u,
  ],
  [
    /^(?:open(?:ed)?|reopened)$/iu,
    /(?<!\p{L})(?:re-?open(?:ed|ing)?|open (?:\S+ ){1,6}again|öffne (?:\S+ ){1,6}wieder|wieder(?:zu)?(?: ?(?:er)?öffn\p{L}+)|reabr\p{L}+|rouvr\p{L}+|réouvr\p{L}+|riapr\p{L}+|heropen\p{L}*|otwórz ponownie)(?!\p{L})|重新打开|重开|再オープン|再開|다시 열/u,
  ],
  [
    /^(?:done|completed?|finished)$/iu,
    /(?<!\p{L})(?:done|completed?|finish(?:ed)?|erledig\p{L}*|abgeschlossen|fertig|hech[oa]|complet\p{L}+|terminad[oa]|terminée?|faite?|fatt[oa]|completat[oa]|feit[oa]|concluíd[oa]|klaar|gedaan|zrobion\p{L}+)(?!\p{L})|完成|完了|済み|완료/u,
  ],
];
