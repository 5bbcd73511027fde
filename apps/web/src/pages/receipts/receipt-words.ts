import { showLine } from "@elwood/core/base/show";
import { callWord, RUN_WORDS, stateWord, type Tone } from "@elwood/core/base/state-words";
import type { MethodResult } from "@elwood/core/protocol/results";
import { deedText } from "../../words/deeds.ts";
import { fill } from "../../words/fill.ts";
import { stateText, surfaceText } from "../../words/states.ts";
import { say } from "../../words/en/receipts.ts";
import { isFirstRules } from "./by-call.ts";
import { SETTING_WORDS } from "../settings/setting-words.ts";

type Receipt = MethodResult<"receipts.list">["receipts"][number];

/** How one receipt is told in a line: what happened, and for a call or run how it stands. */
export interface Told {
  readonly words: string;
  readonly state: string;
  readonly tone: Tone;
  /** For who hovers over it: what the log itself calls it. */
  readonly details: string;
}

/** `about` is what its call was about and `reason` why it came out so: the receipt itself only commits to both. */
export function toldReceipt(
  receipt: Receipt,
  { about, reason }: { readonly about?: string | undefined; readonly reason?: string | undefined } = {},
): Told {
  const { seq, type, surface, payload } = receipt;
  const tool = text(payload, "toolId");
  const details = [`#${seq}`, type, tool, surfaceText(surface), reason ?? ""]
    .filter((each) => each !== "")
    .join(" · ");
  return {
    words: showLine(wordsOf(receipt, about)),
    state: stateOf(receipt),
    tone: toneOf(receipt),
    details: showLine(details),
  };
}

/** What the log calls it, in words: for a list of kinds, and for a receipt by itself. */
export function typeWords(type: string): string {
  const known = WORDS[type];
  if (known) return say[known];
  const step = CALL_STEPS[type];
  return step ? fill(say.call, say[step]) : type;
}

const WORDS: Readonly<Record<string, keyof typeof say>> = {
  "run.started": "runBegan",
  "run.resumed": "runTakenUp",
  "run.diverged": "runWentAnotherWay",
  "run.finished": "runEnded",
  "grant.created": "permissionGiven",
  "grant.used": "permissionUsed",
  "grant.revoked": "permissionEnded",
  "policy.changed": "policyChanged",
  "settings.changed": "settingsChanged",
  "auth.accepted": "loginAccepted",
  "auth.refused": "loginRefused",
  "token.created": "newLogin",
  "token.revoked": "loginEnded",
  "auth.profile.rotated": "credentialChanged",
  "memory.recalled": "memoryRecalled",
  "memory.forgotten": "memoryForgotten",
  "reply.grounded": "replyChecked",
  "reply.delivered": "replyDelivered",
  "reply.undeliverable": "replyNotDelivered",
  "log.checkpoint": "logSealed",
};

const CALL_STEPS: Readonly<Record<string, keyof typeof say>> = {
  "tool.call.requested": "requested",
  "tool.call.refused": "refused",
  "tool.call.asked": "askedYou",
  "tool.call.approved": "approved",
  "tool.call.denied": "denied",
  "tool.call.expired": "expired",
  "tool.call.started": "started",
  "tool.call.succeeded": "done",
  "tool.call.failed": "failed",
  "tool.call.unknown": "unknown",
  "tool.call.settled": "settled",
  "tool.call.undone": "undone",
};

/** Its effect was there, so it is told as something that was done. */
const HAPPENED = new Set(["tool.call.succeeded", "tool.call.undone"]);

function wordsOf({ seq, type, payload }: Receipt, target: string | undefined): string {
  const about = target ?? text(payload, "target");
  const tool = text(payload, "toolId");
  if (type in CALL_STEPS) return deed(tool, about, HAPPENED.has(type) ? "done" : "todo");
  const words = typeWords(type);
  if (tool !== "") return fill(say.about, words, deed(tool, about, "todo"));
  switch (type) {
    case "token.created":
      return fill(say.about, "publicKey" in payload ? say.newDevice : words, text(payload, "name"));
    case "settings.changed":
      return fill(say.about, words, settingNames(payload));
    case "policy.changed":
      if (isFirstRules({ seq, type })) return say.rulesAtTheFirstStart;
      return "runsStopped" in payload ? say.everythingStopped : words;
    case "memory.recalled":
      return fill(say.about, words, fill(say.found, Number(payload["count"] ?? 0)));
    case "reply.grounded": {
      const { marks } = payload;
      const marked = Array.isArray(marks) ? marks.length : 0;
      return marked === 0 ? words : fill(say.about, words, fill(say.marked, marked));
    }
    default:
      return words;
  }
}

/** “Wrote shopping.txt”, and what else there is to say of it. */
function deed(tool: string, target: string, time: "todo" | "done"): string {
  const { words, about } = deedText(tool, time, target);
  return about === "" ? words : fill(say.about, words, about);
}

/** By their titles on the page of settings; one that has none there by its name in the file. */
function settingNames(payload: Receipt["payload"]): string {
  const keys = [payload["keys"], payload["removed"]].flat().filter((key) => typeof key === "string");
  return [...new Set(keys.map((key) => SETTING_WORDS[key]?.title ?? key))].join(", ");
}

function stateOf({ type, payload }: Receipt): string {
  if (type === "run.finished") return stateText(stateWord(RUN_WORDS, text(payload, "status")).word);
  const step = CALL_STEPS[type];
  if (!step) return "";
  const code = codeOf(payload);
  return code === 0 ? say[step] : stateText(callWord("succeeded", code).word);
}

const BAD = /\.(failed|denied|refused|undeliverable|diverged)$/;
const WARN = /\.(unknown|expired|asked)$/;
const OK = /\.(succeeded|approved|accepted|settled)$/;

function toneOf({ type, payload }: Receipt): Tone {
  if (type === "run.finished") return stateWord(RUN_WORDS, text(payload, "status")).tone;
  if (codeOf(payload) !== 0) return "warn";
  if (BAD.test(type)) return "bad";
  if (WARN.test(type)) return "warn";
  return OK.test(type) ? "ok" : "muted";
}

function text(payload: Receipt["payload"], name: string): string {
  const value = payload[name];
  return typeof value === "string" ? value : "";
}

/** With which code a program ended, where that is on record. */
function codeOf({ exitCode }: Receipt["payload"]): number {
  return typeof exitCode === "number" ? exitCode : 0;
}
