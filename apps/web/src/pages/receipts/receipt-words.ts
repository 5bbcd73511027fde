import { showLine } from "@elwood/core/base/show";
import { callWord, type Tone } from "@elwood/core/base/state-words";
import type { MethodResult } from "@elwood/core/protocol/results";

type Receipt = MethodResult<"receipts.list">["receipts"][number];

/** How one receipt is told in a line. */

const WORDS: Readonly<Record<string, string>> = {
  "run.started": "run began",
  "run.resumed": "run taken up",
  "run.diverged": "run went another way",
  "run.finished": "run ended",
  "grant.created": "permission given",
  "grant.used": "permission used",
  "grant.revoked": "permission ended",
  "policy.changed": "policy changed",
  "auth.accepted": "login accepted",
  "auth.refused": "login refused",
  "auth.profile.rotated": "credential changed",
  "memory.recalled": "memory recalled",
  "memory.forgotten": "memory forgotten",
  "reply.grounded": "reply checked",
  "reply.delivered": "reply delivered",
  "reply.undeliverable": "reply not delivered",
  "log.checkpoint": "log sealed",
};

export function typeWords(type: string): string {
  return WORDS[type] ?? (type.startsWith("tool.call.") ? `call ${type.slice("tool.call.".length)}` : type);
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
