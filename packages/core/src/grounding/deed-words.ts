/** Deeds that have a word of their own, and what tools for them are called. */
export const NAMED_DEEDS: readonly { readonly words: RegExp; readonly tools: readonly string[] }[] = [
  {
    words:
      /unsubscrib|abbestell|abgemeldet|désabonn|desabonn|de baja|disiscri|cancell?at\p{L}* l'iscri|descadastr|cancelei (?:a|sua) inscri|uitgeschreven|afgemeld|wypisa[łn]|退订|取消订阅|配信停止|登録解除|구독.{0,6}(?:취소|해지)|수신.?거부/u,
    tools: ["unsubscribe", "subscription", "newsletter"],
  },
  {
    words: /archiv|归档|存档|アーカイブ|보관/u,
    tools: ["archive", "move", "update", "label", "set", "mark", "close", "zip", "backup", "export"],
  },
  {
    words: /encrypt|verschlüssel|chiffr|cifr[aoe]|criptograf|versleutel|szyfrow|加密|暗号化|암호화/u,
    tools: ["encrypt", "cipher", "gpg", "vault", "seal"],
  },
  {
    words:
      /upload|hochgeladen|téléversé|mis en ligne|subid[oa]|subí|caricat\p{L}+ (?:su|il|la)|enviei para o drive|geüpload|przesłan|wgra[łn]|上传|アップロード|업로드|올렸/u,
    tools: [
      "upload",
      "put",
      "add",
      "create",
      "push",
      "sync",
      "import",
      "share",
      "publish",
      "send",
      "post",
      "save",
      "copy",
    ],
  },
  {
    words:
      /deploy|desplegad|desplegu|déployé|implantad|rilasciat|ausgerollt|uitgerold|wdroż|部署|デプロイ|배포/u,
    tools: [
      "deploy",
      "release",
      "rollout",
      "promote",
      "launch",
      "publish",
      "deployment",
      "pipeline",
      "apply",
    ],
  },
  {
    words: /(?<!\p{L})push(?:ed|t)?(?!\p{L})|gepush|poussé|(?<!\p{L})pusheé|推送到|プッシュ|푸시/u,
    tools: ["push", "sync", "publish", "release", "deploy", "notification", "notify"],
  },
  {
    words: /invit|eingeladen|einladung|uitgenodigd|zaprosi|zaprosz|邀请|招待|초대/u,
    tools: [
      "invite",
      "invitation",
      "attendee",
      "event",
      "member",
      "share",
      "guest",
      "send",
      "participant",
      "meeting",
      "add",
    ],
  },
  {
    words:
      /publish|veröffentlich|publié|publicad|publiqu|pubblicat|publiquei|gepubliceerd|opublikow|发布|公開し|게시했|발행/u,
    tools: [
      "publish",
      "post",
      "release",
      "deploy",
      "send",
      "create",
      "update",
      "push",
      "share",
      "tweet",
      "page",
    ],
  },
  {
    words: /refund|erstatt|rembours|reembols|rimbors|terugbetaald|zwrot|zwróci|退款|返金|환불/u,
    tools: ["refund", "payment", "transfer", "order", "return", "cancel", "credit", "claim"],
  },
  {
    words:
      /renamed|umbenannt|renommé|renombr|rinominat|renome|hernoemd|przemianow|zmieni\p{L}+ nazw|重命名|改名|名前を変|名称を変|이름을 (?:바꿨|변경)/u,
    tools: ["rename", "move", "update", "edit", "set", "change", "patch", "write"],
  },
  {
    words:
      /(?<!\p{L})print(?:ed|er)(?!\p{L})|gedruckt|ausgedruckt|imprim[éi]|impres[oa]|stampat|afgedrukt|geprint|wydrukow|打印|印刷し|인쇄/u,
    tools: ["print", "printer", "job"],
  },
  {
    words:
      /restart|reboot|neu gestartet|neugestartet|redémarr|reinici|riavvi|herstart|zrestartow|uruchomi\p{L}+ ponownie|重启|再起動|재시작|재부팅/u,
    tools: ["restart", "reboot", "service", "start", "reset", "power"],
  },
  {
    words:
      /verified|double.?checked|confirmed (?:that|it)|überprüft|nachgeprüft|kontrolliert|vérifié|verifi(?:qu|c|k)|comprob|controllat|gecontroleerd|nagekeken|zweryfikow|sprawdzi|核实|检查过|确认过|验证|確認しました|確かめ|확인했|점검/u,
    tools: [
      "read",
      "get",
      "list",
      "search",
      "check",
      "fetch",
      "find",
      "query",
      "status",
      "show",
      "test",
      "verify",
      "view",
      "lookup",
      "open",
      "inspect",
      "run",
      "diff",
      "head",
      "ping",
      "describe",
      "screenshot",
    ],
  },
  {
    words:
      /merged|gemerged?t?|zusammengeführt|fusionn|fusionad|unit[oa] (?:il|al|la)|mesclad|samengevoegd|scalon|scali|合并|マージ|병합/u,
    tools: ["merge", "pr", "branch", "edit", "write", "update", "combine", "join", "repo", "patch"],
  },
  {
    words:
      /backed up|backup|gesichert|sicherung|sauvegard|copia de seg|salvat\p{L} una copia|back-up|zapasow|备份|バックアップ|백업/u,
    tools: [
      "backup",
      "snapshot",
      "export",
      "copy",
      "dump",
      "sync",
      "archive",
      "upload",
      "restore",
      "file",
      "drive",
    ],
  },
];
