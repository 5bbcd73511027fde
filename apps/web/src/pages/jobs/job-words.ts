import type { StateWord } from "@elwood/core/base/state-words";
import type { WireJob, WireOccurrence } from "@elwood/core/protocol/job-shapes";
import { say } from "../../words/en/jobs.ts";

/** How a job stands. */
export const JOB_STATES: Readonly<Record<WireJob["status"], StateWord>> = {
  active: { word: "on", tone: "ok", glyph: "✓", icon: "check" },
  paused: { word: "paused", tone: "warn", glyph: "⏸", icon: "pause" },
  over: { word: "over", tone: "muted", glyph: "■", icon: "stop" },
  off: { word: "off", tone: "muted", glyph: "■", icon: "stop" },
};

/** What became of a due time. */
export const OUTCOMES: Readonly<Record<WireOccurrence["status"] | "waiting" | "quiet", StateWord>> = {
  due: {
    word: "due",
    tone: "info",
    glyph: "…",
    icon: "clock",
  },
  queued: { word: "queued", tone: "muted", glyph: "…", icon: "clock" },
  running: { word: "running", tone: "info", glyph: "▸", icon: "play" },
  waiting: {
    get word() {
      return say.waitingForYou;
    },
    tone: "warn",
    glyph: "⏸",
    icon: "pause",
  },
  done: { word: "done", tone: "ok", glyph: "✓", icon: "check" },
  quiet: {
    get word() {
      return say.nothingToReport;
    },
    tone: "muted",
    glyph: "✓",
    icon: "check",
  },
  failed: { word: "failed", tone: "bad", glyph: "✗", icon: "cross" },
  stopped: { word: "cancelled", tone: "muted", glyph: "■", icon: "stop" },
  missed: { word: "missed", tone: "warn", glyph: "⌛", icon: "hourglass" },
  skipped: { word: "skipped", tone: "muted", glyph: "■", icon: "stop" },
};

export function outcomeOf({ status, waiting, quiet }: WireOccurrence): keyof typeof OUTCOMES {
  if (waiting) return "waiting";
  return status === "done" && quiet ? "quiet" : status;
}

/** Apart from the run: whether its reply arrived. */
export const DELIVERIES: Readonly<Record<WireOccurrence["delivery"], string>> = {
  none: "",
  get pending() {
    return say.onItsWay;
  },
  get delivered() {
    return say.delivered;
  },
  get failed() {
    return say.notDelivered;
  },
};

export const KINDS: Readonly<Record<WireJob["kind"], string>> = {
  get reminder() {
    return say.aReminder;
  },
  get task() {
    return say.aJob;
  },
  get heartbeat() {
    return say.aHeartbeat;
  },
  get backup() {
    return say.aBackup;
  },
};

export const SOURCES: Readonly<Record<WireJob["source"], string>> = {
  get config() {
    return say.setInConfigYaml;
  },
  get owner() {
    return say.madeByYou;
  },
  get agent() {
    return say.madeByTheAssistantAllowedBy;
  },
};
