/** A place outside by its words, in lower case, and by what tools for it are called. */
export interface Realm {
  readonly words: RegExp;
  readonly tools: RegExp;
}

/** Devices of a home: one is not set by setting another. */
export const DEVICES: readonly Realm[] = [
  {
    words:
      /(?<!\p{L})blinds|shutter|curtain|rollladen|rollläden|rollos?(?!\p{L})|jalousie|(?<!\p{L})volets?(?!\p{L})|persian|tapparell|rolluik|gordijn|żaluzj|(?<!\p{L})rolet|persienn|gardin|žaluzi|závěs|perde|窗帘|カーテン|ブラインド|シャッター|블라인드|커튼/u,
    tools: /blind|shutter|cover|curtain|shade|scene|device|routine|mode|automation/u,
  },
  {
    words:
      /heating|thermostat|radiator|heizung|heizkörper|chauffage|calefacc|riscaldam|aquecim|verwarming|ogrzew|grzejnik|värme|topení|kalorifer|ısıtma|暖气|空调|暖房|エアコン|난방|에어컨|보일러/u,
    tools: /thermostat|heat|climate|hvac|temperature|ac|scene|device|routine|boiler|sensor|mode|automation/u,
  },
  {
    words:
      /(?<!\p{L})(?:door|gate)(?!\p{L})|haustür|(?<!\p{L})tür|wohnungstür|(?<!\p{L})porte(?!\p{L})|serrure|puerta|cerradura|(?<!\p{L})porta(?!\p{L})|serratura|fechadura|(?<!\p{L})(?:voor)?deur|(?<!\p{L})drzwi|dörren|dveř|(?<!\p{L})kapı|门锁|大门|房门|ドア|玄関|도어|현관/u,
    tools: /lock|door|gate|garage|access|scene|device|routine|alarm|sensor|camera|mode|automation/u,
  },
  {
    words:
      /(?<!\p{L})(?:lights?|lamps?)(?!\p{L})|lampe|licht|lumière|(?<!\p{L})luz(?!\p{L})|luces|(?<!\p{L})luc[ei](?!\p{L})|luzes|verlichting|światł|lampan|belysning|světl|ışık|lambay|灯|ライト|電気|照明|조명/u,
    tools: /light|lamp|scene|device|switch|plug|routine|mode|automation/u,
  },
];

export const REALMS: readonly Realm[] = [
  {
    words: /calend|kalend|agenda|日历|日程|カレンダー|予定表|캘린더|일정/u,
    tools: /calendar|event|meeting|appointment|agenda/u,
  },
  {
    words:
      /e-?mail|inbox|posteingang|postfach|boîte|bandeja|casella|caixa de entrada|skrzynk|correo|courriel|poczt|(?<!\p{L})spam|邮件|邮箱|收件|メール|受信|메일|편지함/u,
    tools: /mail|gmail|inbox|message|outlook|imap|smtp|draft/u,
  },
  {
    words:
      /slack|teams|telegram|whatsapp|discord|(?<!\p{L})signal|channel|kanal|canal|(?<!\p{L})chat|(?<!\p{L})sms|群|频道|チャンネル|グループ|채널|단톡/u,
    tools: /slack|team|telegram|whatsapp|discord|signal|chat|channel|sm|message|post/u,
  },
  {
    words:
      /drive|dropbox|cloud|nube|nuage|nuvem|chmur|backup|sicherung|sauvegard|copia de seg|网盘|云|备份|ドライブ|バックアップ|드라이브|백업/u,
    tools: /drive|dropbox|cloud|file|doc|backup|storage|folder|onedrive|icloud/u,
  },
  {
    words:
      /(?<!\p{L})web(?!hook)|online|internet|google(?! (?:drive|cal|doc|sheet))|网上|网页|搜索|ウェブ|ネット|検索|인터넷|검색|웹/u,
    tools: /web|search|browser|http|fetch|page|url/u,
  },
  {
    words: /(?<!\p{L})note|notiz|notas?(?!\p{L})|notatk|carnet|appunt|anota|notitie|笔记|メモ|메모/u,
    tools: /note|memory|notion|evernote|keep|doc|file/u,
  },
  {
    words: /remind|erinner|rappel|recordator|promemoria|lembrete|herinner|przypomn|提醒|リマインド|알림/u,
    tools: /remind|alarm|timer|schedule|cron|event|task|todo|automation/u,
  },
  {
    words:
      /(?<!\p{L})bank|account|konto|compte|cuenta|(?<!\p{L})conto|conta(?!\p{L})|rekening|账户|银行|口座|銀行|계좌|은행/u,
    tools: /bank|account|transfer|payment|transaction|invoice|balance/u,
  },
  {
    words: /(?<!\p{L})tests?(?!\p{L})|(?<!\p{L})suite|prueb|tester|テスト|测试|테스트/u,
    tools: /test|suite|shell|command|ci|run|exec|pipeline|build/u,
  },
  {
    words:
      /deploy|produc|staging|server|serveur|servidor|repo(?!rt)|branch|github|gitlab|(?<!\p{L})push|服务器|部署|仓库|サーバ|デプロイ|서버|배포/u,
    tools: /deploy|server|git|repo|branch|shell|command|release|pipeline|pr|commit|service|host|ssh/u,
  },
  {
    words:
      /shopping list|shopping\.(?:md|txt|csv)|grocery list|to-?do|task list|einkaufsliste|aufgabenliste|liste de courses|lista de la compra|lista della spesa|lista de compras|boodschappenlijst|takenlijst|list\p{L} zakup|inköpslist|att göra|nákupní\p{L}* seznam|alışveriş liste|yapılacaklar|待办|购物清单|買い物リスト|やること|장보기|할 ?일/u,
    tools: /task|todo|list|shopping|remind|grocer|cart|item/u,
  },
  ...DEVICES,
];
