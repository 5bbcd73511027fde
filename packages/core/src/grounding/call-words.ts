import type { ActivityItem } from "../tool/activity.ts";
import { showLine } from "../base/show.ts";
import type { Act } from "./claim-model.ts";
import type { Locale } from "../request/language.ts";
import { GROUNDING_LIMITS } from "./limits.ts";
import { escapeGlyphs } from "./reserved.ts";
import { actsOf, tokensOf } from "./tool-acts.ts";
import { WORDING } from "./wording.ts";

/** English has a word of its own for the usual actions; the other languages have one for those below, and say the rest by the kind of action. */
const PAST: Readonly<Record<string, string>> = {
  write: "Wrote",
  edit: "Changed",
  update: "Changed",
  create: "Created",
  add: "Added",
  save: "Saved",
  delete: "Deleted",
  remove: "Removed",
  forget: "Forgot",
  cancel: "Cancelled",
  move: "Moved",
  rename: "Renamed",
  archive: "Archived",
  copy: "Copied",
  upload: "Uploaded",
  download: "Downloaded",
  send: "Sent",
  post: "Posted",
  reply: "Replied",
  publish: "Published",
  share: "Shared",
  invite: "Invited",
  book: "Booked",
  reserve: "Reserved",
  order: "Ordered",
  buy: "Bought",
  pay: "Paid",
  transfer: "Transferred",
  schedule: "Scheduled",
  run: "Ran",
  start: "Started",
  stop: "Stopped",
  restart: "Restarted",
  deploy: "Deployed",
  push: "Pushed",
  commit: "Committed",
  merge: "Merged",
  install: "Installed",
  open: "Opened",
  click: "Clicked",
  type: "Typed",
  set: "Set",
  play: "Played",
  print: "Printed",
};

/** What these are about reads like something to do, not like a thing. */
const PAST_OF_TOOLS: Readonly<Record<string, string>> = {
  "schedule.job.create": "Scheduled:",
  "schedule.job.update": "Rescheduled:",
  "schedule.job.delete": "Taken off the schedule:",
};

/** "Changed" would be wrong of a file that was not there before. */
const MAKING: Readonly<
  Record<Exclude<Locale, "en">, Readonly<Record<string, readonly [done: string, todo: string] | undefined>>>
> = {
  de: {
    write: ["Geschrieben:", "schreiben"],
    create: ["Angelegt:", "anlegen"],
    add: ["Hinzugefügt:", "hinzufügen"],
    save: ["Gespeichert:", "speichern"],
  },
  es: {
    write: ["Escrito:", "escribir"],
    create: ["Creado:", "crear"],
    add: ["Añadido:", "añadir"],
    save: ["Guardado:", "guardar"],
  },
  fr: {
    write: ["Écrit :", "écrire"],
    create: ["Créé :", "créer"],
    add: ["Ajouté :", "ajouter"],
    save: ["Enregistré :", "enregistrer"],
  },
  zh: {
    write: ["已写入：", "写入"],
    create: ["已创建：", "创建"],
    add: ["已添加：", "添加"],
    save: ["已保存：", "保存"],
  },
  ja: {
    write: ["書き込み：", "書き込み"],
    create: ["作成：", "作成"],
    add: ["追加：", "追加"],
    save: ["保存：", "保存"],
  },
};

/** The word of a language for an action that makes something, where its main act is a change. */
function making(toolId: string, locale: Locale): readonly [done: string, todo: string] | undefined {
  const action = tokensOf(toolId).at(-1) ?? "";
  if (locale === "en" || mainAct(toolId, action) !== "write" || !Object.hasOwn(MAKING[locale], action))
    return undefined;
  return MAKING[locale][action];
}

const EFFECT_ORDER = [
  "draft",
  "delete",
  "move",
  "pay",
  "send",
  "schedule",
  "run",
  "control",
  "write",
] as const;

/** "Wrote", "Deleted": what a call did, before what it did it to. */
export function effectVerb({ toolId, undoes }: ActivityItem, locale: Locale): string {
  const wording = WORDING[locale];
  if (undoes !== undefined || toolId === UNDO_TOOL) return wording.undoOf;
  const action = tokensOf(toolId).at(-1) ?? "";
  const own = locale === "en" && Object.hasOwn(PAST, action) ? PAST[action] : undefined;
  if (locale === "en" && Object.hasOwn(PAST_OF_TOOLS, toolId)) return PAST_OF_TOOLS[toolId]!;
  return own ?? making(toolId, locale)?.[0] ?? wording.effects[mainAct(toolId, action)];
}

function mainAct(toolId: string, action: string): (typeof EFFECT_ORDER)[number] {
  const acts = actsOf(toolId);
  if (!acts) return "run";
  if (acts.has("write") && !["move", "archive", "rename", "delete", "remove"].includes(action)) {
    const first = [...acts][0];
    return isEffect(first) ? first : "write";
  }
  return EFFECT_ORDER.find((act) => acts.has(act)) ?? "write";
}

function isEffect(act: Act | undefined): act is (typeof EFFECT_ORDER)[number] {
  return EFFECT_ORDER.some((each) => each === act);
}

/** What the owner recognises the call by: what it was about, else what its tool does, in words. */
export function callTarget({ toolId, target }: ActivityItem, locale: Locale = "en"): string {
  return target === undefined || target === "" ? toolWords(toolId) : targetIn(safe(target), toolId, locale);
}

/** A move is about two things, and its tool joins them by an English word. */
function targetIn(target: string, toolId: string, locale: Locale): string {
  return locale !== "en" && toolId.endsWith(".move") ? target.replace(" to ", " → ") : target;
}

/** "send email message → anna@acme.io"; in other languages by the kind of action, "senden → anna@acme.io". */
export function callName(item: ActivityItem, locale: Locale = "en"): string {
  const { target, count, toolId } = item;
  const about = target === undefined || target === "" ? "" : ` → ${targetIn(safe(target), toolId, locale)}`;
  // The target of an MCP server's tool is its whole name, "read_graph (memory)".
  if (toolId.startsWith("mcp-") && about !== "") return safe(target ?? "");
  const what = locale === "en" || about === "" ? toolWords(toolId) : actionWord(item, locale);
  return `${what}${about}${count !== undefined && count !== 1 ? ` (${count})` : ""}`;
}

/** A look changes nothing, so that no word for an effect fits it. */
const LOOK: Readonly<Record<Exclude<Locale, "en">, string>> = {
  de: "ansehen",
  es: "consultar",
  fr: "consulter",
  zh: "查看",
  ja: "確認",
};

function actionWord({ toolId, risk }: ActivityItem, locale: Exclude<Locale, "en">): string {
  if (risk === "read") return LOOK[locale];
  const own = making(toolId, locale)?.[1];
  return own ?? WORDING[locale].actions[mainAct(toolId, tokensOf(toolId).at(-1) ?? "")];
}

/** `email.message.send` as words, action first; a word that says nothing new is left out. */
function toolWords(toolId: string): string {
  const tokens = toolId.split(".").map((part) => tokensOf(part).join(" "));
  const action = tokens.at(-1) ?? toolId;
  const about = tokens.slice(0, -1).filter((token, index, all) => index === 0 || token !== all[index - 1]);
  return safe([action, ...about].join(" "));
}

/** Somebody else's text inside Elwood's line: one line, no reserved glyph, no separator of ours, not long. */
export function safe(text: string): string {
  const shown = escapeGlyphs(showLine(text)).replace(/[·→‧∙⋅•]/gu, "-");
  const characters = Array.from(shown);
  const max = GROUNDING_LIMITS.targetCharsMax;
  return characters.length > max ? `${characters.slice(0, max - 1).join("")}…` : shown;
}

/** By which the model takes calls back. */
const UNDO_TOOL = "session.call.undo";
