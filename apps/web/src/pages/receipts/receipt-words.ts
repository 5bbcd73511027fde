import { showLine } from "@elwood/core/base/show";
import { callWord, type Tone } from "@elwood/core/base/state-words";
import type { MethodResult } from "@elwood/core/protocol/results";
import { say } from "../../words/en/receipts.ts";
import { fill } from "../../words/fill.ts";

type Receipt = MethodResult<"receipts.list">["receipts"][number];

/** How one receipt is told in a line. */

const WORDS: Readonly<Record<string, keyof typeof say>> = {
  "run.started": "runBegan",
  "run.resumed": "runTakenUp",
  "run.diverged": "runWentAnotherWay",
  "run.finished": "runEnded",
  "grant.created": "permissionGiven",
  "grant.used": "permissionUsed",
  "grant.revoked": "permissionEnded",
  "policy.changed": "policyChanged",
  "auth.accepted": "loginAccepted",
  "auth.refused": "loginRefused",
  "auth.profile.rotated": "credentialChanged",
  "memory.recalled": "memoryRecalled",
  "memory.forgotten": "memoryForgotten",
  "reply.grounded": "replyChecked",
  "reply.delivered": "replyDelivered",
  "reply.undeliverable": "replyNotDelivered",
  "log.checkpoint": "logSealed",
};

export function typeWords(type: string): string {
  const known = WORDS[type];
  if (known) return say[known];
  return type.startsWith("tool.call.") ? fill(say.call, type.slice("tool.call.".length)) : type;
}

const BAD = /\.(failed|denied|refused|undeliverable|diverged)$/;
const WARN = /\.(unknown|expired|asked)$/;
const OK = /\.(succeeded|approved|accepted|settled)$/;

export function toneOf({ type, payload }: Receipt): Tone {
  if (codeOf(payload) !== 0) return "warn";
  if (BAD.test(type)) return "bad";
  if (WARN.test(type)) return "warn";
  return OK.test(type) ? "ok" : "muted";
}

/** The words of its payload that say what it is about. */
export function aboutText({ payload }: Receipt, target?: string): string {
  const told = ["toolId", "target", "summary", "reason", "what", "outcome", "status", "name"]
    .map((name) => (name === "target" ? (target ?? payload[name]) : payload[name]))
    .filter((value): value is string => typeof value === "string" && value !== "");
  const code = codeOf(payload);
  if (code !== 0) told.push(callWord("succeeded", code).word);
  return showLine([...new Set(told)].join(" · "));
}

/** With which code a program ended, where that is on record. */
function codeOf({ exitCode }: Receipt["payload"]): number {
  return typeof exitCode === "number" ? exitCode : 0;
}
