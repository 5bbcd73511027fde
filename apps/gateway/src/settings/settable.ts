import { isRecord } from "@elwood/core/base/is-record";
import { isLooser, POLICY_MODES, type PolicyMode } from "@elwood/core/policy/policy";
import type { SettingKind } from "@elwood/core/protocol/settings-shapes";
import { SEARCH_KEY } from "../web/search-service.ts";

/** A setting that its owner can change without an editor. */
export interface Settable {
  readonly key: string;
  readonly kind: SettingKind;
  readonly options?: readonly string[];
  /** Whether a change counts at once. */
  readonly now: boolean;
  /** Whether the second value lets more happen than the first. */
  readonly looser?: (before: unknown, after: unknown) => boolean;
  /** The name of the secret that it stands for; it is kept beside the file. */
  readonly secret?: string;
}

const more = (before: unknown, after: unknown) => Number(after) > Number(before);
const on = (before: unknown, after: unknown) => after === true && before !== true;
const off = (before: unknown, after: unknown) => after === false && before !== false;

/** Settings that change what tools may do leave more than a receipt of their own: the rules have one, too. */
export const POLICY_KEYS: ReadonlySet<string> = new Set([
  "policy.mode",
  "policy.rules",
  "files.roots",
  "web.search.provider",
  "web.search.searxngUrl",
  "shell.dangerous",
  "shell.requireCage",
]);

/** In the order in which they are listed. */
export const SETTABLE: readonly Settable[] = [
  { key: "model", kind: "model", now: true },
  { key: "fallbackModels", kind: "models", now: true },
  { key: "compactionModel", kind: "model", now: true },
  { key: "sessions.titles", kind: "switch", now: true },
  {
    key: "policy.mode",
    kind: "choice",
    options: POLICY_MODES,
    now: true,
    looser: (before, after) => isMode(before) && isMode(after) && isLooser(before, after),
  },
  { key: "policy.rules", kind: "rules", now: true, looser: looserRules },
  { key: "policy.knownDestinations", kind: "switch", now: false, looser: on },
  { key: "policy.approvalExpiryHours", kind: "number", now: false },
  { key: "files.roots", kind: "folders", now: true, looser: moreFolders },
  { key: "limits.dayCostUsd", kind: "number", now: true, looser: more },
  { key: "limits.costUsd", kind: "number", now: true, looser: more },
  { key: "limits.tokens", kind: "number", now: true, looser: more },
  { key: "limits.minutes", kind: "number", now: true, looser: more },
  { key: "limits.laps", kind: "number", now: true, looser: more },
  { key: "limits.calls", kind: "number", now: true, looser: more },
  { key: "limits.identicalCalls", kind: "number", now: true, looser: more },
  { key: "limits.parallelRuns", kind: "number", now: false, looser: more },
  { key: "web.search.provider", kind: "choice", options: ["brave", "searxng"], now: true },
  { key: "web.search.searxngUrl", kind: "text", now: true, looser: opensAddress },
  { key: "web.search.key", kind: "secret", now: true, secret: SEARCH_KEY },
  { key: "web.allowedOrigins", kind: "origins", now: false, looser: moreItems },
  { key: "shell.dangerous", kind: "choice", options: ["ask", "deny"], now: true, looser: asksAgain },
  { key: "shell.requireCage", kind: "switch", now: true, looser: off },
  { key: "browser.enabled", kind: "switch", now: false, looser: on },
  { key: "programs.mode", kind: "choice", options: ["both", "native", "programs"], now: false },
  { key: "memory.enabled", kind: "switch", now: false },
  { key: "memory.recall.tokens", kind: "number", now: false },
  { key: "timeZone", kind: "zone", now: false },
  { key: "notify.quietHours", kind: "text", now: false },
  { key: "heartbeat.intervalMinutes", kind: "number", now: false },
  { key: "heartbeat.activeHoursStart", kind: "number", now: false },
  { key: "heartbeat.activeHoursEnd", kind: "number", now: false },
  { key: "api.openai", kind: "switch", now: false, looser: on },
  { key: "api.anthropic", kind: "switch", now: false, looser: on },
  { key: "api.actions", kind: "switch", now: false, looser: on },
  { key: "api.mcp", kind: "switch", now: false, looser: on },
  { key: "api.metrics", kind: "switch", now: false, looser: on },
  { key: "log.level", kind: "choice", options: ["error", "warn", "info", "debug"], now: false },
];

function isMode(value: unknown): value is PolicyMode {
  return POLICY_MODES.some((mode) => mode === value);
}

function asksAgain(before: unknown, after: unknown): boolean {
  return before === "deny" && after !== "deny";
}

/** A search service of the owner's own may be on a private address, which is opened with it. */
function opensAddress(before: unknown, after: unknown): boolean {
  return typeof after === "string" && after !== before;
}

function moreItems(before: unknown, after: unknown): boolean {
  const known = new Set(listOf(before));
  return listOf(after).some((each) => !known.has(each));
}

/** A folder that was not open, or not for writing, is now. */
function moreFolders(before: unknown, after: unknown): boolean {
  const known = new Map(folders(before).map(({ path, ...rest }) => [path, rest]));
  return folders(after).some(({ path, write, synced }) => {
    const old = known.get(path);
    return old === undefined || (write && !old.write) || (old.synced && !synced);
  });
}

function folders(value: unknown) {
  return listOf(value).map((each) =>
    isRecord(each)
      ? { path: each["path"], write: each["write"] === true, synced: each["synced"] === true }
      : { path: each, write: false, synced: false },
  );
}

/** Rules only add up to less where all that deny and ask stay, and none comes that allows. */
function looserRules(before: unknown, after: unknown): boolean {
  const key = (rule: unknown) =>
    isRecord(rule) ? `${String(rule["decision"])} ${String(rule["tool"])}` : "";
  const old = new Set(listOf(before).map(key));
  const now = new Set(listOf(after).map(key));
  const denied = new Set(
    [...now].filter((rule) => rule.startsWith("deny ")).map((rule) => rule.slice("deny ".length)),
  );
  const lost = [...old].filter((rule) => !now.has(rule) && !rule.startsWith("allow "));
  // An ask that becomes a deny is no loss.
  if (lost.some((rule) => !(rule.startsWith("ask ") && denied.has(rule.slice("ask ".length))))) return true;
  return [...now].some((rule) => rule.startsWith("allow ") && !old.has(rule));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
