import type { Act } from "./claim-model.ts";

type ChangeAct = Exclude<Act, "look" | "approve" | "done">;

/** Actions by the word that names them in a tool id, and what they may be said to have done. */
const ACTIONS = table({
  "send reply respond forward notify tweet announce email text dm broadcast deliver message alert mail sms submit contact invite call dial ping rsvp":
    "send",
  "post comment publish share": "send write",
  "grant permit": "send write",
  revoke: "delete write send",
  "create add new insert append make write save put store log record register remember generate open":
    "write",
  "edit patch modify replace": "write delete move",
  "update change adjust configure rename convert sort format fix assign label tag mark set upsert label merge resize redact compress":
    "write",
  "toggle enable disable": "write control",
  "rename trash": "write move",
  "move shift": "move write",
  "reschedule postpone": "write move schedule",
  "delete remove drop clear erase purge trash empty uninstall forget wipe destroy": "delete write",
  "cancel unsubscribe": "delete write",
  archive: "move write",
  "reserve book": "pay write schedule",
  "place buy purchase checkout order": "pay write",
  "transfer pay charge donate wire": "pay send",
  refund: "pay delete",
  "schedule snooze": "schedule write",
  "watch monitor track subscribe remind": "schedule write",
  "deploy release rollout promote rollback launch apply": "run write",
  "push commit merge rebase revert": "run write send",
  "run exec execute start restart stop trigger build invoke kill reboot test retry sync flush": "run control",
  "play pause resume lock unlock dim turn switch arm disarm on off skip mute": "control",
  "close resolve complete finish check tick": "write",
  "sign accept decline reject approve confirm": "write send",
  "install upgrade": "run write",
  "backup snapshot export dump": "move write run",
  "upload download import copy duplicate restore": "move write",
  // What was created is deleted by it, and what was deleted is back.
  undo: "move write delete",
  print: "run send",
});

/** What a call is about widens what it may be said to have done. */
const RESOURCES = table({
  "event meeting appointment slot": "write schedule move pay",
  "reminder cron alarm timer monitor job watch automation trigger scheduler schedule routine scene":
    "schedule write control move",
  "booking reservation table ticket seat": "pay write",
  order: "pay write",
  // What lies in a cart is not bought yet.
  cart: "write",
  "transfer payment invoice bill": "pay send",
  "message comment tweet sms notification invitation reply mail email chat": "send",
  "thermostat light lamp player lock door device blind heating plug speaker tv home": "control write",
  "branch tag commit pr repo release deployment pipeline workflow": "run write send",
  "subscription newsletter": "write delete",
  "permission access member": "send write",
  "printer print": "run send",
  "todo task": "write schedule",
  // What is remembered is promised for later.
  "memory note fact": "write schedule",
});

/** Tools that can do anything: what they are called says nothing of what they did. */
const OPEN_ENDED = new Set(
  "shell command program code script python browser http mcp computer terminal sandbox eval agent".split(" "),
);
/** Actions that look, and do nothing else. */
const LOOKS = new Set(
  "list get read search find query fetch show view lookup describe status inspect head count stat glob grep peek browse summary balance forecast history detail info".split(
    " ",
  ),
);
/** Of these, what tells which things there are and not what stands in them. */
const LISTINGS = new Set("list search find query glob count stat status summary lookup".split(" "));
/** What they give was made by the call, though it changed nothing. */
const PICTURES = new Set("screenshot capture photo snapshot render scan".split(" "));

/** What the name of a tool says. */
interface ReadName {
  readonly tokens: readonly string[];
  readonly acts: ReadonlySet<Act> | undefined;
}

/** Names that were read: there are few tools, and each sentence asks for those of all its calls. */
const readNames = new Map<string, ReadName>();
const NAMES_MAX = 1_000;

function nameOf(toolId: string): ReadName {
  let read = readNames.get(toolId);
  if (read === undefined) {
    const tokens = splitName(toolId);
    read = { tokens, acts: actsNamedBy(tokens) };
    if (readNames.size >= NAMES_MAX) readNames.clear();
    readNames.set(toolId, read);
  }
  return read;
}

/** What a call of this tool may be said to have done; undefined: anything. */
export function actsOf(toolId: string): ReadonlySet<Act> | undefined {
  return nameOf(toolId).acts;
}

export function tokensOf(toolId: string): readonly string[] {
  return nameOf(toolId).tokens;
}

function actsNamedBy(tokens: readonly string[]): ReadonlySet<Act> | undefined {
  if (tokens.some((token) => OPEN_ENDED.has(token))) return undefined;
  if (isDraft(tokens)) return new Set<Act>(["draft", "write"]);
  const known = ACTIONS.get(tokens.at(-1) ?? "");
  if (!known) return undefined;
  const resources = tokens.slice(0, -1);
  const acts = new Set<Act>(known);
  const ends = known.has("delete");
  // "calendar.event.delete" books nothing, and "email.message.update" sends nothing.
  if (!ends)
    for (const token of resources)
      for (const act of RESOURCES.get(token) ?? [])
        if (act !== "send" || known.has("write") || known.has("send")) acts.add(act);
  if (["move", "update", "set", "label", "mark", "archive"].includes(tokens.at(-1) ?? ""))
    acts.delete("send");
  return acts;
}

/** "mail.message.draft", "mail.draft.create"; what sends a draft sends, and what deletes one deletes. */
function isDraft(tokens: readonly string[]): boolean {
  const known = ACTIONS.get(tokens.at(-1) ?? "");
  return tokens.includes("draft") && !known?.has("send") && !known?.has("delete");
}

/** Whether a call of this tool can be what a sentence about these acts tells of. */
export function fitsActs(
  acts: readonly Act[],
  { toolId, risk }: { readonly toolId: string; readonly risk: string },
): boolean {
  if (acts.includes("done")) return true;
  const made = actsOf(toolId);
  if (risk === "read") {
    const tokens = tokensOf(toolId);
    return (
      acts.includes("look") ||
      (acts.includes("run") && (made?.has("run") ?? tokens.some((token) => OPEN_ENDED.has(token)))) ||
      ((acts.includes("write") || acts.includes("move")) && tokens.some((token) => PICTURES.has(token)))
    );
  }
  if (acts.includes("look")) return true;
  return made === undefined || acts.some((act) => made.has(act));
}

export function isOpenEnded(toolId: string): boolean {
  return actsOf(toolId) === undefined;
}

/** Its name says that it looks, and at what. */
export function isLook(toolId: string): boolean {
  const tokens = tokensOf(toolId);
  return LOOKS.has(tokens.at(-1) ?? "") && !tokens.some((token) => OPEN_ENDED.has(token));
}

/** It tells which things there are; to know what stands in one, it has to be opened. */
export function isListing(toolId: string): boolean {
  return LISTINGS.has(tokensOf(toolId).at(-1) ?? "") && isLook(toolId);
}

function splitName(toolId: string): string[] {
  return toolId
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((token) => token !== "")
    .map((token) =>
      token.length > 4 && token.endsWith("s") && !token.endsWith("ss") ? token.slice(0, -1) : token,
    );
}

function table(rows: Readonly<Record<string, string>>): ReadonlyMap<string, ReadonlySet<ChangeAct>> {
  const out = new Map<string, Set<ChangeAct>>();
  for (const [names, acts] of Object.entries(rows))
    for (const name of names.split(" ")) {
      const known = out.get(name) ?? new Set<ChangeAct>();
      for (const act of acts.split(" ") as ChangeAct[]) known.add(act);
      out.set(name, known);
    }
  return out;
}
