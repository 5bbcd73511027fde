import type { ActivityItem } from "../activity.ts";

/** What kind of deed a verb tells of, coarse enough to compare with what a tool is called. */
export type Family =
  | "any"
  | "done"
  | "send"
  | "create"
  | "update"
  | "delete"
  | "cancel"
  | "archive"
  | "unsubscribe"
  | "book"
  | "order"
  | "pay"
  | "schedule"
  | "remind"
  | "deploy"
  | "git"
  | "run"
  | "device"
  | "close"
  | "share"
  | "sign"
  | "install"
  | "backup"
  | "transfer"
  | "print"
  | "draft"
  | "read"
  | "verify";

/** Actions by the word that names them in a tool id. */
const ACTIONS: Readonly<Record<string, readonly Family[]>> = table({
  "send reply respond forward notify tweet announce email text dm broadcast deliver message alert mail sms":
    "send",
  "submit contact": "send create",
  "post comment": "send create",
  publish: "send deploy create",
  share: "share send",
  invite: "share send update",
  "grant permit": "share update",
  revoke: "delete cancel update share",
  "create add new insert append make write save put store log record register remember open generate":
    "create update",
  "edit patch modify replace": "update create delete",
  "update change adjust configure rename toggle enable disable convert sort format fix assign label tag mark set upsert":
    "update create",
  "move reschedule shift": "update schedule",
  "delete remove drop clear erase purge trash empty uninstall forget wipe destroy": "delete update",
  cancel: "cancel delete update",
  archive: "archive",
  unsubscribe: "unsubscribe cancel",
  "reserve book": "book schedule create order",
  "place buy purchase checkout order": "order book pay create",
  "transfer pay charge donate wire": "pay send create",
  refund: "pay cancel send",
  schedule: "schedule create book remind",
  "deploy release rollout promote rollback launch apply": "deploy run update",
  "push commit merge rebase revert": "git update",
  "run exec execute start restart stop trigger build invoke kill reboot": "run device",
  test: "run verify",
  "play pause resume lock unlock dim turn switch arm disarm on off": "device run update",
  "close resolve complete finish check": "close update",
  "sign accept decline reject approve confirm": "sign update send",
  "install upgrade": "install update run",
  "backup snapshot export dump": "backup create transfer",
  "upload download sync import copy duplicate": "transfer create update",
  print: "print send",
  "restore undo": "update create",
  "dial call": "send",
  "watch monitor track subscribe remind": "remind schedule create",
});

/** What a call is about widens what it may be said to have done. */
const RESOURCES: Readonly<Record<string, readonly Family[]>> = table({
  "event meeting appointment": "schedule book",
  "reminder cron alarm timer monitor job watch automation trigger scheduler schedule": "remind schedule",
  "booking reservation table": "book",
  "order cart": "order book",
  "transfer payment": "pay",
  "backup snapshot": "backup",
  "message comment tweet sms notification invitation reply": "send",
  "thermostat light lamp player lock door device blind heating": "device",
  "branch tag commit pr": "git",
  "release deployment": "deploy",
  "ticket issue task todo": "close",
  "permission access": "share",
  subscription: "cancel",
});

/** Tools that can do anything: what they are called says nothing of what they did. */
const OPEN_ENDED = new Set(
  "shell command program code script python browser http mcp computer terminal sandbox eval agent".split(" "),
);
const CANCELLABLE = new Set(
  "event meeting appointment booking reservation order subscription table flight ticket".split(" "),
);

/** What they give was made by the call, though it changed nothing. */
const PICTURES = new Set("screenshot capture photo snapshot render".split(" "));

export function isOpenEnded(toolId: string): boolean {
  return tokensOf(toolId).some((token) => OPEN_ENDED.has(token));
}

/** undefined: it may have been anything. */
export function familiesOf(toolId: string): ReadonlySet<Family> | undefined {
  const tokens = tokensOf(toolId);
  if (isOpenEnded(toolId)) return undefined;
  const families = new Set<Family>();
  const action = tokens.at(-1) ?? "";
  const known = ACTIONS[action];
  if (!known) return undefined;
  const resources = tokens.slice(0, -1);
  if (resources.includes("draft")) return new Set<Family>(["draft", "create"]);
  for (const family of known) families.add(family);
  const makes = families.has("create") || families.has("update");
  for (const token of resources)
    for (const family of RESOURCES[token] ?? [])
      if (
        family === "remind" || family === "schedule"
          ? !families.has("delete")
          : makes && !families.has("delete")
      )
        if (family !== "send" || families.has("create")) families.add(family);
  // What is run, started or triggered is named by the rest: deploy.release.run.
  if (families.has("run"))
    for (const token of resources) for (const family of ACTIONS[token] ?? []) families.add(family);
  if (families.has("delete") && resources.some((token) => CANCELLABLE.has(token))) families.add("cancel");
  if (action === "move" || action === "update" || action === "set") families.delete("send");
  return families;
}

export function fits(claimed: readonly Family[], item: ActivityItem): boolean {
  if (item.risk === "read") {
    const runs = isOpenEnded(item.toolId) || familiesOf(item.toolId)?.has("run") === true;
    return (
      claimed.includes("read") ||
      claimed.includes("verify") ||
      (claimed.includes("run") && runs) ||
      (claimed.some((family) => family === "create" || family === "backup") &&
        PICTURES.has(tokensOf(item.toolId).at(-1) ?? ""))
    );
  }
  if (claimed.includes("any") || claimed.includes("done")) return true;
  const families = familiesOf(item.toolId);
  return families === undefined || claimed.some((family) => families.has(family));
}

export function tokensOf(toolId: string): string[] {
  return toolId
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((token) => token !== "");
}

/** Where a look-up was made, by the words that replies use for it. */
const DOMAINS: readonly (readonly [RegExp, ReadonlySet<string>])[] = [
  [
    /calendar|schedule|kalender|termin|calendario|agenda|calendrier|日历|日程|カレンダー|予定/iu,
    words("calendar event events schedule agenda"),
  ],
  [
    /inbox|mailbox|e-?mails?\b|postfach|posteingang|bandeja|correos?|boîte|courriels?|mails?\b|邮箱|邮件|收件箱|受信|メール/iu,
    words("email mail gmail inbox outlook imap message messages"),
  ],
  [
    /\bthe web\b|online|internet|\bweb\b|netz|en línea|en ligne|网上|网页|上网|ネット|ウェブ/iu,
    words("web search browser http page fetch news"),
  ],
];

/** Whether a look-up of what this sentence names could have been that call. */
export function looksAt(sentence: string, item: ActivityItem): boolean {
  const tokens = tokensOf(item.toolId);
  if (isOpenEnded(item.toolId)) return true;
  const named = DOMAINS.filter(([pattern]) => pattern.test(sentence));
  return named.length === 0 || named.some(([, known]) => tokens.some((token) => known.has(token)));
}

export function namesDomain(sentence: string): boolean {
  return DOMAINS.some(([pattern]) => pattern.test(sentence));
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}

function table(rows: Readonly<Record<string, string>>): Record<string, readonly Family[]> {
  const out: Record<string, readonly Family[]> = Object.create(null) as Record<string, readonly Family[]>;
  for (const [names, families] of Object.entries(rows))
    for (const name of names.split(" ")) out[name] = families.split(" ") as Family[];
  return out;
}
