import { remembered } from "../base/remembered.ts";
import type { RequestClause } from "../request/clauses.ts";
import { isOnlyDraft } from "../request/owner-first.ts";
import type { VerbClass } from "../request/verb-class.ts";
import type { ToolContract } from "../tool/tool.ts";

/** The verbs with which an owner asks for what a tool does: those that its contract names, else by the words of its id, else by its risk. */
export function verbClassesOf({
  id,
  risk,
  labels,
}: Pick<ToolContract, "id" | "risk" | "labels">): ReadonlySet<VerbClass> {
  if (labels.verbs !== undefined) return new Set(labels.verbs);
  const { byAction, byNoun } = classesNamedBy(id);
  if (byAction) return new Set([...byAction, ...(risk === "read" ? [] : byNoun)]);
  return new Set([
    ...BY_RISK[risk],
    ...(labels.egress !== "none" && risk === "write" ? (["send"] as const) : []),
  ]);
}

const classesNamedBy = remembered((id: string) => {
  const [action, nouns] = wordsOf(id);
  return {
    byAction: ACTIONS.find(([names]) => names.test(action))?.[1],
    byNoun: NOUNS.find(([names]) => nouns.some((noun) => names.test(noun)))?.[1] ?? [],
  };
});

/** Opposites share a class: which of them is meant must be in the clause itself. */
export function isOpposite(id: string, clause: string): boolean {
  const [action, nouns] = wordsOf(id);
  const lower = clause.toLowerCase();
  const own = OPPOSITES.find(([names]) => names.test(action));
  if (own !== undefined && !own[1].test(lower)) return true;
  // Who is asked for money is not paid.
  if (nouns.concat(action).some((word) => MONEY_THING.test(word)) && ASKS_FOR.test(lower.trim())) return true;
  // Who is to see or join something has not been written to.
  return WRITES_TO.test(action) && SHARES.test(lower) && !MESSAGE.test(lower);
}

/** Who is invited to something is to be in its event: "invite Nina to dinner at seven". */
export function isInvited(id: string, { verbs, text }: Pick<RequestClause, "verbs" | "text">): boolean {
  const [action, nouns] = wordsOf(id);
  return (
    /^(?:create|add|make|new|schedule|book)$/u.test(action) &&
    nouns.some((noun) => EVENT.test(noun)) &&
    verbs.includes("send") &&
    INVITES.test(text.toLowerCase())
  );
}

const EVENT = /^(?:calendar|events?|appointments?|meetings?)$/u;
const INVITES =
  /(?<!\p{L})(?:invit(?:e|a|er|ez|ar)|(?:lade?|lad)(?=\s.*\sein(?!\p{L}))|einladen|convid\p{L}+|nodig|zaproś)(?!\p{L})|邀请|招待|초대/u;

/** A draft for somebody has not been sent to them: who asks for one sends it themselves. */
export function isDraftOnly(id: string, { verbs, text }: Pick<RequestClause, "verbs" | "text">): boolean {
  const [action] = wordsOf(id);
  return WRITES_TO.test(action) && !verbs.includes("send") && isOnlyDraft(text);
}

const wordsOf = remembered((id: string): readonly [action: string, nouns: readonly string[]] => {
  const words = id
    .replaceAll(/([a-z])([A-Z])/gu, "$1 $2")
    .toLowerCase()
    .split(/[._\-\s]+/u);
  const own = id.split(".").at(-1) ?? id;
  const [action = ""] = own
    .replaceAll(/([a-z])([A-Z])/gu, "$1 $2")
    .toLowerCase()
    .split(/[_\-\s]+/u);
  return [action, words.filter((word) => word !== action)];
});

const BY_RISK: Readonly<Record<ToolContract["risk"], readonly VerbClass[]>> = {
  read: ["look"],
  write: ["write"],
  destructive: ["delete"],
};

const ACTIONS: readonly (readonly [RegExp, readonly VerbClass[]])[] = [
  [/^(?:get|read|fetch|open|search|list|find|query|look|check|show|browse|download)$/u, ["look"]],
  [
    /^(?:delete|remove|cancel|clear|trash|erase|purge|revoke|unsubscribe|unshare|uninstall|discard|drop|forget|empty)$/u,
    ["delete"],
  ],
  [/^(?:pay|transfer|buy|order|purchase|donate|refund|tip|charge|wire|withdraw)$/u, ["pay", "send"]],
  [
    /^(?:send|reply|forward|message|mail|email|text|notify|tell|write_to|dm|ping|answer|respond)$/u,
    ["send", "draft"],
  ],
  [/^(?:post|publish|announce|tweet|submit|upload|comment)$/u, ["send", "draft", "run"]],
  [/^(?:invite|share|call|contact|accept|decline|reject|approve|rsvp)$/u, ["send"]],
  [/^(?:schedule|plan|book|reserve|remind|reschedule|postpone|wake)$/u, ["schedule", "write", "move"]],
  [/^(?:move|rename|copy|archive|duplicate|sync|import|export|backup)$/u, ["move"]],
  [
    /^(?:run|execute|deploy|restart|reboot|start|stop|merge|push|commit|install|build|trigger|launch|release)$/u,
    ["run", "control"],
  ],
  [
    /^(?:lock|unlock|turn|switch|close|shut|dim|play|pause|mute|unmute|arm|disarm|print|toggle|enable|disable)$/u,
    ["control", "write"],
  ],
  [
    /^(?:create|add|write|save|append|insert|put|set|update|edit|change|make|new|store|note|remember|mark|tag|label|assign|fill|modify|replace)$/u,
    ["write"],
  ],
];

/** What a thing is adds the verbs that people use for it: an event is scheduled as well as created. */
const NOUNS: readonly (readonly [RegExp, readonly VerbClass[]])[] = [
  [/^(?:transfers?|payments?|transactions?|money|invoices?|bank)$/u, ["pay", "send"]],
  [
    /^(?:calendar|events?|reminders?|appointments?|meetings?|alarms?|timers?|jobs?|reservations?|bookings?)$/u,
    ["schedule", "move"],
  ],
  [/^(?:home|house|heating|lights?|doors?|thermostat|device|scene|music|volume)$/u, ["control", "write"]],
  [/^(?:files?|papers?|documents?|drive)$/u, ["draft"]],
  [/^(?:messages?|mails?|emails?|chat|channel)$/u, ["draft"]],
  [/^(?:comments?|replies)$/u, ["send", "draft"]],
];

const MONEY_THING = /^(?:transfers?|payments?|transactions?|pay|wire)$/u;
const ASKS_FOR =
  /^(?:(?:please|bitte|por favor|kannst du|can you|could you)\s)?(?:ask|request|demand|claim|collect|charge|invoice|bitte \S+ um|forder\p{L}*|verlang\p{L}*|p[ií]de\p{L}*|pedir\p{L}*|reclama\p{L}*|demande[rz]?|réclame[rz]?|chiedi\p{L}*|pede\p{L}*|vraag|poproś)(?!\p{L})|(?:向|跟|找|问).{1,8}(?:要|讨|借)|收款|請求/u;
const WRITES_TO = /^(?:send|reply|forward|message|mail|email|text|dm|respond|answer|post|publish)$/u;
const SHARES =
  /(?<!\p{L})(?:shar(?:e|ing)|invit(?:e|a|er|eer|ez)|grant|give access|teil\p{L}*|freigeb\p{L}*|gib frei|lad|lade|einlad\p{L}*|compart\p{L}+|partag\p{L}+|condivid\p{L}+|convid\p{L}+|deel|nodig|udostępnij|zaproś)(?!\p{L})|共享|分享|邀请|共有|招待|공유|초대/u;
const MESSAGE =
  /(?<!\p{L})(?:e-?mails?|mails?|messages?|dm|text|send|post|write|reply|nachricht\p{L}*|schreib\p{L}*|schick\p{L}*|send\p{L}*|mensaje|correo|envía\p{L}*|manda\p{L}*|escrib\p{L}+|courriel|envoie|écris|messaggio|invia|mensagem|envia|bericht|stuur|wiadomość|wyślij)(?!\p{L})|邮件|消息|发|メール|送/u;

const OPPOSITES: readonly (readonly [RegExp, RegExp])[] = [
  [
    /^unlock$/u,
    /unlock|aufschließ|aufsperr|entriegel|entsperr|déverrouill|desbloque|abre|sblocc|destranc|ontgrendel|odblok|开锁|解锁|解錠|開錠|鍵を開/u,
  ],
  [
    /^lock$/u,
    /(?<!un)lock|(?<!ent)(?:verriegel|abschließ|zusperr|schließ|sperr)|(?<!dé)verrouill|(?<!des)bloque|cierra|chiudi|tranc|vergrendel|zablok|上锁|锁|施錠|鍵を(?:閉|かけ)/u,
  ],
  [
    /^(?:disable|deactivate|disarm)$/u,
    /disable|deactivat|disarm|turn off|switch off|deaktivier|ausschalt|abschalt|desactiv|désactiv|disattiv|uitschakel|wyłącz|关闭|停用|無効|オフ/u,
  ],
  [
    /^(?:enable|activate|arm)$/u,
    /enable|(?<!de)activate|(?<!dis)arm|turn on|switch on|(?<!de)aktivier|einschalt|anschalt|(?<!des)activ|(?<!dés)activ|attiva|inschakel|włącz|开启|启用|有効|オン/u,
  ],
  [
    /^(?:decline|reject|deny|refuse)$/u,
    /declin|reject|refus|deny|say no|lehn|absag|rechaz|rifiut|recus|weiger|odrzu|拒绝|辞退|断/u,
  ],
  [
    /^(?:accept|approve|confirm)$/u,
    /accept|approv|confirm|say yes|nimm|annehm|zusag|akzeptier|bestätig|genehmig|acept|confirm|approuv|accett|aceit|接受|同意|承諾|承認/u,
  ],
  [
    /^(?:share|invite)$/u,
    /shar|invit|let |give|grant|add|access|permission|recht|zugriff|zugang|acceso|permiso|accès|droit|accesso|acesso|权限|権限|アクセス|권한|teil|freigeb|freigab|einlad|lad |lade |hinzu|compart|comparte|partag|condivid|convid|deel|nodig|toegang|udostępn|zapro|共享|分享|邀请|共有|招待|공유|초대|send|schick|envía|manda|envoie/u,
  ],
  [/^stop$/u, /stop|halt|end|beend|anhalt|para|deten|arrêt|ferma|zatrzym|停止|止め/u],
  [
    /^start$/u,
    /start|begin|launch|run|beginn|inicia|arranca|démarr|lance|avvia|uruchom|启动|开始|開始|起動/u,
  ],
  [
    /^unsubscribe$/u,
    /unsubscrib|abbestell|abmeld|desuscrib|baja|désabonn|désinscri|disiscriv|退订|解約|解除/u,
  ],
  [/^(?:unmute|unblock|unfollow|unpause|unarchive)$/u, /un(?:mute|block|follow|pause|archive)/u],
];
